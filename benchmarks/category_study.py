"""`python -m benchmarks.category_study`: what useless and useful categorical columns do to models.

Each table is cross-validated (5 folds, tables below 1,000 rows in three shuffles, the same for all)
clean and with one added column. Scores are accuracies, or R2 clipped at -1 in each fold. Half 0 of
the tables is for choices, half 1 for the report.

With `--save FILE` each finished figure is added to a file of JSON lines, and what the file has is
not measured again; files of several runs can be joined.
"""

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.category_methods import METHODS
from benchmarks.category_report import Scores, details, report
from benchmarks.category_tables import QUICK, TABLES, read_variant, variants_of
from benchmarks.data import DATA_FOLDER
from benchmarks.prune_sets import FOLDS, SETS, Part, half, parts
from benchmarks.rows import Skip
from benchmarks.saved import recalled, remember

LEAST_R2 = -1.0


@dataclass(frozen=True)
class Work:
    """One method on one variant of a table."""

    table: str
    variant: str
    method: str


@dataclass(frozen=True)
class Figure:
    """The scores of one method on one variant of a table, a list of five for each shuffle."""

    table: str
    variant: str
    method: str
    scores: list[list[float]]

    @property
    def work(self) -> Work:
        return Work(self.table, self.variant, self.method)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what is missing, then print the report."""
    options = parser().parse_args(arguments)
    names = tables_of(options)
    methods = usable(options.methods or METHODS)
    figures = recalled(options.save, Figure)
    known = {figure.work for figure in figures}
    wanted = [work for work in works(names, methods) if work not in known]
    try:
        for figure in measured(wanted, options):
            figures.append(figure)
            remember(options.save, figure)
    except Skip as reason:
        print(f"skipped: {reason}", file=sys.stderr)
        return 1
    scores = scores_of(figures)
    print(report(scores, names))
    if options.details:
        print("\n" + details(scores, names))
    return 0


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=DATA_FOLDER, metavar="DIR")
    options.add_argument("--tables", nargs="+", choices=TABLES, metavar="TABLE")
    options.add_argument("--half", type=int, choices=(0, 1), help="one half of the tables only")
    options.add_argument("--quick", action="store_true", help="four small tables: a look")
    options.add_argument("--methods", nargs="+", choices=METHODS, metavar="METHOD")
    options.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    options.add_argument("--details", action="store_true", help="also every table by itself")
    options.add_argument("--save", type=Path, metavar="FILE", help="JSON lines to keep and reuse")
    return options


def tables_of(options: argparse.Namespace) -> list[str]:
    chosen = options.tables or (QUICK if options.quick else TABLES)
    return [name for name in chosen if options.half in (None, half(name))]


def usable(names: Sequence[str] | dict) -> list[str]:
    """The methods whose library is installed; the others are named on stderr."""
    for name in names:
        if not METHODS[name].is_installed:
            print(f"left out: {name}, because {METHODS[name].module} is missing", file=sys.stderr)
    return [name for name in names if METHODS[name].is_installed]


def works(tables: Sequence[str], methods: Sequence[str]) -> list[Work]:
    return [
        Work(table, variant, method)
        for table in tables
        for variant in variants_of(table)
        for method in methods
        if SETS[table].task in METHODS[method].tasks
    ]


def measured(wanted: Sequence[Work], options: argparse.Namespace) -> Iterator[Figure]:
    """The figures of this work, in its order; with several jobs each is a process."""
    if options.jobs == 1:
        yield from told(measure(work, options.data) for work in wanted)
        return
    # Libraries with threads of their own do not survive a fork.
    with ProcessPoolExecutor(options.jobs, get_context("spawn")) as pool:
        yield from told(pool.map(measure, wanted, repeat(options.data)))


def told(figures: Iterator[Figure]) -> Iterator[Figure]:
    for figure in figures:
        mean = np.mean(figure.scores)
        print(f"{figure.table}, {figure.variant}: {figure.method} {mean:.3f}", file=sys.stderr)
        yield figure


def measure(work: Work, folder: Path) -> Figure:
    """Cross-validate one method on one variant of a table."""
    frame, target = read_variant(folder, work.table, work.variant)
    held_out = list(parts(work.table, frame, target, repeats=1))
    scores = np.reshape(cross_validated(METHODS[work.method].predict, held_out), (-1, FOLDS))
    return Figure(work.table, work.variant, work.method, scores.round(6).tolist())


def cross_validated(predict: Callable[[Part], Any], held_out: Sequence[Part]) -> list[float]:
    """The score of each fold. Warnings about columns are the subject here, not news."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [score(part, predict(part)) for part in held_out]


def score(part: Part, predicted: Any) -> float:
    """Accuracy, or R2 but at least -1."""
    lost = float(part.losses(np.asarray(predicted)).mean())
    if part.task == "classification":
        return 1.0 - lost
    return max(LEAST_R2, 1.0 - lost / float(np.var(part.y_test)))


def scores_of(figures: Sequence[Figure]) -> Scores:
    return {(f.table, f.variant, f.method): np.asarray(f.scores) for f in figures}


if __name__ == "__main__":
    sys.exit(main())
