"""What the columns of a table are: names, kinds and category levels, without any data."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, chain, repeat
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from silva.data.notation import Notation
from silva.data.timescale import TimeScale

Kind = Literal["continuous", "ordinal", "categorical", "binary"]
KINDS: tuple[Kind, ...] = ("continuous", "ordinal", "categorical", "binary")
KIND_NUMBER = {kind: number for number, kind in enumerate(KINDS)}
Level = str | int | float | bool
Fact = TypeVar("Fact")
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


class RepeatedColumns(Sequence[Column]):
    """Columns without names of their own, in runs that differ in nothing else.

    `runs` has the first column of each run and its length. A column is made when it is asked for,
    and called by its number: x0, x1 and so on. So a million hashed words take no memory.
    """

    __slots__ = ("_ends", "runs")

    def __init__(self, runs: Iterable[tuple[Column, int]]) -> None:
        self.runs = tuple(runs)
        self._ends = list(accumulate(length for _, length in self.runs))

    def __reduce__(self) -> tuple[Any, ...]:
        return RepeatedColumns, (self.runs,)

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return tuple(self[one] for one in range(*number.indices(len(self))))
        found: int = range(len(self))[number]
        return replace(self.runs[bisect_right(self._ends, found)][0], name=f"x{found}")

    def __iter__(self) -> Iterator[Column]:
        return map(self.__getitem__, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, RepeatedColumns) and self.runs == other.runs:
            return True
        if not isinstance(other, RepeatedColumns | tuple):
            return NotImplemented
        return len(self) == len(other) and all(
            one == two for one, two in zip(self, other, strict=True)
        )

    def __hash__(self) -> int:
        return hash(tuple(self))


def plain_columns(n_columns: int) -> RepeatedColumns:
    """So many columns of numbers without names."""
    return RepeatedColumns([(Column("x0", "continuous"), n_columns)])


def each(columns: Sequence[Column], fact: Callable[[Column], Fact]) -> tuple[Fact, ...]:
    """A fact about each column, asked once for columns that differ only in the name."""
    if not isinstance(columns, RepeatedColumns):
        return tuple(map(fact, columns))
    parts = [(fact(column),) * length for column, length in columns.runs]
    return parts[0] if len(parts) == 1 else tuple(chain.from_iterable(parts))


class ColumnNumbers(NamedTuple):
    """What the core takes of the columns: one number of each."""

    kinds: tuple[int, ...]
    n_levels: tuple[int, ...]
    missing: tuple[int, ...]
    unseen: tuple[int, ...]


@dataclass(frozen=True)
class Schema:
    """Ordered columns. `named` is False when the user gave no names and `x0, x1, ...` stand in."""

    columns: tuple[Column, ...] | RepeatedColumns
    named: bool = True

    def __reduce__(self) -> tuple[Any, ...]:
        return Schema, (self.columns, self.named)

    @property
    def names(self) -> tuple[str, ...]:
        if isinstance(self.columns, RepeatedColumns):
            return tuple(f"x{number}" for number in range(len(self.columns)))
        return tuple(column.name for column in self.columns)

    @cached_property
    def numbers(self) -> ColumnNumbers:
        return ColumnNumbers(
            each(self.columns, lambda column: KIND_NUMBER[column.kind]),
            each(self.columns, lambda column: column.n_levels),
            each(self.columns, lambda column: POLICY_NUMBER[column.missing]),
            each(self.columns, lambda column: POLICY_NUMBER[column.unseen]),
        )

    @cached_property
    def is_plain(self) -> bool:
        """Whether the columns are numbers without names and policies of their own, made lazily."""
        if not isinstance(self.columns, RepeatedColumns):
            return False
        return all(column == Column(column.name, "continuous") for column, _ in self.columns.runs)

    @cached_property
    def takes_matrix(self) -> bool:
        """Whether rows may be any numbers, so that a plain array needs no look."""
        for column, _ in self.runs:
            if column.kind != "continuous" or column.time is not None or column.missing == "error":
                return False
        return True

    @property
    def runs(self) -> Iterable[tuple[Column, int]]:
        """The columns in order, those that differ only in the name as one and their number."""
        if isinstance(self.columns, RepeatedColumns):
            return self.columns.runs
        return zip(self.columns, repeat(1))

    def facts(self, numbers: np.ndarray, fact: Callable[[Column], Any]) -> np.ndarray:
        """A fact about the column of each of these numbers, asked once for each column."""
        used, place = np.unique(numbers, return_inverse=True)
        return np.array([fact(self.columns[one]) for one in used.tolist()])[place]

    def __len__(self) -> int:
        return len(self.columns)
