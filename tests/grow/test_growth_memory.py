"""The error where there is too little memory to grow says how much it takes."""

import numpy as np
import pytest

from silva.data.bind import bind_training
from silva.grow.memory import growth_bytes, tells_what_growth_takes

sparse = pytest.importorskip("scipy.sparse")


def table_of(X):
    return bind_training(X, "from_dtype", "learn", "majority")


def test_bytes_of_a_dense_table():
    table = table_of(np.ones((1_000, 20), np.float32))
    assert growth_bytes(table, 1) == 1_000 * (20 * 4 + 40)
    assert growth_bytes(table, 3) == growth_bytes(table, 1) + 1_000 * 2 * 36


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
