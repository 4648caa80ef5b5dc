"""Decision regions and regression surfaces: what is drawn, where, and in which colours."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

import silva
from silva.errors import PlanError
from silva.inspect.drawing.palette import LIGHT
from silva.inspect.plane import plane_of
from tests.plot.pictures import rendered, texts_apart

RNG = np.random.default_rng(0)
LONG = "a column with a name that is far too long for the place below the axis, in thousands"
FRAME = pd.DataFrame(
    {
        LONG: RNG.normal(40, 12, 300),
        "colour": RNG.choice(["red", "green", "a level with a very long name"], 300),
        "$a$ and $b$": RNG.gamma(2.0, 3.0, 300),
        "when": pd.Timestamp("2020-01-01") + pd.to_timedelta(RNG.integers(0, 700, 300), unit="D"),
    }
)
FRAME.iloc[::9, 0] = np.nan
NUMBERS = FRAME[LONG].fillna(20) / 12 + (FRAME["colour"] == "red") + FRAME["$a$ and $b$"] / 9
CLASSES = np.where(NUMBERS > 4.5, "good", "bad")
TREE = silva.TreeClassifier(max_depth=4).fit(FRAME, CLASSES)
SURFACE = silva.TreeRegressor(max_depth=4).fit(FRAME, NUMBERS)


def boxes(collection):
    return [path.get_extents().bounds for path in collection.get_paths()]


def test_rectangles_are_the_regions_of_the_tree(tmp_path):
    axes = silva.plot.decision_regions(TREE, FRAME, CLASSES, columns=[0, "colour"])
    plane = plane_of(TREE, FRAME, CLASSES, columns=[0, "colour"])
    drawn = axes.collections[0]
    wanted = [(r.x[0], r.y[0], r.x[1] - r.x[0], r.y[1] - r.y[0]) for r in plane.regions]
    assert np.allclose(boxes(drawn), wanted)
    for colour, region in zip(drawn.get_facecolors(), plane.regions, strict=True):
        if region.value == 1.0:
            own = np.array(to_rgb(LIGHT[f"class{region.code}"]))
            assert np.allclose(colour[:3], 0.72 * own + 0.28, atol=1e-6)
    assert sum(len(points.get_offsets()) for points in axes.collections[1:]) == 300
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    assert legend == ["bad", "good"]
    assert rendered(axes.figure, tmp_path / "regions.png") > 5000
    assert texts_apart(axes.figure)


@pytest.mark.parametrize("columns", [["when", "$a$ and $b$"], ["colour"], [LONG], None, [2, 0]])
def test_axes_of_every_kind_say_what_they_show(columns, tmp_path):
    axes = silva.plot.decision_regions(TREE, FRAME, CLASSES, columns=columns)
    rendered(axes.figure, tmp_path / "kinds.png")
    assert texts_apart(axes.figure)
    ticks = [label.get_text() for label in axes.get_xticklabels()]
    if columns == ["colour"]:
        assert ticks == ["a level with a ve…", "green", "red"]
    if columns == [LONG]:
        assert ticks[-1] == "missing"
    if columns == ["when", "$a$ and $b$"]:
        assert all(tick.startswith("202") and len(tick) == 10 for tick in ticks)
        assert "fixed: " in axes.get_xlabel()


def test_ticks_of_durations_have_units():
    lengths = pd.DataFrame({"length": pd.to_timedelta(np.arange(40), unit="h")})
    model = silva.TreeClassifier().fit(lengths, np.arange(40) > 20)
    axes = silva.plot.decision_regions(model, lengths)
    assert all("day" in label.get_text() for label in axes.get_xticklabels())


@pytest.mark.parametrize(
    "model",
    [silva.ForestClassifier(5, random_state=0), silva.AdaBoostClassifier(n_estimators=5)],
    ids=lambda model: type(model).__name__,
)
def test_models_of_many_trees_have_a_grid(model, tmp_path):
    model.fit(FRAME, CLASSES)
    axes = silva.plot.decision_regions(model, FRAME, CLASSES, columns=[0, "colour"], max_points=50)
    meshes = [one for one in axes.collections if hasattr(one, "get_coordinates")]
    assert [mesh.get_coordinates().shape[:2] for mesh in meshes] == [(4, 241), (4, 2)]
    assert axes.get_legend().get_title().get_text() == "50 of 300 rows"
    assert rendered(axes.figure, tmp_path / "grid.png") > 5000
    assert texts_apart(axes.figure)


def test_twelve_classes_one_class_and_unseen_ones(tmp_path):
    table = RNG.normal(size=(600, 2))
    cell = np.digitize(table[:, 0], [-1, 0, 1]) * 3 + np.digitize(table[:, 1], [-0.5, 0.5])
    target = np.array([f"class {chr(97 + code)}" for code in cell])
    model = silva.TreeClassifier(max_depth=6).fit(table, target)
    axes = silva.plot.decision_regions(model, table, target)
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    assert len(legend) == 8
    assert legend[-1] == "5 others"
    assert len(axes.texts) == 5
    assert texts_apart(axes.figure)
    one = silva.TreeClassifier().fit(table, ["same"] * 600)
    axes = silva.plot.decision_regions(one, table[:9], ["same"] * 8 + ["new"])
    assert len(boxes(axes.collections[0])) == 1
    assert [len(points.get_offsets()) for points in axes.collections[1:]] == [1, 8]
    assert rendered(axes.figure, tmp_path / "one.png") > 2000


def test_a_map_has_the_values_of_the_leaves(tmp_path):
    axes = silva.plot.regression_surface(SURFACE, FRAME, NUMBERS, columns=[0, 2])
    plane = plane_of(SURFACE, FRAME, NUMBERS, columns=[0, 2])
    drawn = axes.collections[0]
    assert drawn.get_array().tolist() == [region.value for region in plane.regions]
    assert len(axes.figure.axes) == 2
    assert axes.figure.axes[1].get_ylabel() == "prediction"
    assert rendered(axes.figure, tmp_path / "map.png") > 5000
    assert texts_apart(axes.figure)


@pytest.mark.parametrize("leaf", ["constant", "linear"])
def test_a_line_has_the_steps_of_the_tree(leaf, tmp_path):
    settings = {"leaf": leaf} if leaf == "linear" else {}
    model = silva.TreeRegressor(max_depth=3, **settings).fit(FRAME, NUMBERS)
    axes = silva.plot.regression_surface(model, FRAME, NUMBERS, columns=LONG)
    plane = plane_of(model, FRAME, NUMBERS, columns=LONG)
    lines = next(one for one in axes.collections if one.get_label() == "prediction")
    drawn = [segment.tolist() for segment in lines.get_segments()]
    assert drawn == [[list(point) for point in region.line] for region in plane.regions]
    points = next(one for one in axes.collections if one.get_label() == "rows")
    assert points.get_offsets()[:, 1].tolist() == NUMBERS.tolist()
    assert rendered(axes.figure, tmp_path / "line.png") > 5000
    assert texts_apart(axes.figure)


def test_a_forest_and_a_constant_target_and_no_rows(tmp_path):
    forest = silva.ForestRegressor(5, random_state=0).fit(FRAME, NUMBERS)
    for columns in ([0], [0, 2]):
        axes = silva.plot.regression_surface(forest, FRAME, NUMBERS, columns=columns)
        assert rendered(axes.figure, tmp_path / "forest.png") > 5000
        assert texts_apart(axes.figure)
    same = silva.TreeRegressor().fit(FRAME, np.full(300, 3.0))
    axes = silva.plot.regression_surface(same, columns=[0, 2])
    assert axes.collections[0].get_array().tolist() == [3.0]
    axes = silva.plot.regression_surface(same.grown_tree_, columns=[2])
    assert axes.get_ylabel() == "prediction"
    assert rendered(axes.figure, tmp_path / "same.png") > 2000


def test_given_axes_and_what_is_refused():
    axes = Figure().subplots()
    assert silva.plot.decision_regions(TREE, FRAME, ax=axes) is axes
    assert silva.plot.regression_surface(SURFACE, FRAME, columns=[2], ax=axes) is axes
    with pytest.raises(PlanError, match=r"predicts numbers.*silva\.plot\.regression_surface"):
        silva.plot.decision_regions(SURFACE)
    with pytest.raises(PlanError, match=r"predicts classes.*silva\.plot\.decision_regions"):
        silva.plot.regression_surface(TREE)
    with pytest.raises(PlanError, match="max_points=-1"):
        silva.plot.decision_regions(TREE, max_points=-1)
    with pytest.raises(PlanError, match="ax=str is not possible: give matplotlib Axes"):
        silva.plot.decision_regions(TREE, FRAME, ax="here")
