"""Dates, durations and times of day as columns: every container, what is refused, and why."""

import datetime
import zoneinfo
from typing import Any

import numpy as np
import pytest

from silva.data.bind import bind_classes, bind_numbers, bind_prediction, bind_training
from silva.data.table import Table
from silva.data.timescale import TimeScale
from silva.data.weights import bind_weights
from silva.errors import DataError, DataTypeError

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

DAYS = [datetime.date(2024, 2, 28), None, datetime.date(2024, 3, 1)]
NUMBERS = [19781.0, np.nan, 19783.0]
NOON = datetime.datetime(2024, 3, 1, 12)
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")


def scale_of(data: Any) -> TimeScale:
    time = bind_training(data).schema.columns[0].time
    assert time is not None
    return time


def same(table: Table, numbers: list[float]) -> None:
    np.testing.assert_array_equal(table.columns[0], numbers)
    assert table.columns[0].dtype == np.float64


def refusal_of(data: Any, **choices: Any) -> DataError:
    with pytest.raises(DataError) as caught:
        bind_training(data, **choices)
    return caught.value


def frames_of_days() -> dict[str, Any]:
    arrow = pa.array(DAYS, pa.date32())
    stamps = pd.Series(DAYS, dtype="datetime64[ns]")
    return {
        "rows": [[day] for day in DAYS],
        "tuples": [(day,) for day in DAYS],
        "objects": np.array([[day] for day in DAYS], object),
        "array": np.array([[day] for day in DAYS], "M8[D]"),
        "hours": np.array([[day] for day in DAYS], "M8[h]"),
        "records": np.array([(day,) for day in DAYS], [("x0", "M8[s]")]),
        "pandas ns": stamps.to_frame("x0"),
        "pandas s": stamps.astype("M8[s]").to_frame("x0"),
        "pandas objects": pd.DataFrame({"x0": pd.Series(DAYS, dtype=object)}),
        "pandas NaT": pd.DataFrame({"x0": pd.Series([DAYS[0], pd.NaT, DAYS[2]], dtype=object)}),
        "pandas NA": pd.DataFrame({"x0": pd.Series([DAYS[0], pd.NA, DAYS[2]], dtype=object)}),
        "pandas NaN": pd.DataFrame({"x0": pd.Series([DAYS[0], np.nan, DAYS[2]], dtype=object)}),
        "pandas date32": pd.DataFrame({"x0": pd.Series(arrow, dtype=pd.ArrowDtype(pa.date32()))}),
        "pandas timestamp": pd.DataFrame({"x0": stamps.astype("timestamp[us][pyarrow]")}),
        "polars Date": pl.DataFrame({"x0": DAYS}),
        "polars Datetime": pl.DataFrame({"x0": DAYS}).cast(pl.Datetime("ms")),
        "polars lazy": pl.DataFrame({"x0": DAYS}).lazy(),
        "date32": pa.table({"x0": arrow}),
        "date64": pa.table({"x0": arrow.cast(pa.date64())}),
        "timestamp": pa.table({"x0": arrow.cast(pa.timestamp("s"))}),
        "run ends": pa.table({"x0": pa.compute.run_end_encode(arrow.cast(pa.timestamp("s")))}),
        "batch": pa.record_batch({"x0": arrow}),
    }


@pytest.mark.parametrize("name", frames_of_days())
def test_days_in_every_container(name: str) -> None:
    table = bind_training(frames_of_days()[name])
    assert table.schema.columns[0].time == TimeScale("datetime", "D")
    assert table.schema.columns[0].kind == "continuous"
    same(table, NUMBERS)
    for frame in frames_of_days().values():
        same(bind_prediction(frame, table.schema), NUMBERS)


def test_duckdb_relations() -> None:
    duckdb = pytest.importorskip("duckdb")
    days = "select unnest([date '2024-02-28', null, date '2024-03-01']) as x0"
    for sort in ("date", "timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns"):
        table = bind_training(duckdb.sql(f"select x0::{sort} as x0 from ({days})"))
        assert table.schema.columns[0].time == TimeScale("datetime", "D"), sort
        same(table, NUMBERS)
    duckdb.sql("set timezone = 'Europe/Berlin'")
    zoned = bind_training(duckdb.sql("select timestamptz '2024-03-01 12:00:00+01' as x0"))
    assert zoned.schema.columns[0].time == TimeScale("datetime", "h", 0, "UTC")
    same(zoned, [474_803.0])
    spans = duckdb.sql("select to_days(3) as x0")
    assert "no fixed length" in str(refusal_of(spans))


def frames_of_durations() -> dict[str, Any]:
    steps = [datetime.timedelta(hours=36), None, datetime.timedelta(hours=-12)]
    return {
        "rows": [[step] for step in steps],
        "array": np.array([[36], ["NaT"], [-12]], "m8[h]"),
        "weeks and hours": [[np.timedelta64(36, "h")], [None], [np.timedelta64(-720, "m")]],
        "pandas": pd.DataFrame({"x0": pd.Series(steps, dtype="m8[ns]")}),
        "pandas objects": pd.DataFrame({"x0": pd.Series(map(pd.Timedelta, steps), dtype=object)}),
        "pandas arrow": pd.DataFrame({"x0": pd.Series(steps, dtype="duration[ms][pyarrow]")}),
        "polars": pl.DataFrame({"x0": steps}),
        "arrow": pa.table({"x0": pa.array(steps, pa.duration("s"))}),
    }


@pytest.mark.parametrize("name", frames_of_durations())
def test_durations_in_every_container(name: str) -> None:
    table = bind_training(frames_of_durations()[name])
    assert table.schema.columns[0].time == TimeScale("duration", "h")
    same(table, [36.0, np.nan, -12.0])


def test_times_of_day() -> None:
    times = [datetime.time(6, 30), None, datetime.time(23, 45)]
    for frame in (
        [[time] for time in times],
        pl.DataFrame({"x0": times}),
        pa.table({"x0": pa.array(times, pa.time32("s"))}),
        pa.table({"x0": pa.array(times, pa.time64("ns"))}),
        pd.DataFrame({"x0": times}),
    ):
        table = bind_training(frame)
        assert table.schema.columns[0].time == TimeScale("time", "m")
        same(table, [390.0, np.nan, 1425.0])


def test_instants_in_several_time_zones_are_put_in_order() -> None:
    """Of one moment, whatever the time zone it is given in; also across a change of the clock."""
    moments = [NOON.replace(tzinfo=BERLIN), NOON.replace(hour=11, tzinfo=datetime.UTC)]
    autumn = datetime.datetime(2024, 10, 27, 2, 30, tzinfo=BERLIN)
    table = bind_training([[one] for one in (*moments, autumn, autumn.replace(fold=1))])
    assert table.schema.columns[0].time == TimeScale("datetime", "m", 0, "UTC")
    assert table.columns[0][0] == table.columns[0][1]
    assert table.columns[0][3] - table.columns[0][2] == 60
    zoned = pd.DataFrame({"x0": pd.Series([moments[0]]).astype("datetime64[us, Asia/Tokyo]")})
    same(bind_prediction(zoned, table.schema), [table.columns[0][0]])
    objects = pd.DataFrame({"x0": pd.Series([pd.Timestamp(moments[0])], dtype=object)})
    same(bind_prediction(objects, table.schema), [table.columns[0][0]])


def test_nanoseconds_of_pandas_objects_are_kept() -> None:
    stamps = [pd.Timestamp("2024-03-01 00:00:00.000000001"), pd.Timestamp("2024-03-01")]
    table = bind_training([[one] for one in stamps])
    assert table.schema.columns[0].time == TimeScale("datetime", "ns", 1_709_251_200 * 10**9)
    same(table, [1.0, 0.0])
    same(bind_prediction(pd.DataFrame({"x0": stamps}), table.schema), [1.0, 0.0])


def test_the_coarsest_exact_unit_is_chosen() -> None:
    for text, unit in (
        ("2024-03-01", "D"),
        ("2024-03-01T05", "h"),
        ("2024-03-01T05:10", "m"),
        ("2024-03-01T05:10:30", "s"),
        ("2024-03-01T05:10:30.5", "ms"),
        ("2024-03-01T05:10:30.0005", "us"),
        ("2024-03-01T05:10:30.0000005", "ns"),
    ):
        assert scale_of([[np.datetime64("2024-03-01")], [np.datetime64(text)]]).unit == unit


@pytest.mark.parametrize("year", [1, 1066, 1677, 2263, 9999])
def test_years_that_nanoseconds_do_not_reach(year: int) -> None:
    days = [datetime.date(year, 1, 1), datetime.date(2024, 3, 1)]
    wanted = [float((day - datetime.date(1970, 1, 1)).days) for day in days]
    seconds = pd.Series(np.array(days, "M8[s]")).to_frame("x0")
    for frame in (
        [[day] for day in days],
        seconds,
        pa.table({"x0": days}),
        pl.DataFrame({"x0": days}),
    ):
        table = bind_training(frame)
        same(table, wanted)
        fine = np.array([["2024-03-01T00:00:00.001000001"]], "M8[ns]")
        assert wanted[1] < bind_prediction(fine, table.schema).columns[0][0] < wanted[1] + 1e-7


def test_rows_of_arrays_in_several_units() -> None:
    """NumPy's own conversion of the year 1 to nanoseconds is a date in 1754."""
    rows = [np.array(["0001-01-01"], "M8[D]"), np.array(["2024-03-01T12:00"], "M8[ns]")]
    table = bind_training(rows)
    assert table.schema.columns[0].time == TimeScale("datetime", "h")
    same(table, [-719_162.0 * 24, 19_783.0 * 24 + 12])
    assert "mixes" in str(refusal_of([np.array([3], "m8[s]"), np.array([3])]))
    assert "mixes" in str(refusal_of([np.array(["2024"], "M8[D]"), np.array([3.0])]))


def test_years_far_beyond_the_training_rows_keep_their_order() -> None:
    table = bind_training(np.array([["2024-03-01T00:00:00.000000001"]], "M8[ns]"))
    years = np.array([[-(2**62)], [-(10**9)], [-5000], [30], [300], [10**12], [2**62]]).view(
        "M8[Y]"
    )
    numbers = bind_prediction(years, table.schema).columns[0]
    assert np.isfinite(numbers).all()
    assert (np.diff(numbers) > 0).all()


def test_a_column_without_a_value_is_a_column_of_dates() -> None:
    for frame in (
        np.full((2, 1), "NaT", "M8[ns]"),
        np.full((2, 1), "NaT", "M8"),
        pd.DataFrame({"x0": pd.to_datetime([None, None])}),
        pa.table({"x0": pa.array([None, None], pa.timestamp("us"))}),
    ):
        table = bind_training(frame)
        assert table.schema.columns[0].time == TimeScale("datetime", "D")
        same(table, [np.nan, np.nan])
        same(bind_prediction([[datetime.date(1970, 1, 3)]], table.schema), [2.0])


def test_an_empty_table_of_dates_at_predict() -> None:
    schema = bind_training([[NOON]]).schema
    for frame in (np.empty((0, 1), "M8[s]"), pd.DataFrame({"x0": pd.to_datetime([])})):
        same(bind_prediction(frame, schema), [])


def test_missing_values_of_any_type_fit_a_column_of_dates() -> None:
    schema = bind_training([[NOON]]).schema
    for frame in (
        [[None]],
        [[float("nan")]],
        np.array([[np.nan]]),
        np.array([["NaT"]], "m8[s]"),
        pd.DataFrame({"x0": [pd.NaT]}),
        pd.DataFrame({"x0": pd.Series([None], dtype="string")}),
        pl.DataFrame({"x0": [None]}),
        pd.DataFrame({"x0": pd.to_datetime([None]).tz_localize("UTC")}),
    ):
        same(bind_prediction(frame, schema), [np.nan])


def test_missing_dates_fit_other_columns() -> None:
    numbers = bind_training([[1.5]]).schema
    same(bind_prediction(pd.DataFrame({"x0": [pd.NaT]}), numbers), [np.nan])
    text = bind_training([["a"], ["b"]]).schema
    assert bind_prediction(pd.DataFrame({"x0": [pd.NaT]}), text).columns[0].tolist() == [-1]
    nothing = bind_training([[None]]).schema
    dates = pd.DataFrame({"x0": [NOON, pd.NaT]})
    assert bind_prediction(dates, nothing).columns[0].tolist() == [-2, -1]


HELD = {
    "dates": ([[NOON]], "dates without a time zone"),
    "instants": ([[NOON.replace(tzinfo=datetime.UTC)]], "dates with a time zone"),
    "durations": ([[datetime.timedelta(3)]], "durations"),
    "times": ([[datetime.time(12, 30)]], "times of day"),
    "numbers": ([[1.5]], "numbers"),
    "text": ([["2024-03-01"], ["2024-03-02"]], "text"),
    "booleans": ([[True], [False]], "booleans"),
}


@pytest.mark.parametrize("now", HELD)
@pytest.mark.parametrize("trained", ["dates", "instants", "durations", "times"])
def test_a_column_of_times_that_changes_its_sort(trained: str, now: str) -> None:
    (data, held), (given, holds) = HELD[trained], HELD[now]
    schema = bind_training(data).schema
    if now == trained:
        assert bind_prediction(given, schema).n_rows
        return
    with pytest.raises(DataError) as caught:
        bind_prediction(given, schema)
    assert f"'x0' held {held} in training but holds {holds} now" in str(caught.value)
    assert "in row 0" in str(caught.value)
    assert f"Give {held} as in training" in str(caught.value)


@pytest.mark.parametrize("now", ["dates", "instants", "durations", "times"])
@pytest.mark.parametrize("trained", ["numbers", "text", "booleans"])
def test_times_in_a_column_of_others(trained: str, now: str) -> None:
    schema = bind_training(HELD[trained][0]).schema
    with pytest.raises(DataError) as caught:
        bind_prediction(HELD[now][0], schema)
    assert f"holds {HELD[now][1]} now (such as" in str(caught.value)
    assert "Convert" in str(caught.value)


def test_a_plain_array_does_not_pass_for_dates() -> None:
    schema = bind_training([[NOON]]).schema
    with pytest.raises(DataError, match="holds numbers now"):
        bind_prediction(np.array([[3.0]]), schema)
    same(bind_prediction(np.array([[np.nan]]), schema), [np.nan])


def test_the_fixes_for_time_zones_work() -> None:
    naive = pd.DataFrame({"x0": pd.to_datetime([NOON])})
    aware = naive.apply(lambda column: column.dt.tz_localize("Europe/Berlin"))
    data, name = aware.copy(), "x0"
    data[name] = data[name].dt.tz_convert("UTC").dt.tz_localize(None)
    same(bind_prediction(data, bind_training(naive).schema), [474_803.0])
    data = naive.copy()
    data[name] = data[name].dt.tz_localize("UTC")
    same(bind_prediction(data, bind_training(aware).schema), [474_804.0])


MIXED = {
    "zones": ([NOON, NOON.replace(tzinfo=datetime.UTC)], ["with and without a time zone", "row 1"]),
    "a date and an instant": ([DAYS[0], NOON.replace(tzinfo=BERLIN)], ["time zone", "row 0"]),
    "a duration": ([NOON, datetime.timedelta(1)], ["mixes dates, durations", "row 1"]),
    "a time of day": ([NOON, None, datetime.time(3)], ["mixes dates, durations", "row 2"]),
    "text": ([None, NOON, "2024-03-01"], ["row 1", "'2024-03-01' in row 2", "Convert all"]),
    "a number": ([3, NOON], ["row 1", "3 in row 0", "Convert all"]),
    "NumPy's duration": ([np.timedelta64(1, "s"), 3], ["row 0", "3 in row 1", "Convert all"]),
}


@pytest.mark.parametrize("name", MIXED)
def test_columns_that_mix_times_with_others(name: str) -> None:
    items, words = MIXED[name]
    for data in ([[item] for item in items], pd.DataFrame({"x0": pd.Series(items, dtype=object)})):
        error = refusal_of(data)
        assert all(word in str(error) for word in ["'x0'", "no common order", *words]), error


def test_times_that_have_no_reading() -> None:
    for data, words in (
        (pd.DataFrame({"x0": pd.period_range("2024", periods=2, freq="M")}), "to_timestamp()"),
        (np.array([[1], [2]]).view("m8[M]"), "no fixed length"),
        (np.array([[1], [2]]).view("m8[Y]"), "no fixed length"),
        (np.array([[1], [2]]).view("m8"), "no fixed length"),
        ([[datetime.time(3, tzinfo=datetime.UTC)]], "drop the time zone"),
    ):
        error = refusal_of(data)
        assert isinstance(error, DataTypeError)
        assert "'x0'" in str(error)
        assert words in str(error)


def test_the_way_out_of_periods_works() -> None:
    data, name = pd.DataFrame({"x0": pd.period_range("2024-03", periods=2, freq="M")}), "x0"
    data[name] = data[name].dt.to_timestamp()
    same(bind_training(data), [19783.0, 19814.0])


def test_a_span_of_more_than_2_to_the_53_units() -> None:
    def rows(span: int) -> np.ndarray:
        return np.array([[10**18], [10**18 + span]]).view("M8[ns]")

    same(bind_training(rows(2**53)), [0.0, 2.0**53])
    error = str(refusal_of(rows(2**53 + 1)))
    for word in ("'x0'", "2001-09-09", "9,007,199,254,740,993", "2**53", "datetime64[us]", "split"):
        assert word in error
    same(bind_training(rows(2**53 + 1).astype("datetime64[us]")), [10.0**15, 1009007199254740.0])
    steps = str(
        refusal_of((rows(2**53 + 1) - rows(0)[0]).astype("m8[ns]") + np.timedelta64(1, "ns"))
    )
    assert "timedelta64[us]" in steps


@pytest.mark.parametrize(
    "choice", [["x0"], [0], [True], {"x0": None}, {"x0": ["2024-03-01"]}, np.array([True])]
)
def test_dates_are_not_categories(choice: Any) -> None:
    error = refusal_of([[NOON]], categorical_features=choice)
    for word in ("categorical_features", "'x0'", "dates or times", "astype(str)"):
        assert word in str(error)
    assert bind_training([[NOON]], None).schema.columns[0].time is not None


def test_dates_as_text_are_categories() -> None:
    frame = pd.DataFrame({"x0": pd.to_datetime(["2024-03-01", "2024-03-02"])}).astype(str)
    column = bind_training(frame, ["x0"]).schema.columns[0]
    assert (column.kind, column.time) == ("categorical", None)


@pytest.mark.parametrize("target", [DAYS[:1] * 2, np.zeros(2, "m8[s]"), pd.to_datetime([NOON] * 2)])
def test_dates_are_no_target_and_no_weights(target: Any) -> None:
    for bind in (
        lambda: bind_classes(target, None, None, 2),
        lambda: bind_numbers(target, None, 2),
        lambda: bind_weights(target, 2),
    ):
        with pytest.raises(DataTypeError, match=r"holds dates or times .*Convert it first"):
            bind()


def test_policies_keep_the_scale() -> None:
    table = bind_training([[NOON], [NOON.replace(hour=3)]], missing="stop")
    assert table.schema.columns[0].time == TimeScale("datetime", "h")
    with pytest.raises(DataError, match="is missing in row 0"):
        bind_prediction([[None]], bind_training([[NOON]], missing="error").schema)
