"""Rows that name their own columns: dicts, named tuples, rows of pandas tables, lists of these."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from silva.data.columns import unique_names
from silva.data.objects import read_objects
from silva.data.raw import Frame

Record = Mapping[Any, Any]


def records_of(data: Any, names: Sequence[str]) -> list[Record] | None:
    """Rows by the names of their columns; None for any other container.

    A pandas Series is a row if its index has all of the `names`, else a column. A dict of lists is
    a table of columns, not a row, and SciPy's matrices by keys are matrices.
    """
    if hasattr(type(data), "tocsr"):
        return None
    if _is_named(data):
        found = [_record(data, names)]
    elif isinstance(data, list | tuple) and data and all(map(_is_named, data)):
        found = [_record(one, names) for one in data]
    else:
        return None
    records = [one for one in found if one is not None and not any(map(_is_many, one.values()))]
    return records if len(records) == len(found) else None


def frame_of_records(records: Sequence[Record], names: Sequence[str]) -> Frame:
    """The rows as a table; what a row does not name, though another does, is missing there."""
    keyed = [dict(zip(unique_names(one), one.values(), strict=True)) for one in records]
    named = tuple(dict.fromkeys(name for record in keyed for name in record))
    columns = tuple(names) if set(named) == set(names) else named
    values = [[record.get(name) for record in keyed] for name in columns]
    return Frame(columns, len(keyed), len(columns), lambda i, name: read_objects(values[i], name))


def one_row(data: Any, width: int) -> Any:
    """A single row of `width` values, by position, as a table of one row; other data as it is."""
    if isinstance(data, np.ndarray):
        return data.reshape(1, -1) if data.shape == (width,) else data
    values = data.tolist() if _is_series(data) else data
    if isinstance(values, list | tuple) and len(values) == width and not any(map(_is_many, values)):
        return [list(values)]
    return data


def _is_named(data: Any) -> bool:
    return isinstance(data, Mapping) or hasattr(type(data), "_fields") or _is_series(data)


def _is_series(data: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, pandas.Series)


def _record(data: Any, names: Sequence[str]) -> Record | None:
    if isinstance(data, Mapping):
        return data
    fields = data.index.tolist() if _is_series(data) else data._fields
    if not {*names} <= {str(field) for field in fields}:
        return None
    return dict(zip(fields, data, strict=True)) if len({*fields}) == len(fields) else None


def _is_many(value: Any) -> bool:
    """Whether this is no single value of a row."""
    if isinstance(value, str | bytes):
        return False
    return isinstance(value, list | tuple | Mapping) or getattr(value, "ndim", 0) > 0
