"""The table that the command line reads into, taken as any other container."""

import numpy as np
import pytest

import silva
from silva.data.bind import bind_training
from silva.data.frames.column_table import ColumnTable, as_array
from silva.data.moments import times_of_array
from silva.data.raw import Categories
from silva.data.timescale import UTC


@pytest.fixture
def table():
    days = np.array(["2024-01-01", "2024-01-02", "NaT", "2024-01-04"], "M8[D]")
    columns = (
        np.array([1, 2, 3, 4]),
        np.ma.MaskedArray([1, 2, 3, 4], [False, True, False, False]),
        Categories(np.array([0, 1, -1, 0], np.int32), ("no", "yes")),
        days,
        times_of_array(days.astype("M8[us]"), "", UTC),
    )
    return ColumnTable(("n", "gaps", "text", "day", "instant"), columns, 4)


def test_columns_have_the_kinds_of_other_containers(table):
    bound = bind_training(table)
    kinds = [(column.name, column.kind) for column in bound.schema.columns]
    assert kinds == [
        ("n", "continuous"),
        ("gaps", "continuous"),
        ("text", "binary"),
        ("day", "continuous"),
        ("instant", "continuous"),
    ]
    assert [column.time and column.time.zone for column in bound.schema.columns[3:]] == [None, UTC]
    np.testing.assert_array_equal(bound.columns[1], [1, np.nan, 3, 4])


def test_estimators_fit_and_predict_some_rows(table):
    model = silva.TreeClassifier().fit(table, ["a", "a", "b", "b"])
    assert model.predict(table).tolist() == ["a", "a", "b", "b"]
    assert model.predict(table[2:]).tolist() == ["b", "b"]
    assert model.predict(table[np.array([3, 0])]).tolist() == ["b", "a"]
    assert len(table[np.array([True, False, False, True])]) == 2


def test_forests_and_boosting_take_it(table):
    target = ["a", "a", "b", "b"]
    for model in (silva.ForestClassifier(5, random_state=0), silva.AdaBoostClassifier()):
        assert model.fit(table, target).predict(table).shape == (4,)


def test_columns_as_arrays(table):
    as_lists = [as_array(column).tolist() for column in table.columns[:3]]
    assert as_lists[0] == [1, 2, 3, 4]
    np.testing.assert_array_equal(as_lists[1], [1, np.nan, 3, 4])
    assert as_lists[2] == ["no", "yes", None, "no"]
    large = np.ma.MaskedArray([2**60 + 1, 0], [False, True])
    assert as_array(large).tolist() == [2**60 + 1, None]
