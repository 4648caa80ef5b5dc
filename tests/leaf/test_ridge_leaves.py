"""Linear regression in leaves against brute force, and the laws that it keeps."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silva.data.schema import Column, Schema
from silva.data.table import Table, Target
from silva.leaf.answers import predict_values
from silva.leaf.choice import LinearLeaf
from silva.leaf.fit import fit_leaves
from silva.tree import route
from silva.tree.linear import check_linear
from tests.leaf.leaf_samples import SCHEMA, cases, numbers_target, random_table, small_tree
from tests.leaf.linear_oracle import answer, chosen_ridge, design, ridge, standardised


def fitted(tree, table, target, leaf="linear", threads=1):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        done = fit_leaves(tree, table, target, leaf, threads)
    check_linear(done.linear, tree.schema, tree.n_leaves, 0)
    return done


def told(tree, table):
    return predict_values(tree, route.leaves(tree, table), table)


def plain(columns, names="abcdefgh"):
    schema = Schema(tuple(Column(name, "continuous") for name in names[: len(columns)]))
    return Table(schema, tuple(np.asarray(column) for column in columns), len(columns[0]))


def numbers(y, weights=None):
    return Target("regression", np.asarray(y, dtype=float), None, weights)


def same_bytes(a, b):
    pairs = zip(a.linear.arrays().values(), b.linear.arrays().values(), strict=True)
    return all(x.tobytes() == y.tobytes() for x, y in pairs)


@given(cases(), st.sampled_from([1e-3, 1.0, 10.0]))
def test_weights_are_those_of_brute_force_ridge(case, penalty):
    tree, table, target = case
    linear = fitted(tree, table, target, LinearLeaf(ridge=penalty)).linear
    nodes = route.leaves(tree, table)
    terms, x = design(table)
    weights = np.ones(table.n_rows) if target.weights is None else target.weights
    for leaf, node in enumerate(np.flatnonzero(tree.is_leaf)):
        rows = (nodes == node) & (weights > 0)
        w, y = weights[rows], target.values[rows]
        standard = standardised(x[rows], w)
        mean = (w * y).sum() / w.sum()
        scale = np.sqrt((w * (y - mean) ** 2).sum() / w.sum())
        entries = slice(linear.start[leaf], linear.start[leaf + 1])
        used = list(
            zip(linear.column[entries].tolist(), linear.code[entries].tolist(), strict=True)
        )
        assert linear.intercept[leaf] == pytest.approx(mean)
        if scale == 0.0:
            assert not used
            continue
        kept = [terms[i] for i in standard.kept]
        chosen = [kept.index(term) for term in used]
        _, _, criteria = chosen_ridge(standard.z, (y - mean) / scale, w, penalty)
        b = ridge(standard.z[:, chosen], (y - mean) / scale, w, penalty)
        spread = standard.deviation[chosen]
        in_effect = (linear.weight[entries] * spread - b * scale) / max(
            np.abs(b * scale), default=1
        )
        np.testing.assert_allclose(in_effect, 0.0, atol=1.1e-6)
        off_center = (linear.center[entries] - standard.mean[chosen]) / spread
        np.testing.assert_allclose(off_center, 0.0, atol=1.1e-6)
        assert criterion_of(standard.z, chosen, (y - mean) / scale, w, penalty) == pytest.approx(
            min(criteria), abs=1e-6
        )


def criterion_of(z, chosen, y, w, penalty):
    from tests.leaf.linear_oracle import aicc

    b = ridge(z[:, chosen], y, w, penalty)
    return aicc(w.sum(), len(chosen), (w * (y - z[:, chosen] @ b) ** 2).sum() / w.sum())


@given(cases())
def test_answers_follow_the_stored_formula_and_stay_in_the_leaf_range(case):
    tree, table, target = case
    done = fitted(tree, table, target)
    new = random_table(77, 40, 0.3)
    nodes = route.leaves(done, new)
    leaf_of = np.cumsum(tree.is_leaf) - 1
    got = predict_values(done, nodes, new)
    training = route.leaves(tree, table)
    counts = np.ones(table.n_rows, bool) if target.weights is None else target.weights > 0
    for row, node in enumerate(nodes.tolist()):
        cells = [float(column[row]) for column in new.columns]
        assert got[row] == answer(done.linear, leaf_of[node], SCHEMA, cells)
        inside = target.values[(training == node) & counts]
        assert inside.min() <= got[row] <= inside.max() or len(np.unique(inside)) == 1


@given(cases())
def test_a_weight_equals_copies(case):
    tree, table, target = case
    if target.weights is None:
        return
    copies = target.weights.astype(int)
    columns = tuple(np.repeat(column, copies) for column in table.columns)
    repeated = Table(table.schema, columns, int(copies.sum()))
    once = fitted(tree, table, target)
    often = fitted(tree, repeated, numbers(np.repeat(target.values, copies)))
    np.testing.assert_array_equal(once.linear.start, often.linear.start)
    np.testing.assert_array_equal(once.linear.column, often.linear.column)
    np.testing.assert_allclose(once.linear.weight, often.linear.weight, rtol=1e-7)


@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_rows_matters_to_rounding_only(case, random):
    tree, table, target = case
    order = np.array(random.sample(range(table.n_rows), table.n_rows))
    weights = None if target.weights is None else target.weights[order]
    moved = Table(table.schema, tuple(column[order] for column in table.columns), table.n_rows)
    here, there = (
        fitted(tree, table, target).linear,
        fitted(tree, moved, numbers(target.values[order], weights)).linear,
    )
    np.testing.assert_array_equal(here.column, there.column)
    np.testing.assert_allclose(here.weight, there.weight, rtol=1e-7)
    np.testing.assert_array_equal(here.low, there.low)


def test_threads_change_no_byte():
    table = random_table(5, 3000)
    target = numbers_target(table, 5)
    tree = small_tree(table, target, 20)
    once = fitted(tree, table, target)
    for threads in (2, 3):
        again = fitted(tree, table, target, threads=threads)
        assert same_bytes(once, again)
        nodes = route.leaves(tree, table)
        first = predict_values(once, nodes, table)
        assert first.tobytes() == predict_values(again, nodes, table, threads).tobytes()


def test_chunks_of_leaves_change_no_byte(monkeypatch):
    table = random_table(6, 500)
    target = numbers_target(table, 6)
    tree = small_tree(table, target, 8)
    once = fitted(tree, table, target)
    monkeypatch.setattr("silva.leaf.terms.CHUNK_CELLS", 1)
    assert same_bytes(once, fitted(tree, table, target))


def test_a_line_far_from_zero_is_found():
    x = 1e6 + np.linspace(0, 1, 200)
    y = 1e9 + 1e-3 * np.linspace(-1, 1, 200) + 1e-5 * np.sin(np.arange(200))
    table, target = plain([x]), numbers(y)
    done = fitted(small_tree(table, target, 1), table, target, LinearLeaf(ridge=0.0))
    assert np.abs(told(done, table) - y).max() < 2e-5
    assert done.linear.weight[0] == pytest.approx(2e-3, rel=1e-2)


@pytest.mark.parametrize("unit", [1e-300, 1e-160, 1e160, 1e300])
def test_extreme_magnitudes(unit):
    x = np.linspace(-1, 1, 50)
    target = numbers(unit * (x + 0.01 * np.sin(9 * np.arange(50))))
    table = plain([x * unit])
    done = fitted(small_tree(table, target, 1), table, target)
    assert done.linear.weight == pytest.approx([1.0], rel=0.05)


def test_weights_beyond_float64_leave_the_mean():
    x = np.linspace(-1, 1, 50)
    table, target = plain([x * 1e-200]), numbers(x * 1e200)
    done = fitted(small_tree(table, target, 1), table, target)
    assert len(done.linear.weight) == 0


def test_collinear_and_constant_columns():
    draw = np.random.default_rng(1)
    x = draw.normal(size=60)
    table = plain([x, x, 2 * x + 1, np.full(60, 3.0), np.full(60, np.nan)])
    target = numbers(3 * x + draw.normal(0, 0.1, 60))
    for penalty in (0.0, 1.0):
        done = fitted(small_tree(table, target, 1), table, target, LinearLeaf(ridge=penalty))
        assert done.linear.column.tolist() == [0]


def test_an_exact_line_uses_no_more_columns_than_it_needs():
    draw = np.random.default_rng(2)
    x, noise = draw.normal(size=(2, 40))
    table, target = plain([noise, x]), numbers(2 * x)
    done = fitted(small_tree(table, target, 1), table, target, LinearLeaf(ridge=0.0))
    assert done.linear.column.tolist() == [1]
    assert done.linear.weight == pytest.approx([2.0])


def test_noise_keeps_the_mean():
    draw = np.random.default_rng(3)
    table, target = plain([draw.normal(size=100)]), numbers(draw.normal(size=100))
    tree = small_tree(table, target, 1)
    linear = fitted(tree, table, target).linear
    assert len(linear.weight) == 0
    assert linear.intercept == linear.low == linear.high == tree.leaf_stats.value


def test_leaves_of_few_rows_are_constant():
    table, target = plain([[1.0, 2.0, 3.0, 4.0]]), numbers([1.0, 2.0, 3.0, 4.0])
    done = fitted(small_tree(table, target, 4), table, target)
    assert told(done, table).tolist() == [1.0, 2.0, 3.0, 4.0]
    assert len(done.linear.weight) == 0


def test_extrapolation_only_when_asked():
    x = np.arange(30.0)
    table, target = plain([x]), numbers(x)
    tree = small_tree(table, target, 1)
    far = plain([[-100.0, 15.0, 100.0]])
    inside = told(fitted(tree, table, target), far)
    assert inside[[0, 2]].tolist() == [0.0, 29.0]
    free = told(fitted(tree, table, target, LinearLeaf(ridge=0.0, extrapolate=True)), far)
    np.testing.assert_allclose(free, [-100.0, 15.0, 100.0])


def test_max_columns_is_kept():
    draw = np.random.default_rng(4)
    x = draw.normal(size=(4, 200))
    table, target = plain(list(x)), numbers(x[0] + 2 * x[1] + 3 * x[2] + 4 * x[3])
    tree = small_tree(table, target, 1)
    for most, expected in ((0, []), (1, [3]), (2, [2, 3])):
        linear = fitted(tree, table, target, LinearLeaf(max_columns=most)).linear
        assert linear.column.tolist() == expected


def test_infinite_values_count_as_missing():
    x = np.concatenate((np.arange(40.0), [np.inf, -np.inf]))
    y = np.concatenate((np.arange(40.0), [20.0, 20.0]))
    table, target = plain([x]), numbers(y)
    done = fitted(small_tree(table, target, 1), table, target)
    assert done.linear.center.tolist() == [19.5]
    assert told(done, plain([[np.inf, np.nan]])).tolist() == [done.linear.intercept[0]] * 2


def test_many_columns_are_screened(monkeypatch):
    monkeypatch.setattr("silva.leaf.terms.MOST_TERMS", 3)
    draw = np.random.default_rng(5)
    x = draw.normal(size=(8, 100))
    table, target = plain(list(x)), numbers(x[6] + 0.01 * x[1])
    done = fitted(small_tree(table, target, 1), table, target)
    assert 6 in done.linear.column.tolist()
    assert len(done.linear.column) <= 3


def test_a_table_without_terms():
    schema = Schema((Column("id", "categorical", tuple(range(50))),))
    table = Table(schema, (np.arange(50, dtype=np.int32),), 50)
    target = numbers(np.arange(50.0))
    done = fitted(small_tree(table, target, 3), table, target)
    assert len(done.linear.weight) == 0


def test_rows_that_stop_at_inner_nodes_get_their_mean():
    table = random_table(9, 100)
    target = numbers_target(table, 9, weighted=False)
    tree = small_tree(table, target, 5)
    done = fitted(tree, table, target)
    nodes = np.zeros(table.n_rows, dtype=np.int64)
    mean = target.values.mean()
    np.testing.assert_allclose(predict_values(done, nodes, table), mean)
    np.testing.assert_allclose(predict_values(replace(done, linear=None), nodes, table), mean)
