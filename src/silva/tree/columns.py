"""A tree over some of its columns: for models that are shown these and no others."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from silva.data.schema import Schema
from silva.errors import ModelFormatError
from silva.tree.route import COLUMN
from silva.tree.tables import DistanceTable
from silva.tree.tree import Tree, altered, from_arrays, numbers_of, to_arrays


def with_columns(tree: Tree, columns: np.ndarray) -> Tree:
    """The tree whose column i is column `columns[i]` (ascending) of the given one.

    Raises ModelFormatError where the tree asks about another column.
    """
    arrays = to_arrays(tree)
    for name in [name for name in arrays if name.endswith(COLUMN)]:
        if not np.isin(arrays[name], columns).all():
            raise ModelFormatError(f"{name}: the tree asks about a column that is not its own")
        arrays[name] = np.searchsorted(columns, arrays[name]).astype(arrays[name].dtype)
    facts = (schema_of(tree.schema, columns), tree.task, tree.classes, tree.criterion)
    return from_arrays(*facts, arrays | numbers_of(tree), tree.smoothing, tree.edits, tree.costs)


def measured_by(tree: Tree, columns: np.ndarray) -> Tree:
    """The tree with distances over these columns alone.

    For a tree that was grown with all others constant: they add nothing to the distances of its
    training rows, but their real values would add to those of other rows.
    """
    table = tree.distances
    keep = np.isin(table.columns, columns)
    if keep.all():
        return tree
    cells = [_cells(keep[i:j], cut) for (i, j), cut in _pieces(table)]
    counts = np.add.reduceat(keep.astype(np.int64), table.start[:-1])
    measured = replace(
        table,
        start=_starts(counts),
        columns=table.columns[keep],
        center=table.center[keep],
        scale=table.scale[keep],
        matrix_start=_starts(np.array([len(cell) for cell in cells])),
        matrix=np.concatenate(cells),
    )
    return altered(tree, distances=measured)


def _pieces(table: DistanceTable) -> Iterator[tuple[tuple[int, int], np.ndarray]]:
    """Where the columns of each split are, and its matrix (empty for most metrics)."""
    cuts = pairwise(table.matrix_start.tolist())
    for piece, (i, j) in zip(pairwise(table.start.tolist()), cuts, strict=True):
        yield piece, table.matrix[i:j]


def _cells(keep: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    return matrix[np.outer(keep, keep).ravel()] if len(matrix) else matrix


def _starts(counts: np.ndarray) -> np.ndarray:
    return np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))


def schema_of(schema: Schema, columns: np.ndarray) -> Schema:
    """The schema of these columns; stand-in names are numbered again."""
    kept = tuple(schema.columns[number] for number in columns.tolist())
    if not schema.named:
        kept = tuple(replace(column, name=f"x{i}") for i, column in enumerate(kept))
    return replace(schema, columns=kept)
