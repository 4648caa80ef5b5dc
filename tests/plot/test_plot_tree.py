"""`silva.plot_tree`: the scene of `to_svg`, drawn by matplotlib."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import silva
from silva.inspect.drawing.picture import picture
from tests.plot.pictures import overlap, rendered
from tests.tree.tree_samples import SAMPLES, animal_tree


def scene_texts(scene):
    found = [*scene.texts]
    for part in scene.boxes:
        found += part.texts
    for edge in scene.edges:
        found += edge.label
    return sorted(text.text for text in found)


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_words_of_the_scene_are_drawn_and_stay_inside(sample, tmp_path):
    axes = silva.plot_tree(sample())
    scene = picture(sample(), max_listed=10)
    assert sorted(text.get_text() for text in axes.texts) == scene_texts(scene)
    assert rendered(axes.figure, tmp_path / "tree.png") > 5000
    canvas = FigureCanvasAgg(axes.figure)
    canvas.draw()
    extents = [text.get_window_extent(canvas.get_renderer()) for text in axes.texts]
    assert all(box.x0 >= -1 and box.x1 <= axes.figure.bbox.x1 + 1 for box in extents)
    pairs = [(one, two) for place, one in enumerate(extents) for two in extents[:place]]
    assert not any(overlap(*pair) for pair in pairs)


def test_right_to_left_names_leave_numbers_in_their_place():
    table = pd.DataFrame({"גיל": [20.0, 30.0, 50.0, 60.0]})
    axes = silva.plot_tree(silva.StumpClassifier().fit(table, ["a", "a", "b", "b"]))
    assert "\u2067גיל\u2069 < 40?" in [text.get_text() for text in axes.texts]  # noqa: RUF001


def test_texts_fit_their_boxes_at_any_size():
    rng = np.random.default_rng(0)
    names = ["width of the petal in millimetres", "W" * 60]
    table = pd.DataFrame(rng.normal(size=(200, 2)), columns=names)
    model = silva.TreeClassifier(max_depth=2).fit(table, np.where(table.sum(axis=1) > 0, "M", "i"))
    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    assert silva.plot_tree(model, left) is left
    silva.plot_tree(model, right, table, model.predict(table))
    canvas = FigureCanvasAgg(figure)
    for size in ((9, 4), (18, 8), (20, 5)):
        figure.set_size_inches(size)
        canvas.draw()
        scene = picture(model, max_listed=10)
        widest = max(box.width for box in scene.boxes)
        for text in left.texts:
            extent = text.get_window_extent(canvas.get_renderer())
            room = left.transData.transform([(0, 0), (widest, 0)])
            inside = text.get_text() in {one.text for box in scene.boxes for one in box.texts}
            assert not inside or extent.width <= room[1][0] - room[0][0]


def test_a_dollar_sign_is_no_formula(tmp_path):
    table = pd.DataFrame({"$price^2$ in $": [1.0, 2.0, 3.0, 4.0]})
    axes = silva.plot_tree(silva.TreeClassifier().fit(table, ["$a", "$a", "b$", "b$"]))
    assert "$price^2$ in $ < 2.5?" in [text.get_text() for text in axes.texts]
    assert rendered(axes.figure, tmp_path / "dollars.png") > 3000


def test_one_tree_of_a_forest_within_limits():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 3))
    forest = silva.ForestRegressor(3, random_state=0).fit(X, X[:, 0] * X[:, 1])
    axes = silva.plot_tree(forest, X=X, y=X[:, 2], tree=2, max_depth=2)
    told = [text.get_text() for text in axes.texts]
    assert told[0].startswith("tree 2 of 3: regression tree")
    assert any(text.endswith(" more") for text in told)
    with pytest.raises(silva.PlanError, match="tree=0 for the first"):
        silva.plot_tree(forest)


def test_the_tree_is_in_what_pyplot_saves(tmp_path):
    code = (
        "import matplotlib; matplotlib.use('agg'); import matplotlib.pyplot as plt, silva, sys;"
        "m = silva.TreeClassifier().fit([[0.], [1.]], ['a', 'b']); plt.figure();"
        "silva.plot_tree(m); plt.savefig(sys.argv[1] + '/tree.png');"
        "plt.figure(); plt.gca().set_axis_off(); plt.savefig(sys.argv[1] + '/empty.png')"
    )
    subprocess.run([sys.executable, "-c", code, tmp_path], check=True)
    sizes = [(tmp_path / name).stat().st_size for name in ("tree.png", "empty.png")]
    assert sizes[0] > 2 * sizes[1]


@pytest.mark.parametrize("ax", [3, "axes", [None, None]])
def test_axes_of_other_types_are_refused(ax):
    model = silva.TreeClassifier().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(silva.PlanError, match=r"ax=.* is not possible: give matplotlib Axes"):
        silva.plot_tree(model, ax=ax)


def test_names_of_columns_and_classes_can_be_given():
    model = silva.TreeClassifier().fit([[0.0, 5.0], [1.0, 5.0]], [0, 1])
    axes = silva.plot_tree(
        model, feature_names=["age", "size"], class_names=np.array(["no", "yes"]), y=[0], X=[[0, 1]]
    )
    told = {text.get_text() for text in axes.texts}
    assert "age < 0.5?" in told
    assert {"no", "yes"} <= told
    assert "0" not in told
    assert silva.to_text(model).startswith("class")
    assert silva.plot_tree(model, class_names=True, impurity=False, node_ids=False)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"feature_names": ["a"]}, "the model has 2 columns, and 1 were given"),
        ({"feature_names": "ab"}, "give a list of names"),
        ({"class_names": ["a", "a"]}, "'a' is there twice"),
        ({"filled": "yes"}, "use True or False"),
    ],
)
def test_names_that_do_not_fit_are_refused(given, told):
    model = silva.TreeClassifier().fit([[0.0, 5.0], [1.0, 5.0]], [0, 1])
    with pytest.raises(silva.PlanError, match=told):
        silva.plot_tree(model, **given)


def test_classes_have_no_names_in_regression():
    model = silva.TreeRegressor().fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(silva.PlanError, match="the model predicts numbers"):
        silva.plot_tree(model, class_names=["a", "b"])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"impurity": True}, r"model\.tree_\.impurity"),
        ({"node_ids": True}, r"silva\.to_text\(model, numbers=True\)"),
        ({"precision": 3}, "precision=3 is not possible; leave it out"),
        ({"fontsize": 10}, "give a larger figure"),
        ({"proportion": True}, "leave it out"),
        ({"label": "root"}, "leave it out"),
        ({"featurenames": ["a"]}, "Did you mean feature_names?"),
    ],
)
def test_other_parameters_of_scikit_learn_say_what_to_do(given, told):
    with pytest.raises(TypeError, match=told):
        silva.plot_tree(animal_tree(), **given)


def test_filled_boxes_have_the_tint_of_their_class_or_mean():
    for sample in SAMPLES:
        scene = picture(sample(), max_listed=10)
        colours = {one.colour for one in scene.boxes}
        assert "" not in colours
        assert len(fills(silva.plot_tree(sample()))) <= 2
        assert len(fills(silva.plot_tree(sample(), filled=True))) == len(colours)


def test_boxes_are_round_or_square():
    def corners(**given):
        boxes = [
            one
            for one in silva.plot_tree(animal_tree(), **given).collections
            if one.get_zorder() == 2
        ]
        return {len(path.vertices) for one in boxes for path in one.get_paths()}

    assert min(corners()) > max(corners(rounded=False))


def fills(axes):
    boxes = [one for one in axes.collections if one.get_zorder() == 2]
    return {tuple(colour) for one in boxes for colour in one.get_facecolor()}


def test_drawing_does_not_touch_pyplot():
    code = (
        "import sys, silva; m = silva.TreeClassifier().fit([[0.], [1.]], ['a', 'b']);"
        "silva.plot_tree(m); sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_the_figure_has_the_size_of_the_tree():
    small, large = silva.plot_tree(animal_tree(), max_depth=1), silva.plot_tree(animal_tree())
    assert large.figure.get_size_inches()[1] > small.figure.get_size_inches()[1]
