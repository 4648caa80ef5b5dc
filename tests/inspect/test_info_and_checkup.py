"""silva.inspect.model_info and silva.inspect.checkup."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import silva
from silva.inspect import checkup, model_info

N = 40
CLEAN = pd.DataFrame({"size": np.sin(np.arange(N)) * 3, "kind": [["u", "v"], ["v", "u"]][0] * 20})
TARGET = np.where(np.cos(np.arange(N)) > 0, "yes", "no")


def sorts(table, target=TARGET, task="classification"):
    return {(one.sort, one.column) for one in checkup(table, target, task).problems}


def test_nothing_is_wrong_with_a_clean_table():
    found = checkup(CLEAN, TARGET, "classification", "y")
    assert found.problems == ()
    assert str(found).endswith("no problem found")
    assert [(one.name, one.kind, one.distinct, one.missing) for one in found.columns] == [
        ("size", "continuous", N, 0),
        ("kind", "categorical", 2, 0),
    ]


COLUMNS = {
    "constant column": ["same"] * N,
    "empty column": [None] * N,
    "mostly missing": [1.5, 2.5, 0.5] + [np.nan] * (N - 3),
    "row numbers": list(range(7, 7 + N)),
    "a probable mark of missing values": [*np.sin(np.arange(N - 3)), -999, -999, -999],
    "columns that look like identifiers": [f"n{i}x" for i in range(N)],
    "dates stored as text": [f"2024-01-{1 + i % 28:02}" for i in range(N)],
    "levels that differ only in spaces or case": ["Oslo", "oslo ", "Bergen", "Rome"] * 10,
    "copy of the target (a leak)": np.where(TARGET == "yes", 1, 0),
}


@pytest.mark.parametrize("sort", COLUMNS)
def test_problems_of_columns(sort):
    assert (sort, "odd") in sorts(CLEAN.assign(odd=COLUMNS[sort]))


def test_shuffled_row_numbers_are_row_numbers():
    shuffled = np.random.default_rng(0).permutation(N)
    assert ("row numbers", "odd") in sorts(CLEAN.assign(odd=shuffled))
    assert ("row numbers", "odd") not in sorts(CLEAN.assign(odd=shuffled * 2))
    some = TARGET.astype(object)
    some[7] = None
    assert ("row numbers", "odd") in sorts(CLEAN.assign(odd=shuffled), some)


@pytest.mark.parametrize(
    ("column", "seen"),
    [
        ([*np.sin(np.arange(N - 3)), -999, -999, -999], "-999 in 3 rows"),
        (
            pd.to_datetime(["1900-01-01"] * 2 + [f"2024-01-{1 + i % 28:02}" for i in range(N - 2)]),
            "1900-01-01 in 2 rows; others are from 2024-01-01 to 2024-01-28",
        ),
        (
            pd.to_datetime(
                ["1970-01-01T00:00Z"] * 2 + [f"2024-01-{1 + i % 28:02}" for i in range(N - 2)],
                utc=True,
                format="mixed",
            ),
            "1970-01-01 00:00Z in 2 rows",
        ),
    ],
)
def test_the_line_that_makes_marks_missing(column, seen):
    X = CLEAN.assign(odd=column)
    found = [one for one in checkup(X, TARGET, "classification").problems if one.column == "odd"]
    assert found[0].seen.startswith(seen)
    exec(found[0].advice.split("command line, ")[1].split(" in pandas")[0], {"pandas": pd, "X": X})
    assert X["odd"].isna().sum() == int(found[0].seen.split(" in ")[1].split()[0])
    assert ("a probable mark of missing values", "odd") not in sorts(X)


def test_problems_of_targets():
    rare = TARGET.copy()
    rare[:3] = "rare"
    assert ("tiny classes", None) in sorts(CLEAN, rare)
    assert ("the target is constant", None) in sorts(CLEAN, np.full(N, "a"))
    assert ("the target is constant", None) in sorts(CLEAN, np.ones(N), "regression")
    mostly = np.where(np.arange(N) < 2, "b", "a")
    assert ("imbalanced classes", None) in sorts(CLEAN, mostly)
    some = TARGET.astype(object)
    some[5] = None
    found = checkup(CLEAN, some, "classification")
    assert ("the target is missing", None) in {(one.sort, one.column) for one in found.problems}
    assert found.rows == N
    numbers = np.arange(N) * 1.5
    numbers[3] = np.nan
    assert ("the target is missing", None) in sorts(CLEAN, numbers, "regression")
    wide = pd.DataFrame({"size": np.sin(np.arange(300))})
    assert ("very many classes", None) in sorts(wide, np.arange(300) % 150)


@given(st.lists(st.tuples(*[st.sampled_from([0.0, 1.0, np.nan])] * 2, st.booleans()), min_size=2))
def test_repeated_and_contradictory_rows(rows):
    table = np.array([row[:2] for row in rows])
    target = np.array([int(row[2]) for row in rows])
    keys = [tuple("?" if cell != cell else cell for cell in row[:2]) for row in rows]
    whole = list(zip(keys, target.tolist(), strict=True))
    n_repeated = len(rows) - len(set(whole))
    n_against = sum(len({t for k, t in whole if k == key}) > 1 for key in keys)
    found = {one.sort: one.seen for one in checkup(table, target, "classification").problems}
    told = [
        int(found.get(sort, "0").split()[0]) for sort in ("repeated rows", "contradictory rows")
    ]
    assert told == [n_repeated, n_against]


def test_checkups_are_plain_and_a_table():
    found = checkup(CLEAN.assign(odd=1.0), TARGET, "classification")
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["classes"][0]["rows"] > 0
    assert found.table()["column"] == ["odd"]
    assert "odd: constant column (always 1). Drop the column" in str(found)


MODELS = [
    silva.TreeClassifier(max_depth=2),
    silva.StumpClassifier(),
    silva.ForestClassifier(3, random_state=1),
    silva.BaggingClassifier(silva.TreeClassifier(max_depth=1), 3, random_state=1),
    silva.AdaBoostClassifier(n_estimators=3),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_info_of_models(model):
    table = CLEAN.assign(day=pd.date_range("2024-01-01", periods=N), size=CLEAN["size"].round(1))
    table.loc[0, "size"] = np.nan
    model = clone(model).fit(table, TARGET)
    found = model_info(model)
    assert (found.kind, found.task) == (type(model).__name__, "classification")
    assert found.trees == len(getattr(model, "trees_", "1"))
    assert found.classes == ("no", "yes")
    size, kind, day = found.columns
    assert (size.low, size.high, size.missing) == (
        table["size"].min(),
        table["size"].max(),
        1,
    )
    assert (kind.kind, kind.levels, kind.low) == ("categorical", ("u", "v"), None)
    assert (day.kind, day.low, day.high) == ("datetime", "2024-01-01", "2024-02-09")
    json.dumps(found.to_dict(), allow_nan=False)
    assert str(found.fitted) in str(found)
    assert "size: continuous" in str(found)


def test_info_of_a_bare_tree_and_of_parameters():
    model = silva.TreeRegressor(max_depth=2, min_samples_leaf=3).fit(CLEAN, np.arange(N) * 1.0)
    assert model_info(model).parameters == {"max_depth": 2, "min_samples_leaf": 3}
    bare = model_info(model.grown_tree_)
    assert (bare.kind, bare.parameters, bare.fitted) == ("Tree", {}, "")
    assert bare.columns[0].missing is None
