"""Where answers lead: down the tree as far as they decide, and what can still be reached."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from silva.inspect.dialog.known import Knowledge, Known, Values, exact_value, lacks_value
from silva.inspect.dialog.source import Source
from silva.inspect.rules.conditions import OWN_BRANCH, Condition, Joint, is_empty, meet
from silva.inspect.rules.matching import outcomes
from silva.tree.splits import (
    STOP,
    Distance,
    Multiway,
    Oblique,
    Split,
    Subset,
    Threshold,
    columns_of,
)

ROOT = 0


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row stands: at a node, with a column to ask about, or at the end.

    `settled`: more questions could be asked, and all their answers have the same prediction.
    """

    node: int
    column: int | None = None
    settled: bool = False


def reached(source: Source, knowledge: Knowledge, node: int = ROOT) -> Place:
    """As far as the answers lead from a node."""
    while True:
        split = source.split(node)
        if split is None:
            return Place(node, _open_column(source, knowledge, source.terms(node)))
        child = decided(source, node, knowledge)
        if child is None and agreed(source, node, knowledge):
            return Place(node, settled=True)
        if child is None:
            return Place(node, _asked(source, split, knowledge))
        if child == STOP:
            return Place(node)
        node = source.child(node, child)


def decided(source: Source, node: int, knowledge: Knowledge) -> int | None:
    """The child that a row takes, or `STOP`; None if that is open."""
    split = source.split(node)
    if isinstance(split, Oblique | Distance):
        return _joint_child(source, split, knowledge)
    assert split is not None
    ways = _open_ways(source, node, split, knowledge)
    return ways[0][0] if len(ways) == 1 else None


def ends(source: Source, node: int, knowledge: Knowledge) -> Iterator[int]:
    """The nodes at which a row may still end: leaves, and inner nodes that stop it."""
    stack: list[tuple[int, Knowledge]] = [(node, knowledge)]
    while stack:
        node, knowledge = stack.pop()
        if source.split(node) is None:
            yield node
            continue
        for child, then_known in _next(source, node, knowledge):
            if child == STOP:
                yield node
            else:
                stack.append((source.child(node, child), then_known))


def agreed(source: Source, node: int, knowledge: Knowledge) -> bool:
    """Whether every end below a node that can be reached has the same prediction."""
    if source.tree.linear is not None:
        return False
    found: set[Any] = set()
    for end in ends(source, node, knowledge):
        found.add(source.constant(end))
        if len(found) > 1:
            return False
    return len(found) == 1


def _next(source: Source, node: int, knowledge: Knowledge) -> list[tuple[int, Knowledge]]:
    """Where a row may go from an inner node, with what is known about it there."""
    split = source.split(node)
    if isinstance(split, Oblique | Distance):
        child = _joint_child(source, split, knowledge)
        children = (0, 1, split.missing_child) if child is None else (child,)
        return [(one, knowledge) for one in dict.fromkeys(children)]
    assert split is not None
    ways = _open_ways(source, node, split, knowledge)
    return [(one, {**knowledge, split.column: known}) for one, known in ways]


def _open_ways(
    source: Source, node: int, split: Threshold | Subset | Multiway, knowledge: Knowledge
) -> list[tuple[int, Known]]:
    """Where the values that are possible lead, each with those that lead there."""
    known = source.known(knowledge, split.column)
    ways = ((child, narrowed(known.values, condition)) for child, condition in source.ways(node))
    found = [(child, Known(part, known.vague)) for child, part in ways if not is_empty(part)]
    return [(split.missing_child, known)] if known.vague and len(found) > 1 else found


def narrowed(values: Values, condition: Condition) -> Values:
    """The values that satisfy the condition too."""
    both = meet(values, condition)
    assert not isinstance(both, Joint)
    return both


def _joint_child(source: Source, split: Oblique | Distance, knowledge: Knowledge) -> int | None:
    """By the tree's own arithmetic once all values are known, or one is known to be missing."""
    parts = [source.known(knowledge, column) for column in columns_of(split)]
    if any(map(lacks_value, parts)):
        return split.missing_child
    if any(exact_value(part.values) is None for part in parts):
        return None
    question = replace(split, missing_child=OWN_BRANCH)
    outcome = int(outcomes(question, source.row(knowledge), np.array([0]))[0])
    return split.missing_child if outcome == OWN_BRANCH else outcome


def _asked(source: Source, split: Split, knowledge: Knowledge) -> int | None:
    if isinstance(split, Oblique | Distance):
        return _open_column(source, knowledge, list(columns_of(split)))
    return split.column


def _open_column(source: Source, knowledge: Knowledge, columns: list[int]) -> int | None:
    """The first column whose value is needed and open."""
    for column in columns:
        known = source.known(knowledge, column)
        if not lacks_value(known) and exact_value(known.values) is None:
            return column
    return None
