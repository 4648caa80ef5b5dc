"""The picture of importances: bars, whiskers and dots where the record says."""

import numpy as np
import pandas as pd
import pytest

import silva
from tests.plot.pictures import rendered, texts_apart


def found_of(n_columns=6, long_names=False, **settings):
    rng = np.random.default_rng(0)
    names = [f"column {i}" + " with a very long name indeed" * long_names for i in range(n_columns)]
    table = pd.DataFrame(rng.normal(size=(120, n_columns)), columns=names)
    target = np.exp(table.iloc[:, 0])
    model = silva.ForestRegressor(15, random_state=0).fit(table, target)
    return silva.importance(model, table, target, **settings)


@pytest.mark.parametrize("kind", ["corrected", "impurity", "permutation", "drop_column"])
@pytest.mark.parametrize("long_names", [False, True])
def test_bars_whiskers_and_dots(kind, long_names, tmp_path):
    found = found_of(long_names=long_names, kind=kind)
    figure = silva.plot_importance(found)
    (axes,) = figure.axes
    widths = [bar.get_width() for bar in axes.patches]
    assert widths[::-1] == found.values[found.order].tolist()
    assert axes.lines[0].get_xdata().tolist() == found.each[:, found.order[-1]].tolist()
    assert rendered(figure, tmp_path / "bars.png") > 5000
    assert texts_apart(figure)


def test_only_some_columns_and_a_single_repeat(tmp_path):
    found = found_of(30, kind="drop_column", repeats=1)
    figure = silva.plot_importance(found, most=4)
    assert len(figure.axes[0].patches) == 4
    assert "4 of 30 columns" in figure.axes[0].get_title(loc="left")
    assert rendered(figure, tmp_path / "few.png") > 3000
    assert texts_apart(figure)
    with pytest.raises(silva.PlanError, match="most=0"):
        silva.plot_importance(found, most=0)
