"""One tree by any number of threads: the same bytes, at sizes beyond every limit of the core."""

import pickle
from typing import Any

import numpy as np
import pandas
import pytest

from silva import TreeClassifier, TreeRegressor

ROWS = 70_000
"""More than two parts of rows, several subtrees of one thread, and many compact ones."""
COUNTS = (1, 2, 3, 5, 16)


@pytest.fixture(scope="module")
def table() -> pandas.DataFrame:
    """Columns of every form: sorted, with ties and holes, coded, bits, categories, constant."""
    random = np.random.default_rng(5)
    numbers = random.standard_normal((4, ROWS)).astype(np.float32)
    numbers[1] = np.round(numbers[1], 2)
    numbers[2, random.random(ROWS) < 0.1] = np.nan
    return pandas.DataFrame(
        {
            "normal": numbers[0],
            "ties": numbers[1],
            "holes": numbers[2],
            "close": 1.0 + numbers[3].astype(np.float64) * 2.0**-40,
            "coded": random.integers(0, 9, ROWS),
            "bit": random.integers(0, 2, ROWS),
            "level": pandas.Categorical.from_codes(random.integers(0, 30, ROWS), list(range(30))),
            "constant": 1.0,
        }
    )


def signal(table: pandas.DataFrame) -> np.ndarray:
    """Depends on columns of several forms, with noise that makes the tree deep."""
    noise = np.random.default_rng(6).normal(size=ROWS)
    known = np.nan_to_num(table["holes"])
    return np.asarray(table["normal"] * table["ties"] + known + (table["coded"] > 4) + noise)


def weights() -> np.ndarray:
    return np.random.default_rng(7).integers(0, 4, ROWS).astype(np.float64)


@pytest.mark.parametrize(
    ("choices", "weighted"),
    [
        ({}, False),
        ({"max_depth": 8}, True),
        ({"criterion": "entropy", "max_features": 3, "random_state": 1}, False),
        ({"max_depth": 9, "splits": "multiway"}, True),
        ({"max_depth": 6, "missing": "own_branch"}, False),
        ({"max_leaf_nodes": 60}, False),
    ],
)
def test_classes(table: pandas.DataFrame, choices: dict[str, Any], weighted: bool) -> None:
    y = np.digitize(signal(table), [-0.5, 1.5])
    check(TreeClassifier, choices, table, y, weights() if weighted else None)


@pytest.mark.parametrize("weighted", [False, True])
def test_numbers(table: pandas.DataFrame, weighted: bool) -> None:
    check(TreeRegressor, {"max_depth": 11}, table, signal(table), weights() if weighted else None)


def test_more_classes_than_rows_of_most_nodes(table: pandas.DataFrame) -> None:
    y = np.random.default_rng(8).integers(0, 3000, ROWS)
    check(TreeClassifier, {"max_depth": 7}, table[["normal", "ties", "level"]], y, None)


def check(
    make: type, choices: dict[str, Any], table: pandas.DataFrame, y: np.ndarray, weights: Any
) -> None:
    models = [make(n_jobs=n, **choices).fit(table, y, weights) for n in COUNTS]
    trees = [pickle.dumps(model.grown_tree_) for model in models]
    assert models[0].get_n_leaves() > 30
    assert [tree == trees[0] for tree in trees] == [True] * len(COUNTS)
