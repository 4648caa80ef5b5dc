"""Models on dates and durations: the same as on the numbers that stand for them, kept in files."""

import copy
import datetime
import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import silva
from silva import edit
from silva.data.timescale import TimeScale
from silva.errors import DataError, ModelFormatError, PlanError
from silva.model_file import container, store
from silva.tree.columns import schema_of
from silva.tree.tree import to_arrays

pd = pytest.importorskip("pandas")

N_ROWS = 120
SCALES = (
    TimeScale("datetime", "D"),
    TimeScale("duration", "h"),
    TimeScale("datetime", "ns", 1_709_251_200 * 10**9, "UTC"),
    None,
)


def numbers() -> np.ndarray:
    """Days from 1970, hours, nanoseconds from March 2024, and a plain number."""
    generator = np.random.default_rng(4)
    days = generator.integers(19_700, 19_800, N_ROWS).astype(float)
    days[::11] = np.nan
    hours = generator.integers(0, 200, N_ROWS).astype(float)
    nanoseconds = generator.integers(0, 10**15, N_ROWS).astype(float)
    nanoseconds[0] = 1.0
    return np.stack((days, hours, nanoseconds, generator.normal(size=N_ROWS)), axis=1)


NUMBERS = numbers()
NAMES = ["admitted", "stay", "at", "age"]


def as_times(rows: np.ndarray, day_unit: str = "ns", zone: str = "UTC") -> Any:
    days = np.where(np.isnan(rows[:, 0]), np.iinfo(np.int64).min, rows[:, 0])
    at = rows[:, 2].astype(np.int64) + 1_709_251_200 * 10**9
    return pd.DataFrame(
        {
            "admitted": pd.Series(days.astype(np.int64).view("M8[D]")).astype(f"M8[{day_unit}]"),
            "stay": pd.Series(rows[:, 1].astype(np.int64).view("m8[h]").astype("m8[s]")),
            "at": pd.Series(at.view("M8[ns]")).dt.tz_localize("UTC").dt.tz_convert(zone),
            "age": rows[:, 3],
        }
    )


TIMES = as_times(NUMBERS)
PLAIN = pd.DataFrame(NUMBERS, columns=NAMES)
CLASSES = np.where(np.nan_to_num(NUMBERS[:, 0]) > 19_750, NUMBERS[:, 1] > 90, NUMBERS[:, 3] > 0)
AMOUNTS = np.nan_to_num(NUMBERS[:, 0] - 19_750) + 0.3 * NUMBERS[:, 1] + NUMBERS[:, 3]

MODELS = {
    "tree": lambda: silva.TreeClassifier(),
    "regression tree": lambda: silva.TreeRegressor(max_depth=4),
    "pruned tree": lambda: silva.TreeClassifier(prune="auto", random_state=0),
    "cart": lambda: silva.TreeClassifier(plan="CART", random_state=0),
    "stump": lambda: silva.StumpRegressor(),
    "oblique tree": lambda: silva.TreeClassifier(splits=["oblique"], max_depth=3),
    "distance tree": lambda: silva.TreeRegressor(splits=["distance"], max_depth=3),
    "linear leaves": lambda: silva.TreeRegressor(leaf="linear", max_depth=2),
    "logistic leaves": lambda: silva.TreeClassifier(leaf="linear", max_depth=2),
    "forest": lambda: silva.ForestClassifier(8, random_state=1),
    "regression forest": lambda: silva.ForestRegressor(8, random_state=1),
    "extra-trees": lambda: silva.ExtraTreesClassifier(8, random_state=1),
    "bagging": lambda: silva.BaggingRegressor(n_estimators=8, max_features=0.5, random_state=1),
    "boosting": lambda: silva.AdaBoostClassifier(n_estimators=8),
}


def fitted(name: str, table: Any) -> Any:
    model = MODELS[name]()
    is_classifier = hasattr(model, "predict_proba")
    return model.fit(table, CLASSES if is_classifier else AMOUNTS)


def schema_of_model(model: Any) -> Any:
    return (model.grown_tree_ if hasattr(model, "grown_tree_") else model.trees_).schema


def trees_of(model: Any) -> list[Any]:
    return [model.grown_tree_] if hasattr(model, "grown_tree_") else list(model.trees_)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_on_times_is_the_model_on_their_numbers(name: str) -> None:
    model, plain = fitted(name, TIMES), fitted(name, PLAIN)
    assert tuple(column.time for column in schema_of_model(model).columns) == SCALES
    for one, other in zip(trees_of(model), trees_of(plain), strict=True):
        for (key, values), wanted in zip(
            to_arrays(one).items(), to_arrays(other).values(), strict=True
        ):
            np.testing.assert_array_equal(values, wanted, key)
    wanted = plain.predict(PLAIN)
    for table in (TIMES, as_times(NUMBERS, "s", "Asia/Tokyo"), TIMES.astype(object)):
        np.testing.assert_array_equal(model.predict(table), wanted)


@pytest.mark.parametrize("name", MODELS)
def test_files_and_pickles_keep_the_scale(name: str, tmp_path: Path) -> None:
    model = fitted(name, TIMES)
    silva.save(model, tmp_path / "model.silva")
    copies = [silva.load(tmp_path / "model.silva"), pickle.loads(pickle.dumps(model))]
    for again in (*copies, copy.deepcopy(model)):
        assert schema_of_model(again) == schema_of_model(model)
        np.testing.assert_array_equal(again.predict(TIMES), model.predict(TIMES))
        assert [str(tree) for tree in trees_of(again)] == [str(tree) for tree in trees_of(model)]
    silva.save(copies[0], tmp_path / "again.silva")
    assert (tmp_path / "again.silva").read_bytes() == (tmp_path / "model.silva").read_bytes()


def test_a_file_without_dates_says_nothing_of_them() -> None:
    """So files from before there were scales are still what is written, and load."""
    data = store.dumps(fitted("tree", PLAIN).grown_tree_)
    assert b'\\"time\\"' not in data
    assert all(column.time is None for column in store.loads(data).schema.columns)


DAMAGED = {
    "not an object": 3,
    "another key": {"sort": "datetime", "unit": "D", "origin": 0, "zone": None, "more": 1},
    "no zone": {"sort": "datetime", "unit": "D", "origin": 0},
    "another sort": {"sort": "year", "unit": "D", "origin": 0, "zone": None},
    "a sort of numbers": {"sort": 3, "unit": "D", "origin": 0, "zone": None},
    "another unit": {"sort": "datetime", "unit": "W", "origin": 0, "zone": None},
    "a unit of lists": {"sort": "datetime", "unit": ["D"], "origin": 0, "zone": None},
    "a fraction": {"sort": "datetime", "unit": "D", "origin": 0.5, "zone": None},
    "a whole float": {"sort": "datetime", "unit": "D", "origin": 1.0, "zone": None},
    "a boolean": {"sort": "datetime", "unit": "D", "origin": True, "zone": None},
    "far away": {"sort": "datetime", "unit": "D", "origin": 10**60, "zone": None},
    "another zone": {"sort": "datetime", "unit": "D", "origin": 0, "zone": "CET"},
    "a zone of numbers": {"sort": "datetime", "unit": "D", "origin": 0, "zone": 1},
    "durations in UTC": {"sort": "duration", "unit": "D", "origin": 0, "zone": "UTC"},
    "null": None,
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_scales_are_refused(name: str) -> None:
    with pytest.raises(ModelFormatError, match=r"schema\.columns\[0\]\.time"):
        store.loads(with_time(DAMAGED[name]))


def test_levels_have_no_scale() -> None:
    tree = silva.TreeClassifier().fit([["a"], ["b"]], [0, 1]).grown_tree_
    with pytest.raises(ModelFormatError, match="categorical column has no scale"):
        store.loads(with_time(DAMAGED["no zone"] | {"zone": None}, tree))


def with_time(time: Any, tree: Any = None) -> bytes:
    """A model file whose first column has this for its scale."""
    tree = fitted("tree", TIMES).grown_tree_ if tree is None else tree
    data = store.dumps(tree)
    end = 8 + int.from_bytes(data[:8], "little")
    metadata = json.loads(data[8:end])["__metadata__"]
    meta = json.loads(metadata["meta"])
    meta["schema"]["columns"][0]["time"] = time
    metadata["meta"] = json.dumps(meta)
    metadata["meta_sha256"] = container.digest(metadata["meta"].encode())
    kept = {key: value for key, value in metadata.items() if key != "sha256"}
    return container.pack(to_arrays(tree), kept)


def test_trees_on_some_columns_keep_the_scale() -> None:
    schema = fitted("tree", TIMES).grown_tree_.schema
    part = schema_of(schema, np.array([0, 2]))
    assert [column.time for column in part.columns] == [SCALES[0], SCALES[2]]
    bagging = fitted("bagging", TIMES)
    member, own = bagging.estimators_[0], bagging.estimators_features_[0]
    assert [column.time for column in member.grown_tree_.schema.columns] == [SCALES[i] for i in own]
    table = TIMES.iloc[:, own]
    on_numbers = fitted("bagging", PLAIN).estimators_[0].predict(PLAIN.iloc[:, own])
    np.testing.assert_array_equal(member.predict(table), on_numbers)


INSPECTORS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "impurity": lambda model, X, y: silva.importance(model, kind="impurity").each,
    "corrected": lambda model, X, y: silva.importance(model, X, y).each,
    "permutation": lambda model, X, y: silva.importance(model, X, y, kind="permutation").each,
    "held-out rows": lambda model, X, y: (
        silva.importance(model, kind="permutation", X_val=X, y_val=y).each
    ),
    "drop_column": lambda model, X, y: silva.importance(model, X, y, kind="drop_column").each,
    "proximity": lambda model, X, y: silva.proximity(model, X).toarray(),
    "apply": lambda model, X, y: model.apply(X),
    "decision_path": lambda model, X, y: model.decision_path(X)[0].toarray(),
    "distil": lambda model, X, y: silva.distil(model, X, seed=0).model.predict(X),
}


@pytest.mark.parametrize("name", INSPECTORS)
def test_inspectors_say_the_same(name: str) -> None:
    inspect = INSPECTORS[name]
    found = inspect(fitted("forest", TIMES), TIMES, CLASSES)
    np.testing.assert_array_equal(found, inspect(fitted("forest", PLAIN), PLAIN, CLASSES))


def test_interval_models_and_warm_starts() -> None:
    model, plain = fitted("regression forest", TIMES), fitted("regression forest", PLAIN)
    one = silva.interval_model(model, TIMES, AMOUNTS).predict_interval(TIMES)
    other = silva.interval_model(plain, PLAIN, AMOUNTS).predict_interval(PLAIN)
    np.testing.assert_array_equal(one, other)
    model.set_params(warm_start=True, n_estimators=12).fit(TIMES, AMOUNTS)
    assert len(model.trees_) == 12


def test_a_warm_start_on_another_scale_is_refused() -> None:
    model = fitted("forest", TIMES).set_params(warm_start=True, n_estimators=12)
    finer = TIMES.assign(admitted=TIMES["admitted"] + pd.Timedelta(hours=1))
    with pytest.raises(DataError, match=r"'admitted' changed its .*scale of time"):
        model.fit(finer, CLASSES)


@pytest.mark.parametrize("name", MODELS)
def test_numbers_do_not_pass_for_times(name: str) -> None:
    model = fitted(name, TIMES.set_axis(range(4), axis=1))
    with pytest.raises(DataError, match=r"held dates .* but holds numbers now"):
        model.predict(NUMBERS)


def test_stability_tells_thresholds_as_dates() -> None:
    plot = pytest.importorskip("matplotlib.figure")
    found = silva.stability(silva.TreeClassifier(max_depth=2), TIMES, CLASSES, samples=4)
    points = next(one for one in found.cuts.points if one.column == "admitted")
    assert points.time == SCALES[0]
    assert points.told(19_783.2) == "2024-03-01"
    assert all(
        cut.words.startswith(("admitted < 20", "stay < ", "at < 2024", "age < ", "admitted is"))
        for cut in found.cuts.cuts
    )
    assert isinstance(silva.plot_stability(found), plot.Figure)


def hospital() -> tuple[Any, list[str]]:
    days = ["2024-02-26", "2024-02-28", "2024-02-29", "2024-03-01", "2024-03-02", None]
    return pd.DataFrame({"admitted": pd.to_datetime(days)}), ["no", "no", "no", "yes", "yes", "no"]


def test_the_text_of_a_tree() -> None:
    text = silva.to_text(silva.TreeClassifier().fit(*hospital()))
    assert text.splitlines()[2:4] == [
        "├─ admitted < 2024-02-29 12:00 → no (4 rows: no 100%)",
        "└─ admitted >= 2024-02-29 12:00 → yes (2 rows: yes 100%)",
    ]


def test_a_gap_of_two_days_is_parted_at_midnight() -> None:
    days = np.array([["2024-02-28"], ["2024-03-01"]], "M8[D]")
    assert "x0 < 2024-02-29 →" in silva.to_text(silva.TreeClassifier().fit(days, [0, 1]))


def test_rows_finer_than_training_take_the_side_that_the_text_says() -> None:
    table, target = hospital()
    model = silva.TreeClassifier().fit(table, target)
    noon = np.datetime64("2024-02-29T12:00:00")
    for unit in ("s", "ms", "us", "ns"):
        step = np.timedelta64(1, unit)
        rows = np.array([noon - step, noon, noon + step])
        told = model.predict(pd.DataFrame({"admitted": rows}))
        assert told.tolist() == ["no", "yes", "yes"]


def test_extra_trees_print_their_exact_thresholds() -> None:
    model = silva.ExtraTreesClassifier(1, random_state=0).fit(TIMES[["admitted"]], CLASSES)
    tree = model.trees_[0]
    limit = silva.tree.view.TreeView(tree).edges(0)[0].split(" < ")[1].removesuffix(" or missing")
    asked = edit.questions.split_from(edit.Below("admitted", limit), tree.schema)
    assert asked.threshold == tree.thresholds.threshold[0]


@pytest.mark.filterwarnings("ignore:.*a leak.*'at'")
def test_sums_say_what_they_count() -> None:
    text = silva.to_text(fitted("oblique tree", TIMES))
    assert "days(admitted)" in text
    assert "days(admitted): days since 1970-01-01." in text
    model = silva.TreeRegressor(leaf="linear", max_depth=1).fit(TIMES, AMOUNTS)
    text = silva.to_text(model)
    assert "*(days(admitted) - 197" in text
    for line in (
        "days(admitted): days since 1970-01-01.",
        "hours(stay): its length in hours.",
    ):
        assert line in text.splitlines()
    alone = silva.TreeRegressor(leaf="linear", min_samples_split=500).fit(
        TIMES[["at"]], NUMBERS[:, 2]
    )
    assert "nanoseconds(at): nanoseconds since 2024-03-01 00:00 UTC." in silva.to_text(alone)


def test_a_linear_leaf_can_be_computed_by_hand() -> None:
    table = pd.DataFrame({"day": pd.date_range("2024-03-01", periods=8)})
    model = silva.TreeRegressor(leaf="linear", min_samples_split=500).fit(table, np.arange(8.0))
    tree = model.grown_tree_
    days = (table["day"] - pd.Timestamp(1970, 1, 1)) / pd.Timedelta(days=1)
    linear = tree.linear
    by_hand = linear.intercept[0] + linear.weight[0] * (days.to_numpy() - linear.center[0])
    np.testing.assert_allclose(model.predict(table), np.clip(by_hand, linear.low, linear.high))


LIMITS = {
    "a date": datetime.date(2024, 3, 1),
    "a datetime": datetime.datetime(2024, 3, 1),
    "NumPy's date": np.datetime64("2024-03-01T00:00:00", "ns"),
    "pandas' date": pd.Timestamp("2024-03-01"),
    "text": "2024-03-01",
    "text with a time": "2024-03-01T00:00:00.000",
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_date_is_given_as_a_limit(name: str) -> None:
    table, target = hospital()
    model = silva.TreeClassifier().fit(table, target)
    changed = edit.replace(model, 0, edit.Below("admitted", LIMITS[name]), table, target)
    text = silva.to_text(changed)
    assert "├─ admitted < 2024-03-01 → no" in text
    assert (
        "given another split: admitted < 2024-03-01 instead of admitted < 2024-02-29 12:00" in text
    )


WRONG_LIMITS = {
    "a number": (3.0, ["'admitted'", "takes a date", "3.0"]),
    "nothing": (None, ["takes a date"]),
    "not a time": (pd.NaT, ["takes a date"]),
    "text": ("soon", ["takes a date", "'soon'"]),
    "no such day": ("2024-02-30", ["takes a date"]),
    "a year without end": ("9" * 5000 + "-01-01", ["takes a date"]),
    "no such hour": ("2024-02-28 25:00", ["takes a date"]),
    "a duration": (datetime.timedelta(3), ["takes a date"]),
    "a list": ([1], ["takes a date"]),
    "a time zone": ("2024-03-01 12:00 UTC", ["has a time zone", "'admitted' has none"]),
    "a third of a day": ("2024-03-01 08:00", ["counts days", "exactly 2024-03-01 08:00", "halves"]),
}


@pytest.mark.parametrize("name", WRONG_LIMITS)
def test_limits_that_are_refused(name: str) -> None:
    table, target = hospital()
    model = silva.TreeClassifier().fit(table, target)
    limit, words = WRONG_LIMITS[name]
    with pytest.raises(PlanError) as caught:
        edit.replace(model, 0, edit.Below("admitted", limit), table, target)
    assert all(word in str(caught.value) for word in words), caught.value


def test_limits_of_other_sorts() -> None:
    schema = fitted("tree", TIMES).grown_tree_.schema

    def limit(column: str, value: Any) -> float:
        return edit.questions.split_from(edit.Below(column, value), schema).threshold

    assert limit("stay", "2 days 12:00") == 60.0
    assert limit("stay", "-(1 day 06:30)") == -30.5
    assert limit("stay", datetime.timedelta(hours=3)) == 3.0
    assert limit("at", "2024-03-01 01:00:00.000000007+01:00") == 7.0
    assert limit("at", pd.Timestamp("2024-03-01", tz="UTC")) == 0.0
    with pytest.raises(PlanError, match=r"has no time zone.*'2024-03-01 12:00 UTC'"):
        limit("at", datetime.date(2024, 3, 1))
    for text in ("2024-03-01", "-2 days 12:00", "(2 days)", "2 days 24:00", "2 days12:00", "-"):
        with pytest.raises(PlanError, match="takes a duration"):
            limit("stay", text)
    times = silva.TreeClassifier().fit([[datetime.time(6)], [datetime.time(7)]], [0, 1]).grown_tree_
    asked = edit.questions.split_from(edit.Below("x0", "06:15"), times.schema)
    assert asked.threshold == 6.25
    assert edit.questions.told(asked, times.schema) == "x0 < 06:15"


def test_competing_splits_are_told_as_dates() -> None:
    table, target = hospital()
    model = silva.TreeClassifier().fit(table, target)
    assert "admitted < 2024-02-29 12:00" in str(edit.competing_splits(model, 0, table, target)[0])


def test_branches_of_another_scale_are_not_grafted() -> None:
    table, target = hospital()
    model = silva.TreeClassifier().fit(table, target)
    finer = table + pd.Timedelta(hours=1)
    other = silva.TreeClassifier().fit(finer, target)
    with pytest.raises(DataError, match="scale of time"):
        edit.graft(model, 1, other, table, target)


def test_growing_again_on_rows_of_another_scale_is_refused() -> None:
    model = fitted("forest", TIMES)
    finer = TIMES.assign(admitted=TIMES["admitted"] + pd.Timedelta(hours=1))
    with pytest.raises(DataError, match="scales of time"):
        silva.importance(model, finer, CLASSES, kind="drop_column")


def test_cross_validation_by_scikit_learn() -> None:
    selection = pytest.importorskip("sklearn.model_selection")
    one = selection.cross_val_score(silva.TreeClassifier(), TIMES, CLASSES, cv=3)
    other = selection.cross_val_score(silva.TreeClassifier(), PLAIN, CLASSES, cv=3)
    assert one.tolist() == other.tolist()


def test_schemas_with_other_scales_differ() -> None:
    schema = fitted("tree", TIMES).grown_tree_.schema
    other = replace(schema.columns[0], time=TimeScale("datetime", "h"))
    assert replace(schema, columns=(other, *schema.columns[1:])) != schema
    assert hash(schema) == hash(fitted("tree", TIMES).grown_tree_.schema)
