"""Cost-complexity pruning: by hand, against the slow oracle, and against scikit-learn."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from silva.data.schema import Column, Schema
from silva.data.table import Table, Target
from silva.errors import PlanError
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.prune.cost_complexity import path, prune
from silva.tree import stats
from silva.tree.builder import TreeBuilder
from silva.tree.splits import Threshold
from silva.tree.tree import Tree, same
from tests.prune.pruning_oracle import slow_path


def table(columns: np.ndarray) -> Table:
    names = [Column(f"x{i}", "continuous") for i in range(columns.shape[1])]
    return Table(Schema(tuple(names)), tuple(columns.T), len(columns))


def class_target(codes: np.ndarray, weights: np.ndarray | None = None) -> Target:
    return Target("classification", codes.astype(np.int32), np.unique(codes), weights)


def number_target(values: np.ndarray, weights: np.ndarray | None = None) -> Target:
    return Target("regression", values, None, weights)


def random_rows(seed: int, n_rows: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(n_rows, 3))
    return columns, columns[:, 0] + 0.5 * rng.normal(size=n_rows)


def risk(tree: Tree) -> np.ndarray:
    weight = stats.node_weight(tree)
    return stats.node_impurity(tree) * weight / weight[0]


def chain(gains: list[float]) -> Tree:
    """A tree whose node i has a leaf on the left and the next node on the right."""
    schema = Schema((Column("x", "continuous"),))
    builder = TreeBuilder(schema, "classification", np.array(["a", "b"]))
    parent = None
    for place, gain in enumerate(gains):
        split = Threshold(0, float(place), 0, 0)
        parent, above = builder.add_split(parent, 1, split, gain), parent
        builder.add_leaf(parent, 0, rows=1, stats={place % 2: 1})
        assert above is None or above < parent
    builder.add_leaf(parent, 1, rows=1, stats={0: 1})
    return builder.finish()


def test_a_stump_is_cut_at_its_gain():
    tree = chain([0.5])
    found = path(tree)
    assert found.alphas.tolist() == [0.0, 0.5]
    assert found.impurities.tolist() == [0.0, 0.5]
    assert found.n_leaves.tolist() == [2, 1]
    assert found.nodes.tolist() == [0]


def test_a_node_absorbs_stronger_cuts_below_it():
    """Weights 3 and 2: savings 0.1 and 0.6 give the root 0.35 a leaf, weaker than its child."""
    found = path(chain([0.1, 0.9]))
    assert found.nodes.tolist() == [0]
    assert found.alphas == pytest.approx([0.0, 0.35])


def test_weak_cuts_come_first():
    found = path(chain([0.4, 0.15]))
    assert found.nodes.tolist() == [2, 0]
    assert found.alphas == pytest.approx([0.0, 0.1, 0.4])
    assert found.n_leaves.tolist() == [3, 2, 1]


def test_equal_strengths_cut_the_upper_node_only():
    found = path(chain([0.25, 0.375]))
    assert found.nodes.tolist() == [0]
    assert found.alphas.tolist() == [0.0, 0.25]


def test_a_single_leaf_has_nothing_to_cut():
    tree = grow(
        table(np.zeros((3, 1))), class_target(np.array([0, 1, 1])), Plan("classification", "gini")
    )
    found = path(tree)
    assert found.alphas.tolist() == [0.0]
    assert found.impurities == pytest.approx([4 / 9])
    assert prune(tree, 1.0).n_nodes == 1


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error"])
@pytest.mark.parametrize("seed", range(4))
def test_classification_equals_the_slow_path(criterion, seed):
    columns, values = random_rows(seed)
    weights = np.random.default_rng(seed).uniform(0.5, 2.0, len(values))
    target = class_target(np.digitize(values, [-0.5, 0.5]), weights)
    check_against_slow_path(grow(table(columns), target, Plan("classification", criterion)))


@pytest.mark.parametrize("seed", range(4))
def test_regression_equals_the_slow_path(seed):
    columns, values = random_rows(seed, 30)
    check_against_slow_path(
        grow(table(columns), number_target(values), Plan("regression", "squared_error"))
    )


def check_against_slow_path(tree: Tree) -> None:
    """The impurity and size of the pruned tree agree at every alpha that is not itself a step."""
    found = path(tree)
    assert np.all(np.diff(found.alphas) >= 0)
    assert np.all(np.diff(found.n_leaves) < 0)
    for alpha in between(found.alphas):
        fast = np.searchsorted(found.alphas, alpha) - 1
        slow = [step for step in slow_path(tree, risk(tree)) if step[0] <= alpha][-1]
        assert found.n_leaves[fast] == slow[2]
        assert found.impurities[fast] == pytest.approx(slow[1], abs=1e-12)


def between(alphas: np.ndarray) -> list[float]:
    distinct = alphas[np.append(np.diff(alphas) > 1e-9, True)]
    return [*(distinct[:-1] + np.diff(distinct) / 2), distinct[-1] + 1.0]


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "poisson"])
@pytest.mark.parametrize("weighted", [False, True])
def test_scikit_learn_has_the_same_path_for_the_same_tree(criterion, weighted):
    columns = np.random.default_rng(3).normal(size=(300, 4)).astype(np.float32)
    values = np.exp(np.random.default_rng(4).normal(size=300) + 2 * columns[:, 0])
    weights = np.random.default_rng(5).integers(512, 2048, 300) / 1024 if weighted else None
    stop = {"min_samples_leaf": 5}
    if criterion in ("gini", "entropy"):
        theirs = DecisionTreeClassifier(criterion=criterion, random_state=0, **stop)
        y = np.digitize(values, np.quantile(values, [0.3, 0.7]))
        target, plan = class_target(y, weights), Plan("classification", criterion, **stop)
    else:
        theirs = DecisionTreeRegressor(criterion=criterion, random_state=0, **stop)
        y = values
        target, plan = number_target(y, weights), Plan("regression", criterion, **stop)
    tree = grow(table(columns), target, plan)
    theirs.fit(columns, y, sample_weight=weights)
    assert np.array_equal(stats.node_rows(tree), theirs.tree_.n_node_samples)
    found, expected = path(tree, target), theirs.cost_complexity_pruning_path(columns, y, weights)
    same_path(found.alphas, found.impurities, expected.ccp_alphas, expected.impurities)


def same_path(alphas, impurities, their_alphas, their_impurities):
    """Rounding may break their ties, so steps that are equal to 1e-12 are taken as one."""
    ours, theirs = last_of_equal(alphas), last_of_equal(their_alphas)
    np.testing.assert_allclose(alphas[ours], their_alphas[theirs], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(impurities[ours], their_impurities[theirs], rtol=1e-9, atol=1e-12)


def last_of_equal(alphas: np.ndarray) -> np.ndarray:
    return np.append(np.diff(alphas) > 1e-12, True)


def test_pruning_at_each_alpha_gives_the_tree_of_that_step():
    columns, values = random_rows(7, 80)
    tree = grow(table(columns), number_target(values), Plan("regression", "squared_error"))
    found = path(tree)
    for step, alpha in enumerate(found.alphas.tolist()):
        pruned = prune(tree, alpha)
        last = np.searchsorted(found.alphas, alpha, side="right") - 1
        assert pruned.n_leaves == found.n_leaves[last] <= found.n_leaves[step]
        assert risk(pruned)[pruned.is_leaf].sum() == pytest.approx(found.impurities[last])


def test_pruning_twice_is_pruning_once_at_the_larger_alpha():
    columns, values = random_rows(8, 80)
    target = class_target(np.digitize(values, [0.0]))
    tree = grow(table(columns), target, Plan("classification", "gini"))
    alphas = path(tree).alphas
    middle, larger = alphas[len(alphas) // 3], alphas[2 * len(alphas) // 3]
    assert same(prune(prune(tree, middle), larger), prune(tree, larger))
    assert prune(tree, np.inf).n_nodes == 1


def test_zero_gains_are_cut_at_alpha_zero():
    tree = chain([0.5, 0.0])
    assert path(tree).alphas.tolist() == [0.0, 0.0, 0.5]
    assert prune(tree, 0.0).n_leaves == 2


def test_a_long_chain_takes_no_recursion_and_no_square_time():
    n_splits = 10_000
    tree = chain([1.0 / (place + 2) for place in range(n_splits)])
    found = path(tree)
    assert found.n_leaves[-1] == 1
    assert prune(tree, found.alphas[-1]).n_nodes == 1


@pytest.mark.parametrize("alpha", [-1.0, float("nan")])
def test_bad_alpha(alpha):
    with pytest.raises(PlanError, match="alpha="):
        prune(chain([0.5]), alpha)


def test_a_poisson_path_needs_the_target():
    columns, values = random_rows(9)
    target = number_target(np.exp(values))
    tree = grow(table(columns), target, Plan("regression", "poisson"))
    with pytest.raises(PlanError, match="target is missing"):
        path(tree)
    assert path(tree, target).impurities[0] == pytest.approx(0.0, abs=1e-9)
