"""Forests of wide tables: nodes copy the columns that they draw, and trees stay the same bytes."""

from dataclasses import replace

import numpy as np
import pytest

from tests.ensemble.forest_cases import SEEDS, ForestCase, some_forest
from tests.ensemble.test_forest_grower import check_forest
from tests.oracle_units import BINARY, CONTINUOUS
from tests.properties.cases import Case
from tests.properties.random_cases import (
    ORDINARY_COLUMNS,
    any_doubles,
    case_from,
    constant,
    many_neighbours,
    small_integers,
    smooth,
)

SHAPES = (smooth, smooth, small_integers, any_doubles, many_neighbours, constant)


def wide_case(rng: np.random.Generator) -> Case:
    """A random target, and hundreds of columns: different values, ties, bits, constants."""
    n_rows = int(rng.choice([1, 2, 5, 30, 150, 400]))
    case = case_from(rng, n_rows, ORDINARY_COLUMNS)
    n_columns = int(rng.integers(200, 700))
    columns = [np.nan_to_num(SHAPES[i](rng, n_rows)) for i in rng.integers(len(SHAPES), size=8)]
    columns.append(rng.integers(0, 2, n_rows).astype("u1"))
    order = rng.integers(len(columns), size=n_columns)
    kinds = [BINARY if i == len(columns) - 1 else CONTINUOUS for i in order]
    shuffled = [columns[i][rng.permutation(n_rows)] for i in order]
    levels = [2 if kind == BINARY else 0 for kind in kinds]
    wide = replace(case, columns=shuffled, kinds=kinds, n_levels=levels)
    return wide.with_rules(max_leaf_nodes=int(rng.choice([0, 0, 5, n_rows])))


def wide_forest(rng: np.random.Generator) -> ForestCase:
    forest = some_forest(rng, wide_case(rng))
    n_columns = len(forest.case.columns)
    drawn = int(rng.choice([1, 3, 20, n_columns // 30, n_columns // 3, n_columns - 1]))
    return replace(forest, max_features=drawn)


@pytest.mark.parametrize("part", range(4))
def test_a_tree_of_a_wide_table_is_the_single_tree(part: int):
    for i in range(40):
        check_forest(wide_forest(np.random.default_rng([i, part, 52])), SEEDS[:3])


@pytest.mark.parametrize("splitter", ["best", "random"])
def test_all_columns_are_drawn_before_a_node_gives_up(splitter: str):
    """Only one column of many can split the rows: whatever is drawn first, it is found."""
    target = np.arange(8, dtype=np.int32) % 2
    columns = [np.zeros(8) for _ in range(1000)]
    columns[777] = target.astype(np.float64)
    case = Case(columns, [CONTINUOUS] * 1000, [0] * 1000, target, 2)
    forest = ForestCase(case, "all", 8, 1, splitter)
    for tree in forest.grower().grow(SEEDS, 1):
        assert tree["threshold_column"].tolist() == [777]
    check_forest(forest)


def test_columns_of_a_wide_table_are_drawn_alike():
    """The root splits by the only column that it draws."""
    rng = np.random.default_rng(3)
    n_columns, n_trees = 300, 6000
    columns = [rng.normal(size=4) for _ in range(n_columns)]
    target = np.array([0, 0, 1, 1], dtype=np.int32)
    case = Case(columns, [CONTINUOUS] * n_columns, [0] * n_columns, target, 2)
    forest = ForestCase(case.with_rules(max_depth=1), "all", 4, 1)
    trees = forest.grower().grow(list(range(n_trees)), 1)
    counts = np.bincount([tree["threshold_column"][0] for tree in trees], minlength=n_columns)
    expected = n_trees / n_columns
    chi_squared = ((counts - expected) ** 2 / expected).sum()
    degrees = n_columns - 1
    assert abs(chi_squared - degrees) < 5 * np.sqrt(2 * degrees)
