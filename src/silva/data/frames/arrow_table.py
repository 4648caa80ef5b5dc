"""pyarrow tables and arrays, and everything that arrives as an Arrow stream."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from silva.data import refusals
from silva.data.columns import unique_names
from silva.data.frames.arrays import read_values
from silva.data.moments import times_of_counts
from silva.data.raw import (
    Categories,
    Frame,
    Raw,
    Times,
    declared_categories,
    nothing_known,
    sorted_categories,
    with_missing,
)
from silva.data.schema import MISSING_CODE
from silva.data.timescale import UTC, Sort


def frame_of_arrow(data: Any) -> Frame:
    """A Table or RecordBatch."""
    names = unique_names(data.schema.names)
    return Frame(names, data.num_rows, len(names), lambda i, name: read_arrow(data.column(i), name))


def with_order(table: Any, names: Sequence[str]) -> Any:
    """The table, where the levels of these dictionary columns have an order."""
    for name in names:
        column = table.column(name)
        kind = pa.dictionary(column.type.index_type, column.type.value_type, ordered=True)
        chunks = [
            pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary, ordered=True)
            for chunk in column.chunks
        ]
        place = table.schema.get_field_index(name)
        table = table.set_column(place, name, pa.chunked_array(chunks, kind))
    return table


def read_arrow(column: Any, name: str) -> Raw:
    """One column or target (Array or ChunkedArray), by its type."""
    if not isinstance(column, pa.ChunkedArray):
        column = pa.chunked_array([column])
    kind = column.type
    if pa.types.is_floating(kind):
        return read_values(_numpy(column), name)
    if pa.types.is_integer(kind):
        return _read_integers(column, name)
    if pa.types.is_boolean(kind):
        values = column.fill_null(False).to_numpy()
        return with_missing(values, _missing(column), name)
    if _is_text(kind):
        return _read_text(column)
    if pa.types.is_dictionary(kind):
        return _read_dictionary(column, name)
    if pa.types.is_decimal(kind):
        return _read_decimals(column, name)
    return _read_other(column, name)


def _numpy(column: Any) -> np.ndarray:
    """The memory of a single chunk without nulls, else a copy (nulls of floats become NaN)."""
    if column.num_chunks == 1 and not column.null_count:
        borrowed: np.ndarray = column.chunk(0).to_numpy(zero_copy_only=True)
        return borrowed
    copied: np.ndarray = column.to_numpy()
    return copied


def _missing(column: Any) -> np.ndarray:
    missing: np.ndarray = column.is_null().to_numpy()
    return missing


def _read_integers(column: Any, name: str) -> Raw:
    if not column.null_count:
        return read_values(_numpy(column), name)
    return with_missing(_numpy(column.fill_null(0)), _missing(column), name)


def _read_decimals(column: Any, name: str) -> Raw:
    """Whole decimals as integers, others as the nearest float64, as if read from their text.

    Arrow's own cast of decimals to floats is not always the nearest float64.
    """
    if column.type.scale > 0:
        return read_values(_numpy(column.cast(pa.string()).cast(pa.float64())), name)
    try:
        return _read_integers(column.cast(pa.int64()), name)
    except pa.ArrowInvalid:
        items = [0 if item is None else int(item) for item in column.to_pylist()]
        largest = max(range(len(items)), key=lambda row: abs(items[row]))
        raise refusals.inexact_integer(name, largest, items[largest]) from None


def _is_text(kind: Any) -> bool:
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def _read_text(column: Any) -> Categories:
    if pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    codes, values = _codes_and_values(column.dictionary_encode())
    return sorted_categories(codes, values)


def _read_dictionary(column: Any, name: str) -> Categories:
    for chunk in column.chunks:
        _check_codes(chunk, name)
    codes, values = _codes_and_values(column)
    return declared_categories(codes, values, bool(column.type.ordered))


def _check_codes(chunk: Any, name: str) -> None:
    """Raise for codes beyond the dictionary: Arrow trusts them, in compiled code too."""
    ends = pc.min_max(chunk.indices).as_py()
    n_values = len(chunk.dictionary)
    for code in ends.values():
        if code is not None and not 0 <= code < n_values:
            raise refusals.code_beyond_dictionary(name, code, n_values)


def _codes_and_values(column: Any) -> tuple[np.ndarray, list[Any]]:
    if not column.num_chunks:
        return np.empty(0, np.int32), []
    if column.num_chunks > 1:
        column = column.unify_dictionaries()
    codes = [chunk.indices.cast(pa.int32()).fill_null(MISSING_CODE) for chunk in column.chunks]
    return np.concatenate([part.to_numpy() for part in codes]), column.chunk(
        0
    ).dictionary.to_pylist()


def _read_other(column: Any, name: str) -> Raw:
    kind = column.type
    if pa.types.is_null(kind):
        return nothing_known(len(column))
    if pa.types.is_run_end_encoded(kind):
        chunks = [pc.run_end_decode(chunk) for chunk in column.chunks]
        return read_arrow(pa.chunked_array(chunks, kind.value_type), name)
    if pa.types.is_interval(kind):
        raise refusals.lengths_that_vary(name, str(kind))
    if pa.types.is_temporal(kind):
        return _read_times(column)
    raise refusals.nested_values(name, str(kind))


def _read_times(column: Any) -> Times:
    kind = column.type
    counts = column.cast(pa.int32() if kind.bit_width == 32 else pa.int64()).fill_null(0).to_numpy()
    zone = UTC if getattr(kind, "tz", None) else None
    return times_of_counts(counts, _unit(kind), _sort(kind), _missing(column), zone)


def _unit(kind: Any) -> str:
    if pa.types.is_date(kind):
        return "D" if pa.types.is_date32(kind) else "ms"
    unit: str = kind.unit
    return unit


def _sort(kind: Any) -> Sort:
    if pa.types.is_duration(kind):
        return "duration"
    return "time" if pa.types.is_time(kind) else "datetime"
