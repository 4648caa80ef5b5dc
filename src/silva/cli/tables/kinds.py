"""What the columns of texts are: numbers, dates, booleans, or texts indeed.

`readings` decides from all cells of a column, or obeys: a wanted kind (that of a model's column),
or the options --text and --number. Every guess is told.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as made_by
from typing import Any

from silva.cli.tables import moments, nulls
from silva.cli.tables.amounts import set_notations
from silva.cli.tables.duck import Connection, literal
from silva.cli.tables.examine import Examined, examined, trimmed
from silva.cli.tables.fields import Field, Loaded, in_order
from silva.cli.tables.many_columns import aggregates
from silva.cli.tables.numbers import (
    LARGEST_EXACT,
    Spelling,
    is_plain,
    number_sql,
    spellings,
)
from silva.cli.tables.options import TableOptions
from silva.cli.tables.ordered import Levels, not_listed, ordered_levels
from silva.cli.tables.wishes import Wish, asked, kind_of
from silva.data.notation import DecimalSign, Notation, are_mixed, units_of
from silva.errors import DataError
from silva.messages import counted, shown

_MOST_LOCATED = 5
_YES, _NO = ("true", "yes", "1"), ("false", "no", "0")
_NEEDS = {"number": "a number", "boolean": "yes or no", "moment": "a date or time"}


@dataclass(frozen=True, slots=True)
class Reading:
    """How a column is read: its field with type, and what there is to tell ({} is the column).

    `missing` counts the words that were read as missing, `kept` those that would be missing in a
    column of numbers. `notation` says how the numbers are written, where they are not plain.
    """

    field: Field
    told: str = ""
    missing: Counter[str] = made_by(default_factory=Counter)
    kept: Counter[str] = made_by(default_factory=Counter)
    notation: Notation | None = None


def readings(
    connection: Connection, loaded: Loaded, options: TableOptions, wishes: Mapping[str, Wish]
) -> list[Reading]:
    """A reading for each field."""
    ordered = ordered_levels(loaded, options.ordered)
    wishes = {**wishes, **asked(loaded, options, ordered)}
    words = nulls.given(options.nulls, loaded.names)
    columns = examined(connection, loaded, words, wishes)
    convention = set_notations(connection, loaded, options, columns)
    reader = _Reader(connection, loaded, options, convention)
    found = reader.numeric([column for column in columns if reader.is_plain_number(column)])
    others = [column for column in columns if column.field.name not in found]
    reader.ask_at_once(others)
    for column in others:
        found[column.field.name] = reader.other(column)
    fields = loaded.fields
    read = [found.get(one.name) or _typed(one, wishes.get(one.name), options) for one in fields]
    verbatim = {name for name, wish in wishes.items() if wish.kind == "verbatim"}
    named = [() if one.name in verbatim else words.words(one.name) for one in fields]
    read = reader.without(read, named)
    return [reader.in_order(one, ordered.get(one.field.name)) for one in read]


def _typed(one: Field, wish: Wish | None, options: TableOptions) -> Reading:
    """A column that has a type: whole numbers become the texts that a model knows them as."""
    is_whole = one.type.endswith(("INT", "INTEGER"))
    if one.name in options.text or (wish is not None and wish.kind == "text" and is_whole):
        return Reading(Field(one.name, f"CAST({one.sql} AS VARCHAR)", "VARCHAR"))
    return Reading(one)


@dataclass(frozen=True, slots=True)
class _Reader:
    connection: Connection
    loaded: Loaded
    options: TableOptions
    convention: DecimalSign
    known: dict[str, Any] = made_by(default_factory=dict)
    told_of: list[str] = made_by(default_factory=list)

    def is_plain_number(self, column: Examined) -> bool:
        if column.wanted is None and not self.loaded.infers:
            return False
        return column.is_numeric and column.wanted in (None, "number")

    def numeric(self, columns: Sequence[Examined]) -> dict[str, Reading]:
        """Columns whose known cells DuckDB reads as numbers; absent are those that stay texts."""
        cells = [one.cell for one in columns]
        may_group = list(map(self._may_group, columns))
        found = spellings(self.connection, self.loaded.relation, cells, may_group)
        read = {}
        for column, spelling in zip(columns, found, strict=True):
            reading = self._number(column, spelling)
            if reading is not None:
                read[column.field.name] = reading
        return read

    def _may_group(self, column: Examined) -> bool:
        """Whether points may stand between thousands: as the file, or else the model, has it."""
        known = None if column.wish is None else column.wish.decimal
        by_model = known == "," and self.loaded.delimiter != "," and self.options.decimal is None
        return self.convention == "," or by_model

    def _number(self, column: Examined, spelling: Spelling) -> Reading | None:
        self._refuse_unit(column, "")
        if self._uses_groups(column, spelling):
            return self._noted(column, Notation(","))
        if column.wanted is None and spelling.whole == column.n_known:
            told = _why_text(column, spelling)
            if told:
                column.text = trimmed(column.text)
                return replace(self._text(column), told=told)
        if spelling.underscores:  # DuckDB reads 1_000 as a number; here it is text
            return None
        is_whole = spelling.whole == column.n_known and column.largest < 2**63
        sql_type = "BIGINT" if is_whole else "DOUBLE"
        sql = f"try_cast({column.cell} AS {sql_type})"
        return Reading(Field(column.field.name, sql, sql_type), missing=column.words)

    def _uses_groups(self, column: Examined, spelling: Spelling) -> bool:
        """Whether 1.234 is a thousand: so in files of decimal commas, if no cell says otherwise."""
        if self.options.decimal == ",":
            return spelling.points > 0
        is_grouped = spelling.groups == column.n_known and spelling.points > 0
        return self._may_group(column) and is_grouped

    def ask_at_once(self, columns: Sequence[Examined]) -> None:
        """Ask of all columns what `other` is likely to ask of each: one by one takes long."""
        self._ask_all([question for column in columns for question in self._questions(column)])

    def _questions(self, column: Examined) -> list[str]:
        if not column.n_known or column.wanted in ("text", "verbatim"):
            return []
        if column.wanted == "boolean":
            return [f"count({_boolean(column.cell)})"]
        is_number = column.wanted == "number" or column.notation is not None
        if is_number:
            notation = column.notation or self._default
            is_confirmed = notation in column.notations
            return [] if is_confirmed else [f"count({number_sql(column.cell, notation)})"]
        found = [f"count({number_sql(column.cell)})"] if self._may_be_mixed(column) else []
        is_moment = column.wanted == "moment" or self._has_dates
        for spelled in moments.candidates(column.sample) if is_moment else ():
            found += moments.questions(spelled, column.cell)
        return found

    def other(self, column: Examined) -> Reading:
        """A column that is not numbers with decimal points."""
        if column.wanted in ("text", "verbatim") or (column.wanted is None and not column.n_known):
            return self._text(column)
        if not column.n_known:
            field = Field(column.field.name, column.cell, "VARCHAR")
            return Reading(field, missing=column.words)
        if column.wanted == "boolean":
            return self._booleans(column)
        if column.wanted == "moment":
            return self._wanted_moments(column)
        if column.wanted == "number":
            return self._noted(column, column.notation or self._default)
        if column.notation is not None:
            return self._amounts(column, column.notation)
        return self._moments(column) or self._mixed(column)

    @property
    def _default(self) -> Notation | None:
        return Notation(",") if self.options.decimal == "," else None

    def in_order(self, reading: Reading, levels: Levels | None) -> Reading:
        """The reading as ordered levels, if there are some; a cell that is none is refused."""
        if levels is None:
            return reading
        one = reading.field
        text = one.sql if one.type == "VARCHAR" else f"CAST({one.sql} AS VARCHAR)"
        found = in_order(one.name, text, levels)
        if self._count(found.sql) < self._count(text):
            row, cell = self._first_refused(text, found.sql)
            raise not_listed(one.name, cell, self.loaded.where(row), levels)
        return replace(reading, field=found)

    def _text(self, column: Examined) -> Reading:
        kept = column.words_kept()
        field = Field(column.field.name, column.text, "VARCHAR")
        return Reading(field, missing=column.words - kept, kept=kept)

    def _amounts(self, column: Examined, notation: Notation) -> Reading:
        """Numbers of a guessed notation; numbers in parentheses throughout are labels."""
        is_listed = not notation.unit and all(cell.startswith("(") for cell in column.sample)
        return self._text(column) if is_listed else self._noted(column, notation)

    def _noted(self, column: Examined, notation: Notation | None) -> Reading:
        """Numbers of a notation; where cells are none, texts, or an error if numbers are wanted."""
        self._refuse_unit(column, "" if notation is None else notation.unit)
        sql = number_sql(column.cell, notation)
        is_confirmed = notation in column.notations
        n_numbers = column.n_known if is_confirmed else self._count(sql)
        if n_numbers < column.n_known:
            if column.wanted == "number":
                raise self._refusal(column, sql)
            return replace(self._text(column), told=self._told_mixed(column, sql, n_numbers))
        told = "" if notation is None else column.signs.words(notation, column.is_doubtful)
        field = Field(column.field.name, sql, "DOUBLE")
        return Reading(field, told, missing=column.words, notation=notation)

    def _refuse_unit(self, column: Examined, unit: str) -> None:
        """Raise for amounts of another unit than the model's."""
        wanted = None if column.wish is None else column.wish.unit
        if wanted is None or not are_mixed((wanted, unit)):
            return
        here, there = (f"with {one}" if one else "without a unit" for one in (unit, wanted))
        raise DataError(
            f"column {column.field.name!r} holds numbers {here}, such as {column.sample[0]!r}, and"
            f" the model was fitted to numbers {there}; convert them, or give --number"
            f" {column.field.name!r} to use them as they are"
        )

    def _mixed(self, column: Examined) -> Reading:
        units = units_of(column.sample)
        if are_mixed(units) and (self.loaded.infers or self.loaded.has_dates):
            cells = " and ".join(map(repr, list(units.values())[:2]))
            told = f"{{}} read as text: its numbers have different units, such as {cells}"
            return replace(self._text(column), told=told)
        if not self._may_be_mixed(column):
            return self._text(column)
        sql = number_sql(column.cell)
        return replace(self._text(column), told=self._told_mixed(column, sql, self._count(sql)))

    def _may_be_mixed(self, column: Examined) -> bool:
        return self.loaded.infers and column.n_numbers > 0

    def _told_mixed(self, column: Examined, sql: str, n_numbers: int) -> str:
        if 2 * n_numbers < column.n_known:
            return ""
        self.told_of.append(column.field.name)
        if len(self.told_of) > _MOST_LOCATED:
            return "{} read as text: some cells are not numbers (--number makes this an error)"
        row, cell = self._first_refused(column.cell, sql)
        others = column.n_known - n_numbers
        unit = f" with {column.notation.unit}" if column.notation and column.notation.unit else ""
        are = f"is not a number{unit}" if others == 1 else f"are not numbers{unit}"
        return (
            f"{{}} read as text: {others:,} of {counted(column.n_known, 'cell')} {are}, such as "
            f"{shown(cell)} in {self.loaded.where(row)} (--number makes this an error)"
        )

    def _moments(self, column: Examined) -> Reading | None:
        if not self._has_dates:
            return None
        found = self._spelled(column)
        if len(found) > 1:
            told = f"{{}} read as text: its dates can be read in two ways; give {_formats(found)}"
            return replace(self._text(column), told=told)
        return self._moment(column, found[0]) if found else None

    def _moment(self, column: Examined, spelled: moments.Spelled) -> Reading:
        told = f"dates as {spelled.format} in {{}} (--date-format)" if spelled.format else ""
        one = Field(column.field.name, spelled.sql(column.cell), spelled.kind.upper())
        return Reading(one, told, missing=column.words)

    @property
    def _has_dates(self) -> bool:
        return self.options.dates and self.loaded.has_dates

    def _spelled(self, column: Examined) -> list[moments.Spelled]:
        arguments = (self._ask, column.cell, column.n_known)
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
        sql = _boolean(column.cell)
        if self._count(sql) < column.n_known:
            raise self._refusal(column, sql)
        return Reading(Field(column.field.name, sql, "BOOLEAN"), missing=column.words)

    def without(self, read: Sequence[Reading], words: Sequence[Sequence[str]]) -> list[Reading]:
        """The readings without the values that were named as missing, however they are spelled."""
        pairs = zip(read, words, strict=True)
        values = [_values(some, one.field.type) if some else {} for one, some in pairs]
        named = list(zip(read, values, strict=True))
        self._ask_all([_hits(one.field, some) for one, some in named if some])
        return [self._without(one, some) if some else one for one, some in named]

    def _without(self, reading: Reading, values: Mapping[str, str]) -> Reading:
        one = reading.field
        n_named = int(self._ask(_hits(one, values)))
        sql = f"CASE WHEN {_is_any(one, values)} THEN NULL ELSE {one.sql} END"
        named = Counter({", ".join(values): n_named} if n_named else {})
        return replace(reading, field=replace(one, sql=sql), missing=reading.missing + named)

    def _count(self, sql: str) -> int:
        return int(self._ask(f"count({sql})"))

    def _ask_all(self, questions: Sequence[str]) -> None:
        found = aggregates(self.connection, self.loaded.relation, questions)
        self.known.update(zip(questions, found, strict=True))

    def _ask(self, aggregate: str) -> Any:
        if aggregate not in self.known:
            query = f"SELECT {aggregate} FROM {self.loaded.relation}"
            self.known[aggregate] = self.connection.execute(query).fetchone()[0]
        return self.known[aggregate]

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


def _boolean(cell: str) -> str:
    yes, no = (", ".join(f"'{word}'" for word in words) for words in (_YES, _NO))
    low = f"lower({cell})"
    return f"CASE WHEN {low} IN ({yes}) THEN true WHEN {low} IN ({no}) THEN false END"


def _hits(one: Field, values: Mapping[str, str]) -> str:
    return f"count_if({_is_any(one, values)})"


def _is_any(one: Field, values: Mapping[str, str]) -> str:
    return f"{one.sql} IN ({', '.join(values.values())})"


def _values(words: Sequence[str], sql_type: str) -> dict[str, str]:
    """The words that are values of a type of numbers or dates, with their expressions."""
    return {word: value for word in words if (value := _value(word, sql_type))}


def _value(word: str, sql_type: str) -> str | None:
    """A word as a value of a type of numbers or dates; None where it is none."""
    kind = kind_of(sql_type)
    if kind == "number" and is_plain(word):
        return f"CAST({literal(word)} AS DOUBLE)"
    if kind == "moment" and moments.candidates([word]):
        plain = "TIMESTAMPTZ" if sql_type == "INSTANT" else sql_type
        return f"try_cast({literal(word)} AS {plain})"
    return None


def _formats(found: Sequence[moments.Spelled]) -> str:
    return " or ".join(f"--date-format {one.format}" for one in found)


def _why_text(column: Examined, spelling: Spelling) -> str:
    if spelling.leading_zeros:
        return "{} read as text: numbers that begin with a zero are codes (--number)"
    if column.largest > LARGEST_EXACT:
        return "{} read as text: whole numbers beyond 2**53 are not exact (--number)"
    return ""
