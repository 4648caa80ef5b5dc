"""Editing by hand: what changes, what stays, and what is refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import silva
from silva import edit
from silva.errors import DataError, PlanError
from silva.grow.plan import Plan
from silva.model_file.store import dumps, loads
from silva.tree import collapse as collapsing
from silva.tree import stats
from silva.tree.restat import EmptyLeafError
from silva.tree.splits import Threshold, split_of
from silva.tree.tree import MomentStats, Tree, same, to_arrays
from tests.edit.edit_samples import LIKED, PEOPLE, PRICE, fitted, random_model

GINI = Plan("classification", "gini")


def without_trail(tree: Tree) -> Tree:
    return replace(tree, edits=())


def test_collapse_makes_a_leaf_and_leaves_the_old_model_alone():
    model = fitted()
    before = dumps(model.grown_tree_)
    smaller = edit.collapse(model, 0, PEOPLE, LIKED)
    assert smaller.get_n_leaves() == 1
    assert smaller.predict_proba(PEOPLE)[0].tolist() == [0.5, 0.5]
    assert dumps(model.grown_tree_) == before
    assert type(smaller) is silva.TreeClassifier
    assert smaller.get_params() == model.get_params()


def test_edit_is_there_after_import_silva():
    assert silva.edit.collapse is edit.collapse


@pytest.mark.parametrize("seed", range(120))
def test_collapse_is_that_of_the_tree(seed: int):
    tree, X, y, weights, _ = random_model(seed)
    inner = np.flatnonzero(~tree.is_leaf)
    if not len(inner):
        return
    node = int(inner[seed % len(inner)])
    found = to_arrays(edit.collapse(tree, node, X, y, sample_weight=weights))
    for name, array in to_arrays(collapsing.collapse(tree, [node])).items():
        if name == "moment_value":
            assert found[name] == pytest.approx(array, rel=1e-12, abs=1e-300)
        else:
            assert np.array_equal(found[name], array), name


@pytest.mark.parametrize("seed", range(120))
def test_the_same_split_again_changes_nothing(seed: int):
    tree, X, y, weights, _ = random_model(seed)
    inner = np.flatnonzero(~tree.is_leaf)
    if not len(inner):
        return
    node = int(inner[seed % len(inner)])
    again = edit.replace(tree, node, split_of(tree, node), X, y, sample_weight=weights)
    assert same(without_trail(again), tree)
    assert len(again.edits) == 1


@pytest.mark.parametrize("seed", range(120))
def test_the_root_grown_again_by_the_same_plan_is_the_fit(seed: int):
    tree, X, y, weights, plan = random_model(seed)
    again = edit.regrow(tree, 0, plan, X, y, sample_weight=weights)
    assert same(without_trail(again), tree)


@pytest.mark.parametrize("seed", range(120))
def test_a_branch_cut_off_and_grafted_again_is_the_same(seed: int):
    tree, X, y, weights, _ = random_model(seed)
    node = seed % tree.n_nodes
    if tree.is_leaf[node]:
        return
    bare = edit.collapse(tree, node, X, y, sample_weight=weights)
    again = edit.graft(bare, node, tree, X, y, other_node=node, sample_weight=weights)
    assert same(without_trail(again), tree)
    assert [one.action for one in again.edits] == ["collapse", "graft"]


@pytest.mark.parametrize("seed", range(60))
def test_statistics_are_those_of_the_rows(seed: int):
    """A branch grown again with other limits: every leaf against a direct count of its rows."""
    tree, X, y, weights, plan = random_model(seed, 80)
    node = seed % tree.n_nodes
    shallow = Plan(plan.task, plan.criterion, max_depth=1)
    edited = edit.regrow(tree, node, shallow, X, y, sample_weight=weights)
    assert np.all(edited.gain[~edited.is_leaf] >= 0)
    work = edit.actions.bench(edited, X, y, weights, 1)
    ends = work.nodes(edited)
    counted = np.ones(80) if weights is None else weights
    for leaf, number in enumerate(np.flatnonzero(edited.is_leaf).tolist()):
        rows = (ends == number) & (counted > 0)
        assert edited.leaf_rows[leaf] == rows.sum()
        if isinstance(edited.leaf_stats, MomentStats):
            mean = np.average(y[rows], weights=counted[rows])
            assert edited.leaf_stats.value[leaf] == pytest.approx(mean, rel=1e-9)
    total = stats.node_weight(edited)[0]
    assert total == pytest.approx(counted.sum(), rel=1e-9)


def test_replace_by_name_and_what_is_below():
    model = fitted(max_depth=1)
    by_age = edit.replace(model, 0, edit.Below("age", 45), PEOPLE, LIKED)
    assert split_of(by_age.grown_tree_, 0) == Threshold(0, 45.0, 0, 0)
    assert by_age.grown_tree_.leaf_rows.tolist() == [4, 4]
    by_town = edit.replace(model, 0, edit.Among("town", ["Rome"]), PEOPLE, LIKED)
    assert by_town.grown_tree_.leaf_rows.tolist() == [5, 3]
    by_each = edit.replace(model, 0, edit.Each("town"), PEOPLE, LIKED)
    assert by_each.get_n_leaves() == 3
    grown = edit.replace(model, 0, edit.Below("age", 45), PEOPLE, LIKED, below=GINI)
    assert grown.score(PEOPLE, LIKED) == 1.0
    ended = edit.replace(fitted(), 0, edit.Below("age", 45), PEOPLE, LIKED, below="leaf")
    assert ended.get_n_leaves() == 2


def test_a_leaf_can_be_split():
    model = edit.collapse(fitted(), 0, PEOPLE, LIKED)
    split = edit.replace(model, 0, edit.Below("rich", "yes"), PEOPLE, LIKED)
    assert split.grown_tree_.leaf_rows.tolist() == [4, 4]
    assert "rich = no instead of a leaf" in silva.to_text(split)


def test_missing_values_follow_the_heavier_child_or_are_asked_about():
    X = np.array([[np.nan], [np.nan], [1.0], [2.0], [3.0]])
    y = [1.0, 2.0, 3.0, 4.0, 5.0]
    model = silva.TreeRegressor(max_depth=1).fit(X, y)
    right = edit.replace(model, 0, edit.Below(0, 1.5), X, y)
    assert right.grown_tree_.leaf_rows.tolist() == [1, 4]
    asked = edit.replace(model, 0, edit.Missing("x0"), X, y)
    assert asked.grown_tree_.leaf_rows.tolist() == [2, 3]
    assert asked.predict([[np.nan], [9.0]]).tolist() == [1.5, 4.0]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        (edit.Missing("size"), [1, 3]),
        (edit.Missing("wet"), [1, 3]),
        (edit.Missing("town"), [3, 1]),
        (edit.Below("size", "mid"), [1, 3]),
        (edit.Below("wet", "yes"), [3, 1]),
        (edit.Among("wet", ["yes"]), [3, 1]),
        (edit.Each("size"), [2, 1, 1]),
        (edit.Each("town", ["Ulm", "Bonn"]), [3, 1]),
    ],
)
def test_questions_of_every_kind_of_column(question, rows):
    sizes = pd.Categorical(["low", "mid", None, "top"], ["low", "mid", "top"], ordered=True)
    towns = ["Bonn", None, "Kiel", "Ulm"]
    X = pd.DataFrame({"size": sizes, "wet": ["yes", "no", None, "no"], "town": towns})
    y = [1.0, 2.0, 3.0, 4.0]
    model = silva.TreeRegressor(max_depth=1).fit(X, y)
    edited = edit.replace(model, 0, question, X, y)
    assert edited.grown_tree_.leaf_rows.tolist() == rows


def test_kept_branches_that_lose_their_rows_are_refused_with_counts():
    model = fitted()
    message = r"child 0 has 0 rows, child 1 has 8 rows"
    with pytest.raises(DataError, match=message):
        edit.replace(model, 0, edit.Below("age", -5.0), PEOPLE, LIKED)
    with pytest.raises(DataError, match=message):
        edit.replace(model, 0, edit.Below("age", -5.0), PEOPLE, LIKED, below=GINI)


def test_weights_of_classes_and_rows_count():
    model = silva.TreeClassifier(class_weight={"a": 3.0}).fit(PEOPLE, LIKED)
    stump = edit.collapse(model, 0, PEOPLE, LIKED)
    assert stump.predict_proba(PEOPLE)[0].tolist() == [0.75, 0.25]
    weighted = edit.collapse(model, 0, PEOPLE, LIKED, sample_weight=np.arange(8.0))
    shares = np.bincount(np.array(LIKED) == "b", np.arange(8.0)) * [3, 1]
    assert weighted.predict_proba(PEOPLE)[0] == pytest.approx(shares / shares.sum())


def test_rows_without_some_class_keep_the_classes():
    model = fitted(max_depth=1)
    some = edit.collapse(model, 0, PEOPLE[:2], LIKED[:2])
    assert some.classes_.tolist() == ["a", "b"]
    assert some.predict_proba(PEOPLE)[0].tolist() == [1.0, 0.0]
    with pytest.raises(DataError, match="not among the classes"):
        edit.collapse(model, 0, PEOPLE[:2], ["a", "z"])
    with pytest.raises(DataError, match="not among the classes"):
        edit.collapse(model.grown_tree_, 0, PEOPLE[:2], ["a", "z"])


def test_linear_leaves_are_fitted_again():
    model = silva.TreeRegressor(max_depth=2, leaf="linear").fit(PEOPLE, PRICE)
    smaller = edit.collapse(model, 0, PEOPLE, PRICE)
    alone = silva.TreeRegressor(max_leaf_nodes=None, min_samples_split=9, leaf="linear")
    assert np.array_equal(smaller.predict(PEOPLE), alone.fit(PEOPLE, PRICE).predict(PEOPLE))
    with pytest.raises(PlanError, match="leaf='linear'"):
        edit.collapse(model.grown_tree_, 0, PEOPLE, PRICE)


def test_smoothing_stays():
    model = silva.TreeClassifier(leaf="laplace").fit(PEOPLE, LIKED)
    regrown = edit.regrow(model, 0, Plan("classification", "gini"), PEOPLE, LIKED)
    assert np.array_equal(regrown.predict_proba(PEOPLE), model.predict_proba(PEOPLE))


def test_regrow_takes_limits_and_names_of_presets():
    model = fitted()
    stump = edit.regrow(model, 0, Plan("classification", "entropy", max_depth=1), PEOPLE, LIKED)
    assert stump.get_depth() == 1
    assert stump.grown_tree_.criterion == "entropy"
    assert "by entropy, max_depth=1" in silva.to_text(stump)
    child = edit.regrow(model, 1, Plan("classification", "entropy"), PEOPLE, LIKED)
    assert child.grown_tree_.criterion == "gini"
    assert edit.regrow(model, 0, "CART", PEOPLE, LIKED).score(PEOPLE, LIKED) == 1.0


@pytest.mark.parametrize("node", [-1, 99, 1.5, "root", None, True])
def test_a_node_that_does_not_exist_is_refused(node):
    model = fitted()
    for call in (
        lambda: edit.collapse(model, node, PEOPLE, LIKED),
        lambda: edit.replace(model, node, edit.Below("age", 3), PEOPLE, LIKED),
        lambda: edit.regrow(model, node, GINI, PEOPLE, LIKED),
        lambda: edit.graft(model, node, model, PEOPLE, LIKED),
        lambda: edit.graft(model, 0, model, PEOPLE, LIKED, other_node=node),
        lambda: edit.competing_splits(model, node, PEOPLE, LIKED),
    ):
        with pytest.raises(PlanError, match="does not exist: the tree has the nodes 0 to"):
            call()


@pytest.mark.parametrize(
    ("split", "message"),
    [
        (edit.Below("aged", 3), "'aged', which is not a column.*mean 'age'"),
        (edit.Below(7, 3), "has the index 7"),
        (Threshold(7, 3.0, 0, 0), "has the index 7"),
        (Threshold(0, np.nan, 0, 0), "is not possible"),
        (Threshold(0, 1.0, 5, 0), "is not possible"),
        (edit.Below("age", "old"), "takes a number"),
        (edit.Below("town", "Oslo"), "without an order"),
        (edit.Among("age", [3]), "has numbers, not levels"),
        (edit.Among("town", "Oslo"), "give a list"),
        (edit.Among("town", ["Olso"]), "did you mean 'Oslo'"),
        (edit.Among("town", ["Oslo", "Oslo"]), "each once"),
        (edit.Among("town", []), "must name some levels"),
        ("age < 3", "use edit.Below"),
        (None, "use edit.Below"),
    ],
)
def test_a_split_that_cannot_be_is_refused(split, message):
    with pytest.raises(PlanError, match=message):
        edit.replace(fitted(), 0, split, PEOPLE, LIKED)


def test_other_refusals():
    model = fitted()
    leaf = int(np.argmax(model.grown_tree_.is_leaf))
    with pytest.raises(PlanError, match="a leaf already"):
        edit.collapse(model, leaf, PEOPLE, LIKED)
    with pytest.raises(PlanError, match="a regression plan cannot grow a branch"):
        edit.regrow(model, 0, Plan("regression", "squared_error"), PEOPLE, LIKED)
    with pytest.raises(PlanError, match=r"use a silva\.Plan"):
        edit.regrow(model, 0, None, PEOPLE, LIKED)
    with pytest.raises(PlanError, match="missing='stop'"):
        edit.regrow(model, 0, Plan("classification", "gini", missing="stop"), PEOPLE, LIKED)
    with pytest.raises(PlanError, match="below='grow'"):
        edit.replace(model, 0, edit.Below("age", 3), PEOPLE, LIKED, below="grow")
    with pytest.raises(PlanError, match="note=3"):
        edit.collapse(model, 0, PEOPLE, LIKED, note=3)
    with pytest.raises(DataError, match="no rows"):
        edit.collapse(model, 0, PEOPLE[:0], [])
    with pytest.raises(NotFittedError, match="call fit first"):
        edit.collapse(silva.TreeClassifier(), 0, PEOPLE, LIKED)
    with pytest.raises(TypeError, match="not int"):
        edit.graft(model, 0, 5, PEOPLE, LIKED)


def test_grafts_of_other_columns_or_tasks_are_refused():
    model = fitted()
    with pytest.raises(PlanError, match="a branch of a regression tree"):
        edit.graft(model, 0, silva.TreeRegressor().fit(PEOPLE, PRICE), PEOPLE, LIKED)
    narrow = silva.TreeClassifier().fit(PEOPLE[["age", "rich"]], LIKED)
    with pytest.raises(DataError, match="2 columns"):
        edit.graft(model, 0, narrow, PEOPLE, LIKED)
    of_two_towns = silva.TreeClassifier().fit(PEOPLE[:3], LIKED[:3])
    with pytest.raises(DataError, match="'town'"):
        edit.graft(model, 0, of_two_towns, PEOPLE, LIKED)


def test_rows_that_leave_untouched_leaves_empty_are_refused():
    with pytest.raises(DataError, match="without rows"):
        edit.replace(fitted(), 0, edit.Below("age", 15), PEOPLE[:2], LIKED[:2])
    model = fitted()
    last = model.grown_tree_.n_nodes - 1
    with pytest.raises(DataError, match="reaches node"):
        edit.regrow(model, last, GINI, PEOPLE[:1], LIKED[:1])


def test_the_trail_is_kept_printed_stored_and_copied(tmp_path):
    model = fitted()
    inner = int(np.flatnonzero(~model.grown_tree_.is_leaf)[1])
    model = edit.collapse(model, inner, PEOPLE, LIKED, note="too few rows\nfor that, says Ada")
    model = edit.replace(model, 0, edit.Below("age", 45), PEOPLE, LIKED, below="leaf")
    text = silva.to_text(model)
    assert f"edited: node {inner} collapsed: " in text
    assert "became one. Note: too few rows for that, says Ada" in text
    assert "edited: node 0 given another split: age < 45 instead of" in text
    assert text.endswith(str(model.grown_tree_).splitlines()[-1])
    assert same(loads(dumps(model.grown_tree_)), model.grown_tree_)
    assert loads(dumps(model.grown_tree_)).edits == model.grown_tree_.edits
    silva.save(model, tmp_path / "edited.silva")
    again = silva.load(tmp_path / "edited.silva")
    assert again.grown_tree_.edits == model.grown_tree_.edits
    assert np.array_equal(again.predict(PEOPLE), model.predict(PEOPLE))
    assert collapsing.collapse(model.grown_tree_, [0]).edits == model.grown_tree_.edits


def test_a_tree_without_edits_is_stored_as_before():
    assert b"edits" not in dumps(fitted().grown_tree_)


def test_empty_leaf_error_is_told_by_the_tree_alone():
    assert issubclass(EmptyLeafError, DataError)
