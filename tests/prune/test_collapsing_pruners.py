"""Pruners that only make nodes leaves, against the slow reading of their pseudo-code."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.prune.accuracy_threshold import AccuracyThreshold
from silva.prune.bottom_up import BottomUp, Summary
from silva.prune.bound import GeneralisationBound
from silva.prune.cost_complexity import CostComplexity
from silva.prune.critical_value import CriticalValue
from silva.prune.cross_validation import take
from silva.prune.evidence import Rows
from silva.prune.minimum_error import MinimumError
from silva.prune.optimal import MaxLeaves, best_errors
from silva.prune.pessimistic import Pessimistic
from silva.prune.record import Pruned
from silva.prune.reduced_error import ReducedError
from silva.tree.collapse import collapse
from silva.tree.tree import Tree, same
from tests.prune.prune_cases import PruneCase, blocks, random_case
from tests.prune.pruner_oracles import (
    Cut,
    Judge,
    accuracy_threshold,
    best_of_each_size,
    bottom_up_reduced_error,
    critical_value,
    greedy_reduced_error,
    leaves_of,
    minimum_error,
    training_judge,
    validation_judge,
)

BLOCKS = blocks(1000, 100)


def by_validation(case: PruneCase) -> Judge:
    evidence = case.evidence
    return validation_judge(case.tree, evidence.validation_table, evidence.validation_target)


def by_training(case: PruneCase) -> Judge:
    evidence = case.evidence
    return training_judge(case.tree, evidence.table, evidence.target)


def check(case: PruneCase, found: Pruned, cut: Cut) -> None:
    assert same(found.tree, collapse(case.tree, list(cut)))
    assert found.record.leaves_after == found.tree.n_leaves == len(leaves_of(case.tree, cut))
    check_steps(case, found)


def check_steps(case: PruneCase, found: Pruned) -> None:
    """Steps follow on one another, and end at the tree that was returned."""
    leaves = case.tree.n_leaves
    for step in found.record.steps:
        assert step.leaves_before == leaves
        leaves = step.leaves_after
    assert leaves == found.tree.n_leaves
    for before, after in zip(found.record.steps, found.record.steps[1:], strict=False):
        assert before.value_after == after.value_before


@pytest.mark.parametrize("seeds", BLOCKS, ids=lambda seeds: str(seeds.start))
def test_reduced_error(seeds):
    for seed in seeds:
        case = random_case(seed)
        judge = by_validation(case)
        greedy = ReducedError()(case.tree, case.evidence)
        check(case, greedy, greedy_reduced_error(judge))
        check_values(greedy, judge)
        check(
            case,
            ReducedError("bottom_up")(case.tree, case.evidence),
            bottom_up_reduced_error(judge),
        )


def check_values(found: Pruned, judge: Judge) -> None:
    cut, total = frozenset(), sum(judge.weights)
    for step in found.record.steps:
        assert step.value_before == pytest.approx(float(judge.cost(cut) / total), rel=1e-12)
        cut |= {step.node}
        assert step.value_after == pytest.approx(float(judge.cost(cut) / total), rel=1e-12)
        assert step.value_after <= step.value_before


@pytest.mark.parametrize("seeds", BLOCKS, ids=lambda seeds: str(seeds.start))
def test_accuracy_threshold(seeds):
    for seed in seeds:
        case = random_case(seed)
        threshold = float(np.random.default_rng(seed).choice([0.0, 0.1, 0.25, 1 / 3, 0.5, 1.0]))
        on_training = AccuracyThreshold(threshold)(case.tree, case.evidence)
        on_held_out = AccuracyThreshold(threshold, "validation")(case.tree, case.evidence)
        if threshold != 1 / 3:
            check(case, on_training, accuracy_threshold(by_training(case), threshold))
            check(case, on_held_out, accuracy_threshold(by_validation(case), threshold))


@pytest.mark.parametrize("seeds", BLOCKS, ids=lambda seeds: str(seeds.start))
def test_critical_value_and_max_leaves(seeds):
    for seed in seeds:
        case = random_case(seed, n_rows=16)
        rng = np.random.default_rng(seed)
        gain = float(rng.choice([0.0, 0.05, 0.2, *case.tree.gain]))
        check(case, CriticalValue(gain)(case.tree, case.evidence), critical_value(case.tree, gain))
        if seed % 5 == 0:
            check_max_leaves(case)


@pytest.mark.parametrize("seeds", BLOCKS, ids=lambda seeds: str(seeds.start))
def test_minimum_error(seeds):
    for seed in seeds:
        case = random_case(seed)
        m = float(np.random.default_rng(seed).choice([0.0, 1.0, 2.0, 0.3, 10.0]))
        found = MinimumError(m)(case.tree, case.evidence)
        check(case, found, minimum_error(by_training(case), m))


def check_max_leaves(case: PruneCase) -> None:
    judge = by_training(case)
    if case.tree.n_leaves > 9:
        return
    expected = best_of_each_size(judge)
    total = sum(judge.weights)
    sizes, errors = best_errors(case.tree, case.tree.n_leaves)
    assert sizes.tolist() == sorted(expected)
    found = [float(expected[size] / total) for size in sorted(expected)]
    assert errors == pytest.approx(found, rel=1e-9, abs=1e-12)
    for most in range(1, case.tree.n_leaves + 1):
        pruned = MaxLeaves(most)(case.tree, case.evidence)
        check_steps(case, pruned)
        allowed = [float(expected[size]) for size in expected if size <= most]
        cut = frozenset(step.node for step in pruned.record.steps)
        assert float(judge.cost(cut)) == pytest.approx(min(allowed), rel=1e-9, abs=1e-9)
        assert pruned.tree.n_leaves <= most


def estimate(summary: Summary) -> float:
    return summary.errors + 0.02 * summary.leaves


COLLAPSING = [
    ReducedError(),
    ReducedError("bottom_up"),
    AccuracyThreshold(0.1),
    AccuracyThreshold(0.05, "validation"),
    CriticalValue(0.1),
    MinimumError(),
    MinimumError(20.0),
    Pessimistic(raising=False),
    BottomUp(estimate, raising=False),
    CostComplexity(0.02),
    CostComplexity(0.02, risk="error"),
    CostComplexity(cv=3),
    CostComplexity(cv=3, rule="min", risk="error"),
    MaxLeaves(5),
]
BOUNDS = [
    GeneralisationBound(raising=False, form="textbook"),
    GeneralisationBound(raising=False, form="fixed", n_tests=4),
]


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("seeds", blocks(120, 20), ids=str)
def test_optimal_pruning_dominates_every_pruner_that_collapses(seeds, task):
    """At equal leaves, on the training error."""
    for seed in seeds:
        case = random_case(seed, task, weighted=None if seed % 3 else False, n_rows=50)
        rows = Rows(case.evidence.table, case.evidence.target)
        evidence = replace(case.evidence, grow=partial(grown_from, rows, case.plan))
        judge = by_training(case)
        sizes, errors = best_errors(case.tree, case.tree.n_leaves)
        best = dict(zip(sizes.tolist(), errors.tolist(), strict=True))
        has_bounds = task == "classification" and rows.target.weights is None
        for pruner in [*COLLAPSING, *(BOUNDS if has_bounds else [])]:
            found = pruner(case.tree, evidence)
            assert {step.action for step in found.record.steps} <= {"collapse"}
            cut = frozenset(step.node for step in found.record.steps)
            assert same(found.tree, collapse(case.tree, list(cut)))
            error = float(judge.cost(cut) / sum(judge.weights))
            assert best[found.tree.n_leaves] <= error + 1e-9 * (1 + error)


def grown_from(rows: Rows, plan: Plan, chosen: np.ndarray) -> Tree:
    part = take(rows, chosen)
    return grow(part.table, part.target, plan)
