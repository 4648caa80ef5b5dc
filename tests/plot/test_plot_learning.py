"""Impurity curves, the complexity triptych and learning curves: the lines that are drawn."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import silva
from silva.errors import PlanError
from silva.inspect.complexity import complexity_of
from silva.inspect.learning import learning_of
from tests.plot.pictures import rendered, texts_apart

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 4))
Y = np.where(X[:, 0] + 0.7 * RNG.normal(size=200) > 0, "yes", "no")
NUMBERS = 1e6 * X[:, 0] + 1e5 * RNG.normal(size=200)


@pytest.mark.parametrize("rescaled", [False, True])
def test_impurity_curves_are_the_formulas(rescaled, tmp_path):
    axes = silva.plot.impurity_curves(rescaled=rescaled)
    error, gini, entropy = axes.lines
    p = np.linspace(0.0, 1.0, 201)
    assert error.get_xdata() == pytest.approx(p)
    assert error.get_ydata() == pytest.approx(np.minimum(p, 1 - p))
    assert gini.get_ydata() == pytest.approx(2 * p * (1 - p))
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = np.nan_to_num(-p * np.log2(p) - (1 - p) * np.log2(1 - p))
    assert entropy.get_ydata() == pytest.approx(bits / 2 if rescaled else bits)
    assert max(entropy.get_ydata()) == (0.5 if rescaled else 1.0)
    assert rendered(axes.figure, tmp_path / "impurity.png") > 5000
    assert texts_apart(axes.figure)
    with pytest.raises(PlanError, match="rescaled=2"):
        silva.plot.impurity_curves(rescaled=2)


@pytest.mark.parametrize(
    ("model", "target"),
    [(silva.TreeClassifier(), Y), (silva.TreeRegressor(), NUMBERS)],
    ids=["classes", "numbers"],
)
def test_the_triptych_has_the_errors_of_its_record(model, target, tmp_path):
    panels = silva.plot.complexity(model, X, target, cv=3)
    found = complexity_of(model, X, target, cv=3)
    for axes, sweep in zip(panels, found.sweeps, strict=True):
        lines = {line.get_label(): line for line in axes.lines}
        assert lines["training rows"].get_ydata().tolist() == sweep.train.tolist()
        left_out = lines["3 folds, rows left out"]
        assert left_out.get_xdata().tolist() == sweep.values.tolist()
        assert left_out.get_ydata().tolist() == sweep.validation.tolist()
        assert lines["least error"].get_xdata()[0] == sweep.values[sweep.best]
        assert len(axes.collections) == 1
    assert rendered(panels[0].figure, tmp_path / "three.png") > 5000
    assert texts_apart(panels[0].figure)


def test_the_triptych_on_given_axes_and_rows():
    figure = Figure(layout="constrained")
    given = figure.subplots(3, 1)
    panels = silva.plot.complexity(
        silva.TreeClassifier(), X[:50], Y[:50], X[50:], Y[50:], axes=given
    )
    assert panels.tolist() == given.tolist()
    assert "validation rows" in {line.get_label() for line in given[0].lines}
    whole = Figure()
    assert silva.plot.complexity(silva.TreeClassifier(), X, Y, cv=2, axes=whole)[0].figure is whole
    with pytest.raises(PlanError, match=r"axes=a sequence of 2 .* a sequence of 3 matplotlib Axes"):
        silva.plot.complexity(silva.TreeClassifier(), X, Y, cv=2, axes=given[:2])


def test_learning_curves_have_means_and_bands(tmp_path):
    axes = silva.plot.learning_curve(silva.TreeClassifier(), X, Y, cv=3, repeats=2)
    found = learning_of(silva.TreeClassifier(), X, Y, cv=3, repeats=2)
    left_out, training = axes.lines
    assert left_out.get_xdata().tolist() == found.sizes.tolist()
    assert left_out.get_ydata() == pytest.approx(found.test.mean(axis=1))
    assert training.get_ydata() == pytest.approx(found.train.mean(axis=1))
    band = axes.collections[0].get_paths()[0].vertices
    assert band[:, 1].max() == pytest.approx((found.test.mean(1) + found.test.std(1)).max())
    assert "6 fits" in axes.get_title(loc="left")
    assert rendered(axes.figure, tmp_path / "learning.png") > 5000
    assert texts_apart(axes.figure)
    own = Figure().subplots()
    assert silva.plot.learning_curve(silva.TreeRegressor(), X, NUMBERS, own, cv=2) is own


def test_a_constant_target_can_be_drawn(tmp_path):
    same = ["same"] * 40
    for axes in (
        silva.plot.complexity(silva.TreeClassifier(), X[:40], same, cv=2)[0],
        silva.plot.learning_curve(silva.TreeClassifier(), X[:40], same, cv=2),
    ):
        assert rendered(axes.figure, tmp_path / "same.png") > 2000
