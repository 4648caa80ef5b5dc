"""Out of bag: every row answered by the trees that did not see it, an honest look at new rows."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from silva.checks import refuse
from silva.data.table import Table, Target
from silva.ensemble.means import Sums
from silva.ensemble.plan import Metric
from silva.leaf import answers
from silva.messages import shown
from silva.tree import route
from silva.tree.tree import Tree

ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Oob:
    """Sums over the trees that did not see a row.

    `votes` counts these trees (int64), `total` adds their answers up: float64, (rows, classes) of
    class probabilities or votes, or (rows,) of numbers, and `lost` is what rounding took from it
    (see `means`). Rows of weight 0 are seen by no tree.
    """

    votes: np.ndarray
    total: np.ndarray
    lost: np.ndarray | float = 0.0

    @property
    def answers(self) -> np.ndarray:
        """The mean answer of each row; NaN for a row that every tree has seen."""
        votes = self.votes if self.total.ndim == 1 else self.votes[:, None]
        return self._sums.mean(votes)

    @property
    def codes(self) -> np.ndarray:
        """The likeliest class of each row (int64), the first of equals; -1 without an answer."""
        return np.where(self.votes > 0, self.answers.argmax(axis=1), -1)

    @property
    def confidence(self) -> np.ndarray:
        """The probability of each row's likeliest class (float64); NaN without an answer."""
        return np.asarray(self.answers.max(axis=1))

    @property
    def _sums(self) -> Sums:
        return Sums(self.total, np.broadcast_to(self.lost, self.total.shape))

    def __add__(self, told: "Told") -> "Oob":
        add = self._sums.plus_numbers if self.total.ndim == 1 else self._sums.plus_shares
        total, lost = add(told.answers)
        return Oob(self.votes + told.votes, total, lost)


class Told(NamedTuple):
    """What one tree says about the rows that it did not see: 0 for all others."""

    votes: np.ndarray
    answers: np.ndarray


class Curve(NamedTuple):
    """The out-of-bag score after so many trees: accuracy or R²; NaN while no row has an answer."""

    trees: np.ndarray
    score: np.ndarray


def nothing(target: Target, summed: bool = True) -> Oob:
    """The sums over no tree; for no row where nothing is to be summed up."""
    rows = len(target.values) if summed else 0
    shape = (rows,) if target.classes is None else (rows, len(target.classes))
    return Oob(np.zeros(rows, dtype=np.int64), np.zeros(shape))


def of_tree(tree: Tree, table: Table, counts: np.ndarray, combiner: str, threads: int = 1) -> Told:
    """What one tree says about the rows of count 0."""
    out = np.flatnonzero(counts == 0)
    part = table.take(out)
    nodes = route.leaves(tree, part, threads)
    if combiner == "mean":
        total = np.zeros(table.n_rows)
        total[out] = answers.predict_values(tree, nodes, part, threads)
    else:
        assert tree.classes is not None
        total = np.zeros((table.n_rows, len(tree.classes)))
        total[out] = tree_shares(tree, nodes, part, combiner, threads)
    return Told((counts == 0).astype(np.int64), total)


def tree_shares(
    tree: Tree, nodes: np.ndarray, table: Table, combiner: str, threads: int = 1
) -> np.ndarray:
    """What one tree adds to the votes of rows that end in `nodes`: float64 (rows, classes)."""
    if combiner == "soft":
        return answers.predict_shares(tree, nodes, table, threads)
    assert tree.classes is not None
    votes = np.zeros((len(nodes), len(tree.classes)))
    chosen = answers.predict_codes(tree, nodes, table, threads)
    votes[np.arange(len(nodes)), chosen] = 1.0
    return votes


def score(oob: Oob, target: Target, metric: Metric | None = None) -> float:
    """Accuracy or R² of the out-of-bag answers, rows weighted as in training; or `metric` of them.

    Rows without an answer and rows of weight 0 do not count; NaN if no row is left. `metric` sees
    labels or numbers, and no weights.
    """
    weights = np.ones(len(target.values)) if target.weights is None else target.weights
    rows = (oob.votes > 0) & (weights > 0)
    if not rows.any():
        return float("nan")
    if metric is not None:
        return _by_metric(metric, oob, target, rows)
    weights = weights[rows] / weights[rows].max()
    if target.classes is not None:
        return float(np.average(oob.codes[rows] == target.values[rows], weights=weights))
    return _r_squared(target.values[rows], oob.answers[rows], weights)


def _by_metric(metric: Metric, oob: Oob, target: Target, rows: np.ndarray) -> float:
    truth, answer = target.values[rows], oob.answers[rows]
    if target.classes is not None:
        truth, answer = target.classes.take(truth), target.classes.take(oob.codes[rows])
    found = metric(truth, answer)
    try:
        return float(found)
    except (TypeError, ValueError):
        allowed = "the function must return one number for true and predicted targets"
        refuse("oob_score", metric, allowed, f"It returned {shown(found)}.")


def _r_squared(truth: np.ndarray, answer: np.ndarray, weights: np.ndarray) -> float:
    """As scikit-learn has it: for a constant truth 1 if it is met (to rounding) and 0 if not.

    Targets also count as constant if the weights of all different ones vanish beside the others.
    """
    scale = np.abs(truth).max() or 1.0
    truth, answer = truth / scale, answer / scale
    whole = float(np.sum(weights * (truth - np.average(truth, weights=weights)) ** 2))
    if truth.min() == truth.max() or whole == 0.0:
        return 1.0 if np.abs(truth - answer)[weights > 0].max() <= ROUNDING else 0.0
    left = float(np.sum(weights * (truth - answer) ** 2))
    return 1.0 - left / whole
