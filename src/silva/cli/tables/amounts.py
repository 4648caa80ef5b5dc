"""Columns of amounts, such as $41,508.76 or 1 234,5 €: how each is written, by all of its cells."""

from collections.abc import Sequence
from itertools import islice

from silva.cli.tables.duck import Connection
from silva.cli.tables.examine import Examined
from silva.cli.tables.fields import Loaded
from silva.cli.tables.many_columns import aggregates
from silva.cli.tables.numbers import N_SIGNS, Signs, has_decimal_point, number_sql, sign_counts
from silva.cli.tables.options import TableOptions
from silva.data.notation import DecimalSign, Notation, notations


def set_notations(
    connection: Connection, loaded: Loaded, options: TableOptions, columns: Sequence[Examined]
) -> DecimalSign:
    """Give each column of amounts its notation; return the decimal sign of the file."""
    possible = [_possible(loaded, options, column) for column in columns]
    _confirm(connection, loaded, columns, possible)
    likely = _likely(options, columns) or ("," if loaded.delimiter == ";" else None)
    _choose(connection, loaded, [one for one in columns if len(one.notations) > 1], likely)
    if options.decimal is not None:
        return options.decimal
    commas = [
        one for one in columns if one.notations and one.notation and one.notation.decimal == ","
    ]
    return "," if commas else "."


def _possible(loaded: Loaded, options: TableOptions, column: Examined) -> list[Notation]:
    """The notations of the first cells."""
    if column.is_numeric or column.wanted not in (None, "number"):
        return []
    found = [one for one in notations(column.sample) if options.decimal in (None, one.decimal)]
    if column.wanted is None and not loaded.infers:
        return [one for one in found if one.unit and loaded.has_dates]
    return found


def _confirm(
    connection: Connection,
    loaded: Loaded,
    columns: Sequence[Examined],
    possible: Sequence[Sequence[Notation]],
) -> None:
    """Give each column those notations that all its cells have, and that of the most cells."""
    some = [(column, found) for column, found in zip(columns, possible, strict=True) if found]
    facts = [fact for column, found in some for fact in _facts(column.cell, found)]
    values = iter(aggregates(connection, loaded.relation, facts))
    for column, found in some:
        counts = [next(values) for _ in found]
        column.signs = Signs(*islice(values, N_SIGNS))
        column.notation = found[counts.index(max(counts))]
        column.notations = [
            one for one, count in zip(found, counts, strict=True) if count == column.n_known
        ]


def _facts(cell: str, possible: Sequence[Notation]) -> list[str]:
    return [*(f"count({number_sql(cell, one)})" for one in possible), *sign_counts(cell)]


def _likely(options: TableOptions, columns: Sequence[Examined]) -> DecimalSign | None:
    """The one decimal sign of those columns that can be read in one way only."""
    if options.decimal is not None:
        return options.decimal
    signs = {one.notations[0].decimal for one in columns if len(one.notations) == 1}
    plain = (cell for one in columns if one.is_numeric for cell in one.sample)
    if any(map(has_decimal_point, plain)):
        signs.add(".")
    return signs.pop() if len(signs) == 1 else None


def _choose(
    connection: Connection,
    loaded: Loaded,
    columns: Sequence[Examined],
    likely: DecimalSign | None,
) -> None:
    """One of two notations; doubtful if nothing but habit decides between numbers that differ."""
    open_ones = []
    for column in columns:
        known = None if column.wish is None else column.wish.decimal
        sign = known or likely
        if sign is None:
            open_ones.append(column)
        else:
            column.notation = next(one for one in column.notations if one.decimal == sign)
    differ = aggregates(connection, loaded.relation, list(map(_differences, open_ones)))
    for column, count in zip(open_ones, differ, strict=True):
        column.is_doubtful = count > 0


def _differences(column: Examined) -> str:
    one, other = (number_sql(column.cell, notation) for notation in column.notations)
    return f"count_if({one} IS DISTINCT FROM {other})"
