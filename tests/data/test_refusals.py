"""Tables that cannot be used: what the error names, and the way out it shows."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from silva.data.bind import bind_prediction, bind_training
from silva.errors import DataError, DataTypeError

ROW_LIMIT = 2**31


def refusal_of(data: Any) -> DataError:
    with pytest.raises(DataError) as caught:
        bind_training(data)
    return caught.value


@pytest.mark.parametrize("data", [np.empty((0, 3)), np.empty((0, 3), int), np.empty((0, 3), "O")])
def test_no_rows(data: np.ndarray) -> None:
    assert "0 sample(s) (shape=(0, 3))" in str(refusal_of(data))


def test_no_columns() -> None:
    words = "0 feature(s) (shape=(12, 0)) while a minimum of 1 is required."
    assert words in str(refusal_of(np.empty((12, 0))))
    assert words in str(refusal_of([[]] * 12))


def test_empty_frames() -> None:
    pd = pytest.importorskip("pandas")
    assert "0 sample(s)" in str(refusal_of(pd.DataFrame({"a": []})))
    assert "0 feature(s)" in str(refusal_of(pd.DataFrame(index=range(3))))


@pytest.mark.parametrize("data", [np.ones(3), [1.0, 2.0], [], np.array(["a", "b"])])
def test_one_dimension(data: Any) -> None:
    assert "Reshape your data" in str(refusal_of(data))


def test_series_is_not_a_table() -> None:
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    pa = pytest.importorskip("pyarrow")
    for data in (pd.Series([1, 2]), pl.Series([1, 2]), pa.array([1, 2])):
        assert "Reshape your data" in str(refusal_of(data))


@pytest.mark.parametrize("data", [np.ones((2, 2, 2)), np.float64(3.0), np.array(3.0)])
def test_other_dimensions(data: Any) -> None:
    assert "dimensions. Reshape your data" in str(refusal_of(data))


def test_records_in_two_dimensions() -> None:
    assert "dimensions" in str(refusal_of(np.zeros((2, 2), [("a", "f8")])))


def test_void_cells() -> None:
    assert "nested or binary" in str(refusal_of(np.zeros((2, 2), "V8")))


def test_arrow_stream_that_is_not_a_table() -> None:
    pa = pytest.importorskip("pyarrow")

    class Stream:
        def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
            return pa.chunked_array([[1, 2]]).__arrow_c_stream__(requested_schema)

    assert "as a table" in str(refusal_of(Stream()))


@pytest.mark.parametrize("data", [None, 3, "rows", {"a": [1]}, object(), {1, 2}, [{"a": 1}]])
def test_not_a_table(data: Any) -> None:
    error = refusal_of(data)
    assert isinstance(error, TypeError)
    assert "as a table" in str(error)


def test_ragged_rows() -> None:
    assert "row 2 has 1 values, the rows before it have 2" in str(refusal_of([[1, 2], [3, 4], [5]]))
    assert "row 1 has 1" in str(refusal_of([np.ones(2), np.ones(1)]))


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.int8, bool, object])
def test_too_many_rows_are_refused_before_any_work(dtype: Any) -> None:
    rows = np.broadcast_to(np.zeros((1, 1), dtype), (ROW_LIMIT, 1))
    assert "2,147,483,648 rows" in str(refusal_of(rows))


def test_too_many_sparse_rows_are_refused_before_any_work() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    empty = np.empty(0, np.int64)
    rows = sparse.coo_array((np.empty(0), (empty, empty)), shape=(ROW_LIMIT, 4))
    assert "2,147,483,648 rows" in str(refusal_of(rows))


def test_duplicate_names() -> None:
    pd = pytest.importorskip("pandas")
    assert "'a'" in str(refusal_of(pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"])))
    assert "'1'" in str(refusal_of(pd.DataFrame([[1, 2]], columns=["1", 1])))
    pa = pytest.importorskip("pyarrow")
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["z", "z"])
    assert "'z'" in str(refusal_of(table))


@pytest.mark.parametrize("data", [np.ones((2, 1), complex), [[1 + 2j]], np.ones((2, 2), "c8")])
def test_complex_numbers(data: Any) -> None:
    error = refusal_of(data)
    assert isinstance(error, TypeError)
    assert "Complex data not supported" in str(error)
    assert "'x0'" in str(error)


def test_complex_sparse() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    assert "Complex data" in str(refusal_of(sparse.eye_array(2, dtype=complex)))


def test_nested_and_binary_columns() -> None:
    pl = pytest.importorskip("polars")
    pa = pytest.importorskip("pyarrow")
    for frame in (
        pl.DataFrame({"n": [[1, 2]]}),
        pl.DataFrame({"n": [{"a": 1}]}),
        pl.DataFrame({"n": [b"ab"]}),
        pa.table({"n": [[1, 2]]}),
        pa.table({"n": [{"a": 1}]}),
        pa.table({"n": [b"ab"]}),
        np.zeros(2, [("n", "f8", (3,))]),
    ):
        assert "'n' holds nested or binary values" in str(refusal_of(frame))


@pytest.mark.parametrize("value", [{"foo": "bar"}, [1, 2], object(), (1,), np.ones(2), int])
def test_values_that_are_not_cells(value: Any) -> None:
    column = np.empty((3, 1), object)
    column[:2, 0], column[2, 0] = 1.0, value
    error = refusal_of(column)
    assert isinstance(error, TypeError)
    assert "'x0'" in str(error)
    assert "row 2" in str(error)
    assert "argument must be a string, a boolean or a real number" in str(error)


def test_extension_values_that_are_not_cells() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"band": pd.arrays.IntervalArray.from_breaks([0, 1, 2])})
    error = str(refusal_of(frame))
    assert "'band'" in error
    assert "Interval" in error


def test_text_among_numbers() -> None:
    assert "'x1' mixes text and numbers (first text: 'b' in row 1)" in str(
        refusal_of([[1, 2.0], [2, "b"]])
    )


def test_bytes_that_are_not_text() -> None:
    assert "UTF-8" in str(refusal_of(np.array([[b"\xff"]])))


LARGE = 2**53 + 1


@pytest.mark.parametrize(
    "values",
    [
        np.array([[0, 5], [0, LARGE]]),
        np.array([[0, 5], [0, -LARGE]]),
        np.array([[0, 5], [0, 2**63 + 2]], np.uint64),
        np.array([[0, 5], [0, LARGE]], object),
        np.array([[0, None], [0, LARGE]], object),
        np.array([[0, 5.5], [0, LARGE]], object),
        np.array([[0, 5], [0, 2**80]], object),
        np.ma.array([[0, 5], [0, LARGE]], mask=[[0, 1], [0, 0]]),
    ],
    ids=lambda values: f"{type(values).__name__}-{values.dtype}-{values[1, 1]}",
)
def test_integers_that_float64_cannot_tell_apart(values: np.ndarray) -> None:
    error = str(refusal_of(values))
    assert "'x1'" in error
    assert "2**53" in error
    assert "row 1" in error


def test_large_integers_of_frames() -> None:
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    pa = pytest.importorskip("pyarrow")
    for frame in (
        pd.DataFrame({"id": [1, LARGE]}),
        pd.DataFrame({"id": pd.array([None, LARGE], "Int64")}),
        pl.DataFrame({"id": [None, LARGE]}),
        pl.DataFrame({"id": pl.Series([1, 2**100], dtype=pl.Int128)}),
        pl.DataFrame({"id": pl.Series([Decimal(1), Decimal(2**100)], dtype=pl.Decimal(38, 0))}),
        pa.table({"id": [None, LARGE]}),
        pa.table({"id": pa.array([Decimal(1), Decimal(2**100)], pa.decimal128(38, 0))}),
    ):
        error = str(refusal_of(frame))
        assert "'id'" in error
        assert "row 1" in error


def test_integers_up_to_2_to_53_are_exact() -> None:
    values = np.array([[2**53], [-(2**53)], [2**53 - 1]])
    assert bind_training(values).columns[0].tolist() == values[:, 0].tolist()
    floats = bind_training([[2**53], [None], [-(2**53)]]).columns[0]
    assert floats[[0, 2]].tolist() == [2.0**53, -(2.0**53)]


def test_long_doubles_that_do_not_fit() -> None:
    third = np.longdouble(1) / 3
    if float(third) == third:
        pytest.skip("long double is float64 here")
    for data in (np.array([[1], [third]]), [[1.0], [third]]):
        error = str(refusal_of(data))
        assert "'x0'" in error
        assert "float64 cannot hold exactly" in error


def test_fraction_beyond_float64() -> None:
    assert "float64" in str(refusal_of([[Fraction(10**400, 3)]]))
    assert bind_training([[Fraction(1, 4)], [Decimal("0.1")]]).columns[0].tolist() == [0.25, 0.1]


def test_prediction_refuses_the_same() -> None:
    schema = bind_training(np.ones((2, 1))).schema
    for data in (np.ones((2, 1), complex), np.zeros((2, 1), "M8[s]"), [[{"a": 1}]], None):
        with pytest.raises(DataTypeError):
            bind_prediction(data, schema)
