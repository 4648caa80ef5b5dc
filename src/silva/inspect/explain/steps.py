"""The path of one row through one tree: what was asked, what the row has, what it changed."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from silva.data.time_words import as_text
from silva.inspect.explain.contributions import BEYOND_FLOATS, node_values
from silva.inspect.explain.measures import measure
from silva.inspect.explain.records import ByClass, Measure, Sent, State, Step, Value
from silva.inspect.explain.values import Row
from silva.inspect.paths import paths
from silva.inspect.rules.conditions import taken
from silva.inspect.rules.lexicon import Lexicon
from silva.inspect.rules.words import condition_words
from silva.tree import stats, words
from silva.tree.lazy import lazy
from silva.tree.splits import (
    STOP,
    Distance,
    Multiway,
    Oblique,
    Split,
    Subset,
    Threshold,
    columns_of,
    has_own_branch,
    split_of,
)
from silva.tree.tree import Tree

READ_DIGITS = 6
"""Significant digits of numbers that are computed for reading."""

_REASONS: dict[Sent, str] = {
    "larger branch": "follow the larger branch here",
    "learned": "take this branch, as learned in training",
    "own branch": "have a branch of their own here",
    "with missing": "go with the missing ones here",
    "elsewhere": "take this branch",
    "stops": "stop here, with the prediction of this node",
}


class Walk:
    """The steps of rows through a tree. `facts` are those of its training columns, or None."""

    def __init__(self, tree: Tree, lexicon: Lexicon, facts: Any, digits: int | None) -> None:
        self._tree, self._lexicon, self._digits = tree, lexicon, digits
        self._deviation = None if facts is None else facts.deviation

    @lazy
    def _weight(self) -> np.ndarray:
        return stats.node_weight_units(self._tree)

    def steps(self, row: Row, end: int) -> tuple[Step, ...]:
        """Those of a row that ends at this node, the root's first."""
        passed = paths(self._tree, np.array([end]))[1]
        values = node_values(self._tree, passed)
        found = []
        for place, (node, child) in enumerate(pairwise(passed.tolist())):
            answers = values[place : place + 2]
            found.append(self._step(row, node, child, answers))
        if not self._tree.is_leaf[end]:
            found.append(self._step(row, end, None, values[[-1, -1]]))
        return tuple(found)

    def _step(self, row: Row, node: int, child: int | None, answers: np.ndarray) -> Step:
        split = split_of(self._tree, node)
        assert split is not None
        children = self._children(node)
        branch = STOP if child is None else children.index(child)
        measured = measure(split, row) if isinstance(split, Oblique | Distance) else None
        state = _state(split, row, measured)
        sent = None if state == "known" else self._sent(split, branch, children, state)
        condition = taken(split, branch, self._tree.schema.columns)
        short, whole = (
            condition_words(condition, self._lexicon, self._digits, most)
            for most in (words.MAX_LISTED, None)
        )
        distance = _distance(split, row, measured) if state == "known" else None
        spreads = self._spreads(split, distance)
        return Step(
            node=node,
            child=child,
            condition=whole,
            short_condition=short,
            values=tuple(map(row.value, columns_of(split))),
            sent=sent,
            reason="" if sent is None else _reason(split, row, state, sent),
            distance=distance,
            spreads=spreads,
            nearness=self._nearness(split, distance, spreads),
            measure=measured,
            **self._answers(*answers),
        )

    def _children(self, node: int) -> list[int]:
        start = self._tree.child_start
        found: list[int] = self._tree.child[start[node] : start[node + 1]].tolist()
        return found

    def _sent(
        self, split: Split, branch: int, children: Sequence[int], state: State
    ) -> Sent | None:
        """By which rule the split sends a value that is not known; None if it asks just that."""
        if words.asks_missing(split):
            return "stops" if branch == STOP else None
        if branch == STOP:
            return "stops"
        if has_own_branch(split) and branch == split.missing_child:
            return "own branch" if state == "missing" else "with missing"
        if branch == int(np.argmax(self._weight[list(children)])):
            return "larger branch"
        if state == "unseen":
            return "with missing" if branch == split.missing_child else "elsewhere"
        policies = {self._tree.schema.columns[one].missing for one in columns_of(split)}
        return "learned" if "learn" in policies else "elsewhere"

    def _spreads(self, split: Split, distance: float | None) -> float | None:
        if distance is None or self._deviation is None or not isinstance(split, Threshold):
            return None
        deviation = float(self._deviation[split.column])
        return distance / deviation if deviation > 0.0 else None

    def _nearness(self, split: Split, distance: float | None, spreads: float | None) -> str:
        if distance is None:
            return ""
        told = words.number(distance, self._digits or READ_DIGITS)
        if isinstance(split, Threshold):
            time = self._tree.schema.columns[split.column].time
            if time is not None and math.isfinite(distance):
                told = as_text(round(Fraction(distance) * time.length), "duration")
        if spreads is None:
            return told
        count = words.number(spreads, 2)
        return f"{told} ({count} {'spread' if count == '1' else 'spreads'})"

    def _answers(self, before: np.ndarray, after: np.ndarray) -> dict[str, Any]:
        with np.errstate(**BEYOND_FLOATS):
            change = after - before
        if self._tree.classes is None:
            mean, contribution = float(after[0]), float(change[0])
            return {"shares": None, "mean": mean, "contribution": contribution}
        labels = self._tree.classes.tolist()
        shares, changes = by_class(labels, after), by_class(labels, change)
        return {"shares": shares, "mean": None, "contribution": changes}


def by_class(labels: Sequence[Any], numbers: np.ndarray) -> ByClass:
    return dict(zip(labels, numbers.tolist(), strict=True))


def _state(split: Split, row: Row, measured: Measure | None) -> State:
    """What the split takes the row's value for: a known level that it does not list is unseen."""
    match split:
        case Threshold():
            return row.state(split.column)
        case Subset() | Multiway():
            return _state_of_level(split, row)
        case Oblique() | Distance():
            assert measured is not None
            return "missing" if measured.value is None else "known"


def _state_of_level(split: Subset | Multiway, row: Row) -> State:
    state = row.state(split.column)
    if state != "known" or (isinstance(split, Subset) and not split.rest):
        return state
    listed = (*split.codes, *split.rest) if isinstance(split, Subset) else split.codes
    return "known" if int(row.raw(split.column)) in listed else "unseen"


def _reason(split: Split, row: Row, state: State, sent: Sent) -> str:
    """Which value is not known, and what the tree does about it: one sentence without its stop."""
    values = [row.value(one) for one in columns_of(split)]
    unknown = [value for value in values if value.state != "known"]
    if not isinstance(split, Oblique | Distance):
        return f"{_unknown(values[0])}; {state} values {_REASONS[sent]}"
    lacks = words.listed(unknown, words.MAX_LISTED, _unknown)
    told = lacks or "the result is not a finite number, which counts as missing"
    return f"{told}; rows that lack a value {_REASONS[sent]}"


def _unknown(value: Value) -> str:
    who = words.name(value.column)
    if value.state == "missing":
        return f"{who} is missing"
    if value.state == "unseen":
        return f"{who} is a level that training did not see"
    return f"{who} is {value.words}, which this split does not list and takes for unseen"


def _distance(split: Split, row: Row, measured: Measure | None) -> float | None:
    """How far the row's number is from the threshold; None for levels and "is it missing?"."""
    if measured is not None:
        assert measured.value is not None
        return abs(measured.value - measured.threshold)
    if not isinstance(split, Threshold) or not math.isfinite(split.threshold):
        return None
    if row.table.schema.columns[split.column].levels is not None:
        return None
    return abs(row.raw(split.column) - split.threshold)
