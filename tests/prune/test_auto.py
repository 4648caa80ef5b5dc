"""The automatic choice: its paths against slow ones, its judgement by pruning and predicting."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from silva.data.schema import Column, Schema
from silva.data.table import Table, Target
from silva.errors import DataError, PlanError
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.leaf import answers
from silva.prune.auto import Auto
from silva.prune.cost_complexity import CostComplexity
from silva.prune.cross_validation import dealt, take
from silva.prune.evidence import Evidence, Rows
from silva.prune.minimum_error import MinimumError
from silva.prune.names import pruner_of
from silva.prune.risks import paths
from silva.tree import route, stats
from silva.tree.collapse import collapse
from silva.tree.tree import Tree, same
from tests.effort import tries
from tests.prune.prune_cases import PruneCase, random_case
from tests.prune.pruner_oracles import m_estimate, training_judge, weight_of
from tests.prune.pruning_oracle import slow_path


def growing(case: PruneCase) -> Evidence:
    return evidence_of(case.evidence.table, case.evidence.target, case.plan)


def evidence_of(table: Table, target: Target, plan: Plan) -> Evidence:
    rows = Rows(table, target)

    def grow_from(chosen: np.ndarray) -> Tree:
        part = take(rows, chosen)
        return grow(part.table, part.target, plan)

    return Evidence(table=table, target=target, grow=grow_from)


def lost_by(tree: Tree, rows: Rows) -> np.ndarray:
    """By predicting: one loss a row."""
    nodes = route.leaves(tree, rows.table)
    if tree.task == "classification":
        codes = answers.predict_codes(tree, nodes, rows.table)
        return np.asarray(codes != rows.target.values, float)
    return np.square(answers.predict_values(tree, nodes, rows.table) - rows.target.values)


def weights_of(target: Target) -> np.ndarray:
    return np.ones(len(target.values)) if target.weights is None else target.weights


def trees_of(tree: Tree, path, alphas: np.ndarray) -> list[Tree]:
    """One for each alpha; alphas between the same steps have the same one."""
    collapsed = cache(lambda cut: collapse(tree, path.nodes[np.frombuffer(cut, bool)]))
    return [collapsed((path.alphas <= alpha).tobytes()) for alpha in alphas]


def upper_limit(n: float, errors: float, confidence: float = 0.25) -> float:
    """C4.5's estimate as the documentation states it."""
    z = 0.25 + (0.84 - 0.25) * (0.40 - confidence) / (0.40 - 0.20)
    if errors == 0:
        return n * (1 - confidence ** (1 / n))
    if errors < 1:
        none, one = upper_limit(n, 0.0), upper_limit(n, 1.0)
        return none + errors * (one - none)
    if errors + 0.5 >= n:
        return errors + 0.67 * (n - errors)
    half = errors + 0.5
    root = np.sqrt(half * (1 - half / n) + z * z / 4)
    return n * (half + z * z / 2 + z * root) / (n + z * z)


def upper_squares(n: float, share: float, confidence: float = 0.25) -> float:
    if n <= 1:
        return 1e6
    return min(1e6, (n + 1) * share / chi2.ppf(confidence, n - 1))


def slow_costs(case: PruneCase, risk: str) -> list[Fraction]:
    """What each node costs as a leaf, by rows."""
    judge = training_judge(case.tree, case.evidence.table, case.evidence.target)
    nodes, total = range(case.tree.n_nodes), sum(judge.weights)
    if risk.startswith("m = "):
        m = float(risk[4:])
        return [m_estimate(judge, node, m) * weight_of(judge, node) / total for node in nodes]
    lost = [
        sum(judge.weights[r] * judge.loss(r, node) for r in judge.rows_of(node)) for node in nodes
    ]
    if risk == "error":
        return [one / total for one in lost]
    n = [float(weight_of(judge, node)) for node in nodes]
    if case.tree.task == "classification":
        limits = [upper_limit(n[node], float(lost[node])) / float(total) for node in nodes]
    else:
        root = float(lost[0]) or 1.0
        limits = [upper_squares(n[node], float(lost[node]) / root) for node in nodes]
    return [Fraction(one) for one in limits]


@pytest.mark.parametrize("risk", ["error", "m = 2", "m = 8", "confidence 0.25"])
@pytest.mark.parametrize("seed", tries(20, 60))
def test_paths_equal_the_slow_ones(seed, risk):
    """At alphas between its steps; near steps are one, for limits are no exact numbers."""
    case = random_case(seed, n_rows=20)
    found = paths(case.tree).get(risk)
    if found is None:
        assert case.tree.criterion in ("squared_error", "error")
        return
    slow = slow_path(case.tree, slow_costs(case, risk))
    steps = sorted({max(float(step[0]), 0.0) for step in slow})
    for a, b in [*pairwise(steps), (steps[-1], steps[-1] + 2)]:
        if b - a > 1e-7 * (1 + b):
            alpha = (a + b) / 2
            last = max(place for place, step in enumerate(slow) if step[0] <= alpha)
            cuts = int(found.cuts_until(alpha))
            assert case.tree.n_leaves - found.leaves[:cuts].sum() == slow[last][2]


@pytest.mark.parametrize("m", [2.0, 8.0])
@pytest.mark.parametrize("seed", range(30))
def test_a_path_begins_where_its_pruner_ends(seed, m):
    case = random_case(seed)
    path = paths(case.tree)[f"m = {m:g}"]
    first = collapse(case.tree, path.nodes[path.alphas == 0.0])
    assert same(first, MinimumError(m)(case.tree, case.evidence).tree)


@pytest.mark.parametrize("seed", tries(14, 40))
def test_the_choice_by_cross_validation(seed):
    case = random_case(seed, n_rows=40)
    evidence, rows = growing(case), Rows(case.evidence.table, case.evidence.target)
    of_tree, lost = paths(case.tree), {}
    weights = weights_of(rows.target)
    for fold in dealt(rows.target, 4, 2, seed):
        for number in range(4):
            tree = evidence.grow(np.flatnonzero(fold != number))
            held_out = take(rows, np.flatnonzero(fold == number))
            for risk, path in paths(tree).items():
                trees = trees_of(tree, path, of_tree[risk].between)
                sums = [lost_by(one, held_out) @ weights[fold == number] for one in trees]
                lost[risk] = lost.get(risk, 0.0) + np.array(sums)
    errors = {risk: found / (2 * weights.sum()) for risk, found in lost.items()}
    pruned = Auto(cv=4, repeats=2, seed=seed)(case.tree, evidence)
    told = pruned.record.evidence
    for risk, found in errors.items():
        assert told["paths"][risk]["errors"] == pytest.approx(found, rel=1e-9, abs=1e-12)
    least = min(found.min() for found in errors.values())
    ties = [
        one.n_leaves
        for risk, found in errors.items()
        for one, error in zip(
            trees_of(case.tree, of_tree[risk], of_tree[risk].starts), found, strict=True
        )
        if error <= least * (1 + 1e-8)
    ]
    assert pruned.tree.n_leaves == min(ties)
    check_record(case.tree, pruned)


def check_record(tree: Tree, pruned) -> None:
    told, record = pruned.record.evidence, pruned.record
    assert told["leaves"][told["chosen"]] == pruned.tree.n_leaves == record.leaves_after
    assert told["errors"][told["chosen"]] <= told["errors"].min() * (1 + 1e-8)
    assert len(told["alphas"]) == len(told["leaves"]) == len(told["deviations"])
    assert same(collapse(tree, [step.node for step in record.steps]), pruned.tree)
    for before, after in pairwise(record.steps):
        assert before.leaves_after == after.leaves_before
        assert before.value_after == after.value_before


@pytest.mark.parametrize("seed", tries(14, 40))
def test_validation_rows_judge_if_they_are_given(seed):
    """They judge what leaves of constants predict: linear models are fitted after pruning."""
    case = random_case(seed)
    rows = Rows(case.evidence.validation_table, case.evidence.validation_target)
    weights = weights_of(rows.target)
    pruned = Auto()(case.tree, case.evidence)
    trials = [
        (lost_by(replace(one, linear=None), rows) @ weights / weights.sum(), one.n_leaves)
        for path in paths(case.tree).values()
        for one in trees_of(case.tree, path, path.starts)
    ]
    least = min(error for error, _ in trials)
    assert pruned.tree.n_leaves == min(n for error, n in trials if error <= least * (1 + 1e-8))
    error = lost_by(replace(pruned.tree, linear=None), rows) @ weights / weights.sum()
    assert error == pytest.approx(least, rel=1e-8, abs=1e-12)
    check_record(case.tree, pruned)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), n_rows=st.integers(2, 30), cv=st.integers(2, 12))
def test_any_small_table(seed, n_rows, cv):
    case = random_case(seed, n_rows=n_rows)
    evidence = growing(case)
    pruned = Auto(cv=cv, repeats=2, seed=seed)(case.tree, evidence)
    check_record(case.tree, pruned)
    assert same(Auto(cv=cv, repeats=2, seed=seed)(case.tree, evidence).tree, pruned.tree)


def test_one_class_leaves_nothing_to_prune():
    column = np.arange(5.0)
    table = Table(Schema((Column("x", "continuous"),)), (column,), 5)
    target = Target("classification", np.zeros(5, np.int32), np.array(["a"]), None)
    plan = Plan("classification", "gini")
    pruned = Auto()(grow(table, target, plan), evidence_of(table, target, plan))
    assert pruned.tree.n_leaves == 1
    assert "nothing to prune" in str(pruned.record)


def test_noise_is_pruned_away_and_signal_stays():
    rng = np.random.default_rng(0)
    columns = (rng.random(400), rng.random(400))
    table = Table(Schema((Column("a", "continuous"), Column("b", "continuous"))), columns, 400)
    codes = ((columns[0] > 0.5) ^ (rng.random(400) < 0.2)).astype(np.int32)
    target = Target("classification", codes, np.arange(2), None)
    plan = Plan("classification", "gini")
    tree = grow(table, target, plan)
    pruned = Auto()(tree, evidence_of(table, target, plan))
    assert tree.n_leaves > 50
    assert 2 <= pruned.tree.n_leaves <= 8
    assert stats.node_rows(pruned.tree)[0] == 400


def test_many_rows_are_dealt_out_less_often(monkeypatch):
    monkeypatch.setattr("silva.prune.auto.ROWS_JUDGED", 90)
    case = random_case(2, n_rows=40)
    often, twice = (Auto(cv=3, repeats=n)(case.tree, growing(case)) for n in (9, 2))
    assert same(often.tree, twice.tree)
    assert np.array_equal(often.record.evidence["errors"], twice.record.evidence["errors"])


def test_folds_dealt_out_again_for_cost_complexity():
    """Every deal judges every row once, so that the error is the mean of those of the deals."""
    case = random_case(4, n_rows=40)
    rows = Rows(case.evidence.table, case.evidence.target)
    evidence = growing(case)
    once = CostComplexity(cv=4, seed=7)(case.tree, evidence).record.evidence
    often = CostComplexity(cv=4, seed=7, repeats=3)(case.tree, evidence).record.evidence
    deals = dealt(rows.target, 4, 3, 7)
    assert np.array_equal(deals[0], dealt(rows.target, 4, 1, 7)[0])
    assert len({deal.tobytes() for deal in deals}) == 3
    assert np.array_equal(once["alphas"], often["alphas"])
    assert not np.array_equal(once["errors"], often["errors"])


def test_the_name():
    assert pruner_of("auto", seed=3) == Auto(seed=3)


@pytest.mark.parametrize("bad", [{"cv": 1}, {"cv": 2.5}, {"repeats": 0}, {"seed": -1}], ids=str)
def test_bad_choices(bad):
    with pytest.raises(PlanError, match=next(iter(bad))):
        Auto(**bad)


def test_what_it_needs():
    case = random_case(1)
    rows = Evidence(table=case.evidence.table, target=case.evidence.target)
    with pytest.raises(PlanError, match="validation rows"):
        Auto()(case.tree, rows)
    with pytest.raises(PlanError, match="held out"):
        Auto()(case.tree, Evidence(validation_table=case.evidence.validation_table))
    other = random_case(2, task=case.tree.task)
    wrong = Evidence(table=rows.table, target=rows.target, grow=lambda chosen: other.tree)
    with pytest.raises(DataError, match=r"Evidence\.grow"):
        Auto()(case.tree, wrong)
