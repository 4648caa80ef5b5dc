"""How good a forest is on rows that its trees did not see, beside the answer that needs no tree."""

from dataclasses import dataclass

import numpy as np

from silva import notebook
from silva.data.large import mean_of
from silva.data.table import Table, Target, Task
from silva.ensemble import combine
from silva.ensemble.forest import Forest
from silva.ensemble.oob import Oob
from silva.inspect.summary import Comparison, depth, measured, rankable
from silva.notebook import ShownAsText


@dataclass(frozen=True, slots=True)
class ForestSummary(ShownAsText):
    """What a fit achieved. `leaves` is the mean over the trees, `depth` that of the deepest.

    In the comparisons `tree` is the forest. `oob` is None unless out-of-bag answers were asked
    for, `held_out` unless held-out rows were given. Training rows tell nothing: full trees know
    them by heart.
    """

    task: Task
    trees: int
    leaves: float
    depth: int
    oob: Comparison | None = None
    held_out: Comparison | None = None

    def __str__(self) -> str:
        return notebook.printers["forest_summary"](self)


def summarise_forest(
    forest: Forest, oob: Comparison | None, held_out: Comparison | None
) -> ForestSummary:
    """The summary of a forest; visits every tree."""
    sizes = [(tree.n_leaves, depth(tree)) for tree in forest.trees]
    leaves, depths = zip(*sizes, strict=True)
    return ForestSummary(
        forest.task, len(sizes), float(np.mean(leaves)), max(depths), oob, held_out
    )


def on_held_out(
    forest: Forest, training: Target, table: Table, target: Target, threads: int = 1
) -> Comparison:
    """Forest and baseline (the majority class or mean of training) on rows not used in training."""
    if target.classes is None:
        return measured(target, combine.values(forest, table, threads), baseline(training))
    if not rankable(table.n_rows, target):
        return measured(target, combine.codes(forest, table, threads), baseline(training))
    shares = combine.shares(forest, table, threads)
    return measured(target, shares.argmax(axis=1), baseline(training), shares)


def on_out_of_bag(oob: Oob, training: Target) -> Comparison | None:
    """Forest and baseline on the training rows that have an out-of-bag answer; None without."""
    rows = oob.votes > 0
    if training.weights is not None:
        rows &= training.weights > 0
    if not rows.any():
        return None
    target, told = training.take(rows), oob.answers[rows]
    if training.classes is None:
        return measured(target, told, baseline(training))
    shares = told if rankable(len(told), training) else None
    return measured(target, told.argmax(axis=1), baseline(training), shares)


def baseline(training: Target) -> float:
    """The code of the heaviest class, the first of equals, or the weighted mean."""
    if training.classes is not None:
        weights = np.bincount(training.values, training.weights, minlength=len(training.classes))
        return int(weights.argmax())
    return mean_of(training.values, training.weights)
