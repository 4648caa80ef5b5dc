"""Conditions read back from their words: the inverse of `words.conjunction`."""

import re
from dataclasses import replace

from silva.data.schema import Column
from silva.errors import DataError
from silva.inspect.rules.conditions import (
    OWN_BRANCH,
    Condition,
    Interval,
    Joint,
    Levels,
    merged,
)
from silva.inspect.rules.scanner import Scanner
from silva.inspect.rules.words import EVERYTHING
from silva.tree.splits import METRICS, Distance, Oblique

_OPERATOR = re.compile(r" (< |>= |= |!= |in \{|not in \{|is (?:missing|known|unseen)(?!\w))")
_METRIC = re.compile(rf"({'|'.join(METRICS)}) distance to \(")


def parse_conditions(scanner: Scanner) -> tuple[Condition, ...]:
    """Read a conjunction, or "all rows"."""
    if scanner.take(EVERYTHING + " ->"):
        scanner.at -= len(" ->")
        return ()
    found = [_grouped(scanner)]
    while scanner.take(" and "):
        found.append(_grouped(scanner))
    return merged(found, scanner.lexicon.columns)


def _grouped(scanner: Scanner) -> Condition:
    """Read one condition, in parentheses or not, with its "or missing" and "or unseen"."""
    opened = scanner.take("(")
    condition = _condition(scanner)
    if scanner.take(" or missing"):
        condition = replace(condition, missing=True)
    if scanner.take(" or unseen"):
        if not isinstance(condition, Levels):
            scanner.refuse("no 'or unseen' after a condition on numbers")
        condition = replace(condition, unseen=True)
    if opened:
        scanner.expect(")")
    return condition


def _condition(scanner: Scanner) -> Condition:
    """Read what begins with a name, else what begins with a limit, else a sum or distance."""
    begin, names = scanner.at, scanner.lexicon.names
    here = [i for i, name in enumerate(names) if scanner.text.startswith(name, begin)]
    for column in sorted(here, key=lambda i: -len(names[i])):
        scanner.at = begin + len(names[column])
        operator = scanner.match(_OPERATOR)
        if operator is not None:
            return _compared(scanner, column, operator[1])
    scanner.at = begin
    between = _between(scanner)
    return _joint(scanner) if between is None else between


def _compared(scanner: Scanner, column: int, operator: str) -> Condition:
    facts = scanner.lexicon.columns[column]
    every = frozenset(range(facts.n_levels))
    match operator:
        case "is missing":
            return _none(column, facts, missing=True)
        case "is unseen":
            return _none(column, facts, unseen=True)
        case "is known":
            return _known(column, facts, every)
        case "< " | ">= " if facts.levels is None:
            limit = scanner.quantity(facts)
            low, high = (None, limit) if operator == "< " else (limit, None)
            return Interval(column, low, high, missing=False)
        case "< " | ">= ":
            code = scanner.level(column)
            below = frozenset(range(code))
            return _known(column, facts, below if operator == "< " else every - below)
    if facts.levels is None:
        scanner.refuse(f"a comparison of numbers for {scanner.lexicon.names[column]}")
    codes = {scanner.level(column)}
    if operator.endswith("{"):
        while scanner.take(", "):
            codes.add(scanner.level(column))
        scanner.expect("}")
    negated = operator.startswith(("!", "not"))
    return _known(column, facts, every - codes if negated else frozenset(codes))


def _known(column: int, facts: Column, codes: frozenset[int]) -> Condition:
    if facts.levels is None:
        return Interval(column, missing=False)
    return Levels(column, codes, missing=False, unseen=False)


def _none(column: int, facts: Column, missing: bool = False, unseen: bool = False) -> Condition:
    if facts.levels is None:
        return Interval(column, known=False, missing=missing)
    return Levels(column, frozenset(), missing, unseen)


def _between(scanner: Scanner) -> Condition | None:
    """Read `low <= name < high`; None if that is not what is here."""
    begin, lexicon = scanner.at, scanner.lexicon
    for column, name in enumerate(lexicon.names):
        middle = f" <= {name} < "
        place = scanner.text.find(middle, begin)
        if place < 0:
            continue
        try:
            low = _limit(scanner, column)
        except DataError:
            low = None
        if low is None or scanner.at != place:
            scanner.at = begin
            continue
        scanner.at = place + len(middle)
        high = _limit(scanner, column)
        facts = lexicon.columns[column]
        if facts.levels is None:
            return Interval(column, low, high, missing=False)
        return Levels(column, frozenset(range(int(low), int(high))), False, False)
    return None


def _limit(scanner: Scanner, column: int) -> float:
    facts = scanner.lexicon.columns[column]
    return scanner.quantity(facts) if facts.levels is None else scanner.level(column)


def _joint(scanner: Scanner) -> Joint:
    """Read a sum or a distance and which numbers of it are meant.

    Where all or no numbers are meant the text has no threshold, and any will do.
    """
    metric = scanner.match(_METRIC)
    split = _sum(scanner) if metric is None else _distance(scanner, metric[1])
    if scanner.take(" is missing"):
        return Joint(split, False, False, True)
    if scanner.take(" is known"):
        return Joint(split, True, True, False)
    below = scanner.take(" < ")
    if not below:
        scanner.expect(" >= ")
    return Joint(replace(split, threshold=scanner.number()), below, not below, False)


def _sum(scanner: Scanner) -> Oblique:
    columns, codes, weights = [], [], []
    sign = -1.0 if scanner.take("-") else 1.0
    while True:
        column, code, weight = _weighted_term(scanner)
        columns.append(column)
        codes.append(code)
        weights.append(sign * weight)
        if scanner.take(" + "):
            sign = 1.0
        elif scanner.take(" - "):
            sign = -1.0
        else:
            break
    return Oblique(tuple(columns), tuple(codes), tuple(weights), 0.0, OWN_BRANCH)


_WEIGHT = re.compile(r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\*")


def _weighted_term(scanner: Scanner) -> tuple[int, int, float]:
    weight = scanner.match(_WEIGHT)
    column, code = scanner.term()
    return column, code, 1.0 if weight is None else float(weight[1])


def _distance(scanner: Scanner, metric: str) -> Distance:
    columns, center = [], []
    while True:
        columns.append(scanner.term()[0])
        scanner.expect(" ")
        center.append(scanner.number())
        if not scanner.take(", "):
            break
    scanner.expect(")")
    scale = scanner.numbers() if scanner.take(" scaled by ") else (1.0,) * len(columns)
    matrix: tuple[float, ...] = ()
    if scanner.take(" with matrix ("):
        matrix = scanner.numbers()
        while scanner.take(", "):
            matrix += scanner.numbers()
        scanner.expect(")")
    return Distance(metric, tuple(columns), tuple(center), scale, matrix, 0.0, OWN_BRANCH)
