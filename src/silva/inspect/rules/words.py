"""Conditions in words that state the exact rule, missing and unseen values included."""

from collections.abc import Iterable
from typing import assert_never

from silva.inspect.rules.conditions import Condition, Interval, Joint, Levels, bindable
from silva.inspect.rules.lexicon import Lexicon
from silva.tree import words
from silva.tree.numerals import Digits, plain_digits
from silva.tree.splits import Distance, Oblique

EVERYTHING = "all rows"


def conjunction(
    conditions: Iterable[Condition],
    lexicon: Lexicon,
    digits: Digits = None,
    most: int | None = None,
) -> str:
    """`30 <= area < 50 and (floor in {2, 3, 4} or missing)`.

    Missing values satisfy a condition only if it says "or missing", levels that training did not
    see only if it says "or unseen". Numbers are exact unless `digits` shortens them, lists whole
    unless `most` limits them.
    """
    listed = list(conditions)
    if len(listed) == 1:
        return condition_words(listed[0], lexicon, digits, most)
    told = [grouped(one, lexicon, digits, most) for one in listed]
    return " and ".join(told) if told else EVERYTHING


def grouped(
    condition: Condition, lexicon: Lexicon, digits: Digits = None, most: int | None = None
) -> str:
    """A condition as a part of a conjunction: in parentheses where it has alternatives."""
    told, guests = _parts(condition, lexicon, digits, most)
    return f"({' or '.join([told, *guests])})" if guests else told


def condition_words(
    condition: Condition, lexicon: Lexicon, digits: Digits = None, most: int | None = None
) -> str:
    """A condition that stands alone."""
    told, guests = _parts(condition, lexicon, digits, most)
    return " or ".join([told, *guests])


def _parts(
    condition: Condition, lexicon: Lexicon, digits: Digits, most: int | None
) -> tuple[str, list[str]]:
    match condition:
        case Interval():
            told = _interval(condition, lexicon, digits)
        case Levels():
            told = _levels(condition, lexicon, most)
        case Joint():
            told = _joint(condition, lexicon, digits, most)
        case _:
            assert_never(condition)
    possible = bindable(condition, lexicon.columns)
    guests = ["missing"] if possible.missing and not told.endswith(" is missing") else []
    if isinstance(possible, Levels) and possible.unseen and not told.endswith(" is unseen"):
        guests.append("unseen")
    return told, guests


def _interval(one: Interval, lexicon: Lexicon, digits: Digits) -> str:
    who, column = lexicon.names[one.column], lexicon.columns[one.column]
    if not one.known:
        return f"{who} is missing"
    low, high = (
        None if limit is None else words.quantity(column, limit, digits)
        for limit in (one.low, one.high)
    )
    return _between(who, low, high)


def _between(who: str, low: str | None, high: str | None) -> str:
    if low is not None and high is not None:
        return f"{low} <= {who} < {high}"
    if high is not None:
        return f"{who} < {high}"
    return f"{who} is known" if low is None else f"{who} >= {low}"


def _levels(one: Levels, lexicon: Lexicon, most: int | None) -> str:
    who, forms = lexicon.names[one.column], lexicon.levels(one.column)
    column = lexicon.columns[one.column]
    n_levels, codes = len(forms), sorted(one.codes)
    if not codes:
        return f"{who} is missing" if one.missing or not one.unseen else f"{who} is unseen"
    if len(codes) == n_levels:
        return f"{who} is known"
    if len(codes) == 1:
        return f"{who} = {_shown(forms[codes[0]], most)}"
    if column.kind == "ordinal" and codes[-1] - codes[0] == len(codes) - 1:
        low = None if codes[0] == 0 else forms[codes[0]]
        high = None if codes[-1] == n_levels - 1 else forms[codes[-1] + 1]
        return _between(who, low, high)
    others = [code for code in range(n_levels) if code not in one.codes]
    if len(others) == 1:
        return f"{who} != {_shown(forms[others[0]], most)}"
    shorter, sign = (others, "not in") if len(others) < len(codes) else (codes, "in")
    listed = words.listed(shorter, most, lambda code: _shown(forms[code], most))
    return f"{who} {sign} {{{listed}}}"


def _shown(form: str, most: int | None) -> str:
    return str(words.shortened(form, most))


def _measured(
    split: Oblique | Distance, lexicon: Lexicon, digits: int | None, most: int | None
) -> tuple[str, str]:
    """What a split of several columns compares, and with which number."""
    if isinstance(split, Distance):
        return words.measured(split, lexicon.columns, most, digits)
    terms = [lexicon.term(*pair) for pair in zip(split.columns, split.codes, strict=True)]
    parts = list(zip(split.weights, terms, strict=True))
    return words.weighted_sum(parts, most, digits), words.number(split.threshold, digits)


def _joint(one: Joint, lexicon: Lexicon, digits: Digits, most: int | None) -> str:
    what, limit = _measured(one.split, lexicon, plain_digits(digits), most)
    if one.below and one.above:
        return f"{what} is known"
    if one.below:
        return f"{what} < {limit}"
    return f"{what} >= {limit}" if one.above else f"{what} is missing"
