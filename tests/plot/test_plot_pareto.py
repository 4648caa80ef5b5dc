"""The picture of a Pareto path: three curves, what is proved, no text on other text."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import silva
from silva.errors import PlanError
from tests.plot.pictures import rendered, texts_apart

RNG = np.random.default_rng(0)
X = RNG.random((400, 6))
Y = ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5) ^ (RNG.random(400) < 0.1)).astype(int)


@pytest.fixture(scope="module")
def model():
    return silva.OptimalTreeClassifier(max_depth=3, time_limit=0).fit(X, Y)


def test_curves_of_optimal_greedy_and_pruned_trees(model, tmp_path):
    path = model.pareto_path(max_leaves=4)
    axes = silva.plot.pareto_path(path)
    lines = {line.get_label(): line for line in axes.lines}
    assert lines["optimal, proved"].get_ydata().tolist() == path.errors.tolist()
    assert lines["greedy, best first"].get_ydata().tolist() == path.greedy.errors.tolist()
    assert lines["pruned"].get_xdata().tolist() == path.pruned.leaves.tolist()
    assert "best found" not in lines
    assert axes.get_title("left") == "Least error by number of leaves: all proved"
    assert rendered(axes.figure, tmp_path / "path.png") > 5000
    assert texts_apart(axes.figure)


def test_what_is_not_proved_is_open(model, tmp_path):
    path = model.pareto_path(max_leaves=8, time_limit=0)
    axes = silva.plot.pareto_path(path)
    lines = {line.get_label(): line for line in axes.lines}
    assert len(lines["best found"].get_xdata()) == int((~path.proved).sum()) > 0
    assert any(one.get_label() == "not excluded" for one in axes.collections)
    assert rendered(axes.figure, tmp_path / "path.png") > 5000
    assert texts_apart(axes.figure)


def test_own_axes_and_other_records(model):
    axes = Figure().subplots()
    assert silva.plot.pareto_path(model.pareto_path(max_leaves=2), ax=axes) is axes
    with pytest.raises(PlanError, match=r"path=OptimalTreeClassifier is not possible: give what"):
        silva.plot.pareto_path(model)
