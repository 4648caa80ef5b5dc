"""Fair timing: contenders take turns, the best run of each counts, both clocks are read."""

import gc
import os
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

SETTLE_SECONDS = float(os.environ.get("SILVA_BENCHMARK_PAUSE", "0.25"))
"""Idle threads of a peer's pool stop spinning before the next contender. Tests wait for nothing."""
turn: Callable[[], AbstractContextManager[Any]] = nullcontext
"""Entered around everything that is timed; `isa_worker` lets processes take turns by it."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The best wall and CPU seconds of one contender, and what its last run returned.

    CPU seconds are of the whole process: all threads together.
    """

    wall: float
    cpu: float
    result: Any

    @property
    def cores(self) -> float:
        """How many cores were busy, on average."""
        return self.cpu / max(self.wall, 1e-9)


def take_turns(contenders: Mapping[Any, Callable[[], Any]], repeats: int) -> dict[Any, Timing]:
    """Run A B C A B C ..., `repeats` rounds."""
    best: dict[str, Timing] = {}
    for _ in range(repeats):
        for name, run in contenders.items():
            best[name] = better(best.get(name), run)
    return best


def better(before: Timing | None, run: Callable[[], Any]) -> Timing:
    """The better of `before` and one more run, clock by clock."""
    now = time_once(run)
    if before is None:
        return now
    return Timing(min(before.wall, now.wall), min(before.cpu, now.cpu), now.result)


def time_once(run: Callable[[], Any]) -> Timing:
    """One run, after garbage is collected and other threads are asleep."""
    gc.collect()
    with turn():
        time.sleep(SETTLE_SECONDS)
        wall, cpu = time.perf_counter(), time.process_time()
        result = run()
        return Timing(time.perf_counter() - wall, time.process_time() - cpu, result)


def short_calls(
    contenders: Mapping[str, Callable[[], Any]], calls: int, rounds: int
) -> dict[str, float]:
    """Microseconds (wall) of one call for work too short to time alone: the best block of each."""
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(rounds):
        for name, run in contenders.items():
            with turn():
                best[name] = min(best[name], block_microseconds(run, calls))
    return best


def block_microseconds(run: Callable[[], Any], calls: int) -> float:
    """The mean microseconds of a call in one block of `calls`, without garbage collection."""
    gc.disable()
    try:
        start = time.perf_counter()
        for _ in range(calls):
            run()
        return (time.perf_counter() - start) / calls * 1e6
    finally:
        gc.enable()


def usable_cpus() -> int:
    """CPUs this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
