"""Ordered columns of ranks: what they stand for, and each partition of the rows once."""

from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from silva.data.table import Table
from silva.grow.splits import ORDERED

BLOCK_CELLS = 1 << 17
"""Columns are looked at together as long as they have no more cells."""

Key = tuple[int, bool | None, frozenset[int]]
"""A column of the table, where its missing values are, and a set of its codes (or no set)."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """What an ordered column stands for: the thresholds of a column, or one set of its categories.

    `missing_first`: missing values have the lowest rank (False: the highest, None: there are
    none). `codes` are the members of the set, `MISSING_CODE` among them if missing values are;
    thresholds have none.
    """

    column: int
    missing_first: bool | None = None
    codes: frozenset[int] = frozenset()

    @property
    def is_set(self) -> bool:
        return bool(self.codes)

    @property
    def key(self) -> Key:
        return self.column, self.missing_first, self.codes


def _name(ranks: np.ndarray, levels: int) -> bytes:
    """What only equal ranks share: the bits of two ranks, a hash of others."""
    if levels == 2:
        return np.packbits(ranks.astype(bool)).tobytes()
    return blake2b(np.ascontiguousarray(ranks, dtype=np.int32).data, digest_size=16).digest()


class Pair(NamedTuple):
    """A column of two values: both, which rows have the upper one, and the name of its ranks."""

    lows: np.ndarray
    upper: np.ndarray
    name: bytes


class Pairs:
    """Finds ordered columns of two values, which need no sorting, many columns in one go."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._step = max(1, BLOCK_CELLS // table.n_rows)
        self._end = 0
        self._found: dict[int, Pair] = {}

    def of(self, number: int) -> Pair | None:
        """The column as a pair; None for another column. Numbers come in ascending order."""
        if number >= self._end:
            self._end = number + self._step
            columns = self._table.schema.columns[number : self._end]
            ordered = [number + i for i, column in enumerate(columns) if column.kind in ORDERED]
            self._found = self._pairs(ordered)
        return self._found.get(number)

    def _pairs(self, numbers: list[int]) -> dict[int, Pair]:
        values = np.stack([self._table.columns[number] for number in numbers])
        low, high = values.min(axis=1, keepdims=True), values.max(axis=1, keepdims=True)
        upper = values == high
        is_pair = (upper | (values == low)).all(axis=1)
        lows = np.concatenate((low, high), axis=1).astype(np.float64)
        is_pair &= (lows[:, 0] < lows[:, 1]) & (lows[:, 0] >= self._least(numbers))
        names = np.packbits(upper ^ upper[:, :1], axis=1)
        return {
            numbers[i]: Pair(lows[i], upper[i], names[i].tobytes())
            for i in np.flatnonzero(is_pair).tolist()
        }

    def _least(self, numbers: list[int]) -> np.ndarray:
        """The least known value: lower codes are missing values, and NaN is above nothing."""
        kinds = [self._table.schema.columns[number].kind for number in numbers]
        return np.array([-np.inf if kind == "continuous" else 0.0 for kind in kinds])


class Keeper:
    """Fills the table of ranks, and leaves out what is there already, in either direction."""

    def __init__(self, ranks: np.ndarray) -> None:
        self._ranks = ranks
        self._seen: dict[bytes, tuple[int, bool]] = {}
        self._columns: list[Ordered] = []
        self._levels: list[int] = []
        self.homes: dict[Key, tuple[int, bool]] = {}

    def add(self, ordered: Ordered, ranks: np.ndarray, levels: int) -> None:
        other = levels - 1 - ranks
        place = int(np.argmax(ranks != other))
        turned = bool(ranks[place] > other[place])
        self.add_named(ordered, ranks, levels, _name(other if turned else ranks, levels), turned)

    def add_named(
        self, ordered: Ordered, ranks: np.ndarray, levels: int, name: bytes, turned: bool
    ) -> None:
        """The same for ranks that have a name, equal for equal ones, that of the turned ones."""
        new = (len(self._columns), turned)
        home, turned_there = self._seen.setdefault(name, new)
        self.homes[ordered.key] = (home, turned != turned_there)
        if home == len(self._columns):
            self._ranks[home] = ranks
            self._columns.append(ordered)
            self._levels.append(levels)

    def kept(self) -> tuple[tuple[Ordered, ...], np.ndarray, np.ndarray]:
        count = len(self._columns)
        return tuple(self._columns), self._ranks[:count], np.array(self._levels, dtype=np.int32)
