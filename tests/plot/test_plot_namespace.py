"""`silva.plot` and the look that all plots share."""

import sys
from importlib import import_module

import numpy as np
import pytest
from matplotlib.figure import Figure

import silva
from silva.errors import PlanError
from silva.inspect.drawing.palette import LIGHT

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 3))
Y = (X[:, 0] + 0.5 * RNG.normal(size=150) > 0).astype(int)
SQUARES = X[:, 0] ** 2
FOREST = silva.ForestClassifier(8, random_state=0).fit(X, Y)


def test_names_load_when_they_are_used_even_after_their_modules():
    assert {"decision_regions", "complexity", "learning_curve"} <= set(dir(silva.plot))
    for name in silva.plot.__all__:
        assert callable(getattr(silva.plot, name))
        assert callable(getattr(silva.plot, name))
    with pytest.raises(AttributeError, match=r"'silva\.plot' has no attribute 'pie'"):
        silva.plot.pie  # noqa: B018


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'silva-trees\[plot\]'"):
        silva.plot.impurity_curves()


def test_pyplot_is_not_touched(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    tree, numbers = silva.TreeClassifier().fit(X, Y), silva.TreeRegressor().fit(X, SQUARES)
    silva.plot.decision_regions(tree, X, Y)
    silva.plot.regression_surface(numbers, X, SQUARES, columns=[0, 1])
    silva.plot.impurity_curves()
    silva.plot.complexity(tree, X, Y, cv=2, values={"max_depth": [2]})
    silva.plot.learning_curve(tree, X, Y, cv=2, sizes=[20])
    silva.plot.leaf_distributions(tree)
    silva.plot.confusion_by_leaf(tree, X, Y)


@pytest.fixture
def pyplot(monkeypatch):
    """pyplot as a program imports it; afterwards it counts as not imported again."""
    monkeypatch.setenv("MPLBACKEND", "agg")
    module = import_module("matplotlib.pyplot")
    yield module
    module.close("all")
    del sys.modules["matplotlib.pyplot"]


def test_the_current_axes_are_drawn_into_while_they_are_empty(pyplot, records):
    tree = silva.TreeClassifier(max_depth=2).fit(X, Y)
    for draw in (silva.plot_tree, silva.plot.leaf_distributions, lambda _: draw_regions(tree)):
        pyplot.figure()
        left, right = pyplot.gcf().subplots(1, 2)
        assert draw(tree) is right
        pyplot.sca(left)
        assert draw(tree) is left
        before = len(left.collections)
        other = draw(tree)
        assert other.figure is pyplot.gcf() is not left.figure
        assert len(left.collections) == before
    for draw, record, count in records:
        pyplot.close("all")
        empty = pyplot.figure(figsize=(8, 5))
        assert draw(record) is empty
        assert len(empty.axes) >= count
        assert draw(record) is not empty
        assert len(pyplot.get_fignums()) == 2


def draw_regions(tree):
    return silva.plot.decision_regions(tree, X, Y, columns=[0, 1])


def test_other_kinds_of_axes_are_left_alone(pyplot):
    polar = pyplot.figure().add_subplot(projection="polar")
    assert silva.plot.impurity_curves() is not polar
    assert not polar.lines


@pytest.fixture(scope="module")
def records():
    tree = silva.TreeClassifier(prune=silva.CostComplexity()).fit(X, Y)
    steps = silva.TreeClassifier(prune=silva.ReducedError()).fit(X, Y)
    return [
        (silva.plot_pruning, tree.prune_record_, 1),
        (silva.plot_pruning, steps.prune_record_, 2),
        (silva.plot_size_path, silva.size_path(silva.TreeClassifier(), X, Y, 3), 1),
        (
            silva.plot_stability,
            silva.stability(silva.TreeClassifier(max_depth=2), X, Y, samples=3),
            6,
        ),
        (
            silva.plot_margins,
            silva.AdaBoostClassifier(n_estimators=4).fit(X, Y).margin_curve(X, Y),
            1,
        ),
        (silva.plot_importance, silva.importance(FOREST, X, Y), 1),
    ]


def test_every_plot_takes_axes_or_a_figure(records):
    for draw, record, count in records:
        given = np.ravel(Figure().subplots(1, count))
        drawn = draw(record, ax=given[0] if count == 1 else given)
        assert np.ravel(drawn).tolist() == given.tolist()
        whole = Figure()
        assert all(one.figure is whole for one in np.ravel(draw(record, ax=whole)))
        assert isinstance(draw(record), Figure)


def test_every_plot_has_one_look(records):
    for draw, record, _ in records:
        figure = draw(record)
        title = figure.axes[0]._left_title
        assert (title.get_fontsize(), title.get_color()) == (11.0, LIGHT["ink"])
        assert title.get_text()[:1].isupper()
        for axes in figure.axes:
            labels = [axes.xaxis.label, axes.yaxis.label]
            assert {one.get_fontsize() for one in labels if one.get_text()} <= {10.0}


def test_axes_that_do_not_fit_are_refused(records):
    for draw, record, count in records:
        wrong = np.ravel(Figure().subplots(1, 3))
        with pytest.raises(PlanError, match="ax=a sequence of 3 is not possible"):
            draw(record, ax=wrong)
        if count > 1:
            with pytest.raises(PlanError, match=f"a sequence of {count} matplotlib Axes"):
                draw(record, ax=wrong[0])
    curve = records[4][1]
    axes = Figure().subplots()
    assert silva.plot_margins(curve, axes=axes) is axes
    with pytest.raises(PlanError, match="ax and axes"):
        silva.plot_margins(curve, axes, axes=axes)
