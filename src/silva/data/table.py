"""Values that training and prediction take: a typed table and an encoded target."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from silva.data.matrix import MatrixColumns
from silva.data.schema import Schema
from silva.data.sparse import SparseColumns

Task = Literal["classification", "regression"]


@dataclass(frozen=True, slots=True)
class Table:
    """Columns bound to a schema; memory is borrowed from the user wherever possible.

    A continuous column is a one-dimensional real array of any NumPy number type and any stride;
    NaN is missing. Every other column holds codes into its levels: int32 with -1 for missing and
    -2 for unseen, or uint8/bool zeros and ones for a binary column without missing values.
    A continuous or binary column may be a SparseColumn; those of a sparse matrix are SparseColumns,
    those of a plain array MatrixColumns.
    """

    schema: Schema
    columns: Sequence[Any]
    n_rows: int

    def take(self, rows: np.ndarray | slice) -> Self:
        """The rows of these numbers."""
        if isinstance(self.columns, SparseColumns):
            taken = self.columns.take(rows)
            return replace(self, columns=taken, n_rows=taken.n_rows)
        if isinstance(self.columns, MatrixColumns):
            chosen = self.columns.take(rows)
            return replace(self, columns=chosen, n_rows=len(chosen.matrix))
        columns = tuple(column[rows] for column in self.columns)
        n_rows = len(range(self.n_rows)[rows]) if isinstance(rows, slice) else len(rows)
        return replace(self, columns=columns, n_rows=n_rows)


@dataclass(frozen=True, slots=True)
class Target:
    """An encoded target: class codes (int32) with their classes, or finite float64 values.

    `weights` is None (all ones) or a contiguous float64 array, finite, >= 0, not all zero.
    `class_weights`, one number a class, are what the user's class weights contribute to them.
    """

    task: Task
    values: np.ndarray
    classes: np.ndarray | None
    weights: np.ndarray | None
    class_weights: np.ndarray | None = None

    def take(self, rows: np.ndarray) -> Self:
        """The targets of the rows of these numbers, or where a mask is true."""
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, values=self.values[rows], weights=weights)
