"""The picture of a size path: what is drawn, where, and that no text lies on other text."""

import sys

import numpy as np
import pytest
from matplotlib.figure import Figure

import silva
from silva.errors import PlanError
from tests.plot.pictures import rendered, texts_apart


@pytest.fixture(scope="module")
def path():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(300, 3))
    target = (table[:, 0] + 0.7 * rng.normal(size=300) > 0).astype(int)
    half = slice(150), slice(150, None)
    model = silva.TreeClassifier()
    return silva.size_path(
        model, table[half[0]], target[half[0]], 5, X_val=table[half[1]], y_val=target[half[1]]
    )


@pytest.mark.parametrize("against", ["leaves", "depth", "alpha"])
def test_curves_and_marks(path, against, tmp_path):
    figure = silva.plot_size_path(path, against)
    axes = figure.axes[0]
    lines = {line.get_label(): line for line in axes.lines}
    assert lines["training rows"].get_ydata().tolist() == path.train.tolist()
    assert lines["validation rows"].get_ydata().tolist() == path.validation.tolist()
    assert lines["cross-validation, 5 folds"].get_ydata().tolist() == path.cv.tolist()
    mark = lines[f"one standard error: {path.leaves[path.one_se]:,} leaves"]
    assert mark.get_ydata()[0] == path.cv[path.one_se]
    if against == "leaves":
        assert mark.get_xdata()[0] == path.leaves[path.one_se]
    assert rendered(figure, tmp_path / "path.png") > 5000
    assert texts_apart(figure)


def test_own_axes_and_no_folds():
    table = np.arange(20.0)[:, None]
    path = silva.size_path(silva.TreeRegressor(), table, table[:, 0] ** 2, cv=None)
    axes = Figure().subplots()
    assert silva.plot_size_path(path, axes=axes) is axes
    assert [line.get_label() for line in axes.lines] == ["training rows"]
    assert axes.get_ylabel() == "mean squared error"


def test_a_single_leaf_can_be_drawn(tmp_path):
    path = silva.size_path(silva.TreeClassifier(), [[1.0]] * 6, [0, 1] * 3, cv=2)
    for against in ("leaves", "depth", "alpha"):
        assert rendered(silva.plot_size_path(path, against), tmp_path / "leaf.png") > 1000


def test_bad_axis(path):
    with pytest.raises(PlanError, match="against='nodes'"):
        silva.plot_size_path(path, "nodes")


def test_without_matplotlib(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'silva-trees\[plot\]'"):
        silva.plot_size_path(path)
