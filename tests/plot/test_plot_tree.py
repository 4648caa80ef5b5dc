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


def test_drawing_does_not_touch_pyplot():
    code = (
        "import sys, silva; m = silva.TreeClassifier().fit([[0.], [1.]], ['a', 'b']);"
        "silva.plot_tree(m); sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_the_figure_has_the_size_of_the_tree():
    small, large = silva.plot_tree(animal_tree(), max_depth=1), silva.plot_tree(animal_tree())
    assert large.figure.get_size_inches()[1] > small.figure.get_size_inches()[1]
