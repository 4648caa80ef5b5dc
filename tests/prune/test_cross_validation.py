"""Cost-complexity pruning with its alpha chosen: each tree pruned, each row predicted again."""

from itertools import pairwise

import numpy as np
import pytest

from silva.data.table import Target
from silva.errors import DataError, PlanError
from silva.grow.grow import grow
from silva.leaf import answers
from silva.prune.cost_complexity import CostComplexity, cuts, path, prune
from silva.prune.costs import routed_costs
from silva.prune.cross_validation import folds, path_costs, take
from silva.prune.evidence import Evidence, Rows
from silva.tree import route
from silva.tree.collapse import collapse
from silva.tree.tree import Tree, same
from tests.effort import tries
from tests.prune.prune_cases import PruneCase, random_case
from tests.prune.pruner_oracles import training_judge
from tests.prune.pruning_oracle import slow_path


def growing(case: PruneCase) -> Evidence:
    rows = Rows(case.evidence.table, case.evidence.target)

    def grow_from(chosen: np.ndarray) -> Tree:
        part = take(rows, chosen)
        return grow(part.table, part.target, case.plan)

    return Evidence(table=rows.table, target=rows.target, grow=grow_from)


def error_of(tree: Tree, rows: Rows) -> float:
    """By predicting."""
    nodes = route.leaves(tree, rows.table)
    if tree.task == "classification":
        losses = answers.predict_codes(tree, nodes, rows.table) != rows.target.values
    else:
        losses = (answers.predict_values(tree, nodes, rows.table) - rows.target.values) ** 2
    return float(np.average(losses, weights=rows.target.weights))


@pytest.mark.parametrize("seed", tries(50, 150))
def test_a_path_on_other_rows_is_what_its_trees_predict(seed):
    case = random_case(seed, linear=False)
    rows = Rows(case.evidence.validation_table, case.evidence.validation_target)
    costs, order = routed_costs(case.tree, rows), cuts(case.tree).nodes
    errors = costs.errors(path_costs(case.tree, order, costs))
    for n_cuts, error in enumerate(errors):
        smaller = collapse(case.tree, order[:n_cuts])
        assert error == pytest.approx(error_of(smaller, rows), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("rule", ["min", "1se"])
@pytest.mark.parametrize("seed", tries(14, 40))
def test_the_chosen_alpha(seed, rule):
    case = random_case(seed, n_rows=50)
    evidence = growing(case)
    rows = Rows(evidence.table, evidence.target)
    fold = folds(evidence.target, 5, seed)
    alphas = np.unique(path(case.tree, evidence.target).alphas)
    between = [*(np.sqrt(alphas[:-1]) * np.sqrt(alphas[1:])), np.inf]
    errors = np.zeros((5, len(alphas)))
    for number in range(5):
        tree = evidence.grow(np.flatnonzero(fold != number))
        held_out = take(rows, np.flatnonzero(fold == number))
        errors[number] = [error_of(prune(tree, alpha), held_out) for alpha in between]
    weight = np.ones(50) if rows.target.weights is None else rows.target.weights
    mean = np.average(errors, axis=0, weights=np.bincount(fold[fold >= 0], weight[fold >= 0]))
    deviation = errors.std(axis=0, ddof=1) / np.sqrt(5)
    least = max(np.flatnonzero(mean <= mean.min() + 1e-12))
    limit = mean[least] + (deviation[least] if rule == "1se" else 0.0)
    chosen = max(np.flatnonzero(mean <= limit + 1e-12))
    found = CostComplexity(cv=5, rule=rule, seed=seed)(case.tree, evidence)
    assert found.record.evidence["errors"] == pytest.approx(mean, rel=1e-9, abs=1e-12)
    assert found.record.evidence["deviations"] == pytest.approx(deviation, rel=1e-6, abs=1e-9)
    assert found.record.evidence["chosen"] == chosen
    assert same(found.tree, prune(case.tree, alphas[chosen]))
    assert found.tree.n_leaves == found.record.evidence["leaves"][chosen]


def test_an_alpha_is_taken_as_it_is():
    case = random_case(3)
    for alpha in (0.0, 0.02, 1.0):
        found = CostComplexity(alpha)(case.tree, Evidence(target=case.evidence.target))
        assert same(found.tree, prune(case.tree, alpha))
        saved = sum(step.leaves_before - step.leaves_after for step in found.record.steps)
        assert case.tree.n_leaves - saved == found.tree.n_leaves


def test_classes_are_dealt_out_evenly():
    codes = np.repeat([0, 1, 2], [40, 17, 3]).astype(np.int32)
    fold = folds(Target("classification", codes, np.arange(3), None), 10, 0)
    for code in range(3):
        counts = np.bincount(fold[codes == code], minlength=10)
        assert counts.max() - counts.min() <= 1
    assert np.bincount(fold).tolist() == [6] * 10


def test_rows_without_weight_are_in_no_fold():
    weights = np.array([1.0, 0.0, 2.0, 0.0, 1.0])
    fold = folds(Target("regression", np.arange(5.0), None, weights), 3, 1)
    assert sorted(fold.tolist()) == [-1, -1, 0, 1, 2]


def test_a_class_of_one_row_is_unknown_to_the_tree_without_it():
    case = random_case(5, task="classification", weighted=False, n_rows=40)
    values = case.evidence.target.values.copy()
    values[:] = values % 2
    values[7] = 2
    target = Target("classification", values, np.arange(3), None)
    rare = PruneCase(grow(case.evidence.table, target, case.plan), case.evidence, case.plan)
    rows = Rows(case.evidence.table, target)

    def grow_from(chosen: np.ndarray) -> Tree:
        part = take(rows, chosen)
        return grow(part.table, part.target, case.plan)

    evidence = Evidence(table=rows.table, target=target, grow=grow_from)
    found = CostComplexity(cv=4)(rare.tree, evidence)
    assert found.tree.n_leaves <= rare.tree.n_leaves


@pytest.mark.parametrize(
    "bad",
    [{"alpha": -1.0}, {"alpha": float("nan")}, {"cv": 1}, {"cv": 2.5}, {"rule": "2se"}],
    ids=str,
)
def test_bad_choices(bad):
    with pytest.raises(PlanError, match=next(iter(bad))):
        CostComplexity(**bad)


def test_what_cross_validation_needs():
    case = random_case(1, weighted=False)
    with pytest.raises(PlanError, match="grow"):
        CostComplexity()(case.tree, case.evidence)
    most = CostComplexity(cv=28)(case.tree, growing(case))
    assert same(CostComplexity(cv=29)(case.tree, growing(case)).tree, most.tree)
    other = random_case(2, task=case.tree.task)
    evidence = growing(case)
    wrong = Evidence(table=evidence.table, target=evidence.target, grow=lambda rows: other.tree)
    with pytest.raises(DataError, match=r"Evidence\.grow"):
        CostComplexity()(case.tree, wrong)


@pytest.mark.parametrize("seed", tries(50, 150))
def test_error_complexity_equals_the_slow_path(seed):
    """The oracle computes in fractions; at alphas between its steps the trees are the same."""
    case = random_case(seed, n_rows=20)
    judge = training_judge(case.tree, case.evidence.table, case.evidence.target)
    total = sum(judge.weights)
    risk = [
        sum(judge.weights[row] * judge.loss(row, node) for row in judge.rows_of(node)) / total
        for node in range(case.tree.n_nodes)
    ]
    slow = slow_path(case.tree, risk)
    steps = sorted({step[0] for step in slow})
    middle = [(a + b) / 2 for a, b in pairwise(steps)]
    for alpha in [one for one in (*middle, steps[-1] + 1) if one >= 0]:
        found = CostComplexity(float(alpha), risk="error")(case.tree, case.evidence)
        last = [step for step in slow if step[0] <= alpha][-1]
        assert found.tree.n_leaves == last[2]
        value = found.record.steps[-1].value_after if found.record.steps else None
        assert value is None or value == pytest.approx(float(last[1]), abs=1e-9)
