"""The core's order of cuts: against the loop that looks at every branch before every cut."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silva import _core
from silva.prune.cost_complexity import cuts, split_savings, weakest_links
from silva.prune.costs import node_costs, routed_costs, training_costs
from silva.prune.cross_validation import Path, path_costs
from silva.prune.evidence import Rows
from silva.tree import moments
from silva.tree.tree import Tree
from tests.prune.prune_cases import random_case
from tests.prune.pruning_oracle import below, inner


def slow_cuts(tree: Tree, saving: list[int]) -> list[tuple[Fraction, int]]:
    """(alpha, node) of every cut: always the weakest branch, of equals the highest."""
    leaves = {node for node in range(tree.n_nodes) if tree.is_leaf[node]}
    found = []
    while leaves != {0}:
        inside = inner(tree, leaves)
        alpha, node = min((strength(tree, saving, leaves, inside, t), t) for t in inside)
        leaves = {leaf for leaf in leaves if not below(tree, node, leaf)} | {node}
        found.append((alpha, node))
    return found


def strength(tree: Tree, saving: list[int], leaves: set, inside: list, node: int) -> Fraction:
    saved = sum(saving[t] for t in inside if below(tree, node, t))
    return Fraction(saved, sum(below(tree, node, leaf) for leaf in leaves) - 1)


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 10_000), data=st.data())
def test_the_order_equals_the_slow_one(seed, data):
    """Whole numbers with many ties; below 0 too, where an order is still an order."""
    tree = random_case(seed).tree
    saving = data.draw(st.lists(st.integers(-3, 9), min_size=tree.n_nodes, max_size=tree.n_nodes))
    saving = np.where(tree.is_leaf, 0, saving)
    found = _core.weakest_links(tree.child_start, tree.child, saving * 1.0)
    slow = slow_cuts(tree, saving.tolist())
    assert found["node"].tolist() == [node for _, node in slow]
    assert found["alpha"].tolist() == [float(alpha) for alpha, _ in slow]
    assert found["leaves"].sum() == tree.n_leaves - 1
    assert found["rise"].sum() == saving.sum()


def test_scaled_alphas_keep_their_order_and_ties():
    tree = random_case(3).tree
    saving = np.where(tree.is_leaf, 0.0, 3.0)
    path = weakest_links(tree, saving, lambda cost: cost / 10.0)
    assert len(set(path.alphas.tolist())) == len(set(weakest_links(tree, saving).alphas.tolist()))
    assert (np.diff(path.alphas) >= 0).all()


@pytest.mark.parametrize(
    ("start", "child", "n"),
    [
        ([0, 2], [1, 2], 3),
        ([1, 3, 3, 3], [0, 1, 2], 3),
        ([0, 1, 1], [1], 2),
        ([0, 2, 2, 2], [0, 2], 3),
        ([0, 2, 2, 2], [1, 3], 3),
        ([0, 9, 2, 2], [1, 2], 3),
        ([0, 2, 0, 2], [1, 2], 3),
    ],
)
def test_arrays_that_are_no_tree(start, child, n):
    with pytest.raises(ValueError, match=r"fit together|at least two|pre-order"):
        _core.weakest_links(np.array(start), np.array(child), np.zeros(n))


@pytest.mark.parametrize("seed", range(80))
def test_costs_of_nodes_equal_the_exact_ones(seed):
    tree = random_case(seed).tree
    costs, exact = node_costs(tree), training_costs(tree)
    errors = [exact.error(cost) for cost in exact.leaf]
    assert costs.error(costs.leaf) == pytest.approx(errors, rel=1e-12, abs=1e-12)
    assert costs.weight.tolist() == exact.weight


@pytest.mark.parametrize("seed", range(40))
def test_a_split_that_saves_nothing(seed):
    tree = random_case(seed).tree
    cost = np.random.default_rng(seed).random(tree.n_nodes)
    for node in np.flatnonzero(~tree.is_leaf)[::-1]:
        children = tree.child[tree.child_start[node] : tree.child_start[node + 1]]
        cost[node] = cost[children].sum()
    assert not split_savings(tree, cost * (1 + 1e-15)).any()


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), data=st.data())
def test_costs_along_any_order_of_cuts(seed, data):
    """In exact integers: replace branches by leaves one by one."""
    case = random_case(seed)
    tree, rows = case.tree, Rows(case.evidence.validation_table, case.evidence.validation_target)
    costs = routed_costs(tree, rows)
    whole = costs.whole()
    weak = data.draw(st.lists(st.integers(0, 5), min_size=tree.n_nodes, max_size=tree.n_nodes))
    nodes = _core.weakest_links(tree.child_start, tree.child, np.array(weak, float))["node"]
    found = moments.to_integers(path_costs(tree, nodes, costs))
    current = whole.of_tree(tree)
    for place, node in enumerate(nodes.tolist()):
        assert found[place] == current[0]
        rise, above = whole.leaf[node] - current[node], node
        while above >= 0:
            current[above] += rise
            above = int(next((p for p in range(above) if is_child(tree, p, above)), -1))
    assert found[-1] == current[0]


def is_child(tree: Tree, parent: int, node: int) -> bool:
    return node in tree.child[tree.child_start[parent] : tree.child_start[parent + 1]]


def test_the_path_of_a_single_leaf():
    tree = random_case(1, n_rows=2).tree
    if tree.n_leaves > 1:
        tree = random_case(1, n_rows=1).tree
    assert isinstance(cuts(tree), Path)
    assert cuts(tree).starts.tolist() == [0.0]
