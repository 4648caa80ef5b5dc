"""Laws of the split forms and policies: what may change, what must not, and what gains more."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle_policies import Ask
from tests.oracle_units import CATEGORICAL, Rules
from tests.properties.cases import Case, same_bytes
from tests.properties.policy_cases import random_policy_case, wide_categories
from tests.properties.strategies import classes, numbers, policy_problems, problems

some = settings(max_examples=60)
permutations = st.randoms(use_true_random=False)
NEARLY = 1 - 1e-12


def small_weights(n_rows: int) -> st.SearchStrategy:
    """Integers of which one is odd, so that the unit is one."""
    return st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows).map(
        lambda weights: np.array([1, *weights[1:]], dtype=np.float64)
    )


@some
@given(policy_problems(weights=small_weights, plain=True, category_gains=("plain",)))
def test_weight_k_equals_k_copies(case: Case):
    """By plain gains: fair ones count the rows of a level as its evidence, whatever they weigh."""
    copies = np.repeat(np.arange(case.n_rows), case.weights.astype(int))
    copied = replace(case.take(copies), weights=None)
    assert same_bytes(case.by_core(), copied.by_core(), ignore=("leaf_rows",))


@given(policy_problems(), permutations)
def test_permuted_rows_give_the_same_bytes(case: Case, random):
    order = list(range(case.n_rows))
    random.shuffle(order)
    assert same_bytes(case.by_core(), case.take(np.array(order)).by_core())


@some
@given(policy_problems())
def test_threads_give_the_same_bytes(case: Case):
    alone = case.by_core(threads=1)
    assert all(same_bytes(alone, case.by_core(threads=threads)) for threads in (2, 3, 7))


@some
@given(policy_problems())
def test_a_level_that_never_occurs_changes_nothing(case: Case):
    wider = [n + (kind == CATEGORICAL) for n, kind in zip(case.n_levels, case.kinds, strict=True)]
    assert same_bytes(case.by_core(), replace(case, n_levels=wider).by_core())


def test_levels_that_never_occur_in_between_change_only_the_numbers_of_the_others():
    for number in range(150):
        case = categorical_case(np.random.default_rng([number, 65]))
        spread = [np.where(codes < 0, codes, codes * 7 + 3) for codes in case.columns]
        wide = replace(case, columns=spread, n_levels=[n * 7 + 3 for n in case.n_levels])
        one, other = case.by_core(), wide.by_core()
        names = ("subset_codes", "subset_rest", "multiway_codes")
        assert same_bytes(one, other, ignore=names), number
        for name in names:
            assert np.array_equal(one[name] * 7 + 3, other[name]), number


def categorical_case(rng: np.random.Generator) -> Case:
    case = random_policy_case(rng)
    made = [wide_categories(rng, case.n_rows) for _ in case.columns]
    columns, kinds, n_levels = (list(part) for part in zip(*made, strict=True))
    asks = [Ask("subset", *a[1:]) if a.form == "threshold" else a for a in case.all_asks]
    return replace(case, columns=columns, kinds=kinds, n_levels=n_levels, asks=asks)


@some
@given(policy_problems(), st.sampled_from(("stop", "error")))
def test_stopping_trains_as_the_majority(case: Case, policy: str):
    """The same tree, but for where missing values go."""
    majority = case.with_asks([Ask(a.form, "majority", "majority") for a in case.all_asks])
    stopping = case.with_asks([Ask(a.form, policy, "majority") for a in case.all_asks])
    one, other = majority.by_core(), stopping.by_core()
    missing = [f"{kind}_missing" for kind in ("threshold", "subset", "multiway")]
    assert same_bytes(one, other, ignore=(*missing, "threshold_unseen"))
    assert all(np.all(other[name] == -1) for name in missing)


def test_unseen_policies_change_no_partition():
    """By plain gains: lone levels of fair ones go where unseen values will."""
    for number in range(100):
        case = random_policy_case(np.random.default_rng([number, 61]))
        case = case.with_rules(category_gain="plain")
        trees = [
            case.with_asks([a._replace(unseen=unseen) for a in case.all_asks]).by_core()
            for unseen in ("learn", "majority", "own_branch", "stop", "error")
        ]
        ignore = ("threshold_unseen", "subset_unseen", "multiway_unseen")
        ignore += ("subset_rest", "subset_rest_start")
        assert all(same_bytes(trees[0], tree, ignore) for tree in trees[1:]), number


def root_gain(case: Case, form: str | None = None, missing: str = "learn") -> float:
    """The gain at the root when categories are split in this form."""
    asks = [Ask(form if form and a.form != "threshold" else a.form, missing) for a in case.all_asks]
    stump = case.with_asks(asks).with_rules(max_depth=1)
    return float(stump.by_core()["gain"][0])


def free_case(rng: np.random.Generator, criterion: str) -> Case:
    """A random table without limits, of tame numbers, for this criterion."""
    case = random_policy_case(rng)
    weights = None if case.weights is None else rng.integers(0, 4, case.n_rows) + 0.5
    n_classes = 0 if criterion == "squared_error" else int(rng.integers(2, 6))
    numbers = rng.normal(size=case.n_rows)
    labels = rng.integers(0, max(1, n_classes), case.n_rows).astype(np.int32)
    case = replace(case, target=labels if n_classes else numbers)
    return replace(case, weights=weights, n_classes=n_classes, rules=Rules(criterion))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error", "squared_error"])
def test_richer_questions_gain_more(criterion: str):
    """One level against the rest is a subset, and a branch for every level refines both."""
    for number in range(150):
        case = free_case(np.random.default_rng([number, 62]), criterion)
        single = root_gain(case, "onevsrest")
        subset = root_gain(case, "subset")
        apart = root_gain(case, "multiway")
        assert single * NEARLY - 1e-14 <= subset, number
        assert subset * NEARLY - 1e-14 <= apart, number


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error", "squared_error"])
def test_freer_missing_values_gain_more(criterion: str):
    """Learning tries what the majority fixes, and an own branch refines what learning finds."""
    for number in range(150):
        case = free_case(np.random.default_rng([number, 63]), criterion)
        for form in ("onevsrest", "subset"):
            majority, learned, own = (
                root_gain(case, form, missing) for missing in ("majority", "learn", "own_branch")
            )
            assert majority * NEARLY - 1e-14 <= learned, number
            assert learned * NEARLY - 1e-14 <= own, number


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error"])
def test_breakpoints_lose_no_gain(criterion: str):
    """Without a minimum leaf size the best threshold of a concave impurity is a breakpoint."""
    compared = 0
    for number in range(400):
        rng = np.random.default_rng([number, 64])
        case = free_case(rng, criterion).with_rules(max_depth=1)
        case = case.with_asks([Ask(a.form) for a in case.all_asks])
        all_of_them = case.by_core()
        breakpoints = case.with_rules(breakpoints=True).by_core()
        gains = [float(arrays["gain"][0]) for arrays in (all_of_them, breakpoints)]
        assert gains[1] == pytest.approx(gains[0], rel=1e-9, abs=1e-14), number
        compared += gains[0] > 0
    assert compared > 200


@some
@given(problems(target=classes, plain=True) | problems(target=numbers, plain=True))
def test_breakpoints_are_few_and_no_row_is_lost(case: Case):
    case = case.with_rules(breakpoints=True)
    arrays = case.by_core()
    assert arrays["leaf_rows"].sum() == case.kept.sum()
