"""Rules of leaves without the conditions that they do better without: C4.5's first step."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from silva.data.table import Table
from silva.inspect.rules.conditions import Condition, Interval, merged
from silva.inspect.rules.matching import holds
from silva.inspect.rules.source import Ends
from silva.prune.pessimistic import expected_errors

CONFIDENCE = 0.25
"""C4.5's confidence of the pessimistic error."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows with class codes and weights."""

    table: Table
    codes: np.ndarray
    weights: np.ndarray

    def errors(self, predicted: np.ndarray) -> float:
        return float(self.weights[self.codes != predicted].sum())


@dataclass(frozen=True, eq=False)
class Draft:
    """A rule in the making: conditions, class, the rows it covers, its pessimistic error rate."""

    conditions: tuple[Condition, ...]
    code: int
    node: int
    covered: np.ndarray
    rate: float


def generalised(ends: Ends, rows: Rows) -> list[Draft]:
    """The rules of the ends that have rows, each without the conditions that it does better
    without; equal ones once."""
    assert ends.codes is not None
    found: dict[tuple[frozenset[Condition], int], Draft] = {}
    for node, code in zip(ends.nodes.tolist(), ends.codes.tolist(), strict=True):
        draft = _generalised(ends, node, code, rows)
        if draft is not None:
            found.setdefault((frozenset(draft.conditions), code), draft)
    return list(found.values())


def _generalised(ends: Ends, node: int, code: int, rows: Rows) -> Draft | None:
    every = np.arange(rows.table.n_rows)
    parts = dict(enumerate(_tests(ends.conditions(node))))
    satisfied = [holds(part, rows.table, every) for part in parts.values()]
    lacking = Sole.of([~one for one in satisfied], len(every))
    wrong = np.where(rows.codes == code, 0.0, rows.weights)
    covered = lacking.times == 0
    weight, errors = float(rows.weights[covered].sum()), float(wrong[covered].sum())
    if weight == 0.0:
        return None
    rate = float(_rates(np.array([weight]), np.array([errors]))[0])
    while parts:
        weights, misses = weight + lacking.sums(rows.weights), errors + lacking.sums(wrong)
        rates = _rates(weights, misses)
        dropped = min(parts, key=lambda i: rates[i])
        if rates[dropped] > rate:
            break
        rate, weight, errors = (float(one[dropped]) for one in (rates, weights, misses))
        lacking.remove(dropped)
        del parts[dropped]
    conditions = merged(parts.values(), ends.tree.schema.columns)
    return Draft(conditions, code, node, lacking.times == 0, rate)


class Sole:
    """Sets of rows, and of each set the rows that no other set has."""

    def __init__(self, sets: list[np.ndarray], times: np.ndarray, numbers: np.ndarray) -> None:
        self._sets, self.times, self._numbers = sets, times, numbers

    @classmethod
    def of(cls, sets: list[np.ndarray], n_rows: int) -> Self:
        """`times` counts the sets of each row; the sum of their numbers is the number of a row's
        only set."""
        times, numbers = np.zeros(n_rows, dtype=np.int64), np.zeros(n_rows, dtype=np.int64)
        for number, one in enumerate(sets):
            times += one
            numbers += number * one
        return cls(sets, times, numbers)

    def sums(self, values: np.ndarray) -> np.ndarray:
        """The sum of values over the rows that each set has alone (float64)."""
        alone = self.times == 1
        return np.bincount(self._numbers[alone], values[alone], minlength=len(self._sets))

    def remove(self, number: int) -> None:
        self.times -= self._sets[number]
        self._numbers -= number * self._sets[number]


def _tests(conditions: Iterable[Condition]) -> Iterator[Condition]:
    return (part for one in conditions for part in _parts(one))


def _parts(condition: Condition) -> Iterator[Condition]:
    """The tests of a condition: both limits of an interval can go on their own."""
    if isinstance(condition, Interval) and None not in (condition.low, condition.high):
        yield replace(condition, high=None)
        yield replace(condition, low=None)
    else:
        yield condition


def _rates(weight: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """The pessimistic error rate of rules that cover this weight with these errors."""
    return np.asarray(expected_errors(weight, errors, CONFIDENCE) / weight)
