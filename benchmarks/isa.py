"""Compare the instruction sets of silva: a process for each, which take turns with the peers.

The core chooses its instruction set when it is loaded, so each one has a process of its own. All of
them run the same cases in step: while something is timed in one, the others wait. Peers run in
the process of the best instruction set only: in the others silva takes their place, so that all
processes ask for the same number of turns.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any

from benchmarks.rows import Row, Target
from benchmarks.settings import Settings

CLOCKS = ("CPU s", "wall s", "us")
OTHER_CASES = ("memory", "growth", "subset_search", "raw", "pruning", "forest_memory")
"""Cases that do not compare the speed of silva with that of a peer."""
AIMS = {"avx2": Target(">=", 0.6), "baseline": Target(">=", 0.4)}
"""Shares of the speed of AVX-512."""
AVX2_TARGETS = {
    ("full_tree", "scikit-learn"): 24,
    ("regression", "scikit-learn"): 12,
    ("predict", "scikit-learn"): 3.5,
    ("forest", "scikit-learn"): 12,
    ("forest", "YDF exact"): 8,
    ("forest", "YDF discretised"): 5,
    ("extra_trees", "scikit-learn"): 5,
    ("forest_predict", "scikit-learn"): 6,
    ("forest_predict", "YDF"): 10,
    ("shallow", "LightGBM"): 5,
    ("shallow", "XGBoost hist"): 4,
    ("fit on iris", "scikit-learn"): 5,
    ("predict one row of iris", "scikit-learn"): 15,
}
"""By case or work, and peer: where AVX2 has another target than the case."""


class Worker:
    """A process that runs cases with one instruction set; see `isa_worker`."""

    def __init__(self, isa: str, told: Mapping[str, Any]) -> None:
        self.isa = isa
        command = [sys.executable, "-m", "benchmarks.isa_worker", json.dumps(told)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process = subprocess.Popen(command, env=os.environ | {"SILVA_ISA": isa}, **pipes)

    def tell(self, word: str) -> None:
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        line = self._process.stdout.readline()
        if not line:
            code = self._process.wait()
            raise RuntimeError(f"the process of SILVA_ISA={self.isa} ended with exit code {code}")
        return json.loads(line)

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()


@contextmanager
def workers(isas: Sequence[str], settings: Settings, peers: Sequence[str]) -> Iterator[list]:
    """A process for each instruction set, the first of which runs the peers."""
    known = asdict(settings) | {"data_folder": str(settings.data_folder)}
    started: list[Worker] = []
    try:
        for isa in isas:
            told = {"settings": known, "peers": list(peers), "follows": bool(started)}
            started.append(Worker(isa, told))
        yield started
    finally:
        for worker in started:
            worker.end()


def in_step(started: Sequence[Worker], case: str) -> list[dict[str, Any]]:
    """What each process says of a case; nobody works while something is timed elsewhere."""
    for worker in started:
        worker.tell(case)
    said = {worker: worker.hear() for worker in started}
    while waiting := [worker for worker, message in said.items() if message.get("at") == "turn"]:
        for worker in waiting:
            worker.tell("go")
            worker.hear()
        for worker in waiting:
            worker.tell("go on")
        said |= {worker: worker.hear() for worker in waiting}
    return list(said.values())


def rows_of(case: str, asked: Sequence[str], started: Sequence[Worker]) -> list[Row]:
    """A row for each instruction set that was asked for, of each row of the case."""
    said = in_step(started, case)
    if "skipped" in said[0]:
        return [Row(case, case, note=f"skipped: {said[0]['skipped']}")]
    by_isa = {
        worker.isa: list(map(read_row, message["rows"]))
        for worker, message in zip(started, said, strict=True)
    }
    first = by_isa[started[0].isa]
    return [
        row_of(isa, [rows[i] for rows in by_isa.values()], list(by_isa))
        for i, row in enumerate(first)
        if row.measure in CLOCKS
        for isa in asked
    ]


def read_row(fields: dict[str, Any]) -> Row:
    target = fields["target"]
    return Row(**fields | {"target": Target(**target) if target else None})


def row_of(isa: str, same: Sequence[Row], isas: Sequence[str]) -> Row:
    """The row of one instruction set among the `same` rows of all, the best one first."""
    best = same[0]
    if isa not in isas:
        absent = "this machine or build has no such instructions"
        return replace(best, isa=isa, silva=None, value=None, target=None, note=absent)
    own = same[isas.index(isa)]
    if own.peer and not own.peer.startswith("silva"):
        own = replace(own, theirs=best.theirs, value=best.theirs / own.silva)
    note = best.note if isa == isas[0] else ""
    return replace(
        own, isa=isa, share=best.silva / own.silva, target=target_of(isa, own), note=note
    )


def target_of(isa: str, row: Row) -> Target | None:
    """That of the case; AVX2 has some of its own, the baseline has none."""
    if isa == "baseline" or row.target is None:
        return None
    own = [AVX2_TARGETS.get((place, row.peer)) for place in (row.case, row.work)]
    limits = [limit for limit in own if limit and isa == "avx2"]
    return Target(">=", limits[0]) if limits else row.target


def shares(rows: Sequence[Row]) -> str:
    """How many works reach the aimed share of the speed of AVX-512, and which do not."""
    if not any(row.isa == "avx512" and row.share for row in rows):
        return "shares of the speed of AVX-512 need a machine that has it"
    return "\n".join(line for isa, aim in AIMS.items() for line in share_lines(isa, aim, rows))


def share_lines(isa: str, aim: Target, rows: Sequence[Row]) -> list[str]:
    by_work = {(row.work, row.measure): row.share for row in rows if row.isa == isa and row.share}
    if not by_work:
        return []
    short = [f"  {work}: {share:.0%}" for (work, _), share in by_work.items() if not aim.met(share)]
    reached = f"{len(by_work) - len(short)} of {len(by_work)} works"
    return [f"{isa}: {reached} reach {aim.limit:.0%} of the speed of AVX-512", *short]
