"""The columns of a matrix, which nothing takes one by one without need."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class MatrixColumns(Sequence[Any]):
    """The columns of a two-dimensional array of float32 or float64, in memory of any order."""

    matrix: np.ndarray

    def __len__(self) -> int:
        return int(self.matrix.shape[1])

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return tuple(self.matrix.T[number])
        return self.matrix[:, number]

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter(self.matrix.T)

    def take(self, rows: np.ndarray | slice) -> "MatrixColumns":
        """The columns of some rows: a slice, numbers, which may repeat, or a mask."""
        return MatrixColumns(self.matrix[rows])
