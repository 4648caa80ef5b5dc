"""The rows of each leaf, against rows grouped by `apply`."""

import numpy as np
import pandas as pd
import pytest

import silva
from silva.errors import DataError, PlanError
from silva.inspect.leaf_table import QUANTILES, leaf_table

RNG = np.random.default_rng(1)
FRAME = pd.DataFrame({"a": RNG.normal(size=200), "c": RNG.choice(["x", "y", "z"], 200)})
FRAME.loc[::9, "a"] = np.nan
NUMBERS = FRAME["a"].fillna(1.0) + (FRAME["c"] == "x")
CLASSES = np.where(NUMBERS > 0.5, "p", "q")
WEIGHTS = RNG.integers(0, 3, 200).astype(float)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_class_counts(weights):
    model = silva.TreeClassifier(max_depth=3).fit(FRAME, CLASSES)
    table = leaf_table(model, FRAME, CLASSES, weights)
    mass = np.ones(200) if weights is None else weights
    ended = model.apply(FRAME)
    assert sorted(table.nodes.tolist()) == sorted({*ended.tolist()})
    assert (np.diff(table.weight) <= 0).all()
    for place, node in enumerate(table.nodes.tolist()):
        own = ended == node
        counts = [mass[own & (name == CLASSES)].sum() for name in "pq"]
        assert table.counts[place].tolist() == [*counts, 0.0]
        assert model.classes_[table.codes[place]] == model.predict(FRAME[own])[0]


def test_training_rows_are_known_without_them():
    for model, target in (
        (silva.TreeClassifier(max_depth=3), CLASSES),
        (silva.TreeRegressor(max_depth=3), NUMBERS),
    ):
        model.fit(FRAME, target, sample_weight=WEIGHTS)
        known, given = leaf_table(model), leaf_table(model, FRAME, target, WEIGHTS)
        assert known.of_training
        assert not given.of_training
        assert known.words == given.words
        assert known.weight == pytest.approx(given.weight)
        if known.counts is None:
            assert known.mean == pytest.approx(given.mean)
            assert known.deviation == pytest.approx(given.deviation)
        else:
            assert known.counts == pytest.approx(given.counts)


def test_targets_of_numbers():
    model = silva.TreeRegressor(max_depth=2).fit(FRAME, NUMBERS)
    weights = WEIGHTS.astype(int)
    table = leaf_table(model, FRAME, NUMBERS, WEIGHTS)
    ended = model.apply(FRAME)
    for place, node in enumerate(table.nodes.tolist()):
        own = ended == node
        copies = np.repeat(NUMBERS[own].to_numpy(), weights[own])
        wanted = np.quantile(copies, QUANTILES, method="inverted_cdf")
        assert table.quantiles[place] == pytest.approx(wanted)
        assert table.mean[place] == pytest.approx(copies.mean())


def test_other_rows_leaves_without_rows_and_unseen_classes():
    model = silva.TreeClassifier(max_depth=3).fit(FRAME, CLASSES)
    table = leaf_table(model, FRAME[:2], ["p", "new"])
    assert len(table) == model.get_n_leaves()
    assert table.counts.sum(axis=0).tolist() == [1.0, 0.0, 1.0]
    numbers = leaf_table(silva.TreeRegressor(max_depth=3).fit(FRAME, NUMBERS), FRAME[:1], [1.0])
    assert np.isnan(numbers.mean[1:]).all()


def test_rows_that_stop_at_an_inner_node_have_an_entry():
    model = silva.TreeClassifier(missing="stop").fit([[1.0], [2.0], [3.0]], ["a", "b", "b"])
    table = leaf_table(model, [[np.nan], [1.0]], ["a", "a"])
    assert 0 in table.nodes.tolist()
    assert table.words[table.nodes.tolist().index(0)] == "x0 is missing"


def test_words_name_known_values_and_shorten_names():
    frame = FRAME.rename(columns={"a": "a name that goes on and on and on"})
    model = silva.TreeClassifier(max_depth=1).fit(frame, CLASSES)
    told = leaf_table(model).words
    assert not any("missing" in one or "on and on and on" in one for one in told)
    assert all("…" in one for one in told)


def test_what_is_refused():
    forest = silva.ForestClassifier(3).fit(FRAME, CLASSES)
    with pytest.raises(PlanError, match=r"has 3: give one of them.*silva\.distil"):
        leaf_table(forest, what="leaf_distributions")
    model = silva.TreeClassifier().fit(FRAME, CLASSES)
    with pytest.raises(DataError, match="y is missing"):
        leaf_table(model, FRAME)
    with pytest.raises(DataError, match="sample_weight is given without rows"):
        leaf_table(model, sample_weight=WEIGHTS)
