"""Every question that the exact search may ask, as ordered columns of ranks.

A test of an ordered column sends the rows whose rank is below a position to the left. Numbers,
ordinal and binary columns are one ordered column; with missing values two, which place these below
and above all others. A set of categories is an ordered column of two ranks, 0 for its members.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from silva.data.policies import are_missing
from silva.data.schema import MISSING_CODE, Column
from silva.data.table import Table
from silva.errors import PlanError
from silva.grow.splits import ORDERED
from silva.messages import counted
from silva.optimal.ordered import Keeper, Key, Ordered, Pairs
from silva.tree.splits import STOP, Split, Subset, Threshold

BYTES_A_RANK = 8
"""One rank (int32) of the table made here, and its copy in the core."""


@dataclass(frozen=True, slots=True)
class Forms:
    """Which questions are asked of single columns.

    `grids` has the only thresholds of some columns, ascending. Columns of `one_level` are asked for
    one category against the rest, however few these are.
    """

    grids: Mapping[int, Sequence[float]] = field(default_factory=dict)
    one_level: frozenset[int] = frozenset()

    def most_levels(self, number: int, max_subset_levels: int) -> int:
        """Up to how many categories the column is split by any set of them."""
        return 0 if number in self.one_level else max_subset_levels


NO_FORMS = Forms()


@dataclass(frozen=True, slots=True)
class Place:
    """A test, and which child of the split its left side is."""

    column: int
    position: int
    left_child: int


@dataclass(frozen=True, eq=False)
class Questions:
    """The ordered columns of a table, each partition of its rows once.

    `ranks` is int32 (ordered columns, rows), `levels` the number of ranks of each. `left_out`
    counts the thresholds that binning has left out. `lows` has the lowest value of each rank of
    known values, by column. Columns of many categories are in `one_against_rest`. `homes` has, for
    each ordered column that was made, the one that was kept with the same tests, and whether that
    counts its ranks from the other end. `grids` has the only thresholds of some columns.
    """

    table: Table
    columns: tuple[Ordered, ...]
    ranks: np.ndarray
    levels: np.ndarray
    left_out: int
    lows: dict[int, np.ndarray]
    one_against_rest: frozenset[int]
    homes: dict[Key, tuple[int, bool]]
    grids: Mapping[int, Sequence[float]] = field(default_factory=dict)

    def place_of(self, split: Split) -> Place | None:
        """The test that asks what a split asks; None if there is none."""
        match split:
            case Threshold():
                return self._of_threshold(split)
            case Subset():
                return self._of_set(split)
            case _:
                return None

    def binned(self) -> Table:
        """The table with the lowest value of its rank in place of each number."""
        columns = list(self.table.columns)
        for number, lows in self.lows.items():
            if self.table.schema.columns[number].kind == "continuous":
                columns[number] = _lowered(columns[number], lows)
        return replace(self.table, columns=tuple(columns))

    def _of_threshold(self, split: Threshold) -> Place | None:
        column, none = split.column, frozenset[int]()
        if split.missing_child not in (STOP, 0, 1) or column not in self.lows:
            return None
        below = int(np.searchsorted(self.lows[column], split.threshold, "left"))
        if (column, None, none) in self.homes:
            return self._place((column, None, none), below, 0)
        first = split.missing_child == 0
        return self._place((column, first, none), below + first, 0)

    def _of_set(self, split: Subset) -> Place | None:
        listed = frozenset(split.codes)
        if split.missing_child == 1:
            listed |= {MISSING_CODE}
        groups = frozenset(groups_of(self.table.columns[split.column]))
        for left_child, members in ((1, listed & groups), (0, groups - listed)):
            key = (split.column, None, members)
            if members and key in self.homes:
                return self._place(key, 1, left_child)
        return None

    def _place(self, key: Key, position: int, left_child: int) -> Place | None:
        if key not in self.homes:
            return None
        home, turned = self.homes[key]
        levels = int(self.levels[home])
        if not 1 <= position < levels:
            return None
        if turned:
            return Place(home, levels - position, 1 - left_child)
        return Place(home, position, left_child)


def questions_of(
    table: Table,
    weights: np.ndarray,
    max_bins: int | None,
    max_subset_levels: int,
    memory: int,
    forms: Forms = NO_FORMS,
) -> Questions:
    """The ordered columns of a table whose rows all have a weight, by which bins are equal.

    Raises PlanError where the ranks need more than `memory` bytes, and where missing values have a
    policy that leaves no direction to choose.
    """
    _check_policies(table)
    numbers = range(len(table.schema))
    most = {number: forms.most_levels(number, max_subset_levels) for number in numbers}
    count = sum(_n_ordered(table, number, most[number]) for number in numbers)
    _check_memory(count, table.n_rows, memory)
    keeper = Keeper(np.empty((count, table.n_rows), dtype=np.int32))
    pairs, left_out, lows = Pairs(table), 0, {}
    for number in numbers:
        grid = forms.grids.get(number)
        if table.schema.columns[number].kind not in ORDERED:
            _add_sets(keeper, table, number, most[number])
        elif grid is None and (pair := pairs.of(number)) is not None:
            lows[number] = pair.lows
            keeper.add_named(Ordered(number), pair.upper, 2, pair.name, bool(pair.upper[0]))
        else:
            distinct, lows[number], known = _ranked(table, number, weights, max_bins, grid)
            left_out += distinct - len(lows[number]) if grid is None else 0
            _add_thresholds(keeper, number, lows[number], known)
    columns, ranks, levels = keeper.kept()
    large = [
        number
        for number, column in enumerate(table.schema.columns)
        if column.kind not in ORDERED and not asks_all_sets(table.columns[number], most[number])
    ]
    facts = (left_out, lows, frozenset(large), keeper.homes, forms.grids)
    return Questions(table, columns, ranks, levels, *facts)


def groups_of(codes: np.ndarray) -> list[int]:
    """The codes that occur, missing values last."""
    found: list[int] = np.unique(codes).tolist()
    known = [code for code in found if code >= 0]
    return [*known, MISSING_CODE] if len(known) < len(found) else known


def asks_all_sets(codes: np.ndarray, max_subset_levels: int) -> bool:
    """Whether every set of categories is tried, not only one against the rest."""
    return len(groups_of(codes)) <= max_subset_levels


def _ranked(
    table: Table,
    number: int,
    weights: np.ndarray,
    max_bins: int | None,
    grid: Sequence[float] | None = None,
) -> tuple[int, np.ndarray, np.ndarray]:
    """How many values a column has, the lowest of each rank, and the ranks; -1 where missing."""
    values = table.columns[number]
    absent = are_missing(table.schema.columns[number], values)
    has_all = not absent.any()
    known = np.asarray(values if has_all else values[~absent], dtype=np.float64)
    lows, inverse = np.unique(known, return_inverse=True)
    distinct = len(lows)
    starts = None
    if grid is not None:
        starts = np.unique(np.searchsorted(grid, lows, "right"), return_index=True)[1]
    elif max_bins is not None and distinct - 1 > max_bins:
        starts = _bin_starts(np.bincount(inverse, weights[~absent]), max_bins)
    if starts is not None:
        inverse = np.searchsorted(starts, inverse, "right") - 1
        lows = lows[starts]
    if has_all:
        return distinct, lows, inverse.astype(np.int32)
    ranks = np.full(len(values), -1, dtype=np.int32)
    ranks[~absent] = inverse
    return distinct, lows, ranks


def _bin_starts(weights: np.ndarray, max_bins: int) -> np.ndarray:
    """The first value of each bin: cuts nearest to equal weights, at most `max_bins`."""
    ends = np.cumsum(weights)
    wanted = ends[-1] * np.arange(1, max_bins + 1) / (max_bins + 1)
    cuts = np.searchsorted(ends, wanted) + 1
    return np.unique(np.append(0, cuts[cuts < len(weights)]))


def _add_thresholds(keeper: Keeper, number: int, lows: np.ndarray, ranks: np.ndarray) -> None:
    absent = ranks < 0
    if not absent.any():
        if len(lows) > 1:
            keeper.add(Ordered(number), ranks, len(lows))
    elif len(lows):
        keeper.add(Ordered(number, missing_first=True), ranks + 1, len(lows) + 1)
        last = np.where(absent, len(lows), ranks)
        keeper.add(Ordered(number, missing_first=False), last, len(lows) + 1)


def _add_sets(keeper: Keeper, table: Table, number: int, max_subset_levels: int) -> None:
    codes = table.columns[number]
    groups = groups_of(codes)
    place = np.searchsorted(np.sort(groups), codes)
    order = np.sort(groups).tolist()
    for members in _sets(groups, max_subset_levels):
        inside = np.array([code in members for code in order])
        keeper.add(Ordered(number, codes=members), np.where(inside[place], 0, 1), 2)


def _sets(groups: list[int], max_subset_levels: int) -> Iterator[frozenset[int]]:
    """All sets but for complements, or one category against the rest and missing on both sides."""
    if len(groups) < 2:
        return
    if len(groups) <= max_subset_levels:
        for bits in range(1, 2 ** (len(groups) - 1)):
            yield frozenset(code for i, code in enumerate(groups) if bits >> i & 1)
        return
    yield from (frozenset({code}) for code in groups)
    if groups[-1] == MISSING_CODE:
        yield from (frozenset({code, MISSING_CODE}) for code in groups[:-1])


def _n_ordered(table: Table, number: int, max_subset_levels: int) -> int:
    column, values = table.schema.columns[number], table.columns[number]
    if column.kind in ORDERED:
        return 2 if _has_missing(column, values) else 1
    return sum(1 for _ in _sets(groups_of(values), max_subset_levels))


def _has_missing(column: Column, values: np.ndarray) -> bool:
    is_whole = column.kind == "continuous" and values.dtype.kind != "f"
    return not is_whole and bool(are_missing(column, values).any())


def _lowered(values: np.ndarray, lows: np.ndarray) -> np.ndarray:
    lowered = np.asarray(values, dtype=np.float64).copy()
    known = ~np.isnan(lowered)
    lowered[known] = lows[np.searchsorted(lows, lowered[known], "right") - 1]
    return lowered


def _check_policies(table: Table) -> None:
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        if column.missing != "learn" and _has_missing(column, values):
            raise PlanError(
                f"missing={column.missing!r} is not possible for column {column.name!r}: it has"
                " missing values, and the exact search tries both directions for them. Use"
                " missing='learn' (other policies are for columns without missing training values),"
                " or silva.TreeClassifier."
            )


def _check_memory(count: int, n_rows: int, memory: int) -> None:
    needed = count * n_rows * BYTES_A_RANK
    if needed > memory:
        raise PlanError(
            f"memory_limit={memory:,} bytes is too small: {counted(count, 'ordered column')} of"
            f" {n_rows:,} rows need {needed:,} bytes before the search begins. Raise memory_limit,"
            " drop columns (categories of many levels make one each), lower max_subset_levels, or"
            " give fewer rows."
        )
