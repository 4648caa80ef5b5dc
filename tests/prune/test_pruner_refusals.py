"""What pruners refuse, in words that name the pruner, what was seen and the way out."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from silva.data.schema import Column, Schema
from silva.data.table import Table, Target
from silva.errors import DataError, DataWarning, PlanError
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.leaf.choice import LinearLeaf
from silva.leaf.fit import fit_leaves
from silva.prune.accuracy_threshold import AccuracyThreshold
from silva.prune.bottom_up import BottomUp
from silva.prune.bound import GeneralisationBound
from silva.prune.cost_complexity import CostComplexity
from silva.prune.critical_value import CriticalValue
from silva.prune.evidence import Evidence
from silva.prune.minimum_error import MinimumError
from silva.prune.optimal import MaxLeaves
from silva.prune.pessimistic import Pessimistic
from silva.prune.reduced_error import ReducedError
from silva.tree.tree import same
from tests.prune.prune_cases import PruneCase, random_case


def leaves(summary) -> float:
    return float(summary.leaves)


EVERY = [
    ReducedError(),
    ReducedError("bottom_up"),
    AccuracyThreshold(),
    AccuracyThreshold(on="validation"),
    BottomUp(leaves),
    GeneralisationBound(),
    GeneralisationBound(form="textbook"),
    Pessimistic(),
    MinimumError(),
    CostComplexity(0.1),
    CriticalValue(0.1),
    MaxLeaves(1),
]


def classes(seed: int = 0, **choices) -> PruneCase:
    choices |= {"single_columns": True, "linear": False}
    return random_case(seed, task="classification", weighted=False, **choices)


@pytest.mark.parametrize("pruner", EVERY, ids=lambda pruner: type(pruner).__name__)
def test_a_single_leaf_stays_as_it_is(pruner):
    case = classes(3)
    target = replace(case.evidence.target, values=np.zeros(28, np.int32))
    tree = grow(case.evidence.table, target, case.plan)
    assert tree.n_nodes == 1
    found = pruner(tree, replace(case.evidence, target=target))
    assert same(found.tree, tree)
    assert found.record.steps == ()
    assert "nothing to prune" in str(found.record)


@pytest.mark.parametrize("pruner", EVERY, ids=lambda pruner: type(pruner).__name__)
def test_a_stump_is_kept_or_becomes_a_leaf(pruner):
    case = classes(4)
    tree = grow(case.evidence.table, case.evidence.target, replace(case.plan, max_depth=1))
    found = pruner(tree, case.evidence)
    assert found.tree.n_leaves in (1, tree.n_leaves)
    assert pickle.loads(pickle.dumps(found.record.steps)) == found.record.steps


@pytest.mark.parametrize("pruner", [ReducedError(), AccuracyThreshold(on="validation")], ids=str)
def test_no_validation_rows(pruner):
    case = classes()
    name = type(pruner).__name__
    with pytest.raises(PlanError, match=f"{name}.*validation_table"):
        pruner(case.tree, Evidence(table=case.evidence.table, target=case.evidence.target))
    schema = case.tree.schema
    none = Table(schema, tuple(np.zeros(0, np.int32) for _ in schema.columns), 0)
    empty = Target("classification", np.zeros(0, np.int32), np.arange(3), None)
    with pytest.raises(DataError, match="no validation rows"):
        pruner(case.tree, Evidence(validation_table=none, validation_target=empty))


def test_validation_rows_that_do_not_fit():
    case = classes()
    table, target = case.evidence.validation_table, case.evidence.validation_target
    evidence = case.evidence
    other = Schema((*case.tree.schema.columns[:-1], Column("other", "continuous")))
    wrong = {
        "other columns": {"validation_table": replace(table, schema=other)},
        "other classes": {"validation_target": replace(target, classes=np.arange(1, 4))},
        "for regression": {"validation_target": Target("regression", np.zeros(16), None, None)},
        "but 3 targets": {"validation_target": replace(target, values=target.values[:3])},
    }
    for words, change in wrong.items():
        with pytest.raises(DataError, match=words):
            ReducedError()(case.tree, replace(evidence, **change))


def test_classes_that_training_did_not_see():
    case = classes()
    target = case.evidence.validation_target
    some = replace(target, values=np.where(np.arange(16) < 3, -1, target.values).astype(np.int32))
    with pytest.warns(DataWarning, match="3 validation rows of 16"):
        found = ReducedError()(case.tree, replace(case.evidence, validation_target=some))
    without = np.arange(16) >= 3
    known = replace(target, weights=without.astype(float))
    expected = ReducedError()(case.tree, replace(case.evidence, validation_target=known))
    assert same(found.tree, expected.tree)
    none = replace(target, values=np.full(16, -1, np.int32))
    with pytest.raises(DataError, match="no validation row has a class"):
        ReducedError()(case.tree, replace(case.evidence, validation_target=none))


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, float("nan"), "0.05", None])
def test_delta_outside_its_range(delta):
    with pytest.raises(PlanError, match="delta="):
        GeneralisationBound(delta)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ReducedError("sideways"),
        lambda: AccuracyThreshold(-0.1),
        lambda: AccuracyThreshold(1.5),
        lambda: AccuracyThreshold(on="test"),
        lambda: BottomUp(3.0),
        lambda: GeneralisationBound(form="fixed"),
        lambda: GeneralisationBound(n_tests=5),
        lambda: GeneralisationBound(form="fixed", n_tests=0),
        lambda: Pessimistic(0.0),
        lambda: Pessimistic(1.0),
        lambda: MinimumError(-1.0),
        lambda: MinimumError(float("inf")),
        lambda: CriticalValue(-1.0),
        lambda: CriticalValue(float("nan")),
        lambda: MaxLeaves(0),
        lambda: MaxLeaves(2.5),
    ],
)
def test_bad_settings(make):
    with pytest.raises(PlanError, match="is not possible"):
        make()


@pytest.mark.parametrize("value", [float("nan"), None, "1", 1j])
def test_a_function_that_returns_no_number(value):
    case = classes()
    with pytest.raises(PlanError, match="f returned"):
        BottomUp(lambda summary: value, raising=False)(case.tree, case.evidence)


def test_infinity_rules_trees_out():
    case = classes(n_rows=60)
    limit = case.tree.n_leaves // 2
    found = BottomUp(lambda s: s.errors if s.leaves <= limit else float("inf"))
    assert found(case.tree, case.evidence).tree.n_leaves <= limit


@pytest.mark.parametrize(
    "pruner", [BottomUp(leaves), Pessimistic(), GeneralisationBound()], ids=lambda p: type(p)
)
def test_raising_needs_the_training_rows(pruner):
    case = classes()
    with pytest.raises(PlanError, match=r"raising=True.*raising=False"):
        pruner(case.tree, Evidence())
    replace(pruner, raising=False)(case.tree, Evidence())
    others = Evidence(table=case.evidence.table, target=case.evidence.target)
    wrong = random_case(77, task="classification", weighted=False, n_rows=28)
    moved = replace(wrong.evidence.table, schema=case.tree.schema)
    with pytest.raises(DataError, match="not the rows that the tree was grown from"):
        pruner(case.tree, replace(others, table=moved))


def test_the_bound_is_refused_for_numbers_and_weights():
    numbers = random_case(1, task="regression")
    with pytest.raises(PlanError, match="no upper end"):
        GeneralisationBound()(numbers.tree, numbers.evidence)
    weighted = random_case(1, task="classification", weighted=True)
    with pytest.raises(PlanError, match="weights"):
        GeneralisationBound(form="textbook")(weighted.tree, weighted.evidence)


@pytest.mark.parametrize("splits", ["oblique", "distance"])
def test_the_compression_form_is_refused_for_projections(splits):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(200, 2))
    schema = Schema((Column("a", "continuous"), Column("b", "continuous")))
    table = Table(schema, tuple(points.T), 200)
    inside = points.sum(axis=1) > 0 if splits == "oblique" else (points**2).sum(axis=1) < 1
    target = Target("classification", inside.astype(np.int32), np.arange(2), None)
    tree = grow(table, target, Plan("classification", "gini", splits=splits))
    evidence = Evidence(table=table, target=target)
    with pytest.raises(PlanError, match=splits):
        GeneralisationBound()(tree, evidence)
    assert GeneralisationBound(form="textbook")(tree, evidence).tree.n_leaves >= 1


@pytest.mark.parametrize(
    "pruner",
    [BottomUp(leaves), Pessimistic(), GeneralisationBound(form="textbook")],
    ids=lambda pruner: type(pruner).__name__,
)
def test_subtrees_with_linear_leaves_are_not_raised(pruner):
    case = classes(n_rows=60)
    rows = (case.evidence.table, case.evidence.target)
    tree = fit_leaves(case.tree, *rows, LinearLeaf())
    with pytest.raises(PlanError, match="linear leaves are not raised"):
        pruner(tree, case.evidence)
    found = replace(pruner, raising=False)(tree, case.evidence)
    plain = replace(case.tree, smoothing=None)
    constant = replace(pruner, raising=False)(plain, case.evidence)
    assert same(replace(found.tree, linear=None), constant.tree)
    assert found.tree.linear is not None


def test_one_training_row():
    case = classes(n_rows=1)
    assert case.tree.n_nodes == 1
    for pruner in EVERY:
        assert same(pruner(case.tree, case.evidence).tree, case.tree)


def test_a_table_too_large_is_refused_before_it_is_made(monkeypatch):
    case = classes(n_rows=60)
    monkeypatch.setattr("silva.prune.optimal.MOST_ENTRIES", 10)
    with pytest.raises(PlanError, match="fewer leaves"):
        MaxLeaves(20)(case.tree, case.evidence)
