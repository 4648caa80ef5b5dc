"""Random thresholds and random columns: repeatable, independent of threads, and always valid."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from silva import TreeClassifier, to_text
from tests.oracle import best_candidate, full_gain, training_sides
from tests.oracle_bounds import bounds_of
from tests.oracle_candidates import are_allowed, column_at_node
from tests.oracle_compare import exact_split, split_from_arrays
from tests.oracle_criteria import gain_of, noise_of
from tests.oracle_form import documented_form
from tests.oracle_policies import heaviest_of
from tests.oracle_splits import Threshold
from tests.oracle_units import CATEGORICAL, CONTINUOUS, stats_of
from tests.properties.cases import Case, same_bytes
from tests.properties.policy_cases import random_policy_case
from tests.properties.random_cases import random_case

RANDOM = {"splitter": "random"}
ONE_COLUMN = {"max_features": 1}
ONE_RANDOM_COLUMN = RANDOM | ONE_COLUMN


def noisy_case(n_rows: int = 300, seed: int = 0) -> Case:
    rng = np.random.default_rng(seed)
    columns = [rng.normal(size=n_rows) for _ in range(4)]
    target = rng.integers(0, 3, n_rows).astype(np.int32)
    return Case(columns, [CONTINUOUS] * 4, [0] * 4, target, 3)


@pytest.mark.parametrize("choices", [RANDOM, ONE_COLUMN, ONE_RANDOM_COLUMN])
def test_a_seed_fixes_the_tree_for_any_threads_and_row_order(choices: dict):
    case = noisy_case(20_000)
    alone = case.by_core(seed=3, **choices)
    for threads in (2, 3, 7):
        assert same_bytes(alone, case.by_core(seed=3, threads=threads, **choices))
    shuffled = case.take(np.random.default_rng(1).permutation(case.n_rows))
    assert same_bytes(alone, shuffled.by_core(seed=3, **choices))


@pytest.mark.parametrize("choices", [RANDOM, ONE_COLUMN, ONE_RANDOM_COLUMN])
def test_seeds_differ(choices: dict):
    case = noisy_case()
    trees = [case.by_core(seed=seed, **choices)["threshold_value"].tobytes() for seed in range(10)]
    assert len(set(trees)) == 10


def test_every_column_gets_its_turn():
    case = noisy_case()
    roots = [case.by_core(seed=seed, **ONE_COLUMN)["threshold_column"] for seed in range(60)]
    assert {int(columns[0]) for columns in roots} == {0, 1, 2, 3}


def test_the_seed_does_not_matter_without_random_choices():
    case = noisy_case()
    assert same_bytes(case.by_core(seed=0), case.by_core(seed=2**64 - 1))


def test_random_thresholds_cover_the_range_of_the_values():
    rng = np.random.default_rng(0)
    values = rng.random(200)
    case = Case([values], [CONTINUOUS], [0], (values > 0.5).astype(np.int32), 2)
    roots = [case.by_core(seed=seed, **RANDOM)["threshold_value"][0] for seed in range(400)]
    assert np.all((values.min() < roots) & (roots <= values.max()))
    assert np.histogram(roots, bins=4, range=(0, 1))[0].min() > 60


def test_a_column_that_cannot_split_does_not_end_the_search():
    rng = np.random.default_rng(0)
    useful = rng.normal(size=50)
    columns = [np.zeros(50), np.full(50, np.nan), useful, np.ones(50)]
    case = Case(columns, [CONTINUOUS] * 4, [0] * 4, rng.integers(0, 2, 50).astype(np.int32), 2)
    for seed in range(20):
        assert same_bytes(case.by_core(seed=seed, **ONE_COLUMN), case.by_core())


@pytest.mark.parametrize("choices", [RANDOM, ONE_COLUMN, ONE_RANDOM_COLUMN])
def test_random_trees_are_valid_on_any_table(choices: dict):
    for number in range(400):
        case = random_case(np.random.default_rng([number, 21]))
        check_random_tree(case, case.by_core(seed=number, **choices), "splitter" in choices)


def check_random_tree(case: Case, arrays: dict, is_random: bool) -> None:
    problem = case.bound()
    stack, leaf = [(0, problem.kept)], 0
    while stack:
        node, rows = stack.pop()
        split = split_from_arrays(arrays, node)
        if split is None:
            assert arrays["leaf_rows"][leaf] == len(rows)
            leaf += 1
            continue
        sides = check_random_split(problem, split, float(arrays["gain"][node]), rows)
        if is_random:
            check_random_place(problem, split, rows)
        else:
            check_best_of_column(problem, split, rows)
        start = arrays["child_start"][node]
        stack += [(int(arrays["child"][start + side]), sides[side]) for side in (1, 0)]


def check_random_split(problem, split, gain: float, rows: list[int]) -> list[list[int]]:
    """Both children exist and are allowed, and the gain is that of the partition."""
    values = problem.columns[split.column]
    sides = training_sides(problem, split, rows)
    left, right = (stats_of(problem, side) for side in sides)
    rules = problem.rules
    assert min(left.rows, right.rows) >= rules.min_samples_leaf
    lightest = rules.min_weight_fraction_leaf * float(problem.total_weight)
    assert float(min(left.weight, right.weight)) >= lightest
    assert gain.hex() == full_gain(problem, gain_of(rules.criterion, (left, right))).hex()
    assert gain >= rules.min_gain
    if not any(values[row] is None for row in rows):
        assert split.missing_child == heaviest_of((left, right))
    return sides


def check_random_place(problem, split, rows: list[int]) -> None:
    known = [problem.columns[split.column][row] for row in rows]
    known = [value for value in known if value is not None]
    if problem.kinds[split.column] == CATEGORICAL:
        assert set(split.codes) <= set(known)
    elif split.threshold != -np.inf:
        assert min(known) < split.threshold <= max(known)


def check_best_of_column(problem, split, rows: list[int]) -> None:
    """The searched column was searched to the end."""
    column = split.column
    parts = {name: [getattr(problem, name)[column]] for name in ("columns", "kinds", "asks")}
    alone = replace(problem, **parts)
    best = best_candidate(alone, rows).split
    assert exact_split(replace(best, column=column)) == exact_split(split)


@pytest.mark.parametrize("choices", [RANDOM, ONE_COLUMN, ONE_RANDOM_COLUMN])
def test_random_trees_of_every_form_and_policy_are_valid(choices: dict):
    for number in range(250):
        case = random_policy_case(np.random.default_rng([number, 22]))
        arrays = case.by_core(seed=number, **choices)
        assert same_bytes(arrays, case.by_core(seed=number, threads=3, **choices))
        problem = case.bound()
        for node, rows in members_of(problem, arrays):
            check_any_split(problem, arrays, node, rows, is_best="splitter" not in choices)


def members_of(problem, arrays: dict) -> list[tuple[int, list[int]]]:
    """Every inner node with its training rows; the leaves are counted on the way."""
    found, stack, leaf_rows = [], [(0, problem.kept)], []
    while stack:
        node, rows = stack.pop()
        split = split_from_arrays(arrays, node)
        if split is None:
            leaf_rows.append(len(rows))
            continue
        found.append((node, rows))
        first, last = arrays["child_start"][node : node + 2]
        sides = training_sides(problem, split, rows)
        stack += reversed(list(zip(arrays["child"][first:last].tolist(), sides, strict=True)))
    assert leaf_rows == arrays["leaf_rows"].tolist()
    return found


def check_any_split(problem, arrays: dict, node: int, rows: list[int], is_best: bool) -> None:
    """An allowed split with its documented gain; the best of its column where that is asked."""
    split = split_from_arrays(arrays, node)
    children = [stats_of(problem, side) for side in training_sides(problem, split, rows)]
    assert are_allowed(problem, split, children), split
    score = gain_of(problem.rules.criterion, children)
    assert float(arrays["gain"][node]).hex() == full_gain(problem, score).hex(), split
    column = column_at_node(problem, split.column, rows)
    if is_best:
        assert exact_split(split) == exact_split(documented_form(column, split))
        noise = noise_of(problem.rules.criterion, stats_of(problem, rows))
        assert score >= bounds_of(column).least * (1 - 1e-9) - noise
    elif not isinstance(split, Threshold):
        assert set(split.codes) <= set(column.groups)


@pytest.mark.parametrize("seed", [2, 4, 5])
def test_gain_ratio_compares_all_columns_that_were_drawn(seed: int):
    """Where charges leave no column a gain all are drawn: the choice is that among all."""
    rng = np.random.default_rng(seed)
    levels = [f"level {i}" for i in range(25)]
    columns = {
        f"c{i}": pd.Categorical.from_codes(rng.integers(0, 25, 200), levels) for i in (0, 1, 2, 3)
    }
    X, y = pd.DataFrame(columns), rng.integers(0, 3, 200)
    of_all = TreeClassifier(criterion="gain_ratio", max_depth=1).fit(X, y)
    drawn = TreeClassifier(criterion="gain_ratio", max_depth=1, max_features=1, random_state=seed)
    assert to_text(drawn.fit(X, y)) == to_text(of_all)
