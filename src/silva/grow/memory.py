"""What growth takes in memory, for the error where there is too little of it."""

from collections.abc import Iterator
from contextlib import contextmanager

from silva.data.matrix import MatrixColumns
from silva.data.sparse import SparseColumns, stored
from silva.data.table import Table

# Measured peaks, rounded (docs/large_data.md); nodes are known only when they have been grown.
_CELL, _STORED_CELL, _ROW, _ROW_AND_THREAD = 4, 30, 40, 36
_WEIGHTED_NUMBER, _WEIGHTED_NUMBER_AND_THREAD = 28, 16


@contextmanager
def tells_what_growth_takes(
    table: Table, threads: int, weighted_numbers: bool = False
) -> Iterator[None]:
    """Raise a MemoryError of the work inside as one that names sizes and ways out."""
    try:
        yield
    except MemoryError as error:
        size = growth_bytes(table, threads, weighted_numbers) / 1e6
        raise MemoryError(
            f"not enough memory: growing from {table.n_rows:,} rows x {len(table.schema):,} columns"
            f" with n_jobs={threads} takes about {size:,.0f} MB beside the table and the nodes of "
            "the trees. Free some, use fewer threads (n_jobs), rows or columns, limit the size of "
            "the trees (max_depth, min_samples_leaf), or give numbers as float32"
        ) from error


def growth_bytes(table: Table, threads: int, weighted_numbers: bool = False) -> int:
    """About how many bytes growth takes beside the table and the nodes.

    `weighted_numbers`: regression with weights, those of a bootstrap included.
    """
    row, row_and_thread = _ROW, _ROW_AND_THREAD
    if weighted_numbers:
        row += _WEIGHTED_NUMBER
        row_and_thread += _WEIGHTED_NUMBER_AND_THREAD
    return _column_bytes(table) + table.n_rows * (row + row_and_thread * (threads - 1))


def _column_bytes(table: Table) -> int:
    if isinstance(table.columns, SparseColumns):
        return _STORED_CELL * len(table.columns.values)
    if isinstance(table.columns, MatrixColumns):
        return _CELL * table.columns.matrix.size
    kept = (stored(column) for column in table.columns)
    return sum(
        len(values) * (_CELL if values is column else _STORED_CELL)
        for values, column in zip(kept, table.columns, strict=True)
    )
