"""Statistics of other rows; of its own training rows a tree has what growth gave it."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from silva.data.schema import Column, Schema
from silva.data.table import Table, Target
from silva.errors import DataError
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.tree import moments, stats
from silva.tree.builder import TreeBuilder
from silva.tree.restat import EmptyLeafError, leaf_nodes, restated, restated_at
from silva.tree.splits import STOP, Multiway, Threshold
from silva.tree.tree import MomentStats, numbers_of, same, to_arrays
from tests.tree.restat_cases import CRITERIA, random_problem, taken
from tests.tree.tree_samples import linear_tree, patient_tree
from tests.tree.tree_samples import moments as sample_moments


def first_difference(a, b) -> str:
    one, two = (to_arrays(tree) | numbers_of(tree) for tree in (a, b))
    for name, value in one.items():
        if not np.array_equal(value, two[name]):
            return f"{name}: {value} {two[name]}"
    return ""


@pytest.mark.parametrize("seed", range(600))
def test_of_its_own_rows_a_tree_is_the_same(seed: int):
    problem = random_problem(seed)
    tree = grow(problem.table, problem.target, problem.plan)
    table = replace(problem.table, schema=tree.schema)
    again = restated(tree, table, problem.target)
    assert same(tree, again), (problem.plan, first_difference(tree, again))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_order_of_rows_and_threads_change_nothing(criterion: str):
    problem = random_problem(5, 3000, criterion)
    tree = grow(problem.table, problem.target, replace(problem.plan, splits=(), max_depth=None))
    table = replace(problem.table, schema=tree.schema)
    order = np.random.default_rng(1).permutation(3000)
    shuffled, target = taken(replace(problem, table=table), order)
    assert same(tree, restated(tree, table, problem.target, threads=3))
    assert same(tree, restated(tree, shuffled, target))


@pytest.mark.parametrize("seed", range(60))
def test_of_other_rows_the_sums_are_those_of_brute_force(seed: int):
    problem = random_problem(seed, 100)
    tree = grow(problem.table, problem.target, replace(problem.plan, max_leaf_nodes=3))
    bound = replace(problem, table=replace(problem.table, schema=tree.schema))
    table, target = taken(bound, np.flatnonzero(np.arange(100) % 3 > 0))
    found = leaf_nodes(tree, table, target)
    weighted = found if target.weights is None else found[target.weights > 0]
    empty = set(np.flatnonzero(tree.is_leaf).tolist()) - set(weighted.tolist())
    if empty:
        with pytest.raises(EmptyLeafError) as caught:
            restated(tree, table, target)
        assert set(caught.value.nodes) == empty
        return
    fresh = restated(tree, table, target)
    for leaf, node in enumerate(np.flatnonzero(tree.is_leaf).tolist()):
        check_leaf(fresh, leaf, target, np.flatnonzero(found == node))


def check_leaf(tree, leaf: int, target: Target, rows: np.ndarray) -> None:
    weights = np.ones(len(target.values)) if target.weights is None else target.weights
    rows = rows[weights[rows] > 0]
    assert tree.leaf_rows[leaf] == len(rows)
    exact = [Fraction(float(weight)) for weight in weights[rows]]
    if isinstance(tree.leaf_stats, MomentStats):
        total = sum(w * Fraction(float(y)) for w, y in zip(exact, target.values[rows], strict=True))
        assert tree.leaf_stats.value[leaf] == float(total / sum(exact))
        return
    units = stats.node_class_units(tree)[np.flatnonzero(tree.is_leaf)[leaf]]
    for code, unit in enumerate(units.tolist()):
        of_class = [w for w, row in zip(exact, rows, strict=True) if target.values[row] == code]
        rounding = len(of_class) * tree.weight_unit
        assert abs(unit * tree.weight_unit - sum(of_class)) <= rounding


def test_gains_are_those_of_the_new_rows():
    schema = Schema((Column("x", "continuous"),))
    build = TreeBuilder(schema, "classification", np.array(["a", "b"]))
    root = build.add_split(None, 0, Threshold(0, 2.0, 0, 0), gain=0.1)
    build.add_leaf(root, 0, 9, {0: 9})
    build.add_leaf(root, 1, 9, {0: 1, 1: 8})
    x = np.array([1.0, 1.0, 3.0, 3.0])
    codes = np.array([0, 0, 1, 1], dtype=np.int32)
    target = Target("classification", codes, np.array(["a", "b"]), None)
    fresh = restated(build.finish(), Table(schema, (x,), 4), target)
    assert fresh.gain.tolist() == [0.5, 0.0, 0.0]
    assert fresh.leaf_rows.tolist() == [2, 2]
    assert fresh.leaf_stats.code.tolist() == [0, 1]


def test_a_poisson_split_without_events_on_a_side_gains_nothing():
    schema = Schema((Column("x", "continuous"),))
    table = Table(schema, (np.array([1.0, 3.0]),), 2)
    target = Target("regression", np.array([1.0, 2.0]), None, None)
    tree = grow(table, target, Plan("regression", "poisson"))
    assert tree.n_leaves == 2
    fresh = restated(tree, table, replace(target, values=np.array([0.0, 2.0])))
    assert fresh.gain.tolist() == [0.0, 0.0, 0.0]
    assert fresh.leaf_stats.value.tolist() == [0.0, 2.0]


def stopping_tree():
    """Town a, b (STOP for others): 1 a leaf, 2 x < 0 (3, 4), where missing x stops."""
    schema = Schema(
        (Column("town", "categorical", ("a", "b", "c"), "stop", "stop"), Column("x", "continuous"))
    )
    build = TreeBuilder(schema, "regression")
    root = build.add_split(None, 0, Multiway(0, (0, 1), STOP, STOP))
    leaf = {"rows": 1, "stats": sample_moments([1], 0.0, 1.0)}
    build.add_leaf(root, 0, **leaf)
    inner = build.add_split(root, 1, Threshold(1, 0.0, STOP, STOP))
    build.add_leaf(inner, 0, **leaf)
    build.add_leaf(inner, 1, **leaf)
    return build.finish()


@pytest.mark.parametrize(
    ("towns", "weights", "expected"),
    [
        ([0, 1, 1, -1], None, [1, 4, 4, 4]),
        ([0, 1, 1, -1], [9.0, 1.0, 1.0, 1.0], [1, 4, 4, 1]),
        ([0, 0, 1, 2], None, [1, 1, 4, 1]),
        ([0, 1, 2, -2], None, [1, 4, 1, 1]),
        ([0, 0, 1, -1], [1.0, 2.0, 3.0, 1.0], [1, 1, 4, 1]),
    ],
)
def test_rows_that_stop_go_to_the_heaviest_child(towns, weights, expected):
    tree = stopping_tree()
    columns = (np.array(towns, dtype=np.int32), np.array([1.0, 1.0, 1.0, 1.0]))
    table = Table(tree.schema, columns, 4)
    weights = None if weights is None else np.array(weights)
    target = Target("regression", np.zeros(4), None, weights)
    assert leaf_nodes(tree, table, target).tolist() == expected


def test_rows_that_stop_twice_count_where_they_went_first():
    """Three rows without a town go to b, where they make x >= 0 the heavier side."""
    tree = stopping_tree()
    towns = np.array([1, 1, 1, -1, -1, 1, 0], dtype=np.int32)
    x = np.array([-1.0, -1.0, 1.0, 1.0, 1.0, np.nan, 0.0])
    target = Target("regression", np.arange(7.0), None, None)
    table = Table(tree.schema, (towns, x), 7)
    assert leaf_nodes(tree, table, target).tolist() == [3, 3, 4, 4, 4, 4, 1]
    assert restated(tree, table, target).leaf_rows.tolist() == [1, 2, 4]


def test_a_leaf_without_rows_is_refused_by_number():
    tree = stopping_tree()
    towns, x = np.array([0, 1], dtype=np.int32), np.array([1.0, 1.0])
    target = Target("regression", np.zeros(2), None, np.array([1.0, 0.0]))
    with pytest.raises(EmptyLeafError, match="2 leaves of the tree: nodes 3, 4") as caught:
        restated(tree, Table(tree.schema, (towns, x), 2), target)
    assert caught.value.nodes == [3, 4]
    assert isinstance(caught.value, ValueError)


def test_rows_of_no_leaf_are_left_out():
    tree = stopping_tree()
    target = Target("regression", np.array([1.0, 2.0, 4.0, 9.0]), None, None)
    fresh = restated_at(tree, np.array([1, 3, 4, -1]), target)
    assert fresh.leaf_rows.tolist() == [1, 1, 1]
    assert fresh.leaf_stats.center == 5.0
    assert moments.to_integers(fresh.leaf_stats.sum)[0] * fresh.leaf_stats.target_unit == -4.0


def test_linear_models_and_smoothing_stay():
    tree = linear_tree()
    x = np.array([np.nan, 1.0, 5.0])
    fresh = restated(
        tree,
        Table(tree.schema, (x,), 3),
        Target("regression", np.array([1.0, 2.0, 3.0]), None, None),
    )
    assert fresh.linear is not None
    assert np.array_equal(fresh.linear.weight, tree.linear.weight)
    assert fresh.leaf_stats.value.tolist() == [1.0, 2.0, 3.0]


def test_a_target_of_another_kind_is_refused():
    tree = patient_tree()
    table = Table(tree.schema, tuple(np.zeros(1, dtype=np.int32) for _ in range(5)), 1)
    codes, labels = np.zeros(1, dtype=np.int32), np.array(["ill", "well"])
    with pytest.raises(DataError, match="a classification tree takes no statistics"):
        restated(tree, table, Target("regression", np.zeros(1), None, None))
    with pytest.raises(DataError, match="other classes"):
        restated(tree, table, Target("classification", codes, labels[::-1], None))
    with pytest.raises(DataError, match="row 0 that the tree does not know"):
        restated(tree, table, Target("classification", codes - 1, labels, None))
