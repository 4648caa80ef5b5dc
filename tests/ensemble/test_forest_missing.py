"""Trees of forests whose columns have missing values are the single trees of their rows."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from tests.ensemble.forest_cases import DRAWS, SEEDS, ForestCase, forests
from tests.ensemble.missing_cases import CRITERIA, missing_case, missing_problems, weights_for
from tests.ensemble.test_forest_grower import check_forest
from tests.properties.cases import same_bytes

PAIRS = [(n_classes, criterion) for n_classes, names in CRITERIA.items() for criterion in names]


def max_features(rng: np.random.Generator, n_columns: int) -> int:
    """Some of the columns, or all."""
    return int(rng.integers(1, n_columns + 1))


@given(forests(missing_problems()))
def test_a_tree_of_a_forest_is_the_single_tree(forest: ForestCase):
    check_forest(forest, SEEDS[:3])


@pytest.mark.parametrize(("n_classes", "criterion"), PAIRS)
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_nodes_of_every_size(n_classes: int, criterion: str, splitter: str):
    for i, n_rows in enumerate((5, 30, 60, 100, 140, 250, 400, 1_500, 9_000)):
        rng = np.random.default_rng([n_rows, n_classes])
        case = missing_case(rng, n_rows, n_classes, criterion)
        case = replace(case, weights=weights_for(rng, n_rows))
        for least in (1, 4):
            for draw in DRAWS if n_rows < 1_000 else DRAWS[i % 3 : i % 3 + 1]:
                limited = case.with_rules(min_samples_leaf=least)
                n_drawn = min(n_rows, int(case.kept.sum()))
                features = max_features(rng, len(case.columns))
                check_forest(ForestCase(limited, draw, n_drawn, features, splitter), [3, 4])


@pytest.mark.parametrize("n_classes", [2, 5, 0])
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_tables_whose_top_nodes_read_their_rows_in_place(n_classes: int, splitter: str):
    rng = np.random.default_rng(n_classes)
    case = missing_case(rng, 14_000, n_classes, CRITERIA[n_classes][0], 180)
    for draw in DRAWS:
        check_forest(ForestCase(case, draw, 14_000, 9, splitter), [3])


@pytest.mark.parametrize("n_rows", [66_500, 80_000])
@pytest.mark.parametrize("n_classes", [2, 5, 0])
def test_more_ranks_than_16_bits_have(n_rows: int, n_classes: int):
    rng = np.random.default_rng([n_rows, n_classes])
    case = missing_case(rng, n_rows, n_classes, CRITERIA[n_classes][0])
    case.columns[0][:] = rng.normal(size=n_rows)
    case.columns[3][:] = rng.normal(size=n_rows)
    case.columns[3][rng.random(n_rows) < 0.1] = np.nan
    case.columns[0][rng.choice(n_rows, 960, replace=False)] = np.nan  # 65,540 others of 66,500
    case = case.with_rules(min_samples_leaf=1, min_samples_split=50)
    check_forest(ForestCase(case, "all", n_rows, 3, "best"), [5])


@pytest.mark.parametrize("splitter", ["best", "random"])
def test_bags_without_the_missing_rows(splitter: str):
    """A column that a bag knows completely is split as a complete one."""
    rng = np.random.default_rng(8)
    case = missing_case(rng, 200, 2, "gini")
    for column in case.columns:
        column[np.isnan(column)] = 0.5
        column[:2] = np.nan
    forest = ForestCase(case, "subsample", 60, 3, splitter)
    assert any(not forest.counts(seed)[:2].any() for seed in range(8))
    check_forest(forest, list(range(8)))


@pytest.mark.parametrize("splitter", ["best", "random"])
def test_rows_out_of_the_bag_follow_missing_values(splitter: str):
    rng = np.random.default_rng(3)
    for n_classes, criterion in PAIRS:
        case = missing_case(rng, 300, n_classes, criterion)
        forest = ForestCase(case, "bootstrap", 300, 3, splitter)
        slow, grower = forest.oob_by_routing(SEEDS), forest.grower(oob=True)
        grower.grow(SEEDS, 2)
        for name, values in grower.oob_sums().items():
            np.testing.assert_array_equal(values, slow[name], err_msg=name)


def test_the_same_bytes_for_any_threads():
    case = missing_case(np.random.default_rng(5), 3_000, 2, "gini")
    forest = ForestCase(case, "bootstrap", 3_000, 3)
    wanted = forest.grower().grow(list(range(9)), 1)
    for threads in (2, 5):
        assert all(map(same_bytes, forest.grower().grow(list(range(9)), threads), wanted))
