"""`tree_`: scikit-learn's arrays route every row as silva does."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import export_graphviz

from silva import SplitKindError, TreeClassifier, TreeRegressor

SPLIT_ARRAYS = ["children_left", "children_right", "feature", "threshold", "missing_go_to_left"]


def walk(tree, row) -> int:
    """scikit-learn's rule, written out."""
    node = 0
    while tree.children_left[node] >= 0:
        value = row[tree.feature[node]]
        known = value <= tree.threshold[node]
        left = tree.missing_go_to_left[node] if np.isnan(value) else known
        node = tree.children_left[node] if left else tree.children_right[node]
    return node


def awkward_rows(n_rows: int, seed: int) -> np.ndarray:
    """Values on a coarse grid, so thresholds are met exactly; infinities, NaN and both zeros."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(-3, 4, size=(n_rows, 3)).astype(float)
    special = [-np.inf, np.inf, np.nan, -0.0, np.finfo(float).max, -np.finfo(float).max, 5e-324]
    chosen = rng.random(rows.shape) < 0.3
    rows[chosen] = rng.choice(special, size=chosen.sum())
    return rows


@pytest.mark.parametrize("seed", range(20))
def test_rows_at_the_thresholds_end_in_the_same_leaf(seed):
    X = awkward_rows(60, seed)
    model = TreeClassifier().fit(X, np.random.default_rng(seed).integers(0, 3, len(X)))
    meeting = [awkward_rows(100, seed + 1000), X]
    for node, column in enumerate(model.tree_.feature):
        if column >= 0 and np.isfinite(model.tree_.threshold[node]):
            at_threshold = np.zeros((3, 3))
            shown = model.tree_.threshold[node]
            with np.errstate(over="ignore"):
                at_threshold[:, column] = [shown, np.nextafter(shown, np.inf), shown + 1]
            meeting.append(at_threshold)
    rows = np.vstack(meeting)
    assert [walk(model.tree_, row) for row in rows] == model.apply(rows).tolist()


def test_a_value_equal_to_the_threshold_goes_right():
    model = TreeRegressor().fit([[1.0], [3.0]], [0.0, 1.0])
    assert model.tree_.threshold.tolist() == [np.nextafter(2.0, -np.inf), -2.0, -2.0]
    assert model.predict([[2.0]]).tolist() == [1.0]
    assert walk(model.tree_, [2.0]) == 2


def test_missing_against_the_rest_is_shown_as_scikit_learn_does():
    X = np.array([[1.0], [-np.inf], [np.inf], [np.nan], [np.nan]])
    model = TreeClassifier().fit(X, [0, 0, 0, 1, 1])
    assert model.tree_.threshold[0] == np.inf
    assert model.tree_.missing_go_to_left[0] == 0
    assert [walk(model.tree_, row) for row in X] == model.apply(X).tolist()


def test_leaves_have_scikit_learns_markers():
    tree = TreeClassifier().fit([[0.0], [1.0]], [0, 1]).tree_
    assert tree.children_left.tolist() == [1, -1, -1]
    assert tree.children_right.tolist() == [2, -1, -1]
    assert tree.feature.tolist() == [0, -2, -2]
    assert tree.value.tolist() == [[[0.5, 0.5]], [[1.0, 0.0]], [[0.0, 1.0]]]
    assert tree.n_node_samples.tolist() == [2, 1, 1]


def test_weights_show_in_the_arrays():
    tree = TreeRegressor().fit([[0.0], [1.0]], [0.0, 4.0], sample_weight=[1.5, 0.5]).tree_
    assert tree.weighted_n_node_samples.tolist() == [2.0, 1.5, 0.5]
    assert tree.value.ravel().tolist() == [1.0, 0.0, 4.0]
    assert tree.impurity.tolist() == [3.0, 0.0, 0.0]


def test_export_graphviz_is_right_at_equality():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    model = TreeClassifier().fit(X, ["a", "b", "b", "a"])
    dot = export_graphviz(model, precision=17, class_names=model.classes_.tolist())
    rules = {
        int(node): float(limit)
        for node, limit in re.findall(r"(\d+) \[label=\"x\[0\] <= (\S+?)\\n", dot)
    }
    edges = re.findall(r"^(\d+) -> (\d+)", dot, re.MULTILINE)
    children = {int(node): [] for node, _ in edges}
    for node, child in edges:
        children[int(node)].append(int(child))

    def follow(value: float) -> int:
        node = 0
        while node in rules:
            node = children[node][0 if value <= rules[node] else 1]
        return node

    for value in [-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 9.0]:
        assert follow(value) == model.apply([[value]])[0]


def test_export_graphviz_of_a_regression_tree():
    model = TreeRegressor(max_depth=2).fit(np.arange(8.0)[:, None], np.arange(8.0))
    assert "squared_error = 5.25" in export_graphviz(model)
    assert "value = 3.5" in export_graphviz(model, filled=True)


def test_export_graphviz_of_a_poisson_tree_goes_without_impurity():
    model = TreeRegressor(criterion="poisson").fit(np.arange(4.0)[:, None], [1, 2, 4, 8])
    with pytest.raises(ValueError, match=r"export_graphviz\(model, impurity=False\)"):
        export_graphviz(model)
    assert "value = 3.75" in export_graphviz(model, impurity=False)


def test_a_tree_with_category_sets_names_the_split_kind():
    frame = pd.DataFrame({"colour": ["red", "green", "blue", "red"]})
    model = TreeClassifier().fit(frame, [1, 0, 0, 1])
    for name in SPLIT_ARRAYS:
        with pytest.raises(SplitKindError, match="Subset, column 'colour'"):
            getattr(model.tree_, name)
    assert model.tree_.node_count == 3
    assert model.tree_.value.shape == (3, 1, 2)
    assert "<3 nodes, 2 leaves, depth 1>" in repr(model.tree_)
    assert "TreeClassifier" in model._repr_html_()
