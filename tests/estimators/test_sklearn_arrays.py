"""`tree_`: scikit-learn's arrays route every row as silva does."""

import copy
import json
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_graphviz

import silva
from silva import ModelFormatError, SplitKindError, TreeClassifier, TreeRegressor
from silva.estimators.sklearn_arrays import SklearnArrays
from silva.grow import criteria
from silva.model_file import store

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


def test_export_graphviz_of_a_poisson_tree():
    model = TreeRegressor(criterion="poisson").fit(np.arange(4.0)[:, None], [1, 2, 4, 8])
    assert f"poisson = {criteria.poisson([1, 2, 4, 8]):.3f}" in export_graphviz(model)


def test_a_tree_with_category_sets_names_the_split_kind():
    frame = pd.DataFrame({"colour": ["red", "green", "blue", "red"]})
    model = TreeClassifier(category_gain="plain").fit(frame, [1, 0, 0, 1])
    for name in SPLIT_ARRAYS:
        with pytest.raises(SplitKindError, match="Subset, column 'colour'"):
            getattr(model.tree_, name)
    assert model.tree_.node_count == 3
    assert model.tree_.value.shape == (3, 1, 2)
    assert "<3 nodes, 2 leaves, depth 1>" in repr(model.tree_)
    assert "TreeClassifier" in model._repr_html_()


def poisson_target(rng, n_rows):
    return rng.poisson(rng.uniform(0.2, 4.0, n_rows)).astype(float)


def mixed_rows(seed, n_rows=80):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(n_rows, 3)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    return rng, X


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    criterion=st.sampled_from(["gini", "entropy", "log_loss", "error", "gain_ratio"]),
    weighted=st.booleans(),
)
def test_the_impurity_of_class_nodes_is_that_of_their_rows(seed, criterion, weighted):
    rng, X = mixed_rows(seed)
    y = rng.integers(0, 3, len(X))
    weights = rng.integers(0, 4, len(X)).astype(float) if weighted else None
    model = TreeClassifier(criterion=criterion, min_samples_leaf=3).fit(X, y, weights)
    mass = np.ones(len(X)) if weights is None else weights
    formula = CLASS_IMPURITY[criterion]
    for node, rows in rows_of_nodes(model, X):
        counts = np.bincount(y[rows], mass[rows], minlength=3)
        assert model.tree_.impurity[node] == pytest.approx(formula(counts), abs=1e-12)
        assert model.tree_.value[node, 0] == pytest.approx(counts / counts.sum())
        assert model.tree_.weighted_n_node_samples[node] == counts.sum()


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    criterion=st.sampled_from(["squared_error", "poisson"]),
    weighted=st.booleans(),
    scale=st.sampled_from([1.0, 1e-300, 1e280]),
)
def test_the_impurity_of_regression_nodes_is_that_of_their_rows(seed, criterion, weighted, scale):
    rng, X = mixed_rows(seed)
    scale = scale if criterion == "poisson" else 1.0
    y = poisson_target(rng, len(X)) * scale
    y[0] = scale
    weights = rng.integers(1, 4, len(X)) * 0.5 if weighted else None
    model = TreeRegressor(criterion=criterion, min_samples_leaf=3).fit(X, y, weights)
    formula = {"squared_error": criteria.variance, "poisson": criteria.poisson}[criterion]
    for node, rows in rows_of_nodes(model, X):
        expected = formula(y[rows], None if weights is None else weights[rows])
        assert model.tree_.impurity[node] == pytest.approx(expected, abs=1e-9 * scale)
        assert model.tree_.value[node, 0, 0] == pytest.approx(
            np.average(y[rows], weights=None if weights is None else weights[rows])
        )


def rows_of_nodes(model, X):
    """The rows that pass each node, found by following every row."""
    passed = model.decision_path(X).toarray().astype(bool)
    return [(node, np.flatnonzero(passed[:, node])) for node in range(passed.shape[1])]


CLASS_IMPURITY = {
    "gini": criteria.gini,
    "entropy": criteria.entropy,
    "log_loss": criteria.entropy,
    "gain_ratio": criteria.entropy,
    "error": criteria.error,
}


@pytest.mark.parametrize("prune", [None, "reduced_error", "cost_complexity"])
@pytest.mark.parametrize("missing", ["learn", "majority"])
def test_the_poisson_impurity_after_pruning(prune, missing):
    rng, X = mixed_rows(3, 200)
    y = poisson_target(rng, len(X)) + 3.0 * (X[:, 0] > 2)
    model = TreeRegressor(criterion="poisson", prune=prune, missing=missing, random_state=0)
    tree = model.fit(X, y).tree_
    for node, rows in rows_of_nodes(model, X):
        assert tree.impurity[node] == pytest.approx(criteria.poisson(y[rows]), abs=1e-9)


def test_the_poisson_impurity_agrees_with_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)).astype(np.float32).astype(float)
    y = rng.poisson(np.exp(X[:, 0])).astype(float)
    options = {"criterion": "poisson", "max_depth": 3}
    ours = TreeRegressor(**options).fit(X, y).tree_
    theirs = DecisionTreeRegressor(**options, random_state=0).fit(X, y).tree_
    assert ours.feature.tolist() == theirs.feature.tolist()
    assert ours.impurity == pytest.approx(theirs.impurity, rel=1e-9, abs=1e-12)
    assert ours.compute_feature_importances(False) == pytest.approx(
        theirs.compute_feature_importances(False)
    )


def test_the_poisson_impurity_does_not_depend_on_the_order_of_rows():
    rng, X = mixed_rows(5, 300)
    y, order = poisson_target(rng, len(X)) * 0.1, rng.permutation(len(X))
    fit = TreeRegressor(criterion="poisson", max_depth=3).fit
    assert fit(X, y).tree_.impurity.tolist() == fit(X[order], y[order]).tree_.impurity.tolist()


def test_the_poisson_impurity_survives_pickle_copy_and_file(tmp_path):
    X, y = np.arange(8.0)[:, None], np.array([1, 0, 2, 4, 8, 7, 9, 30.0])
    model = TreeRegressor(criterion="poisson", max_leaf_nodes=3).fit(X, y)
    silva.save(model, tmp_path / "model.silva")
    for copied in [
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
        silva.load(tmp_path / "model.silva"),
    ]:
        assert copied.tree_.impurity.tolist() == model.tree_.impurity.tolist()


def test_a_poisson_tree_without_its_rows_goes_without_impurity():
    model = TreeRegressor(criterion="poisson").fit(np.arange(4.0)[:, None], [1, 2, 4, 8])
    shown = SklearnArrays(model.grown_tree_)
    with pytest.raises(ValueError, match=r"export_graphviz\(model, impurity=False\)"):
        _ = shown.impurity
    assert shown.value[0, 0, 0] == 3.75


def test_a_poisson_tree_edited_by_hand_shows_the_impurity_of_its_rows():
    X, y = np.arange(8.0)[:, None], np.array([1, 0, 2, 4, 8, 7, 9, 30.0])
    model = silva.edit.collapse(TreeRegressor(criterion="poisson").fit(X, y), 1, X, y)
    for node, rows in rows_of_nodes(model, X):
        assert model.tree_.impurity[node] == pytest.approx(criteria.poisson(y[rows]), abs=1e-9)


@pytest.mark.parametrize("found", [[0.5], ["a", 0.1], [-1.0, 0.0], "x", {"a": 1.0}, [1, 2]])
def test_a_file_with_another_deviance_is_refused(found, tmp_path):
    model = TreeRegressor(criterion="poisson", max_depth=1).fit([[0.0], [1.0]], [1.0, 2.0])
    path = tmp_path / "model.silva"
    silva.save(model, path)
    stored = store.parse(path.read_bytes())
    facts = json.loads(stored.extra["estimator"]) | {"leaf_deviance": found}
    store.save(stored.tree, path, {"estimator": json.dumps(facts)})
    with pytest.raises(ModelFormatError, match="leaf_deviance"):
        silva.load(path)


def test_a_file_of_another_criterion_has_no_deviance(tmp_path):
    path = tmp_path / "model.silva"
    silva.save(TreeRegressor(max_depth=1).fit([[0.0], [1.0]], [1.0, 2.0]), path)
    stored = store.parse(path.read_bytes())
    facts = json.loads(stored.extra["estimator"])
    assert "leaf_deviance" not in facts
    facts["leaf_deviance"] = [0.0, 0.0]
    store.save(stored.tree, path, {"estimator": json.dumps(facts)})
    with pytest.raises(ModelFormatError, match="leaf of a Poisson tree"):
        silva.load(path)


@pytest.mark.parametrize("seed", range(5))
def test_methods_agree_with_the_estimator_and_with_the_walk(seed):
    X = awkward_rows(60, seed)
    model = TreeClassifier().fit(X, np.random.default_rng(seed).integers(0, 3, len(X)))
    rows, tree = awkward_rows(100, seed + 1000), model.tree_
    ends = [walk(tree, row) for row in rows]
    assert tree.apply(rows).tolist() == ends
    assert tree.apply(rows).dtype == np.int64
    assert (tree.decision_path(rows) != model.decision_path(rows)).nnz == 0
    assert tree.predict(rows).tolist() == model.predict_proba(rows).tolist()
    depths = tree.compute_node_depths()
    assert np.diff(tree.decision_path(rows).indptr).tolist() == depths[ends].tolist()


def test_regression_values_have_one_column():
    tree = TreeRegressor().fit([[1.0], [3.0]], [0.0, 1.0]).tree_
    assert tree.predict(np.array([[0.0], [2.5]], dtype=np.float32)).tolist() == [[0.0], [1.0]]


def test_methods_work_for_every_kind_of_split():
    frame = pd.DataFrame({"colour": ["red", "green", "blue", "red"]})
    tree = TreeClassifier(category_gain="plain").fit(frame, [1, 0, 0, 1]).tree_
    assert tree.predict(frame)[:, 1].tolist() == [1.0, 0.0, 0.0, 1.0]
    assert tree.decision_path(frame).shape == (4, 3)
    assert tree.compute_feature_importances(normalize=False).tolist() == [0.5]


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_importances_are_those_of_the_estimator_and_of_scikit_learn(criterion):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 4)).astype(np.float32).astype(float)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    options = {"criterion": criterion, "max_depth": 3}
    model = TreeClassifier(**options).fit(X, y)
    theirs = DecisionTreeClassifier(**options, random_state=0).fit(X, y).tree_
    importances = model.tree_.compute_feature_importances
    assert importances().tolist() == pytest.approx(model.feature_importances_.tolist())
    assert importances(normalize=False) == pytest.approx(
        theirs.compute_feature_importances(normalize=False)
    )


def test_a_stump_without_a_split_has_no_importance():
    tree = TreeClassifier().fit([[0.0], [0.0]], [0, 1]).tree_
    assert tree.compute_feature_importances().tolist() == [0.0]


def test_the_state_has_the_fields_of_scikit_learn():
    X = np.array([[1.0], [2.0], [4.0], [np.nan]])
    ours = TreeClassifier().fit(X, [0, 0, 1, 1]).tree_
    theirs = DecisionTreeClassifier(random_state=0).fit(X, [0, 0, 1, 1]).tree_
    state, expected = ours.__getstate__(), theirs.__getstate__()
    assert state.keys() == expected.keys()
    assert state["nodes"].dtype == expected["nodes"].dtype
    for name in set(expected["nodes"].dtype.names) - {"threshold"}:
        assert state["nodes"][name].tolist() == expected["nodes"][name].tolist()
    assert state["values"].tolist() == expected["values"].tolist()


def test_every_attribute_of_scikit_learns_tree_is_there_with_its_type():
    X, y = np.arange(6.0)[:, None], [0, 0, 1, 1, 0, 0]
    ours = TreeClassifier().fit(X, y).tree_
    theirs = DecisionTreeClassifier(random_state=0).fit(X, y).tree_
    public = {name for name in dir(theirs) if not name.startswith("_")}
    assert public - set(dir(ours)) == {"compute_partial_dependence"}
    for name in public - {"compute_partial_dependence"}:
        expected, shown = getattr(theirs, name), getattr(ours, name)
        if isinstance(expected, np.ndarray):
            assert (shown.dtype, shown.shape) == (expected.dtype, expected.shape), name
        elif not callable(expected):
            assert shown == expected, name


def test_the_arrays_pickle_and_copy_alone():
    tree = TreeRegressor(criterion="poisson").fit([[1.0], [3.0]], [1.0, 2.0]).tree_
    for copied in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree)):
        assert copied.impurity.tolist() == tree.impurity.tolist()
        assert copied.threshold.tolist() == tree.threshold.tolist()


def test_export_graphviz_shows_the_threshold_below_zero_with_its_sign():
    model = TreeClassifier().fit([[-1.0], [1.0]], [0, 1])
    assert model.predict([[0.0], [-0.0], [-5e-324]]).tolist() == [1, 1, 0]
    assert model.tree_.threshold[0] == -5e-324
    assert "x[0] <= -0.0" in export_graphviz(model)
