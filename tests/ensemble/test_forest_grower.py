"""Every tree of a forest is the single tree of its rows; what it says of other rows is added up."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silva import _core
from tests.ensemble.forest_cases import DRAWS, SEEDS, ForestCase, forests, some_forest
from tests.oracle_units import CONTINUOUS, Rules
from tests.properties.cases import Case, same_bytes
from tests.properties.fair_cases import random_fair_case
from tests.properties.policy_cases import random_policy_case, random_rich_policy_case
from tests.properties.random_cases import random_case, random_rich_case
from tests.properties.strategies import policy_problems, problems


def check_forest(forest: ForestCase, seeds=SEEDS) -> None:
    trees = forest.grower().grow(seeds, 1)
    for seed, arrays in zip(seeds, trees, strict=True):
        assert same_bytes(arrays, forest.by_core(seed))


@given(forests(problems()))
def test_a_tree_of_a_forest_is_the_single_tree(forest: ForestCase):
    check_forest(forest)


@given(forests(policy_problems()))
def test_so_it_is_for_every_form_and_policy(forest: ForestCase):
    check_forest(forest)


@pytest.mark.parametrize(
    ("maker", "number"),
    [
        (random_case, 400),
        (random_policy_case, 300),
        (random_fair_case, 100),
        (random_rich_case, 80),
        (random_rich_policy_case, 80),
    ],
)
def test_so_it_is_for_many_tables(maker, number: int):
    for i in range(number):
        rng = np.random.default_rng([i, 51])
        check_forest(some_forest(rng, maker(rng)), SEEDS[:3])


@pytest.mark.parametrize("maker", [random_case, random_policy_case, random_fair_case])
def test_so_it_is_by_gain_ratio(maker):
    for i in range(200):
        rng = np.random.default_rng([i, 53])
        case = maker(rng)
        if case.n_classes > 0:
            check_forest(some_forest(rng, case.with_rules(criterion="gain_ratio")), SEEDS[:3])


@given(forests(policy_problems()), st.integers(1, 4))
def test_rows_out_of_the_bag_are_added_up_in_order(forest: ForestCase, batch: int):
    slow = forest.oob_by_routing(SEEDS)
    for threads in (1, 2, 3):
        grower = forest.grower(oob=True)
        for first in range(0, len(SEEDS), batch):
            grower.grow(SEEDS[first : first + batch], threads)
        sums = grower.oob_sums()
        assert sums.keys() == slow.keys()
        for name, values in sums.items():
            np.testing.assert_array_equal(values, slow[name], err_msg=name)


def medium(n_rows: int, n_classes: int, seed: int = 0) -> Case:
    """Numbers with and without ties, missing values, yes and no, categories."""
    rng = np.random.default_rng(seed)
    columns = [rng.normal(size=n_rows) for _ in range(4)]
    columns += [rng.integers(0, 40, n_rows).astype(np.float64), rng.normal(size=n_rows).round(1)]
    columns[1][rng.random(n_rows) < 0.1] = np.nan
    columns += [rng.integers(0, 2, n_rows).astype(np.float64) for _ in range(3)]
    columns += [rng.integers(0, 30, n_rows).astype(np.int32)]
    kinds, n_levels = [CONTINUOUS] * 9 + [2], [0] * 9 + [30]
    score = columns[0] + columns[4] / 20 + columns[6] + rng.normal(size=n_rows) * 0.3
    if n_classes == 0:
        return Case(columns, kinds, n_levels, score, 0, None, Rules("squared_error"))
    edges = np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])
    target = np.digitize(score, edges).astype(np.int32)
    return Case(columns, kinds, n_levels, target, n_classes, None, Rules("gini"))


MEDIUM = [
    (n_classes, criterion)
    for n_classes, names in (
        (2, ("gini", "entropy", "error", "gain_ratio")),
        (5, ("gini", "entropy", "error", "gain_ratio")),
        (300, ("gini",)),
        (0, ("squared_error",)),
    )
    for criterion in names
]


@pytest.mark.parametrize(("n_classes", "criterion"), MEDIUM)
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_tables_larger_than_a_compact_store(n_classes: int, criterion: str, splitter: str):
    case = medium(9_000, n_classes).with_rules(criterion=criterion)
    rng = np.random.default_rng(1)
    for weights in (None, rng.integers(0, 4, case.n_rows) / 4, rng.random(case.n_rows)):
        for bootstrap in DRAWS:
            forest = ForestCase(replace(case, weights=weights), bootstrap, 6_000, 3, splitter)
            check_forest(forest, [3])


@pytest.mark.parametrize(("n_classes", "criterion"), MEDIUM)
@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("n_leaves", [2, 60, 1_500])
def test_best_first(n_classes: int, criterion: str, splitter: str, n_leaves: int):
    case = medium(9_000, n_classes).with_rules(criterion=criterion, max_leaf_nodes=n_leaves)
    weights = np.random.default_rng(1).random(case.n_rows)
    for bootstrap in DRAWS:
        check_forest(ForestCase(case, bootstrap, 9_000, 3, splitter), [3])
        weighted = replace(case, weights=weights)
        check_forest(ForestCase(weighted, bootstrap, 6_000, 3, splitter), [3])


def without(case: Case, dropped: tuple[int, ...]) -> Case:
    kept = [c for c in range(len(case.columns)) if c not in dropped]
    lists = {
        name: [getattr(case, name)[c] for c in kept] for name in ("columns", "kinds", "n_levels")
    }
    return replace(case, **lists)


@pytest.mark.parametrize("n_classes", [2, 3, 7, 8, 9, 16, 17])
@pytest.mark.parametrize("least", [1, 3])
def test_complete_numbers_of_several_classes(n_classes: int, least: int):
    case = without(medium(6_000, n_classes), (1, 9)).with_rules(min_samples_leaf=least)
    rng = np.random.default_rng(2)
    for weights in (None, rng.integers(1, 30, case.n_rows).astype(np.float64)):
        forest = ForestCase(replace(case, weights=weights), "bootstrap", 6_000, 3)
        check_forest(forest, [4, 5])


@pytest.mark.parametrize("n_classes", [3, 7, 8, 16])
def test_more_values_than_bins_and_fewer_than_rows(n_classes: int):
    case = without(medium(9_000, n_classes), (1, 9))
    for c in range(3):
        case.columns[c] = case.columns[c].round(2)
    rng = np.random.default_rng(5)
    for weights in (None, rng.integers(1, 30, case.n_rows).astype(np.float64)):
        for bootstrap in DRAWS:
            check_forest(ForestCase(replace(case, weights=weights), bootstrap, 9_000, 3), [3])


def complete(n_rows: int, n_classes: int, n_more: int = 0) -> Case:
    """Numbers alone, none of them missing: even, tied, skewed, heavy at zero, tiny and huge."""
    rng = np.random.default_rng(n_rows)
    case = medium(n_rows, n_classes)
    even, skewed = rng.normal(size=n_rows), np.exp(30 * rng.normal(size=n_rows))
    columns = [
        case.columns[0],
        *case.columns[4:9],
        skewed,
        np.where(even < 0.3, 0.0, even),
        np.where(rng.random(n_rows) < 0.01, np.inf, even),
        (even * 1e-310).astype(np.float64),
        rng.normal(size=n_rows).astype(np.float32),
        rng.integers(-100, 100, n_rows).astype(np.int8),
        *rng.normal(size=(n_more, n_rows)),
    ]
    kinds, n_levels = [CONTINUOUS] * len(columns), [0] * len(columns)
    return replace(case, columns=columns, kinds=kinds, n_levels=n_levels)


@pytest.mark.parametrize(("n_classes", "criterion"), MEDIUM)
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_complete_tables_of_numbers(n_classes: int, criterion: str, splitter: str):
    case = complete(9_000, n_classes).with_rules(criterion=criterion)
    rng = np.random.default_rng(1)
    for weights in (None, rng.integers(0, 4, case.n_rows) / 4, rng.random(case.n_rows)):
        weighted = replace(case, weights=weights)
        for bootstrap in DRAWS:
            for drawn in (3, len(case.columns)):
                check_forest(ForestCase(weighted, bootstrap, 6_000, drawn, splitter), [3])


@pytest.mark.parametrize("n_classes", [2, 5, 0])
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_tables_whose_top_nodes_read_their_rows_in_place(n_classes: int, splitter: str):
    case = complete(14_000, n_classes, 190)
    for bootstrap in DRAWS:
        check_forest(ForestCase(case, bootstrap, 14_000, 9, splitter), [3])


@pytest.mark.parametrize("n_classes", [2, 5, 0])
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_large_nodes_on_the_right_read_their_own_rows(n_classes: int, splitter: str):
    case = complete(40_000, n_classes, 190)
    for bootstrap in ("all", "bootstrap"):
        check_forest(ForestCase(case, bootstrap, 40_000, 9, splitter), [3])


@pytest.mark.parametrize("n_classes", [2, 0])
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_best_first_of_rows_that_are_read_in_place(n_classes: int, splitter: str):
    case = complete(14_000, n_classes, 190).with_rules(max_leaf_nodes=90)
    check_forest(ForestCase(case, "bootstrap", 14_000, 9, splitter), [3])


@pytest.mark.parametrize("n_classes", [2, 5, 0])
def test_the_same_bytes_for_any_threads_and_batches(n_classes: int):
    forest = ForestCase(medium(3_000, n_classes), "bootstrap", 3_000, 3)
    seeds = list(range(11))
    wanted, wanted_sums = None, None
    for threads, batch in ((1, 11), (2, 11), (3, 4), (8, 11), (2, 1)):
        grower = forest.grower(oob=True)
        parts = [grower.grow(seeds[i : i + batch], threads) for i in range(0, len(seeds), batch)]
        trees, sums = [tree for part in parts for tree in part], grower.oob_sums()
        wanted, wanted_sums = wanted or trees, wanted_sums or sums
        assert all(map(same_bytes, trees, wanted))
        assert same_bytes(sums, wanted_sums)


@pytest.mark.parametrize("splits", ["oblique", "distance"])
def test_splits_of_several_columns(splits: str):
    case = medium(700, 2)
    choices = {
        "oblique": {"columns": [0, 2, 3], "max_columns": 3, "margin": 0.0, "max_levels": 8},
        "distance": {"columns": [0, 2, 3], "metrics": [0, 1], "prototypes": 4, "margin": 0.0},
    }
    check_forest(ForestCase(replace(case, **{splits: choices[splits]}), "bootstrap", 700, 3))


def test_shares_of_the_rows_are_of_the_rows_of_each_tree():
    forest = ForestCase(medium(500, 2), "subsample", 200, 3)
    settings = forest.case.settings() | {"min_samples_leaf": 0.05, "min_samples_split": 0.2}
    parts = [getattr(forest.case, name) for name in ("columns", "kinds", "n_levels", "target")]
    grower = _core.ForestGrower(
        *parts,
        None,
        2,
        bootstrap="subsample",
        n_samples=200,
        oob=False,
        **settings,
        **forest.choices,
    )
    rows = forest.case.with_rules(min_samples_leaf=10, min_samples_split=40)
    assert same_bytes(grower.grow([5], 1)[0], replace(forest, case=rows).by_core(5))


# ---- draws -----------------------------------------------------------------------------------


@pytest.mark.parametrize("replaced", [True, False])
def test_draws_depend_on_the_seed_alone_and_add_up(replaced: bool):
    counts = _core.draw_counts(3, 1_000, 600, replaced)
    assert counts.dtype == np.uint32
    assert counts.sum() == 600
    assert counts.max() > 1 if replaced else counts.max() == 1
    assert np.array_equal(counts, _core.draw_counts(3, 1_000, 600, replaced))
    assert not np.array_equal(counts, _core.draw_counts(4, 1_000, 600, replaced))


def test_a_subsample_of_all_rows_is_all_rows():
    assert _core.draw_counts(9, 77, 77, False).tolist() == [1] * 77


@pytest.mark.parametrize(("replaced", "variance"), [(True, 0.5 * 0.99), (False, 0.25)])
def test_every_row_is_as_likely_as_any_other(replaced: bool, variance: float):
    """Mean counts of 100 rows over 4,000 seeds are within five standard errors of 1/2."""
    drawn = sum(_core.draw_counts(seed, 100, 50, replaced).astype(int) for seed in range(4_000))
    errors = (drawn - 2_000) / np.sqrt(4_000 * variance)
    assert np.abs(errors).max() < 5
    assert 0.6 < errors.std() < 1.4


# ---- bad input, progress -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"bootstrap": "some"}, ValueError),
        ({"n_samples": 0}, ValueError),
        ({"max_depth": None}, TypeError),
        ({"unknown": 1}, TypeError),
        ({"kinds": [0]}, ValueError),
    ],
)
def test_arguments_are_checked(change: dict, error):
    forest = ForestCase(medium(50, 2), "bootstrap", 50, 3)
    arguments = {
        name: getattr(forest.case, name)
        for name in ("columns", "kinds", "n_levels", "target", "weights", "n_classes")
    }
    arguments |= {"bootstrap": "all", "n_samples": 50, "oob": False}
    arguments |= forest.case.settings() | forest.choices
    _core.ForestGrower(**arguments)
    with pytest.raises(error):
        _core.ForestGrower(**(arguments | change))


def test_no_sums_without_asking():
    with pytest.raises(ValueError, match="oob=False"):
        ForestCase(medium(50, 2), "bootstrap", 50, 3).grower().oob_sums()


def test_sums_of_other_rows_are_refused():
    grower = ForestCase(medium(50, 2), "bootstrap", 50, 3).grower(oob=True)
    with pytest.raises(ValueError, match="another number of rows"):
        grower.start_oob({"votes": np.zeros(49, dtype=np.int64)})


def test_no_seeds_no_trees():
    assert ForestCase(medium(50, 2), "bootstrap", 50, 3).grower().grow([], 2) == []


def test_trees_are_given_in_their_order_while_others_grow():
    forest = ForestCase(complete(2_000, 2), "bootstrap", 2_000, 3)
    seeds = list(range(30))
    given: list[tuple[int, dict]] = []
    returned = forest.grower().grow(seeds, 2, take=lambda *one: given.append(one))
    assert returned == []
    assert [number for number, _ in given] == seeds
    for (_, arrays), other in zip(given, forest.grower().grow(seeds, 1), strict=True):
        assert same_bytes(arrays, other)


def test_an_error_of_the_taker_ends_the_work():
    def refuse(number: int, arrays: dict) -> None:
        raise ValueError(f"tree {number} is not wanted")

    grower = ForestCase(complete(2_000, 2), "bootstrap", 2_000, 3).grower()
    with pytest.raises(ValueError, match="tree 0 is not wanted"):
        grower.grow(list(range(30)), 2, take=refuse)


def test_a_tree_whose_taking_was_interrupted_is_given_again():
    given: dict[int, dict] = {}
    calls: list[int] = []

    def take(number: int, arrays: dict) -> None:
        calls.append(number)
        if calls.count(number) == 1 and number == 3:
            raise KeyboardInterrupt
        given[number] = arrays

    forest = ForestCase(complete(2_000, 2), "bootstrap", 2_000, 3)
    grower = forest.grower()
    grower.grow(list(range(60)), 2, keep_finished=True, take=take)
    assert grower.interrupted
    assert calls.count(3) == 2
    assert sorted(given) == list(range(len(given)))
    for number, arrays in given.items():
        assert same_bytes(arrays, forest.by_core(number))


def test_progress_is_told_and_can_stop():
    forest = ForestCase(medium(20_000, 2), "bootstrap", 20_000, 3)
    grower = forest.grower()
    for _ in range(2):
        told: list[int] = []
        grower.grow(list(range(200)), 2, progress=told.append)  # it is told every 20 ms
        assert told == sorted(set(told))
        assert 0 <= told[0] <= told[-1] <= 200

    def stop(finished: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        forest.grower().grow(list(range(200)), 2, progress=stop)
    grower = forest.grower(oob=True)
    kept = grower.grow(list(range(200)), 2, keep_finished=True, progress=stop)
    assert len(kept) < 200
    again = forest.grower(oob=True)
    again.grow(list(range(len(kept))), 1)
    assert same_bytes(grower.oob_sums(), again.oob_sums())
