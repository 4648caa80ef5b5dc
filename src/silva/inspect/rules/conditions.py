"""What a row must be like to take a branch: exact sets of values, one for each column.

The values of a column that lead to one child of a split are a set: an interval of numbers, or some
levels, with or without missing and unseen values. A path is the intersection of such sets, so a
node's condition on a column is one set, however often the path asks about the column. Splits of
several columns are kept as they are.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from silva.data.schema import Column
from silva.tree import stats
from silva.tree.splits import (
    STOP,
    Distance,
    Multiway,
    Oblique,
    Split,
    Subset,
    Threshold,
    split_of,
)
from silva.tree.tree import Tree

OWN_BRANCH = 2
"""The child of missing values of a split of several columns inside a `Joint`."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Values of a continuous column with `low <= value < high`; None is no limit.

    `known` is False where no known value belongs to the set; `missing`: missing values do.
    """

    column: int
    low: float | None = None
    high: float | None = None
    known: bool = True
    missing: bool = True


@dataclass(frozen=True, slots=True)
class Levels:
    """Some codes of a column with levels; `missing` and `unseen`: such values too."""

    column: int
    codes: frozenset[int]
    missing: bool = True
    unseen: bool = True


@dataclass(frozen=True, slots=True)
class Joint:
    """Outcomes of a split of several columns: its number is below the threshold, at least it, or
    missing because the row lacks a value.

    The split's `missing_child` is `OWN_BRANCH`, wherever the tree sends such rows: so conditions of
    the same question are equal.
    """

    split: Oblique | Distance
    below: bool = True
    above: bool = True
    missing: bool = True


Condition = Interval | Levels | Joint
Key = int | Oblique | Distance
"""What a condition is about: a column, or a question about several."""


def key_of(condition: Condition) -> Key:
    return condition.split if isinstance(condition, Joint) else condition.column


def taken(split: Split, child: int, columns: Sequence[Column]) -> Condition:
    """The rows that a split sends to this child, or with `STOP` those that end at its node.

    Values that the policy "error" refuses when rows are bound go nowhere.
    """
    return bindable(_taken(split, child, columns), columns)


def _taken(split: Split, child: int, columns: Sequence[Column]) -> Condition:
    match split:
        case Threshold():
            column = columns[split.column]
            if column.levels is None:
                return _side(split, child)
            below = frozenset(code for code in range(column.n_levels) if code < split.threshold)
            sides = (below, frozenset(range(column.n_levels)) - below)
            codes = sides[child] if child in (0, 1) else frozenset()
        case Subset() | Multiway():
            takers = enumerate(_children_of_codes(split, columns[split.column].n_levels))
            codes = frozenset(code for code, taker in takers if taker == child)
        case Oblique() | Distance():
            question = replace(split, missing_child=OWN_BRANCH)
            return Joint(question, child == 0, child == 1, split.missing_child == child)
        case _:
            assert_never(split)
    return Levels(split.column, codes, split.missing_child == child, split.unseen_child == child)


def _side(split: Threshold, child: int) -> Interval:
    missing = split.missing_child == child
    if child == 0:
        return _normal(Interval(split.column, None, split.threshold, True, missing))
    if child == 1:
        return _normal(Interval(split.column, split.threshold, None, True, missing))
    return Interval(split.column, known=False, missing=missing)


def _children_of_codes(split: Subset | Multiway, n_levels: int) -> list[int]:
    """The child of each known code."""
    if isinstance(split, Multiway):
        children = [split.unseen_child] * n_levels
        pairs = [(code, child) for child, code in enumerate(split.codes)]
    else:
        children = [split.unseen_child if split.rest else 0] * n_levels
        pairs = [(code, 0) for code in split.rest] + [(code, 1) for code in split.codes]
    for code, child in pairs:
        children[code] = child
    return children


def meet(one: Condition, other: Condition) -> Condition:
    """The rows that satisfy both conditions, which must be about the same."""
    missing = one.missing and other.missing
    match one, other:
        case Interval(), Interval():
            return _both(one, other)
        case Levels(), Levels():
            unseen = one.unseen and other.unseen
            return Levels(one.column, one.codes & other.codes, missing, unseen)
        case Joint(), Joint():
            sides = (one.below and other.below, one.above and other.above)
            return Joint(one.split, *sides, missing)
    raise TypeError(f"{one} and {other} are conditions on different things")


def _both(one: Interval, other: Interval) -> Interval:
    """The values in both intervals; `one` itself where it lies inside the other."""
    low, high = one.low, one.high
    if low is None or (other.low is not None and other.low > low):
        low = other.low
    if high is None or (other.high is not None and other.high < high):
        high = other.high
    missing = one.missing and other.missing
    empty = low is not None and high is not None and low >= high
    if empty or not (one.known and other.known):
        return Interval(one.column, known=False, missing=missing)
    same = low is one.low and high is one.high and missing is one.missing
    return one if same else Interval(one.column, low, high, True, missing)


def _normal(interval: Interval) -> Interval:
    """One way to write each set: no known values without limits, -infinity is no limit."""
    low, high = interval.low, interval.high
    low = None if low == float("-inf") else low
    empty = high == float("-inf") or (low is not None and high is not None and low >= high)
    if empty or not interval.known:
        return Interval(interval.column, known=False, missing=interval.missing)
    return interval if low is interval.low else replace(interval, low=low)


def is_empty(condition: Condition) -> bool:
    """Whether no row satisfies the condition."""
    match condition:
        case Interval():
            return not condition.known and not condition.missing
        case Levels():
            return not condition.codes and not condition.missing and not condition.unseen
        case Joint():
            return not (condition.below or condition.above or condition.missing)
        case _:
            assert_never(condition)


def is_everything(condition: Condition, columns: Sequence[Column]) -> bool:
    """Whether every row that can be bound satisfies the condition."""
    match condition:
        case Interval(column, low, high, known):
            missing = condition.missing or columns[column].missing == "error"
            return low is None and high is None and known and missing
        case Levels(column, codes):
            missing = condition.missing or columns[column].missing == "error"
            unseen = condition.unseen or columns[column].unseen == "error"
            return len(codes) == columns[column].n_levels and missing and unseen
        case Joint():
            return condition.below and condition.above and condition.missing
        case _:
            assert_never(condition)


def bindable(condition: Condition, columns: Sequence[Column]) -> Condition:
    """The condition without the values that the policy "error" refuses when rows are bound."""
    match condition:
        case Interval(column):
            missing = condition.missing and columns[column].missing != "error"
            return replace(condition, missing=missing)
        case Levels(column):
            missing = condition.missing and columns[column].missing != "error"
            unseen = condition.unseen and columns[column].unseen != "error"
            return replace(condition, missing=missing, unseen=unseen)
        case Joint():  # a sum that is not finite counts as missing, whatever the policies
            return condition
        case _:
            assert_never(condition)


def merged(conditions: Iterable[Condition], columns: Sequence[Column]) -> tuple[Condition, ...]:
    """The conditions, one for each column or question, in the order in which these first occur.

    What every row satisfies is left out.
    """
    found: dict[Key, Condition] = {}
    for condition in conditions:
        key = key_of(condition)
        found[key] = meet(found[key], condition) if key in found else condition
    return tuple(one for one in found.values() if not is_everything(one, columns))


class Regions:
    """The conditions of the nodes of a tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._columns = tree.schema.columns
        self._parent = stats.parent(tree).tolist()
        self._start, self._child = tree.child_start.tolist(), tree.child.tolist()
        self._taken: dict[int, Condition] = {}

    def of_node(self, node: int) -> tuple[Condition, ...]:
        """What rows must satisfy to reach the node, the first question first."""
        return merged(reversed(list(self._upwards(node))), self._columns)

    def of_stop(self, node: int) -> tuple[Condition, ...]:
        """What rows must satisfy to end at this inner node."""
        split = split_of(self.tree, node)
        assert split is not None
        above = reversed(list(self._upwards(node)))
        return merged([*above, taken(split, STOP, self._columns)], self._columns)

    def of_end(self, node: int) -> tuple[Condition, ...]:
        """What rows must satisfy to end at a leaf, or at an inner node that stops some."""
        return self.of_node(node) if self.tree.is_leaf[node] else self.of_stop(node)

    def _upwards(self, node: int) -> Iterator[Condition]:
        while node:
            if node not in self._taken:
                self._taken[node] = self._last(node)
            yield self._taken[node]
            node = self._parent[node]

    def _last(self, node: int) -> Condition:
        """What the split above the node asks of its rows."""
        above = self._parent[node]
        split = split_of(self.tree, above)
        assert split is not None
        children = self._child[self._start[above] : self._start[above + 1]]
        return taken(split, children.index(node), self._columns)


def ends(tree: Tree) -> list[int]:
    """The nodes at which rows can end, in ascending order.

    These are the leaves, and the inner nodes that stop rows with missing or unseen values. A path
    whose conditions contradict each other leads nowhere: what lies below it is left out.
    """
    found: list[int] = []
    columns, starts, child = tree.schema.columns, tree.child_start.tolist(), tree.child.tolist()
    stack: list[tuple[int, dict[Key, Condition]]] = [(0, {})]
    while stack:
        node, region = stack.pop()
        split = split_of(tree, node)
        if split is None:
            found.append(node)
            continue
        if _narrowed(region, taken(split, STOP, columns)) is not None:
            found.append(node)
        for number, below in enumerate(child[starts[node] : starts[node + 1]]):
            narrowed = _narrowed(region, taken(split, number, columns))
            if narrowed is not None:
                stack.append((below, narrowed))
    return sorted(found)


def _narrowed(region: dict[Key, Condition], condition: Condition) -> dict[Key, Condition] | None:
    """The region with one condition more; None if no row is left."""
    key = key_of(condition)
    both = meet(region[key], condition) if key in region else condition
    return None if is_empty(both) else {**region, key: both}
