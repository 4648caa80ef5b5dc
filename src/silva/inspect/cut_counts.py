"""Which columns and cuts occur at which level of several trees, and where thresholds fall."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from silva.data.schema import Column
from silva.data.time_words import rounded
from silva.data.timescale import TimeScale
from silva.inspect.importance import column_uses
from silva.tree import stats, words
from silva.tree.splits import Split, Threshold, split_of
from silva.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class CutCount:
    """A cut, in the words of its first child's condition, and how many trees make it there.

    `words` state the exact rule; `short_words` list some of many levels, for reading.
    """

    level: int
    words: str
    trees: int
    short_words: str


@dataclass(frozen=True, eq=False)
class SplitPoints:
    """All thresholds of a column of numbers at a level, of all trees, ascending.

    Those of dates, durations and times of day are numbers on the scale `time`.
    """

    level: int
    column: str
    values: np.ndarray
    time: TimeScale | None = None

    @property
    def median(self) -> float:
        return float(np.median(self.values))

    @property
    def deviation(self) -> float:
        return float(self.values.std())

    @property
    def quartiles(self) -> tuple[float, float]:
        low, high = np.quantile(self.values, [0.25, 0.75])
        return float(low), float(high)

    def told(self, value: float) -> str:
        """A threshold, rounded for reading."""
        return f"{value:.4g}" if self.time is None else rounded(self.time, value)


@dataclass(frozen=True, eq=False)
class CutCounts:
    """`column_share[level, column]` is the share of trees that ask about the column there.

    `cuts` are ordered by level, then the most frequent first; `points` by level and column.
    """

    columns: tuple[str, ...]
    column_share: np.ndarray
    cuts: tuple[CutCount, ...]
    points: tuple[SplitPoints, ...]


def count_cuts(trees: Iterable[Tree], levels: int) -> CutCounts:
    """Counts over the first `levels` levels; a tree counts once, however often it asks there."""
    counter = CutCounter(levels)
    for tree in trees:
        counter.add(tree)
    return counter.counts()


class CutCounter:
    """Counts trees one after the other, of which it keeps none."""

    def __init__(self, levels: int) -> None:
        self.trees = 0
        self._levels = levels
        self._columns: Sequence[Column] = ()
        self._asked: Counter[tuple[int, int]] = Counter()
        self._cuts: Counter[tuple[int, str, str]] = Counter()
        self._points: defaultdict[tuple[int, int], list[float]] = defaultdict(list)

    def add(self, tree: Tree) -> None:
        """One tree more; all have the same columns."""
        self.trees += 1
        self._columns = tree.schema.columns
        depth = stats.depth(tree)
        nodes, used = column_uses(tree)
        upper = depth[nodes] < self._levels
        asked = zip(depth[nodes][upper].tolist(), used[upper].tolist(), strict=True)
        self._asked.update(set(asked))
        self._cuts.update(_cuts(tree, depth, self._levels, self._points))

    def counts(self) -> CutCounts:
        """What the trees so far ask."""
        columns = self._columns
        share = np.zeros((self._levels, len(columns)))
        for place, trees in self._asked.items():
            share[place] = trees / self.trees
        ordered = sorted(self._cuts.items(), key=lambda one: (one[0][0], -one[1], one[0][1]))
        return CutCounts(
            columns=tuple(column.name for column in columns),
            column_share=share,
            cuts=tuple(CutCount(level, told, n, short) for (level, told, short), n in ordered),
            points=tuple(
                SplitPoints(level, columns[one].name, np.sort(values), columns[one].time)
                for (level, one), values in sorted(self._points.items())
            ),
        )


def _cuts(
    tree: Tree, depth: np.ndarray, levels: int, points: defaultdict[tuple[int, int], list[float]]
) -> set[tuple[int, str, str]]:
    """The cuts of a tree by level; its thresholds of numbers are added to `points`."""
    found, columns = set(), tree.schema.columns
    for node in np.flatnonzero(~tree.is_leaf & (depth < levels)).tolist():
        split, level = split_of(tree, node), int(depth[node])
        assert split is not None
        exact, short = (
            words.conditions(split, columns, most)[0] for most in (None, words.MAX_LISTED)
        )
        found.add((level, exact, short))
        if _is_number_cut(split, columns):
            points[level, split.column].append(split.threshold)
    return found


def _is_number_cut(split: Split, columns: Sequence[Column]) -> TypeGuard[Threshold]:
    return (
        isinstance(split, Threshold)
        and columns[split.column].levels is None
        and not words.asks_missing(split)
    )
