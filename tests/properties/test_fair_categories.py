"""The fair gain of categorical columns: the core's trees are the oracle's, charge by charge."""

from dataclasses import replace

import numpy as np
import pytest

from tests.effort import tries
from tests.oracle import best_candidate, best_of_columns, slack_of
from tests.oracle_compare import assert_same_tree, split_from_arrays
from tests.oracle_criteria import gain_of
from tests.oracle_policies import Ask
from tests.oracle_units import CATEGORICAL, CONTINUOUS, Problem, Rules, stats_of
from tests.oracle_walk import check_tree
from tests.properties.cases import Case, same_bytes
from tests.properties.fair_cases import (
    levels_case,
    random_fair_case,
    random_numbers,
    stump_beside_number,
)
from tests.properties.policy_cases import has_documented_ties
from tests.properties.test_random_growth import members_of

TARGETS = [
    (2, "gini"),
    (2, "entropy"),
    (2, "error"),
    (3, "gini"),
    (4, "entropy"),
    (3, "error"),
    (0, "squared_error"),
    (0, "poisson"),
]


@pytest.mark.parametrize("seed", range(400, 404))
def test_random_tables_of_many_levels(seed: int):
    """Seeds are fixed; a failure names the table by seed and number."""
    for number in tries(120, 250):
        case = random_fair_case(np.random.default_rng([seed, number]))
        arrays = case.by_core()
        try:
            check_tree(case.bound(), arrays)
            if has_documented_ties(case):
                assert_same_tree(case.by_oracle(follow=arrays), arrays)
        except AssertionError as error:
            raise AssertionError(f"random table [{seed}, {number}]: {error}") from error


@pytest.mark.parametrize("form", ["subset", "multiway"])
@pytest.mark.parametrize(("n_classes", "criterion"), TARGETS)
def test_the_score_lies_between_the_gains_of_numbers_that_lose_and_win(n_classes, criterion, form):
    """The column of levels beside a number with a little less and one with a little more gain than
    its score: the stumps measure the charge."""
    widths, numbers = [], tries(80, 200)
    for number in numbers:
        rng = np.random.default_rng([number, n_classes, 410])
        case = levels_case(rng, n_classes, criterion, form)
        problem = case.bound()
        best = best_candidate(problem, problem.kept)
        if best is not None and best.charge > 0:
            slack = slack_of(problem, problem.kept, [best])
            gains = check_neighbours(case, gains_of_numbers(problem, rng), best.score, slack)
            widths.append((gains[1] - gains[0]) / best.gain if best.gain else 1.0)
    assert len(widths) > len(numbers) / 2
    assert np.median(widths) < 0.1


def gains_of_numbers(problem: Problem, rng: np.random.Generator) -> list[tuple[float, np.ndarray]]:
    """Numbers of two values whose children are allowed, with their gains."""
    found = []
    for values in random_numbers(rng, np.array(problem.target)):
        sides = [[row for row in problem.kept if values[row] == side] for side in (0, 1)]
        children = [stats_of(problem, side) for side in sides]
        is_poisson = problem.rules.criterion == "poisson"
        if all(c.rows and (c.sums[0] > 0 or not is_poisson) for c in children):
            found.append((gain_of(problem.rules.criterion, children), values))
    return found


def check_neighbours(case: Case, numbers: list, score: float, slack: float) -> tuple[float, float]:
    """The nearest gains that lose and win against the score; zero and infinity where there are
    none."""
    losing = max((n for n in numbers if n[0] < score - slack), key=lambda n: n[0], default=None)
    winning = min((n for n in numbers if n[0] > score + slack), key=lambda n: n[0], default=None)
    for column, number in enumerate((losing, winning)):
        if number is not None:
            split = split_from_arrays(stump_beside_number(case, number[1]).by_core(), 0)
            assert split.column == column, f"score {score}, gain of the number {number[0]}"
    return losing[0] if losing else 0.0, winning[0] if winning else np.inf


ONE_COLUMN = {"max_features": 1}


def test_further_columns_are_drawn_while_no_score_is_positive():
    """A charged column without a positive score is split only if no other column does better."""
    judged = 0
    for number in range(300):
        case = random_fair_case(np.random.default_rng([number, 420]), max_rows=30)
        if not has_documented_ties(case) or case.rules.criterion == "gain_ratio":
            continue
        arrays, problem = case.by_core(seed=number, **ONE_COLUMN), case.bound()
        for node, rows in members_of(problem, arrays):
            judged += is_judged_draw(problem, split_from_arrays(arrays, node).column, rows, number)
    assert judged > 100


def is_judged_draw(problem: Problem, column: int, rows: list[int], number: int) -> bool:
    best = best_of_columns(problem, rows)
    chosen = next(c for c in best if c.split.column == column)
    slack = slack_of(problem, rows, best)
    if chosen.charge == 0 or chosen.score > -slack:
        return False
    assert chosen.score >= max(c.score for c in best) - slack, (number, chosen)
    return True


def mixed_columns(n_useful: int, n_noisy: int) -> Case:
    """Numbers that follow the target, then columns of levels of two rows that do not."""
    rng = np.random.default_rng(421)
    target = rng.permutation(np.arange(60) % 2).astype(np.int32)
    useful = [target + rng.normal(size=60) * 0.4 for _ in range(n_useful)]
    noisy = [(rng.permutation(60) // 2).astype(np.int32) for _ in range(n_noisy)]
    kinds = [CONTINUOUS] * n_useful + [CATEGORICAL] * n_noisy
    n_levels = [0] * n_useful + [30] * n_noisy
    asks = [Ask()] * n_useful + [Ask("subset")] * n_noisy
    rules = Rules(max_depth=1, category_gain="fair")
    return Case(useful + noisy, kinds, n_levels, target, 2, None, rules, asks)


def root_columns(case: Case, **choices) -> set[int]:
    trees = [case.by_core(seed=seed, **choices) for seed in range(60)]
    return {split_from_arrays(arrays, 0).column for arrays in trees}


def test_a_forest_s_draw_does_not_end_at_noise():
    case = mixed_columns(2, 4)
    scores = [c.score for c in best_of_columns(case.bound(), case.bound().kept)]
    assert min(scores[:2]) > 0 > max(scores[2:])
    assert root_columns(case, **ONE_COLUMN) == {0, 1}
    plain = case.with_rules(category_gain="plain")
    assert root_columns(plain, **ONE_COLUMN) == set(range(6))


def test_of_noise_alone_the_draws_end_at_the_best_score():
    case = mixed_columns(0, 4)
    best = split_from_arrays(case.by_core(), 0).column
    assert root_columns(case, **ONE_COLUMN) == {best}


def test_random_growth_without_anything_random_is_the_best_growth():
    """Every column has a branch for each level, and all columns are tried: charges are the same."""
    for number in range(200):
        case = random_fair_case(np.random.default_rng([number, 422]))
        codes = [c for c, kind in enumerate(case.kinds) if kind == CATEGORICAL]
        parts = {name: [getattr(case, name)[c] for c in codes] for name in ("columns", "kinds")}
        asks = [case.all_asks[c]._replace(form="multiway") for c in codes]
        n_levels = [case.n_levels[c] for c in codes]
        case = replace(case, **parts, n_levels=n_levels, asks=asks)
        best = case.by_core()
        assert same_bytes(case.by_core(seed=number, splitter="random"), best), number


def test_a_random_subset_is_not_charged():
    """It competes with its gain: against a number without any gain it always wins."""
    case = mixed_columns(0, 1)
    rng = np.random.default_rng(423)
    number = np.empty(60)
    for label in (0, 1):
        number[case.target == label] = rng.permutation(30) % 2
    beside = stump_beside_number(case, number)
    assert root_columns(beside) == {1}
    gains = {float(beside.by_core(seed=s, splitter="random")["gain"][0]) for s in range(60)}
    assert len(gains) > 5
    assert 0 in root_columns(beside, splitter="random")


@pytest.mark.parametrize("choices", [{"splitter": "random"}, ONE_COLUMN])
def test_random_growth_names_no_lone_level(choices: dict):
    for number in range(200):
        case = random_fair_case(np.random.default_rng([number, 424]))
        arrays, problem = case.by_core(seed=number, **choices), case.bound()
        for node, rows in members_of(problem, arrays):
            split = split_from_arrays(arrays, node)
            lone = problem.lone[split.column]
            listed = {*getattr(split, "codes", ()), *getattr(split, "rest", ())}
            assert not listed & lone, (number, node)
            assert listed <= {problem.columns[split.column][row] for row in rows}
