"""Which reader belongs to which container. Nothing is imported that the user has not imported."""

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np

from silva.data import refusals
from silva.data.frames.arrays import frame_of_array, read_values
from silva.data.frames.column_table import ColumnTable, frame_of_columns
from silva.data.frames.lists import frame_of_rows
from silva.data.objects import read_objects
from silva.data.raw import Frame, Plain, Raw, Times, dense_raw
from silva.data.sparse import SparseColumns
from silva.errors import DataError


def open_frame(data: Any) -> Frame:
    """Any supported table as a frame; a lazy one is collected here, once."""
    frame = _known_frame(data)
    if frame is not None:
        return frame
    if isinstance(data, _series_types()):
        raise refusals.one_series(type(data).__name__)
    native = _eager(data)
    if native is not data:
        return open_frame(native)
    if hasattr(data, "__array__"):
        return frame_of_array(np.asarray(data))
    raise refusals.not_a_table(data)


def readable_again(data: Any) -> Any:
    """The table; one that may be read only once, such as a RecordBatchReader, is collected."""
    if isinstance(data, np.ndarray) or not hasattr(data, "__arrow_c_stream__"):
        return data
    return data if _known_frame(data) is not None else _eager(data)


def open_series(values: Any, name: str, may_be_table: bool = True) -> Plain:
    """One target or weight column; a table of one column will do, unless that is forbidden.

    Raises DataTypeError for dates and times, among others.
    """
    raw = _read_series(values, name, may_be_table)
    if isinstance(raw, Times):
        raise refusals.dates(name, raw.sort)
    return raw


def _read_series(values: Any, name: str, may_be_table: bool) -> Raw:
    if isinstance(values, np.ndarray):
        return read_values(_one_column(values, name, may_be_table), name)
    if isinstance(values, list | tuple | range):
        return _read_list(values, name, may_be_table)
    raw = _known_series(values, name)
    if raw is not None:
        return dense_raw(raw)
    frame = _known_frame(values)
    if frame is not None:
        return _only_column(frame, name, may_be_table)
    native = _eager(values)
    if native is not values:
        return _read_series(native, name, may_be_table)
    if hasattr(values, "__array__"):
        return read_values(_one_column(np.asarray(values), name, may_be_table), name)
    raise refusals.not_a_series(values, name)


def _only_column(frame: Frame, name: str, may_be_table: bool) -> Raw:
    if not may_be_table:
        raise refusals.not_flat(name, (frame.n_rows, frame.n_columns))
    if frame.n_columns != 1:
        raise _many_columns(name, frame.n_columns)
    return dense_raw(frame.read(0, name))


def _one_column(values: np.ndarray, name: str, may_be_table: bool) -> np.ndarray:
    if values.ndim != 1 and not may_be_table:
        raise refusals.not_flat(name, values.shape)
    if values.ndim == 2 and values.shape[1] == 1:
        return values[:, 0]
    if values.ndim != 1:
        raise _many_columns(name, values.shape[1] if values.ndim == 2 else values.shape)
    return values


def _many_columns(name: str, seen: object) -> DataError:
    return DataError(
        f"the {name} must be one column with a value per row, got {seen} columns or dimensions; "
        "fit one model per column"
    )


def _read_list(values: Sequence[Any], name: str, may_be_table: bool) -> Raw:
    if any(isinstance(value, list | tuple | np.ndarray) for value in values):
        return _only_column(frame_of_rows(values), name, may_be_table)
    return read_objects(values, name)


def _loaded(module: str, *names: str) -> tuple[Any, ...]:
    """Classes of a module, as far as it has been imported."""
    loaded = sys.modules.get(module)
    return tuple(found for found in (getattr(loaded, n, None) for n in names) if found is not None)


def _known_frame(data: Any) -> Frame | None:
    if isinstance(data, np.ndarray):
        return frame_of_array(data)
    if isinstance(data, ColumnTable):
        return frame_of_columns(data)
    if isinstance(data, list | tuple):
        return frame_of_rows(data)
    if isinstance(data, _loaded("pandas", "DataFrame")):
        from silva.data.frames.pandas_frame import frame_of_pandas

        return frame_of_pandas(data)
    if isinstance(data, _loaded("polars", "DataFrame")):
        from silva.data.frames.polars_frame import frame_of_polars

        return frame_of_polars(data)
    if isinstance(data, _loaded("pyarrow", "Table", "RecordBatch")):
        from silva.data.frames.arrow_table import frame_of_arrow

        return frame_of_arrow(data)
    if is_sparse(data):
        from silva.data.frames.sparse_matrix import frame_of_sparse

        return frame_of_sparse(data)
    return None


def is_sparse(data: Any) -> bool:
    """Whether this is a SciPy sparse matrix or array."""
    return isinstance(data, _loaded("scipy.sparse", "spmatrix", "sparray"))


def sparse_columns(matrix: Any) -> SparseColumns | None:
    """The columns of a sparse matrix of numbers that the core reads; None for other types."""
    from silva.data.frames import sparse_matrix

    return sparse_matrix.sparse_columns(matrix)


def _series_types() -> tuple[type, ...]:
    pandas, polars = _loaded("pandas", "Series", "Index"), _loaded("polars", "Series")
    return (*pandas, *polars, *_loaded("pyarrow", "Array", "ChunkedArray"))


def _known_series(values: Any, name: str) -> Raw | None:
    if isinstance(values, _loaded("pandas", "Series", "Index")):
        from silva.data.frames.pandas_frame import read_series

        return read_series(values, name)
    if isinstance(values, _loaded("polars", "Series")):
        from silva.data.frames.polars_frame import read_polars

        return read_polars(values, name)
    if isinstance(values, _loaded("pyarrow", "Array", "ChunkedArray")):
        from silva.data.frames.arrow_table import read_arrow

        return read_arrow(values, name)
    return None


def _eager(data: Any) -> Any:
    """Lazy frames and foreign ones as a table of a known kind; anything else unchanged."""
    if isinstance(data, _loaded("polars", "LazyFrame")):
        return data.collect()
    import narwhals.stable.v2 as nw

    if isinstance(data, nw.DataFrame | nw.LazyFrame | nw.Series):
        return nw.to_native(data)
    wrapped = nw.from_native(data, pass_through=True)
    if isinstance(wrapped, nw.LazyFrame):
        return _with_enums(wrapped.collect(_table_library()).to_native(), data)
    if isinstance(wrapped, nw.DataFrame):
        return wrapped.to_arrow()
    if hasattr(data, "__arrow_c_stream__"):
        return _table_of_stream(data)
    return data


def _with_enums(table: Any, data: Any) -> Any:
    """The rows of a relation of DuckDB, whose Arrow form does not say that ENUMs have an order."""
    if not isinstance(data, _loaded("duckdb", "DuckDBPyRelation")):
        return table
    enums = {
        name: dict(kind.children)["values"]
        for name, kind in zip(data.columns, data.types, strict=True)
        if kind.id == "enum"
    }
    if isinstance(table, _loaded("polars", "DataFrame")):
        import polars as pl

        return table.with_columns(pl.col(name).cast(pl.Enum(enums[name])) for name in enums)
    from silva.data.frames.arrow_table import with_order

    return with_order(table, list(enums))


def _table_of_stream(data: Any) -> Any:
    import narwhals.stable.v2 as nw

    library = _table_library()
    try:
        return nw.from_arrow(data, backend=library).to_native()
    except (TypeError, ValueError) as error:
        raise refusals.not_a_table(data) from error


def _table_library() -> Literal["pyarrow", "polars"]:
    """The library that holds collected rows: pyarrow, or polars where there is no pyarrow."""
    if find_spec("pyarrow") is not None:
        return "pyarrow"
    if find_spec("polars") is not None:
        return "polars"
    raise DataError("lazy and Arrow tables need pyarrow or polars: pip install pyarrow")
