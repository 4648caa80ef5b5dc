"""Trees of forests whose tables have everything at once: numbers and categories with missing values
under any policy, every form of question, few and many columns. They are the single trees of their
rows, bit for bit."""

from dataclasses import replace

import numpy as np
import pytest

from tests.ensemble.forest_cases import DRAWS, SEEDS, ForestCase
from tests.ensemble.test_category_forests import FORMS, SPLITTERS, some_codes
from tests.ensemble.test_forest_grower import check_forest
from tests.oracle_policies import POLICIES, Ask
from tests.oracle_units import CATEGORICAL, CONTINUOUS
from tests.properties.cases import Case
from tests.properties.random_cases import (
    CATEGORY_GAINS,
    random_rules,
    random_target,
    random_weights,
)

MISSING = tuple(policy for policy in POLICIES if policy != "error")


def some_numbers(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    """Even or tied, often mostly zero, often with missing values."""
    values = rng.normal(size=n_rows)
    if rng.random() < 0.4:
        values = rng.integers(0, rng.integers(2, 300), n_rows).astype(np.float64)
    if rng.random() < 0.3:
        values[rng.random(n_rows) < 0.5] = 0.0
    if rng.random() < 0.6:
        values[rng.random(n_rows) < rng.choice([0.05, 0.4, 0.9])] = np.nan
    return values


def some_column(rng: np.random.Generator, n_rows: int) -> tuple[np.ndarray, int, int, Ask]:
    missing = str(rng.choice(MISSING))
    if rng.random() < 0.6:
        return some_numbers(rng, n_rows), CONTINUOUS, 0, Ask("threshold", missing, "majority")
    ask = Ask(str(rng.choice(FORMS)), missing, str(rng.choice(MISSING)))
    return some_codes(rng, n_rows), CATEGORICAL, n_rows, ask


def some_mixed_forest(rng: np.random.Generator, n_rows: int, n_columns: int) -> ForestCase:
    parts = zip(*(some_column(rng, n_rows) for _ in range(n_columns)), strict=True)
    columns, kinds, n_levels, asks = map(list, parts)
    target, n_classes, criterion = random_target(rng, n_rows)
    rules = replace(
        random_rules(rng, criterion, n_rows),
        category_gain=str(rng.choice(CATEGORY_GAINS)),
        breakpoints=False,
    )
    if n_classes and rng.random() < 0.3:
        rules = replace(rules, criterion="gain_ratio")
    if rng.random() < 0.3:
        rules = replace(rules, max_leaf_nodes=int(rng.integers(2, 60)))
    weights = random_weights(rng, n_rows)
    case = Case(columns, kinds, n_levels, target, n_classes, weights, rules, asks)
    return ForestCase(
        case,
        str(rng.choice(DRAWS)),
        int(rng.integers(1, int(case.kept.sum()) + 1)),
        int(rng.integers(1, min(n_columns, int(rng.choice([6, n_columns]))) + 1)),
        str(rng.choice(SPLITTERS)),
    )


@pytest.mark.parametrize(
    ("n_rows", "n_columns", "number"),
    [(8, 4, 200), (40, 10, 200), (150, 40, 100), (400, 10, 80), (1_500, 6, 40), (150, 600, 15)],
)
def test_trees_of_forests_are_single_trees(n_rows: int, n_columns: int, number: int):
    for i in range(number):
        rng = np.random.default_rng([i, n_rows, n_columns, 71])
        check_forest(some_mixed_forest(rng, n_rows, n_columns), SEEDS[:2])
