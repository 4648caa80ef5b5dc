"""Explanations of any legal tree: sums, paths and words against slow walks in plain Python."""

import json
import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silva.inspect.explain.many import Explanations
from silva.inspect.explain.single import OneTree
from silva.inspect.rules.conditions import taken
from silva.inspect.rules.matching import holds
from silva.leaf import answers
from silva.tree import route
from silva.tree.splits import STOP, columns_of, split_of
from silva.tree.tree import ClassStats
from silva.tree.view import TreeView
from tests.inspect.reason_cases import fuzzed_table
from tests.tree.tree_samples import SAMPLES, patient_tree, trees


def explained(tree, table, facts=None, digits=None):
    return Explanations(OneTree(tree, facts, digits), table, np.arange(table.n_rows))


def leaves_below(tree, node):
    """The numbers of the leaves of a subtree, by walking it."""
    leaf_number = {one: place for place, one in enumerate(np.flatnonzero(tree.is_leaf).tolist())}
    stack, found = [node], []
    while stack:
        one = stack.pop()
        if one in leaf_number:
            found.append(leaf_number[one])
        stack += tree.child[tree.child_start[one] : tree.child_start[one + 1]].tolist()
    return found


def class_units(tree, node):
    found = tree.leaf_stats
    units = [0] * len(tree.classes)
    for leaf in leaves_below(tree, node):
        for entry in range(found.start[leaf], found.start[leaf + 1]):
            units[found.code[entry]] += int(found.weight[entry])
    return units


def oracle_values(tree, node):
    """What a node predicts by its own rows, in fractions."""
    found = tree.leaf_stats
    if isinstance(found, ClassStats):
        units, smoothing = class_units(tree, node), tree.smoothing
        if smoothing is None:
            return [Fraction(one, sum(units)) for one in units]
        unit, m = Fraction(tree.weight_unit), Fraction(smoothing.m)
        all_units = class_units(tree, 0)
        prior = [Fraction(1, len(units))] * len(units)
        if smoothing.prior == "root":
            prior = [Fraction(one, sum(all_units)) for one in all_units]
        total = sum(units) * unit + m
        return [(one * unit + m * p) / total for one, p in zip(units, prior, strict=True)]
    leaves = leaves_below(tree, node)
    if tree.is_leaf[node]:
        return [Fraction(float(found.value[leaves[0]]))]
    sums = sum((int(found.sum[one][0]) << 64) + (int(found.sum[one][1]) % 2**64) for one in leaves)
    weight = sum(int(found.weight[one]) for one in leaves)
    return [Fraction(found.center) + Fraction(sums, weight) * Fraction(found.target_unit)]


def oracle_contributions(tree, end):
    """Column by column: (columns, width) in fractions, by climbing from the node to the root."""
    view, width = TreeView(tree), len(oracle_values(tree, 0))
    found = [[Fraction(0)] * width for _ in tree.schema.columns]
    node = end
    while node:
        above = view[node].parent
        change = [
            one - other
            for one, other in zip(
                oracle_values(tree, node), oracle_values(tree, above), strict=True
            )
        ]
        asked = columns_of(view[above].split)
        for column in asked:
            for place in range(width):
                found[column][place] += change[place] / len(asked)
        node = above
    return found


def as_float(fraction):
    try:
        return float(fraction)
    except OverflowError:
        return math.inf


def is_sane(tree):
    """Whether the numbers of a tree can be added without leaving float64."""
    if isinstance(tree.leaf_stats, ClassStats):
        return True
    stats = tree.leaf_stats
    reach = abs(stats.center) + 2.0**101 * stats.target_unit
    largest = np.abs(stats.value).max()
    if tree.linear is not None:
        with np.errstate(over="ignore", invalid="ignore"):
            reaches = 1e300 + np.abs(tree.linear.center)
            largest += (np.abs(tree.linear.weight) * reaches).sum()
        largest += np.abs(tree.linear.intercept).max()
    return max(reach, largest) < 1e300


def wide(array):
    return array[..., None] if array.ndim == 1 else array


@settings(max_examples=50)
@given(trees(), st.integers(0, 2**31))
def test_contributions_are_those_of_the_walk_and_add_up(tree, seed):
    table = fuzzed_table(tree, seed, 12)
    found, ends = explained(tree, table), route.leaves(tree, table)
    width = 1 if tree.classes is None else len(tree.classes)
    columns = found.contributions.reshape(table.n_rows, -1, width)
    values = [oracle_values(tree, one)[0] for one in range(tree.n_nodes)]
    scale = max(1.0 if tree.classes is not None else 0.0, *map(as_float, map(abs, values)))
    for row, end in enumerate(ends.tolist()):
        expected = oracle_contributions(tree, end)
        for mine, theirs in zip(columns[row].tolist(), expected, strict=True):
            for one, other in zip(mine, theirs, strict=True):
                if scale < 1e300:
                    assert one == pytest.approx(as_float(other), abs=1e-12 * scale, rel=1e-12)
    if not is_sane(tree):
        return
    total = np.atleast_1d(found.baseline) + columns.sum(axis=1)
    if found.leaf_contributions is not None:
        total = total + found.leaf_contributions.reshape(table.n_rows, width)
    told = predicted(tree, table)
    on_the_way = max(map(as_float, map(abs, values)))  # steps of one column may cancel out
    scale = max(1.0, on_the_way, np.abs(told).max(), np.abs(columns).max(initial=0.0))
    assert np.abs(total - told).max() <= 1e-12 * scale
    assert (found.shares if tree.classes is not None else found.prediction[:, None]).tolist() == (
        told.tolist()
    )


def predicted(tree, table):
    ends = route.leaves(tree, table)
    if tree.classes is None:
        return answers.predict_values(tree, ends, table)[:, None]
    return answers.predict_shares(tree, ends, table)


@settings(max_examples=50)
@given(trees(), st.integers(0, 2**31), st.sampled_from([None, 1, 4]))
def test_steps_follow_the_row_and_all_faces_work(tree, seed, digits):
    table, facts = fuzzed_table(tree, seed, 3), deviations(tree)
    found, ends = explained(tree, table, facts, digits), route.leaves(tree, table)
    columns = tree.schema.columns
    for row, one in enumerate(found):
        assert [step.node for step in one.steps[1:]] == [step.child for step in one.steps[:-1]]
        assert one.evidence.node == ends[row]
        for step in one.steps:
            split = split_of(tree, step.node)
            children = TreeView(tree).children(step.node)
            branch = STOP if step.child is None else children.index(step.child)
            assert holds(taken(split, branch, columns), table, np.array([row])).all()
            check_measure(step, branch)
            states = {value.state for value in step.values}
            assert (
                step.sent is None
                or states != {"known"}
                or "takes for" in step.reason
                or (step.measure is not None)
            )
        check_faces(one, digits)
    check_faces(found, digits)


def check_measure(step, branch):
    if step.measure is None:
        return
    if step.measure.value is None:
        assert step.distance is None
    else:
        assert branch == int(step.measure.value >= step.measure.threshold)
        assert step.sent is None


def check_faces(one, digits):
    json.dumps(one.to_dict(), allow_nan=False)
    assert str(one)
    assert one._repr_html_().startswith("<")
    if hasattr(one, "sentence"):
        assert one.sentence.isprintable()
        assert one.sentence.endswith(".")


def deviations(tree):
    known = [math.nan if one.levels is not None else 2.0 for one in tree.schema.columns]
    return SimpleNamespace(deviation=np.array(known))


@pytest.mark.parametrize("make", SAMPLES)
def test_one_row_says_the_same_as_all(make):
    tree = make()
    table = fuzzed_table(tree, 3, 40)
    found, names = explained(tree, table), tree.schema.names
    for row, one in enumerate(found):
        for name, change in one.contributions.items():
            told = list(change.values()) if isinstance(change, dict) else [change]
            column = wide(found.contributions[row])[names.index(name)]
            assert told == pytest.approx(column.tolist(), abs=1e-15)
        others = [place for place, name in enumerate(names) if name not in one.contributions]
        assert not found.contributions[row, others].any()
        assert one.prediction == found.prediction[row]
        again = found[row : row + 1]
        assert str(again) == str(one)
        assert again[0].row == row


def test_every_rule_for_values_that_are_not_known_is_told():
    tree = patient_tree()
    sent = {step.sent for one in explained(tree, fuzzed_table(tree, 0, 300)) for step in one.steps}
    assert sent == {None, "own branch", "stops"}
