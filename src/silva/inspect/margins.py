"""How sure a boosted composition is of the right answers, and how that changes as it grows."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from silva.checks import is_whole, refuse
from silva.data.table import Target
from silva.ensemble.boosted import Boosted, staged
from silva.ensemble.engine import Rows
from silva.messages import counted
from silva.notebook import ShownAsText

SHOWN_STAGES = 4


@dataclass(frozen=True, eq=False)
class MarginCurve(ShownAsText):
    """The distribution of the margins of some rows, one line a stage.

    A row's margin is the share of votes for its class minus the largest share for another class:
    1 is unanimous and right, -1 unanimous and wrong, and at 0 or below the answer is wrong (or
    a draw). `trees` says how many trees have voted (int64). `margins` are ascending within a stage,
    and `shares` is the share of the rows (of their weight) with that margin or a smaller one: both
    float64 (stages, rows).
    """

    trees: np.ndarray
    margins: np.ndarray
    shares: np.ndarray

    @property
    def least(self) -> np.ndarray:
        """The smallest margin of each stage."""
        return np.asarray(self.margins[:, 0])

    @property
    def mean(self) -> np.ndarray:
        """The mean margin of each stage."""
        parts = np.diff(self.shares, axis=1, prepend=0.0)
        return np.asarray((self.margins * parts).sum(axis=1))

    def share_up_to(self, margin: float) -> np.ndarray:
        """The share of the rows with this margin or a smaller one, at each stage."""
        counts = (self.margins <= margin).sum(axis=1)
        padded = np.column_stack([np.zeros(len(counts)), self.shares])
        return np.asarray(np.take_along_axis(padded, counts[:, None], axis=1)[:, 0])

    def __str__(self) -> str:
        head = f"margins of {counted(self.margins.shape[1], 'row', 'rows')}:"
        lines = [head, f"  {'trees':>8}{'least':>10}{'mean':>10}{'0 or less':>12}"]
        figures = zip(self.trees, self.least, self.mean, self.share_up_to(0.0), strict=True)
        lines += [
            f"  {trees:>8,}{least:>10.4f}{mean:>10.4f}{wrong:>12.4f}"
            for trees, least, mean, wrong in figures
        ]
        return "\n".join(lines)


def margin_curve(
    boosted: Boosted, rows: Rows, target: Target, stages: Any = None, threads: int = 1
) -> MarginCurve:
    """The margins of these rows after so many trees (`stages`; None: a few, the last one too)."""
    numbers = _stages(stages, len(boosted))
    found = [
        distribution(votes.margins(target.values), target.weights)
        for number, votes in enumerate(staged(boosted, rows, threads), start=1)
        if number in numbers
    ]
    margins, shares = zip(*found, strict=True)
    return MarginCurve(np.array(numbers, dtype=np.int64), np.array(margins), np.array(shares))


def distribution(margins: np.ndarray, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The margins ascending, and the share of the weight up to each of them."""
    order = np.argsort(margins, kind="stable")
    parts = np.ones(len(order)) if weights is None else weights[order] / weights.max()
    sums = np.cumsum(parts)
    return margins[order], sums / sums[-1]


def _stages(stages: Any, n_trees: int) -> list[int]:
    if stages is None:
        steps = n_trees ** (np.arange(SHOWN_STAGES) / (SHOWN_STAGES - 1))
        return sorted({round(step) for step in steps.tolist()})
    given = list(stages) if isinstance(stages, Iterable) else [stages]
    for stage in given:
        if not is_whole(stage) or not 1 <= stage <= n_trees:
            refuse("stages", stage, f"use whole numbers of trees, from 1 to {n_trees}")
    if not given:
        refuse("stages", stages, f"give at least one number of trees, from 1 to {n_trees}")
    return sorted({int(stage) for stage in given})
