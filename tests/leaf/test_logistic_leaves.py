"""Logistic models in leaves against a general optimiser, and the laws that they keep."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silva import TreeClassifier
from silva.data.schema import Column, Schema
from silva.data.table import Table, Target
from silva.leaf.answers import node_shares, predict_codes, predict_shares
from silva.leaf.choice import LinearLeaf
from silva.leaf.fit import fit_leaves
from silva.leaf.logistic import PENALTY, likelihood_aicc
from silva.tree import route
from silva.tree.linear import check_linear
from tests.leaf.leaf_samples import cases, classes_target, random_table, small_tree
from tests.leaf.linear_oracle import answer, design, logistic, standardised

SCHEMA = Schema((Column("x", "continuous"),))


def fitted(tree, table, target, leaf="linear", threads=1):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        done = fit_leaves(tree, table, target, leaf, threads)
    check_linear(done.linear, tree.schema, tree.n_leaves, len(tree.classes))
    return done


def shares(tree, table):
    return predict_shares(tree, route.leaves(tree, table), table)


def one_column(x):
    return Table(SCHEMA, (np.asarray(x, dtype=float),), len(x))


def labels(codes, weights=None):
    codes = np.asarray(codes, dtype=np.int32)
    return Target("classification", codes, np.arange(codes.max() + 1), weights)


@given(st.integers(2, 4).flatmap(lambda k: cases("classification", k)), st.sampled_from([0.1, 1.0]))
def test_weights_minimise_the_penalised_loss(case, penalty):
    tree, table, target = case
    width = len(tree.classes) if len(tree.classes) > 2 else 1
    linear = fitted(tree, table, target, LinearLeaf(ridge=penalty)).linear
    nodes = route.leaves(tree, table)
    terms, x = design(table)
    weights = np.ones(table.n_rows) if target.weights is None else target.weights
    for leaf, node in enumerate(np.flatnonzero(tree.is_leaf)):
        rows = (nodes == node) & (weights > 0)
        w = weights[rows]
        standard = standardised(x[rows], w)
        kept = [terms[i] for i in standard.kept]
        for i in range(width):
            model = leaf * width + i
            entries = slice(linear.start[model], linear.start[model + 1])
            used = list(
                zip(linear.column[entries].tolist(), linear.code[entries].tolist(), strict=True)
            )
            if not used:
                continue
            chosen = [kept.index(term) for term in used]
            is_class = target.values[rows] == (1 if width == 1 else i)
            b = logistic(standard.z[:, chosen], is_class, w, PENALTY * penalty)
            assert linear.intercept[model] == pytest.approx(b[0], rel=1e-5, abs=1e-6)
            expected = b[1:] / standard.deviation[chosen]
            np.testing.assert_allclose(linear.weight[entries], expected, rtol=1e-4, atol=1e-6)
            odds = b[0] + standard.z[:, chosen] @ b[1:]
            low, high = np.clip([odds.min(), odds.max()], *of_one_class(w.sum(), len(tree.classes)))
            assert linear.low[model] == pytest.approx(low, rel=1e-5, abs=1e-5)
            assert linear.high[model] == pytest.approx(high, rel=1e-5, abs=1e-5)
            share = (w * is_class).sum() / w.sum()
            loss = (w * (np.logaddexp(0, odds) - is_class * odds)).sum()
            constant = -w.sum() * (share * math.log(share) + (1 - share) * math.log(1 - share))
            told, untold = (
                likelihood_aicc(w.sum(), len(chosen), loss),
                likelihood_aicc(w.sum(), 0, constant),
            )
            assert told < untold


def of_one_class(weight, n_classes):
    """The log-odds of a class that a leaf lacks, and of one that all its rows have."""
    lacking, full = 1 / (weight + n_classes), (weight + 1) / (weight + n_classes)
    return math.log(lacking / (1 - lacking)), math.log(full / (1 - full))


@given(st.integers(2, 4).flatmap(lambda k: cases("classification", k)))
def test_shares_follow_the_stored_formulas(case):
    tree, table, target = case
    done = fitted(tree, table, target)
    n_classes = len(tree.classes)
    new = random_table(78, 30, 0.3)
    nodes = route.leaves(tree, new)
    got = predict_shares(done, nodes, new)
    leaf_of = np.cumsum(tree.is_leaf) - 1
    for row, node in enumerate(nodes.tolist()):
        cells = [float(column[row]) for column in new.columns]
        width = n_classes if n_classes > 2 else 1
        odds = [
            answer(done.linear, leaf_of[node] * width + i, tree.schema, cells) for i in range(width)
        ]
        share = np.array([1 / (1 + math.exp(-one)) for one in odds])
        expected = share / share.sum() if width > 1 else np.array([1 - share[0], share[0]])
        np.testing.assert_allclose(got[row], expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(got.sum(axis=1), 1.0)
    np.testing.assert_array_equal(predict_codes(done, nodes, new), got.argmax(axis=1))


@given(st.integers(2, 3).flatmap(lambda k: cases("classification", k)))
def test_a_weight_equals_copies(case):
    tree, table, target = case
    if target.weights is None:
        return
    copies = target.weights.astype(int)
    columns = tuple(np.repeat(column, copies) for column in table.columns)
    repeated = Table(table.schema, columns, int(copies.sum()))
    codes = np.repeat(target.values, copies)
    once = fitted(tree, table, target).linear
    often = fitted(tree, repeated, Target("classification", codes, target.classes, None)).linear
    np.testing.assert_array_equal(once.column, often.column)
    np.testing.assert_allclose(once.weight, often.weight, rtol=1e-6)
    np.testing.assert_allclose(once.intercept, often.intercept, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("penalty", [0.0, 1e-12, 1.0])
def test_classes_that_a_line_parts_have_finite_weights(penalty):
    x = np.concatenate((np.linspace(0, 1, 30), np.linspace(2, 3, 30)))
    table, target = one_column(x), labels(x > 1.5)
    done = fitted(small_tree(table, target, 1), table, target, LinearLeaf(ridge=penalty))
    assert np.isfinite(done.linear.weight).all()
    assert len(done.linear.weight) == 1
    assert (predict_codes(done, np.zeros(60, int), table) == target.values).all()


def test_probabilities_do_not_leave_those_of_training_rows_unless_asked():
    draw = np.random.default_rng(0)
    x = draw.normal(size=300)
    table, target = one_column(x), labels(x + draw.normal(size=300) > 0)
    tree = small_tree(table, target, 1)
    far = one_column([-1000.0, 1000.0])
    inside = shares(fitted(tree, table, target), table)[:, 1]
    clipped = shares(fitted(tree, table, target), far)[:, 1]
    np.testing.assert_allclose(clipped, [inside.min(), inside.max()], rtol=1e-5)
    free = shares(fitted(tree, table, target, LinearLeaf(extrapolate=True)), far)[:, 1]
    np.testing.assert_allclose(free, [0.0, 1.0], atol=1e-12)


def test_a_leaf_of_one_class_keeps_its_smoothed_share():
    table, target = one_column(np.arange(10.0)), labels([0] * 5 + [1] * 5)
    done = fitted(small_tree(table, target, 2), table, target)
    np.testing.assert_allclose(shares(done, table)[0], [6 / 7, 1 / 7])
    assert len(done.linear.weight) == 0


def test_classes_that_a_leaf_lacks_have_the_shares_of_laplace():
    table, target = one_column(np.arange(9.0)), labels([0, 0, 0, 1, 1, 1, 2, 2, 2])
    done = fitted(small_tree(table, target, 3), table, target)
    np.testing.assert_allclose(shares(done, table)[0], [4 / 6, 1 / 6, 1 / 6])


def test_one_class_is_certain():
    table, target = one_column(np.arange(9.0)), labels([0] * 9)
    done = fitted(small_tree(table, target, 1), table, target)
    assert shares(done, table).tolist() == [[1.0]] * 9
    assert predict_codes(done, np.zeros(9, int), table).tolist() == [0] * 9


def test_threads_and_chunks_change_no_byte(monkeypatch):
    table = random_table(15, 2000)
    target = classes_target(table, 15, 3)
    tree = small_tree(table, target, 10)
    once = fitted(tree, table, target).linear.arrays()
    for threads in (1, 2, 3):
        again = fitted(tree, table, target, threads=threads).linear.arrays()
        assert all(once[name].tobytes() == again[name].tobytes() for name in once)
        monkeypatch.setattr("silva.leaf.terms.CHUNK_CELLS", 1)
        monkeypatch.setattr("silva.leaf.newton.CHUNK_CELLS", 1)


def test_rows_that_stop_at_inner_nodes_get_the_shares_of_the_node():
    table = random_table(16, 200)
    target = classes_target(table, 16, 3)
    tree = small_tree(table, target, 5)
    done = fitted(tree, table, target)
    nodes = route.leaves(tree, table)
    nodes[::2] = 0
    got = predict_shares(done, nodes, table)
    expected = node_shares(tree, np.array([0]))[0]
    np.testing.assert_array_equal(got[::2], np.broadcast_to(expected, got[::2].shape))
    assert (predict_codes(done, nodes, table)[::2] == expected.argmax()).all()


@pytest.mark.parametrize("codes", [[0, 1] * 18, [0, 1, 2] * 12])
@pytest.mark.parametrize("heavy", [0, 1])
@pytest.mark.parametrize("light", [1e-300, 1e-17, 1e-13])
def test_a_class_that_weighs_next_to_nothing_has_no_model(codes, heavy, light):
    weights = np.where(np.asarray(codes) == heavy, 1.0, light)
    table, target = one_column(range(36)), labels(codes, weights)
    done = fitted(small_tree(table, target, 1), table, target)
    assert not len(done.linear.weight)
    assert np.isfinite(shares(done, table)).all()


def test_a_leaf_all_of_whose_rows_stop_keeps_its_share():
    model = TreeClassifier(leaf="linear", missing={"x0": "stop"}, max_leaf_nodes=3)
    x = np.array([[np.nan, 1.0]] * 6 + [[1.0, 2.0]] * 6 + [[2.0, 2.0]] * 6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(x, [0, 1] * 3 + [0] * 6 + [1] * 6)
    assert np.allclose(model.predict_proba(x).sum(axis=1), 1.0)
