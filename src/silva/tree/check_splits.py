"""The invariants of the split tables: columns, codes, numbers and children of every kind."""

from typing import assert_never

import numpy as np

from silva.errors import ModelFormatError
from silva.tree.arrays import flat, offsets, stored
from silva.tree.check_arrays import (
    check_codes,
    check_finite,
    check_length,
    check_starts,
    require,
)
from silva.tree.tables import (
    METRICS,
    STOP,
    DistanceTable,
    MultiwayTable,
    ObliqueTable,
    SplitTable,
    SubsetTable,
    ThresholdTable,
)
from silva.tree.tree import Tree, split_tables

ORDERED = ("continuous", "ordinal", "binary")
LEVELLED = ("categorical", "ordinal", "binary")
MAHALANOBIS = METRICS.index("mahalanobis")


def check_split_tables(tree: Tree) -> None:
    """Each table lists the splits of its nodes in their order, and each split is possible."""
    for kind, table in split_tables(tree).items():
        nodes = np.flatnonzero(tree.split_kind == kind)
        _check_lengths(table, len(nodes))
    _check_index(tree)
    for kind, table in split_tables(tree).items():
        n_children = np.diff(tree.child_start)[tree.split_kind == kind]
        _check_table(tree, table)
        _check_children(tree, kind, table, n_children)


def _check_lengths(table: SplitTable, n_splits: int) -> None:
    """One entry a split; offsets one more, and they cut the whole of their arrays."""
    arrays, starts = flat(table), offsets(type(table))
    for field, how in stored(type(table)).items():
        if not how.cut_by:
            check_length(how.name, arrays[how.name], n_splits + (field in starts))
    for how in stored(type(table)).values():
        if how.cut_by:
            start = stored(type(table))[how.cut_by].name
            cut = [one.name for one in stored(type(table)).values() if one.cut_by == how.cut_by]
            check_starts(start, arrays[start], len(arrays[cut[0]]))
            check_length(how.name, arrays[how.name], len(arrays[cut[0]]))


def _check_index(tree: Tree) -> None:
    expected = np.full(tree.n_nodes, -1, dtype=np.int64)
    for kind in split_tables(tree):
        nodes = np.flatnonzero(tree.split_kind == kind)
        expected[nodes] = np.arange(len(nodes))
    rule = "must count the splits of one kind in the order of their nodes, -1 for a leaf"
    require(tree.split_index == expected, "split_index", rule, tree.split_index)


def _check_table(tree: Tree, table: SplitTable) -> None:
    match table:
        case ThresholdTable():
            _check_columns(tree, "threshold_column", table.column, ORDERED)
            known = ~np.isnan(table.threshold)
            require(known, "threshold_value", "must be a number", table.threshold)
        case SubsetTable():
            _check_subsets(tree, table)
        case MultiwayTable():
            _check_columns(tree, "multiway_column", table.column, LEVELLED)
            _check_some("multiway_start", table.start)
            limits = _levels(tree, table.column, table.start)
            check_codes("multiway_codes", table.codes, table.start, limits)
        case ObliqueTable():
            _check_obliques(tree, table)
        case DistanceTable():
            _check_distances(tree, table)
        case _:
            assert_never(table)


def _check_subsets(tree: Tree, table: SubsetTable) -> None:
    _check_columns(tree, "subset_column", table.column, LEVELLED)
    for name, codes, start in (
        ("subset_codes", table.codes, table.start),
        ("subset_rest", table.rest, table.rest_start),
    ):
        check_codes(name, codes, start, _levels(tree, table.column, start))
    listed = _keys(table.codes, table.start)
    apart = ~np.isin(_keys(table.rest, table.rest_start), listed)
    require(apart, "subset_rest", "must not be among the split's other codes", table.rest)


def _check_obliques(tree: Tree, table: ObliqueTable) -> None:
    _check_some("oblique_start", table.start)
    _check_columns(tree, "oblique_column", table.columns, (*ORDERED, "categorical"))
    n_levels = tree.schema.facts(table.columns, lambda column: column.n_levels)
    ordered = tree.schema.facts(table.columns, lambda column: column.kind in ORDERED)
    fits = (table.codes < n_levels) & (table.codes >= np.where(ordered, -1, 0))
    rule = "must be a level of its column, or -1 for the value of one that has an order"
    require(fits, "oblique_code", rule, table.codes)
    check_finite("oblique_weight", table.weights)
    check_finite("oblique_threshold", table.threshold)


def _check_distances(tree: Tree, table: DistanceTable) -> None:
    known = (table.metric >= 0) & (table.metric < len(METRICS))
    require(known, "distance_metric", f"must be 0 to {len(METRICS) - 1}", table.metric)
    _check_some("distance_start", table.start)
    _check_columns(tree, "distance_column", table.columns, ORDERED)
    _, first = np.unique(_keys(table.columns, table.start), return_index=True)
    once = np.isin(np.arange(len(table.columns)), first)
    require(once, "distance_column", "must not come twice in a split", table.columns)
    check_finite("distance_center", table.center)
    check_finite("distance_scale", table.scale)
    check_finite("distance_matrix", table.matrix)
    check_finite("distance_threshold", table.threshold)
    n_columns, n_cells = np.diff(table.start), np.diff(table.matrix_start)
    fits = n_cells == np.where(table.metric == MAHALANOBIS, n_columns * n_columns, 0)
    rule = "must cut one entry for each pair of columns for mahalanobis, none for others"
    require(fits, "distance_matrix_start", rule, table.matrix_start)


def _check_children(tree: Tree, kind: int, table: SplitTable, n_children: np.ndarray) -> None:
    """Children are as many as the split says; missing and unseen values go to one, or stop."""
    names = stored(type(table))
    known = np.diff(table.start) if isinstance(table, MultiwayTable) else 2
    missing = table.missing_child
    in_range = (missing >= STOP) & (missing <= known)
    require(in_range, names["missing_child"].name, "must be a child or -1", missing)
    wrong = np.flatnonzero(n_children != known + (missing == known))
    if len(wrong):
        node = int(np.flatnonzero(tree.split_kind == kind)[wrong[0]])
        raise ModelFormatError(
            f"child_start[{node}]: gives a split the wrong number of children,"
            f" {n_children[wrong[0]]}"
        )
    match table:
        case ThresholdTable() | SubsetTable() | MultiwayTable():
            unseen = table.unseen_child
            in_range = (unseen >= STOP) & (unseen < n_children)
            require(in_range, names["unseen_child"].name, "must be a child or -1", unseen)
        case ObliqueTable() | DistanceTable():
            pass
        case _:
            assert_never(table)


def _check_columns(tree: Tree, name: str, column: np.ndarray, kinds: tuple[str, ...]) -> None:
    in_range = (column >= 0) & (column < len(tree.schema))
    require(in_range, name, f"must be one of the {len(tree.schema)} columns", column)
    fits = tree.schema.facts(column, lambda one: one.kind in kinds)
    require(fits, name, f"must be a column of kind {' or '.join(kinds)}", column)


def _check_some(name: str, start: np.ndarray) -> None:
    require(np.diff(start) > 0, name, "must leave each split at least one entry", start)


def _levels(tree: Tree, column: np.ndarray, start: np.ndarray) -> np.ndarray:
    """For each code the number of levels of its split's column."""
    n_levels = tree.schema.facts(column, lambda one: one.n_levels)
    return np.repeat(n_levels, np.diff(start))


def _keys(codes: np.ndarray, start: np.ndarray) -> np.ndarray:
    """One number for each pair of a split and a code."""
    split = np.repeat(np.arange(len(start) - 1), np.diff(start))
    keys: np.ndarray = (split << 32) + codes
    return keys
