"""The picture of stability: all panels, for all kinds of trees, and no text on other text."""

import numpy as np
import pandas as pd
import pytest

import silva
from tests.plot.pictures import rendered, texts_apart


def table_of(n_rows=150, names="plain"):
    rng = np.random.default_rng(1)
    columns = {
        f"{name} of the row" * (2 if names == "long" else 1): rng.normal(size=n_rows)
        for name in ("length", "width", "height", "age")
    }
    table = pd.DataFrame(columns)
    table["kind"] = rng.choice(["red", "green", "blue"], n_rows)
    return table, table.iloc[:, 0] + (table["kind"] == "red") + 0.5 * rng.normal(size=n_rows)


@pytest.mark.parametrize("names", ["plain", "long"])
@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_six_panels(task, names, tmp_path):
    table, signal = table_of(names=names)
    model = silva.TreeRegressor(max_leaf_nodes=12)
    target = signal
    if task == "classes":
        model, target = silva.TreeClassifier(max_leaf_nodes=12), (signal > 0).to_numpy()
    found = silva.stability(model, table, target, samples=12)
    figure = silva.plot_stability(found)
    assert len(figure.axes) == 6
    assert rendered(figure, tmp_path / "six.png") > 20_000
    assert texts_apart(figure)
    curve = figure.axes[2].lines[0].get_ydata()
    assert curve.tolist() == np.sort(found.disagreement)[::-1].tolist()


def test_trees_that_ask_nothing(tmp_path):
    found = silva.stability(silva.TreeClassifier(), [[1.0]] * 10, [0, 1] * 5, samples=4)
    figure = silva.plot_stability(found)
    assert rendered(figure, tmp_path / "nothing.png") > 5000
    assert texts_apart(figure)


def test_linear_leaves(tmp_path):
    table, signal = table_of()
    model = silva.TreeRegressor(max_depth=1, leaf="linear")
    figure = silva.plot_stability(silva.stability(model, table, signal, samples=3))
    assert [text.get_text() for text in figure.axes[5].texts] == ["not measured"]
    assert rendered(figure, tmp_path / "linear.png") > 5000
