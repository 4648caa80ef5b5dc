"""Questions as people ask them, by names of columns and levels, and the splits they become."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, assert_never

import numpy as np

from silva.checks import is_real
from silva.data.columns import column_number
from silva.data.schema import Column, Schema
from silva.edit.limits import time_limit
from silva.errors import ModelFormatError, PlanError
from silva.messages import listed, nearest
from silva.tree import words
from silva.tree.builder import Moments, TreeBuilder
from silva.tree.splits import (
    STOP,
    Distance,
    Multiway,
    Oblique,
    Split,
    Subset,
    Threshold,
    columns_of,
    n_children_of,
)
from silva.tree.tree import Tree

ColumnKey = str | int
SPLITS = (Threshold, Subset, Multiway, Oblique, Distance)


@dataclass(frozen=True, slots=True)
class Below:
    """Is the value of a column below a limit? Yes goes to child 0, no to child 1.

    The limit of an ordinal or a yes/no column is one of its levels; that of a column of dates,
    durations or times of day is such a value, or the text that trees print for it.
    """

    column: ColumnKey
    limit: Any


@dataclass(frozen=True, slots=True)
class Among:
    """Is the value of a column with levels among these? No goes to child 0, yes to child 1."""

    column: ColumnKey
    levels: Iterable[Any]


@dataclass(frozen=True, slots=True)
class Each:
    """Which level has a column? A child for each, in the order of the column's levels.

    None: all of them. A level that is not among them is unseen at the node.
    """

    column: ColumnKey
    levels: Iterable[Any] | None = None


@dataclass(frozen=True, slots=True)
class Missing:
    """Is the value of a column missing? Yes goes to child 0, no to child 1.

    Of a categorical column the other way round, as with `Among`.
    """

    column: ColumnKey


Question = Below | Among | Each | Missing


def split_from(question: Question | Split, schema: Schema) -> Split:
    """The split that asks the question, checked against the columns.

    Missing and unseen values stop where the question leaves them open (see `resolve_missing`).
    PlanError names a column or level that does not exist, and what a split that was given whole
    lacks.
    """
    if isinstance(question, SPLITS):
        return _checked(question, schema)
    if not isinstance(question, Question):
        names = ", ".join(f"edit.{one.__name__}" for one in (Below, Among, Each, Missing))
        raise PlanError(f"split={question!r} is not possible: use {names}, or a split of a tree.")
    number = column_number(question.column, schema.names, "split", PlanError)
    return _checked(_split(question, number, schema.columns[number]), schema)


def is_open(question: Question | Split) -> bool:
    """Whether the question leaves open where missing and unseen values go."""
    return isinstance(question, Below | Among | Each)


def resolve_missing(split: Split, heaviest: int) -> Split:
    """The split in which values that would stop go to a child."""
    takers = [field.name for field in fields(split) if field.name.endswith("_child")]
    stops = [name for name in takers if getattr(split, name) == STOP]
    taken: dict[str, Any] = dict.fromkeys(stops, heaviest)
    return replace(split, **taken)


def asking(tree: Tree, split: Split) -> Tree:
    """A tree of one split and its leaves, with the columns of `tree`; its counts mean nothing."""
    build = TreeBuilder(tree.schema, tree.task, tree.classes, tree.criterion)
    return _one_split(build, split, Moments(1, 0, 0, 0.0) if tree.classes is None else {0: 1})


def told(split: Split, schema: Schema, max_listed: int | None = words.MAX_LISTED) -> str:
    """The question of a split in a few words; None lists all levels."""
    conditions = words.conditions(split, schema.columns, max_listed)
    match split:
        case Subset():
            return conditions[1]
        case Multiway():
            return words.listed(conditions, max_listed, between=" | ")
        case Threshold() | Oblique() | Distance():
            return conditions[0]
        case _:
            assert_never(split)


def _one_split(build: TreeBuilder, split: Split, stats: Mapping[int, int] | Moments) -> Tree:
    root = build.add_split(None, 0, split)
    for child in range(n_children_of(split)):
        build.add_leaf(root, child, 1, stats)
    return build.finish()


def _split(question: Question, number: int, column: Column) -> Split:
    match question:
        case Below(limit=limit):
            return Threshold(number, _limit(limit, column), STOP, STOP)
        case Among(levels=levels):
            return Subset(number, tuple(sorted(_codes(levels, column))), (), STOP, STOP)
        case Each(levels=levels):
            codes = range(column.n_levels) if levels is None else _codes(levels, column)
            return Multiway(number, tuple(sorted(codes)), STOP, STOP)
        case Missing():
            if column.kind == "categorical":
                return Subset(number, (), (), 1, 0)
            return Threshold(number, -np.inf, 0, 1)
        case _:
            assert_never(question)


def _limit(limit: Any, column: Column) -> float:
    if column.kind == "categorical":
        raise PlanError(
            f"split: column {column.name!r} has categories without an order; ask"
            f" edit.Among({column.name!r}, [...]) instead."
        )
    if column.levels is not None:
        return float(_codes([limit], column)[0])
    if column.time is not None:
        return time_limit(limit, column.name, column.time)
    if not is_real(limit) or np.isnan(limit):
        raise PlanError(
            f"split: column {column.name!r} takes a number as its limit, not {limit!r}."
        )
    return float(limit)


def _codes(levels: Iterable[Any], column: Column) -> list[int]:
    if column.levels is None:
        raise PlanError(
            f"split: column {column.name!r} has numbers, not levels; ask"
            f" edit.Below({column.name!r}, limit) instead."
        )
    if isinstance(levels, str):
        raise PlanError(f"split: give a list of levels, such as [{levels!r}], not {levels!r}.")
    chosen = list(levels)
    codes = [_code(level, column.levels, column.name) for level in chosen]
    if len(set(codes)) < len(codes) or not codes:
        raise PlanError(f"split: {chosen!r} must name some levels of {column.name!r}, each once.")
    return codes


def _code(level: Any, levels: tuple[Any, ...], name: str) -> int:
    plain = level.item() if hasattr(level, "item") else level
    if plain in levels:
        return levels.index(plain)
    near = nearest(plain, [one for one in levels if isinstance(one, str)])
    hint = f"did you mean {near!r}?" if near else f"it has {listed(levels)}"
    raise PlanError(f"split: {plain!r} is not a level of column {name!r}; {hint}.")


def _checked(split: Split, schema: Schema) -> Split:
    for column in columns_of(split):
        column_number(column, schema.names, "split", PlanError)
    try:
        _one_split(TreeBuilder(schema, "regression"), split, Moments(1, 0, 0, 0.0))
    except ModelFormatError as error:
        raise PlanError(f"split={split!r} is not possible: {error}") from error
    return split
