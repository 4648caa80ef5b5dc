"""The oracle's split forms and policies, worked by hand."""

import math
from fractions import Fraction

import numpy as np
import pytest

from tests.oracle import all_candidates, best_candidate, grow
from tests.oracle_criteria import Stats, exact_gain, gain_of, split_information
from tests.oracle_policies import Ask
from tests.oracle_splits import (
    STOP,
    UNSEEN,
    Distance,
    Multiway,
    Oblique,
    Subset,
    Threshold,
    child_of,
    measure,
)
from tests.oracle_units import CATEGORICAL, CONTINUOUS, ORDINAL, Rules, bind

NAN = math.nan
VALUES, TARGET = [1.0, 1.0, 1.0, 2.0, 2.0, NAN], [0, 0, 0, 1, 1, 1]


def root_of(values, target, ask: Ask, kind=CONTINUOUS, n_classes=2, weights=None, **rules):
    return grow([values], [kind], target, weights, n_classes, Rules(**rules), [ask]).root


def codes_root(codes, target, ask: Ask, **choices):
    return root_of(codes, target, ask, CATEGORICAL, **choices)


@pytest.mark.parametrize(
    ("missing", "split", "rows"),
    [
        ("learn", Threshold(0, 1.5, 1, 1), [[0, 1, 2], [3, 4, 5]]),
        ("majority", Threshold(0, 1.5, 0, 0), [[0, 1, 2, 5], [3, 4]]),
        ("own_branch", Threshold(0, 1.5, 2, 2), [[0, 1, 2], [3, 4], [5]]),
        ("stop", Threshold(0, 1.5, STOP, STOP), [[0, 1, 2, 5], [3, 4]]),
        ("error", Threshold(0, 1.5, STOP, STOP), [[0, 1, 2, 5], [3, 4]]),
    ],
)
def test_missing_values_of_a_number(missing, split, rows):
    root = root_of(VALUES, TARGET, Ask("threshold", missing))
    assert root.split == split
    assert [child.rows for child in root.children] == rows


def test_of_equal_sides_missing_values_follow_the_first():
    root = root_of([1.0, 1.0, 2.0, 2.0, NAN], [0, 0, 1, 1, 1], Ask("threshold", "majority"))
    assert root.split == Threshold(0, 1.5, 0, 0)


@pytest.mark.parametrize(
    ("missing", "child"),
    [("learn", 0), ("majority", 0), ("own_branch", STOP), ("stop", STOP), ("error", STOP)],
)
def test_where_missing_values_go_that_training_did_not_have(missing, child):
    root = root_of([1.0, 2.0, 3.0], [0, 0, 1], Ask("threshold", missing))
    assert root.split == Threshold(0, 2.5, child, child)


def test_an_own_branch_beside_equal_values_is_a_question_of_two_answers():
    root = root_of([7.0, 7.0, NAN], [0, 0, 1], Ask("threshold", "own_branch"))
    assert root.split == Threshold(0, -math.inf, 0, 0)
    root = codes_root([3, 3, -1], [0, 0, 1], Ask("subset", "own_branch"))
    assert root.split == Subset(0, (), (), 1, 0)
    assert root_of([7.0, 7.0, NAN], [0, 0, 1], Ask("threshold", "majority")).split is None


def test_the_own_branch_may_be_small():
    ask = Ask("threshold", "own_branch")
    target = [0, 0, 1, 1, 1]
    root = root_of([1.0, 1.0, 2.0, 2.0, NAN], target, ask, min_samples_leaf=2)
    assert [len(child.rows) for child in root.children] == [2, 2, 1]


@pytest.mark.parametrize(
    ("missing", "unseen", "child"),
    [
        ("learn", "majority", 0),
        ("learn", "learn", 1),
        ("learn", "own_branch", STOP),
        ("learn", "stop", STOP),
        ("learn", "error", STOP),
        ("own_branch", "own_branch", 2),
        ("own_branch", "learn", 2),
        ("own_branch", "majority", 0),
        ("majority", "learn", 0),
        ("stop", "learn", STOP),
    ],
)
def test_unseen_values_of_an_ordinal_column(missing, unseen, child):
    codes, target = [0, 0, 0, 1, 1, -1], [0, 0, 0, 1, 1, 1]
    ask = Ask("threshold", missing, unseen)
    assert root_of(codes, target, ask, ORDINAL).split.unseen_child == child


def test_learning_where_nothing_was_missing_is_following_the_heavier_child():
    root = root_of([0, 0, 0, 1], [0, 0, 0, 1], Ask("threshold", "stop", "learn"), ORDINAL)
    assert root.split == Threshold(0, 0.5, STOP, 0)


def test_a_subset_lists_its_lighter_side():
    codes, target = [0, 1, 1, 2, 2, 3], [1, 0, 0, 0, 0, 1]
    assert codes_root(codes, target, Ask("subset")).split == Subset(0, (0, 3), (), 0, 0)
    flipped = [1 - code for code in target]
    assert codes_root(codes, flipped, Ask("subset")).split == Subset(0, (0, 3), (), 0, 0)


def test_of_equal_sides_a_subset_lists_the_one_without_the_lowest_code():
    root = codes_root([2, 2, 5, 5], [1, 1, 0, 0], Ask("subset"))
    assert root.split == Subset(0, (5,), (), 0, 0)
    assert codes_root([2, 2, 5, 5], [1, 1, 0, 0], Ask("onevsrest")).split.codes == (2,)


def test_a_subset_writes_its_rest_where_unseen_values_do_not_follow_the_majority():
    codes, target = [0, 1, 2, 3, 4], [0, 1, 0, 1, 0]
    root = codes_root(codes, target, Ask("subset", "learn", "stop"))
    assert root.split == Subset(0, (1, 3), (0, 2, 4), 0, STOP)
    root = codes_root(codes, target, Ask("onevsrest", "learn", "stop"))
    assert root.split.rest == ()


def test_missing_values_are_one_more_level_of_a_subset():
    codes, target = [0, 0, 1, 1, 2, 2, -1], [0, 0, 1, 1, 0, 0, 1]
    assert codes_root(codes, target, Ask("subset")).split == Subset(0, (1,), (), 1, 0)
    root = codes_root([0, 1, 2, -1], [0, 0, 0, 1], Ask("subset", "learn", "learn"))
    assert root.split == Subset(0, (), (0, 1, 2), 1, 1)


def test_the_best_subset_of_three_classes_is_found_among_all():
    codes, target = [0, 0, 1, 1, 2, 2, 3, 3], [0, 1, 2, 2, 0, 1, 2, 2]
    root = codes_root(codes, target, Ask("subset"), n_classes=3)
    assert root.split == Subset(0, (1, 3), (), 0, 0)
    assert root.gain == pytest.approx(0.625 - 0.25)


@pytest.mark.parametrize(
    ("missing", "unseen", "expected"),
    [
        ("learn", "majority", Multiway(0, (0, 2, 3), 3, 1)),
        ("learn", "learn", Multiway(0, (0, 2, 3), 3, 3)),
        ("own_branch", "own_branch", Multiway(0, (0, 2, 3), 3, 3)),
        ("majority", "learn", Multiway(0, (0, 2, 3), 1, 1)),
        ("stop", "majority", Multiway(0, (0, 2, 3), STOP, 1)),
        ("error", "stop", Multiway(0, (0, 2, 3), STOP, STOP)),
    ],
)
def test_a_branch_for_every_level(missing, unseen, expected):
    codes, target = [0, 2, 2, 2, 3, -1], [0, 1, 0, 1, 1, 0]
    root = codes_root(codes, target, Ask("multiway", missing, unseen))
    assert root.split == expected
    assert len(root.children) == (4 if expected.missing_child == 3 else 3)


def test_a_multiway_split_needs_two_branches_of_enough_rows():
    codes, target = [0, 0, 1, 1, 2, 3], [0, 0, 1, 1, 0, 1]
    assert codes_root(codes, target, Ask("multiway"), min_samples_leaf=2).split is not None
    assert codes_root([0, 0, 0, 1, 2, 3], target, Ask("multiway"), min_samples_leaf=2).split is None


def test_gains_of_three_children_by_hand():
    children = (Stats(2, 2, (2, 0)), Stats(3, 3, (1, 2)), Stats(3, 3, (1, 2)))
    assert gain_of("gini", children) == pytest.approx(1 / 2 - 6 / 8 * 4 / 9, abs=1e-15)
    third = -(1 / 3 * math.log2(1 / 3) + 2 / 3 * math.log2(2 / 3))
    assert gain_of("entropy", children) == pytest.approx(1 - 6 / 8 * third, abs=1e-15)
    assert gain_of("error", children) == (2 + 2 + 2 - 4) / 8
    numbers = (Stats(1, 1, (0,)), Stats(2, 2, (6,)), Stats(1, 1, (6,)))
    assert gain_of("squared_error", numbers) == pytest.approx(4.5, abs=1e-15)
    events = (Stats(1, 1, (1,)), Stats(2, 2, (2,)), Stats(1, 1, (5,)))
    expected = (3 * math.log(1 / 2) + 5 * math.log(5 / 2)) / 4
    assert gain_of("poisson", events) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("criterion", ["gini", "error", "squared_error"])
def test_gains_of_many_children_agree_with_exact_fractions(criterion: str):
    rng = np.random.default_rng(8)
    for _ in range(400):
        n_children, largest = int(rng.integers(2, 9)), int(rng.choice([3, 1000, 2**40]))
        children = [random_stats(rng, criterion, largest) for _ in range(n_children)]
        exact = exact_gain(criterion, *children)
        firsts = [child._replace(sums=child.sums[:1]) for child in children]
        counted = children if criterion != "squared_error" else firsts
        difference = abs(Fraction(gain_of(criterion, counted)) - exact)
        assert difference <= Fraction(1e-12) * exact


def random_stats(rng: np.random.Generator, criterion: str, largest: int) -> Stats:
    """Class weights, or weight and the first two moments of that many equal targets."""
    if criterion == "squared_error":
        weight, target = (int(n) for n in rng.integers(1, largest, 2))
        return Stats(1, weight, (weight * target, weight * target**2))
    sums = tuple(int(n) for n in rng.integers(0, largest, 3))
    return Stats(3, sum(sums), sums) if any(sums) else Stats(1, 1, (1, 0, 0))


TENNIS = (
    ([0, 0, 1, 2, 2, 2, 1, 0, 0, 2, 0, 1, 1, 2], 0.247, 0.156),  # outlook
    ([0, 0, 0, 1, 2, 2, 2, 1, 2, 1, 1, 1, 0, 1], 0.029, 0.019),  # temperature
    ([0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 0], 0.152, 0.152),  # humidity
    ([0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1], 0.048, 0.049),  # wind
)
PLAYED = [0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0]


def test_gain_ratios_of_the_tennis_table():
    columns = [codes for codes, *_ in TENNIS]
    problem = bind(
        columns,
        [CATEGORICAL] * 4,
        PLAYED,
        None,
        2,
        Rules("gain_ratio"),
        [Ask("multiway")] * 4,
    )
    found = list(all_candidates(problem, problem.kept))
    for candidate, (_, gain, ratio) in zip(found, TENNIS, strict=True):
        assert candidate.gain == pytest.approx(gain, abs=6e-4)
        by_hand = candidate.gain / split_information(candidate.children)
        assert by_hand == pytest.approx(ratio, abs=6e-4)
    assert best_candidate(problem, problem.kept).split.column == 0


def test_the_average_guards_against_a_large_ratio_of_a_small_gain():
    """One row apart has the largest ratio, but less than the average gain."""
    apart = [0, 0, 0, 0, 0, 0, 0, 1]
    half = [0, 0, 0, 1, 0, 1, 1, 1]
    target = [0, 0, 0, 0, 1, 1, 1, 1]
    asks = [Ask("multiway")] * 2
    problem = bind([apart, half], [CATEGORICAL] * 2, target, None, 2, Rules("gain_ratio"), asks)
    one, other = all_candidates(problem, problem.kept)
    ratios = [c.gain / split_information(c.children) for c in (one, other)]
    assert ratios[0] > ratios[1]
    assert one.gain < (one.gain + other.gain) / 2
    assert best_candidate(problem, problem.kept).split.column == 1


def test_breakpoints_by_hand():
    values, target = [1.0, 2.0, 3.0, 3.0, 4.0, 5.0], [0, 0, 0, 1, 1, 1]
    ask = Ask("threshold")
    rules = Rules("gini", breakpoints=True)
    problem = bind([values], [CONTINUOUS], target, None, 2, rules, [ask])
    places = [c.split.threshold for c in all_candidates(problem, problem.kept)]
    assert places == [2.5, 3.5]


def test_routing_by_hand():
    rest = Subset(0, (1,), (0, 2), 2, STOP)
    assert [child_of(rest, [cell]) for cell in (1, 0, 2, 3, UNSEEN, None)] == [1, 0, 0, -1, -1, 2]
    free = Subset(0, (1,), (), 1, 0)
    assert [child_of(free, [cell]) for cell in (1, 0, 3, UNSEEN, None)] == [1, 0, 0, 0, 1]
    many = Multiway(0, (2, 5), 2, STOP)
    assert [child_of(many, [cell]) for cell in (2, 5, 0, UNSEEN, None)] == [0, 1, -1, -1, 2]
    ordered = Threshold(0, 1.5, STOP, 1)
    cells = (-math.inf, 1, 2, math.inf, UNSEEN, None)
    assert [child_of(ordered, [cell]) for cell in cells] == [0, 0, 1, 1, 1, -1]


def test_oblique_routing_by_hand():
    split = Oblique((0, 1), (-1, 3), (2.0, -1.0), 1.0, 1)
    rows = [(0.5, 3), (0.5, 0), (1.0, 3), (0.0, UNSEEN), (None, 3), (math.inf, 3)]
    assert [child_of(split, row) for row in rows] == [0, 1, 1, 1, 1, 1]
    alone = Oblique((0,), (-1,), (1.0,), 0.0, STOP)
    assert [child_of(alone, [cell]) for cell in (-math.inf, None, -1.0)] == [STOP, STOP, 0]


@pytest.mark.parametrize(
    ("metric", "matrix", "expected"),
    [
        ("euclidean", (), 5.0),
        ("manhattan", (), 7.0),
        ("cosine", (), 1 - 16 / (math.sqrt(20) * math.sqrt(37))),
        ("mahalanobis", (1.0, 0.0, 0.0, 0.25), math.sqrt(9 + 4)),
    ],
)
def test_distances_by_hand(metric, matrix, expected):
    split = Distance(metric, (0, 1), (1.0, 6.0), (1.0, 1.0), matrix, 100.0, 0)
    assert measure(split, (4.0, 2.0)) == pytest.approx(expected)
    scaled = Distance(metric, (0, 1), (1.0, 6.0), (2.0, 2.0), matrix, 100.0, 0)
    factor = 1.0 if metric == "cosine" else 2.0
    assert measure(scaled, (4.0, 2.0)) == pytest.approx(factor * measure(split, (4.0, 2.0)))


def test_the_cosine_distance_to_nothing_is_one():
    split = Distance("cosine", (0, 1), (1.0, 6.0), (1.0, 1.0), (), 0.5, 0)
    assert measure(split, (0.0, 0.0)) == 1.0
    assert child_of(split, (0.0, 0.0)) == 1
    assert child_of(split, (math.inf, 0.0)) == 0
