"""0.0 and -0.0 are one number: no model tells them apart, whichever comes first."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import silva
from silva.data.bind import bind_numbers, bind_training
from silva.model_file.store import dumps
from silva.tree.tree import numbers_of, to_arrays

ZEROS = [0.0, -0.0]
ROWS = st.lists(
    st.tuples(
        st.sampled_from([*ZEROS, 1.0, -1.0, 5e-324, -5e-324]),
        st.sampled_from([*ZEROS, 1.0]),
        st.sampled_from([*ZEROS, 1.0, -1.0]),
        st.sampled_from([*ZEROS, 1.0, 2.5]),
    ),
    min_size=2,
    max_size=10,
)
SETTINGS = [
    silva.TreeRegressor(),
    silva.TreeRegressor(categorical_features=[0]),
    silva.TreeRegressor(leaf="linear", max_depth=1),
    silva.TreeRegressor(prune="cost_complexity"),
    silva.TreeClassifier(),
    silva.TreeClassifier(categorical_features=[1], leaf="linear", max_depth=1),
]


def grown(estimator, rows):
    table = np.array([row[:2] for row in rows])
    target, weights = (np.array([row[i] for row in rows]) for i in (2, 3))
    weights = weights if weights.any() else None
    return clone(estimator).fit(table, target, weights).grown_tree_


def has_negative_zero(values):
    values = np.asarray(values, float)
    return bool((np.signbit(values) & (values == 0.0)).any())


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("estimator", SETTINGS, ids=str)
@given(rows=ROWS, data=st.data())
def test_bytes_do_not_depend_on_the_order_of_rows(estimator, rows, data):
    tree = grown(estimator, rows)
    assert dumps(grown(estimator, data.draw(st.permutations(rows)))) == dumps(tree)
    told = [to_arrays(tree).get("moment_value", [1.0]), list(numbers_of(tree).values())]
    assert not any(map(has_negative_zero, told))


@pytest.mark.parametrize(
    "estimator",
    [
        silva.ForestRegressor(4, random_state=0, oob_score=True),
        silva.ExtraTreesRegressor(4, random_state=0),
        silva.BaggingRegressor(silva.TreeRegressor(leaf="linear"), 4, random_state=0),
        silva.StumpRegressor(),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_no_regressor_tells_the_zeros_apart(estimator, tmp_path):
    table = np.random.default_rng(0).random((30, 2))
    target = np.where(table[:, 0] < 0.6, 0.0, 1.0)
    files, estimator = [], clone(estimator)
    for zero in ZEROS:
        signed = np.where(target == 0.0, zero, target)
        estimator.fit(table, signed, X_val=table, y_val=signed)
        silva.save(estimator, tmp_path / "model.silva")
        files.append((tmp_path / "model.silva").read_bytes())
        assert not has_negative_zero(estimator.predict(table))
    assert files[0] == files[1]


def test_labels_and_levels_have_no_sign():
    target = [-0.0, 0.0, 1.0, -0.0]
    model = silva.TreeClassifier().fit(np.eye(4), target)
    assert not has_negative_zero(model.classes_)
    assert model.score(np.eye(4), [0, 0, 1, 0]) == 1.0
    for zeros in (ZEROS, ZEROS[::-1]):
        table = pd.DataFrame({"a": pd.Categorical([*zeros[:1], 1.0]), "b": [zeros[0], 2.0]})
        columns = bind_training(table, ["b"]).schema.columns
        assert repr([column.levels for column in columns]) == "[(0.0, 1.0), (0.0, 2.0)]"
        declared = bind_training(table, {"b": [zeros[0], 2.0]}).schema.columns[1]
        assert repr(declared.levels) == "(0.0, 2.0)"


def test_targets_without_negative_zeros_are_borrowed():
    target = np.array([0.0, 1.0, -1.0])
    assert bind_numbers(target, None, 3).values is target
    signed = np.array([-0.0, 1.0, -1.0])
    assert not has_negative_zero(bind_numbers(signed, None, 3).values)
    assert has_negative_zero(signed)
