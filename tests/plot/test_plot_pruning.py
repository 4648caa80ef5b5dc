"""Pictures of pruning records: the steps, and the curve that a choice was made from."""

import sys

import numpy as np
import pytest

import silva
from silva.data.schema import Column, Schema
from silva.data.table import Table, Target
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.prune.bottom_up import BottomUp
from silva.prune.cost_complexity import CostComplexity
from silva.prune.cross_validation import take
from silva.prune.evidence import Evidence, Rows
from silva.prune.optimal import MaxLeaves
from silva.prune.pessimistic import Pessimistic
from silva.prune.reduced_error import ReducedError
from tests.plot.pictures import rendered, texts_apart


def drawn(rng, task, n_rows):
    points = rng.normal(size=(n_rows, 3))
    schema = Schema(tuple(Column(name, "continuous") for name in "abc"))
    values = points[:, 0] + 0.7 * rng.normal(size=n_rows)
    table = Table(schema, tuple(points.T), n_rows)
    if task == "regression":
        return table, Target(task, values, None, None)
    return table, Target(task, (values > 0).astype(np.int32), np.arange(2), None)


def case(task):
    rng = np.random.default_rng(0)
    rows, held_out = Rows(*drawn(rng, task, 300)), drawn(rng, task, 200)
    plan = Plan(task, "gini" if task == "classification" else "squared_error")

    def grow_from(chosen):
        part = take(rows, chosen)
        return grow(part.table, part.target, plan)

    tree = grow(rows.table, rows.target, plan)
    return tree, Evidence(rows.table, rows.target, *held_out, grow=grow_from)


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize(
    "pruner", [ReducedError(), ReducedError("bottom_up"), Pessimistic()], ids=str
)
def test_steps(task, pruner, tmp_path):
    record = pruner(*case(task)).record
    figure = silva.plot_pruning(record)
    above, below = figure.axes
    steps = record.steps
    values = above.lines[0].get_ydata()
    assert values.tolist() == [steps[0].value_before, *(step.value_after for step in steps)]
    leaves = below.lines[0].get_ydata()
    assert leaves.tolist() == [record.leaves_before, *(step.leaves_after for step in steps)]
    assert f"{record.leaves_after:,} after pruning" in above.get_title(loc="left")
    assert above.get_ylabel() == record.measure
    raised = [place for place, step in enumerate(steps, 1) if step.action == "raise"]
    assert not raised or above.lines[1].get_xdata().tolist() == raised
    assert rendered(figure, tmp_path / "steps.png") > 5000
    assert texts_apart(figure)


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("rule", ["1se", "min"])
def test_the_curve_of_a_cross_validation(task, rule, tmp_path):
    record = CostComplexity(cv=5, rule=rule)(*case(task)).record
    figure = silva.plot_pruning(record)
    (axes,) = figure.axes
    lines = {str(line.get_label()).split(":")[0]: line for line in axes.lines}
    evidence = record.evidence
    assert lines["cross-validation"].get_ydata().tolist() == evidence["errors"].tolist()
    for name, place in (("chosen", evidence["chosen"]), ("least error", evidence["least"])):
        assert lines[name].get_xdata()[0] == evidence["leaves"][place]
        assert lines[name].get_ydata()[0] == evidence["errors"][place]
    assert record.leaves_after == evidence["leaves"][evidence["chosen"]]
    assert len(axes.collections) == 1
    assert rendered(figure, tmp_path / "curve.png") > 5000
    assert texts_apart(figure)


def test_leaf_sizes_that_were_tried(tmp_path):
    """Each that was not taken is marked by its best tree; the title names the one that was."""
    rng = np.random.default_rng(1)
    points, numbers = rng.random((120, 2)), rng.normal(size=120)
    records = []
    for sizes in ((5, 30), (2, 60)):
        model = silva.TreeRegressor(prune=silva.Auto(cv=4, repeats=1, leaf_sizes=sizes))
        records.append(model.fit(points, numbers + (points[:, 0] > 0.5)).prune_record_)
    for record in records:
        figure = silva.plot_pruning(record)
        (axes,) = figure.axes
        taken, tried = record.evidence["min_samples_leaf"], record.evidence["leaf_sizes"]
        marked = [line for line in axes.lines if line.get_marker() == "D"]
        others = [best for size, best in tried.items() if size != taken]
        assert [line.get_xdata()[0] for line in marked] == [best["leaves"] for best in others]
        assert [line.get_ydata()[0] for line in marked] == [best["error"] for best in others]
        title = axes.get_title(loc="left")
        assert (f"of at least {taken} rows" in title) == (taken is not None)
        assert rendered(figure, tmp_path / "sizes.png") > 5000
        assert texts_apart(figure)


def test_the_best_tree_of_each_size(tmp_path):
    record = MaxLeaves(12)(*case("regression")).record
    figure = silva.plot_pruning(record)
    (axes,) = figure.axes
    assert axes.lines[0].get_xdata().tolist() == record.evidence["leaves"].tolist()
    assert axes.lines[1].get_xdata()[0] == record.leaves_after
    assert axes.get_ylabel() == "training mean squared error"
    assert rendered(figure, tmp_path / "sizes.png") > 5000


def test_nothing_pruned_and_infinite_values(tmp_path):
    tree, evidence = case("classification")
    stump = ReducedError()(tree, evidence).tree
    nothing = CostComplexity(0.0)(stump, evidence).record
    assert "nothing pruned" in silva.plot_pruning(nothing).axes[0].get_title(loc="left")
    few = take(Rows(evidence.table, evidence.target), np.arange(40))
    tree = grow(few.table, few.target, Plan("classification", "gini", min_samples_leaf=1))
    pruner = BottomUp(lambda summary: summary.leaves if summary.leaves < 4 else np.inf, False)
    record = pruner(tree, Evidence()).record
    assert not np.isfinite(record.steps[0].value_before)
    figure = silva.plot_pruning(record)
    assert np.isnan(figure.axes[0].lines[0].get_ydata()[0])
    assert rendered(figure, tmp_path / "infinite.png") > 5000
    assert texts_apart(figure)


def test_without_matplotlib(monkeypatch):
    record = ReducedError()(*case("classification")).record
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'silva-trees\[plot\]'"):
        silva.plot_pruning(record)
