"""Trees drawn at random, with every kind of split, as the arrays that the router takes."""

from collections.abc import Callable

import numpy as np

from tests.oracle_splits import (
    METRICS,
    STOP,
    Distance,
    Multiway,
    Oblique,
    Split,
    Subset,
    Threshold,
    n_children,
)
from tests.oracle_units import BINARY, CATEGORICAL, CONTINUOUS, ORDINAL
from tests.properties.cases import Case

SPECIAL_VALUES = (np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 0.0)
KINDS = (CONTINUOUS, CONTINUOUS, ORDINAL, BINARY, CATEGORICAL, CATEGORICAL)
N_LEVELS = (0, 0, 5, 2, 7, 40)
SPLIT_KINDS = (Threshold, Subset, Multiway, Oblique, Distance)


def random_tree(
    rng: np.random.Generator, kinds: tuple[str, ...], n_rows: int = 80
) -> tuple[Case, dict]:
    """Rows of six columns, and a tree that asks questions of the given kinds."""
    columns = [random_column(rng, kind, n_rows) for kind in range(len(KINDS))]
    target = np.zeros(n_rows, dtype=np.int32)
    case = Case(columns, list(KINDS), list(N_LEVELS), target, 1)
    return case, arrays_of(random_nodes(rng, kinds))


def random_column(rng: np.random.Generator, number: int, n_rows: int) -> np.ndarray:
    if KINDS[number] != CONTINUOUS:
        return rng.integers(-2, N_LEVELS[number], n_rows).astype(np.int32)
    values = np.rint(rng.normal(size=n_rows) * 4)
    special = rng.random(n_rows) < 0.15
    values[special] = rng.choice(SPECIAL_VALUES, special.sum())
    return values


def random_nodes(rng: np.random.Generator, kinds: tuple[str, ...]) -> list:
    """Splits in pre-order, None for a leaf."""
    nodes: list[Split | None] = []
    waiting, n_splits = [0], int(rng.integers(1, 12))
    while waiting:
        depth = waiting.pop()
        is_leaf = n_splits <= 0 or (depth > 0 and rng.random() < 0.3)
        split = None if is_leaf else MAKERS[str(rng.choice(kinds))](rng)
        nodes.append(split)
        if split is not None:
            n_splits -= 1
            waiting += [depth + 1] * n_children(split)
    return nodes


def random_child(rng: np.random.Generator, n_known: int, own_branch: bool) -> int:
    """A child, or STOP; the own branch only where there is one."""
    return int(rng.integers(STOP, n_known + own_branch))


def random_threshold(rng: np.random.Generator) -> Threshold:
    column = int(rng.integers(4))
    limit = float(rng.choice([-np.inf, np.inf, 0.0, 0.5, 1.0, -2.0, 2.5]))
    missing = random_child(rng, 2, True)
    unseen = missing if KINDS[column] == CONTINUOUS else random_child(rng, 2, missing == 2)
    return Threshold(column, limit, missing, unseen)


def some_codes(rng: np.random.Generator, column: int, least: int) -> list[int]:
    n_levels = N_LEVELS[column]
    count = int(rng.integers(least, n_levels + 1))
    return sorted(rng.choice(n_levels, count, replace=False).tolist())


def random_subset(rng: np.random.Generator) -> Subset:
    column = int(rng.integers(2, 6))
    occupied = some_codes(rng, column, 1)
    is_listed = rng.random(len(occupied)) < 0.5
    pairs = list(zip(occupied, is_listed, strict=True))
    codes = tuple(code for code, listed in pairs if listed)
    rest = tuple(code for code, listed in pairs if not listed) if rng.random() < 0.5 else ()
    missing = random_child(rng, 2, True)
    return Subset(column, codes, rest, missing, random_child(rng, 2, missing == 2))


def random_multiway(rng: np.random.Generator) -> Multiway:
    column = int(rng.integers(2, 6))
    codes = tuple(some_codes(rng, column, 1))
    own_branch = len(codes) == 1 or rng.random() < 0.4
    missing = len(codes) if own_branch else random_child(rng, len(codes), False)
    return Multiway(column, codes, missing, random_child(rng, len(codes), own_branch))


def random_oblique(rng: np.random.Generator) -> Oblique:
    """Numbers and indicators; a categorical column may have several indicators."""
    n_terms = int(rng.integers(1, 6))
    columns = sorted(rng.integers(0, 6, n_terms).tolist())
    codes = [int(rng.integers(N_LEVELS[c])) if KINDS[c] == CATEGORICAL else -1 for c in columns]
    weights = (rng.integers(-8, 9, n_terms) / rng.choice([1, 2, 3, 10])).tolist()
    limit = float(rng.integers(-6, 7) / rng.choice([1, 3]))
    return Oblique(tuple(columns), tuple(codes), tuple(weights), limit, random_child(rng, 2, True))


def random_distance(rng: np.random.Generator) -> Distance:
    size = int(rng.integers(1, 5))
    columns = tuple(sorted(rng.choice(4, size, replace=False).tolist()))
    center = tuple(np.rint(rng.normal(size=size) * 3).tolist())
    scale = tuple(rng.choice([0.25, 0.5, 1.0, 2.0], size).tolist())
    metric = str(rng.choice(METRICS))
    half = rng.integers(-2, 3, (size, size)).astype(float)
    matrix = tuple((half @ half.T).ravel().tolist()) if metric == "mahalanobis" else ()
    limit = float(rng.choice([0.0, 0.3141, 0.777, 1.0, 2.236, 3.7]))
    return Distance(metric, columns, center, scale, matrix, limit, random_child(rng, 2, True))


MAKERS: dict[str, Callable[[np.random.Generator], Split]] = {
    "threshold": random_threshold,
    "subset": random_subset,
    "multiway": random_multiway,
    "oblique": random_oblique,
    "distance": random_distance,
}


def arrays_of(nodes: list) -> dict[str, np.ndarray]:
    """The flat arrays of a tree whose nodes are given in pre-order."""
    tables = [[node for node in nodes if isinstance(node, kind)] for kind in SPLIT_KINDS]
    kinds = [SPLIT_KINDS.index(type(node)) + 1 if node else 0 for node in nodes]
    index = [sum(k == kind for k in kinds[:i]) if kind else -1 for i, kind in enumerate(kinds)]
    counts = [n_children(node) if node else 0 for node in nodes]
    arrays = {
        "child_start": starts(counts),
        "child": np.array(children(counts), dtype=np.int64),
        "split_kind": np.array(kinds, dtype=np.int8),
        "split_index": np.array(index, dtype=np.int64),
    }
    for table, write in zip(tables, WRITERS, strict=True):
        arrays |= write(table)
    return arrays


def starts(counts: list[int]) -> np.ndarray:
    return np.cumsum([0, *counts], dtype=np.int64)


def children(counts: list[int]) -> list[int]:
    """The numbers of each node's children, for nodes in pre-order."""
    found: list[list[int]] = [[] for _ in counts]
    waiting: list[int] = []
    for node, count in enumerate(counts):
        if waiting:
            found[waiting.pop()].append(node)
        waiting += [node] * count
    return [child for group in found for child in group]


def column_of(table: list, name: str, dtype: str) -> np.ndarray:
    return np.array([getattr(split, name) for split in table], dtype=dtype)


def flat(table: list, name: str, dtype: str) -> np.ndarray:
    return np.array([item for split in table for item in getattr(split, name)], dtype=dtype)


def starts_of(table: list, name: str) -> np.ndarray:
    return starts([len(getattr(split, name)) for split in table])


def write_thresholds(table: list) -> dict[str, np.ndarray]:
    return {
        "threshold_column": column_of(table, "column", "i4"),
        "threshold_value": column_of(table, "threshold", "f8"),
        "threshold_missing": column_of(table, "missing_child", "i1"),
        "threshold_unseen": column_of(table, "unseen_child", "i1"),
    }


def write_subsets(table: list) -> dict[str, np.ndarray]:
    return {
        "subset_column": column_of(table, "column", "i4"),
        "subset_start": starts_of(table, "codes"),
        "subset_codes": flat(table, "codes", "i4"),
        "subset_rest_start": starts_of(table, "rest"),
        "subset_rest": flat(table, "rest", "i4"),
        "subset_missing": column_of(table, "missing_child", "i1"),
        "subset_unseen": column_of(table, "unseen_child", "i1"),
    }


def write_multiways(table: list) -> dict[str, np.ndarray]:
    return {
        "multiway_column": column_of(table, "column", "i4"),
        "multiway_start": starts_of(table, "codes"),
        "multiway_codes": flat(table, "codes", "i4"),
        "multiway_missing": column_of(table, "missing_child", "i4"),
        "multiway_unseen": column_of(table, "unseen_child", "i4"),
    }


def write_obliques(table: list) -> dict[str, np.ndarray]:
    return {
        "oblique_start": starts_of(table, "columns"),
        "oblique_column": flat(table, "columns", "i4"),
        "oblique_code": flat(table, "codes", "i4"),
        "oblique_weight": flat(table, "weights", "f8"),
        "oblique_threshold": column_of(table, "threshold", "f8"),
        "oblique_missing": column_of(table, "missing_child", "i1"),
    }


def write_distances(table: list) -> dict[str, np.ndarray]:
    metrics = np.array([METRICS.index(split.metric) for split in table], dtype="i1")
    return {
        "distance_metric": metrics,
        "distance_start": starts_of(table, "columns"),
        "distance_column": flat(table, "columns", "i4"),
        "distance_center": flat(table, "center", "f8"),
        "distance_scale": flat(table, "scale", "f8"),
        "distance_matrix_start": starts_of(table, "matrix"),
        "distance_matrix": flat(table, "matrix", "f8"),
        "distance_threshold": column_of(table, "threshold", "f8"),
        "distance_missing": column_of(table, "missing_child", "i1"),
    }


WRITERS = (write_thresholds, write_subsets, write_multiways, write_obliques, write_distances)
