"""Random tables with many levels of few rows, where the fair gain of categories matters."""

from dataclasses import replace

import numpy as np

from tests.oracle_policies import Ask
from tests.oracle_units import CATEGORICAL, CONTINUOUS, Rules
from tests.properties.cases import Case
from tests.properties.policy_cases import random_ask
from tests.properties.random_cases import random_target, random_weights

FITTED = ("subset", "multiway")


def random_fair_case(rng: np.random.Generator, max_rows: int = 40) -> Case:
    """Columns of categories from two levels to one a row, and up to two columns of numbers."""
    n_rows = int(rng.integers(3, max_rows + 1))
    words = [crowded_codes(rng, n_rows) for _ in range(rng.integers(1, 4))]
    numbers = [rng.integers(0, 4, n_rows).astype(np.float64) for _ in range(rng.integers(0, 3))]
    target, n_classes, criterion = random_target(rng, n_rows)
    if n_classes and rng.random() < 0.25:
        criterion = "gain_ratio"
    kinds = [CATEGORICAL] * len(words) + [CONTINUOUS] * len(numbers)
    asks = [random_ask(rng, kind, FITTED) for kind in kinds]
    n_levels = [n_rows + 1] * len(words) + [0] * len(numbers)
    rules = Rules(criterion, category_gain="fair")
    weights = random_weights(rng, n_rows)
    return Case(words + numbers, kinds, n_levels, target, n_classes, weights, rules, asks)


def crowded_codes(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    """Few rows a level, or levels of very different sizes; some missing values."""
    n_levels = max(1, int(n_rows * rng.choice([0.1, 0.3, 0.5, 1.0])))
    even = rng.integers(0, n_levels, n_rows)
    skewed = np.minimum(rng.geometric(0.3, n_rows), n_rows) - 1
    codes = rng.permutation(n_rows)[even if rng.random() < 0.6 else skewed].astype(np.int32)
    if rng.random() < 0.5:
        codes[rng.random(n_rows) < rng.choice([0.1, 0.5])] = -1
    return codes


def with_identifier(case: Case, rng: np.random.Generator, place: int, form: str) -> Case:
    """The table with one more column, of a distinct level in every row."""
    codes = rng.permutation(case.n_rows).astype(np.int32)
    ask = random_ask(rng, CATEGORICAL, (form,))
    return replace(
        case,
        columns=inserted(case.columns, place, codes),
        kinds=inserted(case.kinds, place, CATEGORICAL),
        n_levels=inserted(case.n_levels, place, case.n_rows),
        asks=inserted(case.all_asks, place, ask),
    )


def inserted(items: list, place: int, item: object) -> list:
    return [*items[:place], item, *items[place:]]


def stump_beside_number(case: Case, number: np.ndarray) -> Case:
    """The first column of the case and one of numbers, split once."""
    asks = [case.all_asks[0], Ask("threshold", "learn")]
    parts = {"columns": [case.columns[0], number], "kinds": [case.kinds[0], CONTINUOUS]}
    lone = replace(case, **parts, n_levels=[case.n_levels[0], 0], asks=asks)
    return lone.with_rules(max_depth=1)


def levels_case(rng: np.random.Generator, n_classes: int, criterion: str, form: str) -> Case:
    """One column of three to eight levels that follow the target a little, some of one row, with
    weights that make gains dense."""
    n_rows = int(rng.integers(8, 24))
    codes = rng.integers(0, rng.integers(3, 9), n_rows).astype(np.int32)
    score = rng.normal(size=9)[codes] * rng.choice([0.0, 1.0, 3.0]) + rng.normal(size=n_rows)
    target = np.rint(2 * np.exp(score)) if criterion == "poisson" else score
    if n_classes:
        cuts = np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])
        target = np.digitize(score, cuts).astype(np.int32)
    if rng.random() < 0.4:
        codes[rng.random(n_rows) < 0.2] = -1
    drawn = (None, rng.random(n_rows) + 0.1, rng.integers(1, 9, n_rows) / 8.0)
    weights = drawn[rng.integers(3)]
    rules = Rules(criterion, category_gain="fair")
    ask = random_ask(rng, CATEGORICAL, (form,))
    return Case([codes], [CATEGORICAL], [9], target, n_classes, weights, rules, [ask])


def random_numbers(rng: np.random.Generator, target: np.ndarray) -> list[np.ndarray]:
    """Columns of zero and one, from noise to a copy of a cut of the target."""
    found = []
    for share in np.linspace(0.0, 0.5, 120):
        side = target > rng.choice(target)
        found.append((side ^ (rng.random(len(target)) < share)).astype(np.float64))
    return found
