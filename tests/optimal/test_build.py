"""Arrays of tests become ordinary trees, which route their rows as the tests do."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silva.data.bind import bind_classes, bind_training
from silva.grow.grow import grow
from silva.optimal.build import (
    arrays_of,
    leaf_tree,
    node_rows,
    simplified,
    threshold_between,
    tree_of,
    value_of,
)
from silva.optimal.incumbent import greedy_plans, useless_splits
from silva.optimal.objective import objective_of
from silva.optimal.questions import questions_of
from silva.optimal.search import Limits
from silva.tree import route
from silva.tree.check import check
from silva.tree.splits import STOP, Subset, Threshold, split_of

ANY = Limits(None, None, 1)


def random_table(seed, n_rows, missing):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "x": rng.integers(0, 5, n_rows).astype(float),
            "big": 1.7e9 + rng.integers(0, 5, n_rows),
            "flag": rng.random(n_rows) > 0.5,
            "word": rng.choice(list("abcdefg"), n_rows),
            "size": pd.Categorical(
                rng.choice(["s", "m", "l"], n_rows), ["s", "m", "l"], ordered=True
            ),
        }
    )
    if missing:
        frame.loc[rng.random(n_rows) < 0.3, "x"] = np.nan
        frame.loc[rng.random(n_rows) < 0.3, "word"] = None
        frame["size"] = frame["size"].mask(rng.random(n_rows) < 0.2)
    return frame, rng.choice(["no", "yes", "perhaps"], n_rows)


def random_arrays(questions, rng, depth):
    """A random tree whose leaves all have rows."""
    nodes = []

    def add(rows, left):
        here = len(nodes)
        nodes.append([-1, -1, -1, -1])
        tests = [
            (column, position)
            for column, levels in enumerate(questions.levels)
            for position in range(1, levels)
            if 0 < np.count_nonzero(questions.ranks[column, rows] < position) < len(rows)
        ]
        if left and tests and rng.random() < 0.9:
            column, position = tests[rng.integers(len(tests))]
            goes_left = questions.ranks[column, rows] < position
            first = add(rows[goes_left], left - 1)
            nodes[here] = [column, position, first, add(rows[~goes_left], left - 1)]
        return here

    add(np.arange(questions.ranks.shape[1]), depth)
    return tuple(np.ascontiguousarray(part) for part in np.array(nodes, dtype=np.int32).T)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(1, 40),
    st.booleans(),
    st.sampled_from(["majority", "learn", "stop"]),
)
def test_a_tree_routes_its_rows_as_the_tests_do(seed, n_rows, missing, unseen):
    frame, labels = random_table(seed, n_rows, missing)
    rng = np.random.default_rng(seed)
    table = bind_training(frame, unseen=unseen)
    weights = rng.integers(0, 3, n_rows).astype(float)
    weights[0] = 1.0
    target = bind_classes(labels, weights, None, n_rows)
    objective = objective_of(target, weights, None, 0.01, False)
    questions = questions_of(table.take(objective.rows), objective.weights, None, 6, 10**9)
    arrays = random_arrays(questions, rng, 3)
    tree = check(tree_of(arrays, questions, table, target))
    leaves = route.leaves(tree, table)[objective.rows]
    groups = {frozenset(np.flatnonzero(leaves == leaf).tolist()) for leaf in set(leaves.tolist())}
    wanted = node_rows(arrays, questions.ranks)
    assert groups == {
        frozenset(rows.tolist())
        for rows, column in zip(wanted, arrays[0], strict=True)
        if column < 0
    }
    assert tree.leaf_rows.sum() == len(objective.rows)
    _, value = useless_splits(tree, table, objective)
    smaller = simplified(arrays, questions, objective)
    assert (
        value_of(smaller, questions, objective) == value <= value_of(arrays, questions, objective)
    )
    again = arrays_of(tree_of(smaller, questions, table, target), questions)
    assert again is not None
    assert value_of(again, questions, objective) == value
    useless, _ = useless_splits(tree, table, objective)
    cut = arrays_of(tree, questions, useless)
    assert cut is not None
    assert value_of(cut, questions, objective) == value


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 60), st.booleans(), st.sampled_from([0, 3, 6]))
def test_every_greedy_tree_can_be_offered(seed, n_rows, missing, most):
    frame, labels = random_table(seed, n_rows, missing)
    table, target = bind_training(frame), bind_classes(labels, None, None, n_rows)
    objective = objective_of(target, None, None, 0.0, False)
    questions = questions_of(table, objective.weights, None, most, 10**9)
    for plan in greedy_plans(table, Limits(4, None, 1), most):
        tree = grow(table, target, plan)
        arrays = arrays_of(tree, questions)
        assert arrays is not None
        leaves = route.leaves(tree, table)
        wanted = {
            frozenset(np.flatnonzero(leaves == leaf).tolist()) for leaf in set(leaves.tolist())
        }
        found = node_rows(arrays, questions.ranks)
        assert wanted == {
            frozenset(rows.tolist())
            for rows, column in zip(found, arrays[0], strict=True)
            if column < 0
        }
        assert value_of(arrays, questions, objective) == useless_splits(tree, table, objective)[1]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1.0, 2.0, 1.5),
        (1.0, np.nextafter(1.0, 2.0), np.nextafter(1.0, 2.0)),
        (-1.7e308, 1.7e308, 0.0),
        (1.6e308, 1.7e308, 1.6e308 / 2 + 1.7e308 / 2),
        (-np.inf, 0.0, 0.0),
        (0.0, np.inf, np.inf),
        (-np.inf, np.inf, np.inf),
    ],
)
def test_thresholds_lie_between_their_neighbours(low, high, expected):
    assert threshold_between(low, high) == expected
    assert low < threshold_between(low, high) <= high


def test_a_threshold_is_the_midpoint_of_the_values_in_its_node():
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0, 10.0], "y": [0.0, 1.0, 1.0, 0.0]})
    table, target = bind_training(frame), bind_classes([0, 1, 1, 0], None, None, 4)
    questions = questions_of(table, np.ones(table.n_rows), None, 6, 10**9)
    arrays = tuple(
        np.array(part, np.int32)
        for part in ([1, 0, -1, -1, -1], [1, 1, -1, -1, -1], [1, 2, -1, -1, -1], [4, 3, -1, -1, -1])
    )
    tree = tree_of(arrays, questions, table, target)
    assert split_of(tree, 0) == Threshold(1, 0.5, 0, 0)
    assert split_of(tree, 1).threshold == 5.0


def test_missing_values_alone_on_a_side_are_asked_for():
    frame = pd.DataFrame({"x": [1.0, 2.0, np.nan], "c": ["a", "b", None]})
    table, target = bind_training(frame), bind_classes([0, 0, 1], None, None, 3)
    questions = questions_of(table, np.ones(table.n_rows), None, 6, 10**9)
    seen = set()
    for column, ordered in enumerate(questions.columns):
        for position in range(1, questions.levels[column]):
            tests = [column, -1, -1], [position, -1, -1], [1, -1, -1], [2, -1, -1]
            tree = tree_of(
                tuple(np.array(part, np.int32) for part in tests), questions, table, target
            )
            split = split_of(tree, 0)
            if sorted(tree.leaf_rows.tolist()) == [1, 2] and tree.gain[0] > 0:
                seen.add(split)
                assert ordered.column == split.column
    assert Threshold(0, -np.inf, 0, 1) in seen
    assert Subset(1, (), (), 1, 0) in seen or len(seen) == 1


def test_policies_of_columns_without_missing_values():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "c": ["a", "b", "c"]})
    target = bind_classes([0, 1, 1], None, None, 3)
    for missing, unseen, wanted in (("learn", "majority", 1), ("stop", "stop", STOP)):
        table = bind_training(frame, missing=missing, unseen=unseen)
        questions = questions_of(table, np.ones(table.n_rows), None, 6, 10**9)
        tests = [0, -1, -1], [1, -1, -1], [1, -1, -1], [2, -1, -1]
        tree = tree_of(tuple(np.array(part, np.int32) for part in tests), questions, table, target)
        assert (split_of(tree, 0).missing_child, split_of(tree, 0).unseen_child) == (wanted, wanted)


def test_a_leaf():
    frame = pd.DataFrame({"x": [1.0, 2.0]})
    tree = check(leaf_tree(bind_training(frame), bind_classes(["a", "b"], None, None, 2)))
    assert (tree.n_nodes, tree.criterion) == (1, "error")
