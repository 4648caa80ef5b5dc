"""Predictions over two columns: exact regions hold every row that the tree routes there."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import silva
from silva.data.schema import Column
from silva.data.table import Table
from silva.errors import DataError, PlanError
from silva.inspect.plane import plane_of
from silva.inspect.plane.axis import level_axis, number_axis
from silva.inspect.plane.regions import ends_in_plane, is_axis_parallel, rectangles
from silva.inspect.plane.setting import Setting
from silva.tree import route
from tests.inspect.reason_cases import fuzzed_table
from tests.tree.tree_samples import trees


def axis_for(tree, number):
    column = tree.schema.columns[number]
    if column.levels is not None:
        return level_axis(number, column, True, True)
    own = tree.thresholds.threshold[tree.thresholds.column == number]
    own = own[np.isfinite(own) & (np.abs(own) < 1e100)]
    low, high = (own.min() - 1.0, own.max() + 1.0) if len(own) else (-1.0, 1.0)
    return number_axis(number, column, float(low), float(high), True)


def inside(places, span):
    return (places >= span[0]) & (places < span[1])


@given(trees(), st.integers(0, 2**31), st.data())
@settings(max_examples=60)
def test_every_row_of_a_plane_lies_in_the_region_of_its_node_and_in_no_other(tree, seed, data):
    assume(is_axis_parallel(tree))
    numbers = list(range(len(tree.schema)))
    chosen = data.draw(st.permutations(numbers))[: data.draw(st.integers(1, 2))]
    axes = tuple(axis_for(tree, number) for number in chosen)
    table = fuzzed_table(tree, seed)
    fixed = [
        column if n in chosen else column[:1].repeat(60) for n, column in enumerate(table.columns)
    ]
    table = Table(tree.schema, tuple(fixed), 60)
    setting = Setting(table.take(np.zeros(1, dtype=int)), dict.fromkeys(numbers, "given"))
    places = [axis.places(table.columns[axis.number]) for axis in axes]
    shown = np.all(
        [inside(place, axis.limits) for place, axis in zip(places, axes, strict=True)], 0
    )
    found = np.full(60, -1)
    for node, reached in ends_in_plane(tree, axes, setting):
        for spans in rectangles(axes, reached):
            pairs = zip(places, spans, strict=False)
            hit = np.all([inside(place, span) for place, span in pairs], 0) & shown
            assert (found[hit] == -1).all()
            found[hit] = node
    assert found[shown].tolist() == route.leaves(tree, table)[shown].tolist()


def mixed(n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=n_rows),
            "colour": rng.choice(["red", "green", "blue"], n_rows),
            "size": pd.Categorical(rng.choice([*"SML"], n_rows), [*"SML"], ordered=True),
            "b": rng.integers(0, 9, n_rows).astype(float),
        }
    )
    score = frame["a"] + (frame["colour"] == "red") + (frame["size"] == "L") - frame["b"] / 5
    frame.loc[::7, "a"] = np.nan
    frame.loc[3::11, "colour"] = None
    return frame, score


FRAME, SCORE = mixed()
CLASSES = np.where(SCORE > 0.5, "high", np.where(SCORE > -0.5, "middle", "low"))


def moved(frame, plane, names, x, y):
    """The rows of the frame at places of the plane, everything else as in the first row."""
    rows = pd.concat([frame.iloc[[0]]] * len(x), ignore_index=True)
    for name, axis, places in zip(names, plane.axes, (x, y), strict=True):
        if axis.has_numbers:
            missing = [any(band.low <= one < band.high for band in axis.bands) for one in places]
            rows[name] = np.where(missing, np.nan, places)
        else:
            levels = [
                axis.column.levels[int(one)] if one < axis.column.n_levels else None
                for one in places
            ]
            rows[name] = (
                pd.Categorical(levels, [*"SML"], ordered=True) if name == "size" else levels
            )
    return rows


@pytest.mark.parametrize("names", [("a", "colour"), ("colour", "size"), ("b", "a"), ("size", "b")])
def test_regions_of_a_classifier_say_what_predict_says(names):
    model = silva.TreeClassifier(max_depth=6).fit(FRAME, CLASSES)
    plane = plane_of(model, FRAME, CLASSES, columns=names, at=0)
    assert plane.is_exact
    x = np.array([sum(region.x) / 2 for region in plane.regions])
    y = np.array([sum(region.y) / 2 for region in plane.regions])
    levels = [
        np.round(one) if not axis.has_numbers else one
        for one, axis in zip((x, y), plane.axes, strict=True)
    ]
    rows = moved(FRAME, plane, names, *levels)
    told = model.classes_[[region.code for region in plane.regions]]
    assert told.tolist() == model.predict(rows).tolist()
    shares = [region.value for region in plane.regions]
    assert np.allclose(shares, model.predict_proba(rows).max(axis=1))


@pytest.mark.parametrize(
    "model",
    [
        silva.ForestClassifier(8, random_state=0),
        silva.AdaBoostClassifier(n_estimators=6),
        silva.BaggingClassifier(silva.TreeClassifier(max_depth=3), n_estimators=4, random_state=0),
        silva.TreeClassifier(splits="oblique", max_depth=3),
        silva.TreeClassifier(leaf="linear", max_depth=2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_grids_say_what_predict_says(model):
    model.fit(FRAME, CLASSES)
    plane = plane_of(model, FRAME, CLASSES, columns=("a", "colour"), at=0)
    assert not plane.is_exact
    for sheet in plane.sheets:
        x, y = np.meshgrid(*((one[:-1] + one[1:]) / 2 for one in (sheet.x_edges, sheet.y_edges)))
        some = np.arange(0, x.size, 7)
        rows = moved(FRAME, plane, ("a", "colour"), x.ravel()[some], y.ravel()[some])
        told = model.classes_[sheet.codes.ravel()[some]]
        assert told.tolist() == model.predict(rows).tolist()


@pytest.mark.parametrize("leaf", ["constant", "linear"])
@pytest.mark.parametrize("name", ["a", "colour", "b"])
def test_lines_of_a_regressor_say_what_predict_says(leaf, name):
    model = silva.TreeRegressor(max_depth=3, **({"leaf": leaf} if leaf == "linear" else {}))
    model.fit(FRAME, SCORE)
    plane = plane_of(model, FRAME, SCORE, columns=name, at=0)
    assert plane.is_exact
    (axis,) = plane.axes
    rng = np.random.default_rng(0)
    for region in plane.regions:
        places = (
            rng.uniform(*region.x, 9) if axis.has_numbers else np.arange(*np.add(region.x, 0.5))
        )
        rows = pd.concat([FRAME.iloc[[0]]] * len(places), ignore_index=True)
        if axis.has_numbers:
            in_band = any(band.low <= region.x[0] < band.high for band in axis.bands)
            rows[name] = np.nan if in_band else places
        else:
            rows[name] = [axis.bands[int(one)].name for one in places]
            rows[name] = rows[name].replace("missing", None)
        xs, ys = zip(*region.line, strict=True)
        assert np.allclose(np.interp(places, xs, ys), model.predict(rows))


def test_where_other_columns_are_fixed():
    model = silva.TreeClassifier(max_depth=6).fit(FRAME, CLASSES)
    middle = dict(plane_of(model, FRAME, columns=["a", "colour"]).fixed)
    assert middle["b"] == f"{FRAME['b'].median():g} (median)"
    assert middle["size"] == f"{FRAME['size'].mode()[0]} (most frequent)"
    given = dict(plane_of(model, columns=["a", "colour"], at={"size": "M"}).fixed)
    assert given["size"] == "M"
    assert given["b"].endswith("(mean)")
    row = dict(plane_of(model, columns=["a", "colour"], at=FRAME.loc[4, ["size", "b"]]).fixed)
    assert row == {"size": FRAME["size"][4], "b": f"{FRAME['b'][4]:g}"}
    assert dict(plane_of(model, FRAME, columns=["a", "colour"], at=5).fixed)["b"].endswith(
        "(row 5)"
    )


def test_default_columns_are_the_most_important():
    model = silva.TreeClassifier(max_depth=6).fit(FRAME, CLASSES)
    order = np.argsort(-model.feature_importances_, kind="stable")
    assert [axis.number for axis in plane_of(model, FRAME).axes] == order[:2].tolist()
    single = silva.TreeClassifier().fit(FRAME[["b"]], CLASSES)
    assert len(plane_of(single, FRAME[["b"]]).axes) == 1


def test_pipelines_and_polars():
    polars = pytest.importorskip("polars")
    numbers = FRAME[["b"]].assign(c=SCORE)
    model = make_pipeline(StandardScaler(), silva.TreeClassifier(max_depth=2)).fit(numbers, CLASSES)
    plane = plane_of(model, numbers, CLASSES, columns="c")
    assert [axis.column.name for axis in plane.axes] == ["c"]
    assert abs(np.mean(plane.points.x)) < 1e-9
    frame = polars.from_pandas(FRAME[["a", "colour", "b"]])
    model = silva.TreeClassifier(max_depth=4).fit(frame, CLASSES)
    assert len(plane_of(model, frame, CLASSES).points.rows) == len(FRAME)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"columns": ["a", "hue"]}, PlanError, "columns names 'hue'"),
        ({"columns": ["a", "a"]}, PlanError, "1 or 2 different columns"),
        ({"columns": ["a", "b", "size"]}, PlanError, "1 or 2 different columns"),
        ({"columns": 1.5}, PlanError, "columns=1.5"),
        ({"at": {"hue": 1}}, PlanError, "at names 'hue'"),
        ({"at": {"colour": "rad"}}, DataError, "'rad' for column 'colour'.* mean 'red'"),
        ({"at": {"b": "many"}}, DataError, "'b' held numbers"),
        ({"at": 3}, PlanError, "X is not given"),
        ({"at": 300, "X": FRAME}, PlanError, "rows 0 to 299"),
        ({"at": "median"}, PlanError, "at='median'"),
        ({"columns": ["a", "b"]}, DataError, "'size', which is fixed nowhere"),
        ({"y": CLASSES}, DataError, "X is missing"),
    ],
)
def test_what_is_refused(settings, error, message):
    model = silva.TreeClassifier(max_depth=6).fit(FRAME, CLASSES)
    with pytest.raises(error, match=message):
        plane_of(model, **settings)


def test_the_band_of_missing_values_lies_apart_from_close_large_numbers():
    axis = number_axis(0, Column("a", "continuous"), 2.0**50 - 1.0, 2.0**50 + 1.0, missing=True)
    (band,) = axis.bands
    assert band.low < band.middle < band.high < axis.low
    assert axis.low < 2.0**50 - 1.0 < 2.0**50 + 1.0 < axis.high
