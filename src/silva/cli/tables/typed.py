"""Columns of DuckDB as NumPy arrays and codes, without a Python object for each cell."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from silva.cli.tables.duck import Connection
from silva.cli.tables.fields import Field
from silva.cli.tables.many_columns import arrays
from silva.data.frames.column_table import Column
from silva.data.moments import times_of_array
from silva.data.raw import Categories, nothing_known
from silva.data.schema import MISSING_CODE
from silva.data.timescale import UTC

_LOOKED_AT, _MANY_LEVELS = 20_000, 10_000


def fetch(
    connection: Connection, relation: str, fields: Sequence[Field], n_rows: int
) -> list[Column]:
    """The columns; None stands for one whose type no estimator takes (a list, a blob)."""
    is_long = n_rows > _LOOKED_AT
    readers = [
        _reader(connection, relation, one, place, is_long) for place, one in enumerate(fields)
    ]
    cells = [one.sql for one in readers if one is not None]
    found = iter(arrays(connection, relation, cells))
    return [None if one is None else one.column(next(found), n_rows) for one in readers]


@dataclass(frozen=True, slots=True)
class _Plain:
    """Numbers, booleans, times without a zone, and texts of many levels."""

    sql: str
    type: str

    def column(self, values: np.ndarray, _: int) -> Column:
        missing = np.ma.getmaskarray(values)
        data = np.ma.getdata(values)
        if self.type == "DATE":
            data = data.astype("M8[D]")
        if not missing.any():
            return data
        if data.dtype.kind in "fmM":
            data = data.copy()
            data[missing] = np.nan if data.dtype.kind == "f" else "NaT"
            return data
        if data.dtype.kind == "O":
            data = data.copy()
            data[missing] = None
            return data
        return np.ma.MaskedArray(data, missing)


@dataclass(frozen=True, slots=True)
class _Instants:
    """Times with a zone, which DuckDB gives in UTC."""

    sql: str

    def column(self, values: np.ndarray, _: int) -> Column:
        plain = _Plain(self.sql, "TIMESTAMP").column(values, 0)
        assert isinstance(plain, np.ndarray)
        return times_of_array(plain, "", UTC)


@dataclass(frozen=True, slots=True)
class _Codes:
    """Texts of few levels, or of ordered ones, as DuckDB numbers them."""

    sql: str
    levels: tuple[str, ...]
    ordered: bool = False

    def column(self, values: np.ndarray, n_rows: int) -> Column:
        if not self.levels:
            return nothing_known(n_rows)
        codes = np.ma.getdata(values).astype(np.int32)
        codes[np.ma.getmaskarray(values)] = MISSING_CODE
        return Categories(codes, self.levels, self.ordered)


def _reader(
    connection: Connection, relation: str, one: Field, place: int, is_long: bool
) -> _Plain | _Instants | _Codes | None:
    if not is_usable(one):
        return None
    if one.type in ("TIMESTAMP WITH TIME ZONE", "INSTANT"):
        return _Instants(f"CAST({one.sql} AS TIMESTAMP)")
    if one.type in ("HUGEINT", "UHUGEINT") or one.type.endswith(",0)"):
        return _wide_integers(connection, relation, one)
    if one.type.startswith("DECIMAL"):
        return _Plain(f"CAST(CAST({one.sql} AS VARCHAR) AS DOUBLE)", "DOUBLE")
    if one.type == '"NULL"':
        return _Codes(one.sql, ())
    if one.type.startswith("ENUM"):
        levels = connection.execute(f"SELECT enum_range(CAST(NULL AS {one.type}))").fetchone()[0]
        return _Codes(f"enum_code({one.sql})", tuple(levels), ordered=True)
    if one.type not in ("VARCHAR", "UUID"):
        return _Plain(one.sql, one.type)
    text = f"CAST({one.sql} AS VARCHAR)"
    if not (is_long and _has_few_levels(connection, relation, text)):
        return _Plain(text, "VARCHAR")
    return _codes(connection, relation, text, place)


def _wide_integers(connection: Connection, relation: str, one: Field) -> _Plain | None:
    """Whole numbers of more than 64 bits, such as sums, if the values need no more than 64."""
    query = f"SELECT count({one.sql}) - count(try_cast({one.sql} AS BIGINT)) FROM {relation}"
    if connection.execute(query).fetchone()[0]:
        return None
    return _Plain(f"CAST({one.sql} AS BIGINT)", "BIGINT")


def is_usable(one: Field) -> bool:
    """Whether estimators can take such values: no lists, structures or bytes."""
    is_nested = one.type.endswith("]") or one.type.startswith(("STRUCT", "MAP", "UNION"))
    return not is_nested and one.type not in ("BLOB", "BIT", "JSON", "VARIANT", "GEOMETRY")


def _has_few_levels(connection: Connection, relation: str, text: str) -> bool:
    """Whether codes pay: a column of identifiers is quicker as Python's own strings."""
    query = (
        f"SELECT count(DISTINCT value) FROM (SELECT {text} AS value FROM {relation} "
        f"LIMIT {_LOOKED_AT})"
    )
    return bool(connection.execute(query).fetchone()[0] <= _MANY_LEVELS)


def _codes(connection: Connection, relation: str, text: str, place: int) -> _Codes:
    kind = f"levels_{place}_of_{relation}"
    connection.execute(
        f"CREATE TABLE {kind} AS SELECT DISTINCT {text} AS level FROM {relation} "
        f"WHERE {text} IS NOT NULL ORDER BY 1"
    )
    levels = tuple(connection.execute(f"SELECT level FROM {kind}").fetchnumpy()["level"].tolist())
    if not levels:
        return _Codes("NULL", ())
    connection.execute(f"CREATE TYPE {kind}_type AS ENUM (SELECT level FROM {kind})")
    return _Codes(f"enum_code(CAST({text} AS {kind}_type))", levels)
