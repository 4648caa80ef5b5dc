"""What the columns of texts are: numbers, dates, booleans, or texts indeed.

`readings` decides from all cells of a column, or obeys: a wanted kind (that of a model's column),
or the options --text and --number. Every guess is told.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from silva.cli.tables import moments
from silva.cli.tables.duck import Connection
from silva.cli.tables.examine import Examined, Kind, examined
from silva.cli.tables.fields import Field, Loaded
from silva.cli.tables.numbers import (
    COMMA,
    GROUPED,
    LARGEST_EXACT,
    POINT,
    Notation,
    Spelling,
    comma_notation,
    spellings,
)
from silva.cli.tables.options import TableOptions
from silva.errors import DataError
from silva.messages import counted, nearest, shown

_YES, _NO = ("true", "yes", "1"), ("false", "no", "0")
_NEEDS = {"number": "a number", "boolean": "yes or no", "moment": "a date or time"}


@dataclass(frozen=True, slots=True)
class Reading:
    """How a column is read: its field with type, and what there is to tell ({} is the column)."""

    field: Field
    told: str = ""


def readings(
    connection: Connection, loaded: Loaded, options: TableOptions, wanted: Mapping[str, Kind]
) -> tuple[list[Reading], dict[str, Counter[str]]]:
    """A reading for each field, and the words for missing cells by column."""
    wanted = {**wanted, **_asked(loaded, options)}
    columns = examined(connection, loaded, options, wanted)
    convention = _convention(columns, loaded, options)
    reader = _Reader(connection, loaded, options, convention)
    found = reader.numeric([column for column in columns if reader.is_plain_number(column)])
    for column in columns:
        if column.field.name not in found:
            found[column.field.name] = reader.other(column)
    words = {column.field.name: column.words for column in columns if column.words}
    fields = loaded.fields
    return [
        found.get(one.name) or _typed(one, wanted.get(one.name), options) for one in fields
    ], words


def kind_of(sql_type: str) -> Kind:
    """The kind of a column by its DuckDB type."""
    if sql_type in ("VARCHAR", "UUID") or sql_type.startswith("ENUM"):
        return "text"
    if sql_type == "BOOLEAN":
        return "boolean"
    is_moment = sql_type.startswith(("DATE", "TIME", "INSTANT", "INTERVAL"))
    return "moment" if is_moment else "number"


def _typed(one: Field, wanted: Kind | None, options: TableOptions) -> Reading:
    """A column that has a type: whole numbers become the texts that a model knows them as."""
    is_whole = one.type.endswith(("INT", "INTEGER"))
    if one.name in options.text or (wanted == "text" and is_whole):
        return Reading(Field(one.name, f"CAST({one.sql} AS VARCHAR)", "VARCHAR"))
    return Reading(one)


def _asked(loaded: Loaded, options: TableOptions) -> dict[str, Kind]:
    asked: dict[str, Kind] = {}
    for option, names in (("text", options.text), ("number", options.number)):
        for name in names:
            if name not in loaded.names:
                near = nearest(name, loaded.names)
                hint = f"; did you mean {near!r}?" if near is not None else ""
                raise DataError(f"--{option} {name!r}: there is no such column{hint}")
            if asked.setdefault(name, "text" if option == "text" else "number") != option:
                raise DataError(f"--text and --number name the column {name!r}; give one of them")
    return asked


def _convention(
    columns: Sequence[Examined], loaded: Loaded, options: TableOptions
) -> Literal[".", ","]:
    """The decimal sign of the file; marks the columns that have commas."""
    for column in columns:
        is_number = column.wanted == "number" or (column.wanted is None and loaded.infers)
        if is_number and column.sample and not column.is_numeric:
            column.notation = comma_notation(column.sample, loaded.delimiter, options.decimal)
    if options.decimal is not None:
        return options.decimal
    return "," if any(column.notation is COMMA for column in columns) else "."


@dataclass(frozen=True, slots=True)
class _Reader:
    connection: Connection
    loaded: Loaded
    options: TableOptions
    convention: Literal[".", ","]

    def is_plain_number(self, column: Examined) -> bool:
        if column.wanted is None and not self.loaded.infers:
            return False
        return column.is_numeric and column.wanted in (None, "number")

    def numeric(self, columns: Sequence[Examined]) -> dict[str, Reading]:
        """Columns whose known cells DuckDB reads as numbers; absent are those that stay texts."""
        cells = [one.cell for one in columns]
        found = spellings(self.connection, self.loaded.relation, cells, self.convention)
        read = {}
        for column, spelling in zip(columns, found, strict=True):
            reading = self._number(column, spelling)
            if reading is not None:
                read[column.field.name] = reading
        return read

    def _number(self, column: Examined, spelling: Spelling) -> Reading | None:
        if self._uses_groups(column, spelling):
            return self._noted(column, COMMA)
        if column.wanted is None and spelling.whole == column.n_known:
            told = _why_text(column, spelling)
            if told:
                return replace(self._text(column), told=told)
        if spelling.underscores:  # DuckDB reads 1_000 as a number; here it is text
            return None
        is_whole = spelling.whole == column.n_known and column.largest < 2**63
        sql_type = "BIGINT" if is_whole else "DOUBLE"
        sql = f"CAST({column.cell} AS {sql_type})"
        return Reading(Field(column.field.name, sql, sql_type))

    def _uses_groups(self, column: Examined, spelling: Spelling) -> bool:
        """Whether 1.234 is a thousand: so in files of decimal commas, if no cell says otherwise."""
        is_grouped = spelling.groups == column.n_known and spelling.points > 0
        if self.options.decimal == ",":
            return spelling.points > 0
        return self.convention == "," and is_grouped

    def other(self, column: Examined) -> Reading:
        """A column that is not numbers with decimal points."""
        if not column.n_known or column.wanted == "text":
            return self._text(column)
        if column.wanted == "boolean":
            return self._booleans(column)
        if column.wanted == "moment":
            return self._wanted_moments(column)
        if column.wanted == "number":
            return self._noted(column, self._notation(column) or self._default)
        if column.notation is not None:
            return self._noted(column, self._notation(column) or column.notation)
        return self._moments(column) or self._mixed(column)

    def _notation(self, column: Examined) -> Notation | None:
        """That of the sample; decimal commas if cells after the sample are no thousands."""
        if column.notation is not GROUPED or self.options.decimal is not None:
            return column.notation
        is_grouped = self._count(GROUPED.sql(column.cell)) == column.n_known
        is_comma = not is_grouped and self._count(COMMA.sql(column.cell)) == column.n_known
        return COMMA if is_comma else GROUPED

    @property
    def _default(self) -> Notation:
        return COMMA if self.options.decimal == "," else POINT

    def _text(self, column: Examined) -> Reading:
        return Reading(Field(column.field.name, column.cell, "VARCHAR"))

    def _noted(self, column: Examined, notation: Notation) -> Reading:
        """Numbers of a notation; where cells are none, texts, or an error if numbers are wanted."""
        sql = notation.sql(column.cell)
        n_numbers = self._count(sql)
        if n_numbers == column.n_known:
            told = f"{notation.words} in {{}} (--decimal)" if notation.words else ""
            return Reading(Field(column.field.name, sql, "DOUBLE"), told)
        if column.wanted == "number":
            raise self._refusal(column, sql)
        return replace(self._text(column), told=self._told_mixed(column, sql, n_numbers))

    def _mixed(self, column: Examined) -> Reading:
        if not self.loaded.infers or not column.n_numbers:
            return self._text(column)
        sql = POINT.sql(column.cell)
        return replace(self._text(column), told=self._told_mixed(column, sql, self._count(sql)))

    def _told_mixed(self, column: Examined, sql: str, n_numbers: int) -> str:
        if 2 * n_numbers < column.n_known:
            return ""
        row, cell = self._first_refused(column.cell, sql)
        others = column.n_known - n_numbers
        are = "is not a number" if others == 1 else "are not numbers"
        return (
            f"{{}} read as text: {others:,} of {counted(column.n_known, 'cell')} {are}, such as "
            f"{shown(cell)} in {self.loaded.where(row)} (--number makes this an error)"
        )

    def _moments(self, column: Examined) -> Reading | None:
        if not (self.options.dates and self.loaded.has_dates):
            return None
        found = self._spelled(column)
        if len(found) > 1:
            told = f"{{}} read as text: its dates can be read in two ways; give {_formats(found)}"
            return replace(self._text(column), told=told)
        return self._moment(column, found[0]) if found else None

    def _moment(self, column: Examined, spelled: moments.Spelled) -> Reading:
        told = f"dates as {spelled.format} in {{}} (--date-format)" if spelled.format else ""
        one = Field(column.field.name, spelled.sql(column.cell), spelled.kind.upper())
        return Reading(one, told)

    def _spelled(self, column: Examined) -> list[moments.Spelled]:
        arguments = (self.connection, self.loaded.relation, column.cell, column.n_known)
        if self.options.date_format is not None:
            given = moments.matching(*arguments, [moments.formatted(self.options.date_format)])
            if given:
                return given
        return moments.matching(*arguments, moments.candidates(column.sample))

    def _wanted_moments(self, column: Examined) -> Reading:
        found = self._spelled(column)
        if len(found) == 1:
            return self._moment(column, found[0])
        if len(found) > 1:
            raise DataError(
                f"the dates of column {column.field.name!r} (such as {column.sample[0]!r}) can be "
                f"read in two ways; give {_formats(found)} as in training"
            )
        likely = moments.candidates(column.sample[:1]) or [moments.Spelled("timestamp")]
        if self.options.date_format is not None:
            likely = [moments.formatted(self.options.date_format)]
        raise self._refusal(column, likely[0].sql(column.cell))

    def _booleans(self, column: Examined) -> Reading:
        yes, no = (", ".join(f"'{word}'" for word in words) for words in (_YES, _NO))
        low = f"lower({column.cell})"
        sql = f"CASE WHEN {low} IN ({yes}) THEN true WHEN {low} IN ({no}) THEN false END"
        if self._count(sql) < column.n_known:
            raise self._refusal(column, sql)
        return Reading(Field(column.field.name, sql, "BOOLEAN"))

    def _count(self, sql: str) -> int:
        query = f"SELECT count({sql}) FROM {self.loaded.relation}"
        return int(self.connection.execute(query).fetchone()[0])

    def _refusal(self, column: Examined, sql: str) -> DataError:
        row, cell = self._first_refused(column.cell, sql)
        asked = column.field.name in self.options.number
        who = "--number asks for" if asked else "the model needs"
        return DataError(
            f"column {column.field.name!r} holds {shown(cell)} in {self.loaded.where(row)} where "
            f"{who} {_NEEDS[str(column.wanted)]}; correct the cell, or leave it empty if the value "
            "is not known"
        )

    def _first_refused(self, cell: str, sql: str) -> tuple[int, str]:
        """The row (from 0) and text of the first known cell that an expression does not read."""
        found = self.connection.execute(
            f"SELECT row, cell FROM (SELECT rowid AS row, {cell} AS cell, {sql} AS value "
            f"FROM {self.loaded.relation}) WHERE cell IS NOT NULL AND value IS NULL "
            "ORDER BY row LIMIT 1"
        ).fetchone()
        return int(found[0]), str(found[1])


def _formats(found: Sequence[moments.Spelled]) -> str:
    return " or ".join(f"--date-format {one.format}" for one in found)


def _why_text(column: Examined, spelling: Spelling) -> str:
    if spelling.leading_zeros:
        return "{} read as text: numbers that begin with a zero are codes (--number)"
    if column.largest > LARGEST_EXACT:
        return "{} read as text: whole numbers beyond 2**53 are not exact (--number)"
    return ""
