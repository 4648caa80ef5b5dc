"""Bounds on the error of new rows from the training rows alone.

All hold with probability 1 - delta over the draw of m independent rows. An error is a share; a
value of 1 or more says nothing. What each assumes is told in `docs/bounds.md`.
"""

import math
from typing import NamedTuple

from silva.inspect.description import Cost, alphabet, symbol_bits
from silva.inspect.intervals import kl_at_most


class Size(NamedTuple):
    """What the bounds need to know of a classification tree and its training rows."""

    errors: int
    nodes: int
    rows: int
    columns: int
    classes: int


def textbook(size: Size, delta: float, n_tests: int | None = None) -> float:
    """errors / m + sqrt(((n + 1) log2(d + K + 1) + ln(2 / delta)) / (2 m)).

    For n nodes, K classes, and d tests that were fixed before the rows were seen: `n_tests`, or
    one for each column. (Bits stand where nats would do, as the textbook has it.)
    """
    symbols = alphabet(size.columns if n_tests is None else n_tests, size.classes)
    told = symbol_bits(size.nodes, symbols) + math.log(2.0 / delta)
    return size.errors / size.rows + math.sqrt(told / (2.0 * size.rows))


def compression(size: Size, cost: Cost, delta: float) -> float:
    """e / (m - r) + sqrt((B ln 2 + r ln m + ln(1 / delta)) / (2 (m - r))), at most 1.

    The tree is told by B bits and r named rows, so thresholds may come from the rows. The errors
    count on the m - r rows left over, as if none were among the named ones.
    """
    left = size.rows - cost.rows
    if left <= 0:
        return 1.0
    spread = math.sqrt(_nats(size, cost, delta) / (2.0 * left))
    return min(1.0, min(size.errors, left) / left + spread)


def compression_kl(size: Size, cost: Cost, delta: float) -> float:
    """The same with Chernoff's inequality in place of Hoeffding's: never larger.

    The largest p with kl(e / (m - r), p) <= (B ln 2 + r ln m + ln(1 / delta)) / (m - r).
    """
    left = size.rows - cost.rows
    if left <= 0:
        return 1.0
    return kl_at_most(min(size.errors, left) / left, _nats(size, cost, delta) / left)


def vapnik(size: Size, dimension: int, delta: float) -> float:
    """errors / m + sqrt(8 (V ln(2 e m / V) + ln(4 / delta)) / m) for the VC dimension V <= 2 m."""
    if dimension > 2 * size.rows:
        return math.inf
    growth = dimension * math.log(2.0 * math.e * size.rows / dimension)
    spread = math.sqrt(8.0 * (growth + math.log(4.0 / delta)) / size.rows)
    return size.errors / size.rows + spread


def _nats(size: Size, cost: Cost, delta: float) -> float:
    bits = symbol_bits(size.nodes, alphabet(size.columns, size.classes)) + cost.bits
    return bits * math.log(2.0) + cost.rows * math.log(size.rows) - math.log(delta)
