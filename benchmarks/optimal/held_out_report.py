"""The tables of the held-out study: accuracies, paired differences and their standard errors."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from benchmarks.optimal.held_out import Fold

FIRST = "optimal"


def report(folds: Sequence["Fold"]) -> str:
    """A table a depth, then all tables together."""
    depths = sorted({fold.depth for fold in folds})
    parts = [depth_table([fold for fold in folds if fold.depth == depth]) for depth in depths]
    return "\n\n".join([*parts, summary(folds), NOTE])


NOTE = """\
Differences are optimal - other, in points of held-out accuracy over the same ten folds. In brackets
the standard error of the corrected resampled t-test (Nadeau and Bengio): the folds share training
rows, so it is larger than that of ten independent figures. In the summary it is that of the mean
over the tables, and "clearly" counts tables whose difference is more than two standard errors."""


def depth_table(folds: Sequence["Fold"]) -> str:
    """A row a table: accuracy and leaves of the optimal trees, then every rival's difference."""
    rivals = [name for name in methods_of(folds) if name != FIRST]
    head = [f"depth {folds[0].depth}", "rows", "optimal", "leaves", "proved", *rivals]
    lines = [head, ["---"] * len(head)]
    for table in dict.fromkeys(fold.table for fold in folds):
        here = [fold for fold in folds if fold.table == table]
        lines.append([table, *first_cells(here), *(rival_cell(here, name) for name in rivals)])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def methods_of(folds: Sequence["Fold"]) -> list[str]:
    return list(dict.fromkeys(fold.method for fold in folds))


def of_method(folds: Sequence["Fold"], method: str) -> list["Fold"]:
    return sorted((fold for fold in folds if fold.method == method), key=lambda fold: fold.fold)


def first_cells(folds: Sequence["Fold"]) -> list[str]:
    """Rows, accuracy in percent, leaves, and how many folds were proved."""
    best = of_method(folds, FIRST)
    n_rows = best[0].rows + best[0].training_rows
    n_proved = sum(bool(fold.proved) for fold in best)
    leaves = np.mean([fold.leaves for fold in best])
    accuracy = 100 * np.mean(accuracies(best))
    return [str(n_rows), f"{accuracy:.2f}", f"{leaves:.1f}", f"{n_proved} of {len(best)}"]


def rival_cell(folds: Sequence["Fold"], rival: str) -> str:
    """The difference, its standard error, and the leaves of the rival."""
    mean, error = paired(folds, rival)
    leaves = np.mean([fold.leaves for fold in of_method(folds, rival)])
    return f"{100 * mean:+.2f} ({100 * error:.2f}; {leaves:.1f} leaves)"


def accuracies(folds: Sequence["Fold"]) -> np.ndarray:
    return np.array([fold.right / fold.rows for fold in folds])


def training_accuracies(folds: Sequence["Fold"]) -> np.ndarray:
    return np.array([1 - fold.training_errors / fold.training_rows for fold in folds])


def paired(folds: Sequence["Fold"], rival: str) -> tuple[float, float]:
    """The mean of optimal - rival over the folds of one table, and its standard error."""
    best, other = of_method(folds, FIRST), of_method(folds, rival)
    gains = accuracies(best) - accuracies(other)
    if len(gains) < 2:
        return float(gains.mean()), float("nan")
    tested = np.mean([fold.rows / fold.training_rows for fold in best])
    error = np.sqrt((1 / len(gains) + tested) * gains.var(ddof=1))
    return float(gains.mean()), float(error)


def summary(folds: Sequence["Fold"]) -> str:
    """A row a depth and rival: the mean over tables, and on how many tables each is better."""
    head = [
        "depth", "against", "tables", "held-out difference", "training difference",
        "better / equal / worse", "clearly better / worse", "leaves", "their leaves",
    ]  # fmt: skip
    lines = [head, ["---"] * len(head)]
    for depth in sorted({fold.depth for fold in folds}):
        here = [fold for fold in folds if fold.depth == depth]
        rivals = [name for name in methods_of(here) if name != FIRST]
        lines += [[str(depth), name, *summary_cells(here, name)] for name in rivals]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def summary_cells(folds: Sequence["Fold"], rival: str) -> list[str]:
    tables = list(dict.fromkeys(fold.table for fold in folds))
    by_table = [[fold for fold in folds if fold.table == table] for table in tables]
    pairs = np.array([paired(here, rival) for here in by_table])
    trained = [
        training_accuracies(of_method(here, FIRST)) - training_accuracies(of_method(here, rival))
        for here in by_table
    ]
    gains, errors = pairs.T
    clear = [int(np.sum(sign * gains > 2 * errors)) for sign in (1, -1)]
    spread = gains.std(ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else float("nan")
    better, worse = int(np.sum(gains > 0)), int(np.sum(gains < 0))
    leaves = [mean_leaves(folds, name) for name in (FIRST, rival)]
    return [
        str(len(tables)),
        f"{100 * gains.mean():+.2f} ({100 * spread:.2f})",
        f"{100 * np.mean([one.mean() for one in trained]):+.2f}",
        f"{better} / {len(gains) - better - worse} / {worse}",
        f"{clear[0]} / {clear[1]}",
        *(f"{one:.1f}" for one in leaves),
    ]


def mean_leaves(folds: Sequence["Fold"], method: str) -> float:
    return float(np.mean([fold.leaves for fold in of_method(folds, method)]))
