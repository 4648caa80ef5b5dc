"""Ask the contenders in turn; the best run of each counts."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.optimal.cases import Case
from benchmarks.optimal.contenders import Question
from benchmarks.optimal.processes import Worker

Figure = dict[str, Any]
Found = dict[str, dict[str, Figure]]
"""By case key and contender."""

LONG_SECONDS = 2.0
"""A run of this length is not repeated."""
MEMORY_SHARE = 10


@dataclass(frozen=True)
class Plan:
    """How often and how long; what is known from an earlier run is not measured again."""

    repeats: int
    seconds: float
    known: Found


def compared(case: Case, asked: Mapping[str, Worker], plan: Plan) -> dict[str, Figure]:
    """The best figure of each contender: A B A B ..., all under the same limit of time."""
    seconds = 0.0 if case.family.startswith("incumbent") else plan.seconds
    question = Question(case.depth, case.penalty, seconds)
    found = {name: known for name, known in plan.known.get(case.key, {}).items() if name in asked}
    waiting = [name for name in asked if name not in found]
    for _ in range(plan.repeats):
        for name in waiting:
            if may_run(found.get(name)):
                found[name] = better(found.get(name), asked[name].ask(case, question))
    return found


def may_run(before: Figure | None) -> bool:
    """Whether another run can tell more: not after a long or a failed one."""
    return before is None or ("failed" not in before and before["cpu"] < LONG_SECONDS)


def better(before: Figure | None, now: Figure) -> Figure:
    """The quicker of two runs; one that failed shows."""
    if before is None or "failed" in now:
        return now
    return min(before, now, key=lambda figure: figure["cpu"])


def squeezed(case: Case, worker: Worker, plan: Plan) -> dict[str, Figure]:
    """One run with the memory that a search takes by default, one with a tenth of what it used."""
    worker.end()  # a fresh process: nothing freed is there to be used again
    free = worker.ask(case, Question(case.depth, case.penalty, plan.seconds))
    if "failed" in free:
        return {"free": free}
    limit = memory_of(free) // MEMORY_SHARE
    worker.end()
    tight = worker.ask(case, Question(case.depth, case.penalty, plan.seconds, limit))
    return {"free": free, "tight": tight | {"limit": limit}}


def memory_of(figure: Figure) -> int:
    """Bytes that the search says it holds, or else how far the fit raised the peak."""
    return int(figure["details"].get("memory") or figure["peak"])


def write(file: Path, found: Found) -> None:
    file.write_text(json.dumps(found, indent=1) + "\n")


def read(file: Path | None, contenders: Sequence[str]) -> Found:
    """Figures of these contenders from an earlier run."""
    if file is None:
        return {}
    by_case = json.loads(file.read_text())
    return {
        key: {name: figure for name, figure in figures.items() if name in contenders}
        for key, figures in by_case.items()
    }
