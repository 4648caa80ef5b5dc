"""Columns and classes: how they are called, what they hold, which colours they have."""

import math
from typing import Any

import numpy as np

from silva.data.column_facts import ColumnFacts
from silva.data.schema import Column, Level
from silva.inspect.drawing.palette import class_colours
from silva.inspect.importance import columns_used
from silva.inspect.record import plain
from silva.inspect.rules.lexicon import Lexicon
from silva.inspect.subject import Subject
from silva.tree import stats, words
from silva.tree.tree import Tree


def used_columns(trees: list[Tree]) -> set[int]:
    """The columns that splits or leaves of the trees take."""
    found: set[int] = set()
    for tree in trees:
        found |= set(columns_used(tree).tolist())
        found |= set() if tree.linear is None else set(tree.linear.column.tolist())
    return found


def columns(subject: Subject, lexicon: Lexicon, used: set[int]) -> list[dict[str, Any]]:
    """One record a column of the model, in the order of its schema.

    Levels of columns that no tree of the page asks about are left out: they may be names.
    """
    return [
        {
            "name": column.name,
            "form": lexicon.names[number],
            "plain": words.plain_name(column.name),
            **(_terms(column) if number in used else {}),
            "kind": column.kind,
            "used": number in used,
            "n_levels": column.n_levels,
            "levels": _levels(column, lexicon.levels(number)) if number in used else None,
            "missing": column.missing,
            "unseen": column.unseen,
            "lone_levels": column.lone_levels,
            "time": _time(column),
            **_facts(column, subject.facts, number),
        }
        for number, column in enumerate(subject.schema.columns)
    ]


def _levels(column: Column, forms: tuple[str, ...]) -> list[dict[str, Any]] | None:
    if column.levels is None:
        return None
    pairs = zip(column.levels, forms, strict=True)
    return [_level(level, form) for level, form in pairs]


def _level(level: Level, form: str) -> dict[str, Any]:
    """A level; `short` is how sums write it where lists are shortened, if that is not its form."""
    short = words.value(words.shortened(level, words.MAX_LISTED))
    found = {"text": str(level), "form": form, "value": plain(level)}
    return found if short == form else {**found, "short": short}


def _terms(column: Column) -> dict[str, str]:
    """What sums and distances take of the column, `short_term` where lists are shortened."""
    if column.kind == "categorical":
        return {}
    term, short = words.term(column), words.term(column, most=words.MAX_LISTED)
    return {"term": term} if short == term else {"term": term, "short_term": short}


def _time(column: Column) -> dict[str, Any] | None:
    scale = column.time
    if scale is None:
        return None
    return {
        "sort": scale.sort,
        "unit": scale.unit,
        "origin": str(scale.origin),
        "zone": scale.zone,
    }


def _facts(column: Column, facts: ColumnFacts | None, number: int) -> dict[str, Any]:
    if facts is None:
        return {"facts": None, "range": ""}
    named = ("low", "high", "mean", "deviation")
    found = {name: _number(float(getattr(facts, name)[number])) for name in named}
    ends = [end for end in (found["low"], found["high"]) if end is not None]
    told = dict.fromkeys(words.quantity(column, end) for end in ends)
    return {
        "facts": {**found, "missing": int(facts.missing[number])},
        "range": " to ".join(told) if column.levels is None else "",
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def classes(
    subject: Subject, lexicon: Lexicon, tree: Tree, are_hidden: bool = False
) -> list[dict[str, Any]] | None:
    """One record a class, in the order of the model's classes; None for regression.

    Colours go by frequency, unless the class counts of the root are hidden.
    """
    labels = subject.labels
    if labels is None:
        return None
    units = stats.node_class_units(tree, np.array([0]))[0] * (not are_hidden)
    colours = class_colours(np.argsort(-units, kind="stable").tolist(), len(labels))
    return [
        {
            "text": str(label),
            "form": form,
            "label": words.label(label),
            "value": plain(label),
            "colour": colour,
        }
        for label, form, colour in zip(labels, lexicon.classes, colours, strict=True)
    ]
