"""The oracle is right by itself: worked examples by hand, and exact fractions for its gains."""

import math
from fractions import Fraction

import numpy as np
import pytest

from tests.oracle import all_candidates, best_candidate, grow, training_sides
from tests.oracle_candidates import midpoint
from tests.oracle_criteria import EXACT_IMPURITIES, Stats, exact_gain, gain_of
from tests.oracle_splits import Subset, Threshold
from tests.oracle_units import BINARY, CATEGORICAL, CONTINUOUS, Rules, leaf_value, weight_units
from tests.properties.random_cases import random_case
from tests.properties.vector_oracle import Vectors
from tests.properties.vector_oracle import best_candidate as best_by_vectors

NAN = math.nan


def grow_one_column(values, target, weights=None, n_classes=2, kind=CONTINUOUS, **rules):
    return grow([values], [kind], target, weights, n_classes, Rules(**rules))


def test_one_threshold_separates_two_classes():
    root = grow_one_column([1.0, 2.0, 4.0, 8.0], [0, 0, 1, 1]).root
    assert root.split == Threshold(0, 3.0, 0, 0)
    assert root.gain == 0.5
    assert [child.rows for child in root.children] == [[0, 1], [2, 3]]


def test_exclusive_or_is_solved_through_a_split_without_gain():
    columns = [[0, 0, 1, 1], [0, 1, 0, 1]]
    root = grow(columns, [BINARY, BINARY], [0, 1, 1, 0], None, 2, Rules()).root
    assert root.gain == 0.0
    assert (root.split.column, root.split.threshold) == (0, 0.5)
    assert [child.gain for child in root.children] == [0.5, 0.5]


def test_zero_gain_halves_the_node():
    values, target = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0, 0, 1, 0, 0, 0]
    root = grow_one_column(values, target, criterion="error").root
    assert (root.gain, root.split.threshold) == (0.0, 3.5)


def test_gains_by_hand():
    left, right = Stats(3, 3, (3, 0)), Stats(5, 5, (1, 4))
    assert gain_of("gini", (left, right)) == pytest.approx(0.5 - 5 / 8 * (8 / 25), abs=1e-15)
    entropy = -(0.2 * math.log2(0.2) + 0.8 * math.log2(0.8))
    assert gain_of("entropy", (left, right)) == pytest.approx(1 - 5 / 8 * entropy, abs=1e-15)
    assert gain_of("error", (left, right)) == (3 + 4 - 4) / 8
    left, right = Stats(2, 2, (2,)), Stats(2, 2, (6,))
    assert gain_of("squared_error", (left, right)) == 1.0
    expected = (2 * math.log(1 / 2) + 6 * math.log(3 / 2)) / 4
    assert gain_of("poisson", (left, right)) == pytest.approx(expected, abs=1e-15)


def test_missing_goes_where_it_gains():
    root = grow_one_column([1.0, 2.0, 3.0, 4.0, NAN, NAN], [0, 0, 1, 1, 0, 0]).root
    assert root.split == Threshold(0, 2.5, 0, 0)
    root = grow_one_column([1.0, 2.0, 3.0, 4.0, NAN, NAN], [0, 0, 1, 1, 1, 1]).root
    assert root.split == Threshold(0, 2.5, 1, 1)


def test_missing_against_the_rest():
    root = grow_one_column([1.0, 2.0, 3.0, NAN], [0, 0, 0, 1]).root
    assert root.split == Threshold(0, -math.inf, 0, 0)
    root = grow_one_column([0, 1, 2, -1], [0, 0, 0, 1], kind=CATEGORICAL).root
    assert root.split == Subset(0, (), (), 1, 0)


def test_a_column_without_missing_values_sends_them_to_the_heavier_child():
    assert grow_one_column([1.0, 2.0, 3.0], [0, 1, 1]).root.split.missing_child == 1
    assert grow_one_column([1.0, 2.0, 3.0], [0, 0, 1]).root.split.missing_child == 0
    assert grow_one_column([1.0, 2.0], [0, 1]).root.split.missing_child == 0


def test_one_level_against_the_rest():
    root = grow_one_column([0, 1, 2, 1, 0], [0, 1, 0, 1, 0], kind=CATEGORICAL).root
    assert root.split == Subset(0, (1,), (), 0, 0)
    assert root.children[1].rows == [1, 3]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1.0, 2.0, 1.5),
        (1e308, 1.7e308, 1e308 / 2 + 1.7e308 / 2),
        (1.0, math.nextafter(1.0, 2.0), math.nextafter(1.0, 2.0)),
        (0.0, 5e-324, 5e-324),
        (-math.inf, 3.0, 3.0),
        (3.0, math.inf, math.inf),
        (-math.inf, math.inf, math.inf),
    ],
)
def test_a_midpoint_never_misplaces_its_neighbours(low, high, expected):
    assert midpoint(low, high) == expected
    assert low < midpoint(low, high) <= high


def test_weights_are_counted_in_the_largest_common_power_of_two():
    assert weight_units([Fraction(3, 4), Fraction(0), Fraction(5, 2)], False) == ([3, 0, 10], 0.25)
    assert weight_units([Fraction(2), Fraction(4)], False) == ([1, 2], 2.0)
    assert weight_units([Fraction(1)] * 3, True) == ([1, 1, 1], 1.0)


def test_weights_too_fine_to_be_exact_are_rounded_but_never_vanish():
    units, unit = weight_units([Fraction(0.1), Fraction(1e-30), Fraction(0)], False)
    assert unit == 2.0**-45
    assert units == [round(0.1 * 2**45), 1, 0]


def test_targets_far_from_zero_keep_their_differences():
    target = [1e9 + 1e-3 * k for k in (0, 1, 2, 3)]
    tree = grow_one_column([1.0, 2.0, 3.0, 4.0], target, None, 0, criterion="squared_error")
    assert tree.root.split.threshold == 2.5
    assert tree.root.gain == pytest.approx(1e-6, rel=1e-3)
    assert leaf_value(tree.problem, [0, 1, 2]) == pytest.approx(1e9 + 1e-3, abs=1e-6)


def test_a_child_without_counts_is_not_allowed_under_poisson():
    values, target = [1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 1.0, 2.0]
    assert grow_one_column(values, target, None, 0, criterion="poisson").root.split.threshold == 3.5


def test_best_first_spends_its_leaves_on_the_largest_gain():
    values, target = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0, 1, 1, 1, 1, 0]
    root = grow_one_column(values, target, max_leaf_nodes=3).root
    leaves = [root.children[0], root.children[1]]
    assert sorted(len(leaf.children) for leaf in leaves) == [0, 2]
    assert grow_one_column(values, target, max_leaf_nodes=1).root.split is None


def test_rows_of_weight_zero_are_absent():
    tree = grow_one_column([1.0, 2.0, 3.0], [0, 1, 0], weights=[1.0, 0.0, 1.0])
    assert tree.root.rows == [0, 2]
    assert tree.root.split is None


def test_stopping_rules_by_hand():
    values, target = [1.0, 2.0, 3.0, 4.0], [0, 1, 1, 1]
    assert grow_one_column(values, target).root.split.threshold == 1.5
    assert grow_one_column(values, target, min_samples_leaf=2).root.split.threshold == 2.5
    assert grow_one_column(values, target, min_samples_leaf=3).root.split is None
    assert grow_one_column(values, target, min_samples_split=5).root.split is None
    assert grow_one_column(values, target, min_gain=0.376).root.split is None
    assert grow_one_column(values, target, min_gain=0.375).root.split is not None
    assert grow_one_column(values, target, min_impurity_decrease=0.376).root.split is None
    assert grow_one_column(values, target, min_weight_fraction_leaf=0.3).root.split.threshold == 2.5


def test_gains_of_all_candidates_agree_with_exact_fractions():
    """The documented float64 expressions are within 1e-12 of the textbook's fractions."""
    rng = np.random.default_rng(5)
    checked = 0
    for _ in range(400):
        case = random_case(rng, max_rows=24)
        if case.rules.criterion in EXACT_IMPURITIES:
            checked += check_gains_exactly(case)
    assert checked > 2000


def check_gains_exactly(case) -> int:
    problem = case.bound()
    criterion, count = case.rules.criterion, 0
    for candidate in all_candidates(problem, problem.kept):
        sides = training_sides(problem, candidate.split, problem.kept)
        exact = exact_gain(criterion, *(exact_stats(problem, side) for side in sides))
        assert [child.rows for child in candidate.children] == [len(side) for side in sides]
        assert candidate.gain == pytest.approx(float(exact), rel=1e-12, abs=1e-12)
        count += 1
    return count


def exact_stats(problem, rows) -> Stats:
    """Stats from the rows themselves, with the second moment for numbers."""
    weights = [problem.weight_of[row] for row in rows]
    codes = [problem.code_of[row] for row in rows]
    if problem.n_classes == 0:
        moments = [
            sum(w * q**power for w, q in zip(weights, codes, strict=True)) for power in (1, 2)
        ]
        return Stats(len(rows), sum(weights), tuple(moments))
    by_class = [
        sum(w for w, q in zip(weights, codes, strict=True) if q == code)
        for code in range(problem.n_classes)
    ]
    return Stats(len(rows), sum(weights), tuple(by_class))


def test_both_oracles_choose_the_same_split():
    rng = np.random.default_rng(6)
    for _ in range(300):
        vectors = Vectors.of(random_case(rng, max_rows=60))
        rows = vectors.problem.kept
        ours, theirs = (
            best_candidate(vectors.problem, rows),
            best_by_vectors(vectors, np.array(rows)),
        )
        assert (ours and ours[:3]) == (theirs and theirs[:3])
