"""The one labeller: splits of every kind as words that state the exact rule."""

import math
import re
from typing import Any, assert_never

from silva.data.schema import Column, Level
from silva.tree.splits import Split, Subset, Threshold

_NEEDS_QUOTES = re.compile(r"^['\"\s]|\s$|[<>=]")
_LEVEL_NEEDS_QUOTES = re.compile(r"[,()'\"]")


def number(value: float) -> str:
    """The shortest decimal that reads back as exactly this float64; whole numbers without `.0`."""
    return repr(value + 0.0).removesuffix(".0")


def name(text: str) -> str:
    """A column name as it is, or quoted where it would be unclear or break the line."""
    plain = text.isprintable() and text and not _NEEDS_QUOTES.search(text)
    return text if plain else repr(text)


def value(level: Level | Any) -> str:
    """A category or class: numbers exactly, strings bare unless they would be unclear."""
    plain_level = level.item() if hasattr(level, "item") else level
    if isinstance(plain_level, bool):
        return str(plain_level)
    if isinstance(plain_level, float):
        return number(plain_level)
    text = str(plain_level)
    return repr(text) if _LEVEL_NEEDS_QUOTES.search(text) else name(text)


def edges(split: Split, column: Column, heavier: int) -> tuple[str, ...]:
    """The condition of each child, in words.

    `heavier` is the child with more weight (the first of equals). A missing or unseen value is
    mentioned on the edge it takes only where that is another child: elsewhere it follows the
    weight. Splits that ask whether a value is missing always mention both.
    """
    words = list(conditions(split, column))
    guests = _guests(split, column)
    for child in range(len(words)):
        taken = [guest for guest, taker in guests.items() if taker == child != heavier]
        words[child] = " or ".join([words[child], *taken])
    return tuple(words)


def conditions(split: Split, column: Column) -> tuple[str, ...]:
    """The condition of each child for known values; for missing ones where that is the question."""
    match split:
        case Threshold() if asks_missing(split):
            unseen = "" if column.kind == "continuous" else " or unseen"
            return f"{name(column.name)} is missing{unseen}", f"{name(column.name)} is known"
        case Threshold(_, threshold, _):
            return _threshold_conditions(column, threshold)
        case Subset() if asks_missing(split):
            words = [f"{name(column.name)} is known", f"{name(column.name)} is missing"]
            words[split.unseen_child] += " or unseen"
            return tuple(words)
        case Subset(_, codes, _, _):
            return _subset_conditions(column, codes)
        case _:
            assert_never(split)


def asks_missing(split: Split) -> bool:
    """Whether the split parts missing values from all known ones."""
    match split:
        case Threshold(_, threshold, missing_child):
            return threshold == -math.inf and missing_child == 0
        case Subset(_, codes, missing_child, _):
            return not codes and missing_child == 1
        case _:
            assert_never(split)


def _guests(split: Split, column: Column) -> dict[str, int]:
    """Which child takes missing and unseen values, where `conditions` does not say so."""
    if asks_missing(split):
        return {}
    match split:
        case Threshold(_, _, missing_child) if column.kind == "continuous":
            return {"missing": missing_child}
        case Threshold(_, _, missing_child):
            return {"missing": missing_child, "unseen": missing_child}
        case Subset(_, _, missing_child, unseen_child):
            return {"missing": missing_child, "unseen": unseen_child}
        case _:
            assert_never(split)


def _threshold_conditions(column: Column, threshold: float) -> tuple[str, str]:
    who = name(column.name)
    if column.levels is None:
        return f"{who} < {number(threshold)}", f"{who} >= {number(threshold)}"
    below = sum(code < threshold for code in range(column.n_levels))
    if column.kind == "binary" and below == 1:
        no, yes = map(value, column.levels)
        return f"{who} = {no}", f"{who} = {yes}"
    if below < column.n_levels:
        return f"{who} < {value(column.levels[below])}", f"{who} >= {value(column.levels[below])}"
    return f"{who} is any level", f"{who} is no level"


def _subset_conditions(column: Column, codes: tuple[int, ...]) -> tuple[str, str]:
    who = name(column.name)
    levels = [value((column.levels or ())[code]) for code in codes]
    if len(levels) == 1:
        return f"{who} != {levels[0]}", f"{who} = {levels[0]}"
    listed = f"({', '.join(levels)})"
    return f"{who} not in {listed}", f"{who} in {listed}"
