"""Tables at predict: matched by name or position, coded by value."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silva.data.bind import bind_prediction, bind_training
from silva.data.schema import Column, Schema
from silva.errors import DataError, DataWarning

SCHEMA = Schema(
    (
        Column("size", "continuous"),
        Column("colour", "categorical", ("red", "blue")),
        Column("grade", "ordinal", ("low", "mid", "high")),
        Column("paid", "binary", ("no", "yes")),
        Column("sold", "binary", (False, True)),
        Column("store", "categorical", (1, 5, 9)),
    )
)
ROW = {"size": 1.5, "colour": "blue", "grade": "high", "paid": "yes", "sold": True, "store": 9}
CODES = [[1.5], [1], [2], [1], [1], [2]]
PLAIN = Schema(tuple(Column(f"x{i}", "continuous") for i in range(3)), named=False)


def pandas_row(**changes: Any) -> Any:
    pd = pytest.importorskip("pandas")
    return pd.DataFrame({name: [value] for name, value in {**ROW, **changes}.items()})


def codes_of(data: Any, schema: Schema = SCHEMA) -> list[list[Any]]:
    return [values.tolist() for values in bind_prediction(data, schema).columns]


def test_columns_by_name_in_any_order() -> None:
    assert codes_of(pandas_row()) == CODES
    assert codes_of(pandas_row()[list(ROW)[::-1]]) == CODES


def test_columns_by_position_without_names() -> None:
    assert codes_of([list(ROW.values())]) == CODES
    assert codes_of(np.array([list(ROW.values())], object)) == CODES


def test_names_are_ignored_when_the_model_has_none() -> None:
    pd = pytest.importorskip("pandas")
    assert codes_of(pd.DataFrame({"c": [1.0], "b": [2.0], "a": [3.0]}), PLAIN) == [[1], [2], [3]]


def test_missing_column_is_named() -> None:
    with pytest.raises(DataError, match="lacks the columns 'grade', 'sold'"):
        bind_prediction(pandas_row().drop(columns=["grade", "sold"]), SCHEMA)


def test_misspelt_column_is_guessed() -> None:
    with pytest.raises(DataError, match="was 'color' meant to be 'colour'"):
        bind_prediction(pandas_row().rename(columns={"colour": "color"}), SCHEMA)


def test_extra_columns_are_warned_about_and_not_read() -> None:
    frame = pandas_row(when=np.datetime64("2020-01-01"))
    with pytest.warns(DataWarning, match="'when'"):
        table = bind_prediction(frame, SCHEMA)
    assert [values.tolist() for values in table.columns] == CODES


@pytest.mark.parametrize("data", [np.ones((2, 2)), np.ones((2, 4)), [[1.0, 2.0]]])
def test_wrong_number_of_columns(data: Any) -> None:
    with pytest.raises(DataError, match=r"has \d columns, the model was trained on 3"):
        bind_prediction(data, PLAIN)


def test_one_dimension() -> None:
    with pytest.raises(DataError, match="Reshape your data"):
        bind_prediction(np.ones(3), PLAIN)


@pytest.mark.parametrize(
    "data", [np.empty((0, 3)), np.empty((0, 3), object), np.empty((0, 3), "U2")]
)
def test_no_rows_are_an_empty_table(data: np.ndarray) -> None:
    table = bind_prediction(data, PLAIN)
    assert table.n_rows == 0
    assert [values.shape for values in table.columns] == [(0,)] * 3
    assert all(values.dtype.kind == "f" for values in table.columns)


def test_no_rows_of_a_frame_with_categories() -> None:
    table = bind_prediction(pandas_row()[:0], SCHEMA)
    assert table.n_rows == 0
    assert [len(values) for values in table.columns] == [0] * 6


def test_unseen_and_missing_categories() -> None:
    frame = pandas_row(colour="green", grade="top", paid="maybe", store=2)
    assert codes_of(frame) == [[1.5], [-2], [-2], [-2], [1], [-2]]
    frame = pandas_row(size=None, colour=None, grade=None, paid=None, sold=None, store=None)
    assert codes_of(frame)[1:] == [[-1]] * 5
    assert np.isnan(codes_of(frame)[0][0])


def test_categories_by_value_whatever_their_codes() -> None:
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    schema = Schema((SCHEMA.columns[1],))
    values = ["blue", "red", "teal", None, "blue"]
    for data in (
        pd.DataFrame({"colour": pd.Categorical(values, ["teal", "blue", "red"])}),
        pd.DataFrame({"colour": pd.Categorical(values, ["blue", "teal", "red"], ordered=True)}),
        pl.DataFrame({"colour": pl.Series(values, dtype=pl.Enum(["blue", "red", "teal"]))}),
        pl.DataFrame({"colour": pl.Series(values, dtype=pl.Categorical())}),
        pd.DataFrame({"colour": values}),
    ):
        assert codes_of(data, schema) == [[1, 0, -2, -1, 1]]


@pytest.mark.parametrize("store", [np.int8(9), np.float32(9), 9.0, np.uint64(9)])
def test_number_categories_by_value(store: Any) -> None:
    assert codes_of(pandas_row(store=store))[5] == [2]


@pytest.mark.parametrize("dtype", ["f4", "i8", "u1", ">f8", "O", "f2", "?"])
def test_other_number_dtypes_are_fine(dtype: str) -> None:
    data = np.array([[1, 0, 1]]).astype(dtype)
    assert codes_of(data, PLAIN) == [[1], [0], [1]]
    assert all(v.dtype.kind in "fiu" for v in bind_prediction(data, PLAIN).columns)


def test_booleans_and_numbers_meet_by_value() -> None:
    flag = Schema((Column("sold", "binary", (False, True)),))
    assert codes_of([[0.0], [1], [np.nan], [2], [True]], flag) == [[0, 1, -1, -2, 1]]
    missing = codes_of([[True], [None]], Schema((Column("n", "continuous"),)))[0]
    assert missing[0] == 1.0
    assert np.isnan(missing[1])


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("size", "tall", ["'size'", "held numbers", "text now", "'tall'", "astype(float)"]),
        ("colour", 3.5, ["'colour'", "held text", "numbers now", "'red'", "astype(str)"]),
        ("paid", True, ["'paid'", "held text", "numbers now"]),
        ("sold", "yes", ["'sold'", "held numbers", "text now"]),
        ("store", "nine", ["'store'", "held numbers", "text now"]),
    ],
)
def test_changed_sort_of_column(name: str, value: Any, words: list[str]) -> None:
    with pytest.raises(DataError) as caught:
        bind_prediction(pandas_row(**{name: value}), SCHEMA)
    assert all(word in str(caught.value) for word in words)


def test_all_missing_numbers_fit_a_text_column() -> None:
    assert codes_of(pandas_row(colour=float("nan")))[1] == [-1]


def test_categories_of_numbers_fit_a_column_of_numbers() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"n": pd.Categorical([20, 10], [10, 20, 30])})
    assert codes_of(frame, Schema((Column("n", "continuous"),))) == [[20, 10]]


def test_category_without_levels_is_missing() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"n": pd.Categorical([None, None])})
    assert np.isnan(codes_of(frame, Schema((Column("n", "continuous"),)))).all()
    assert codes_of(frame, Schema((Column("n", "categorical", ("a",)),))) == [[-1, -1]]


def test_integers_beyond_2_to_53_are_refused() -> None:
    with pytest.raises(DataError, match="'x1'"):
        bind_prediction(np.array([[1, 2**53 + 1, 2]]), PLAIN)


LABELS = st.one_of(st.none(), st.sampled_from(["", "a", "A", "é", "no", "yes", "0"]))
NUMBERS = st.one_of(st.none(), st.integers(-3, 3), st.sampled_from([0.5, -0.0, 1.0]), st.booleans())


@given(trained=st.lists(LABELS, min_size=1), given=st.lists(LABELS))
def test_text_is_looked_up_by_value(trained: list[Any], given: list[Any]) -> None:
    _check_lookup([*trained, "a"], given)


@given(trained=st.lists(NUMBERS, min_size=1), given=st.lists(NUMBERS))
def test_numbers_are_looked_up_by_value(trained: list[Any], given: list[Any]) -> None:
    _check_lookup([*trained, 1], given)


def _check_lookup(trained: list[Any], given: list[Any]) -> None:
    """Codes point at equal levels; -1 is missing, -2 is a value that training did not have."""
    table = bind_training(_column(trained), categorical_features=[0])
    levels = table.schema.columns[0].levels
    assert levels is not None
    assert list(levels) == sorted({value for value in trained if value is not None})
    for values, bound in ((trained, table), (given, bind_prediction(_column(given), table.schema))):
        for value, code in zip(values, bound.columns[0].tolist(), strict=True):
            if value is None or value not in levels:
                assert code == (-1 if value is None else -2)
            else:
                assert levels[code] == value


def _column(values: list[Any]) -> np.ndarray:
    column = np.empty((len(values), 1), object)
    column[:, 0] = values
    return column
