"""Targets: labels to codes, numbers to float64, and what is refused."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from silva.data.bind import bind_classes, bind_codes, bind_numbers
from silva.errors import DataError, DataTypeError


def classes_of(target: Any, n_rows: int | None = None) -> tuple[list[Any], list[int]]:
    bound = bind_classes(target, None, None, len(target) if n_rows is None else n_rows)
    assert bound.task == "classification"
    assert bound.values.dtype == np.int32
    assert bound.values.flags.c_contiguous
    assert bound.classes is not None
    return bound.classes.tolist(), bound.values.tolist()


LABELS = {
    "int": (np.array([3, -1, 3]), [-1, 3]),
    "int8": (np.array([127, -128, 127], np.int8), [-128, 127]),
    "uint64": (np.array([2**64 - 1, 5, 2**64 - 1], np.uint64), [5, 2**64 - 1]),
    "far apart": (np.array([2**62, -(2**62), 2**62]), [-(2**62), 2**62]),
    "bool": (np.array([True, False, True]), [False, True]),
    "whole floats": (np.array([2.0, 1.0, 2.0]), [1.0, 2.0]),
    "text": (np.array(["no", "am", "no"]), ["am", "no"]),
    "object text": (np.array(["no", "am", "no"], object), ["am", "no"]),
    "object int": (np.array([2, 1, 2], object), [1, 2]),
    "object bool": (np.array([True, False, True], object), [False, True]),
    "list": ([2, 1, 2], [1, 2]),
    "list of text": (["é", "", "é"], ["", "é"]),
    "column": (np.array([[3], [1], [3]]), [1, 3]),
    "big-endian": (np.array([3, 1, 3], ">i4"), [1, 3]),
    "strided": (np.array([3, 9, 1, 9, 3])[::2], [1, 3]),
}


@pytest.mark.parametrize(("target", "classes"), LABELS.values(), ids=LABELS)
def test_labels(target: Any, classes: list[Any]) -> None:
    found, codes = classes_of(target)
    assert found == classes
    assert list(map(type, found)) == list(map(type, classes))
    assert codes == [1, 0, 1]


@pytest.mark.parametrize("late", [[7], [6, 7], [5, 9], [-3]])
def test_labels_seen_late(late: list[int]) -> None:
    target = np.r_[np.full(10_000, 5), late, 5]
    classes, codes = np.unique(target, return_inverse=True)
    assert classes_of(target) == (classes.tolist(), codes.tolist())


def test_labels_of_frames() -> None:
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    pa = pytest.importorskip("pyarrow")
    words = ["no", "am", "no"]
    for target in (
        pd.Series(words, index=[7, 8, 9]),
        pd.Series(pd.Categorical(words, ["unused", "no", "am"], ordered=True)),
        pd.Index(words),
        pd.DataFrame({"y": words}),
        pl.Series(words),
        pl.Series(words, dtype=pl.Enum(["no", "unused", "am"])),
        pl.DataFrame({"y": words}),
        pa.array(words),
        pa.chunked_array([words[:1], words[1:]]),
        pa.array(words).dictionary_encode(),
    ):
        assert classes_of(target, 3) == (["am", "no"], [1, 0, 1])
    numbers = [5, 2, 5]
    for target in (
        pd.Series(numbers, dtype="Int32"),
        pd.Series(pd.Categorical(numbers)),
        pl.Series(numbers, dtype=pl.UInt8),
        pa.array(numbers),
    ):
        assert classes_of(target, 3) == ([2, 5], [1, 0, 1])


def test_labels_of_lazy_and_wrapped_columns() -> None:
    nw = pytest.importorskip("narwhals.stable.v2")
    pl = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    words = pl.DataFrame({"y": ["no", "am", "no"]})
    relation = duckdb.sql("select unnest(['no', 'am', 'no']) as y")
    for target in (words.lazy(), nw.from_native(words["y"], series_only=True), relation):
        assert classes_of(target, 3) == (["am", "no"], [1, 0, 1])


def test_object_text_gives_a_text_array() -> None:
    classes = bind_classes(np.array(["b", "a"], object), None, None, 2).classes
    assert classes is not None
    assert classes.dtype.kind == "U"


def test_one_class() -> None:
    assert classes_of(np.ones(3, int)) == ([1], [0, 0, 0])


class NotAnArray:
    def __init__(self, values: Any) -> None:
        self._values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self._values, dtype)


def test_anything_that_turns_into_an_array() -> None:
    assert classes_of(NotAnArray([3, 1, 3]), 3) == ([1, 3], [1, 0, 1])
    assert bind_numbers(NotAnArray([3, 1]), NotAnArray([1, 2]), 2).values.tolist() == [3.0, 1.0]


@given(
    hnp.arrays(
        st.sampled_from([np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64, np.bool_]),
        st.integers(1, 30),
    )
)
def test_integer_labels_as_numpy_sorts_them(target: np.ndarray) -> None:
    bound = bind_classes(target, None, None, len(target))
    classes, codes = np.unique(target, return_inverse=True)
    assert bound.classes is not None
    assert bound.classes.dtype == target.dtype
    np.testing.assert_array_equal(bound.classes, classes)
    np.testing.assert_array_equal(bound.values, codes)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ([1.0, np.nan], ["NaN", "row 1"]),
        ([1.0, 2.0, np.inf], ["infinity", "row 2"]),
        ([None, 1.0], ["row 0"]),
        (np.array(["a", None], object), ["missing in row 1"]),
        (np.array([True, None], object), ["missing in row 1"]),
        ([1.0, 2.5], ["Unknown label type: continuous", "2.5", "row 1"]),
        (None, ["Expected array-like (array or non-string sequence), got None"]),
        (np.ones((2, 2)), ["one column", "got 2"]),
        ([[1, 2], [3, 4]], ["one column", "got 2"]),
        (np.ones((2, 1, 1)), ["one column"]),
        (["a", 1], ["mixes text and numbers"]),
        (np.array([1 + 2j]), ["Complex data not supported"]),
        (np.zeros(2, "M8[s]"), ["dates"]),
        (np.array(["a", "b\0"], object), ["NUL"]),
        ([1, 2**70], ["target", "row 1"]),
        ("labels", ["str", "the target", "one-dimensional"]),
    ],
)
def test_labels_that_are_refused(target: Any, words: list[str]) -> None:
    with pytest.raises(DataError) as caught:
        bind_classes(target, None, None, 2)
    assert all(word in str(caught.value) for word in words)


def test_missing_labels_of_frames() -> None:
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    for target in (
        pd.Series(["a", None]),
        pd.Series([1, None], dtype="Int64"),
        pl.Series([1, None]),
    ):
        with pytest.raises(DataError, match="row 1"):
            bind_classes(target, None, None, 2)
        with pytest.raises(DataError):
            bind_numbers(target, None, 2)


def test_labels_of_mixed_categories_are_refused() -> None:
    pd = pytest.importorskip("pandas")
    with pytest.raises(DataError, match="mixes text and numbers"):
        bind_classes(pd.Series(pd.Categorical(["a", 1])), None, None, 2)


@pytest.mark.parametrize(
    "bind", [lambda t, n: bind_classes(t, None, None, n), lambda t, n: bind_numbers(t, None, n)]
)
def test_lengths_must_agree(bind: Any) -> None:
    with pytest.raises(DataError, match="inconsistent lengths: 4 rows and 3 values"):
        bind(np.array([1, 0, 1]), 4)


@pytest.mark.parametrize(
    "target",
    [
        np.array([1.5, 2.0]),
        np.array([1.5, 2.0], np.float32),
        np.array([1.5, 2.0], ">f8"),
        np.array([1.5, 2.0], object),
        np.array([[1.5], [2.0]]),
        np.array([1.5, 9.0, 2.0])[::2],
        [1.5, 2],
        (1.5, 2.0),
    ],
)
def test_numbers(target: Any) -> None:
    bound = bind_numbers(target, None, 2)
    assert (bound.task, bound.classes, bound.weights) == ("regression", None, None)
    assert bound.values.dtype == np.float64
    assert bound.values.flags.c_contiguous
    assert bound.values.tolist() == [1.5, 2.0]


def test_numbers_of_frames() -> None:
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    pa = pytest.importorskip("pyarrow")
    for target in (
        pd.Series([1, 0]),
        pd.Series([True, False]),
        pd.Series(pd.Categorical([1, 0])),
        pd.DataFrame({"y": [1, 0]}),
        pl.Series([1, 0]),
        pa.array([1.0, 0.0]),
    ):
        assert bind_numbers(target, None, 2).values.tolist() == [1.0, 0.0]


def test_ranges() -> None:
    assert bind_numbers(range(3), None, 3).values.tolist() == [0.0, 1.0, 2.0]
    assert bind_classes(range(2, 4), None, None, 2).classes.tolist() == [2, 3]


def test_extreme_numbers_are_kept() -> None:
    values = np.array([9e288, -9e288, 5e-324, 0.0])
    assert bind_numbers(values, None, 4).values.tolist() == values.tolist()


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (np.array([1.0, np.nan]), ["NaN", "row 1"]),
        (np.array([-np.inf, np.nan]), ["infinity", "row 0", "2 such rows"]),
        (np.array(["a", "b"]), ["text such as 'a'", "classification"]),
        ([True, None], ["missing in row 1"]),
        (None, ["Expected array-like"]),
        (np.ones((2, 3)), ["one column", "got 3"]),
        (np.array([1j, 2]), ["Complex data not supported"]),
    ],
)
def test_numbers_that_are_refused(target: Any, words: list[str]) -> None:
    with pytest.raises(DataError) as caught:
        bind_numbers(target, None, 2)
    assert all(word in str(caught.value) for word in words)


def test_codes_of_held_out_labels() -> None:
    words = np.array(["am", "no"])
    assert bind_codes(["no", "new", "am"], words).tolist() == [1, -1, 0]
    assert bind_codes(np.array([2.0, 7.0, 1.0]), np.array([1, 2])).tolist() == [1, -1, 0]
    assert bind_codes(np.array([True, False]), np.array([False, True])).dtype == np.int32
    for classes in (np.array([1, 2]), words):
        assert (
            bind_codes(np.array([], int), classes).tolist()
            == bind_codes([], classes).tolist()
            == []
        )


def test_codes_of_another_sort_of_label() -> None:
    with pytest.raises(DataError, match="trained on labels such as 'am'"):
        bind_codes([1, 2], np.array(["am", "no"]))
    with pytest.raises(DataError, match="row 0"):
        bind_codes([None, "no"], np.array(["am", "no"]))


BYTES = [b"no", b"am", b"no"]
CONTAINERS_OF_BYTES = {
    "array": lambda: np.array(BYTES),
    "objects": lambda: np.array(BYTES, object),
    "column": lambda: np.array(BYTES)[:, None],
    "list": lambda: BYTES,
    "rows": lambda: [[one] for one in BYTES],
    "beside text": lambda: ["am", *BYTES[1:]],
    "pandas": lambda: pytest.importorskip("pandas").Series(BYTES),
    "pandas frame": lambda: pytest.importorskip("pandas").DataFrame({"y": BYTES}),
    "pandas category": lambda: pytest.importorskip("pandas").Series(BYTES, dtype="category"),
    "polars": lambda: pytest.importorskip("polars").Series(BYTES),
    "pyarrow": lambda: pytest.importorskip("pyarrow").array(BYTES),
}


@pytest.mark.parametrize("container", CONTAINERS_OF_BYTES)
def test_bytes_are_no_labels(container: str) -> None:
    labels = CONTAINERS_OF_BYTES[container]()
    for bind in (
        lambda: bind_classes(labels, None, None, 3),
        lambda: bind_codes(labels, np.array(["am", "no"])),
    ):
        with pytest.raises(DataTypeError, match=r"bytes|binary"):
            bind()


def test_a_refusal_of_bytes_says_how_to_decode() -> None:
    with pytest.raises(DataTypeError, match=r"b'am' in row 1.*numpy\.char\.decode"):
        bind_classes(["no", b"am"], None, None, 2)
