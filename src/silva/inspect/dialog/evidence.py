"""The training rows behind a prediction: how many, what they say, how sure that is."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from silva.inspect.dialog.source import Source
from silva.inspect.intervals import SMALL_SAMPLE, student, wilson
from silva.messages import counted
from silva.tree import moments, words
from silva.tree.numerals import SHOWN_DIGITS
from silva.tree.tree import ClassStats, MomentStats

MOST_SHARES = 5


@dataclass(frozen=True, slots=True)
class Evidence:
    """Training rows, with the share of each class that occurs (largest first), or the mean.

    `interval` holds the true share of the predicted class, or the true mean, with 95% confidence
    for rows that did not choose the leaves: Wilson's, or Student's. None if one row is all.
    """

    rows: int
    shares: tuple[tuple[Any, float], ...] = ()
    mean: float | None = None
    deviation: float | None = None
    interval: tuple[float, float] | None = None

    @property
    def is_small(self) -> bool:
        return self.rows < SMALL_SAMPLE


def leaves_below(source: Source, nodes: Iterable[int]) -> np.ndarray:
    """The numbers of the leaves at or below any of the nodes, ascending."""
    first, last = source.leaf_range
    chosen = np.zeros(source.tree.n_leaves, dtype=bool)
    for node in nodes:
        chosen[first[node] : last[node]] = True
    return np.flatnonzero(chosen)


def evidence_of(source: Source, leaves: np.ndarray, predicted: int | None = None) -> Evidence:
    """The training rows of these leaves; `predicted` is a class code, for the interval."""
    rows = int(source.tree.leaf_rows[leaves].sum())
    if source.labels is None:
        return _of_numbers(source, leaves, rows)
    share = _class_shares(source, leaves)
    order = [code for code in np.argsort(-share, kind="stable").tolist() if share[code] > 0]
    pairs = tuple((source.labels[code], float(share[code])) for code in order)
    interval = None
    if predicted is not None:
        low, high = wilson(np.array([share[predicted] * rows]), np.array([rows]))
        interval = float(low[0]), float(high[0])
    return Evidence(rows, pairs, interval=interval)


def _class_shares(source: Source, leaves: np.ndarray) -> np.ndarray:
    """The share of each class in the weight of the leaves, by the entries that they store."""
    stats = source.tree.leaf_stats
    assert isinstance(stats, ClassStats)
    chosen = np.zeros(source.tree.n_leaves, dtype=bool)
    chosen[leaves] = True
    entries = np.repeat(chosen, np.diff(stats.start))
    n_classes = len(source.labels or ())
    weight = np.bincount(stats.code[entries], stats.weight[entries], n_classes)
    share: np.ndarray = weight / weight.sum()
    return share


def _of_numbers(source: Source, leaves: np.ndarray, rows: int) -> Evidence:
    stats = source.tree.leaf_stats
    assert isinstance(stats, MomentStats)
    total, squares = (
        sum(moments.to_integers(part[leaves])) for part in (stats.sum, stats.sum_of_squares)
    )
    weight = sum(stats.weight[leaves].tolist())
    mean = moments.mean(total, weight, stats.center, stats.target_unit)
    if len(leaves) == 1:
        mean = float(stats.value[leaves[0]])
    deviation = moments.deviation(total, squares, weight, stats.target_unit)
    if rows < 2:
        return Evidence(rows, mean=mean, deviation=deviation)
    with np.errstate(over="ignore"):
        low, high = student(np.array([mean]), np.array([deviation]), np.array([rows]))
    return Evidence(rows, (), mean, deviation, (float(low[0]), float(high[0])))


def evidence_words(evidence: Evidence, source: Source) -> str:
    """`3 training rows: no 66.7%, yes 33.3%`."""
    size = counted(evidence.rows, "training row")
    if evidence.mean is None:
        return f"{size}: {words.shares(evidence.shares, MOST_SHARES)}"
    mean, deviation = (
        words.number(value, source.digits or SHOWN_DIGITS)
        for value in (evidence.mean, evidence.deviation or 0.0)
    )
    return f"{size}: mean {mean}, deviation {deviation}"
