"""The error where there is too little memory to grow says how much it takes."""

from types import SimpleNamespace

import numpy as np
import pytest

import silva
from silva import _core
from silva.data.bind import bind_training
from silva.grow.memory import growth_bytes, tells_what_growth_takes

sparse = pytest.importorskip("scipy.sparse")


def table_of(X):
    return bind_training(X, "from_dtype", "learn", "majority")


def test_bytes_of_a_dense_table():
    table = table_of(np.ones((1_000, 20), np.float32))
    assert growth_bytes(table, 1) == 1_000 * (20 * 4 + 40)
    assert growth_bytes(table, 3) == growth_bytes(table, 1) + 1_000 * 2 * 36


def test_bytes_of_weighted_numbers():
    table = table_of(np.ones((1_000, 20), np.float32))
    assert growth_bytes(table, 1, True) == growth_bytes(table, 1) + 1_000 * 28
    assert growth_bytes(table, 3, True) == growth_bytes(table, 3) + 1_000 * (28 + 2 * 16)


@pytest.mark.parametrize(
    ("model", "weights", "size"),
    [
        (silva.TreeRegressor(n_jobs=1), None, 88),
        (silva.TreeRegressor(n_jobs=1), np.ones(1_000_000) / 3, 116),
        (silva.TreeClassifier(n_jobs=1), np.ones(1_000_000) / 3, 88),
        (silva.ForestRegressor(n_jobs=1), None, 116),
        (silva.ForestRegressor(bootstrap=False, n_jobs=1), None, 88),
    ],
)
def test_the_error_of_a_fit_counts_weighted_numbers(monkeypatch, model, weights, size):
    def fail(*args, **kwargs):
        raise MemoryError

    monkeypatch.setattr(_core, "grow", fail)
    monkeypatch.setattr(_core, "ForestGrower", lambda *args, **kwargs: SimpleNamespace(grow=fail))
    X = np.arange(12_000_000, dtype=np.float32).reshape(1_000_000, 12)
    y = np.arange(1_000_000) % 2
    with pytest.raises(MemoryError, match=f"takes about {size} MB"):
        model.fit(X, y, sample_weight=weights)


def test_bytes_of_a_sparse_table_go_with_what_is_stored():
    matrix = sparse.random_array((500, 4_000), density=0.01, rng=np.random.default_rng(0))
    assert growth_bytes(table_of(matrix), 1) == matrix.nnz * 30 + 500 * 40


def test_bytes_of_a_frame_with_sparse_columns():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": np.arange(100.0)})
    frame["b"] = pd.arrays.SparseArray(np.r_[np.zeros(97), 1.0, 2.0, 3.0], fill_value=0.0)
    assert growth_bytes(table_of(frame), 1) == 100 * 4 + 3 * 30 + 100 * 40


def test_the_error_names_sizes_and_ways_out():
    table = table_of(np.ones((2_000_000, 3)))
    with (
        pytest.raises(MemoryError, match=r"2,000,000 rows x 3 .* n_jobs=2 takes about 176 MB"),
        tells_what_growth_takes(table, 2),
    ):
        raise MemoryError


def test_other_errors_pass():
    with pytest.raises(KeyboardInterrupt), tells_what_growth_takes(table_of(np.ones((2, 1))), 1):
        raise KeyboardInterrupt
