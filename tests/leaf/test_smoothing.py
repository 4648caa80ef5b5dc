"""Raw, Laplace and m-estimate probabilities of leaves and inner nodes."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silva.errors import ModelFormatError, PlanError
from silva.leaf.answers import predict_codes, predict_shares
from silva.leaf.choice import LinearLeaf, MEstimate
from silva.leaf.fit import fit_leaves
from silva.tree.linear import Smoothing, check_smoothing
from tests.leaf.leaf_samples import cases, classes_target, random_table, small_tree


def counts(tree, table, target):
    """The weight of each class in every node, row by row."""
    from silva.tree import route

    weights = np.ones(table.n_rows) if target.weights is None else target.weights
    nodes = route.leaves(tree, table)
    found = np.zeros((tree.n_nodes, len(tree.classes)))
    for node in range(tree.n_nodes):
        for row in np.flatnonzero((nodes >= node) & (nodes < tree.subtree_end[node])):
            found[node, target.values[row]] += weights[row]
    return found


@given(st.integers(2, 4).flatmap(lambda k: cases("classification", k)), st.sampled_from([0, 2, 7]))
def test_probabilities_of_every_node(case, m):
    tree, table, target = case
    found = counts(tree, table, target)
    n_classes = found.shape[1]
    nodes = np.arange(tree.n_nodes)
    any_rows = random_table(0, tree.n_nodes)
    root = [Fraction(weight) / Fraction(found[0].sum()) for weight in found[0]]
    rules = {
        None: (0, root),
        "probability": (0, root),
        "laplace": (n_classes, [Fraction(1, n_classes)] * n_classes),
        "m_estimate": (2, root),
        MEstimate(m): (m, root),
    }
    for leaf, (times, prior) in rules.items():
        done = fit_leaves(tree, table, target, leaf)
        got = predict_shares(done, nodes, any_rows)
        expected = [
            [
                float((Fraction(n) + times * p) / (Fraction(row.sum()) + times))
                for n, p in zip(row, prior, strict=True)
            ]
            for row in found
        ]
        np.testing.assert_allclose(got, expected, rtol=1e-14, atol=1e-16)
        codes = predict_codes(done, nodes, any_rows)
        by_weight = leaf in (None, "probability", "laplace")
        np.testing.assert_array_equal(codes, (found if by_weight else got).argmax(axis=1))


def test_many_rows_and_few_rows_are_told_the_same():
    table = random_table(3, 500)
    target = classes_target(table, 3, 4)
    tree = small_tree(table, target, 30)
    done = fit_leaves(tree, table, target, "laplace")
    nodes = np.random.default_rng(0).integers(0, tree.n_nodes, 500)
    every = predict_shares(done, nodes, table)
    for row in range(0, 500, 50):
        one = predict_shares(done, nodes[row : row + 1], table)
        assert one.tolist() == [every[row].tolist()]
    assert predict_shares(done, nodes[:0], table).shape == (0, 4)
    assert predict_codes(done, nodes[:0], table).shape == (0,)


@pytest.mark.parametrize(
    ("leaf", "message"),
    [
        ("laplas", "Did you mean 'laplace'"),
        ("constant", "such leaves are for regression"),
        (3, "takes None, 'probability'"),
    ],
)
def test_leaves_that_a_classifier_does_not_have(leaf, message):
    table = random_table(4, 30)
    target = classes_target(table, 4, 2)
    with pytest.raises(PlanError, match=message):
        fit_leaves(small_tree(table, target, 2), table, target, leaf)


@pytest.mark.parametrize("leaf", ["laplace", MEstimate(1.0), "m_estimate"])
def test_leaves_that_a_regressor_does_not_have(leaf):
    from tests.leaf.leaf_samples import numbers_target

    table = random_table(4, 30)
    target = numbers_target(table, 4)
    with pytest.raises(PlanError, match="such leaves are for classification"):
        fit_leaves(small_tree(table, target, 2), table, target, leaf)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MEstimate(-1), "m must be"),
        (lambda: MEstimate(float("nan")), "m must be"),
        (lambda: MEstimate("2"), "m must be"),
        (lambda: LinearLeaf(ridge=-0.5), "ridge must be"),
        (lambda: LinearLeaf(ridge=True), "ridge must be"),
        (lambda: LinearLeaf(max_columns=-1), "max_columns must be"),
        (lambda: LinearLeaf(max_columns=1.5), "max_columns must be"),
        (lambda: LinearLeaf(extrapolate="yes"), "extrapolate must be"),
    ],
)
def test_choices_check_themselves(make, message):
    with pytest.raises(PlanError, match=message):
        make()


@pytest.mark.parametrize(
    "smoothing",
    [Smoothing(-1.0, "root"), Smoothing(float("inf"), "root"), Smoothing(1.0, "other")],
)
def test_files_with_impossible_smoothing_are_refused(smoothing):
    with pytest.raises(ModelFormatError, match="smoothing: "):
        check_smoothing(smoothing)
