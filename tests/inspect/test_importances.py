"""Importances: against plain loops, on columns that know nothing, and for every container."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

import silva
from silva.data.bind import bind_prediction
from silva.inspect.importance import impurity_importance
from silva.inspect.permutation import shuffled
from silva.inspect.subsamples import told_by
from silva.tree import route
from tests.inspect.insight_cases import draws, forests, mixed_table

CARDINALITY = (2, 4, 20, None)


def noise(n_rows, seed):
    """Columns of 2, 4, 20 and all different values, and a target that has nothing to do with it."""
    rng = np.random.default_rng(seed)
    columns = [
        rng.normal(size=n_rows) if levels is None else rng.integers(0, levels, n_rows)
        for levels in CARDINALITY
    ]
    return np.column_stack(columns).astype(float), rng.integers(0, 2, n_rows)


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_many_values_mislead_plain_impurity_and_not_the_corrected_one(task):
    plain, corrected = [], []
    for seed in range(24):
        X, y = noise(150, seed)
        if task == "classes":
            model = silva.ForestClassifier(20, random_state=seed)
        else:
            y = np.random.default_rng(seed).normal(size=len(y))
            model = silva.ForestRegressor(20, max_features=2, random_state=seed)
        model.fit(X, y)
        plain.append(silva.importance(model, kind="impurity").values)
        corrected.append(silva.importance(model, X, y, seed=seed).values)
    plain, corrected = np.array(plain), np.array(corrected)
    assert plain.mean(axis=0)[3] > 5 * plain.mean(axis=0)[0]
    error = corrected.std(axis=0, ddof=1) / np.sqrt(len(corrected))
    assert (np.abs(corrected.mean(axis=0)) < 3.5 * error).all()
    assert (np.abs(corrected.mean(axis=0)) < 0.1 * plain.mean(axis=0)).all()


def test_a_column_that_knows_the_target_keeps_its_importance():
    X, y = noise(200, 0)
    X[:, 0] = y
    with pytest.warns(silva.DataWarning, match="'x0' .one to one"):
        model = silva.ForestClassifier(20, random_state=0).fit(X, y)
    found = silva.importance(model, X, y)
    assert found.order[0] == 0
    assert found.values[0] > 0.5
    assert np.abs(found.values[1:]).max() < 0.1


@pytest.mark.parametrize("case", [0, 1])
def test_impurity_is_the_mean_over_the_trees(case):
    model = forests()[case][0]
    found = silva.importance(model, kind="impurity")
    each = [impurity_importance(tree) for tree in model.trees_]
    assert found.each.tolist() == np.array(each).tolist()
    assert found.values == pytest.approx(model.feature_importances_)
    assert found.spread == pytest.approx(np.std(each, axis=0, ddof=1))
    assert found.names == ("size", "rooms", "kind", "new")


@pytest.mark.parametrize("case", [0, 1])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"bootstrap": "subsample"},
        {"missing": "stop", "unseen": "stop"},
        {"leaf": "linear", "max_depth": 2},
    ],
)
def test_out_of_bag_permutation_by_plain_loops(case, weighted, choices):
    model, table, target, weights = forests(weighted=weighted, **choices)[case]
    found = silva.importance(
        model, table, target, kind="permutation", sample_weight=weights, seed=5
    )
    bound = bind_prediction(table, model.forest_.schema)
    codes = target if case else np.searchsorted(model.classes_, target)
    seen = draws(model, len(target), weights)
    counts = np.ones(len(target)) if weights is None else weights
    for number, tree in enumerate(model.trees_):
        rows = [i for i in range(len(target)) if seen[number][i] == 0 and counts[i] > 0]
        generator = np.random.Generator(np.random.Philox(key=[5, number]))
        part = type(bound)(bound.schema, tuple(c[rows] for c in bound.columns), len(rows))
        before = slow_loss(tree, part, codes[rows], counts[rows])
        wanted = np.zeros(4)
        for column in range(4):
            if column in {*asked(tree)}:
                order = generator.permutation(len(rows))
                after = slow_loss(tree, shuffled(part, column, order), codes[rows], counts[rows])
                wanted[column] = after - before
        assert found.each[number] == pytest.approx(wanted, abs=1e-12)


def asked(tree):
    from silva.inspect.importance import column_uses

    return column_uses(tree)[1].tolist()


def slow_loss(tree, table, truth, weights):
    told = told_by(tree, route.leaves(tree, table), table)
    total = 0.0
    for i in range(len(truth)):
        each = (truth[i] - told[i]) ** 2 if tree.classes is None else float(truth[i] != told[i])
        total += weights[i] * each
    return total / weights.sum()


@pytest.mark.parametrize("case", [0, 1])
def test_held_out_permutation_is_zero_for_columns_that_are_not_asked(case):
    table, signal = mixed_table(80)
    target = (signal > 0) if case == 0 else signal
    kind = silva.TreeClassifier if case == 0 else silva.TreeRegressor
    model = kind(max_depth=1).fit(table[:50], target[:50])
    found = silva.importance(model, kind="permutation", X_val=table[50:], y_val=target[50:])
    used = model.feature_importances_ > 0
    assert found.each.shape == (10, 4)
    assert (found.rows, found.over) == ("held-out", "repeats")
    assert not found.each[:, ~used].any()
    assert found.values[used].max() > 0


def test_held_out_permutation_by_hand():
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    model = silva.ForestRegressor(3, bootstrap=False, random_state=0).fit(X, [0.0, 0.0, 2.0, 2.0])
    found = silva.importance(model, kind="permutation", X_val=X, y_val=[0, 0, 2, 2], repeats=50)
    assert {*np.unique(found.each)} <= {0.0, 2.0, 4.0}


@pytest.mark.parametrize("case", [0, 1])
def test_dropping_a_column_is_a_fit_without_it(case):
    model, table, target, _ = forests(n_estimators=8, oob_score=True, max_samples=0.6)[case]
    found = silva.importance(model, table, target, kind="drop_column", repeats=1)
    whole = slow_oob_loss(model, target)
    for number, name in enumerate(table.columns):
        smaller = type(model)(**model.get_params()).fit(table.drop(columns=name), target)
        assert found.each[0, number] == pytest.approx(slow_oob_loss(smaller, target) - whole)


def slow_oob_loss(model, target):
    losses = []
    for i in range(len(target)):
        if model.oob_votes_[i]:
            if isinstance(model, silva.ForestRegressor):
                losses.append((model.oob_prediction_[i] - target[i]) ** 2)
            else:
                told = model.classes_[model.oob_decision_function_[i].argmax()]
                losses.append(float(told != target[i]))
    return float(np.mean(losses))


def test_dropping_on_held_out_rows_and_choices_by_column():
    table, signal = mixed_table(90)
    settings = {"splits": {"kind": "multiway"}, "missing": {"size": "majority"}}
    model = silva.TreeRegressor(max_depth=3, **settings)
    rows = {"X_val": table[60:], "y_val": signal[60:]}
    found = silva.importance(model, table[:60], signal[:60], kind="drop_column", repeats=1, **rows)
    with_all = model.fit(table[:60], signal[:60])
    without = silva.TreeRegressor(max_depth=3, missing=settings["missing"])
    without.fit(table[:60].drop(columns="kind"), signal[:60])
    both = [
        np.mean((one.predict(part) - signal[60:]) ** 2)
        for one, part in ((without, table[60:].drop(columns="kind")), (with_all, table[60:]))
    ]
    assert found.values[2] == pytest.approx(both[0] - both[1])
    assert np.isnan(found.spread).all()
    corrected = silva.importance(model, table[:60], signal[:60])
    assert corrected.each.shape == (10, 4)


def test_the_only_column_can_be_dropped():
    X, y = np.arange(20.0).reshape(-1, 1), np.arange(20.0) ** 2
    model = silva.ForestRegressor(10, max_samples=0.5, random_state=0).fit(X, y)
    found = silva.importance(model, X, y, kind="drop_column", repeats=2)
    assert found.values[0] > 10


def test_every_container_gives_the_same():
    model, table, target, _ = forests()[0]
    plain = table.assign(kind=table["kind"].astype(object))
    wanted = {kind: silva.importance(model, table, target, kind=kind) for kind in KINDS}
    for other in (pl.from_pandas(plain), plain.convert_dtypes()):
        for kind in KINDS:
            fitted = model if kind == "permutation" else type(model)(**model.get_params())
            found = silva.importance(fitted, other, target, kind=kind)
            assert found.values == pytest.approx(wanted[kind].values)


KINDS = ("corrected", "permutation")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_same_for_any_number_of_threads_and_the_same_twice(n_jobs):
    model, table, target, _ = forests(n_jobs=n_jobs)[0]
    for kind in KINDS:
        one, other = (silva.importance(model, table, target, kind=kind, seed=4) for _ in range(2))
        assert one.each.tolist() == other.each.tolist()
    base = forests(n_jobs=1)[0][0]
    wanted = silva.importance(base, table, target, seed=4).each.tolist()
    assert silva.importance(model, table, target, seed=4).each.tolist() == wanted


def test_all_kinds_of_forests_and_splits():
    table, signal = mixed_table(70)
    y = signal > 0.3
    numbers = table[["size", "rooms"]]
    for model, X in [
        (silva.ExtraTreesClassifier(6, random_state=0), table),
        (silva.BaggingClassifier(silva.TreeClassifier(max_depth=2), 6, max_features=2), table),
        (silva.ForestClassifier(6, splits=silva.ObliqueSplits(columns=["size"])), table),
        (silva.ForestClassifier(6, splits="oblique", max_features=None, random_state=0), numbers),
        (silva.ForestClassifier(6, missing="stop", unseen="stop", random_state=0), table),
    ]:
        found = silva.importance(model, X, y, repeats=2)
        assert found.each.shape == (6, X.shape[1])
        assert np.isfinite(found.each).all()


def test_models_from_files_and_forests_that_stopped_early(tmp_path):
    model, table, target, _ = forests()[1]
    silva.save(model, tmp_path / "forest.silva")
    other = silva.load(tmp_path / "forest.silva")
    for kind in KINDS:
        one, two = (silva.importance(m, table, target, kind=kind) for m in (model, other))
        assert one.each.tolist() == two.each.tolist()
    stopped = silva.ForestRegressor(200, early_stopping=True, n_iter_no_change=10, random_state=0)
    n_trees = len(stopped.fit(table, target).trees_)
    assert n_trees < 200
    assert silva.importance(stopped, table, target).each.shape == (n_trees, 4)


def test_printed():
    model, table, target, _ = forests()[1]
    told = str(silva.importance(model, table, target, kind="permutation"))
    assert told.splitlines()[0] == (
        "importance (permutation): added squared error on out-of-bag rows when the column is"
        " shuffled; over 12 trees"
    )
    assert told.splitlines()[1].split() == ["column", "value", "spread"]
    wide = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 40)))
    many = silva.importance(silva.ForestRegressor(3).fit(wide, wide[0] ** 2), kind="impurity")
    assert str(many).endswith("10 columns not shown")


def refusals():
    model, table, target, _ = forests()[0]
    number, _, values, _ = forests()[1]
    all_rows = silva.ForestClassifier(3, bootstrap=False).fit(table, target)
    single = silva.TreeClassifier(max_depth=2).fit(table, target)
    new = silva.ForestClassifier()
    every = {"X": table, "y": target}
    return [
        (model, {**every, "kind": "gini"}, silva.PlanError, "kind='gini'"),
        (model, {**every, "repeats": 0}, silva.PlanError, "repeats=0"),
        (model, {**every, "seed": -1}, silva.PlanError, "seed=-1"),
        (model, {}, silva.DataError, "X is missing"),
        (model, {"X": table}, silva.DataError, "y is missing"),
        (model, {"kind": "permutation"}, silva.DataError, "needs rows"),
        (new, {"kind": "impurity"}, NotFittedError, "not fitted"),
        (new, {**every, "kind": "permutation"}, NotFittedError, "not fitted"),
        (single, {**every, "kind": "permutation"}, silva.PlanError, "single tree has seen all"),
        (single, {**every, "kind": "drop_column"}, silva.PlanError, "single tree has seen all"),
        (all_rows, {**every, "kind": "permutation"}, silva.PlanError, "bootstrap=False"),
        (all_rows, {**every, "kind": "drop_column"}, silva.PlanError, "bootstrap=False"),
        (single.grown_tree_, every, silva.PlanError, "growing again needs an estimator"),
        ("forest", {"kind": "impurity"}, silva.PlanError, "give a tree of silva"),
        (model, {"X": table[::-1], "y": target[::-1], "kind": "permutation"}, silva.DataError,
         "not the rows that the forest was grown from"),
        (model, {"X": table[:50], "y": target[:50], "kind": "permutation"}, silva.DataError,
         "not the rows"),
        (number, {"X": table, "y": values[::-1], "kind": "permutation"}, silva.DataError,
         "the targets of the first tree"),
        (model, {"X": table.drop(columns="new"), "y": target}, silva.DataError, "other columns"),
        (model, {"X": table.drop(columns="new"), "y": target, "kind": "permutation"},
         silva.DataError, "new"),
        (model, {"kind": "permutation", "X_val": table}, silva.DataError, "y_val is missing"),
        (silva.ForestClassifier(3, splits="distance"), every, silva.PlanError, "distance splits"),
    ]  # fmt: skip


@pytest.mark.parametrize("case", range(21))
def test_refused(case):
    model, arguments, error, words = refusals()[case]
    with pytest.raises(error, match=words):
        silva.importance(model, **arguments)
