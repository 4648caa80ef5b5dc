"""The splits of a tree as arrays: one table for each kind, one row for each split of that kind."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from silva.tree.arrays import Stored, offsets, stored
from silva.tree.frozen import FrozenArrays

LEAF, THRESHOLD, SUBSET, MULTIWAY, OBLIQUE, DISTANCE = range(6)
"""The kinds of nodes, as numbers in `Tree.split_kind`."""

STOP = -1
"""Instead of a child: the row ends at this node."""

METRICS = ("euclidean", "manhattan", "cosine", "mahalanobis")
"""Distances by the numbers in `distance_metric`."""


@dataclass(frozen=True, eq=False)
class ThresholdTable(FrozenArrays):
    column: Annotated[np.ndarray, Stored("threshold_column", "int32")]
    threshold: Annotated[np.ndarray, Stored("threshold_value", "float64")]
    missing_child: Annotated[np.ndarray, Stored("threshold_missing", "int8")]
    unseen_child: Annotated[np.ndarray, Stored("threshold_unseen", "int8")]


@dataclass(frozen=True, eq=False)
class SubsetTable(FrozenArrays):
    column: Annotated[np.ndarray, Stored("subset_column", "int32")]
    start: Annotated[np.ndarray, Stored("subset_start", "int64")]
    codes: Annotated[np.ndarray, Stored("subset_codes", "int32", "start")]
    rest_start: Annotated[np.ndarray, Stored("subset_rest_start", "int64")]
    rest: Annotated[np.ndarray, Stored("subset_rest", "int32", "rest_start")]
    missing_child: Annotated[np.ndarray, Stored("subset_missing", "int8")]
    unseen_child: Annotated[np.ndarray, Stored("subset_unseen", "int8")]


@dataclass(frozen=True, eq=False)
class MultiwayTable(FrozenArrays):
    column: Annotated[np.ndarray, Stored("multiway_column", "int32")]
    start: Annotated[np.ndarray, Stored("multiway_start", "int64")]
    codes: Annotated[np.ndarray, Stored("multiway_codes", "int32", "start")]
    missing_child: Annotated[np.ndarray, Stored("multiway_missing", "int32")]
    unseen_child: Annotated[np.ndarray, Stored("multiway_unseen", "int32")]


@dataclass(frozen=True, eq=False)
class ObliqueTable(FrozenArrays):
    start: Annotated[np.ndarray, Stored("oblique_start", "int64")]
    columns: Annotated[np.ndarray, Stored("oblique_column", "int32", "start")]
    codes: Annotated[np.ndarray, Stored("oblique_code", "int32", "start")]
    weights: Annotated[np.ndarray, Stored("oblique_weight", "float64", "start")]
    threshold: Annotated[np.ndarray, Stored("oblique_threshold", "float64")]
    missing_child: Annotated[np.ndarray, Stored("oblique_missing", "int8")]


@dataclass(frozen=True, eq=False)
class DistanceTable(FrozenArrays):
    metric: Annotated[np.ndarray, Stored("distance_metric", "int8")]
    start: Annotated[np.ndarray, Stored("distance_start", "int64")]
    columns: Annotated[np.ndarray, Stored("distance_column", "int32", "start")]
    center: Annotated[np.ndarray, Stored("distance_center", "float64", "start")]
    scale: Annotated[np.ndarray, Stored("distance_scale", "float64", "start")]
    matrix_start: Annotated[np.ndarray, Stored("distance_matrix_start", "int64")]
    matrix: Annotated[np.ndarray, Stored("distance_matrix", "float64", "matrix_start")]
    threshold: Annotated[np.ndarray, Stored("distance_threshold", "float64")]
    missing_child: Annotated[np.ndarray, Stored("distance_missing", "int8")]


SplitTable = ThresholdTable | SubsetTable | MultiwayTable | ObliqueTable | DistanceTable

TABLES: dict[int, tuple[str, type[SplitTable]]] = {
    THRESHOLD: ("thresholds", ThresholdTable),
    SUBSET: ("subsets", SubsetTable),
    MULTIWAY: ("multiways", MultiwayTable),
    OBLIQUE: ("obliques", ObliqueTable),
    DISTANCE: ("distances", DistanceTable),
}
"""The table of each kind of split: its field of `Tree` and its type."""


def empty_table(table_type: type[SplitTable]) -> SplitTable:
    """The table without splits: offsets have one entry, other arrays none."""
    starts, fields = offsets(table_type), stored(table_type).items()
    return table_type(**{name: np.zeros(int(name in starts), how.dtype) for name, how in fields})


def rows_in_tables(kind: np.ndarray) -> np.ndarray:
    """The row of each node in the table of its kind, -1 for leaves."""
    index = np.full(len(kind), -1, dtype=np.int64)
    for one in TABLES:
        nodes = kind == one
        index[nodes] = np.arange(np.count_nonzero(nodes))
    return index
