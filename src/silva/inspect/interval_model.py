"""Prediction intervals of a regression forest: quantile forests, and errors out of bag.

`oob` (Zhang, Zimmerman, Nettleton and Nordman, "Random forest prediction intervals", The American
Statistician 74, 2020): every training row has an error, its target less the answer of the trees
that did not see it. The interval is the forest's answer plus the lower and upper quantile of these
errors. Assumes that rows are drawn alike (exchangeable), and that errors are spread alike wherever
a row lies; where they are not, coverage is right on average only: too much at quiet rows, too
little at noisy ones. With few trees out-of-bag answers are those of a smaller forest, which makes
intervals a little wide.

`quantile` (Meinshausen 2006, see `leaf_rows`): quantiles of the training targets, weighted by how
often they share a leaf with the row. The width follows the noise at the row. Assumes that a leaf's
rows have nearly the same distribution of targets: leaves that are large or cut badly widen it. No
quantile lies beyond the training targets.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from silva.checks import check_choice, is_real, refuse
from silva.data.bind import bind_prediction
from silva.data.table import Table
from silva.ensemble import combine
from silva.ensemble.forest import Forest
from silva.errors import DataError
from silva.inspect.bags import Bags, out_of_bag, refuse_without_out_of_bag
from silva.inspect.leaf_rows import LeafRows, leaf_rows
from silva.messages import counted

METHODS = ("oob", "quantile")
ROUNDING = 1e-12
"""Sums of weights that miss a share by this part of it have reached it."""


@dataclass(frozen=True, eq=False)
class Errors:
    """Out-of-bag errors in ascending order, and the share of all weight up to each of them."""

    values: np.ndarray
    share: np.ndarray

    def quantile(self, q: float) -> float:
        """The least error that at least a share `q` of the rows does not exceed."""
        place = int(np.searchsorted(self.share, q * (1.0 - ROUNDING)))
        return float(self.values[min(place, len(self.values) - 1)])


class IntervalModel:
    """A regression forest and what its intervals need of its training rows.

    The forest itself keeps no rows. This holds on to the training table (the caller's own memory
    wherever it was borrowed); the errors out of bag (16 bytes a row) and the leaves of the training
    rows (5 bytes for each row that a tree saw, 8 for each node) are each made when first needed.
    """

    def __init__(self, bags: Bags) -> None:
        self._bags = bags
        self._targets = bags.target.values

    def predict_quantiles(self, X: Any, q: Any) -> np.ndarray:
        """Quantiles of the target at each row by the quantile forest: (n_samples, n_quantiles).

        A quantile is the least training target at which the weights reach the share `q`
        (0 <= q <= 1), which may be one number or several.
        """
        shares = _shares(q)
        table = self._bound(X)
        ordered = np.sort(self._targets)
        found = np.empty((table.n_rows, len(shares)))
        for part, weights in self.leaf_rows.blocks(table):
            running = np.cumsum(weights.data)
            base = np.concatenate(([0.0], running))[weights.indptr]
            for number, share in enumerate(shares):
                wanted = base[:-1] + share * (base[1:] - base[:-1]) * (1.0 - ROUNDING)
                place = np.searchsorted(running, wanted)
                place = np.clip(place, weights.indptr[:-1], weights.indptr[1:] - 1)
                found[part, number] = ordered[weights.indices[place]]
        return found

    def predict_interval(self, X: Any, coverage: float = 0.9, method: str = "oob") -> np.ndarray:
        """Lower and upper end of each row's interval: float64 (n_samples, 2).

        A new target lies in it with about the probability `coverage` (between 0 and 1), if what
        the method assumes holds; equal shares are left out below and above.
        """
        if not is_real(coverage) or not 0.0 < coverage < 1.0:
            refuse("coverage", coverage, "use a number between 0 and 1, such as 0.9")
        check_choice("method", method, METHODS)
        tail = (1.0 - float(coverage)) / 2.0
        if method == "quantile":
            return self.predict_quantiles(X, [tail, 1.0 - tail])
        ends = np.array([self.errors.quantile(tail), self.errors.quantile(1.0 - tail)])
        forest = self._bags.forest
        told = combine.values(forest, self._bound(X), self._bags.threads)
        largest = np.finfo(np.float64).max
        with np.errstate(over="ignore"):
            return np.asarray(np.clip(told[:, None] + ends, -largest, largest))

    @cached_property
    def errors(self) -> Errors:
        """The out-of-bag errors of the training rows; rows that every tree saw have none."""
        bags = self._bags
        refuse_without_out_of_bag(bags, "method='oob'")
        answered = out_of_bag(bags)
        weights = np.ones(bags.table.n_rows) if bags.weights is None else bags.weights
        rows = np.flatnonzero((answered.votes > 0) & (weights > 0))
        if not len(rows):
            raise DataError(
                "method='oob' is not possible: every tree has seen every row, so no error is"
                " known. Grow more trees, or let each see fewer rows (max_samples)."
            )
        with np.errstate(over="ignore"):
            errors = self._targets[rows] - answered.answers[rows]
        if not np.isfinite(errors).all():
            raise DataError(
                f"y has values up to {np.abs(self._targets).max():.3g}, and errors of the forest"
                " are beyond the range of float64: divide y by 10 and fit again."
            )
        order = np.argsort(errors, kind="stable")
        share = np.cumsum(weights[rows][order] / weights.max())
        return Errors(errors[order], share / share[-1])

    @cached_property
    def leaf_rows(self) -> LeafRows:
        """The training rows of every node, known by the order of their targets."""
        place = np.empty(len(self._targets), dtype=np.int64)
        place[np.argsort(self._targets, kind="stable")] = np.arange(len(self._targets))
        return leaf_rows(self._bags, place)

    @property
    def forest(self) -> Forest:
        return self._bags.forest

    def __repr__(self) -> str:
        trees = counted(len(self.forest), "tree")
        return f"IntervalModel({trees}, {counted(len(self._targets), 'training row')})"

    def _bound(self, X: Any) -> Table:
        return bind_prediction(X, self.forest.schema)


def _shares(q: Any) -> list[float]:
    shares = np.asarray(q).reshape(-1).tolist()
    for share in shares:
        if not is_real(share) or not 0.0 <= share <= 1.0:
            refuse("q", q, "use a share from 0 to 1, or several")
    if not shares:
        refuse("q", q, "use a share from 0 to 1, or several")
    return [float(share) for share in shares]
