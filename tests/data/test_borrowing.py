"""Columns are the user's own memory wherever they already hold numbers."""

from typing import Any

import numpy as np
import pytest

from silva.data.bind import bind_classes, bind_numbers, bind_prediction, bind_training

BASE = np.arange(48.0).reshape(8, 6)


def _read_only(array: np.ndarray) -> np.ndarray:
    array = array.copy()
    array.flags.writeable = False
    return array


LAYOUTS = {
    "C": BASE,
    "F": np.asfortranarray(BASE),
    "strided": BASE[::2, ::3],
    "reversed": BASE[::-1, ::-1],
    "transposed": BASE.T,
    "read-only": _read_only(BASE),
    "broadcast": np.broadcast_to(BASE[:1], (5, 6)),
    "float32": BASE.astype(np.float32),
    "bool": BASE > 20,
    **{f"{kind}{size}": BASE.astype(f"{kind}{size}") for kind in "iu" for size in (1, 2, 4, 8)},
}


@pytest.mark.parametrize("array", LAYOUTS.values(), ids=LAYOUTS)
def test_array_is_borrowed(array: np.ndarray) -> None:
    table = bind_training(array)
    again = bind_prediction(array, table.schema)
    for i, (trained, predicted) in enumerate(zip(table.columns, again.columns, strict=True)):
        assert np.shares_memory(trained, array)
        assert np.shares_memory(predicted, array)
        assert trained.dtype == array.dtype
        np.testing.assert_array_equal(trained, array[:, i])


def test_memory_map_is_borrowed(tmp_path: Any) -> None:
    stored = np.memmap(tmp_path / "rows", np.float64, "w+", shape=(4, 2))
    stored[:] = BASE[:4, :2]
    table = bind_training(stored)
    assert all(np.shares_memory(values, stored) for values in table.columns)
    assert type(table.columns[0]) is np.ndarray


@pytest.mark.parametrize(
    "array",
    [
        BASE.astype(">f8"),
        BASE.astype(">f4"),
        BASE.astype(">i4"),
        BASE.astype(np.float16),
        BASE.astype(np.longdouble),
    ],
    ids=lambda array: str(array.dtype),
)
def test_other_number_formats_are_converted_exactly(array: np.ndarray) -> None:
    table = bind_training(array)
    for i, values in enumerate(table.columns):
        assert values.dtype.isnative
        assert values.dtype.str[1:] in ("f8", "f4", "i4")
        np.testing.assert_array_equal(values, array[:, i])


def test_packed_records_are_copied_into_line() -> None:
    packed = np.array([(1, 2.5), (3, 4.5)], [("flag", "i1"), ("size", "f8")])
    table = bind_training(packed)
    assert table.columns[1].tolist() == [2.5, 4.5]
    assert all(not v.strides[0] % v.itemsize and v.flags.aligned for v in table.columns)


def test_pandas_block_is_borrowed() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(BASE)
    block = frame.to_numpy()
    assert all(np.shares_memory(values, block) for values in bind_training(frame).columns)


def test_pandas_mixed_columns_are_borrowed() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {"f": [1.5, 2.5], "i": [1, 2], "b": [True, False], "n": pd.array([3, 4], "Int64")}
    )
    table = bind_training(frame)
    for name, values in zip(frame.columns, table.columns, strict=True):
        assert np.shares_memory(values, frame[name].to_numpy(dtype=values.dtype))


def test_polars_numbers_are_borrowed() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"f": [1.5, 2.5], "i": [1, 2]})
    table = bind_training(frame)
    assert np.shares_memory(table.columns[0], frame["f"].to_numpy(allow_copy=False))
    assert np.shares_memory(table.columns[1], frame["i"].to_numpy(allow_copy=False))


def test_arrow_numbers_are_borrowed() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"f": [1.5, 2.5], "i": pa.array([1, 2], pa.int16())})
    for name, values in zip(table.column_names, bind_training(table).columns, strict=True):
        assert np.shares_memory(values, table[name].chunk(0).to_numpy(zero_copy_only=True))


def test_targets_and_weights_are_borrowed() -> None:
    values, weights = np.arange(4.0), np.ones(4)
    target = bind_numbers(values, weights, 4)
    assert np.shares_memory(target.values, values)
    assert target.weights is not None
    assert np.shares_memory(target.weights, weights)


def test_nothing_of_the_user_is_written_to() -> None:
    data = np.array([[1.0, np.nan], [2.0, 3.0]])
    labels, weights = np.array([1, 0]), np.array([1.0, 2.0])
    copies = data.copy(), labels.copy(), weights.copy()
    bind_training(data, categorical_features=[0, 1])
    bind_classes(labels, weights, "balanced", 2)
    np.testing.assert_array_equal(data, copies[0])
    np.testing.assert_array_equal(labels, copies[1])
    np.testing.assert_array_equal(weights, copies[2])
