"""Every container of the same rows gives the same table."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import silva
from silva.data.bind import bind_classes, bind_prediction, bind_training
from silva.data.frames import open as frames
from silva.data.table import Table
from silva.errors import DataError, DataWarning
from tests.golden.model_hashes import model_hash

ROWS: dict[str, list[Any]] = {
    "length": [1.5, None, -2.0, float("inf")],
    "count": [3, 1, 2, 2],
    "maybe": [7, None, 9, 7],
    "sold": [True, False, True, True],
    "vetted": [True, None, False, True],
    "size": ["small", "large", "small", None],
    "colour": ["red", "blue", None, "red"],
    "town": ["Ulm", "Aalen", "Ulm", "Oslo"],
    "paid": ["Yes", "no", None, "Yes"],
}
SIZES = ["small", "medium", "large"]
COLOURS = ["red", "blue", "green"]


def pandas_frame() -> Any:
    pd = pytest.importorskip("pandas")
    return pd.DataFrame(ROWS).astype(
        {
            "maybe": "Float64",
            "vetted": "boolean",
            "size": pd.CategoricalDtype(SIZES, ordered=True),
            "colour": pd.CategoricalDtype(COLOURS),
        }
    )


def pandas_nullable() -> Any:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(ROWS).convert_dtypes()
    return frame.astype(
        {
            "size": pd.CategoricalDtype(SIZES, ordered=True),
            "colour": pd.CategoricalDtype(COLOURS),
        }
    )


def pandas_arrow() -> Any:
    pd = pytest.importorskip("pandas")
    return arrow_table().to_pandas(types_mapper=pd.ArrowDtype)


def pandas_objects() -> Any:
    pd = pytest.importorskip("pandas")
    return pd.DataFrame(ROWS, dtype=object)


def polars_frame() -> Any:
    pl = pytest.importorskip("polars")
    return pl.DataFrame(ROWS, schema_overrides={"size": pl.Enum(SIZES), "colour": pl.Categorical()})


def polars_lazy() -> Any:
    return polars_frame().lazy()


def polars_chunks() -> Any:
    pl = pytest.importorskip("polars")
    frame = polars_frame()
    return pl.concat([frame[:1], frame[1:]], rechunk=False)


def arrow_table() -> Any:
    pa = pytest.importorskip("pyarrow")
    table = pa.table(ROWS)
    return _with_dictionaries(pa, table)


def _with_dictionaries(pa: Any, table: Any) -> Any:
    for name, levels, ordered in (("size", SIZES, True), ("colour", COLOURS, False)):
        codes = [None if v is None else levels.index(v) for v in table[name].to_pylist()]
        column = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), levels, ordered=ordered)
        table = table.set_column(table.schema.get_field_index(name), name, column)
    return table


def arrow_batch() -> Any:
    return arrow_table().to_batches()[0]


def arrow_chunks() -> Any:
    pa = pytest.importorskip("pyarrow")
    table = arrow_table()
    return pa.concat_tables([table[:1], table[1:1], table[1:]])


def arrow_reader() -> Any:
    return arrow_table().to_reader()


class Stream:
    """Knows nothing but the Arrow protocol."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


def arrow_stream() -> Any:
    return Stream(arrow_table())


def polars_stream() -> Any:
    return Stream(polars_frame())


def narwhals_frame() -> Any:
    nw = pytest.importorskip("narwhals.stable.v2")
    return nw.from_native(pandas_frame())


def duckdb_relation() -> Any:
    duckdb = pytest.importorskip("duckdb")
    source = arrow_table()
    connection = duckdb.connect()
    connection.register("source", source)
    return connection.sql(
        "select * replace (size::varchar::enum('small', 'medium', 'large') as size, "
        "colour::varchar as colour, "
        "count::decimal(9, 0) as count, length::double as length) from source"
    )


def structured_array() -> Any:
    rows = list(zip(*ROWS.values(), strict=True))
    floats = {"length", "count", "maybe"}
    dtype = [(name, "f8" if name in floats else "O") for name in ROWS]
    return np.array(
        [tuple(np.nan if v is None and i in (0, 2) else v for i, v in enumerate(r)) for r in rows],
        dtype,
    )


def object_array() -> Any:
    return np.array(list(zip(*ROWS.values(), strict=True)), dtype=object)


def list_of_lists() -> Any:
    return [list(row) for row in zip(*ROWS.values(), strict=True)]


ORDERED = [
    pandas_frame,
    pandas_nullable,
    polars_frame,
    polars_lazy,
    polars_chunks,
    pandas_arrow,
    arrow_table,
    arrow_batch,
    arrow_chunks,
    arrow_reader,
    arrow_stream,
    polars_stream,
    narwhals_frame,
    duckdb_relation,
]
UNORDERED = [pandas_objects, structured_array, object_array, list_of_lists]
KINDS = {
    "length": "continuous",
    "count": "continuous",
    "maybe": "continuous",
    "sold": "binary",
    "vetted": "binary",
    "size": "ordinal",
    "colour": "categorical",
    "town": "categorical",
    "paid": "binary",
}


def decoded(table: Table) -> list[list[Any]]:
    return [
        [_value(v, column.levels) for v in values.tolist()]
        for column, values in zip(table.schema.columns, table.columns, strict=True)
    ]


def _value(value: float, levels: tuple[Any, ...] | None) -> Any:
    if levels is None:
        return None if value != value else value
    return levels[int(value)] if value >= 0 else {-1: None, -2: "unseen"}[int(value)]


@pytest.mark.parametrize("build", ORDERED + UNORDERED)
def test_same_table(build: Callable[[], Any]) -> None:
    table = bind_training(build())
    assert table.n_rows == 4
    assert decoded(table) == list(ROWS.values())
    kinds = [column.kind for column in table.schema.columns]
    expected = dict(KINDS, size="ordinal" if build in ORDERED else "categorical")
    assert kinds == list(expected.values())
    by_name = dict(zip(ROWS, table.schema.columns, strict=True))
    assert by_name["sold"].levels == by_name["vetted"].levels == (False, True)
    assert by_name["paid"].levels == ("no", "Yes")
    assert by_name["town"].levels == ("Aalen", "Oslo", "Ulm")
    if build in ORDERED:
        assert by_name["size"].levels == tuple(SIZES)
    if table.schema.named:
        assert table.schema.names == tuple(ROWS)
    else:
        assert table.schema.names == tuple(f"x{i}" for i in range(len(ROWS)))


@pytest.mark.parametrize("build", ORDERED + UNORDERED)
def test_columns_hold_what_the_core_reads(build: Callable[[], Any]) -> None:
    table = bind_training(build())
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        assert type(values) is np.ndarray
        assert values.shape == (4,)
        assert values.dtype.isnative
        allowed = {"continuous": "fiu", "binary": "bui"}.get(column.kind, "i")
        assert values.dtype.kind in allowed
        if column.kind != "continuous" and values.dtype.kind == "i":
            assert values.dtype == np.int32


@pytest.mark.parametrize("trained", [pandas_frame, polars_frame, arrow_table, object_array])
@pytest.mark.parametrize("given", ORDERED + UNORDERED)
def test_any_container_predicts(trained: Callable[[], Any], given: Callable[[], Any]) -> None:
    schema = bind_training(trained()).schema
    table = bind_prediction(given(), schema)
    assert table.schema is schema
    assert decoded(table) == list(ROWS.values())


@pytest.mark.parametrize("build", ORDERED)
def test_ordered_levels_are_those_declared(build: Callable[[], Any]) -> None:
    column = bind_training(build()).schema.columns[5]
    assert (column.kind, column.levels) == ("ordinal", tuple(SIZES))


@pytest.mark.parametrize("build", ORDERED + UNORDERED)
def test_levels_without_an_order_are_those_that_occur_sorted(build: Callable[[], Any]) -> None:
    column = bind_training(build()).schema.columns[6]
    assert (column.kind, column.levels) == ("categorical", ("blue", "red"))


def test_polars_categorical_does_not_depend_on_other_columns() -> None:
    pl = pytest.importorskip("polars")
    other = pl.Series(["zebra", "red", "yak"], dtype=pl.Categorical())
    assert len(other) == 3
    assert bind_training(polars_frame()).schema.columns[6].levels == ("blue", "red")


def test_lazy_frame_is_collected_once() -> None:
    seen = []

    def watch(frame: Any) -> Any:
        seen.append(len(frame))
        return frame

    bind_training(polars_frame().lazy().map_batches(watch))
    assert seen == [4]


def test_decimals_are_the_nearest_float64() -> None:
    from decimal import Decimal

    pa = pytest.importorskip("pyarrow")
    pl = pytest.importorskip("polars")
    exact = [Decimal(i) / 1000 for i in range(-2000, 2000)]
    wanted = [float(value) for value in exact]
    arrow = pa.table({"d": pa.array([*exact, None], pa.decimal128(20, 3))})
    polars = pl.DataFrame({"d": pl.Series([*exact, None], dtype=pl.Decimal(20, 3))})
    for table in (bind_training(arrow), bind_training(polars)):
        assert table.columns[0][:-1].tolist() == wanted
        assert np.isnan(table.columns[0][-1])


def test_polars_null_and_nan_are_both_missing() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(
        {"a": [1.0, float("nan"), None], "b": pl.Series([None] * 3, dtype=pl.Null)}
    )
    table = bind_training(frame)
    assert np.isnan(table.columns[0]).tolist() == [False, True, True]
    assert table.schema.columns[1].kind == "categorical"
    assert table.columns[1].tolist() == [-1, -1, -1]


def test_arrow_dictionary_with_null_and_repeated_levels() -> None:
    pa = pytest.importorskip("pyarrow")
    levels = pa.array(["b", None, "a", "b"])
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3, None], pa.uint8()), levels)
    table = bind_training(pa.table({"c": column}))
    assert table.schema.columns[0].levels == ("a", "b")
    assert table.columns[0].tolist() == [1, -1, 0, 1, -1]


@pytest.mark.parametrize("codes", [[0, 2], [0, -1], [-7, 1], [0, 2**31], [1, None, 9]], ids=str)
@pytest.mark.parametrize("n_chunks", [1, 2])
def test_arrow_dictionary_codes_out_of_range(codes: list[Any], n_chunks: int) -> None:
    pa = pytest.importorskip("pyarrow")
    column = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int64()), ["a", "b"], safe=False)
    table = pa.table({"colour": pa.chunked_array([column] * n_chunks)})
    with pytest.raises(DataError, match=r"'colour' .* Arrow dictionary .* 0 to 1"):
        bind_training(table)
    with pytest.raises(DataError, match=r"'target' .* Arrow dictionary"):
        bind_classes(table["colour"], None, None, len(table))


def text_containers(values: list[str | None], order: list[str]) -> dict[str, Any]:
    """One column in every container of text, categories numbered in any `order`."""
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pa = pytest.importorskip("pyarrow")
    codes = pa.array([None if v is None else order.index(v) for v in values], pa.int16())
    dictionary = pa.DictionaryArray.from_arrays(codes, pa.array(order, pa.string()))
    halves = [dictionary[: len(values) // 2], dictionary[len(values) // 2 :]]
    return {
        "pandas": pd.DataFrame({"c": pd.Series(values, dtype="str")}),
        "pandas objects": pd.DataFrame({"c": pd.Series(values, dtype=object)}),
        "pandas categories": pd.DataFrame({"c": pd.Categorical(values, order)}),
        "pandas arrow": pa.table({"c": dictionary}).to_pandas(types_mapper=pd.ArrowDtype),
        "polars": pl.DataFrame({"c": pl.Series(values, dtype=pl.String)}),
        "polars categories": pl.DataFrame({"c": pl.Series(values, dtype=pl.Categorical)}),
        "arrow": pa.table({"c": pa.array(values, pa.string())}),
        "arrow encoded": pa.table({"c": pa.array(values, pa.string()).dictionary_encode()}),
        "arrow dictionary": pa.table({"c": dictionary}),
        "arrow chunks": pa.table({"c": pa.chunked_array(halves)}),
    }


MODELS_OF_TEXT = [
    *(silva.TreeClassifier(splits=splits) for splits in (None, "onevsrest", "multiway")),
    silva.TreeClassifier(category_gain="plain"),
    silva.TreeRegressor(category_gain="plain"),
    silva.StumpRegressor(category_gain="plain"),
    silva.ForestClassifier(2, random_state=0),
    silva.ExtraTreesRegressor(2, random_state=0),
    silva.BaggingClassifier(n_estimators=2, random_state=0),
    silva.AdaBoostClassifier(n_estimators=2, random_state=0),
    silva.OptimalTreeClassifier(max_depth=1),
]


@given(st.data())
def test_every_container_of_text_grows_the_same_model(data: Any) -> None:
    levels = data.draw(st.permutations([*"abcdefgh"]))
    n_rows = data.draw(st.integers(8, 60))
    values = data.draw(
        st.lists(st.sampled_from([*"abcdef", None]), min_size=n_rows, max_size=n_rows)
    )
    labels = data.draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows))
    model = data.draw(st.sampled_from(MODELS_OF_TEXT))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        models = {
            model_hash(clone(model).fit(table, labels))
            for table in text_containers(values, levels).values()
        }
    assert len(models) == 1


def test_arrow_run_end_encoded() -> None:
    pa = pytest.importorskip("pyarrow")
    pc = pytest.importorskip("pyarrow.compute")
    table = bind_training(pa.table({"r": pc.run_end_encode(pa.array([1.0, 1.0, 4.0]))}))
    assert table.columns[0].tolist() == [1.0, 1.0, 4.0]


def test_pandas_sparse_columns_are_dense() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {
            "zero": pd.arrays.SparseArray([0.0, 2.0, 0.0], fill_value=0.0),
            "nan": pd.arrays.SparseArray([np.nan, 1.0, np.nan]),
            "plain": [1, 2, 3],
        }
    )
    table = bind_training(frame)
    assert table.columns[0].tolist() == [0.0, 2.0, 0.0]
    assert np.isnan(table.columns[1]).tolist() == [True, False, True]


def test_pandas_intervals_are_categories_by_their_text() -> None:
    pd = pytest.importorskip("pandas")
    cut = pd.cut(pd.Series([1.0, 5.0, 9.0]), [0, 4, 8, 12])
    table = bind_training(pd.DataFrame({"band": cut}))
    assert table.schema.columns[0].kind == "ordinal"
    assert table.schema.columns[0].levels == ("(0, 4]", "(4, 8]", "(8, 12]")
    assert bind_prediction(pd.DataFrame({"band": cut[1:]}), table.schema).columns[0].tolist() == [
        1,
        2,
    ]


@pytest.mark.parametrize("name", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("style", ["matrix", "array"])
def test_scipy_sparse(name: str, style: str) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    dense = np.array([[0.0, 2.0, 0.0], [1.5, 0.0, 0.0]])
    table = bind_training(getattr(sparse, f"{name}_{style}")(dense))
    assert [values.tolist() for values in table.columns] == dense.T.tolist()
    assert all(values.flags.c_contiguous for values in table.columns)
    assert not table.schema.named


def test_scipy_sparse_canonical_values() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    data, row, column = [1.0, 2.0, np.nan, 0.0], [1, 1, 0, 2], [0, 0, 1, 0]
    matrix = sparse.coo_array((data, (row, column)), shape=(3, 2))
    table = bind_training(matrix)
    assert table.columns[0].tolist() == [0.0, 3.0, 0.0]
    assert np.isnan(table.columns[1]).tolist() == [True, False, False]
    assert matrix.nnz == 4


def test_foreign_frame_comes_through_narwhals(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that only narwhals knows: here pandas, as if its own reader were not there."""
    frame, loaded = pandas_frame(), frames._loaded
    monkeypatch.setattr(frames, "_loaded", lambda m, *n: () if m == "pandas" else loaded(m, *n))
    assert decoded(bind_training(frame)) == list(ROWS.values())


def test_polars_collects_where_there_is_no_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    streams = arrow_stream(), arrow_stream()
    monkeypatch.setattr(frames, "find_spec", lambda name: None if name == "pyarrow" else name)
    assert decoded(bind_training(streams[0])) == list(ROWS.values())
    monkeypatch.setattr(frames, "find_spec", lambda name: None)
    with pytest.raises(DataError, match="need pyarrow or polars"):
        bind_training(streams[1])


def test_polars_wide_integers_and_objects() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(
        {
            "wide": pl.Series([1, None, 2**53], dtype=pl.Int128),
            "whole": pl.Series([1, 2, 3]).cast(pl.Decimal(10, 0)),
            "any": pl.Series([1.5, None, 2], dtype=pl.Object),
        }
    )
    table = bind_training(frame)
    assert decoded(table) == [[1, None, 2**53], [1, 2, 3], [1.5, None, 2]]


def test_arrow_text_in_no_chunk() -> None:
    pa = pytest.importorskip("pyarrow")
    schema = bind_training(pa.table({"t": ["a", "b"]})).schema
    empty = pa.table({"t": pa.chunked_array([], pa.string())})
    assert bind_prediction(empty, schema).columns[0].tolist() == []


def test_text_without_any_value() -> None:
    pl = pytest.importorskip("polars")
    pa = pytest.importorskip("pyarrow")
    for frame in (
        pl.DataFrame({"t": pl.Series([None, None], dtype=pl.String)}),
        pl.DataFrame({"t": pl.Series([None, None], dtype=pl.Categorical())}),
        pa.table({"t": pa.array([None, None], pa.string())}),
    ):
        table = bind_training(frame)
        assert (table.schema.columns[0].kind, table.schema.columns[0].levels) == ("categorical", ())
        assert table.columns[0].tolist() == [-1, -1]
        assert bind_prediction(frame[:0], table.schema).columns[0].tolist() == []


def test_pandas_without_string_names() -> None:
    pd = pytest.importorskip("pandas")
    table = bind_training(pd.DataFrame(np.ones((2, 2)), columns=[2020, 2021]))
    assert table.schema.names == ("2020", "2021")


CELLS = {
    "number": st.none() | st.floats(allow_nan=False) | st.integers(-(2**53), 2**53).map(float),
    "text": st.none() | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=3),
    "flag": st.none() | st.booleans(),
}


@pytest.mark.parametrize("sort", CELLS)
@given(data=st.data())
def test_any_column_is_the_same_from_every_container(sort: str, data: st.DataObject) -> None:
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    pa = pytest.importorskip("pyarrow")
    cells = [
        *data.draw(st.lists(CELLS[sort], max_size=8)),
        {"number": 1.0, "text": "a"}.get(sort, True),
    ]
    expected = bind_training([[cell] for cell in cells])
    types = {"number": pa.float64(), "text": pa.string(), "flag": pa.bool_()}
    for frame in (
        pd.DataFrame({"c": cells}),
        pl.DataFrame({"c": cells}),
        pa.table({"c": pa.array(cells, types[sort])}),
    ):
        table = bind_training(frame)
        assert table.schema.columns[0].levels == expected.schema.columns[0].levels
        np.testing.assert_array_equal(table.columns[0], expected.columns[0])


def test_nothing_is_imported_for_arrays() -> None:
    import subprocess
    import sys

    code = (
        "import sys, numpy as np\n"
        "from silva.data.bind import bind_training\n"
        "before = set(sys.modules)\n"
        "for dtype in (float, int, bool, str, object):\n"
        "    bind_training(np.ones((3, 2), dtype))\n"
        "print(sorted({'pandas', 'polars', 'pyarrow', 'duckdb'} & (set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
