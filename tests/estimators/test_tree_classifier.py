"""TreeClassifier and StumpClassifier on small named tables."""

import gc
import weakref

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.tree import DecisionTreeClassifier

from silva import DataError, PlanError, StumpClassifier, TreeClassifier
from silva.tree.tree import same

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
PETS = pd.DataFrame(
    {
        "legs": [4, 4, 2, 2, 0, 0],
        "cover": pd.Categorical(["fur", "fur", "feathers", "feathers", "scales", "scales"]),
        "sings": [False, False, True, True, False, True],
    }
)
KINDS = ["dog", "cat", "bird", "bird", "fish", "whale"]


@pytest.fixture(scope="module")
def continuous():
    X, y = make_classification(400, 8, n_informative=5, n_classes=3, random_state=1)
    return X.astype(np.float32).astype(np.float64), y


def test_xor_needs_a_split_without_gain():
    model = TreeClassifier().fit(XOR, [0, 1, 1, 0])
    assert model.predict(XOR).tolist() == [0, 1, 1, 0]
    assert model.get_depth() == 2
    assert model.get_n_leaves() == 4


def test_a_stump_asks_once():
    X, y = load_iris(return_X_y=True)
    model = StumpClassifier().fit(X, y)
    assert model.get_depth() == 1
    assert "max_depth" not in model.get_params()
    assert same(model.grown_tree_, TreeClassifier(max_depth=1).fit(X, y).grown_tree_)


def test_frames_with_names_and_categories():
    model = TreeClassifier().fit(PETS, KINDS)
    assert model.feature_names_in_.tolist() == ["legs", "cover", "sings"]
    assert model.classes_.tolist() == ["bird", "cat", "dog", "fish", "whale"]
    assert model.predict(PETS[["sings", "cover", "legs"]]).tolist()[2:] == KINDS[2:]
    assert model.predict(pl.from_pandas(PETS)).tolist() == model.predict(PETS).tolist()


def test_text_columns_need_no_encoding():
    frame = pd.DataFrame({"colour": ["red", "green", "blue", "red", "green", "blue"]})
    model = TreeClassifier().fit(frame, [1, 0, 0, 1, 0, 0])
    assert model.predict(frame).tolist() == [1, 0, 0, 1, 0, 0]


def test_probabilities_are_shares_of_the_leaf():
    X = np.array([[0.0], [0.0], [0.0], [1.0]])
    model = TreeClassifier().fit(X, ["a", "a", "b", "b"])
    assert model.predict_proba([[0.0], [1.0]]).tolist() == [[2 / 3, 1 / 3], [0.0, 1.0]]
    assert model.predict_log_proba([[1.0]]).tolist() == [[-np.inf, 0.0]]


def test_equal_shares_answer_with_the_first_class():
    model = TreeClassifier().fit([[0.0], [0.0]], ["b", "a"])
    assert model.predict([[5.0]]).tolist() == ["a"]


def test_few_rows_and_many_rows_get_the_same_probabilities(continuous):
    X, y = continuous
    model = TreeClassifier(min_samples_leaf=5).fit(X, y)
    whole = model.predict_proba(X)
    assert len(X) > model.get_n_leaves()
    assert np.array_equal(np.vstack([model.predict_proba(row[None]) for row in X]), whole)
    assert np.array_equal(model.classes_[whole.argmax(axis=1)], model.predict(X))


@pytest.mark.parametrize(
    "choice",
    [
        {},
        {"criterion": "entropy"},
        {"criterion": "log_loss"},
        {"max_depth": 3},
        {"min_samples_leaf": 0.05},
        {"min_samples_split": 40},
        {"max_leaf_nodes": 9},
        {"min_impurity_decrease": 0.01},
        {"ccp_alpha": 0.008},
        {"class_weight": "balanced"},
        {"class_weight": {0: 1.0, 1: 2.0, 2: 0.5}},
        {"min_weight_fraction_leaf": 0.08},
    ],
)
def test_scikit_learn_grows_a_tree_of_the_same_quality(continuous, choice):
    """Ties differ, so sizes may differ a little; on most choices they do not at all."""
    X, y = continuous
    ours = TreeClassifier(**choice).fit(X, y)
    theirs = DecisionTreeClassifier(random_state=0, **choice).fit(X, y)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=0.01)
    assert ours.get_n_leaves() == pytest.approx(theirs.get_n_leaves(), rel=0.1)


def test_the_same_tree_has_the_same_arrays_as_scikit_learns(continuous):
    X, y = continuous
    ours = TreeClassifier(min_samples_leaf=20).fit(X, y)
    theirs = DecisionTreeClassifier(min_samples_leaf=20, random_state=0).fit(X, y)
    for name in ("children_left", "children_right", "feature", "n_node_samples", "n_classes"):
        assert np.array_equal(getattr(ours.tree_, name), getattr(theirs.tree_, name)), name
    for name in ("impurity", "value", "weighted_n_node_samples"):
        np.testing.assert_allclose(getattr(ours.tree_, name), getattr(theirs.tree_, name))
    for name in ("node_count", "n_leaves", "max_depth", "n_features", "n_outputs", "max_n_classes"):
        assert getattr(ours.tree_, name) == getattr(theirs.tree_, name), name
    np.testing.assert_allclose(ours.tree_.threshold, theirs.tree_.threshold, rtol=1e-6)
    assert np.array_equal(ours.apply(X), theirs.apply(X))
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_)
    paths, expected = ours.decision_path(X), theirs.decision_path(X)
    assert type(paths) is type(expected)
    assert (paths != expected).nnz == 0


def test_pruning_path_and_ccp_alpha_agree(continuous):
    X, y = continuous
    path = TreeClassifier(min_samples_leaf=4).cost_complexity_pruning_path(X, y)
    sizes = []
    for alpha in path.ccp_alphas:
        model = TreeClassifier(min_samples_leaf=4, ccp_alpha=alpha).fit(X, y)
        leaf = model.tree_.children_left < 0
        share = model.tree_.weighted_n_node_samples[leaf] / len(X)
        last = np.searchsorted(path.ccp_alphas, alpha, side="right") - 1
        assert np.sum(share * model.tree_.impurity[leaf]) == pytest.approx(path.impurities[last])
        sizes.append(model.get_n_leaves())
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1


def test_weights_are_copies(continuous):
    X, y = continuous
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = TreeClassifier().fit(X, y, sample_weight=weights)
    repeated = TreeClassifier().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert np.array_equal(weighted.predict_proba(X), repeated.predict_proba(X))


def test_threads_do_not_change_the_tree(continuous):
    X, y = continuous
    one = TreeClassifier().fit(X, y)
    for n_jobs in (2, 3, -1):
        many = TreeClassifier(n_jobs=n_jobs).fit(X, y)
        assert same(one.grown_tree_, many.grown_tree_)
        assert np.array_equal(one.predict(X), many.predict(X))


@pytest.mark.parametrize("choice", [{"splitter": "random"}, {"max_features": "sqrt"}])
def test_random_state_seeds_what_is_random(continuous, choice):
    X, y = continuous

    def tree(random_state):
        return TreeClassifier(random_state=random_state, **choice).fit(X, y).grown_tree_

    assert same(tree(1), tree(1))
    assert not same(tree(1), tree(2))
    assert same(tree(np.random.RandomState(3)), tree(np.random.RandomState(3)))
    np.random.seed(5)
    first = tree(None)
    assert not same(first, tree(None))
    np.random.seed(5)
    assert same(first, tree(None))


def test_a_plan_without_random_choices_does_not_touch_the_random_state(continuous):
    X, y = continuous
    state = np.random.RandomState(0)
    TreeClassifier(random_state=state).fit(X, y)
    assert state.randint(1000) == np.random.RandomState(0).randint(1000)


def test_max_features_is_resolved(continuous):
    X, y = continuous
    assert TreeClassifier(max_features="sqrt", random_state=0).fit(X, y).max_features_ == 2
    assert TreeClassifier().fit(X, y).max_features_ == 8


def test_summary_beside_the_majority_vote():
    X, y = np.arange(10.0)[:, None], np.array(list("aaaaaabbbb"))
    model = StumpClassifier().fit(X, y, X_val=[[0.0], [9.0], [9.0]], y_val=["a", "a", "c"])
    summary = model.summary_
    assert (summary.train.tree, summary.train.baseline, summary.train.rows) == (1.0, 0.6, 10)
    held_out = summary.held_out
    assert (held_out.tree, held_out.baseline, held_out.rows) == pytest.approx((1 / 3, 2 / 3, 3))
    assert "majority class" in str(summary)
    assert "held-out" in str(summary)
    assert "held-out" not in str(StumpClassifier().fit(X, y).summary_)


def test_held_out_weights():
    X, y = np.arange(4.0)[:, None], ["a", "a", "b", "b"]
    model = StumpClassifier().fit(X, y, X_val=X[:2], y_val=["a", "b"], sample_weight_val=[3.0, 1.0])
    assert model.summary_.held_out.tree == 0.75
    assert model.summary_.held_out.weighted
    assert not model.summary_.train.weighted


def test_held_out_rows_do_not_change_the_tree(continuous):
    X, y = continuous
    plain = TreeClassifier().fit(X[:200], y[:200])
    watched = TreeClassifier().fit(X[:200], y[:200], X_val=X[200:], y_val=y[200:])
    assert same(plain.grown_tree_, watched.grown_tree_)
    assert watched.summary_.held_out.tree == plain.score(X[200:], y[200:])
    assert watched.summary_.train.tree == plain.score(X[:200], y[:200])


@pytest.mark.parametrize(
    ("held_out", "words"),
    [
        ({"X_val": XOR}, "y_val is missing"),
        ({"y_val": [0]}, "X_val is missing"),
        ({"sample_weight_val": [1.0]}, "X_val is missing"),
        ({"X_val": XOR, "y_val": [0, 1]}, "y_val has 2 labels and X_val 4 rows"),
        ({"X_val": XOR[:, :1], "y_val": [0, 1, 1, 0]}, "columns"),
        ({"X_val": XOR[:0], "y_val": np.array([], dtype=int)}, "X_val has no rows"),
    ],
)
def test_bad_held_out_rows(held_out, words):
    with pytest.raises(DataError, match=words):
        TreeClassifier().fit(XOR, [0, 1, 1, 0], **held_out)


def test_a_column_vector_is_taken_with_a_warning():
    with pytest.warns(DataConversionWarning, match="column-vector y") as caught:
        model = TreeClassifier().fit(XOR, np.array([[0], [1], [1], [0]]))
    assert model.predict(XOR).tolist() == [0, 1, 1, 0]
    assert caught[0].filename == __file__


def test_two_targets_are_refused():
    with pytest.raises(DataError, match=r"y has shape \(4, 2\).*one tree for each target"):
        TreeClassifier().fit(XOR, np.zeros((4, 2), dtype=int))


def test_a_failed_fit_leaves_the_fitted_model_as_it_was():
    model = TreeClassifier().fit(PETS, KINDS)
    before = model.grown_tree_
    with pytest.raises(DataError):
        model.fit(XOR, [0, 1, 1, np.nan])
    with pytest.raises(DataError):
        model.fit(XOR, [0, 1, 1, 0], X_val=XOR[:, :1], y_val=[0, 1, 1, 0])
    with pytest.raises(PlanError):
        model.set_params(max_depth=0).fit(XOR, [0, 1, 1, 0])
    assert model.grown_tree_ is before
    assert model.predict(PETS).tolist()[2:] == KINDS[2:]


def test_a_new_fit_forgets_old_names():
    model = TreeClassifier().fit(PETS, KINDS).fit(XOR, [0, 1, 1, 0])
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 2


def test_missing_values_are_taken():
    X = np.array([[1.0], [np.nan], [2.0], [np.nan]])
    model = TreeClassifier().fit(X, [0, 1, 0, 1])
    assert model.predict([[np.nan], [1.5]]).tolist() == [1, 0]


@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply", "decision_path"])
def test_an_unfitted_model_says_so(method):
    with pytest.raises(NotFittedError, match="TreeClassifier instance is not fitted"):
        getattr(TreeClassifier(), method)(XOR)


def test_unfitted_attributes_are_absent():
    for name in ("tree_", "summary_", "feature_importances_", "grown_tree_", "classes_"):
        assert not hasattr(TreeClassifier(), name)


def test_the_wrong_number_of_columns_is_told():
    model = TreeClassifier().fit(XOR, [0, 1, 1, 0])
    with pytest.raises(DataError, match="X has 3 features, but TreeClassifier is expecting 2"):
        model.predict(np.zeros((1, 3)))


def test_no_rows_give_no_answers():
    model = TreeClassifier().fit(XOR, [0, 1, 1, 0])
    assert model.predict(XOR[:0]).shape == (0,)
    assert model.predict_proba(XOR[:0]).shape == (0, 2)
    assert model.decision_path(XOR[:0]).shape == (0, 7)


@pytest.mark.parametrize("choice", ["balanced", {"no": 3.0, "yes": 0.5}])
def test_class_weights_count_on_held_out_rows_too(choice):
    """Held-out rows equal to the training rows get the same figures."""
    table, answer = np.arange(8.0)[:, None], np.array(["no", "no", "yes", "yes"] + ["no"] * 4)
    model = StumpClassifier(class_weight=choice)
    model.fit(table, answer, X_val=table, y_val=answer)
    summary = model.summary_
    assert summary.held_out.weighted
    assert summary.held_out.tree == pytest.approx(summary.train.tree)
    assert summary.held_out.baseline == pytest.approx(summary.train.baseline)
    weights = np.arange(1.0, 9.0)
    model.fit(table, answer, weights, table, answer, weights)
    assert model.summary_.held_out.tree == pytest.approx(model.summary_.train.tree)


def test_a_held_out_class_without_class_weight_counts_once():
    table, answer = np.arange(4.0)[:, None], ["no", "no", "yes", "yes"]
    model = TreeClassifier(class_weight={"no": 3.0, "yes": 3.0})
    model.fit(table, answer, X_val=table, y_val=["no", "no", "yes", "new"])
    assert model.summary_.held_out.tree == pytest.approx(9 / 10)


def test_what_nodes_answer_is_computed_by_the_first_prediction_and_follows_each_fit():
    X, y = load_iris(return_X_y=True)
    model = TreeClassifier().fit(X, y)
    assert "answer_of_node" not in vars(model._fitted)
    assert (model.predict(X) == y).all()
    before = model._fitted
    model.fit(X, y[::-1])
    assert (model.predict(X) == y[::-1]).all()
    assert model.predict_proba(X).argmax(axis=1).tolist() == y[::-1].tolist()
    assert (before.answer_of_node[model.apply(X)] != y[::-1]).any()
    assert before.tree is not model.grown_tree_


def test_a_fitted_model_is_gone_without_the_garbage_collector():
    model = TreeClassifier().fit(XOR, [0, 1, 1, 0])
    model.predict(XOR)
    gone = weakref.ref(model)
    gc.disable()
    try:
        del model
        assert gone() is None
    finally:
        gc.enable()
