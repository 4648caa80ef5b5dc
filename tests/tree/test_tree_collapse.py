"""Collapsing nodes against a naive rebuild of the smaller tree, node by node."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silva.tree import moments, stats
from silva.tree.builder import Moments, TreeBuilder
from silva.tree.collapse import collapse
from silva.tree.linear import LinearLeaves, constant_log_odds, models_a_leaf
from silva.tree.splits import split_of
from silva.tree.tree import same
from tests.tree.test_tree_stats import naive_classes, naive_leaves, naive_moments
from tests.tree.tree_samples import animal_tree, linear_tree, patient_tree, price_tree, trees


@st.composite
def trees_with_nodes(draw):
    tree = draw(trees(max_inner=12))
    return tree, draw(st.lists(st.integers(0, tree.n_nodes - 1)))


def naive_collapse(tree, nodes):
    numbers = {}
    if tree.task == "regression":
        numbers = {name: getattr(tree.leaf_stats, name) for name in ("center", "target_unit")}
    build = TreeBuilder(
        tree.schema,
        tree.task,
        tree.classes,
        tree.criterion,
        weight_unit=tree.weight_unit,
        smoothing=tree.smoothing,
        **numbers,
    )
    leaves = []
    add_naively(build, tree, set(nodes), 0, None, 0, leaves)
    smaller = build.finish()
    if tree.linear is None:
        return smaller
    models = [model for leaf in leaves for model in naive_models(tree, leaf)]
    return replace(smaller, linear=put_together(models))


def add_naively(build, tree, nodes, node, parent, child_no, leaves):
    split = split_of(tree, node)
    if split is None or node in nodes:
        leaves.append(node)
        rows = sum(int(tree.leaf_rows[leaf]) for leaf in naive_leaves(tree, node))
        build.add_leaf(parent, child_no, rows, naive_leaf(tree, node))
        return
    handle = build.add_split(parent, child_no, split, float(tree.gain[node]))
    children = tree.child[tree.child_start[node] : tree.child_start[node + 1]].tolist()
    for number, child in enumerate(children):
        add_naively(build, tree, nodes, child, handle, number, leaves)


def naive_leaf(tree, node):
    if tree.task == "classification":
        return {code: weight for code, weight in enumerate(naive_classes(tree, node)) if weight}
    weight, total, squares = naive_moments(tree, node)
    return Moments(weight, total, squares, float(stats.node_mean(tree)[node]))


def naive_models(tree, node):
    """The models of a new leaf: its entries, intercept, low and high."""
    width = models_a_leaf(0 if tree.classes is None else len(tree.classes))
    if tree.is_leaf[node]:
        first = int(stats.leaf_number(tree)[node]) * width
        return [old_model(tree.linear, first + number) for number in range(width)]
    if tree.classes is None:
        constants = [float(stats.node_mean(tree)[node])]
    else:
        weights = np.array([naive_classes(tree, node)]) * tree.weight_unit
        constants = constant_log_odds(weights)[0].tolist()
    return [([], constant, constant, constant) for constant in constants]


def old_model(linear, model):
    entries = range(linear.start[model], linear.start[model + 1])
    parts = (linear.column, linear.code, linear.weight, linear.center)
    return (
        [tuple(part[entry] for part in parts) for entry in entries],
        *(part[model] for part in (linear.intercept, linear.low, linear.high)),
    )


def put_together(models):
    entries = [entry for model in models for entry in model[0]]
    column, code, weight, center = zip(*entries, strict=True) if entries else [()] * 4
    return LinearLeaves(
        np.cumsum([0, *(len(model[0]) for model in models)]),
        np.array(column, dtype=np.int32),
        np.array(code, dtype=np.int32),
        np.array(weight, dtype=float),
        np.array(center, dtype=float),
        *(np.array([model[part] for model in models]) for part in (1, 2, 3)),
    )


@given(trees_with_nodes())
def test_collapse_equals_a_naive_rebuild(case):
    tree, nodes = case
    expected = naive_collapse(tree, nodes)
    assert same(collapse(tree, nodes), expected)
    mask = np.zeros(tree.n_nodes, dtype=bool)
    mask[nodes] = True
    assert same(collapse(tree, mask), expected)


@given(trees_with_nodes(), st.data())
def test_the_order_of_collapsing_does_not_matter(case, data):
    tree, nodes = case
    inner = [node for node in nodes if not tree.is_leaf[node]]
    first = data.draw(st.permutations(inner)) if inner else []
    once = collapse(tree, inner)
    step_by_step = tree
    for node in sorted(first, reverse=True):
        step_by_step = collapse(step_by_step, [node])
    assert same(once, step_by_step)


def test_nothing_to_collapse_gives_the_same_tree():
    tree = animal_tree()
    assert collapse(tree, []) is tree
    assert collapse(tree, [2, 5]) is tree


def test_the_root_as_a_leaf():
    tree = collapse(price_tree(), [0])
    assert tree.n_nodes == 1
    assert tree.leaf_rows.tolist() == [6]
    assert moments.to_integers(tree.leaf_stats.sum) == [8]
    assert tree.leaf_stats.value.tolist() == [10 + 8 / 24]


def test_a_branch_of_every_kind_as_a_leaf():
    tree = collapse(patient_tree(), [1, 8])
    assert tree.split_kind.tolist() == [3, 0, 5, 0, 0, 0, 1, 0, 0, 0]
    assert tree.leaf_rows.tolist() == [16, 2, 3, 8, 1, 1, 2]
    assert split_of(tree, 2) == split_of(patient_tree(), 5)
    assert len(tree.obliques.threshold) == len(tree.subsets.column) == 0
    assert tree.obliques.start.tolist() == tree.subsets.rest_start.tolist() == [0]


def test_linear_leaves_stay_and_new_leaves_are_constant():
    linear = collapse(linear_tree(), [2]).linear
    assert linear.start.tolist() == [0, 1, 1]
    assert linear.weight.tolist() == [0.5]
    assert linear.intercept.tolist() == [9.25, 10.875]
    assert linear.low.tolist() == [9.0, 10.875]
    assert linear.high.tolist() == [9.5, 10.875]


def test_nodes_that_do_not_exist():
    for nodes in ([9], [-1]):
        with pytest.raises(IndexError, match="0 to 8"):
            collapse(animal_tree(), nodes)
