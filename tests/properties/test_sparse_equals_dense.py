"""A sparse matrix gives the trees and predictions of the same dense table, byte for byte."""

import re
import warnings
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import silva
from silva.data.sparse import columns_of
from silva.errors import DataError
from tests.oracle_units import Rules
from tests.properties.cases import Case, same_bytes

sparse = pytest.importorskip("scipy.sparse")

POLICIES = ("learn", "majority", "own_branch", "stop")
SPREADS = ("few", "both signs", "ones", "mixed")
CLASSES = {"gini": 2, "entropy": 3, "error": 3, "gain_ratio": 20}


def table(seed, spread, missing, widths=(1, 4, 30, 80)):
    """Ties, zeros that are stored, missing values, empty rows and columns, one row, wide tables."""
    rng = np.random.default_rng(seed)
    n_rows, n_columns = int(rng.choice([1, 2, 9, 60, 300])), int(rng.choice(widths))
    filled = float(rng.choice([0.0, 0.02, 0.1, 0.5, 1.0]))
    matrix = sparse.random_array((n_rows, n_columns), density=filled, format="csc", rng=rng)
    draw = {
        "few": lambda x: np.round(4 * x) - 2.0,
        "both signs": lambda x: x - 0.5,
        "ones": np.ones_like,
        "mixed": lambda x: np.where(x < 0.3, -1.0, np.round(300 * x)),
    }
    matrix.data = draw[spread](matrix.data)
    if missing:
        matrix.data[rng.random(matrix.nnz) < 0.3] = np.nan
    return matrix, rng


def arrays(value):
    """All arrays and values of a record, one after the other."""
    if isinstance(value, np.ndarray):
        return [value.tobytes()]
    if is_dataclass(value):
        return [part for one in fields(value) for part in arrays(getattr(value, one.name))]
    if isinstance(value, list | tuple):
        return [part for one in value for part in arrays(one)]
    return [repr(value)]


def trees(model):
    if hasattr(model, "grown_tree_"):
        return [model.grown_tree_]
    return [one.grown_tree_ for one in model.estimators_]


def assert_same(model, matrix, target, weight=None):
    dense = matrix.toarray()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = clone(model)
        try:
            expected.fit(dense, target, sample_weight=weight)
        except DataError as error:  # such as nothing to boost
            with pytest.raises(DataError, match=re.escape(str(error))):
                clone(model).fit(matrix, target, sample_weight=weight)
            return
        told = expected.predict(dense)
        for layout in (matrix.tocsc(), matrix.tocsr()):
            found = clone(model).fit(layout, target, sample_weight=weight)
            for one, other in zip(trees(found), trees(expected), strict=True):
                assert arrays(one) == arrays(other)
        for rows in (matrix.tocsc(), matrix.tocsr(), dense):
            assert found.predict(rows).tobytes() == told.tobytes()
            if hasattr(found, "apply"):
                assert np.array_equal(found.apply(rows), expected.apply(dense))
            if hasattr(found, "predict_proba"):
                shares = expected.predict_proba(dense)
                assert found.predict_proba(rows).tobytes() == shares.tobytes()


def choices(rng, n_columns):
    chosen = {"random_state": int(rng.integers(100))}
    if rng.random() < 0.3:
        chosen["max_depth"] = int(rng.integers(1, 6))
    if rng.random() < 0.3:
        chosen["min_samples_leaf"] = int(rng.integers(1, 4))
    if rng.random() < 0.2:
        chosen["max_leaf_nodes"] = int(rng.integers(2, 9))
    if rng.random() < 0.5:
        chosen["max_features"] = int(rng.integers(1, n_columns + 1)) if rng.random() < 0.5 else 1
    if rng.random() < 0.3:
        chosen["splitter"] = "random"
    elif rng.random() < 0.4:
        chosen["thresholds"] = "breakpoints"
    return chosen


def weights(rng, n_rows):
    if rng.random() < 0.5:
        return None
    weight = rng.integers(0, 4, n_rows).astype(float)
    weight[0] = 1.0
    return weight


seeds = st.integers(0, 10**6)


@settings(max_examples=60)
@given(seeds, st.sampled_from(SPREADS), st.booleans(), st.sampled_from(POLICIES))
def test_trees_of_classes(seed, spread, missing, policy):
    matrix, rng = table(seed, spread, missing)
    n_rows, n_columns = matrix.shape
    criterion = str(rng.choice(list(CLASSES)))
    target = rng.integers(0, CLASSES[criterion], n_rows)
    model = silva.TreeClassifier(criterion=criterion, missing=policy, **choices(rng, n_columns))
    assert_same(model, matrix, target, weights(rng, n_rows))


@settings(max_examples=60)
@given(seeds, st.sampled_from(SPREADS), st.booleans(), st.sampled_from(POLICIES))
def test_trees_of_numbers(seed, spread, missing, policy):
    matrix, rng = table(seed, spread, missing)
    n_rows, n_columns = matrix.shape
    criterion = str(rng.choice(["squared_error", "poisson"]))
    target = np.abs(np.round(3 * rng.normal(size=n_rows))) + 1.0
    model = silva.TreeRegressor(criterion=criterion, missing=policy, **choices(rng, n_columns))
    assert_same(model, matrix, target, weights(rng, n_rows))


@settings(max_examples=40)
@given(seeds, st.sampled_from(SPREADS), st.booleans(), st.booleans())
def test_columns_among_thousands_of_empty_ones(seed, spread, missing, draws):
    matrix, rng = table(seed, spread, missing)
    n_rows, width = matrix.shape
    n_columns = int(rng.choice([400, 7000]))
    places = np.sort(rng.choice(n_columns, width, replace=False))
    given = matrix.tocoo()
    wide = sparse.csc_array((given.data, (given.row, places[given.col])), (n_rows, n_columns))
    target = rng.integers(0, 3, n_rows)
    chosen = choices(rng, n_columns) if draws else {"max_depth": int(rng.integers(1, 4))}
    kind = silva.TreeClassifier if rng.random() < 0.5 else silva.TreeRegressor
    assert_same(kind(**chosen), wide, target, weights(rng, n_rows))
    assert_same(silva.AdaBoostClassifier(n_estimators=3, random_state=1), wide, target)


ENSEMBLES = {
    "forest": lambda: silva.ForestClassifier(4, random_state=1),
    "forest of all columns": lambda: silva.ForestRegressor(4, random_state=1, max_features=None),
    "one column a node": lambda: silva.ForestRegressor(4, random_state=1, max_features=1),
    "extra-trees": lambda: silva.ExtraTreesClassifier(4, random_state=1),
    "bagging": lambda: silva.BaggingRegressor(n_estimators=4, random_state=1),
    "bagging of columns": lambda: silva.BaggingClassifier(
        n_estimators=4, random_state=1, max_features=0.5
    ),
    "boosted stumps": lambda: silva.AdaBoostClassifier(n_estimators=5, random_state=1),
    "boosted trees": lambda: silva.AdaBoostClassifier(
        silva.TreeClassifier(max_depth=3), n_estimators=5, random_state=1
    ),
}


@pytest.mark.parametrize("kind", ENSEMBLES)
@settings(max_examples=8)
@given(seeds, st.sampled_from(SPREADS), st.booleans())
def test_ensembles(kind, seed, spread, missing):
    matrix, rng = table(seed, spread, missing)
    target = rng.integers(0, 2, matrix.shape[0])
    target[:2] = [0, 1][: len(target)]
    weight = weights(rng, matrix.shape[0])
    if weight is not None:
        weight[:2] = 1.0
    if len(target) < 2:
        return
    assert_same(ENSEMBLES[kind](), matrix, target, weight)


FEW_COLUMNS = {
    "classes": lambda few: silva.TreeClassifier(max_features=few, random_state=2),
    "many classes": lambda few: silva.TreeClassifier(
        max_features=few, random_state=2, criterion="entropy", min_samples_leaf=2
    ),
    "numbers": lambda few: silva.TreeRegressor(max_features=few, random_state=2),
    "best first": lambda few: silva.TreeRegressor(
        max_features=few, random_state=2, max_leaf_nodes=6
    ),
    "a branch for missing values": lambda few: silva.TreeClassifier(
        max_features=few, random_state=2, missing="own_branch"
    ),
    "breakpoints": lambda few: silva.TreeClassifier(
        max_features=few, random_state=2, thresholds="breakpoints"
    ),
    "random thresholds": lambda few: silva.ExtraTreesRegressor(4, max_features=few, random_state=2),
    "forest of numbers": lambda few: silva.ForestRegressor(4, max_features=few, random_state=2),
    "boosted trees": lambda few: silva.AdaBoostClassifier(
        silva.TreeClassifier(max_depth=3, max_features=few, random_state=2),
        n_estimators=5,
        random_state=2,
    ),
}


@pytest.mark.parametrize("kind", FEW_COLUMNS)
@settings(max_examples=15)
@given(seeds, st.sampled_from(SPREADS), st.booleans(), st.sampled_from([1, 3, 9]))
def test_nodes_that_draw_few_columns(kind, seed, spread, missing, few):
    """Entries stay in place: rows change places, the order of rows decides nothing."""
    matrix, rng = table(seed, spread, missing, widths=(80, 300))
    n_rows = matrix.shape[0]
    if kind in ("numbers", "best first", "random thresholds", "forest of numbers"):
        target = np.round(3 * rng.normal(size=n_rows))
    else:
        target = rng.integers(0, 12 if kind == "many classes" else 2, n_rows)
        target[:2] = [0, 1][:n_rows]
    weight = weights(rng, n_rows)
    if weight is not None:
        weight[:2] = 1.0
    assert_same(FEW_COLUMNS[kind](few), matrix, target, weight)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_predictions_of_many_rows(n_jobs):
    """Stored values are listed for 16,384 rows at a time, keys made of fewer."""
    rng = np.random.default_rng(12)
    matrix = sparse.random_array((40_000, 300), density=0.02, format="csr", rng=rng)
    matrix.data = np.round(rng.normal(size=matrix.nnz), 2)
    matrix.data[rng.random(matrix.nnz) < 0.01] = np.nan
    dense = matrix.toarray()
    target = np.nan_to_num(dense[:, :60]).sum(axis=1) > 0
    for model in (
        silva.ForestClassifier(5, max_depth=9, n_jobs=n_jobs, random_state=0),
        silva.TreeClassifier(max_features=30, max_depth=9, n_jobs=n_jobs, random_state=0),
    ):
        model.fit(matrix[:3000], target[:3000])
        for rows in (slice(None), slice(7, 20_000), slice(5, 70), slice(3, 4)):
            told = model.predict_proba(dense[rows])
            assert model.predict_proba(matrix[rows]).tobytes() == told.tobytes()
            assert np.array_equal(model.apply(matrix[rows]), model.apply(dense[rows]))


def test_out_of_bag_estimates_are_those_of_the_dense_table():
    matrix, rng = table(3, "both signs", True)
    matrix = sparse.vstack([matrix] * 40).tocsr()
    target = rng.integers(0, 2, matrix.shape[0])
    sparse_one, dense_one = (
        silva.ForestClassifier(30, oob_score=True, random_state=0).fit(rows, target)
        for rows in (matrix, matrix.toarray())
    )
    assert sparse_one.oob_score_ == dense_one.oob_score_


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_large_node_is_the_same_for_any_number_of_threads(threads):
    rng = np.random.default_rng(5)
    matrix = sparse.random_array((9000, 40), density=0.05, format="csr", rng=rng)
    target = (matrix[:, [0]].toarray()[:, 0] + rng.normal(size=9000) > 0).astype(int)
    model = silva.TreeClassifier(max_depth=6, n_jobs=threads, random_state=0)
    assert_same(model, matrix, target)
    forest = silva.ForestClassifier(3, n_jobs=threads, max_features=3, random_state=0)
    assert_same(forest, matrix, target)


def test_mixed_frames_of_sparse_and_other_columns():
    pd = pytest.importorskip("pandas")
    matrix, rng = table(11, "few", False)
    matrix = sparse.vstack([matrix] * 5).tocsc()
    frame = pd.DataFrame.sparse.from_spmatrix(matrix)
    frame["colour"] = rng.choice(["red", "green", "blue"], matrix.shape[0])
    frame["size"] = rng.normal(size=matrix.shape[0])
    dense = frame.copy()
    for name in dense.columns[: matrix.shape[1]]:
        dense[name] = dense[name].sparse.to_dense()
    target = rng.integers(0, 2, matrix.shape[0])
    for choice in ({}, {"splits": "multiway"}, {"max_features": 2}):
        a, b = (silva.TreeClassifier(random_state=0, **choice).fit(x, target)
                for x in (frame, dense))  # fmt: skip
        assert arrays(a.grown_tree_) == arrays(b.grown_tree_)
        assert a.predict(frame).tolist() == b.predict(dense).tolist()


@pytest.mark.parametrize("choices", [{}, {"max_features": 20}, {"max_features": 100}])
def test_nodes_of_every_size_give_one_tree_for_any_number_of_threads(choices):
    """Entries move with the nodes, or stay in place where few columns are drawn."""
    rng = np.random.default_rng(7)
    cells = sparse.random_array((20_000, 200), density=0.03, format="csr", rng=rng)
    cells.data = np.round(rng.normal(size=cells.nnz), 1)
    dense = cells.toarray()
    target = dense[:, :20].sum(axis=1) + rng.normal(0, 0.3, len(dense)) > 0
    texts = {
        silva.to_text(silva.TreeClassifier(n_jobs=n_jobs, random_state=3, **choices).fit(X, target))
        for X, n_jobs in ((dense, 1), (cells, 1), (cells, 2), (cells, 5))
    }
    assert len(texts) == 1


@pytest.mark.parametrize("max_features", [1, 64])
def test_leaves_of_both_zeros_answer_zero(max_features):
    """Rows that entries in place leave in any order; an estimator's target has no -0.0."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        matrix = sparse.csc_array(np.where(rng.random((6, 64)) < 0.5, 0.0, 1.0))
        target = np.where(rng.random(6) < 0.5, 0.0, -0.0)
        target[:2] = 1
        rules = Rules("squared_error")
        dense = Case(list(matrix.toarray().T.copy()), [0] * 64, [0] * 64, target, 0, None, rules)
        columns = list(columns_of(matrix))
        found = [
            case.by_core(seed=seed, max_features=max_features)
            for case in (dense, replace(dense, columns=columns))
        ]
        assert same_bytes(*found)
        assert not np.signbit(found[0]["moment_value"]).any()
