"""`python -m benchmarks.prune_study`: leaves and errors of every pruner, on many tables.

Each table is cross-validated (5 folds, shuffled once, small tables three times), the same folds
for all. Errors are shares of wrong answers, or squared errors over those of the mean (1 - R2).
`auto` was chosen on one half of the tables (`--half 0`) and is reported on the other.

With `--out FILE` each finished figure is added to a file of JSON lines, and what the file has is
not measured again.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.data import DATA_FOLDER
from benchmarks.prune_methods import METHODS, Method, methods_for
from benchmarks.prune_sets import SETS, half, parts, read
from benchmarks.saved import recalled, remember

REPEATS = 1
TASKS = ("classification", "regression")
RANKS_HEAD = (
    "| mean rank | second half | its classes | its numbers | first half | its classes | its numbers"
    " | CPU s a fit |"
)
SAME = 6
"""Errors are compared by this many decimals."""


@dataclass(frozen=True)
class Figure:
    """One method on one table: mean leaves, error, and CPU seconds a fit."""

    table: str
    method: str
    leaves: float
    error: float
    seconds: float


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    warnings.filterwarnings("ignore", message="The least populated class")
    names = [name for name in options.sets or SETS if options.half in (None, half(name))]
    figures = recalled(options.out, Figure)
    for name in names:
        known = {figure.method for figure in figures if figure.table == name}
        wanted = [one for one in options.methods or METHODS if one not in known]
        for figure in measured(name, wanted, options.data, options.repeats):
            figures.append(figure)
            remember(options.out, figure)
    print(report(figures, names))
    return 0


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=DATA_FOLDER, metavar="DIR")
    options.add_argument("--sets", nargs="+", choices=SETS, metavar="TABLE")
    options.add_argument("--half", type=int, choices=(0, 1), help="one half of the tables only")
    options.add_argument("--methods", nargs="+", choices=METHODS, metavar="METHOD")
    options.add_argument("--repeats", type=int, default=REPEATS, help="shuffles of the folds")
    options.add_argument("--out", type=Path, metavar="FILE")
    return options


def measured(name: str, wanted: Sequence[str], folder: Path, repeats: int) -> Iterator[Figure]:
    """The figures of the wanted methods on one table."""
    possible = methods_for(SETS[name].task)
    methods = {one: possible[one] for one in wanted if one in possible}
    if not methods:
        return
    frame, target = read(folder, name)
    started = time.perf_counter()
    found = cross_validated(methods, list(parts(name, frame, target, repeats)))
    spent = time.perf_counter() - started
    print(f"{name}: {len(target)} rows, {spent:.0f} s", file=sys.stderr, flush=True)
    for method, (leaves, error, seconds) in found.items():
        yield Figure(name, method, leaves, error, seconds)


def cross_validated(methods: dict[str, Method], folds: list) -> dict[str, tuple]:
    """Mean leaves, error and mean seconds of each method."""
    scale = scale_of(folds)
    found = {}
    for name, method in methods.items():
        started, leaves, lost = time.process_time(), [], []
        for part in folds:
            answers, size = method(part)
            leaves.append(size)
            lost.append(part.losses(answers))
        spent = (time.process_time() - started) / len(folds)
        found[name] = (float(np.mean(leaves)), float(np.concatenate(lost).mean() / scale), spent)
    return found


def scale_of(folds: list) -> float:
    """1 for classes; for numbers the variance of the target."""
    if folds[0].task == "classification":
        return 1.0
    return float(np.var(np.concatenate([part.y_test for part in folds])))


def mean_ranks(figures: Sequence[Figure], names: Sequence[str], among: Sequence[str]) -> dict:
    """The mean rank of each method by error, 1 for the best; equals share their ranks.

    A method that is not possible on a table is left out there.
    """
    from scipy.stats import rankdata

    ranks: dict[str, list[float]] = {method: [] for method in among}
    for name in names:
        errors = {f.method: round(f.error, SAME) for f in figures if f.table == name}
        here = [method for method in among if method in errors]
        for method, rank in zip(here, rankdata([errors[one] for one in here]), strict=True):
            ranks[method].append(float(rank))
    return {method: float(np.mean(found)) for method, found in ranks.items() if found}


def report(figures: Sequence[Figure], names: Sequence[str]) -> str:
    """The tables in Markdown: each method a row; then the mean ranks of each half."""
    methods = [one for one in METHODS if any(f.method == one for f in figures)]
    tables = [
        table_of(figures, [name for name in names if SETS[name].task == task], methods, task)
        for task in TASKS
    ]
    return "\n\n".join([*tables, ranks_table(figures, names, methods)])


def table_of(
    figures: Sequence[Figure], names: Sequence[str], methods: Sequence[str], task: str
) -> str:
    """A row a table, a column a method: error (leaves); errors in percent."""
    shown = [one for one in methods if one in methods_for(task)]
    cells = {(f.table, f.method): f"{100 * f.error:.2f} ({f.leaves:.0f})" for f in figures}
    lines = [f"| {task} | " + " | ".join(shown) + " |", "|---" * (len(shown) + 1) + "|"]
    for name in names:
        row = " | ".join(cells.get((name, method), "") for method in shown)
        lines.append(f"| {name} | {row} |")
    return "\n".join(lines)


def ranks_table(figures: Sequence[Figure], names: Sequence[str], methods: Sequence[str]) -> str:
    """A row a method, the mean ranks of each half: all tables, those of classes, of numbers.

    A method that is not possible for numbers has no rank among all tables.
    """
    columns = [(number, tasks) for number in (1, 0) for tasks in (TASKS, TASKS[:1], TASKS[1:])]
    found = []
    for number, tasks in columns:
        part = [name for name in names if half(name) == number and SETS[name].task in tasks]
        among = [one for one in methods if all(one in methods_for(task) for task in tasks)]
        ranks = mean_ranks(figures, part, methods)
        found.append({one: ranks[one] for one in among if one in ranks})
    lines = [RANKS_HEAD, "|---" * 8 + "|"]
    for method in sorted(methods, key=lambda one: found[0].get(one, found[1].get(one, 99.0))):
        ranks = " | ".join(f"{one[method]:.2f}" if method in one else "" for one in found)
        spent = np.mean([f.seconds for f in figures if f.method == method])
        lines.append(f"| {method} | {ranks} | {spent:.2f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
