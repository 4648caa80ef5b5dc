"""`prune=` in the estimators: which rows grow, which prune, and what is told about it."""

import pickle
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import silva
from silva import PlanError, TreeClassifier, TreeRegressor
from silva.data.bind import bind_classes, bind_prediction, bind_training
from silva.errors import DataError
from silva.estimators.progress import counted_growth
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.prune.evidence import Evidence, Rows
from silva.prune.fitting import InternalSplit, drawn
from silva.prune.names import NAMED, pruner_of
from silva.tree.tree import same

RNG = np.random.default_rng(0)
POINTS = RNG.integers(0, 12, (400, 3)).astype(float)
LABELS = np.where(RNG.random(400) < 0.25, RNG.integers(0, 3, 400), (POINTS[:, 0] >= 6) * 1)
NUMBERS = POINTS[:, 0] + RNG.normal(size=400)
OTHERS = RNG.integers(0, 12, (150, 3)).astype(float)
THEIR_LABELS = (OTHERS[:, 0] >= 6) * 1
CLASS_PRUNERS = [*NAMED, silva.MaxLeaves(4), silva.CriticalValue(0.05)]


def stage_by_stage(pruner, validation=None):
    """The tree of POINTS and LABELS, pruned by hand."""
    table, target = bind_training(POINTS), bind_classes(LABELS, None, None, len(LABELS))
    plan = Plan("classification", "gini")
    tree = grow(table, target, plan)

    def grow_from(rows, size=1):
        kept = np.zeros(len(LABELS))
        kept[rows] = 1.0
        larger = replace(plan, min_samples_leaf=size)
        return grow(table, bind_classes(LABELS, kept, None, len(LABELS)), larger)

    held_out = {}
    if validation is not None:
        held_out["validation_table"] = bind_prediction(validation[0], table.schema)
        held_out["validation_target"] = replace(target, values=validation[1].astype(np.int32))
    growing = {"grow": grow_from, "regrow": grow_from}
    return pruner(tree, Evidence(table=table, target=target, **growing, **held_out))


@pytest.mark.parametrize("prune", [p for p in CLASS_PRUNERS if p != "reduced_error"], ids=str)
def test_a_fit_prunes_the_tree_of_all_rows(prune):
    model = TreeClassifier(prune=prune).fit(POINTS, LABELS)
    found = stage_by_stage(pruner_of(prune))
    assert same(model.grown_tree_, found.tree)
    assert model.prune_record_.steps == found.record.steps
    assert model.prune_record_.note == found.record.note


@pytest.mark.parametrize("order", ["greedy", "bottom_up"])
def test_given_validation_rows_prune(order):
    pruner = silva.ReducedError(order)
    model = TreeClassifier(prune=pruner).fit(POINTS, LABELS, X_val=OTHERS, y_val=THEIR_LABELS)
    found = stage_by_stage(pruner, (OTHERS, THEIR_LABELS))
    assert same(model.grown_tree_, found.tree)
    assert model.get_n_leaves() < TreeClassifier().fit(POINTS, LABELS).get_n_leaves()
    assert model.prune_record_.note == "chosen by 150 validation rows"


def restated_by_hand(tree, points, labels):
    """Class counts of each leaf, by walking every row down the tree."""
    counts = {}
    for point, label in zip(points, labels, strict=True):
        node = 0
        while tree.split_kind[node]:
            row = tree.split_index[node]
            is_right = point[tree.thresholds.column[row]] >= tree.thresholds.threshold[row]
            node = int(tree.child[tree.child_start[node] + is_right])
        counts.setdefault(node, []).append(label)
    return counts


@pytest.mark.parametrize("fraction", [0.1, 0.2, 0.5])
def test_without_validation_rows_a_part_of_the_training_rows_prunes(fraction):
    model = TreeClassifier(prune="reduced_error", validation_fraction=fraction)
    model.fit(POINTS, LABELS)
    held_out = drawn(bind_classes(LABELS, None, None, 400), InternalSplit(fraction, 0))
    assert held_out.sum() == round(400 * fraction)
    by_hand = TreeClassifier(prune="reduced_error").fit(
        POINTS[~held_out], LABELS[~held_out], X_val=POINTS[held_out], y_val=LABELS[held_out]
    )
    tree, other = model.grown_tree_, by_hand.grown_tree_
    assert np.array_equal(tree.child, other.child)
    assert np.array_equal(tree.thresholds.threshold, other.thresholds.threshold)
    assert tree.leaf_rows.sum() == 400
    counts = restated_by_hand(tree, POINTS, LABELS)
    assert np.array_equal(tree.leaf_rows, [len(counts[node]) for node in sorted(counts)])
    shares = model.predict_proba(POINTS)
    for node, labels in counts.items():
        expected = np.bincount(labels, minlength=3) / len(labels)
        assert np.allclose(shares[model.apply(POINTS) == node], expected)
    assert "that the tree did not grow from" in model.prune_record_.note
    assert "that the tree did not grow from" in str(model.prune_record_)


@settings(max_examples=200, deadline=None)
@given(
    labels=st.lists(st.integers(0, 3), min_size=2, max_size=60),
    fraction=st.floats(0.05, 0.95),
    seed=st.integers(0, 5),
    with_weights=st.booleans(),
)
def test_the_internal_split_is_even(labels, fraction, seed, with_weights):
    weights = (np.arange(len(labels)) % 3).astype(float) if with_weights else None
    target = bind_classes(np.array(labels), weights, None, len(labels))
    usable = np.ones(len(labels), bool) if weights is None else weights > 0
    expected = round(fraction * usable.sum())
    if not 0 < expected < usable.sum():
        with pytest.raises(DataError, match="validation_fraction"):
            drawn(target, InternalSplit(fraction, seed))
        return
    held_out = drawn(target, InternalSplit(fraction, seed))
    assert held_out.sum() == expected
    assert not (held_out & ~usable).any()
    for label in set(labels):
        mine = (np.array(labels) == label) & usable
        assert abs(held_out[mine].sum() - mine.sum() * expected / usable.sum()) <= 1.0
    assert np.array_equal(held_out, drawn(target, InternalSplit(fraction, seed)))


def test_numbers_weights_and_frames():
    weights = RNG.integers(0, 4, 400).astype(float)
    frame = pd.DataFrame(POINTS, columns=["a", "b", "c"]).assign(
        town=pd.Categorical(RNG.choice(["x", "y", "z"], 400))
    )
    frame.loc[::7, "b"] = np.nan
    full = TreeRegressor().fit(frame, NUMBERS, weights).get_n_leaves()
    for prune in NAMED:
        if prune == "generalisation_bound":
            continue
        model = TreeRegressor(prune=prune).fit(frame, NUMBERS, weights)
        assert model.get_n_leaves() <= full
        assert np.isfinite(model.predict(frame)).all()
        assert model.grown_tree_.leaf_rows.sum() == np.count_nonzero(weights)
    repeated = frame.loc[np.repeat(np.arange(400), weights.astype(int))]
    often = TreeRegressor(prune="minimum_error").fit(
        repeated, np.repeat(NUMBERS, weights.astype(int))
    )
    once = TreeRegressor(prune="minimum_error").fit(frame, NUMBERS, weights)
    assert np.allclose(once.predict(frame), often.predict(frame))


def test_linear_leaves_are_fitted_after_pruning():
    model = TreeRegressor(prune=silva.MaxLeaves(3), leaf="linear").fit(POINTS, NUMBERS)
    assert model.get_n_leaves() == 3
    assert model.grown_tree_.linear is not None


def test_the_seed_draws_folds_and_splits():
    def leaves(prune, random_state):
        model = TreeClassifier(prune=prune, random_state=random_state)
        return model.fit(POINTS, LABELS).prune_record_

    for prune in ("reduced_error", "cost_complexity"):
        assert leaves(prune, None).steps == leaves(prune, 0).steps
        assert leaves(prune, 1).steps == leaves(prune, 1).steps
    first, second = (leaves("cost_complexity", seed).evidence["errors"] for seed in (0, 1))
    assert not np.array_equal(first, second)
    drawn_once = leaves("cost_complexity", np.random.RandomState(3)).settings["seed"]
    assert drawn_once == leaves("cost_complexity", np.random.RandomState(3)).settings["seed"]


def test_validation_rows_that_chose_are_told_apart():
    told = TreeClassifier(prune="reduced_error").fit(
        POINTS, LABELS, X_val=OTHERS, y_val=THEIR_LABELS
    )
    assert told.summary_.chose
    assert told.summary_.held_out_floor is None
    assert "this score is optimistic" in str(told.summary_)
    honest = TreeClassifier(prune="cost_complexity").fit(
        POINTS, LABELS, X_val=OTHERS, y_val=THEIR_LABELS
    )
    assert not honest.summary_.chose
    assert honest.summary_.held_out_floor is not None
    assert "held-out" in str(honest.summary_)


def test_an_own_pruner_may_look_at_validation_rows():
    def own(tree, evidence):
        return silva.MaxLeaves(2)(tree, evidence)

    model = TreeClassifier(prune=own).fit(POINTS, LABELS, X_val=OTHERS, y_val=THEIR_LABELS)
    assert model.get_n_leaves() == 2
    assert model.summary_.chose
    assert TreeClassifier(prune=own).fit(POINTS, LABELS).get_n_leaves() == 2


def test_presets_bring_their_pruning():
    for plan, pruner in (("C45", "Pessimistic"), ("CART", "CostComplexity")):
        model = TreeClassifier(plan=plan).fit(POINTS, LABELS)
        whole = TreeClassifier(plan=plan, prune="none").fit(POINTS, LABELS)
        assert model.prune_record_.method == pruner
        assert whole.prune_record_ is None
        assert model.get_n_leaves() < whole.get_n_leaves()
        other = TreeClassifier(plan=plan, prune=silva.MaxLeaves(3)).fit(POINTS, LABELS)
        assert other.prune_record_.method == "MaxLeaves"
    cart = TreeRegressor(plan="CART").fit(POINTS, NUMBERS)
    assert cart.prune_record_.settings["rule"] == "1se"
    by_alpha = TreeClassifier(plan="CART", ccp_alpha=1.0).fit(POINTS, LABELS)
    assert by_alpha.get_n_leaves() == 1
    assert by_alpha.prune_record_ is None
    with pytest.raises(PlanError, match="prune='often'"):
        TreeClassifier(plan=Plan("classification", "gini", prune="often")).fit(POINTS, LABELS)


@pytest.mark.parametrize("prune", CLASS_PRUNERS, ids=str)
def test_small_tables(prune):
    one = TreeClassifier(prune=prune)
    if prune == "reduced_error":
        with pytest.raises(DataError, match="1 row leaves no row on one side"):
            one.fit([[1.0]], ["a"])
        with pytest.raises(DataError, match="2 rows"):
            one.fit([[1.0], [2.0]], ["a", "b"])
    else:
        assert one.fit([[1.0]], ["a"]).get_n_leaves() == 1
        assert one.fit([[1.0], [2.0]], ["a", "b"]).predict([[3.0]]) in ("a", "b")
    constant = clone(one).fit(np.ones((9, 2)), list("abcabcabc"))
    assert constant.get_n_leaves() == 1
    few = clone(one).fit(np.arange(7.0)[:, None], list("aabbabb"))
    assert few.score(np.arange(7.0)[:, None], list("aabbabb")) > 0.5


def test_a_class_that_few_rows_have():
    labels = np.where(np.arange(400) == 17, 7, LABELS)
    for prune in NAMED:
        model = TreeClassifier(prune=prune).fit(POINTS, labels)
        assert model.predict_proba(POINTS).shape == (400, 4)


def test_bad_validation_rows():
    model = TreeClassifier(prune="reduced_error")
    with pytest.raises(DataError, match="X_val has no rows"):
        model.fit(POINTS, LABELS, X_val=OTHERS[:0], y_val=THEIR_LABELS[:0])
    with pytest.raises(DataError, match="X_val"):
        model.fit(POINTS, LABELS, X_val=OTHERS[:, :2], y_val=THEIR_LABELS)
    with pytest.raises(DataError, match="no validation row has a class that the tree knows"):
        model.fit(POINTS, LABELS, X_val=OTHERS, y_val=THEIR_LABELS + 10)
    unseen = np.where(np.arange(150) == 3, 9, THEIR_LABELS)
    with pytest.warns(silva.DataWarning, match="1 validation row of 150"):
        model.fit(POINTS, LABELS, X_val=OTHERS, y_val=unseen)


@pytest.mark.parametrize(
    ("prune", "told"),
    [
        ("reduced", "Did you mean 'reduced_error'"),
        ("max_leaves", r"silva\.MaxLeaves\(max_leaves\)"),
        ("bottom_up", r"silva\.BottomUp\(f\)"),
        (silva.ReducedError, r"Did you mean prune=ReducedError\(\)"),
        (3, "prune=3"),
        (lambda tree, evidence: tree, "returned Tree"),
    ],
)
def test_what_is_no_pruner(prune, told):
    with pytest.raises(PlanError, match=told):
        TreeClassifier(prune=prune).fit(POINTS, LABELS)


def test_refusals_of_the_bound():
    with pytest.raises(PlanError, match="numbers are not right or wrong"):
        TreeRegressor(prune="generalisation_bound").fit(POINTS, NUMBERS)
    with pytest.raises(PlanError, match="weigh"):
        TreeClassifier(prune="generalisation_bound").fit(POINTS, LABELS, np.arange(400.0))


@pytest.mark.parametrize("fraction", [0.0, 1.0, -0.1, np.nan, "0.2", True])
def test_bad_fractions(fraction):
    with pytest.raises(PlanError, match="validation_fraction="):
        TreeClassifier(validation_fraction=fraction).fit(POINTS, LABELS)


def test_the_fit_is_kept(tmp_path):
    model = TreeClassifier(prune=silva.ReducedError("bottom_up")).fit(
        POINTS, LABELS, X_val=OTHERS, y_val=THEIR_LABELS
    )
    silva.save(model, tmp_path / "model.silva")
    loaded = silva.load(tmp_path / "model.silva")
    assert loaded.prune == model.prune
    assert loaded.summary_ == model.summary_
    assert same(loaded.grown_tree_, model.grown_tree_)
    assert loaded.prune_record_ == model.prune_record_
    again = pickle.loads(pickle.dumps(model))
    assert again.prune_record_ == model.prune_record_
    assert clone(model).fit(POINTS, LABELS).prune == model.prune


def test_a_pruner_with_a_function_is_left_out_of_the_file(tmp_path):
    model = TreeClassifier(prune=silva.BottomUp(lambda s: s.errors + 0.01 * s.leaves))
    model.fit(POINTS, LABELS)
    with pytest.warns(UserWarning, match="prune="):
        silva.save(model, tmp_path / "model.silva")
    assert silva.load(tmp_path / "model.silva").prune is None


def test_the_same_for_any_number_of_threads():
    for prune in ("reduced_error", "cost_complexity"):
        one, two = (
            TreeClassifier(prune=prune, n_jobs=n).fit(POINTS, LABELS).grown_tree_ for n in (1, 2)
        )
        assert same(one, two)


def test_inspectors_leave_the_pruning_of_a_plan_out():
    path = silva.size_path(TreeClassifier(plan="CART"), POINTS, LABELS, cv=None)
    whole = TreeClassifier(plan="CART", prune="none").fit(POINTS, LABELS)
    assert path.leaves[0] == whole.get_n_leaves()


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (silva.TreeClassifier(verbose=1), r"^TreeClassifier: \d+ leaves, depth \d+$"),
        (silva.StumpRegressor(verbose=2), r"^StumpRegressor: 2 leaves, depth 1$"),
        (
            silva.TreeRegressor(verbose=1, prune="cost_complexity"),
            r"^TreeRegressor: \d+ \w+, depth \d+, pruned from \d+ leaves by CostComplexity$",
        ),
    ],
)
def test_verbose_tells_the_size_on_standard_error(model, told, capsys):
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = (X[:, 0] > X[:, 1]).astype(int)
    model.fit(X, y)
    shown = capsys.readouterr()
    assert re.search(told, shown.err.strip())
    assert not shown.out
    clone(model).set_params(verbose=0).fit(X, y)
    assert not capsys.readouterr().err


def test_the_trees_of_a_forest_are_quiet(capsys):
    X = np.random.default_rng(0).normal(size=(60, 2))
    forest = silva.ForestClassifier(2, verbose=1).fit(X, X[:, 0] > 0)
    assert forest.estimator_.verbose == 0
    capsys.readouterr()
    for model in (
        silva.BaggingClassifier(TreeClassifier(verbose=1), 2),
        silva.AdaBoostClassifier(TreeClassifier(verbose=1, max_depth=1), n_estimators=2),
    ):
        model.fit(X, X[:, 0] > X[:, 1])
    assert not capsys.readouterr().err


@pytest.mark.parametrize("verbose", [-1, 0.5, "yes"])
def test_a_verbose_that_is_no_count_is_refused(verbose):
    with pytest.raises(PlanError, match="verbose="):
        TreeClassifier(verbose=verbose).fit([[0.0], [1.0]], [0, 1])


def test_trees_of_folds_are_counted():
    told: list[str] = []
    rows = evidence_of_rows()
    plan = Plan("classification", "gini")
    growth = counted_growth(
        lambda chosen, size=1: grow(chosen.table, chosen.target, plan), told.append
    )
    growth(rows)
    growth(rows)
    assert told == ["1 tree grown", "2 trees grown"]


def evidence_of_rows():
    X = np.random.default_rng(0).normal(size=(60, 2))
    table = bind_training(X)
    return Rows(table, bind_classes(X[:, 0] > 0, None, None, 60))
