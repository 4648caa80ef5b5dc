"""What missing and unseen values come to: the policies in training and in prediction."""

import numpy as np
import pandas as pd
import pytest

import silva
from silva import DataError, SplitKindError, TreeClassifier, TreeRegressor
from silva.tree.splits import STOP, Threshold, split_of

NUMBERS = np.arange(10.0)[:, None]
HIGH = [0] * 4 + [1] * 6
GAPS = np.where(np.isin(NUMBERS, (0.0, 9.0)), np.nan, NUMBERS)
NOWHERE = np.array([[np.nan]])
TOWNS = pd.DataFrame({"town": ["Bonn"] * 3 + ["Kiel"] * 2 + ["Ulm"]})
RENT = [1.0, 1.0, 1.0, 5.0, 5.0, 9.0]
NEW = pd.DataFrame({"town": ["Wien"]})


def root(model):
    return split_of(model.grown_tree_, 0)


@pytest.mark.parametrize(
    ("missing", "child", "shares"),
    [
        ("learn", 1, [0.0, 1.0]),
        ("majority", 1, [0.0, 1.0]),
        ("own_branch", STOP, [0.4, 0.6]),
        ("stop", STOP, [0.4, 0.6]),
    ],
)
def test_values_that_were_never_missing_in_training(missing, child, shares):
    model = TreeClassifier(missing=missing).fit(NUMBERS, HIGH)
    assert root(model) == Threshold(0, 3.5, child, child)
    assert model.predict_proba(NOWHERE).tolist() == [pytest.approx(shares)]
    assert model.predict(NOWHERE).tolist() == [1]
    assert model.apply(NOWHERE).tolist() == [2 if child == 1 else 0]


@pytest.mark.parametrize(
    ("missing", "leaves", "shares"),
    [
        ("majority", 3, None),
        ("own_branch", 3, [0.5, 0.5]),
        ("stop", 3, [0.4, 0.6]),
    ],
)
def test_values_that_are_missing_in_training(missing, leaves, shares):
    """0 and 9 are gone: one row of each class. They weigh in where the policy says so."""
    model = TreeClassifier(missing=missing, max_leaf_nodes=leaves).fit(GAPS, HIGH)
    split = root(model)
    assert split.threshold == 3.5
    n_children = np.diff(model.grown_tree_.child_start[:2])[0]
    assert n_children == (3 if missing == "own_branch" else 2)
    assert split.missing_child == {"majority": 1, "own_branch": 2, "stop": STOP}[missing]
    if shares is not None:
        assert model.predict_proba(NOWHERE).tolist() == [pytest.approx(shares)]


def test_stop_trains_as_majority_does():
    stop = TreeClassifier(missing="stop").fit(GAPS, HIGH).grown_tree_
    majority = TreeClassifier(missing="majority").fit(GAPS, HIGH).grown_tree_
    assert np.array_equal(stop.thresholds.threshold, majority.thresholds.threshold)
    assert np.array_equal(stop.leaf_rows, majority.leaf_rows)
    assert (stop.thresholds.missing_child == STOP).all()


def test_nothing_but_missing_values_apart_from_one():
    """The known values are all equal, so the branch of missing values is a question of its own."""
    column = np.array([[1.0], [1.0], [np.nan], [np.nan]])
    model = TreeClassifier(missing="own_branch").fit(column, ["a", "a", "b", "b"])
    assert model.get_n_leaves() == 2
    assert model.predict(column).tolist() == ["a", "a", "b", "b"]


@pytest.mark.parametrize(
    ("unseen", "answer"),
    [("majority", 1.0), ("learn", 1.0), ("own_branch", 22 / 6), ("stop", 22 / 6)],
)
def test_values_that_training_did_not_see(unseen, answer):
    """By plain gains: one row is in Ulm, which would count as unseen otherwise."""
    for splits in ("multiway", "subset"):
        model = TreeRegressor(unseen=unseen, splits=splits, category_gain="plain").fit(TOWNS, RENT)
        assert model.predict(NEW).tolist() == [pytest.approx(answer, rel=1e-9)]
        assert model.predict(TOWNS).tolist() == RENT


def test_a_known_value_that_a_node_did_not_see():
    """Ulm never comes with a garden, so the question about towns there has not met it."""
    table = pd.DataFrame({"garden": [True] * 4 + [False] * 2, "town": list("BBKKUU")})
    target = [1.0, 1.0, 2.0, 2.0, 50.0, 50.0]
    stranger = pd.DataFrame({"garden": [True], "town": ["U"]})
    model = TreeRegressor(unseen="stop", splits={"garden": "threshold"}).fit(
        table[["garden", "town"]], target
    )
    assert model.predict(table).tolist() == target
    heavier = TreeRegressor().fit(table, target)
    assert heavier.predict(stranger).tolist()[0] in (1.0, 2.0, 50.0)
    assert model.predict(stranger).tolist() in ([1.5], [50.0])


def test_unseen_values_join_the_branch_of_missing_ones():
    towns = pd.DataFrame({"town": ["Bonn", "Bonn", "Kiel", "Kiel", None, None]})
    rent = [1.0, 1.0, 2.0, 2.0, 7.0, 7.0]
    choice = {"missing": "own_branch", "unseen": "own_branch"}
    for splits in ("multiway", "subset"):
        model = TreeRegressor(**choice, splits=splits).fit(towns, rent)
        assert model.predict(towns).tolist() == rent
        assert model.predict(NEW).tolist() == [7.0]


def test_forbidden_values():
    frame = pd.DataFrame({"age": [20.0, 30.0, 40.0], "town": ["Bonn", "Kiel", "Ulm"]})
    model = TreeClassifier(missing="error", unseen="error").fit(frame, [0, 1, 1])
    assert model.predict(frame).tolist() == [0, 1, 1]
    with pytest.raises(DataError, match=r"'age' is missing in row 1.*missing='error'"):
        model.predict(frame.assign(age=[20.0, np.nan, np.nan]))
    with pytest.raises(DataError, match=r"'town' holds 'Rom', a value that training.*row 2"):
        model.predict_proba(frame.assign(town=["Bonn", "Kiel", "Rom"]))
    with pytest.raises(DataError, match="'town' is missing in row 0"):
        TreeClassifier(missing="error").fit(frame.assign(town=[None, "Bonn", "Kiel"]), [0, 1, 1])
    with pytest.raises(DataError, match="X_val: column 'town' is missing in row 2"):
        model.fit(frame, [0, 1, 1], X_val=frame.assign(town=["Ulm", "Ulm", None]), y_val=[0, 1, 1])


def test_policies_by_column():
    frame = pd.DataFrame({"age": np.arange(8.0), "size": np.arange(8.0)[::-1]})
    model = TreeClassifier(missing={"age": "stop"}).fit(frame, [0] * 3 + [1] * 5)
    assert [column.missing for column in model.grown_tree_.schema.columns] == ["stop", "learn"]
    assert model.apply(frame[:1].assign(age=np.nan)).tolist() == [0]
    assert model.apply(frame[:1].assign(size=np.nan)).tolist() == [1]


def test_rows_that_stop_have_shorter_paths(tmp_path):
    model = TreeClassifier(missing="stop").fit(np.c_[NUMBERS, NUMBERS[::-1]], [0, 1] * 5)
    rows = np.array([[np.nan, np.nan], [2.0, 7.0]])
    lengths = np.asarray(model.decision_path(rows).sum(axis=1)).ravel()
    assert lengths[0] == 1 < lengths[1]
    silva.save(model, tmp_path / "model.silva")
    loaded = silva.load(tmp_path / "model.silva")
    assert loaded.missing == "stop"
    assert np.array_equal(loaded.predict_proba(rows), model.predict_proba(rows))


def test_held_out_rows_that_stop_are_answered_by_their_node():
    model = TreeClassifier(missing="stop").fit(NUMBERS, HIGH, X_val=NOWHERE, y_val=[1])
    assert model.summary_.held_out.tree == 1.0
    other = TreeRegressor(unseen="stop").fit(TOWNS, RENT, X_val=NEW, y_val=[22 / 6])
    assert other.summary_.held_out.tree == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("missing", ["own_branch", "stop"])
def test_scikit_learns_arrays_have_no_such_ends(missing):
    model = TreeClassifier(missing=missing).fit(GAPS, HIGH)
    with pytest.raises(SplitKindError, match=r"node 0 .*missing or unseen.*Threshold, column 'x0'"):
        model.tree_.children_left  # noqa: B018
    shown = TreeClassifier(missing="majority", unseen="stop").fit(GAPS, HIGH)
    assert shown.tree_.children_left[0] == 1


def test_smoothed_leaves_and_stops():
    model = TreeClassifier(missing="stop", leaf="laplace").fit(NUMBERS, HIGH)
    assert model.predict_proba(NOWHERE).tolist() == [pytest.approx([5 / 12, 7 / 12])]
    assert model.predict_proba([[0.0]]).tolist() == [pytest.approx([5 / 6, 1 / 6])]
