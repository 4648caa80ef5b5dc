"""How good a boosted composition is, beside the answer that needs no tree."""

from dataclasses import dataclass

import numpy as np

from silva import notebook
from silva.data.table import Table, Target
from silva.ensemble.boost import Boosting, Stop
from silva.ensemble.boosted import Boosted, Votes, votes
from silva.inspect.forest_summary import baseline
from silva.inspect.summary import Comparison, depth, measured, rankable
from silva.notebook import ShownAsText


@dataclass(frozen=True, slots=True)
class BoostSummary(ShownAsText):
    """What a fit achieved. `leaves` and `depth` are those of the largest tree.

    In the comparisons `tree` is the composition. `held_out` is None without held-out rows, and
    `stopped` None unless boosting stopped before `n_estimators`.
    """

    trees: int
    leaves: int
    depth: int
    stopped: Stop | None
    training: Comparison
    held_out: Comparison | None = None

    def __str__(self) -> str:
        return notebook.printers["boost_summary"](self)


def summarise_boosting(
    boosted: Boosted, stopped: Stop | None, training: Comparison, held_out: Comparison | None
) -> BoostSummary:
    """The summary of a composition; visits every tree."""
    most = max(tree.n_leaves for tree in boosted.trees)
    deepest = max(map(depth, boosted.trees))
    return BoostSummary(len(boosted), most, deepest, stopped, training, held_out)


def on_training(boosting: Boosting, target: Target) -> Comparison:
    """Composition and baseline on the training rows of positive weight."""
    rows = np.arange(len(target.values))
    if target.weights is not None:
        rows = np.flatnonzero(target.weights > 0)
    known = target.take(rows)
    order = _order(boosting.margins[rows], known)
    return measured(known, boosting.codes[rows], baseline(target), order)


def _order(margins: np.ndarray, target: Target) -> np.ndarray | None:
    """Of two classes, numbers that order the rows as the votes do; the margins of more do not."""
    if target.classes is None or len(target.classes) != 2:
        return None
    second = np.where(target.values == 1, margins, -margins)
    return np.stack((-second, second), axis=1)


def on_held_out(
    boosted: Boosted, training: Target, table: Table, target: Target, threads: int = 1
) -> Comparison:
    """Composition and baseline (the majority class of training) on rows not used in training."""
    found = votes(boosted, table, threads)
    return measured(target, found.codes, baseline(training), _shares(found, target))


def _shares(found: Votes, target: Target) -> np.ndarray | None:
    """The probabilities that votes stand for."""
    return found.probabilities if rankable(len(found.by_class), target) else None
