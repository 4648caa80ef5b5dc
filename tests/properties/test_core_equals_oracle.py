"""The core's tree equals the oracle's, node by node and bit by bit, on thousands of tables."""

import sys
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from tests.effort import tries
from tests.oracle import OracleNode
from tests.oracle_compare import assert_same_tree, describe_arrays
from tests.oracle_criteria import Stats, exact_gain
from tests.oracle_units import Problem, Rules
from tests.properties.cases import Case
from tests.properties.random_cases import random_case, random_rich_case
from tests.properties.strategies import problems


@given(problems())
def test_any_small_table(case: Case):
    assert_same_tree(case.by_oracle(), case.by_core())


@pytest.mark.parametrize("seed", range(8))
def test_random_tables(seed: int):
    """Seeds are fixed; a failure names the table by seed and number."""
    for number in tries(400, 1000):
        check_random_table(seed, number, random_case, 40)


@pytest.mark.parametrize("seed", range(100, 104))
def test_larger_random_tables(seed: int):
    for number in tries(50, 100):
        check_random_table(seed, number, random_case, 200)


@pytest.mark.parametrize("seed", range(200, 204))
def test_random_tables_with_many_distinct_values(seed: int):
    for number in tries(12, 25):
        check_random_table(seed, number, random_rich_case)


def check_random_table(seed: int, number: int, make: Callable[..., Case], *sizes: int) -> None:
    case = make(np.random.default_rng([seed, number]), *sizes)
    try:
        assert_same_tree(case.by_oracle(), case.by_core())
    except AssertionError as error:
        raise AssertionError(f"random table [{seed}, {number}]: {error}") from error


@pytest.mark.parametrize(
    ("target", "weights"),
    [
        ([0.1, 0.2, 0.3], None),
        ([1e-323, 5e-324], [0.4004454158114946, 0.8803615470278106]),
        ([1.7e308, 1.6e308, 1.5e308], [1e300, 1e290, 1e299]),
        ([1.0, np.nextafter(1.0, 2.0), 1e-300, -1e-300, -5e-324], None),
        ([2.0**53, 2.0**53 + 2, 2.0**-600, 2.0**-600], [2.0**600, 2.0**600, 1.0, 1.0]),
        ([2.0**53, 2.0**53 + 2, 2.0**-600, 0.0], None),
    ],
)
def test_the_value_of_a_leaf_is_the_exact_mean_rounded_once(target: list, weights: list | None):
    weights = None if weights is None else np.array(weights)
    nothing = np.zeros(len(target))
    case = Case([nothing], [0], [0], np.array(target), 0, weights, Rules("squared_error"))
    assert_same_tree(case.by_oracle(), case.by_core())


@pytest.mark.parametrize("seed", range(3))
def test_gains_of_the_core_agree_with_exact_fractions(seed: int):
    """Gains of gini, error and squared_error are those of the original targets, to 1e-12 (and the
    rounding of the targets to their unit)."""
    checked = 0
    for number in range(300):
        case = random_case(np.random.default_rng([seed, number, 7]))
        if case.rules.criterion in ("gini", "error", "squared_error"):
            checked += check_gains_of_tree(case)
    assert checked > 300


def check_gains_of_tree(case: Case) -> int:
    tree, records = case.by_oracle(), describe_arrays(case.by_core())
    criterion, problem = case.rules.criterion, tree.problem
    slack = rounding_of_targets(problem)
    stack, count = [("", tree.root)], 0
    while stack:
        path, node = stack.pop()
        if node.split:
            exact = exact_gain(criterion, *(original_stats(problem, c) for c in node.children))
            gain = float.fromhex(records[path]["gain"])
            if 1e-290 < gain < sys.float_info.max:
                assert abs(Fraction(gain) - exact) <= Fraction(1e-12) * exact + slack, path
            count += 1
        stack += [(f"{path}{side}", child) for side, child in enumerate(node.children)]
    return count


def rounding_of_targets(problem: Problem) -> Fraction:
    """What a gain can change when each target moves by half a unit."""
    if problem.n_classes:
        return Fraction(0)
    kept = [Fraction(problem.target[row]) for row in problem.kept]
    return 2 * (max(kept) - min(kept)) * Fraction(problem.target_unit)


def original_stats(problem: Problem, node: OracleNode) -> Stats:
    """Weights as counted, class weights or exact moments of the original targets."""
    if problem.n_classes:
        return node.stats
    pairs = [(problem.weight_of[row], Fraction(problem.target[row])) for row in node.rows]
    moments = tuple(sum(weight * target**power for weight, target in pairs) for power in (1, 2))
    return Stats(len(node.rows), node.stats.weight, moments)
