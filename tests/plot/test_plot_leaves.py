"""Leaves: bars, boxes and cells where the table of leaves says."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import silva
from silva.errors import DataError, PlanError
from silva.inspect.leaf_table import leaf_table
from tests.plot.pictures import rendered, texts_apart

RNG = np.random.default_rng(0)
LONG = "a column with a name that is far too long for the place beside a bar"
FRAME = pd.DataFrame({LONG: RNG.normal(size=300), "$c$": RNG.choice(["x", "y $5$"], 300)})
FRAME.iloc[::9, 0] = np.nan
NUMBERS = FRAME[LONG].fillna(1.0) + (FRAME["$c$"] == "x") + 0.5 * RNG.normal(size=300)
NAMES = np.array(["a class of a very long name", "b", "c"])
CLASSES = NAMES[np.digitize(NUMBERS, [0.0, 1.0])]
TREE = silva.TreeClassifier(max_depth=5).fit(FRAME, CLASSES)
NUMBER_TREE = silva.TreeRegressor(max_depth=4).fit(FRAME, NUMBERS)


@pytest.mark.parametrize("rows", [(), (FRAME[:80], CLASSES[:80])], ids=["training", "given"])
def test_bars_are_class_counts_and_the_limit_is_said(rows, tmp_path):
    axes = silva.plot.leaf_distributions(TREE, *rows, max_leaves=7)
    table = leaf_table(TREE, *rows)
    widths = np.array([bar.get_width() for bar in axes.patches]).reshape(3, 7)
    assert widths.T.tolist() == table.counts[:7, :3].tolist()
    assert f"7 largest of {len(table)} leaves" in axes.get_title(loc="left")
    assert axes.get_xlabel() == "rows"
    assert rendered(axes.figure, tmp_path / "bars.png") > 5000
    assert texts_apart(axes.figure)


def test_weights_unseen_classes_and_models_in_leaves(tmp_path):
    target = [*CLASSES[:40], *["new"] * 20]
    axes = silva.plot.leaf_distributions(TREE, FRAME[:60], target, sample_weight=np.full(60, 0.25))
    assert axes.get_xlabel() == "weight of rows"
    assert axes.get_legend().get_texts()[-1].get_text() == "unseen class"
    linear = silva.TreeClassifier(max_depth=2, leaf="linear").fit(FRAME, CLASSES)
    for axes in (
        silva.plot.leaf_distributions(linear),
        silva.plot.confusion_by_leaf(linear, FRAME, CLASSES),
    ):
        assert rendered(axes.figure, tmp_path / "linear.png") > 5000
        assert texts_apart(axes.figure)


def test_boxes_are_quartiles(tmp_path):
    axes = silva.plot.leaf_distributions(NUMBER_TREE, FRAME, NUMBERS)
    table = leaf_table(NUMBER_TREE, FRAME, NUMBERS)
    shown = min(12, len(table))
    spans = [(box.get_x(), box.get_x() + box.get_width()) for box in axes.patches]
    assert np.allclose(spans, table.quantiles[:shown, [1, 3]])
    mean = next(line for line in axes.lines if line.get_label() == "mean")
    assert mean.get_xdata().tolist() == table.mean[:shown].tolist()
    assert rendered(axes.figure, tmp_path / "boxes.png") > 5000
    assert texts_apart(axes.figure)


def test_training_rows_of_numbers_have_mean_and_deviation(tmp_path):
    axes = silva.plot.leaf_distributions(NUMBER_TREE, max_leaves=5)
    mean = next(line for line in axes.lines if line.get_label() == "mean")
    assert mean.get_xdata().tolist() == leaf_table(NUMBER_TREE).mean[:5].tolist()
    assert rendered(axes.figure, tmp_path / "means.png") > 5000
    assert texts_apart(axes.figure)


def test_cells_are_counts_and_predictions_have_a_frame(tmp_path):
    axes = silva.plot.confusion_by_leaf(TREE, FRAME, CLASSES, max_leaves=6)
    table = leaf_table(TREE, FRAME, CLASSES)
    counts = table.counts[:6, :3]
    shares = axes.images[0].get_array()
    assert np.allclose(shares, counts / counts.sum(axis=1, keepdims=True))
    told = {(text.get_position()): text.get_text() for text in axes.texts}
    wanted = {(j, i): f"{n:.0f}" for (i, j), n in np.ndenumerate(counts) if n}
    assert told == wanted
    framed = [round(frame.get_x() + 0.47) for frame in axes.patches]
    assert framed == table.codes[:6].tolist()
    assert rendered(axes.figure, tmp_path / "cells.png") > 5000
    assert texts_apart(axes.figure)


def test_one_leaf_twelve_classes_and_a_stump(tmp_path):
    same = silva.TreeClassifier().fit(FRAME, ["same"] * 300)
    stump = silva.StumpRegressor().fit(FRAME, NUMBERS)
    table = RNG.normal(size=(300, 1))
    target = np.digitize(table[:, 0], np.linspace(-2, 2, 11))
    many = silva.TreeClassifier().fit(table, target)
    for axes in (
        silva.plot.leaf_distributions(same),
        silva.plot.leaf_distributions(silva.TreeRegressor().fit(FRAME, [3.0] * 300)),
        silva.plot.leaf_distributions(stump, FRAME, NUMBERS),
        silva.plot.leaf_distributions(many),
        silva.plot.confusion_by_leaf(same, FRAME, ["same"] * 299 + ["new"]),
        silva.plot.confusion_by_leaf(many, table, target),
    ):
        assert rendered(axes.figure, tmp_path / "odd.png") > 1500
        assert texts_apart(axes.figure)


def test_given_axes_and_what_is_refused():
    axes = Figure().subplots()
    assert silva.plot.leaf_distributions(TREE, ax=axes) is axes
    assert silva.plot.confusion_by_leaf(TREE, FRAME, CLASSES, axes) is axes
    forest = silva.ForestClassifier(3).fit(FRAME, CLASSES)
    with pytest.raises(PlanError, match=r"leaf_distributions needs one tree.*silva\.distil"):
        silva.plot.leaf_distributions(forest)
    with pytest.raises(PlanError, match="predicts numbers"):
        silva.plot.confusion_by_leaf(NUMBER_TREE, FRAME, NUMBERS)
    with pytest.raises(DataError, match="y is missing"):
        silva.plot.confusion_by_leaf(TREE, FRAME, None)
    with pytest.raises(PlanError, match="max_leaves=0"):
        silva.plot.leaf_distributions(TREE, max_leaves=0)
