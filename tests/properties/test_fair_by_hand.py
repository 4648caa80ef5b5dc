"""The fair gain of categorical columns, worked with pencil; the core is asked the same."""

import math
from fractions import Fraction

import numpy as np
import pytest

from tests.oracle_candidates import column_at_node
from tests.oracle_compare import assert_same_tree, split_from_arrays
from tests.oracle_criteria import Stats
from tests.oracle_fair import FREE, chance_share, charge_for, lone_levels
from tests.oracle_policies import Ask
from tests.oracle_splits import STOP, Multiway, Split, Subset, Threshold
from tests.oracle_units import CATEGORICAL, CONTINUOUS, Rules
from tests.properties.cases import Case

LEVELS, TARGET = [0, 0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 0, 1]


def coded(codes: list[int], target: list, ask: Ask, *more: list[float], **choices) -> Case:
    """A column of codes, and perhaps columns of numbers."""
    columns = [np.array(codes, dtype=np.int32), *(np.array(column) for column in more)]
    n_classes = choices.pop("n_classes", 2)
    weights = choices.pop("weights", None)
    return Case(
        columns,
        [CATEGORICAL, *[CONTINUOUS] * len(more)],
        [max(codes) + 1, *[0] * len(more)],
        np.array(target, dtype=np.int32 if n_classes else np.float64),
        n_classes,
        None if weights is None else np.array(weights, dtype=np.float64),
        Rules(**({"category_gain": "fair"} | choices)),
        [ask, *[Ask()] * len(more)],
    )


def root_of(case: Case) -> tuple[Split | None, list[list[int]]]:
    """The split of the root and its rows, of the oracle's tree, which is the core's."""
    tree = case.by_oracle()
    arrays = case.by_core()
    assert_same_tree(tree, arrays)
    assert split_from_arrays(arrays, 0) == tree.root.split
    return tree.root.split, [child.rows for child in tree.root.children]


def test_three_levels_with_pencil():
    """Seven rows, level a with classes (3, 0), b with (0, 2), c with (1, 1); the node has (4, 3).

    The best subset is {a}: gain (9/3 + (1 + 9)/4 - 25/7) / 7 = 27/98. L = 3 and n = 7, so
    rho = 1/5 and sigma = sqrt(2 * 1/5 * 4/5 / 8) = 1/5. B = 3 + 2 + 1 - 25/7 = 17/7 and
    T = 7 - 25/7 = 24/7, so R2 = 17/24. The charge is 27/98 * (2/5) * (24/17), the score
    27/98 * 37/85 = 999/8330 = 0.1199.
    """
    assert chance_share(3, 7, 2) == pytest.approx(2 / 5)
    problem = coded(LEVELS, TARGET, Ask("subset")).bound()
    charge = column_at_node(problem, 0, problem.kept).charge
    assert charge.fixed == 0.0
    assert charge.score(27 / 98) == pytest.approx(999 / 8330)


@pytest.mark.parametrize(
    ("form", "number", "column"),
    [
        ("subset", [0, 0, 0, 1, 1, 0, 0], 1),  # (4, 1) and (0, 2): a gain of 64/245 = 0.261
        ("subset", [0, 0, 1, 1, 1, 1, 1], 1),  # (2, 0) and (2, 3): 36/245 = 0.147
        ("subset", [1, 0, 0, 0, 0, 0, 0], 0),  # (1, 0) and (3, 3): 3/49 = 0.061
        ("multiway", [0, 0, 0, 1, 1, 0, 0], 1),
        ("multiway", [0, 0, 1, 1, 1, 1, 1], 0),
    ],
)
def test_a_number_beats_three_levels_by_less_than_their_gain(form, number, column):
    """A branch for each level gains B / W = 17/49 = 0.347 and competes with 17/49 * 37/85 = 0.151,
    a subset gains 0.2755 and competes with 0.12."""
    fair = coded(LEVELS, TARGET, Ask(form), number)
    assert root_of(fair)[0].column == column
    assert root_of(fair.with_rules(category_gain="plain"))[0].column == 0


def test_numbers_are_charged_as_two_classes_are():
    """Targets of 0 and 2: B = 8 + 2 - 36/7 = 34/7, T = 12 - 36/7 = 48/7, R2 = 17/24 again."""
    groups = [Stats(3, 3, (0,)), Stats(2, 2, (4,)), Stats(2, 2, (2,))]
    charge = charge_for(groups, 2, Fraction(48, 7))
    assert charge.share == pytest.approx(2 / 5 * 24 / 17)


def test_more_classes_have_less_chance():
    """K = 3 halves the variance: sigma^2 = 2 * 1/5 * 4/5 / (8 * 2)."""
    assert chance_share(3, 7, 3) == pytest.approx(1 / 5 + math.sqrt(1 / 50))


def test_evidence_is_counted_in_rows():
    """Equal weights change nothing; `charge_for` without weights counts rows."""
    groups = [Stats(3, 6, (6, 0)), Stats(2, 4, (0, 4)), Stats(2, 4, (2, 2))]
    charge = charge_for(groups, 2, Fraction(48, 7))
    assert charge.share == pytest.approx(2 / 5 * 24 / 17)


def test_two_groups_are_not_charged():
    assert charge_for([Stats(3, 3, (3, 0)), Stats(2, 2, (0, 2))], 2, Fraction(12, 5)) is FREE


def test_groups_that_are_all_alike_pay_a_share_of_the_impurity():
    """Three groups of (1, 1): B = 0; rho = 1/4, sigma^2 = 2 * 1/4 * 3/4 / 7, T / W = 1/2."""
    charge = charge_for([Stats(2, 2, (1, 1))] * 3, 2, Fraction(3))
    assert (charge.share, charge.of(0.0)) == (0.0, charge.fixed)
    assert charge.fixed == pytest.approx((1 / 4 + math.sqrt(3 / 56)) / 2)


def test_which_levels_are_lone():
    assert lone_levels([0, 0, 1, 2, 2], range(5)) == {1}
    assert lone_levels([0, 0, 1, 2, 2], [0, 2, 3]) == {0, 1, 2}
    assert lone_levels([0, 0, 1], range(3)) == set()
    assert lone_levels([0, 0, 1, None], range(4)) == {1}
    assert lone_levels([0, 0, None, None], range(4)) == set()


@pytest.mark.parametrize("form", ["subset", "multiway"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "error", "gain_ratio"])
def test_an_identifier_never_splits(form: str, criterion: str):
    target = [0, 1, 1, 0, 1, 0, 0, 1]
    codes = list(range(8))
    fair = coded(codes, target, Ask(form), criterion=criterion)
    assert root_of(fair) == (None, [])
    assert root_of(fair.with_rules(category_gain="plain"))[0] is not None
    some_weights = coded(codes, target, Ask(form), criterion=criterion, weights=[3, 1, 4, 1] * 2)
    assert root_of(some_weights) == (None, [])


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_an_identifier_never_splits_numbers(criterion: str):
    numbers = [1.0, 2.0, 5.0, 3.0]
    case = coded([0, 1, 2, 3], numbers, Ask("subset"), n_classes=0, criterion=criterion)
    assert root_of(case) == (None, [])


def test_of_two_rows_nothing_is_lone():
    assert root_of(coded([0, 1], [0, 1], Ask("subset"))) == (Subset(0, (1,), (), 0, 0), [[0], [1]])


def test_rows_of_weight_zero_are_no_evidence():
    """Level 1 has one row with a weight, so it is lone; alone with level 0 it would not be."""
    case = coded(
        [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 0, 1], Ask("multiway"), weights=[1, 1, 1, 0, 1, 1]
    )
    assert root_of(case)[0] == Multiway(0, (0, 2), 0, 0)
    case = coded([0, 0, 1, 1], [0, 0, 1, 1], Ask("multiway"), weights=[1, 1, 1, 0])
    assert root_of(case)[0] == Multiway(0, (0, 1), 0, 0)


def test_lone_levels_are_those_of_the_tree_and_not_of_a_node():
    """In the right node of the number, level 1 and level 2 have one row each, and part the rows."""
    number = [0, 0, 0, 0, 0, 1, 1]
    case = coded([0, 0, 1, 2, 0, 1, 2], [0, 0, 0, 0, 0, 0, 1], Ask("subset"), number)
    tree = case.by_oracle()
    assert_same_tree(tree, case.by_core())
    assert tree.root.split == Threshold(1, 0.5, 0, 0)
    assert tree.root.children[1].split == Subset(0, (2,), (), 0, 0)


def test_lone_rows_join_the_side_that_is_not_listed():
    """Levels 0 and 1 of three rows each: listed is 1, the one without the lowest code, and the lone
    rows 6 and 7 go to child 0. The rest names neither of their levels."""
    codes, target = [0, 0, 0, 1, 1, 1, 2, 3], [0, 0, 0, 1, 1, 1, 1, 1]
    split, rows = root_of(coded(codes, target, Ask("subset", "learn", "stop")))
    assert split == Subset(0, (1,), (0,), 0, STOP)
    assert rows == [[0, 1, 2, 6, 7], [3, 4, 5]]


def test_lone_weight_does_not_decide_which_side_is_listed():
    """Level 1 is lighter than level 0 and listed, though the heavy lone row would turn it round."""
    codes, target = [0, 0, 1, 1, 2], [0, 0, 1, 1, 1]
    split, rows = root_of(coded(codes, target, Ask("subset"), weights=[2, 2, 1, 1, 9]))
    assert split == Subset(0, (1,), (), 0, 0)
    assert rows == [[0, 1, 4], [2, 3]]


@pytest.mark.parametrize(
    ("missing", "split", "rows"),
    [
        ("learn", Subset(0, (), (), 1, 0), [[0, 1, 2], [3, 4]]),
        ("own_branch", Subset(0, (), (), 1, 0), [[0, 1, 2], [3, 4]]),
        ("majority", None, []),
        ("stop", None, []),
    ],
)
def test_is_it_missing_where_all_known_levels_are_lone(missing, split, rows):
    case = coded([0, 1, 2, -1, -1], [0, 0, 0, 1, 1], Ask("subset", missing))
    assert root_of(case) == (split, rows)


@pytest.mark.parametrize("missing", ["learn", "own_branch"])
def test_is_it_missing_beside_one_level_and_lone_ones(missing):
    case = coded([0, 0, 1, -1, -1], [0, 0, 0, 1, 1], Ask("subset", missing, "stop"))
    assert root_of(case) == (Subset(0, (), (0,), 1, STOP), [[0, 1, 2], [3, 4]])


def test_an_own_branch_holds_missing_rows_only():
    codes, target = [0, 0, 1, 1, 2, -1], [0, 0, 1, 1, 1, 1]
    split, rows = root_of(coded(codes, target, Ask("subset", "own_branch")))
    assert split == Subset(0, (1,), (), 2, 0)
    assert rows == [[0, 1, 4], [2, 3], [5]]


@pytest.mark.parametrize(
    ("missing", "split", "rows"),
    [
        ("learn", Multiway(0, (1, 3), 2, 2), [[0, 1], [2, 3], [5, 6, 7, 4, 8]]),
        ("own_branch", Multiway(0, (1, 3), 2, 2), [[0, 1], [2, 3], [5, 6, 7, 4, 8]]),
        ("majority", Multiway(0, (1, 3), 0, 0), [[0, 1, 4, 5, 6, 7, 8], [2, 3]]),
        ("stop", Multiway(0, (1, 3), STOP, 0), [[0, 1, 4, 5, 6, 7, 8], [2, 3]]),
    ],
)
def test_lone_rows_join_the_heaviest_branch(missing, split, rows):
    """Levels 0 and 4 are lone; the missing values are a branch of their own, and the heaviest."""
    codes, target = [1, 1, 3, 3, 0, -1, -1, -1, 4], [0, 0, 1, 1, 0, 0, 1, 1, 0]
    found, parts = root_of(coded(codes, target, Ask("multiway", missing)))
    assert (found, parts) == (split, [sorted(part) for part in rows])


def test_one_level_and_lone_ones_are_no_branches():
    assert root_of(coded([0, 0, 0, 1, 2], [0, 0, 1, 1, 1], Ask("multiway"))) == (None, [])
    assert root_of(coded([0, 0, 0, 1, 2], [0, 0, 1, 1, 1], Ask("subset"))) == (None, [])
    assert root_of(coded([0, 0, 0, 1, 2], [0, 0, 1, 1, 1], Ask("onevsrest")))[0] is not None


WEAK_LEVELS, WEAK_TARGET = [0] * 4 + [1] * 4 + [2] * 2, [0, 0, 0, 1, 0, 1, 1, 1, 0, 1]


def test_a_weak_column_pays_more_than_it_gains():
    """Three levels of (3, 1), (1, 3) and (1, 1): gain 1/12, R2 = 1/5, rho = 1/8, charge 0.111."""
    problem = coded(WEAK_LEVELS, WEAK_TARGET, Ask("subset")).bound()
    charge = column_at_node(problem, 0, problem.kept).charge
    expected = 5 / 12 * (1 / 8 + math.sqrt(7 / 352))
    assert charge.of(1 / 12) == pytest.approx(expected)
    assert expected > 1 / 12


@pytest.mark.parametrize("form", ["subset", "multiway"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "error", "gain_ratio"])
def test_a_column_that_pays_more_than_it_gains_splits_when_it_is_alone(form, criterion):
    """Also by the gain ratio: it has the average score, which is below zero."""
    case = coded(WEAK_LEVELS, WEAK_TARGET, Ask(form), criterion=criterion)
    assert root_of(case)[0] is not None


@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio"])
def test_a_column_that_pays_more_than_it_gains_loses_against_nothing(criterion):
    """A number without any gain has the larger score."""
    number = [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]
    target = [0, 0, 1, 1, 0, 0, 1, 1, 0, 1]
    codes = [0, 0, 0, 1, 1, 1, 1, 0, 2, 2]
    case = coded(codes, target, Ask("subset"), number, max_depth=1, criterion=criterion)
    assert root_of(case)[0].column == 1


def test_a_share_of_no_gain_is_nothing():
    """Levels of (2, 0), (1, 1) and (2, 1) differ, and no subset makes fewer errors: the charge is a
    share of a gain of 0. The number has no gain either, so that the first column wins."""
    codes, target = [0, 0, 1, 1, 2, 2, 2], [0, 0, 0, 1, 0, 0, 1]
    number = [0, 0, 1, 1, 1, 1, 1]
    case = coded(codes, target, Ask("subset"), number, max_depth=1, criterion="error")
    assert root_of(case)[0].column == 0


@pytest.mark.parametrize("power", [10, 24, 26, 35])
def test_weights_of_very_different_sizes(power: int):
    """Levels of class weights (2 H, 1), (2 H, 2), (2 H, 3), H a power of two. They explain
    hardly any of the impurity, so that the charge is many times the gain, and the number wins. The
    exact sums of squares cancel to less than their rounding as floats."""
    heavy = 2.0**power
    codes, target = [0, 0, 0, 1, 1, 1, 2, 2, 2], [0, 0, 1] * 3
    weights = [heavy, heavy, 1, heavy, heavy, 2, heavy, heavy, 3]
    number = [0, 0, 1, 0, 0, 0, 0, 0, 0]
    for criterion in ("gini", "entropy"):
        case = coded(codes, target, Ask("subset"), number, weights=weights, max_depth=1)
        assert root_of(case.with_rules(criterion=criterion))[0].column == 1


def test_limits_of_the_gain_ask_for_the_gain_and_not_for_the_score():
    """The score is 0.12, the gain 27/98 = 0.2755."""
    case = coded(LEVELS, TARGET, Ask("subset"), min_gain=0.27)
    assert root_of(case)[0] is not None
    assert root_of(case.with_rules(min_gain=0.28))[0] is None
    assert root_of(case.with_rules(min_gain=0.0, min_impurity_decrease=0.27))[0] is not None


def test_a_column_whose_gain_is_too_small_ends_the_growth_though_another_gains_enough():
    """The number wins with 36/245 = 0.147 against a score of 0.12, and 0.147 is too small; the
    subset's gain of 0.2755 is not asked for."""
    number = [0, 0, 1, 1, 1, 1, 1]
    case = coded(LEVELS, TARGET, Ask("subset"), number, min_gain=0.2)
    assert root_of(case)[0] is None
    assert root_of(case.with_rules(category_gain="plain"))[0].column == 0


@pytest.mark.parametrize(
    ("form", "missing", "unseen", "child"),
    [
        ("subset", "learn", "learn", 1),
        ("subset", "own_branch", "learn", 2),
        ("subset", "own_branch", "own_branch", 2),
        ("multiway", "learn", "learn", 2),
        ("multiway", "learn", "own_branch", 2),
        ("multiway", "own_branch", "learn", 2),
        ("subset", "learn", "majority", 0),
        ("subset", "learn", "own_branch", 0),
        ("multiway", "learn", "majority", 0),
    ],
)
def test_lone_rows_go_with_missing_ones_where_unseen_values_will(form, missing, unseen, child):
    """Eight rows of level 0, three of level 1, two missing ones, one each of levels 2 and 3."""
    codes, target = [0] * 8 + [1] * 3 + [-1] * 2 + [2, 3], [0] * 8 + [1] * 7
    case = coded(codes, target, Ask(form, missing, unseen), max_depth=1)
    split, rows = root_of(case)
    assert isinstance(split, Subset | Multiway)
    assert {13, 14} <= set(rows[child])
    ends = case.routed(case.by_core())
    assert ends[13] == ends[14] == (0 if split.unseen_child == STOP else child + 1)
