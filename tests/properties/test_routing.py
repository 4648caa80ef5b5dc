"""Rows that training never saw: the core routes them as a walk by hand does."""

from dataclasses import replace

import numpy as np
import pytest
from cases import Case
from oracle import CATEGORICAL, CONTINUOUS, Split
from oracle_compare import split_from_arrays
from random_cases import EXTREME_VALUES, random_case, random_rich_case

UNSEEN = -2


def new_rows(case: Case, rng: np.random.Generator, n_rows: int) -> Case:
    """Rows with any value, missing and unseen ones too, for the columns of `case`."""
    columns = [
        new_values(column, rng, n_rows)
        if kind == CONTINUOUS
        else rng.integers(UNSEEN, n_levels, n_rows).astype(np.int32)
        for column, kind, n_levels in zip(case.columns, case.kinds, case.n_levels, strict=True)
    ]
    return replace(case, columns=columns, target=np.zeros(n_rows, case.target.dtype), weights=None)


def new_values(column: np.ndarray, rng: np.random.Generator, n_rows: int) -> np.ndarray:
    """Training values, their neighbours, extremes and missing ones."""
    seen = rng.choice(column, n_rows).astype(np.float64)
    with np.errstate(over="ignore"):
        near = np.nextafter(seen, rng.choice([-np.inf, np.inf], n_rows))
    far = rng.choice([*EXTREME_VALUES, np.nan], n_rows)
    return np.choose(rng.integers(0, 3, n_rows), [seen, near, far])


def walk(case: Case, arrays: dict, row: int) -> int:
    node = 0
    while (split := split_from_arrays(arrays, node)) is not None:
        value = case.columns[split.column][row]
        child = child_of(split, case.kinds[split.column], value)
        node = int(arrays["child"][arrays["child_start"][node] + child])
    return node


def child_of(split: Split, kind: int, value: float) -> int:
    if kind == CATEGORICAL and value == UNSEEN:
        return split.unseen_child
    is_missing = np.isnan(value) if kind == CONTINUOUS else value < 0
    return split.child_of(None if is_missing else value)


@pytest.mark.parametrize("make", [random_case, random_rich_case])
def test_new_rows_go_where_the_splits_say(make):
    for number in range(150 if make is random_case else 15):
        rng = np.random.default_rng([number, 41])
        case = make(rng)
        arrays, rows = case.by_core(), new_rows(case, rng, n_rows=60)
        expected = [walk(rows, arrays, row) for row in range(rows.n_rows)]
        assert rows.routed(arrays).tolist() == expected


def test_chunks_single_rows_and_threads_route_alike():
    rng = np.random.default_rng(42)
    case = random_rich_case(rng).with_rules(max_depth=0, max_leaf_nodes=0, min_gain=0.0)
    arrays, rows = case.by_core(), new_rows(case, rng, n_rows=1500)
    assert len(arrays["leaf_rows"]) > 20
    whole = rows.routed(arrays)
    for size in (1, 7, 256, 1000):
        starts = range(0, rows.n_rows, size)
        parts = [rows.take(np.arange(s, min(s + size, rows.n_rows))).routed(arrays) for s in starts]
        assert np.array_equal(np.concatenate(parts), whole)
    for threads in (2, 3, 7):
        assert np.array_equal(rows.routed(arrays, threads), whole)
