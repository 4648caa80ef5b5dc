"""Models of every container and dtype come back by file, pickle and copy, byte for byte."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import VotingClassifier
from sklearn.preprocessing import OneHotEncoder

import silva

N_ROWS = 48
ROWS = np.arange(N_ROWS)
NUMBERS = np.round(np.random.default_rng(0).normal(size=(N_ROWS, 3)) * 4)
CLASSES = np.array(["u", "v", "w"])[ROWS // 5 % 3]
POSITIVE = np.abs(NUMBERS[:, 0]) + ROWS
LARGEST = np.finfo(float).max
DTYPES = ("float64", "float32", "float16", "bool", "int8", "int16", "int64", "uint8", "uint64")
SPARSE = [
    getattr(sparse, f"{form}_{kind}")
    for form in ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")
    for kind in ("matrix", "array")
]
CONTAINERS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "big endian": lambda X: X.astype(X.dtype.newbyteorder(">")),
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "object": lambda X: X.astype(object),
    "list": lambda X: X.tolist(),
    "pandas": lambda X: pd.DataFrame(X, columns=list("abc")),
    "nullable": lambda X: pd.DataFrame(X, columns=list("abc")).convert_dtypes(),
    "categories": lambda X: pd.DataFrame(X, columns=list("abc")).astype("category"),
    "pandas sparse": lambda X: pd.DataFrame(
        {name: pd.arrays.SparseArray(X[:, i]) for i, name in enumerate("abc")}
    ),
    "polars": lambda X: pl.DataFrame({name: X[:, i] for i, name in enumerate("abc")}),
    "arrow": lambda X: pa.table({name: X[:, i] for i, name in enumerate("abc")}),
    **{one.__name__: one for one in SPARSE},
}
COLUMNS = {
    "string": pd.array(["a", "b", None] * 16, dtype="string"),
    "texts": np.array(["a", "b", None] * 16, dtype=object),
    "mixed": np.array([1, 2.5, True] * 16, dtype=object),
    "category": pd.Categorical(["x", "y", None] * 16),
    "ordered": pd.Categorical(["x", "y", "z"] * 16, ordered=True),
    "infinite levels": pd.Categorical([1.5, np.inf, -0.0] * 16),
    "Int64": pd.array([1, 2, None] * 16, dtype="Int64"),
    "boolean": pd.array([True, False, None] * 16, dtype="boolean"),
    "sparse booleans": pd.arrays.SparseArray([True, False, False] * 16),
    "sparse missing": pd.arrays.SparseArray([np.nan, 1.0, 2.0] * 16),
    "dates": pd.date_range("2020", "2021", periods=N_ROWS),
    "instants": pd.date_range("2020", "2021", periods=N_ROWS, tz="Europe/Berlin"),
    "durations": pd.to_timedelta(ROWS, "h"),
    "arrow booleans": pd.array([True, False, None] * 16, dtype="bool[pyarrow]"),
}
EXTREMES = {
    "largest and smallest": np.where(ROWS % 2, LARGEST, -LARGEST),
    "one of them": np.where(ROWS == 0, LARGEST, -LARGEST),
    "and zero": np.array([LARGEST, 0.0, -LARGEST] * 16),
    "largest": np.full(N_ROWS, LARGEST),
    "whole range": np.linspace(-1.0, 1.0, N_ROWS) * LARGEST,
    "smallest": ROWS * 5e-324,
    "infinite": np.where(ROWS % 2, np.inf, -np.inf),
    "missing": np.full(N_ROWS, np.nan),
}
WEIGHTS = {
    "none": None,
    "some": 0.5 * (1 + ROWS % 3),
    "zeros": 1.0 * (ROWS % 3),
    "tiny and huge": np.where(ROWS % 2, 1e-300, 1e300),
    "one row": np.where(ROWS == 0, 1e300, 1e-300),
    "denormal and huge": np.where(ROWS % 2, 5e-324, 1e300),
}
TASKS = {
    "tree": (silva.TreeClassifier(max_depth=4), CLASSES),
    "multiway": (silva.TreeClassifier(splits="multiway", missing="own_branch"), CLASSES),
    "pruned": (silva.TreeClassifier(prune="reduced_error", random_state=0), CLASSES),
    "regression": (silva.TreeRegressor(), POSITIVE),
    "poisson": (silva.TreeRegressor(criterion="poisson"), POSITIVE),
    "linear": (silva.TreeRegressor(leaf=silva.LinearLeaf(), max_depth=2), POSITIVE),
    "stump": (silva.StumpClassifier(), CLASSES),
    "stump of numbers": (silva.StumpRegressor(), POSITIVE),
    "optimal": (silva.OptimalTreeClassifier(max_depth=1), CLASSES),
    "forest": (silva.ForestClassifier(2, random_state=0, oob_score=True), CLASSES),
    "forest of numbers": (silva.ForestRegressor(2, random_state=0, oob_score=True), POSITIVE),
    "extra": (silva.ExtraTreesClassifier(2, random_state=0), CLASSES),
    "extra of numbers": (silva.ExtraTreesRegressor(2, random_state=0), POSITIVE),
    "bagging": (silva.BaggingClassifier(n_estimators=2, random_state=0), CLASSES),
    "bagging of numbers": (silva.BaggingRegressor(n_estimators=2, random_state=0), POSITIVE),
    "boosted": (silva.AdaBoostClassifier(n_estimators=2), CLASSES),
}
pytestmark = pytest.mark.filterwarnings("ignore::silva.DataWarning", "ignore::UserWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("round_trips")


def comes_back(task, X, weights, folder):
    kind, y = TASKS[task]
    model = clone(kind).fit(X, y, sample_weight=weights)
    told, first, second = model.predict(X), folder / "first", folder / "second"
    silva.save(model, first)
    for again in (
        silva.load(first),
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
    ):
        assert np.array_equal(again.predict(X), told)
        silva.save(again, second)
        assert second.read_bytes() == first.read_bytes()


@given(
    st.sampled_from(sorted(TASKS)),
    st.sampled_from(sorted(CONTAINERS)),
    st.sampled_from(DTYPES),
    st.sampled_from(["none", "some", "zeros"]),
    st.booleans(),
)
@settings(max_examples=100, deadline=None)
def test_every_container_and_dtype(folder, task, container, dtype, weights, has_missing):
    if dtype == "float16" and container.endswith(("matrix", "array", "categories")):
        dtype = "float32"  # SciPy and the index of pandas have no others
    X = NUMBERS > 0 if dtype == "bool" else np.abs(NUMBERS).astype(dtype)
    if has_missing and X.dtype.kind == "f":
        X[::7, 0] = np.nan
    comes_back(task, CONTAINERS[container](X), WEIGHTS[weights], folder)


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("task", ["tree", "multiway", "linear", "optimal", "forest", "boosted"])
def test_every_kind_of_column(task, column, tmp_path):
    table = pd.DataFrame({"column": COLUMNS[column], "z": NUMBERS[:, 0]})
    comes_back(task, table, None, tmp_path)
    if not column.startswith(("mixed", "infinite", "sparse")):  # polars has no such columns
        comes_back(task, pl.from_pandas(table), None, tmp_path)


@pytest.mark.parametrize("numbers", EXTREMES)
@pytest.mark.parametrize("task", TASKS)
def test_numbers_at_the_ends_of_float64(task, numbers, tmp_path):
    X = np.column_stack((EXTREMES[numbers], NUMBERS[:, 0]))
    comes_back(task, X, None, tmp_path)
    comes_back(task, sparse.csr_array(X), None, tmp_path)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("task", TASKS)
def test_weights_of_any_size(task, weights, tmp_path):
    comes_back(task, NUMBERS, WEIGHTS[weights], tmp_path)


@pytest.mark.parametrize("make", SPARSE, ids=lambda one: one.__name__)
def test_columns_with_levels_have_no_range(make):
    facts = silva.TreeClassifier().fit(make(NUMBERS > 0), CLASSES).column_facts_
    assert np.isnan([facts.low, facts.high, facts.mean, facts.deviation]).all()
    assert facts.missing.tolist() == [0, 0, 0]


def test_one_hot_booleans_vote_in_two_processes():
    X = OneHotEncoder(dtype=bool).fit_transform(NUMBERS)
    votes = VotingClassifier([("tree", silva.TreeClassifier())], n_jobs=2).fit(X, CLASSES)
    assert np.array_equal(votes.predict(X), silva.TreeClassifier().fit(X, CLASSES).predict(X))


@pytest.mark.parametrize("kind", [silva.ForestRegressor, silva.BaggingRegressor])
def test_weights_that_overflow_when_rows_are_drawn_twice_are_refused(kind):
    weights = np.where(ROWS == 0, LARGEST / 4, 1.0)
    with pytest.raises(silva.DataError, match="drawn with replacement add up to more than float64"):
        kind(n_estimators=3).fit(NUMBERS, POSITIVE, sample_weight=weights)
    assert silva.ExtraTreesRegressor(3).fit(NUMBERS, POSITIVE, sample_weight=weights)


@pytest.mark.parametrize("task", TASKS)
def test_weights_at_the_end_of_float64_are_refused(task):
    kind, y = TASKS[task]
    with pytest.raises(silva.DataError, match="add up to more than float64 can hold"):
        clone(kind).fit(NUMBERS, y, sample_weight=np.where(ROWS == 0, LARGEST, 5e-324))
