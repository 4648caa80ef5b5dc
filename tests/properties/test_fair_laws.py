"""Laws of the fair gain of categorical columns: what changes nothing, to the last bit."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.oracle_policies import Ask
from tests.oracle_units import BINARY
from tests.properties.cases import Case, same_bytes
from tests.properties.fair_cases import random_fair_case, with_identifier
from tests.properties.strategies import classes, numbers, policy_problems, problems

some = settings(max_examples=60)
permutations = st.randoms(use_true_random=False)
FAIR = {"category_gains": ("fair",)}
SEEDS = st.integers(0, 2**32 - 1)
COLUMN_NAMES = ("threshold_column", "subset_column", "multiway_column")


@given(policy_problems(**FAIR), SEEDS, st.sampled_from(("subset", "multiway")))
def test_an_identifier_changes_nothing(case: Case, seed: int, form: str):
    """A level of its own in every row, at the front, at the end or in between."""
    assume(case.kept.sum() > 2)
    check_identifier(case, seed, form)


def test_an_identifier_changes_nothing_beside_other_levels_of_few_rows():
    for number in range(150):
        case = random_fair_case(np.random.default_rng([number, 430]))
        if case.kept.sum() > 2:
            check_identifier(case, number, ("subset", "multiway")[number % 2])


def check_identifier(case: Case, seed: int, form: str) -> None:
    rng = np.random.default_rng(seed)
    place = int(rng.integers(len(case.columns) + 1))
    alone, beside = case.by_core(), with_identifier(case, rng, place, form).by_core()
    assert same_bytes(alone, beside, ignore=COLUMN_NAMES)
    for name in COLUMN_NAMES:
        assert np.array_equal(alone[name] + (alone[name] >= place), beside[name])


@some
@given(problems())
def test_thresholds_and_single_levels_are_as_before(case: Case):
    """No column is split by a fitted set of levels, so that there is nothing to charge."""
    fair = case.with_rules(category_gain="fair")
    assert same_bytes(case.by_core(), fair.by_core())


@some
@given(policy_problems(category_gains=("plain",)), SEEDS)
def test_columns_of_two_values_are_as_before(case: Case, seed: int):
    """Missing values are a value: the columns have none."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 2, case.n_rows).astype(np.int32) for _ in case.columns]
    asks = [ask._replace(form=str(rng.choice(["subset", "multiway"]))) for ask in case.all_asks]
    n_columns = len(columns)
    case = replace(case, columns=columns, kinds=[BINARY] * n_columns, n_levels=[2] * n_columns)
    case = case.with_asks(asks)
    assert same_bytes(case.by_core(), case.with_rules(category_gain="fair").by_core())


@some
@given(policy_problems(**FAIR), st.integers(-30, 30))
def test_weights_times_a_power_of_two_give_the_same_tree(case: Case, power: int):
    weights = np.ones(case.n_rows) if case.weights is None else case.weights
    weights = np.where(weights > 0, np.clip(weights, 1e-9, 1e9), 0.0)
    case = replace(case, weights=weights)
    scaled = replace(case, weights=np.ldexp(weights, power))
    assert same_bytes(case.by_core(), scaled.by_core(), ignore=("weight_unit",))


@some
@given(policy_problems(**FAIR))
def test_a_row_of_weight_zero_is_absent(case: Case):
    """It is no evidence for its level either."""
    weights = np.ones(case.n_rows) if case.weights is None else case.weights.copy()
    weights[1::2] = 0.0
    weights[0] = 1.0
    case = replace(case, weights=weights)
    assert same_bytes(case.by_core(), case.take(weights > 0).by_core())


@some
@given(policy_problems(**FAIR))
def test_of_two_equal_columns_the_first_wins(case: Case):
    assume(case.rules.criterion != "gain_ratio")  # the average of the columns changes by rounding
    twice = replace(
        case,
        columns=case.columns + [column.copy() for column in case.columns],
        kinds=case.kinds * 2,
        n_levels=case.n_levels * 2,
        asks=case.all_asks * 2,
    )
    assert same_bytes(case.by_core(), twice.by_core())


@some
@given(policy_problems(target=classes, **FAIR), st.sampled_from((2, 100)))
def test_classes_that_never_occur_change_nothing(case: Case, step: int):
    """They are not counted among the classes of a node. (Subsets are searched in another way for
    more than two classes.)"""
    asks = [a._replace(form="multiway") if a.form == "subset" else a for a in case.all_asks]
    case = case.with_asks(asks)
    sparse = replace(case, target=case.target * np.int32(step), n_classes=case.n_classes * step)
    one, other = case.by_core(), sparse.by_core()
    assert same_bytes(one, other, ignore=("class_code",))
    assert np.array_equal(one["class_code"] * step, other["class_code"])


@some
@given(policy_problems(target=numbers, **FAIR), st.sampled_from((-40, 1, 40)))
def test_targets_times_a_power_of_two_give_the_same_splits(case: Case, power: int):
    target = np.rint(np.clip(case.target, -1e6, 1e6) * 8)
    case = replace(case, target=target).with_rules(min_gain=0.0, min_impurity_decrease=0.0)
    scaled = replace(case, target=np.ldexp(target, power))
    names = ("gain", "moment_value", "center", "target_unit")
    assert same_bytes(case.by_core(), scaled.by_core(), ignore=names)


def test_shifted_targets_give_the_same_splits():
    """Sums are taken about the mean of the node, so that a large offset cancels exactly."""
    for number in range(100):
        rng = np.random.default_rng([number, 431])
        case = random_fair_case(rng)
        target = rng.integers(-8, 9, case.n_rows).astype(np.float64)
        weights = None if number % 2 else rng.integers(1, 4, case.n_rows) * 1.0
        case = replace(case, target=target, n_classes=0, weights=weights)
        case = case.with_rules(criterion="squared_error")
        one, other = case.by_core(), replace(case, target=target + 2.0**30).by_core()
        assert same_bytes(one, other, ignore=("moment_value", "center")), number


@pytest.mark.parametrize("form", ["subset", "multiway"])
def test_threads_and_row_order_do_not_change_a_byte_of_a_large_tree(form: str):
    rng = np.random.default_rng(432)
    n_rows = 20_000
    columns = [rng.integers(0, n, n_rows).astype(np.int32) for n in (3, 40, 2_000, 15_000)]
    columns.append(rng.normal(size=n_rows).round(2))
    signal = columns[0] + columns[4] + rng.normal(size=40)[columns[1]] + rng.normal(size=n_rows)
    kinds, n_levels = [2, 2, 2, 2, 0], [3, 40, 2_000, 15_000, 0]
    asks = [Ask(form)] * 4 + [Ask()]
    for n_classes in (2, 3, 0):
        cuts = np.quantile(signal, np.linspace(0, 1, max(1, n_classes) + 1)[1:-1])
        target = np.digitize(signal, cuts).astype(np.int32) if n_classes else signal
        case = Case(columns, kinds, n_levels, target, n_classes, None, asks=asks)
        criterion = "gini" if n_classes else "squared_error"
        case = case.with_rules(criterion=criterion, category_gain="fair", min_samples_leaf=3)
        alone = case.by_core(threads=1)
        assert all(same_bytes(alone, case.by_core(threads=threads)) for threads in (2, 3, 7))
        shuffled = case.take(rng.permutation(n_rows))
        assert same_bytes(alone, shuffled.by_core(threads=2))
