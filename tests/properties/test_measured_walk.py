"""The guided check of oblique and distance splits, on stumps made by hand."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from tests.oracle import OracleNode, OracleTree, full_gain, training_sides
from tests.oracle_candidates import are_allowed, midpoint
from tests.oracle_criteria import gain_of
from tests.oracle_measured import measured
from tests.oracle_policies import strictest
from tests.oracle_splits import STOP, Distance, Oblique, Split
from tests.oracle_units import CONTINUOUS, Problem, Rules, stats_of
from tests.oracle_walk import check_tree
from tests.properties.cases import Case
from tests.properties.oracle_arrays import core_arrays
from tests.properties.test_measured_splits import slanted_case

ANY_MARGIN = {"oblique_margin": -1.0, "distance_margin": -1.0}


def some_split(rng: np.random.Generator, number: int) -> Oblique | Distance:
    """A direction or a distance; its threshold and missing child are still to be found."""
    if number % 2:
        weights = tuple((rng.normal(size=4) / (1, 20, 1, 1)).tolist())
        return Oblique((0, 1, 3, 5), (-1, -1, -1, 1), weights, 0.0, 0)
    metric = ("euclidean", "manhattan")[number // 2 % 2]
    return Distance(metric, (0, 1), (3.0, 3.0), (1.0, 0.05), (), 0.0, 0)


def possible(problem: Problem, split: Oblique | Distance) -> list[Split]:
    """The split with every threshold and every missing child that its policy allows (majority
    aside)."""
    numbers = [measured(problem, split, row) for row in problem.kept]
    known = sorted({number for number in numbers if number is not None})
    policy = strictest([problem.asks[column].missing for column in split.columns])
    if None not in numbers:
        children = (0, 1) if policy in ("learn", "majority") else (STOP,)
    else:
        children = {"learn": (0, 1), "own_branch": (2,)}.get(policy, (STOP,))
    return [
        replace(split, threshold=midpoint(low, high), missing_child=child)
        for low, high in pairwise(known)
        for child in children
    ]


def stump(problem: Problem, split: Split) -> OracleTree | None:
    """None where the rules forbid it."""
    sides = training_sides(problem, split, problem.kept)
    stats = tuple(stats_of(problem, side) for side in sides)
    if not are_allowed(problem, split, stats):
        return None
    gain = full_gain(problem, gain_of(problem.rules.criterion, stats))
    children = tuple(OracleNode(side, 1, s) for side, s in zip(sides, stats, strict=True))
    rows = problem.kept
    root = OracleNode(rows, 0, stats_of(problem, rows), None, split, gain, children)
    return OracleTree(root, problem)


def is_accepted(tree: OracleTree, **margins: float) -> bool:
    try:
        check_tree(tree.problem, core_arrays(tree), **(ANY_MARGIN | margins))
    except AssertionError:
        return False
    return True


def test_only_the_best_of_a_direction_is_accepted():
    accepted = refused = 0
    for number in range(120):
        rng = np.random.default_rng([number, 81])
        case = slanted_case(rng, 3, "gini").with_rules(max_depth=1)
        if case.n_rows > 20:
            continue
        policy = ("learn", "own_branch", "stop")[number % 3]
        problem = case.with_asks([a._replace(missing=policy) for a in case.all_asks]).bound()
        trees = [stump(problem, split) for split in possible(problem, some_split(rng, number))]
        trees = [tree for tree in trees if tree and tree.root.gain > 0]
        best = max(tree.root.gain for tree in trees)
        for tree in trees:
            if is_accepted(tree):
                assert tree.root.gain >= best * (1 - 1e-9)
                accepted += 1
            else:
                refused += 1
    assert accepted >= 30
    assert refused > 5 * accepted


@pytest.mark.parametrize(("margin", "accepted"), [(0.1, True), (3.0, False)])
def test_an_oblique_split_must_beat_the_axes(margin: float, accepted: bool):
    rng = np.random.default_rng(82)
    columns = list(rng.normal(size=(2, 80)))
    target = (columns[0] + columns[1] > 0).astype(np.int32)
    rules = Rules(max_depth=1)
    problem = Case(columns, [CONTINUOUS] * 2, [0] * 2, target, 2, None, rules).bound()
    splits = possible(problem, Oblique((0, 1), (-1, -1), (1.0, 1.0), 0.0, 0))
    trees = [tree for split in splits if (tree := stump(problem, split))]
    gain = max(tree.root.gain for tree in trees)
    best = [tree for tree in trees if tree.root.gain == gain]
    assert gain == pytest.approx(0.5, abs=0.02)
    assert any(is_accepted(tree, oblique_margin=margin) for tree in best) == accepted
