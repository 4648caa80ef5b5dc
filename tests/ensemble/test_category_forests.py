"""Trees of forests whose tables have categories, beside complete numbers: the single trees of their
rows, bit for bit."""

from dataclasses import replace

import numpy as np
import pytest

from tests.ensemble.forest_cases import DRAWS, SEEDS, ForestCase
from tests.ensemble.test_forest_grower import check_forest
from tests.oracle_policies import Ask
from tests.oracle_units import CATEGORICAL, CONTINUOUS, ORDINAL, Rules
from tests.properties.cases import Case
from tests.properties.policy_cases import random_ask
from tests.properties.random_cases import (
    CATEGORY_GAINS,
    random_rules,
    random_target,
    random_weights,
)

FORMS = ("subset", "onevsrest", "multiway")
SPLITTERS = ("best", "random")


def some_codes(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    """Codes of up to a level a row: even or skewed, often with levels of one row; some missing."""
    n_levels = max(2, int(n_rows * rng.choice([0.05, 0.2, 0.5, 1.0])))
    even = rng.integers(0, n_levels, n_rows)
    skewed = np.minimum(rng.geometric(0.3, n_rows), n_levels) - 1
    codes = rng.permutation(n_levels)[even if rng.random() < 0.6 else skewed].astype(np.int32)
    if rng.random() < 0.5:
        codes[rng.random(n_rows) < rng.choice([0.05, 0.3, 0.9])] = -1
    return codes


def some_forest(rng: np.random.Generator) -> ForestCase:
    """Categories and complete numbers, of which a node draws some or all."""
    n_rows = int(rng.choice([6, 20, 60, 300]))
    words = [some_codes(rng, n_rows) for _ in range(rng.integers(1, 5))]
    numbers = [rng.integers(0, rng.integers(2, 9), n_rows).astype(np.float64) for _ in range(3)]
    kinds = [int(rng.choice([CATEGORICAL, ORDINAL])) for _ in words] + [CONTINUOUS] * 3
    n_levels = [n_rows] * len(words) + [0] * 3
    order = rng.permutation(len(kinds))
    target, n_classes, criterion = random_target(rng, n_rows)
    rules = random_rules(rng, criterion, n_rows)
    case = Case(
        [[*words, *numbers][c] for c in order],
        [kinds[c] for c in order],
        [n_levels[c] for c in order],
        target,
        n_classes,
        random_weights(rng, n_rows),
        replace(rules, category_gain=str(rng.choice(CATEGORY_GAINS))),
    )
    asks = [
        Ask("threshold", "learn")
        if kind == CONTINUOUS
        else random_ask(rng, kind, FORMS)._replace(form=str(rng.choice(FORMS)))
        for kind in case.kinds
    ]
    n_samples = int(rng.integers(1, int(case.kept.sum()) + 1))
    return ForestCase(
        replace(case, asks=asks),
        str(rng.choice(DRAWS)),
        n_samples,
        int(rng.integers(1, len(kinds) + 1)),
        str(rng.choice(SPLITTERS)),
    )


def test_small_tables_of_all_forms_and_policies():
    for i in range(1_000):
        check_forest(some_forest(np.random.default_rng([i, 61])), SEEDS[:3])


def medium(n_rows: int, n_classes: int, criterion: str, most_levels: int | None = None) -> Case:
    """Two, 20, 40 and 1,000 levels, names that nearly all differ, missing values, numbers."""
    rng = np.random.default_rng(n_rows)
    effects = rng.normal(size=max(n_rows, 1_000))
    sizes = tuple(min(size, most_levels or size) for size in (2, 20, 40, 1_000, n_rows // 2))
    words = [rng.integers(0, size, n_rows).astype(np.int32) for size in sizes]
    words[2][rng.random(n_rows) < 0.1] = -1
    words[3][rng.random(n_rows) < 0.02] = -1
    numbers = [rng.normal(size=n_rows), rng.normal(size=n_rows).round(1)]
    numbers.append(rng.integers(0, 2, n_rows).astype(np.float64))
    score = numbers[0] + effects[words[1]] + effects[words[3]] + rng.normal(size=n_rows) * 0.3
    columns, kinds = words + numbers, [CATEGORICAL] * 5 + [CONTINUOUS] * 3
    rules = Rules(criterion, category_gain="fair")
    asks = [Ask(form, "learn") for form in ("subset",) * 4 + ("onevsrest",) + ("threshold",) * 3]
    if n_classes == 0:
        target = np.exp(score / 2) if criterion == "poisson" else score
        return Case(columns, kinds, [*sizes, 0, 0, 0], target, 0, None, rules, asks)
    edges = np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])
    target = np.digitize(score, edges).astype(np.int32)
    return Case(columns, kinds, [*sizes, 0, 0, 0], target, n_classes, None, rules, asks)


@pytest.mark.parametrize(
    ("n_classes", "criterion"),
    [
        (2, "gini"),
        (2, "entropy"),
        (2, "error"),
        (5, "gini"),
        (17, "gini"),
        (5, "entropy"),
        (2, "gain_ratio"),
        (5, "gain_ratio"),
        (0, "squared_error"),
        (0, "poisson"),
    ],
)
@pytest.mark.parametrize("gain", ["fair", "plain"])
@pytest.mark.parametrize("splitter", SPLITTERS)
def test_medium_tables(n_classes: int, criterion: str, gain: str, splitter: str):
    case = medium(6_000, n_classes, criterion).with_rules(category_gain=gain)
    rng = np.random.default_rng(1)
    for weights in (None, rng.integers(0, 4, case.n_rows) / 4, rng.random(case.n_rows)):
        for bootstrap in DRAWS:
            check_forest(
                ForestCase(replace(case, weights=weights), bootstrap, 4_000, 3, splitter), [3]
            )


@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("form", FORMS)
def test_best_first(splitter: str, form: str):
    for n_classes, criterion in ((2, "gini"), (5, "gini"), (17, "gini"), (0, "squared_error")):
        for n_leaves in (2, 40, 700):
            case = medium(6_000, n_classes, criterion, most_levels=256)
            case = case.with_rules(max_leaf_nodes=n_leaves)
            asks = [ask._replace(form=form, missing="own_branch") for ask in case.asks[:5]]
            case = case.with_asks([*asks, *case.asks[5:]])
            check_forest(ForestCase(case, "bootstrap", 6_000, 3, splitter), [3])


@pytest.mark.parametrize("splitter", SPLITTERS)
def test_heavy_weights_of_two_classes(splitter: str):
    """Beyond the weights that fit into the words of rows."""
    case = medium(3_000, 2, "gini")
    rng = np.random.default_rng(3)
    for heaviest in (70_000, 2**25):
        weights = rng.integers(1, heaviest, case.n_rows).astype(np.float64)
        forest = ForestCase(replace(case, weights=weights), "bootstrap", 3_000, 3, splitter)
        check_forest(forest, [3, 4])


@pytest.mark.parametrize("missing", ["learn", "majority", "own_branch", "stop"])
@pytest.mark.parametrize("unseen", ["majority", "learn", "own_branch", "stop"])
@pytest.mark.parametrize("form", FORMS)
def test_policies_of_larger_tables(missing: str, unseen: str, form: str):
    case = medium(2_000, 2, "gini", most_levels=256)
    asks = [ask._replace(form=form, missing=missing, unseen=unseen) for ask in case.asks[:5]]
    case = case.with_asks([*asks, *case.asks[5:]])
    for splitter in SPLITTERS:
        check_forest(ForestCase(case, "bootstrap", 2_000, 3, splitter), [3, 4])


@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("form", ["subset", "multiway"])
def test_tables_whose_top_nodes_read_their_rows_in_place(splitter: str, form: str):
    case = medium(14_000, 2, "gini", most_levels=256)
    asks = [ask._replace(form=form, missing="own_branch") for ask in case.asks[:5]]
    case = case.with_asks([*asks, *case.asks[5:]])
    rng = np.random.default_rng(5)
    case.columns.extend(rng.normal(size=(600, case.n_rows)))
    case.kinds.extend([CONTINUOUS] * 600)
    case.n_levels.extend([0] * 600)
    case.asks.extend([Ask("threshold", "learn")] * 600)
    few = case.with_rules(max_depth=5)
    check_forest(ForestCase(few, "all", 14_000, 300, splitter), [3])


@pytest.mark.parametrize("n_classes", [2, 0])
def test_sums_of_rows_out_of_the_bag(n_classes: int):
    criterion = "gini" if n_classes else "squared_error"
    forest = ForestCase(medium(600, n_classes, criterion), "bootstrap", 600, 3)
    slow = forest.oob_by_routing(SEEDS)
    grower = forest.grower(oob=True)
    grower.grow(SEEDS, 2)
    for name, values in grower.oob_sums().items():
        np.testing.assert_array_equal(values, slow[name], err_msg=name)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("missing", ["learn", "own_branch"])
@pytest.mark.parametrize("n_classes", [2, 300])
def test_two_levels_in_a_bag_of_more(n_classes: int, missing: str, form: str):
    """A missing value or a third level, which some bags lack: the others draw no level of two.
    Trees of 300 classes grow from their own copy of the columns."""
    target = np.array([0, 1, 0, 1, 1, 0], np.int32)
    for odd_one in (-1, 2):
        codes = np.array([0, 1, 0, 1, 1, odd_one], np.int32)
        asks = [Ask(form, missing, "majority")]
        case = Case([codes], [CATEGORICAL], [3], target, n_classes, None, Rules("gini"), asks)
        check_forest(ForestCase(case, "subsample", 5, 1, "random"), list(range(60)))
