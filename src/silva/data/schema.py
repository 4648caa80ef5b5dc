"""What the columns of a table are: names, kinds and category levels, without any data."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import eq
from typing import Any, Literal, NamedTuple

from silva.data.notation import Notation
from silva.data.timescale import TimeScale

Kind = Literal["continuous", "ordinal", "categorical", "binary"]
KINDS: tuple[Kind, ...] = ("continuous", "ordinal", "categorical", "binary")
KIND_NUMBER = {kind: number for number, kind in enumerate(KINDS)}
Level = str | int | float | bool
POLICIES = ("learn", "majority", "own_branch", "stop", "error")
POLICY_NUMBER = {policy: number for number, policy in enumerate(POLICIES)}

MISSING_CODE = -1
UNSEEN_CODE = -2


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `levels` lists the category values in order (None for continuous columns).

    A binary column has exactly two levels, "no" first: its code 0 goes left, code 1 right.
    `missing` and `unseen` name what becomes of such values: one of `POLICIES`. `time` says how the
    numbers of a continuous column count dates, durations or times of day (None for plain numbers).
    `lone_levels` is how many levels growth treated as unseen, because one training row had them.
    `notation` says how the texts that the numbers were read from are written (None: plainly).
    """

    name: str
    kind: Kind
    levels: tuple[Level, ...] | None = None
    missing: str = "learn"
    unseen: str = "majority"
    time: TimeScale | None = None
    lone_levels: int = field(default=0, compare=False)
    notation: Notation | None = field(default=None, compare=False)

    @property
    def n_levels(self) -> int:
        return 0 if self.levels is None else len(self.levels)


@dataclass(frozen=True, slots=True, eq=False)
class PlainColumns(Sequence[Any]):
    """So many columns of numbers without names, made when they are asked for.

    A sparse matrix may have tens of millions. Equal to a tuple of the same columns.
    """

    n: int

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return tuple(map(_plain_column, range(self.n)[number]))
        return _plain_column(range(self.n)[number])

    def __iter__(self) -> Iterator[Column]:
        return map(_plain_column, range(self.n))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PlainColumns):
            return self.n == other.n
        return isinstance(other, tuple) and self.n == len(other) and all(map(eq, self, other))

    def __hash__(self) -> int:
        return hash(tuple(self))


def _plain_column(number: int) -> Column:
    return Column(f"x{number}", "continuous")


class ColumnNumbers(NamedTuple):
    """What the core takes of the columns: one number of each."""

    kinds: tuple[int, ...]
    n_levels: tuple[int, ...]
    missing: tuple[int, ...]
    unseen: tuple[int, ...]


@dataclass(frozen=True)
class Schema:
    """Ordered columns. `named` is False when the user gave no names and `x0, x1, ...` stand in."""

    columns: Sequence[Column]
    named: bool = True

    def __reduce__(self) -> tuple[Any, ...]:
        return Schema, (self.columns, self.named)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @cached_property
    def numbers(self) -> ColumnNumbers:
        if isinstance(self.columns, PlainColumns):
            return self._numbers_of_one(self.columns[0], len(self))
        return ColumnNumbers(
            tuple([KIND_NUMBER[column.kind] for column in self.columns]),
            tuple([column.n_levels for column in self.columns]),
            tuple([POLICY_NUMBER[column.missing] for column in self.columns]),
            tuple([POLICY_NUMBER[column.unseen] for column in self.columns]),
        )

    @staticmethod
    def _numbers_of_one(column: Column, times: int) -> ColumnNumbers:
        one = Schema((column,)).numbers
        return ColumnNumbers(*(numbers * times for numbers in one))

    @cached_property
    def takes_matrix(self) -> bool:
        """Whether rows may be any numbers, so that a plain array needs no look."""
        if isinstance(self.columns, PlainColumns):
            return True
        for column in self.columns:
            if column.kind != "continuous" or column.time is not None or column.missing == "error":
                return False
        return True

    def __len__(self) -> int:
        return len(self.columns)
