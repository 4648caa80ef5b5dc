"""What rows say about a rule: how many it covers, how often it is right, how sure that is."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from silva.data.table import Target
from silva.data.weights import weights_differ
from silva.inspect.intervals import student, wilson
from silva.messages import counted
from silva.tree import decision, stats
from silva.tree.lazy import lazy
from silva.tree.tree import Tree
from silva.tree.words import number, percent

DELTA = 0.05
"""What may go wrong with an interval: 1 - confidence."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The rows that a rule covers, among training rows or rows that were given.

    `rows` and `coverage` (a share of all rows) count rows; `weight` and `weighted_coverage` add up
    weights, sample weights times class weights. Classification: `precision` is the share of the
    covered rows that have the predicted class, `lift` that share over the class's share in all
    rows, `low` to `high` Wilson's 95% interval of the precision. Regression: `mean` and
    `deviation` of the targets, and Student's 95% interval of the mean. Where `weighted` is True,
    shares, means and deviations are by weight, and the interval takes the counted rows as the size
    of the sample; `counted_precision` is the share by count, None where only weights are known.
    What is not known, as without any row, is None.
    """

    source: str
    weighted: bool
    rows: int
    weight: float
    coverage: float
    weighted_coverage: float
    precision: float | None = None
    counted_precision: float | None = None
    lift: float | None = None
    mean: float | None = None
    deviation: float | None = None
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        told = [f"{counted(self.rows, 'row')} ({percent(self.coverage)} of all)"]
        if self.weighted:
            told.append(f"weight {self.weight:.6g} ({percent(self.weighted_coverage)})")
        kind = "weighted " if self.weighted else ""
        if self.precision is not None:
            told.append(f"{kind}precision {percent(self.precision)}{self._between(percent)}")
        if self.lift is not None:
            told.append(f"lift {self.lift:.3g}")
        if self.mean is not None:
            told.append(f"{kind}mean {self.mean:.6g}{self._between(lambda x: number(x, 6))}")
        return ", ".join(told)

    def _between(self, tell: Any) -> str:
        if self.low is None or self.high is None:
            return ""
        return f" (95% interval {tell(self.low)} to {tell(self.high)})"


@dataclass(frozen=True, eq=False)
class Figures:
    """The evidence of many rules in arrays, one entry a rule; `total` are all rows and weights.

    `share` and `base` are the precision and the class's share in all rows, NaN for regression,
    `mean` and `deviation` NaN for classification.
    """

    source: str
    weighted: bool
    rows: np.ndarray
    weight: np.ndarray
    total: tuple[int, float]
    share: np.ndarray
    base: np.ndarray
    counted_share: np.ndarray | None
    mean: np.ndarray
    deviation: np.ndarray

    @lazy
    def lift(self) -> np.ndarray:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.share / self.base)

    def at(self, place: int) -> Evidence:
        """The evidence of one rule."""
        rows, n_rows = int(self.rows[place]), max(1, self.total[0])
        weight = float(self.weight[place])
        low, high = (_known(limit[place]) for limit in self._intervals)
        counts = self.counted_share
        return Evidence(
            source=self.source,
            weighted=self.weighted,
            rows=rows,
            weight=weight,
            coverage=rows / n_rows,
            weighted_coverage=weight / (self.total[1] or 1.0),
            precision=_known(self.share[place]),
            counted_precision=None if counts is None else _known(counts[place]),
            lift=_known(self.lift[place]),
            mean=_known(self.mean[place]),
            deviation=_known(self.deviation[place]),
            low=low,
            high=high,
        )

    @lazy
    def _intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """The limits of all rules; infinite where nothing is known."""
        rows = self.rows
        if np.isnan(self.share).all():
            with np.errstate(over="ignore", invalid="ignore"):
                return student(self.mean, self.deviation, rows, DELTA)
        low, high = wilson(np.nan_to_num(self.share) * rows, rows, DELTA)
        none = rows == 0
        return np.where(none, -np.inf, low), np.where(none, np.inf, high)


def _known(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


def of_training(tree: Tree, nodes: np.ndarray) -> Figures:
    """What the tree knows of its training rows, for the rules of these leaves.

    Rows that stop at an inner node are counted by the leaves that training put them in: for a node
    that stops rows, the figures are those of all its training rows.
    """
    weight = stats.node_weight(tree)
    rows = stats.node_rows(tree)
    weighted = bool((rows != weight).any())
    share, base, mean, deviation = (np.full(len(nodes), np.nan) for _ in range(4))
    if tree.classes is None:
        mean = stats.node_mean(tree, nodes)
        deviation = stats.node_deviation(tree, nodes)
    else:
        codes = decision.node_codes(tree, nodes)
        share, base = _shares(tree, nodes, codes)
    return Figures(
        source="training",
        weighted=weighted,
        rows=rows[nodes],
        weight=weight[nodes],
        total=(int(rows[0]), float(weight[0])),
        share=share,
        base=base,
        counted_share=None if weighted else share,
        mean=mean,
        deviation=deviation,
    )


def _shares(tree: Tree, nodes: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The share of a class in each node and in the root."""
    share = np.empty(len(nodes))
    n_classes = 0 if tree.classes is None else len(tree.classes)
    for part in decision.parts(len(nodes), n_classes):
        units = stats.node_class_units(tree, nodes[part])
        own = np.take_along_axis(units, codes[part, None], axis=1)[:, 0]
        share[part] = own / units.sum(axis=1)
    root = stats.node_class_units(tree, np.array([0]))[0]
    return share, np.asarray(root[codes] / root.sum())


def of_rows(covered: list[np.ndarray], target: Target, codes: np.ndarray | None) -> Figures:
    """What rows with known targets say: `covered[i]` are the rows of rule i.

    `codes` are the classes that the rules predict, None for regression.
    """
    n_rows = len(target.values)
    weights = np.ones(n_rows) if target.weights is None else target.weights
    total = float(weights.sum())
    lines = [_line(rows, target.values, weights, i, codes) for i, rows in enumerate(covered)]
    rows, weight, share, counts, mean, deviation = np.array(lines).reshape(-1, 6).T
    base = np.full(len(covered), np.nan)
    if codes is not None:
        known = target.values >= 0
        by_class = np.bincount(
            target.values[known], weights[known], minlength=codes.max(initial=0) + 1
        )
        base = by_class[codes] / total
    weighted = weights_differ(target.weights)
    return Figures(
        "given",
        weighted,
        rows.astype(np.int64),
        weight,
        (n_rows, total),
        share,
        base,
        counts,
        mean,
        deviation,
    )


def _line(
    rows: np.ndarray, values: np.ndarray, weights: np.ndarray, rule: int, codes: np.ndarray | None
) -> tuple[float, ...]:
    own, weight = values[rows], float(weights[rows].sum())
    if not len(rows) or weight == 0.0:
        return len(rows), weight, np.nan, np.nan, np.nan, np.nan
    if codes is not None:
        right = own == codes[rule]
        share = float(weights[rows][right].sum()) / weight
        return len(rows), weight, share, float(right.mean()), np.nan, np.nan
    mean = float(np.average(own, weights=weights[rows]))
    spread = float(np.sqrt(np.average((own - mean) ** 2, weights=weights[rows])))
    return len(rows), weight, np.nan, np.nan, mean, spread
