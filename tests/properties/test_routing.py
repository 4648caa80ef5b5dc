"""Rows that training never saw: the core routes them as a walk by hand does."""

from dataclasses import replace

import numpy as np
import pytest

from tests.oracle_compare import split_from_arrays
from tests.oracle_splits import STOP, UNSEEN, child_of
from tests.oracle_units import CONTINUOUS
from tests.properties.cases import Case
from tests.properties.policy_cases import random_policy_case
from tests.properties.random_cases import EXTREME_VALUES, random_case, random_rich_case
from tests.properties.random_trees import random_tree

UNSEEN_CODE = -2


def new_rows(case: Case, rng: np.random.Generator, n_rows: int) -> Case:
    """Rows with any value, missing and unseen ones too, for the columns of `case`."""
    columns = [
        new_values(column, rng, n_rows)
        if kind == CONTINUOUS
        else rng.integers(UNSEEN_CODE, n_levels, n_rows).astype(np.int32)
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


def cell_of(kind: int, value: float) -> float | int | str | None:
    if kind == CONTINUOUS:
        return None if np.isnan(value) else float(value)
    return {-1: None, UNSEEN_CODE: UNSEEN}.get(int(value), int(value))


def walk(case: Case, arrays: dict, row: int) -> int:
    """The node where a row's walk ends: a leaf, or an inner node that stops it."""
    columns = zip(case.kinds, case.columns, strict=True)
    cells = [cell_of(kind, column[row]) for kind, column in columns]
    node = 0
    while (split := split_from_arrays(arrays, node)) is not None:
        child = child_of(split, cells)
        if child == STOP:
            break
        node = int(arrays["child"][arrays["child_start"][node] + child])
    return node


def walks(case: Case, arrays: dict) -> list[int]:
    return [walk(case, arrays, row) for row in range(case.n_rows)]


@pytest.mark.parametrize("make", [random_case, random_policy_case, random_rich_case])
def test_new_rows_go_where_the_splits_say(make):
    for number in range(15 if make is random_rich_case else 150):
        rng = np.random.default_rng([number, 41])
        case = make(rng)
        arrays, rows = case.by_core(), new_rows(case, rng, n_rows=60)
        assert rows.routed(arrays).tolist() == walks(rows, arrays), number


def test_chunks_single_rows_and_threads_route_alike():
    rng = np.random.default_rng(42)
    case = random_rich_case(rng).with_rules(max_depth=0, max_leaf_nodes=0, min_gain=0.0)
    arrays, rows = case.by_core(), new_rows(case, rng, n_rows=1500)
    assert len(arrays["leaf_rows"]) > 20
    assert_routes_alike(rows, arrays)


def assert_routes_alike(rows: Case, arrays: dict) -> None:
    whole = rows.routed(arrays)
    for size in (1, 7, 256, 1000):
        starts = range(0, rows.n_rows, size)
        parts = [rows.take(np.arange(s, min(s + size, rows.n_rows))).routed(arrays) for s in starts]
        assert np.array_equal(np.concatenate(parts), whole)
    for threads in (2, 3, 7):
        assert np.array_equal(rows.routed(arrays, threads), whole)


KINDS_OF_SPLIT = ("threshold", "subset", "multiway", "oblique", "distance")


@pytest.mark.parametrize("kinds", [*((kind,) for kind in KINDS_OF_SPLIT), KINDS_OF_SPLIT])
def test_every_kind_of_split_routes_as_by_hand(kinds: tuple[str, ...]):
    """Trees drawn at random: own branches, STOP, levels that no split lists, NaN, infinity."""
    stopped = 0
    for number in range(120):
        rng = np.random.default_rng([number, 43])
        case, arrays = random_tree(rng, kinds)
        expected = walks(case, arrays)
        assert case.routed(arrays).tolist() == expected, f"random tree {number}"
        stopped += int((arrays["split_kind"][expected] != 0).sum())
    assert stopped > 50


def test_chunks_and_threads_route_alike_through_every_kind_of_split():
    for number in range(4):
        case, arrays = random_tree(np.random.default_rng([number, 44]), KINDS_OF_SPLIT, 1200)
        assert_routes_alike(case, arrays)
