"""Columns that were prepared once give the same trees as a fresh start, whatever the weights."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silva import _core
from tests.oracle_units import CONTINUOUS, Rules
from tests.properties.cases import Case, same_bytes
from tests.properties.fair_cases import random_fair_case
from tests.properties.policy_cases import random_policy_case, random_rich_policy_case
from tests.properties.random_cases import random_case, random_rich_case
from tests.properties.strategies import policy_problems, problems
from tests.properties.test_measured_splits import slanted_case


def grower_of(case: Case, **choices) -> _core.WeightedGrower:
    data = (case.columns, case.kinds, case.n_levels, case.target, case.weights, case.n_classes)
    choices = {"splitter": "best", "max_features": len(case.columns)} | choices
    return _core.WeightedGrower(*data, **case.settings(), **choices)


def weights_beside(case: Case, rng: np.random.Generator) -> list[np.ndarray]:
    """The given weights, others, and some that leave out more rows."""
    first = np.ones(case.n_rows) if case.weights is None else case.weights
    kept = (first > 0).astype(np.float64)
    boosted = kept * rng.choice([0.125, 0.3, 1.0, 7.0], case.n_rows)
    wide = kept * np.exp(rng.normal(scale=12.0, size=case.n_rows))
    fewer = boosted * (rng.random(case.n_rows) < 0.7)
    return [first, boosted, wide, fewer if fewer.any() else boosted, kept]


def check(case: Case, rng: np.random.Generator, **choices) -> None:
    grower = grower_of(case, **choices)
    for seed, weights in enumerate(weights_beside(case, rng)):
        alone = replace(case, weights=weights).by_core(seed=seed, **choices)
        assert same_bytes(grower.grow(weights, seed, 1), alone)


def random_choices(case: Case, rng: np.random.Generator) -> dict:
    splitter = "best" if case.rules.breakpoints or rng.random() < 0.6 else "random"
    return {"splitter": splitter, "max_features": int(rng.integers(1, len(case.columns) + 1))}


@given(st.one_of(problems(), policy_problems()), st.integers(0, 2**32))
def test_a_tree_is_that_of_a_fresh_start(case: Case, number: int):
    rng = np.random.default_rng(number)
    check(case, rng, **random_choices(case, rng))


@pytest.mark.parametrize("depth", [1, 2, 0])
@pytest.mark.parametrize(
    ("maker", "number"),
    [
        (random_case, 120),
        (random_policy_case, 80),
        (random_fair_case, 40),
        (random_rich_case, 25),
        (random_rich_policy_case, 25),
    ],
)
def test_so_it_is_for_many_tables(maker, number: int, depth: int):
    for i in range(number):
        rng = np.random.default_rng([i, depth, 83])
        case = maker(rng).with_rules(max_depth=depth)
        check(case, rng, **random_choices(case, rng))


@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize("kind", ["oblique", "distance"])
def test_so_it_is_for_splits_of_several_columns(kind: str, depth: int):
    columns = {"columns": [0, 1, 2], "margin": 0.0}
    asked = {
        "oblique": columns | {"max_columns": 3, "max_levels": 8},
        "distance": columns | {"metrics": [0, 1], "prototypes": 3},
    }
    for i in range(6):
        rng = np.random.default_rng([i, 5])
        case = slanted_case(rng, 3, "gini").with_rules(max_depth=depth)
        check(replace(case, **{kind: asked[kind]}), rng)


def large_case(depth: int, n_classes: int = 2, n_rows: int = 9000) -> Case:
    rng = np.random.default_rng([depth, n_classes])
    columns = [rng.normal(size=n_rows), rng.integers(0, 40, n_rows).astype(np.float64)]
    columns.append(np.where(rng.random(n_rows) < 0.1, np.nan, rng.normal(size=n_rows)))
    noise = rng.random(n_rows)
    target = ((columns[0] > 0.3) + (columns[1] > 20) * (noise < 0.7)) % n_classes
    rules = Rules("gini", max_depth=depth)
    kinds = [CONTINUOUS] * 3
    return Case(columns, kinds, [0] * 3, target.astype(np.int32), n_classes, None, rules)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("depth", [1, 2, 6, 0])
def test_so_it_is_for_large_tables_and_any_threads(depth: int, n_classes: int, threads: int):
    case = large_case(depth, n_classes)
    grower, rng = grower_of(case), np.random.default_rng(1)
    for weights in weights_beside(case, rng):
        alone = replace(case, weights=weights).by_core()
        assert same_bytes(grower.grow(weights, 0, threads), alone)


def test_weights_are_judged():
    case = large_case(1, n_rows=4)
    case = replace(case, weights=np.array([1.0, 1.0, 0.0, 1.0]))
    grower = grower_of(case)
    for wrong in ([1.0, 1, 1, 1], [1.0, -1, 0, 1], [math.nan, 1, 0, 1], [math.inf, 1, 0, 1]):
        with pytest.raises(ValueError, match="weights must be finite"):
            grower.grow(np.array(wrong), 0, 1)
    with pytest.raises(ValueError, match="all weights are 0"):
        grower.grow(np.zeros(4), 0, 1)
    with pytest.raises(ValueError, match="differ in length"):
        grower.grow(np.ones(3), 0, 1)


@given(st.lists(st.floats(0.0, 1e300), max_size=60))
def test_sums_are_rounded_once(values: list[float]):
    assert _core.exact_sum(np.array(values)) == math.fsum(values)
