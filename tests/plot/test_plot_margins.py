"""The picture of margins."""

import pytest
from matplotlib.figure import Figure
from sklearn.datasets import make_classification

import silva
from tests.plot.pictures import rendered, texts_apart

X, Y = make_classification(300, 6, n_informative=4, random_state=1)
MODEL = silva.AdaBoostClassifier(n_estimators=30).fit(X, Y)


def test_a_line_for_each_stage(tmp_path):
    figure = silva.plot_margins(MODEL.margin_curve(X, Y))
    assert isinstance(figure, Figure)
    (axes,) = figure.axes
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["1 tree", "3 trees", "10 trees", "30 trees"]
    assert rendered(figure, tmp_path / "margins.png") > 5000
    assert texts_apart(figure)


def test_given_axes_are_drawn_on():
    axes = Figure().subplots()
    assert silva.plot_margins(MODEL.margin_curve(X, Y, stages=30), axes=axes) is axes
    assert len(axes.get_legend().get_texts()) == 1


def test_anything_else_is_refused():
    with pytest.raises(silva.PlanError, match=r"margin_curve\(X, y\)"):
        silva.plot_margins(MODEL)
