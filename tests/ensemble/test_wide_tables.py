"""Forests of wide tables: nodes copy the columns that they draw, and trees stay the same bytes."""

from dataclasses import replace

import numpy as np
import pytest

from tests.ensemble.forest_cases import DRAWS, SEEDS, ForestCase, some_forest
from tests.ensemble.test_category_forests import FORMS, SPLITTERS, some_codes
from tests.ensemble.test_forest_grower import check_forest
from tests.oracle_policies import Ask
from tests.oracle_units import BINARY, CATEGORICAL, CONTINUOUS, Rules
from tests.properties.cases import Case
from tests.properties.random_cases import (
    CATEGORY_GAINS,
    ORDINARY_COLUMNS,
    any_doubles,
    case_from,
    constant,
    many_neighbours,
    random_target,
    random_weights,
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


def mixed_forest(rng: np.random.Generator) -> ForestCase:
    """Hundreds of columns, a random share of them categories, of which nodes draw few."""
    n_rows, n_columns = int(rng.choice([8, 40, 150, 400])), int(rng.integers(300, 700))
    words = rng.random(n_columns) < rng.choice([0.1, 0.5, 0.9])
    columns = [some_codes(rng, n_rows) if is_word else smooth(rng, n_rows) for is_word in words]
    target, n_classes, criterion = random_target(rng, n_rows)
    case = Case(
        columns,
        [CATEGORICAL if is_word else CONTINUOUS for is_word in words],
        [n_rows if is_word else 0 for is_word in words],
        target,
        n_classes,
        random_weights(rng, n_rows),
        Rules(criterion, category_gain=str(rng.choice(CATEGORY_GAINS))),
    )
    asks = [Ask(str(rng.choice(FORMS)) if is_word else "threshold", "learn") for is_word in words]
    drawn = int(rng.choice([2, 9, n_columns // 25, n_columns // 3]))
    n_samples = int(rng.integers(1, int(case.kept.sum()) + 1))
    forest = ForestCase(replace(case, asks=asks), str(rng.choice(DRAWS)), n_samples, drawn)
    return replace(forest, splitter=str(rng.choice(SPLITTERS)))


@pytest.mark.parametrize("part", range(2))
def test_a_tree_of_a_wide_table_with_categories_is_the_single_tree(part: int):
    for i in range(30):
        check_forest(mixed_forest(np.random.default_rng([i, part, 53])), SEEDS[:3])


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
