"""Pruning of fitted models gives the trees that fitting with the pruner gives."""

import numpy as np
import pytest

import silva
from silva.estimators.prune_fitted import prune_fitted, role_of

RANDOM = np.random.default_rng(1)
X = RANDOM.normal(size=(150, 3))
NOISE = RANDOM.normal(size=150)
NUMBERS = X[:, 0] + NOISE
LABELS = np.where(NUMBERS > 0, "yes", "no")
NEW, NEW_LABELS = X[100:], LABELS[100:]
TRAINING = [
    silva.Pessimistic(),
    silva.MinimumError(),
    silva.AccuracyThreshold(0.05),
    silva.CriticalValue(0.02),
    silva.MaxLeaves(5),
    silva.CostComplexity(),
    silva.CostComplexity(alpha=0.01),
]


@pytest.mark.parametrize(
    ("pruner", "regression"),
    [(one, False) for one in TRAINING] + [(one, True) for one in TRAINING[2:]],
    ids=repr,
)
def test_training_rows_give_what_fit_gives(pruner, regression):
    kind, y = (silva.TreeRegressor, NUMBERS) if regression else (silva.TreeClassifier, LABELS)
    grown = kind().fit(X, y)
    done = prune_fitted(grown, pruner, X, y)
    expected = kind(prune=pruner).fit(X, y)
    assert str(done.model.grown_tree_) == str(expected.grown_tree_)
    assert str(done.record) == str(expected.prune_record_)
    assert str(done.model.summary_) == str(expected.summary_)
    assert done.model.prune == pruner
    assert grown.prune is None
    np.testing.assert_array_equal(done.model.predict(X), expected.predict(X))


@pytest.mark.parametrize("pruner", [silva.ReducedError(), silva.Auto(leaf_sizes=())], ids=repr)
def test_validation_rows_give_what_fit_gives(pruner):
    grown = silva.TreeClassifier().fit(X[:100], LABELS[:100])
    done = prune_fitted(grown, pruner, NEW, NEW_LABELS)
    expected = silva.TreeClassifier(prune=pruner)
    expected.fit(X[:100], LABELS[:100], X_val=NEW, y_val=NEW_LABELS)
    assert str(done.model.grown_tree_) == str(expected.grown_tree_)
    assert str(done.model.summary_) == str(expected.summary_)
    assert done.model.summary_.chose


def test_bare_trees_stumps_and_models_with_ccp_alpha(tmp_path):
    grown = silva.TreeClassifier(ccp_alpha=1e-9).fit(X, LABELS)
    done = prune_fitted(grown, silva.MaxLeaves(3))
    assert (done.model.get_n_leaves(), done.model.prune) == (3, None)
    bare = prune_fitted(grown.grown_tree_, silva.MaxLeaves(3)).model
    assert str(bare) == str(done.model.grown_tree_)
    stump = silva.StumpClassifier().fit(X, LABELS)
    assert prune_fitted(stump, silva.MaxLeaves(1)).model.get_n_leaves() == 1
    silva.save(done.model, tmp_path / "model.silva")
    assert str(silva.load(tmp_path / "model.silva").summary_) == str(done.model.summary_)


def test_linear_leaves_stay_where_nothing_is_cut():
    grown = silva.TreeRegressor(leaf="linear", max_depth=2).fit(X, NUMBERS)
    done = prune_fitted(grown, silva.MaxLeaves(2))
    assert done.model.grown_tree_.linear is not None
    assert done.model.predict(X).shape == (150,)
    measured = prune_fitted(grown, silva.MaxLeaves(2), X, NUMBERS).model
    mean = np.mean((measured.predict(X) - NUMBERS) ** 2)
    assert measured.summary_.train.tree == pytest.approx(mean)


def test_what_is_refused():
    grown = silva.TreeClassifier().fit(X, LABELS)
    forest = silva.ForestClassifier(3, random_state=0).fit(X, LABELS)
    with pytest.raises(silva.PlanError, match="needs one tree, and this ForestClassifier has 3"):
        prune_fitted(forest, silva.MaxLeaves(2))
    with pytest.raises(silva.DataError, match="grew from 150 rows and 50 rows are given"):
        prune_fitted(grown, silva.Pessimistic(), NEW, NEW_LABELS)
    with pytest.raises(silva.PlanError, match="looks at the training rows"):
        prune_fitted(grown, silva.Pessimistic(), NEW, NEW_LABELS, role="validation")
    assert role_of(silva.ReducedError()) == "validation"
    assert role_of(silva.AccuracyThreshold(on="validation")) == "validation"
    assert role_of(silva.CostComplexity()) == "training"
