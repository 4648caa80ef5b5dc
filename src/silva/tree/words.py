"""The one labeller: splits of every kind as words that state the exact rule."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar, assert_never

from silva.data.schema import Column, Level
from silva.data.time_words import written
from silva.data.timescale import UNIT_WORDS
from silva.tree.numerals import Digits, Short, plain_digits
from silva.tree.splits import (
    STOP,
    VALUE,
    Distance,
    Multiway,
    Oblique,
    Split,
    Subset,
    Threshold,
    columns_of,
    has_own_branch,
)

_NEEDS_QUOTES = re.compile(r"^['\"\s]|\s$|[<>=]")
_LEVEL_NEEDS_QUOTES = re.compile(r"[,(){}\[\]'\"→]|->|\b(?:or|is) (?:missing|unseen|known)\b")
_PLAIN_TERM = re.compile(r"[\w.]+")

MAX_LISTED = 10
"""How many levels or terms of a condition people are shown, unless they ask for all."""
LONGEST_LEVEL = 40
"""How many characters of a level are shown where lists are shortened."""

Columns = Sequence[Column]
Item = TypeVar("Item")


def number(value: float, digits: int | None = None) -> str:
    """The shortest decimal that reads back as exactly this float64; whole numbers without `.0`.

    `digits` rounds to so many significant ones, for reading.
    """
    if digits is not None and math.isfinite(value):
        value = float(f"{value:.{digits}g}")
    return repr(value + 0.0).removesuffix(".0")


def prediction(value: float, digits: Digits = None) -> str:
    """A predicted number; in the short form whole numbers keep all digits."""
    if isinstance(digits, Short):
        return number(value, None if value.is_integer() else digits.digits)
    return number(value, digits)


def percent(share: float) -> str:
    """A share to a tenth of a percent; 0% and 100% are said only where they are exact."""
    if 0 < share < 0.0005:
        return "<0.1%"
    if 0.9995 <= share < 1:
        return ">99.9%"
    return f"{100 * share:.1f}".removesuffix(".0") + "%"


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


def label(value_of_class: Any) -> str:
    """A class beside a figure: a number needs the word, so that the two are not confused."""
    told = value(value_of_class)
    return told if isinstance(value_of_class, str | bool) else f"class {told}"


def shares(by_class: Sequence[tuple[Any, float]], most: int) -> str:
    """The largest classes with their shares, the others together: `yes 60%, no 40%`."""
    shown = by_class[: most if len(by_class) > most + 1 else len(by_class)]
    told = [f"{label(one)} {percent(share)}" for one, share in shown]
    if len(by_class) > len(shown):
        others = by_class[len(shown) :]
        told.append(f"{len(others)} others {percent(sum(share for _, share in others))}")
    return ", ".join(told)


def shortened(level: Level, most: int | None) -> Level:
    """The level, or the beginning of a long text; the level itself if `most` is None."""
    if most is None or not isinstance(level, str) or len(level) <= LONGEST_LEVEL:
        return level
    return f"{level[: LONGEST_LEVEL - 3]}..."


def quantity(column: Column, value: float, digits: Digits = None) -> str:
    """A number of a continuous column: of dates, durations or times of day, the exact time."""
    if column.time is not None and math.isfinite(value):
        return written(column.time, value)
    if isinstance(digits, Short):
        return number(digits.threshold(column.name, value))
    return number(value, digits)


def listed(
    items: Sequence[Item],
    most: int | None = None,
    tell: Callable[[Item], str] = str,
    between: str = ", ",
) -> str:
    """All items in words, or the first `most` and how many more there are."""
    shown = _first(items, most)
    told = between.join(map(tell, shown))
    return told if len(shown) == len(items) else f"{told} and {len(items) - len(shown)} more"


def plain_name(text: str) -> str:
    """The name of a column inside a sum or a distance: quoted unless it is one word."""
    return text if _PLAIN_TERM.fullmatch(text) else repr(text)


def term(column: Column, code: int = VALUE, most: int | None = None) -> str:
    """What a sum or a distance takes of a column: a number, or 1 where it has this level, else 0.

    The number of a binary column is 1 for its second level; that of an ordinal column is the
    place of the level, counted from 0, and is written `position(name)`. Dates, durations and times
    of day are counted in units from an origin (see `legend`), and written `days(name)`.
    """
    who = plain_name(column.name)
    if column.time is not None:
        return f"{UNIT_WORDS[column.time.unit]}({who})"
    if column.levels is None:
        return who
    if code == VALUE and column.kind != "binary":
        return f"position({who})"
    level = column.levels[1 if code == VALUE else code]
    return f"[{who} = {value(shortened(level, most))}]"


def weighted_sum(
    terms: Sequence[tuple[float, str]], most: int | None = None, digits: int | None = None
) -> str:
    """`0.5*age - 1.2*bmi`, in the order given; under `most` the rest is counted, not shown."""
    shown = _first(terms, most)
    text = ""
    for weight, who in shown:
        minus = math.copysign(1.0, weight) < 0
        joint = (" - " if minus else " + ") if text else ("-" if minus else "")
        alone = abs(weight) == 1.0 and len(terms) > 1
        text += joint + (who if alone else f"{number(abs(weight), digits)}*{who}")
    hidden = len(terms) - len(shown)
    return f"{text} + {hidden} more terms" if hidden else text


def edges(
    split: Split,
    columns: Columns,
    heavier: int,
    most: int | None = None,
    digits: Digits = None,
) -> tuple[str, ...]:
    """The condition of each child, in words, exact unless `most` shortens long lists and levels, or
    `digits` numbers.

    `heavier` is the child with more weight (the first of equals). A missing or unseen value is
    mentioned on the edge it takes only where that is another child: elsewhere it follows the
    weight, or stops (see `stops`). Splits that ask whether a value is missing mention it always.
    """
    words = list(conditions(split, columns, most, digits))
    guests = _guests(split, columns)
    for child in range(len(words)):
        taken = [guest for guest, taker in guests.items() if taker == child != heavier]
        words[child] = " or ".join([words[child], *taken])
    return tuple(words)


def stops(split: Split, columns: Columns) -> str:
    """Which values end at the node of the split: "missing", "unseen", both, or none of them."""
    return " or ".join(guest for guest, taker in _takers(split, columns).items() if taker == STOP)


def conditions(
    split: Split, columns: Columns, most: int | None = None, digits: Digits = None
) -> tuple[str, ...]:
    """The condition of each child for known values; for missing ones where that is the question."""
    words = [*_known_conditions(split, columns, most, digits)]
    if has_own_branch(split):
        names = [columns[one].name for one in columns_of(split)]
        words.append(f"{listed(names, most, name, ' or ')} is missing")
    if asks_missing(split):
        unseen = _takers(split, columns).get("unseen", STOP)
        if unseen != STOP:
            words[unseen] += " or unseen"
    return tuple(words)


def asks_missing(split: Split) -> bool:
    """Whether the split parts missing values from all known ones."""
    match split:
        case Threshold():
            return split.threshold == -math.inf and split.missing_child == 0
        case Subset():
            return not split.codes and split.missing_child == 1
        case Multiway() | Oblique() | Distance():
            return False
        case _:
            assert_never(split)


def _known_conditions(
    split: Split, columns: Columns, most: int | None, digits: Digits
) -> tuple[str, ...]:
    match split:
        case Threshold():
            column = _with_short_levels(columns[split.column], most)
            return _threshold_conditions(split, column, digits)
        case Subset():
            return _subset_conditions(split, columns[split.column], most)
        case Multiway(number_of_column, codes):
            return tuple(_one_of(columns[number_of_column], (code,), most) for code in codes)
        case Oblique() | Distance():
            return _below(*measured(split, columns, most, plain_digits(digits)))
        case _:
            assert_never(split)


def measured(
    split: Oblique | Distance, columns: Columns, most: int | None = None, digits: int | None = None
) -> tuple[str, str]:
    """What a split of several columns compares, and with which number."""
    if isinstance(split, Oblique):
        what = _oblique_sum(split, columns, most, digits)
    else:
        what = _distance(split, columns, most, digits)
    return what, number(split.threshold, digits)


def _guests(split: Split, columns: Columns) -> dict[str, int]:
    """Which child takes missing and unseen values, where `conditions` does not say so."""
    if asks_missing(split):
        return {}
    takers = _takers(split, columns)
    if has_own_branch(split):
        del takers["missing"]
    return takers


def _takers(split: Split, columns: Columns) -> dict[str, int]:
    """The child that takes missing values, and where levels are asked about, unseen ones."""
    coded = any(columns[one].levels is not None for one in columns_of(split))
    match split:
        case Threshold() | Subset() | Multiway():
            unseen = split.unseen_child
        case Oblique() | Distance():
            unseen = split.missing_child
        case _:
            assert_never(split)
    return {"missing": split.missing_child} | ({"unseen": unseen} if coded else {})


def _threshold_conditions(split: Threshold, column: Column, digits: Digits) -> tuple[str, str]:
    who = name(column.name)
    if asks_missing(split):
        return f"{who} is missing", f"{who} is known"
    if column.levels is None:
        return _below(who, quantity(column, split.threshold, digits))
    below = sum(code < split.threshold for code in range(column.n_levels))
    if column.kind == "binary" and below == 1:
        no, yes = map(value, column.levels)
        return f"{who} = {no}", f"{who} = {yes}"
    if below < column.n_levels:
        return f"{who} < {value(column.levels[below])}", f"{who} >= {value(column.levels[below])}"
    return f"{who} is any level", f"{who} is no level"


def _subset_conditions(split: Subset, column: Column, most: int | None) -> tuple[str, str]:
    who = name(column.name)
    if asks_missing(split):
        known = _one_of(column, split.rest, most) if split.rest else f"{who} is known"
        return known, f"{who} is missing"
    yes = _one_of(column, split.codes, most)
    if split.rest:
        return _one_of(column, split.rest, most), yes
    negated = "!=" if len(split.codes) == 1 else "not in"
    return f"{who} {negated} {_levels(column, split.codes, most)}", yes


def _one_of(column: Column, codes: Sequence[int], most: int | None) -> str:
    sign = "=" if len(codes) == 1 else "in"
    return f"{name(column.name)} {sign} {_levels(column, codes, most)}"


def _levels(column: Column, codes: Sequence[int], most: int | None) -> str:
    """One level bare, several in braces."""
    levels = column.levels or ()
    told = listed(codes, most, lambda code: value(shortened(levels[code], most)))
    return told if len(codes) == 1 else f"{{{told}}}"


def _with_short_levels(column: Column, most: int | None) -> Column:
    if most is None or column.levels is None:
        return column
    return replace(column, levels=tuple(shortened(level, most) for level in column.levels))


def _below(what: str, limit: str) -> tuple[str, str]:
    return f"{what} < {limit}", f"{what} >= {limit}"


def _oblique_sum(split: Oblique, columns: Columns, most: int | None, digits: int | None) -> str:
    parts = zip(split.columns, split.codes, strict=True)
    terms = [term(columns[one], code, most) for one, code in parts]
    return weighted_sum(list(zip(split.weights, terms, strict=True)), most, digits)


def _distance(split: Distance, columns: Columns, most: int | None, digits: int | None) -> str:
    """The metric, its point, and what values and point are multiplied by, if that is not 1."""
    point = [
        f"{term(columns[one], most=most)} {number(center, digits)}"
        for one, center in zip(split.columns, split.center, strict=True)
    ]
    told = f"{split.metric} distance to ({listed(point, most)})"
    if any(scale != 1.0 for scale in split.scale):
        told += f" scaled by ({listed(split.scale, most, lambda one: number(one, digits))})"
    if split.matrix:
        told += f" with matrix ({listed(_matrix_rows(split, digits), most)})"
    return told


def _matrix_rows(split: Distance, digits: int | None) -> list[str]:
    width = len(split.columns)
    cells = [number(cell, digits) for cell in split.matrix]
    return [f"({', '.join(cells[at : at + width])})" for at in range(0, len(cells), width)]


def _first(items: Sequence[Item], most: int | None) -> Sequence[Item]:
    """All items, or so many that the rest is worth counting: one more is shown, not counted."""
    return items if most is None or len(items) <= most + 1 else items[:most]
