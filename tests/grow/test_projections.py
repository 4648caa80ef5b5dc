"""Oblique and distance splits as the core grows them."""

from typing import Any

import numpy as np
import pytest

from silva import _core
from tests.properties.cases import with_empty_tables

OBLIQUE, DISTANCE = 4, 5
EUCLIDEAN, MANHATTAN, COSINE, MAHALANOBIS = range(4)
LEARN, MAJORITY, OWN_BRANCH, STOP, ERROR = range(5)


def oblique(n_columns: int, margin: float = 0.1) -> dict[str, Any]:
    columns = list(range(n_columns))
    return {"columns": columns, "max_columns": 5, "margin": margin, "max_levels": 10}


def distance(n_columns: int, *metrics: int) -> dict[str, Any]:
    columns = list(range(n_columns))
    return {"columns": columns, "metrics": list(metrics), "prototypes": 4, "margin": 0.1}


def grow(rows: np.ndarray, target: np.ndarray, **choices: Any) -> dict[str, Any]:
    n_columns = rows.shape[1]
    classes = target.dtype == np.int32
    asked: dict[str, Any] = {
        "criterion": "gini" if classes else "squared_error",
        "splitter": "best",
        "max_depth": 0,
        "min_samples_split": 2,
        "min_samples_leaf": 1,
        "min_weight_fraction_leaf": 0.0,
        "max_leaf_nodes": 0,
        "min_impurity_decrease": 0.0,
        "min_gain": 0.0,
        "max_features": n_columns,
        "seed": 0,
        "split_forms": [0] * n_columns,
        "missing": [LEARN] * n_columns,
        "unseen": [MAJORITY] * n_columns,
        "breakpoints": False,
        "fair_categories": False,
        "oblique": None,
        "distance": None,
        "threads": 1,
    }
    kinds = [0] * n_columns
    n_classes = int(target.max()) + 1 if classes else 0
    columns = [np.ascontiguousarray(column) for column in rows.T]
    grown = _core.grow(columns, kinds, kinds, target, None, n_classes, **(asked | choices))
    return with_empty_tables(grown)


def normal(n_rows: int, n_columns: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n_rows, n_columns))


def test_a_plane_between_classes_is_one_sparse_split_of_raw_values() -> None:
    rows = normal(3000, 6) * [1, 10, 100, 1, 1, 1]
    target = (rows[:, 0] + rows[:, 1] / 10 - rows[:, 2] / 100 > 0).astype(np.int32)
    tree = grow(rows, target, oblique=oblique(6))
    assert tree["split_kind"].tolist() == [OBLIQUE, 0, 0]
    assert tree["oblique_column"].tolist() == [0, 1, 2]
    assert tree["oblique_weight"] == pytest.approx([1, 0.1, -0.01], rel=0.01)
    left = rows[:, :3] @ tree["oblique_weight"] < tree["oblique_threshold"][0]
    assert np.array_equal(left, target == 0)


@pytest.mark.parametrize("metric", [EUCLIDEAN, MAHALANOBIS])
def test_a_ball_is_one_split_around_a_training_row(metric: int) -> None:
    rows = normal(500, 3)
    rows[7] = 0
    target = (np.linalg.norm(rows, axis=1) < 1).astype(np.int32)
    tree = grow(rows, target, distance=distance(3, metric), max_depth=1)
    assert tree["split_kind"][0] == DISTANCE
    assert tree["distance_metric"].tolist() == [metric]
    assert any(np.array_equal(tree["distance_center"], row) for row in rows)
    assert len(tree["distance_matrix"]) == (9 if metric == MAHALANOBIS else 0)
    assert tree["gain"][0] > 3 * grow(rows, target, max_depth=1)["gain"][0]


def test_regression_takes_the_slope() -> None:
    rows = normal(2000, 4)
    tree = grow(rows, rows[:, 1] - 2 * rows[:, 3], oblique=oblique(4), max_depth=1)
    assert tree["split_kind"][0] == OBLIQUE
    assert tree["oblique_column"].tolist() == [1, 3]
    assert tree["oblique_weight"] == pytest.approx([0.5, -1], rel=0.1)


def test_the_margin_is_that_of_the_gain() -> None:
    rows = normal(400, 2)
    target = (rows.sum(axis=1) > 0).astype(np.int32)
    ratio = grow(rows, target, oblique=oblique(2))["gain"][0] / grow(rows, target)["gain"][0]
    below, above = (oblique(2, margin=(ratio - 1) * factor) for factor in (0.99, 1.01))
    assert grow(rows, target, oblique=below)["split_kind"][0] == OBLIQUE
    assert grow(rows, target, oblique=above)["split_kind"][0] != OBLIQUE


@pytest.mark.parametrize(
    ("policies", "children", "missing_child"),
    [
        ([LEARN, LEARN], 2, 1),
        ([MAJORITY, OWN_BRANCH], 3, 2),
        ([STOP, OWN_BRANCH], 2, -1),
        ([LEARN, ERROR], 2, -1),
    ],
)
def test_the_strictest_policy_holds(policies: list[int], children: int, missing_child: int) -> None:
    rows = normal(400, 2)
    target = (rows.sum(axis=1) > 0).astype(np.int32)
    rows[:20, 1], target[:20] = np.nan, 1
    tree = grow(rows, target, oblique=oblique(2), missing=policies, max_depth=1)
    assert tree["split_kind"][0] == OBLIQUE
    assert tree["child_start"][1] == children
    assert tree["oblique_missing"].tolist() == [missing_child]


def test_the_tree_is_the_same_for_any_number_of_threads() -> None:
    rows = normal(12_000, 3)
    noise = np.random.default_rng(1).normal(size=12_000)
    target = np.digitize(rows[:, 0] + rows[:, 1] + noise, [-1, 1]).astype(np.int32)
    choices = {
        "oblique": oblique(3, margin=0.0),
        "distance": distance(3, EUCLIDEAN, MANHATTAN, COSINE, MAHALANOBIS),
        "min_samples_leaf": 20,
    }
    one, many = (grow(rows, target, threads=threads, **choices) for threads in (1, 4))
    assert all(np.array_equal(one[name], many[name]) for name in one)
    assert {OBLIQUE, DISTANCE} <= set(one["split_kind"].tolist())
