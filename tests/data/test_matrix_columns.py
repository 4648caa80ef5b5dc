"""Plain arrays: their columns as one value, and many more columns than rows."""

import pickle

import numpy as np
import pandas as pd
import pytest

import silva
from silva.data.bind import bind_training
from silva.data.matrix import MatrixColumns
from silva.data.schema import Column, Schema

VIEWS = {
    "C order": lambda x: np.ascontiguousarray(x),
    "Fortran order": lambda x: np.asfortranarray(x),
    "every second row and column": lambda x: x.repeat(2, 0).repeat(2, 1)[::2, ::2],
    "backwards": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": lambda x: np.frombuffer(x.tobytes(), x.dtype).reshape(x.shape),
}


def test_columns_are_those_of_the_matrix():
    matrix = np.arange(12.0).reshape(3, 4)
    columns = MatrixColumns(matrix)
    assert len(columns) == 4
    assert [one.tolist() for one in columns] == matrix.T.tolist()
    assert columns[-1].tolist() == [3, 7, 11]
    assert [one.tolist() for one in columns[1:3]] == matrix.T[1:3].tolist()
    assert columns.take(np.array([2, 0, 2])).matrix.tolist() == matrix[[2, 0, 2]].tolist()
    with pytest.raises(IndexError):
        columns[4]


def test_rows_of_a_table_are_taken():
    table = bind_training(np.arange(12.0).reshape(6, 2))
    assert table.take(slice(1, 3)).n_rows == 2
    chosen = table.take(np.array([True, False, False, True, False, False]))
    assert [one.tolist() for one in chosen.columns] == [[0.0, 6.0], [1.0, 7.0]]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_trees_and_predictions_do_not_depend_on_the_memory_of_a_matrix(view, dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 7)).astype(dtype)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.integers(0, 3, 60)
    by_column = pd.DataFrame(X, columns=[f"x{i}" for i in range(7)])
    for model in (silva.TreeClassifier(), silva.ForestClassifier(5, random_state=0)):
        expected = model.fit(by_column, y).predict_proba(by_column)
        given = VIEWS[view](X)
        assert (model.fit(given, y).predict_proba(given) == expected).all()


@pytest.mark.parametrize("criterion", ["classes", "numbers"])
@pytest.mark.parametrize("n_rows", [1, 2, 7, 255, 256, 300])
def test_far_more_columns_than_rows(n_rows, criterion):
    """Rows differ, so trees of all rows are right on them; a frame gives the same tree."""
    rng = np.random.default_rng(n_rows)
    X = rng.normal(size=(n_rows, 1_000 * min(n_rows, 7))).astype(np.float32)
    y = rng.integers(0, 2, n_rows) if criterion == "classes" else rng.normal(size=n_rows)
    y[0] = 0
    kind = "Classifier" if criterion == "classes" else "Regressor"
    for name, choices in (("Tree", {}), ("ExtraTrees", {"n_estimators": 3}), ("Forest", {})):
        model = getattr(silva, name + kind)(random_state=0, **choices)
        if name == "Forest":
            model.set_params(n_estimators=3, bootstrap=False, max_features="sqrt")
        found = model.fit(X, y).predict(X)
        assert (found == y).all()
        if name == "Tree":
            frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
            assert silva.to_text(model.fit(frame, y)) == silva.to_text(model.fit(X, y))


def test_numbers_of_a_schema_are_not_part_of_it():
    schema = Schema((Column("a", "continuous"), Column("b", "binary", ("no", "yes"), "stop")))
    assert schema.numbers.n_levels == (0, 2)
    assert schema.numbers.missing == (0, 3)
    again = pickle.loads(pickle.dumps(schema))
    assert again == schema
    assert vars(again) == {"columns": schema.columns, "named": True}
