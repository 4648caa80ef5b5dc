"""Training rows: prediction sends them where training put them, unless they stop on the way."""

import numpy as np
import pytest

from tests.properties.cases import Case
from tests.properties.fair_cases import random_fair_case
from tests.properties.policy_cases import random_policy_case

CHOICES = ({}, {"splitter": "random"}, {"max_features": 1})
SOME_STOP = ("stop", "error")


def rows_by_leaf(case: Case, arrays: dict) -> tuple[np.ndarray, int]:
    """How many training rows of weight above zero end in each leaf, and how many stop above."""
    is_leaf = np.diff(arrays["child_start"]) == 0
    ends = np.bincount(case.routed(arrays)[case.kept], minlength=len(is_leaf))
    return ends[is_leaf], int(ends[~is_leaf].sum())


@pytest.mark.parametrize("choices", CHOICES, ids=str)
@pytest.mark.parametrize("make", [random_fair_case, random_policy_case])
def test_prediction_agrees_with_training(make, choices: dict):
    """No leaf gets more rows than it was grown from, so none gets other rows."""
    for number in range(400):
        case = make(np.random.default_rng([number, 460]))
        arrays = case.by_core(seed=number, **choices)
        found, n_stopped = rows_by_leaf(case, arrays)
        assert (found <= arrays["leaf_rows"]).all(), number
        if not any({ask.missing, ask.unseen} & {*SOME_STOP, "own_branch"} for ask in case.all_asks):
            assert n_stopped == 0, number


def test_the_check_sees_rows_that_stop():
    stopped = 0
    for number in range(40):
        case = random_fair_case(np.random.default_rng([number, 461]))
        asks = [ask._replace(unseen="stop") for ask in case.all_asks]
        stopping = case.with_asks(asks)
        stopped += rows_by_leaf(stopping, stopping.by_core())[1]
    assert stopped > 0
