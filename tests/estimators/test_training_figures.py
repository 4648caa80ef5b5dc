"""The training line of `summary_`: what the model says about its own rows, also when loaded."""

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest

import silva
from silva import TreeClassifier, TreeRegressor
from silva.tree import decision

RNG = np.random.default_rng(3)
N = 200
NUMBERS = RNG.normal(size=(N, 3))
HOLES = np.where(RNG.random((N, 3)) < 0.2, np.nan, NUMBERS)
VALUES = NUMBERS @ [3.0, -2.0, 1.0] + RNG.normal(size=N)
CLASSES = np.digitize(VALUES, [-2.0, 0.0, 2.0])
WEIGHTS = RNG.integers(0, 3, N).astype(float)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize(
    ("table", "choices"),
    [
        (NUMBERS, {"leaf": "linear"}),
        (HOLES, {"leaf": "linear", "missing": "stop"}),
        (HOLES, {"missing": "stop"}),
        (HOLES, {"missing": "stop", "splits": "oblique"}),
    ],
)
class TestAreThoseOfTheAnswers:
    def test_for_numbers(self, table, choices, weights):
        model = TreeRegressor(max_leaf_nodes=4, **choices).fit(table, VALUES, weights)
        missed = np.square(VALUES - model.predict(table))
        assert model.summary_.train.tree == pytest.approx(np.average(missed, weights=weights))

    def test_for_classes(self, table, choices, weights):
        model = TreeClassifier(max_leaf_nodes=4, **choices).fit(table, CLASSES, weights)
        assert model.summary_.train.tree == pytest.approx(model.score(table, CLASSES, weights))


def test_rows_and_baseline_do_not_depend_on_the_leaf():
    plain, linear = (
        TreeRegressor(max_depth=2, leaf=leaf).fit(NUMBERS, VALUES, WEIGHTS).summary_.train
        for leaf in ("constant", "linear")
    )
    assert (linear.rows, linear.baseline) == (plain.rows, plain.baseline)
    assert linear.rows == np.count_nonzero(WEIGHTS)
    assert linear.weighted
    assert linear.tree < plain.tree


def test_they_are_kept_with_the_model(tmp_path):
    table = pd.DataFrame(NUMBERS, columns=list("abc"))
    model = TreeRegressor(max_depth=2, leaf="linear").fit(table, VALUES, None, table, VALUES)
    silva.save(model, tmp_path / "model.silva")
    for kept in (silva.load(tmp_path / "model.silva"), pickle.loads(pickle.dumps(model))):
        assert kept.summary_ == model.summary_
        assert kept.summary_.train.tree == pytest.approx(kept.summary_.held_out.tree)


@pytest.mark.parametrize("leaf", ["linear", "m_estimate"])
def test_classes_are_told_piece_by_piece(leaf, monkeypatch):
    """Shares of many classes for many rows would not fit into memory."""
    model = TreeClassifier(max_depth=4, leaf=leaf, missing="stop").fit(HOLES, CLASSES)
    whole, summary = model.predict(HOLES), model.summary_
    monkeypatch.setattr(decision, "CHUNK_CELLS", 30)
    assert model.predict(HOLES).tolist() == whole.tolist()
    assert model.predict(HOLES[:0]).shape == (0,)
    assert model.summary_ == summary


def test_constant_models_of_many_leaves_and_classes_are_numbers_only():
    rows = np.arange(1000.0)
    levels = TreeClassifier(
        splits="multiway",
        categorical_features=[0],
        category_gain="plain",
        leaf="linear",
        max_depth=1,
    )
    tracemalloc.start()
    with pytest.warns(silva.DataWarning, match="identifier"):
        levels.fit(rows[:, None], np.arange(1000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    models = levels.grown_tree_.linear
    assert len(models.intercept) == 1_000_000
    assert peak < 120e6
