"""Every split form and every policy: equal to the oracle bit by bit, and judged node by node."""

import numpy as np
import pytest
from hypothesis import given

from tests.effort import tries
from tests.oracle_compare import assert_same_tree
from tests.oracle_walk import check_tree
from tests.properties.cases import Case
from tests.properties.policy_cases import (
    has_documented_ties,
    random_policy_case,
    random_rich_policy_case,
)
from tests.properties.strategies import policy_problems


@given(policy_problems())
def test_any_small_table(case: Case):
    check_case(case)


@pytest.mark.parametrize("seed", range(300, 306))
def test_random_tables(seed: int):
    """Seeds are fixed; a failure names the table by seed and number."""
    for number in tries(150, 300):
        case = random_policy_case(np.random.default_rng([seed, number]))
        try:
            check_case(case)
        except AssertionError as error:
            raise AssertionError(f"random table [{seed}, {number}]: {error}") from error


@pytest.mark.parametrize("seed", range(310, 312))
def test_random_tables_with_many_levels(seed: int):
    for number in range(10):
        case = random_rich_policy_case(np.random.default_rng([seed, number]))
        try:
            check_case(case.with_rules(max_depth=4))
        except AssertionError as error:
            raise AssertionError(f"random table [{seed}, {number}]: {error}") from error


def check_case(case: Case) -> None:
    arrays = case.by_core()
    check_tree(case.bound(), arrays)
    if has_documented_ties(case):
        assert_same_tree(case.by_oracle(follow=arrays), arrays)
