"""The size path against explicit refits and predictions of every pruned tree."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

import silva
from silva.data.bind import bind_codes, bind_prediction
from silva.data.table import Target
from silva.errors import PlanError
from silva.inspect.path_depths import path_depths
from silva.inspect.size_path import LEAST_ALPHA
from silva.inspect.summary import depth
from silva.prune import cost_complexity
from silva.prune.costs import ended_costs
from silva.prune.cross_validation import path_costs
from silva.tree import route, stats
from silva.tree.collapse import collapse


def mixed(seed, n_rows=120):
    """Numbers with many ties, categories and missing values."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"x": rng.integers(0, 12, n_rows) * 1.0, "z": rng.normal(size=n_rows)})
    table["kind"] = rng.choice(["a", "b", "c"], n_rows)
    table.loc[rng.random(n_rows) < 0.1, ["x", "kind"]] = None
    signal = table["x"].fillna(0).to_numpy() + 3 * (table["kind"] == "a").to_numpy()
    return table, signal + 2 * rng.normal(size=n_rows), rng


def target_of(model, signal):
    if isinstance(model, silva.TreeRegressor):
        return signal
    return np.array(["low", "middle", "high"])[np.digitize(signal, [3.0, 8.0])]


def error_of(model, table, target, weights=None):
    told = model.predict(table)
    if isinstance(model, silva.TreeRegressor):
        return np.average((told - target) ** 2, weights=weights)
    return np.average(told != target, weights=weights)


MODELS = [
    silva.TreeClassifier(),
    silva.TreeClassifier(missing="stop", criterion="entropy"),
    silva.TreeClassifier(leaf="m_estimate", splits="multiway", min_samples_leaf=3),
    silva.TreeClassifier(ccp_alpha=0.1, max_leaf_nodes=9),
    silva.TreeRegressor(),
    silva.TreeRegressor(missing="own_branch", max_depth=4),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: str(model)[:60])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_tree_is_the_one_that_a_refit_gives(model, weighted):
    table, signal, rng = mixed(1)
    target = target_of(model, signal)
    weights = rng.integers(0, 4, len(table)) * 0.5 if weighted else None
    new, new_signal, _ = mixed(2)
    new_target = target_of(model, new_signal)
    found = silva.size_path(
        model, table, target, None, sample_weight=weights, X_val=new, y_val=new_target
    )
    assert found.cv is None
    assert found.leaves[-1] == 1
    for place, alpha in enumerate(found.alphas):
        refit = clone(model).set_params(ccp_alpha=alpha).fit(table, target, weights)
        assert (refit.get_n_leaves(), refit.get_depth()) == (
            found.leaves[place],
            found.depths[place],
        )
        wanted = error_of(refit, table, target, weights)
        assert found.train[place] == pytest.approx(wanted, abs=1e-12)
        wanted = error_of(refit, new, new_target)
        assert found.validation[place] == pytest.approx(wanted, abs=1e-12)
    assert found.best == np.flatnonzero(found.validation == found.validation.min())[-1]
    assert found.one_se is None


@pytest.mark.parametrize("model", MODELS, ids=lambda model: str(model)[:60])
def test_folds_are_refits_at_the_geometric_means(model):
    table, signal, _ = mixed(3, n_rows=80)
    target = target_of(model, signal)
    found = silva.size_path(model, table, target, cv=4, seed=5)
    kind = KFold if isinstance(model, silva.TreeRegressor) else StratifiedKFold
    folds = list(kind(4, shuffle=True, random_state=5).split(table, target))
    means = np.append(np.sqrt(found.alphas[:-1]) * np.sqrt(found.alphas[1:]), 1e9)
    errors = np.empty((4, len(means)))
    for fold, (kept, left) in enumerate(folds):
        for place, alpha in enumerate(means):
            refit = clone(model).set_params(ccp_alpha=alpha)
            refit.fit(table.iloc[kept], target[kept])
            errors[fold, place] = error_of(refit, table.iloc[left], target[left])
    sizes = [len(left) for _, left in folds]
    assert found.cv == pytest.approx(np.average(errors, axis=0, weights=sizes))
    assert found.cv_spread == pytest.approx(errors.std(axis=0, ddof=1) / 2)
    best = max(np.flatnonzero(found.cv == found.cv.min()))
    within = np.flatnonzero(found.cv <= found.cv[best] + found.cv_spread[best])
    assert (found.best, found.one_se) == (best, within[-1])
    assert found.folds == 4


def test_errors_of_random_cuts():
    """Any nested order of cuts, not only the path's; against collapsing and routing again."""
    for seed in range(40):
        table, signal, rng = mixed(seed, n_rows=60)
        model = [silva.TreeRegressor(), silva.TreeClassifier(missing="stop")][seed % 2]
        model.fit(table, target_of(model, signal))
        tree = model.grown_tree_
        new, new_signal, _ = mixed(seed + 100, n_rows=40)
        bound = bind_prediction(new, tree.schema)
        truth = new_signal
        if tree.classes is not None:
            truth = bind_codes(target_of(model, new_signal), tree.classes)
        weights = rng.random(40)
        ends, target = route.leaves(tree, bound), Target(tree.task, truth, tree.classes, weights)
        costs = ended_costs(tree, ends, target)
        order = cut_order(tree, rng)
        errors = costs.errors(path_costs(tree, np.array(order, dtype=np.int64), costs))
        depths = path_depths(tree, order)
        for step in range(len(order) + 1):
            smaller = collapse(tree, order[:step])
            assert errors[step] == pytest.approx(error_on(smaller, bound, target))
            assert depths[step] == depth(smaller)


def error_on(tree, table, target):
    ends = route.leaves(tree, table)
    if tree.classes is None:
        wrong = (target.values - stats.node_mean(tree)[ends]) ** 2
    else:
        wrong = target.values != stats.node_class_units(tree).argmax(axis=1)[ends]
    return np.average(wrong, weights=target.weights)


def cut_order(tree, rng):
    """Inner nodes in an order in which none lies below an earlier one."""
    order, gone = [], np.zeros(tree.n_nodes, dtype=bool)
    for node in rng.permutation(np.flatnonzero(~tree.is_leaf)).tolist():
        if not gone[node]:
            order.append(node)
            gone[node : tree.subtree_end[node]] = True
    return order


def test_class_weights_and_given_folds():
    table, signal, _ = mixed(4)
    model = silva.TreeClassifier(class_weight="balanced", max_depth=4)
    target = target_of(model, signal)
    found = silva.size_path(model, table, target, cv=KFold(3))
    counts = pd.Series(target).value_counts()
    weights = np.array([len(target) / (3 * counts[label]) for label in target])
    refit = clone(model).fit(table, target)
    assert found.train[0] == pytest.approx(error_of(refit, table, target, weights))
    assert found.train[-1] == pytest.approx(2 / 3)
    assert found.folds == 3


def test_cuts_that_cost_nothing_have_an_alpha_above_zero():
    corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, dtype=float)
    answer = (corners[:, 0] != corners[:, 1]) & (np.arange(20) > 3)
    found = silva.size_path(silva.TreeClassifier(), corners, answer, cv=None)
    assert found.alphas[0] == 0.0
    flat = np.ones((6, 1))
    flat[:3] = 0.0
    found = silva.size_path(silva.TreeClassifier(), flat, [0, 1, 1, 0, 1, 1], cv=None)
    assert found.alphas.tolist() == [0.0, LEAST_ALPHA]
    assert found.leaves.tolist() == [2, 1]
    assert "above 0" in str(found)
    assert (
        silva.TreeClassifier(ccp_alpha=LEAST_ALPHA).fit(flat, [0, 1, 1, 0, 1, 1]).get_depth() == 0
    )


def test_the_same_for_any_container_and_any_run():
    table, signal, _ = mixed(6)
    model = silva.TreeClassifier(max_depth=5)
    target = target_of(model, signal)
    one = silva.size_path(model, table, target, cv=3)
    two = silva.size_path(model, pl.from_pandas(table), list(target), cv=3)
    assert np.array_equal(one.cv, two.cv)
    assert str(one) == str(two)


def test_the_model_is_only_a_template():
    table, signal, _ = mixed(7)
    model = silva.TreeRegressor(ccp_alpha=5.0).fit(table, signal)
    before = model.get_n_leaves()
    found = silva.size_path(model, table, signal, cv=2)
    assert model.get_n_leaves() == before < found.leaves[0]


def test_a_single_leaf_is_a_path():
    found = silva.size_path(silva.TreeClassifier(), [[1.0]] * 6, [0, 1, 0, 1, 0, 0], cv=2)
    assert found.leaves.tolist() == [1]
    assert found.train.tolist() == [2 / 6]
    assert (found.best, found.one_se) == (0, 0)
    assert "least error, one standard error" in str(found)


def test_a_class_that_a_fold_lacks():
    table = np.arange(12.0)[:, None]
    target = ["a"] * 6 + ["b"] * 5 + ["c"]
    with pytest.warns(UserWarning, match="least populated class"):
        found = silva.size_path(silva.TreeClassifier(), table, target, cv=3)
    assert found.cv[-1] >= 0.5


def test_text_marks_the_trees_and_hides_some():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(400, 4))
    found = silva.size_path(silva.TreeRegressor(), table, table[:, 0] + rng.normal(size=400), cv=5)
    text = str(found)
    assert text.count("<-") == 2 - (found.best == found.one_se)
    assert len(text.splitlines()) < 28
    assert "trees not shown" in text
    assert text.splitlines()[1].split()[:4] == ["leaves", "depth", "alpha", "train"]


@pytest.mark.parametrize("cv", [0, 1, -3, 99])
def test_bad_folds(cv):
    with pytest.raises(PlanError, match=f"cv={cv}"):
        silva.size_path(silva.TreeClassifier(), [[0.0], [1.0]] * 5, [0, 1] * 5, cv=cv)


def test_linear_leaves_are_refused():
    with pytest.raises(PlanError, match="linear"):
        silva.size_path(silva.TreeClassifier(leaf="linear"), [[0.0], [1.0]] * 5, [0, 1] * 5, cv=2)


def test_cuts_of_the_path_are_nested():
    table, signal, _ = mixed(8)
    model = silva.TreeRegressor().fit(table, signal)
    found = silva.size_path(model, table, signal, cv=None)
    assert (np.diff(found.leaves) < 0).all()
    assert (np.diff(found.depths) <= 0).all()
    assert (np.diff(found.alphas) > 0).all()
    assert found.alphas[1:] == pytest.approx(
        np.unique(cost_complexity.path(model.grown_tree_).alphas[1:])
    )
