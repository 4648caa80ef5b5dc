"""Kinds and levels of columns: by dtype, by value, by choice."""

from typing import Any

import numpy as np
import pytest

import silva
from silva.data.bind import bind_prediction, bind_training
from silva.data.schema import Column, Schema
from silva.errors import DataError


def column_of(values: Any, **choices: Any) -> tuple[Column, list[Any]]:
    table = bind_training(np.array([[v] for v in values], object), **choices)
    return table.schema.columns[0], table.columns[0].tolist()


@pytest.mark.parametrize(
    ("no", "yes"),
    [
        ("no", "yes"),
        ("N", "y"),
        ("False", "TRUE"),
        ("f", "T"),
        ("off", "ON"),
        ("0", "1"),
    ],
)
def test_yes_no_pairs_are_binary(no: str, yes: str) -> None:
    column, codes = column_of([yes, no, None, yes])
    assert (column.kind, column.levels) == ("binary", (no, yes))
    assert codes == [1, 0, -1, 1]


@pytest.mark.parametrize("levels", [("no", "on"), ("yes", "true"), ("a", "b"), ("no",)])
def test_other_pairs_are_categorical(levels: tuple[str, ...]) -> None:
    column, _ = column_of(levels)
    assert (column.kind, column.levels) == ("categorical", tuple(sorted(levels)))


def test_declared_yes_no_category_is_binary_with_no_first() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"ok": pd.Categorical(["yes", "no", "yes"], ["yes", "no"])})
    table = bind_training(frame)
    assert (table.schema.columns[0].kind, table.schema.columns[0].levels) == (
        "binary",
        ("no", "yes"),
    )
    assert table.columns[0].tolist() == [1, 0, 1]


def test_ordered_yes_no_stays_ordinal() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"ok": pd.Categorical(["yes", "no"], ["yes", "no"], ordered=True)})
    column = bind_training(frame).schema.columns[0]
    assert (column.kind, column.levels) == ("ordinal", ("yes", "no"))


def test_category_of_booleans_is_binary() -> None:
    pd = pytest.importorskip("pandas")
    table = bind_training(pd.DataFrame({"b": pd.Categorical([True, False, None], [True, False])}))
    assert (table.schema.columns[0].kind, table.schema.columns[0].levels) == (
        "binary",
        (False, True),
    )
    assert table.columns[0].tolist() == [1, 0, -1]


@pytest.mark.parametrize(
    ("values", "kind", "codes"),
    [
        ([1, 2.5, None], "continuous", [1.0, 2.5]),
        ([1, True], "continuous", [1, 1]),
        ([True, None, False], "binary", [1, -1, 0]),
        (["b", float("nan"), "a"], "categorical", [1, -1, 0]),
        ([b"b", b"a"], "categorical", [1, 0]),
        ([np.float32(1.5), np.int8(2)], "continuous", [1.5, 2.0]),
    ],
)
def test_object_columns_by_value(values: list[Any], kind: str, codes: list[Any]) -> None:
    column, encoded = column_of(values)
    assert column.kind == kind
    assert [v for v in encoded if v == v] == codes


def test_missing_objects_of_every_sort() -> None:
    pd = pytest.importorskip("pandas")
    missing = [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT")]
    column, codes = column_of(["a", *missing])
    assert (column.kind, codes) == ("categorical", [0] + [-1] * len(missing))
    column, values = column_of([2.0, *missing])
    assert column.kind == "continuous"
    assert np.isnan(values).tolist() == [False] + [True] * len(missing)


@pytest.mark.parametrize(
    "values", [[float("nan"), None], [np.nan, np.nan], [None, np.float32("nan")]]
)
def test_all_missing_numbers_are_accepted(values: list[Any]) -> None:
    column, read = column_of(values)
    assert column.kind == "continuous"
    assert np.isnan(read).all()


def test_a_column_without_value_and_type_takes_anything_at_predict() -> None:
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    pa = pytest.importorskip("pyarrow")
    for data in (
        [[None], [None]],
        np.array([[None], [None]]),
        np.array([[pd.NA], [None]]),
        pl.DataFrame({"x0": pl.Series([None, None], dtype=pl.Null)}),
        pa.table({"x0": pa.nulls(2)}),
    ):
        table = bind_training(data)
        assert table.schema.columns == (Column("x0", "categorical", ()),)
        assert table.columns[0].tolist() == [-1, -1]
        for value in ("text", 3.5, True):
            assert bind_prediction([[value]], table.schema).columns[0].tolist() == [-2]


def test_all_missing_text_column_has_no_levels() -> None:
    pd = pytest.importorskip("pandas")
    table = bind_training(pd.DataFrame({"t": pd.Series([None, None], dtype="str")}))
    assert table.schema.columns[0] == Column("t", "categorical", ())
    assert table.columns[0].tolist() == [-1, -1]
    given = bind_prediction(pd.DataFrame({"t": ["new", None]}), table.schema)
    assert given.columns[0].tolist() == [-2, -1]


@pytest.mark.parametrize("dtype", ["U1", "S1", "O", np.dtypes.StringDType()])
def test_text_arrays(dtype: Any) -> None:
    table = bind_training(np.array([["b", "x"], ["a", "x"]]).astype(dtype))
    assert [column.levels for column in table.schema.columns] == [("a", "b"), ("x",)]
    assert [codes.tolist() for codes in table.columns] == [[1, 0], [0, 0]]
    assert all(isinstance(level, str) for level in table.schema.columns[0].levels or ())


def test_masked_array_is_missing_where_masked() -> None:
    values = np.ma.array([[1, 2], [3, 4]], mask=[[False, True], [False, False]])
    table = bind_training(values)
    assert table.columns[0].tolist() == [1, 3]
    assert np.isnan(table.columns[1][0])
    assert table.columns[1][1] == 4.0
    flags = bind_training(np.ma.array([[True], [False]], mask=[[False], [True]]))
    assert flags.columns[0].tolist() == [1, -1]
    words = bind_training(np.ma.array([["a"], ["junk"]], mask=[[False], [True]]))
    assert words.schema.columns[0].levels == ("a",)
    assert words.columns[0].tolist() == [0, -1]


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_matrix_is_a_table() -> None:
    table = bind_training(np.asmatrix([[1.0, 2.0], [3.0, 4.0]]))
    assert [values.tolist() for values in table.columns] == [[1.0, 3.0], [2.0, 4.0]]


def test_declared_levels_become_plain_values() -> None:
    from decimal import Decimal

    from silva.data.raw import declared_categories

    codes = np.array([0, 1, 2, 3, 4, -1])
    levels = [np.int64(7), Decimal("2.5"), float("nan"), None, np.str_("a")]
    found = declared_categories(codes, levels, ordered=False)
    assert found.levels == (2.5, 7, "a")
    assert [type(level) for level in found.levels] == [float, int, str]
    assert found.codes.tolist() == [1, 0, -1, -1, 2, -1]


def test_rows_that_are_arrays() -> None:
    table = bind_training([np.array([1, 2]), np.array([3, 4])])
    assert [values.tolist() for values in table.columns] == [[1, 3], [2, 4]]
    mixed = bind_training([np.array([1.5, 2.0]), (3, 4)])
    assert [values.tolist() for values in mixed.columns] == [[1.5, 3.0], [2.0, 4.0]]


def test_infinity_is_a_value_and_float64_stays() -> None:
    values = np.array([[np.inf], [-np.inf], [np.nextafter(1, 2)], [5e-324], [1e308]])
    table = bind_training(values)
    assert table.schema.columns[0].kind == "continuous"
    np.testing.assert_array_equal(table.columns[0], values[:, 0])


DATA = np.array([[3.0, 1.0, 7.0], [1.0, 1.0, np.nan], [3.0, 2.0, 7.0]])


@pytest.mark.parametrize(
    "choice",
    [
        [0, 2],
        (0, 2),
        np.array([0, 2]),
        {0, 2},
        [True, False, True],
        np.array([True, False, True]),
        ["x0", "x2"],
        ["x0", 2],
        np.array(["x0", "x2"]),
    ],
    ids=repr,
)
def test_chosen_columns_are_categorical(choice: Any) -> None:
    table = bind_training(DATA, categorical_features=choice)
    assert [c.kind for c in table.schema.columns] == ["categorical", "continuous", "categorical"]
    assert [c.levels for c in table.schema.columns] == [(1.0, 3.0), None, (7.0,)]
    assert [v.tolist() for v in (table.columns[0], table.columns[2])] == [[1, 0, 1], [0, -1, 0]]
    assert table.columns[0].dtype == np.int32


@pytest.mark.parametrize("choice", ["from_dtype", None, [], [False, False, False]])
def test_no_column_is_chosen(choice: Any) -> None:
    table = bind_training(DATA, categorical_features=choice)
    assert all(column.kind == "continuous" for column in table.schema.columns)


def test_choice_comes_on_top_of_the_dtypes() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {
            "n": [2, 1],
            "s": ["b", "a"],
            "o": pd.Categorical(["x", "y"], ["y", "x"], ordered=True),
            "b": [True, False],
            "p": ["yes", "no"],
        }
    )
    chosen = bind_training(frame, categorical_features=["n", "o", "b", "p"]).schema.columns
    assert [c.kind for c in chosen] == ["categorical"] * 2 + ["ordinal"] + ["categorical"] * 2
    assert [c.levels for c in chosen] == [
        (1, 2),
        ("a", "b"),
        ("y", "x"),
        (False, True),
        ("no", "yes"),
    ]
    assert type(chosen[0].levels[0]) is int


def test_none_reads_categories_of_numbers_as_numbers() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {
            "n": pd.Categorical([30, 10, None], [30, 20, 10]),
            "s": pd.Categorical(["a", "b", "a"]),
            "b": [True, False, True],
        }
    )
    table = bind_training(frame, categorical_features=None)
    assert [c.kind for c in table.schema.columns] == ["continuous", "categorical", "binary"]
    assert table.columns[0][:2].tolist() == [30.0, 10.0]
    assert np.isnan(table.columns[0][2])
    assert bind_training(frame).schema.columns[0].levels == (10, 30)


def test_identifiers_beyond_2_to_53_may_be_categories() -> None:
    ids = np.array([[2**53 + 1], [2**53 + 2], [2**53 + 1]])
    table = bind_training(ids, categorical_features=[0])
    assert table.schema.columns[0].levels == (2**53 + 1, 2**53 + 2)
    assert bind_prediction(ids[::-1], table.schema).columns[0].tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (["x9"], ["'x9'", "not a column", "x0"]),
        ([3], ["index 3", "columns 0 to 2"]),
        ([-1], ["index -1", "columns 0 to 2"]),
        ([True, False], ["mask of 2", "3 columns"]),
        ("x0", ["categorical_features='x0'", "['x0']"]),
        ("all", ["categorical_features='all'", "from_dtype"]),
        (1, ["categorical_features=1", "[1]"]),
        ([1.5], ["1.5", "float"]),
    ],
)
def test_choices_that_name_no_column(choice: Any, words: list[str]) -> None:
    with pytest.raises(DataError) as caught:
        bind_training(DATA, categorical_features=choice)
    assert all(word in str(caught.value) for word in words)


def test_unknown_name_suggests_near_ones() -> None:
    pd = pytest.importorskip("pandas")
    with pytest.raises(DataError, match="did you mean 'colour'"):
        bind_training(pd.DataFrame({"colour": ["a"], "n": [1]}), categorical_features=["color"])


def test_columns_without_names_are_those_of_a_tuple() -> None:
    schema = bind_training(np.zeros((2, 3))).schema
    whole = Schema(tuple(Column(f"x{i}", "continuous") for i in range(3)), named=False)
    assert schema == whole
    assert whole == schema
    assert hash(schema) == hash(whole)
    assert schema.columns[1:] == whole.columns[1:]
    assert schema.columns[-1] == whole.columns[-1]
    assert schema.numbers == whole.numbers
    assert (schema.names, len(schema)) == (whole.names, 3)
    assert schema != bind_training(np.zeros((2, 2))).schema
    assert schema != Schema(whole.columns[:2], named=False)


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_enums_of_duckdb_are_ordered(library, monkeypatch):
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip(library)
    monkeypatch.setattr("silva.data.frames.open._table_library", lambda: library)
    sizes = "['S', 'M', 'L'][1 + range % 3]"
    relation = duckdb.connect().sql(
        f"SELECT {sizes}::ENUM('S', 'M', 'XS', 'L') AS size, {sizes} AS text FROM range(9)"
    )
    model = silva.TreeClassifier().fit(relation, ["a", "a", "b"] * 3)
    found = [(one.kind, one.levels) for one in model.grown_tree_.schema.columns]
    assert found == [("ordinal", ("S", "M", "XS", "L")), ("categorical", ("L", "M", "S"))]
    assert model.predict(relation).tolist() == ["a", "a", "b"] * 3
