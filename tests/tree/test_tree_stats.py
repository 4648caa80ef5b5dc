"""Facts of nodes against a naive recursion over the leaves, in exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silva.errors import PlanError
from silva.tree import moments, shape, stats
from silva.tree.tree import CRITERIA
from tests.tree.tree_samples import animal_tree, patient_tree, price_tree, trees


def naive_leaves(tree, node):
    """The leaf numbers below a node, by following children."""
    children = tree.child[tree.child_start[node] : tree.child_start[node + 1]].tolist()
    if not children:
        return [int(np.count_nonzero(tree.split_kind[:node] == 0))]
    return [leaf for child in children for leaf in naive_leaves(tree, child)]


def naive_classes(tree, node):
    total = [0] * len(tree.classes)
    for leaf in naive_leaves(tree, node):
        start, end = tree.leaf_stats.start[leaf : leaf + 2]
        for entry in range(start, end):
            total[tree.leaf_stats.code[entry]] += int(tree.leaf_stats.weight[entry])
    return total


def naive_moments(tree, node):
    leaves = naive_leaves(tree, node)
    parts = tree.leaf_stats
    integers = [
        [int(high) * 2**64 + int(low) % 2**64 for high, low in pairs]
        for pairs in (parts.sum, parts.sum_of_squares)
    ]
    weight = sum(int(parts.weight[leaf]) for leaf in leaves)
    return weight, *(sum(part[leaf] for leaf in leaves) for part in integers)


@given(trees(max_inner=20))
def test_shape(tree):
    parent, depth = stats.parent(tree), stats.depth(tree)
    assert parent[0] == -1
    assert depth[0] == 0
    for node in range(tree.n_nodes):
        children = tree.child[tree.child_start[node] : tree.child_start[node + 1]].tolist()
        for child in children:
            assert parent[child] == node
            assert depth[child] == depth[node] + 1
        last = max(children, default=node)
        assert stats.subtree_end(tree)[node] == (
            stats.subtree_end(tree)[last] if children else node + 1
        )
        first, end = (ends[node] for ends in stats.leaf_range(tree))
        assert list(range(first, end)) == naive_leaves(tree, node)
        assert stats.leaf_number(tree)[node] == first


@given(st.lists(st.integers(0, 4), max_size=30))
def test_preorder_is_recognised(n_children):
    owed = 1
    valid = bool(n_children)
    for number in n_children:
        valid = valid and owed > 0
        owed += number - 1
    assert shape.is_preorder(np.array(n_children, dtype=np.int64)) == (valid and owed == 0)


def test_nodes_with_many_children():
    n_children = np.array([3, 0, 2, 0, 0, 4, 0, 0, 1, 0, 0])
    assert shape.is_preorder(n_children)
    assert shape.subtree_end(n_children).tolist() == [11, 2, 5, 4, 5, 11, 7, 8, 10, 10, 11]


@given(trees(max_inner=12))
def test_rows_and_weights(tree):
    rows, units = stats.node_rows(tree), stats.node_weight_units(tree)
    for node in range(tree.n_nodes):
        leaves = naive_leaves(tree, node)
        assert rows[node] == sum(int(tree.leaf_rows[leaf]) for leaf in leaves)
        assert units[node] == sum(int(stats.leaf_weight_units(tree)[leaf]) for leaf in leaves)
    assert stats.node_weight(tree).tolist() == [unit * tree.weight_unit for unit in units.tolist()]


@given(trees("classification", max_inner=12))
def test_class_weights_and_impurities(tree):
    expected = [naive_classes(tree, node) for node in range(tree.n_nodes)]
    assert stats.node_class_units(tree).tolist() == expected
    some = np.array([tree.n_nodes - 1, 0])
    assert stats.node_class_units(tree, some).tolist() == [expected[-1], expected[0]]
    found = {name: stats.node_impurity(tree, name) for name in CRITERIA["classification"]}
    for node, weights in enumerate(expected):
        shares = [Fraction(weight, sum(weights)) for weight in weights]
        gini = float(1 - sum(share * share for share in shares))
        entropy = -sum(float(share) * math.log2(share) for share in shares if share)
        assert found["gini"][node] == pytest.approx(gini, abs=1e-12)
        assert found["entropy"][node] == pytest.approx(entropy, abs=1e-12)
        assert found["gain_ratio"][node] == found["entropy"][node]
        assert found["error"][node] == pytest.approx(float(1 - max(shares)), abs=1e-15)
    assert np.array_equal(stats.node_impurity(tree), found[tree.criterion])
    for name, impurity in found.items():
        expected_leaves = pytest.approx(impurity[tree.is_leaf], abs=1e-12)
        assert stats.leaf_impurity(tree, name) == expected_leaves


@given(trees("regression", max_inner=12))
def test_means_and_variances(tree):
    unit, center = Fraction(tree.leaf_stats.target_unit), Fraction(tree.leaf_stats.center)
    mean, variance = stats.node_mean(tree), stats.node_impurity(tree, "squared_error")
    deviation = stats.node_deviation(tree)
    for node in range(tree.n_nodes):
        weight, total, squares = naive_moments(tree, node)
        if tree.is_leaf[node]:
            assert mean[node] == tree.leaf_stats.value[stats.leaf_number(tree)[node]]
        else:
            assert mean[node] == rounded(center + Fraction(total, weight) * unit)
        spread = max(0, Fraction(squares, weight) - Fraction(total, weight) ** 2) * unit * unit
        exact = rounded(spread, math.inf)
        assert variance[node] == pytest.approx(exact, rel=1e-15, abs=5e-324)
        if 1e-300 < variance[node] < 1e300:
            assert deviation[node] == pytest.approx(math.sqrt(exact), rel=1e-15)
    some = np.array([0, tree.n_nodes - 1])
    assert stats.node_mean(tree, some).tolist() == mean[some].tolist()
    assert stats.node_deviation(tree, some).tolist() == deviation[some].tolist()


def rounded(exact, beyond=1.7976931348623157e308):
    try:
        return float(exact)
    except OverflowError:
        return beyond if exact > 0 else -beyond


@given(st.lists(st.integers(-(2**127), 2**127 - 1)))
def test_pairs_hold_128_bits(integers):
    assert moments.to_integers(moments.to_pairs(integers)) == integers


@given(
    st.lists(
        st.lists(
            st.tuples(st.integers(-(2**61), 2**61), st.integers(1, 2**3)), min_size=1, max_size=5
        ),
        min_size=1,
        max_size=6,
    ),
    st.integers(0, 60),
)
def test_squared_errors_lose_nothing_far_from_zero(nodes, shift):
    """Targets around 2^60 that differ in their last bits, and any others below 2^61."""
    nodes = [[(2**60 + (y >> shift), w) for y, w in rows] for rows in nodes]
    total = [sum(w * y for y, w in rows) for rows in nodes]
    squares = [sum(w * y * y for y, w in rows) for rows in nodes]
    weight = [sum(w for _, w in rows) for rows in nodes]
    pairs = [moments.to_pairs(part) for part in (total, squares)]
    found = moments.squared_errors(*pairs, np.array(weight)).tolist()
    facts = zip(total, squares, weight, strict=True)
    exact = [float(Fraction(s * w - t * t, w)) for t, s, w in facts]
    assert found == pytest.approx(exact, rel=1e-14, abs=1e-14)
    assert moments.to_floats(pairs[0]) == pytest.approx([float(one) for one in total], rel=1e-15)


def test_figures_of_a_small_tree():
    tree = price_tree()
    assert stats.node_rows(tree).tolist() == [6, 2, 4, 3, 1]
    assert stats.node_mean(tree).tolist() == [10 + 8 / 24, 9.25, 10.875, 10.5, 12.0]
    assert stats.node_impurity(tree)[3] == pytest.approx(1 / 24)
    assert stats.node_deviation(tree)[4] == 0.0
    animals = animal_tree()
    assert stats.node_class_weight(animals)[0].tolist() == [7.0, 10.0, 8.0]
    assert stats.node_impurity(animals)[2] == 0.0


def test_nodes_of_every_kind_add_up_their_children():
    tree = patient_tree()
    assert stats.node_rows(tree).tolist() == [33, 16, 8, 7, 1, 5, 2, 3, 8, 4, 4, 4, 1, 1, 2]
    assert stats.depth(tree).tolist() == [0, 1, 2, 2, 2, 1, 2, 2, 1, 2, 2, 1, 2, 2, 2]
    assert stats.node_class_units(tree)[[0, 1, 5, 11]].tolist() == [
        [18, 15],
        [9, 7],
        [3, 2],
        [2, 2],
    ]
    assert stats.node_impurity(tree)[11] == 1.0
    assert stats.gain_below(tree)[0] * 33 == pytest.approx(33 / 4 + 16 / 8 + 5 / 16 + 8 / 2 + 4 / 4)


def test_what_a_subtree_saves():
    tree = price_tree()
    assert stats.gain_below(tree).tolist() == [2.0 + 4 / 6, 0.0, 4 / 6, 0.0, 0.0]


@pytest.mark.parametrize("criterion", ["poisson", "gini", "best"])
def test_impurities_that_cannot_be_had(criterion):
    with pytest.raises(PlanError, match=criterion):
        stats.node_impurity(price_tree(), criterion)
    with pytest.raises(PlanError, match="node_class_weight"):
        stats.node_mean(animal_tree())
    with pytest.raises(PlanError, match="node_mean"):
        stats.node_class_weight(price_tree())
