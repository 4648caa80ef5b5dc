"""Oblique and distance splits: whatever found them, their sweep is exact and they earn it."""

from dataclasses import replace

import numpy as np
import pytest

from tests.effort import tries
from tests.oracle_compare import split_from_arrays
from tests.oracle_policies import POLICIES, Ask
from tests.oracle_splits import METRICS, Distance, Oblique
from tests.oracle_units import BINARY, CATEGORICAL, CONTINUOUS, ORDINAL, Rules
from tests.oracle_walk import check_tree
from tests.properties.cases import Case, same_bytes
from tests.properties.random_cases import CATEGORY_GAINS

KINDS = [CONTINUOUS, CONTINUOUS, CONTINUOUS, ORDINAL, BINARY, CATEGORICAL]
N_LEVELS = [0, 0, 0, 5, 2, 3]
MARGIN = 0.1
ORDERED = [0, 1, 2, 3, 4]


def slanted_case(rng: np.random.Generator, n_classes: int, criterion: str) -> Case:
    """A table whose target follows a slanted line and a circle, with missing values."""
    n_rows = int(rng.choice([12, 60, 250]))
    columns = [rng.normal(size=n_rows) * scale + 3 for scale in (1.0, 20.0, 0.01)]
    columns[1] = np.rint(columns[1])
    columns += [rng.integers(0, n, n_rows).astype(np.int32) for n in N_LEVELS[3:]]
    line = columns[0] - columns[1] / 20 + 0.3 * columns[3] + (columns[5] == 1)
    circle = (columns[0] - 3) ** 2 + ((columns[1] - 3) / 20) ** 2
    score = line if rng.random() < 0.5 else circle
    score = score + 0.2 * rng.normal(size=n_rows)
    for column in columns if rng.random() < 0.6 else ():
        gone = rng.random(n_rows) < 0.08
        column[gone] = np.nan if column.dtype.kind == "f" else -1
    case = Case(
        columns,
        KINDS,
        N_LEVELS,
        target_from(score, n_classes, criterion),
        n_classes,
        rng.integers(0, 3, n_rows) + 0.5 if rng.random() < 0.4 else None,
        Rules(criterion, min_samples_leaf=int(rng.choice([1, 3]))),
        [random_ask(rng, kind) for kind in KINDS],
    )
    return case.with_rules(category_gain=str(rng.choice(CATEGORY_GAINS)))


def target_from(score: np.ndarray, n_classes: int, criterion: str) -> np.ndarray:
    if n_classes:
        cuts = np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])
        return np.digitize(score, cuts).astype(np.int32)
    return np.rint(np.exp(score / 2)) if criterion == "poisson" else score


def random_ask(rng: np.random.Generator, kind: int) -> Ask:
    form = "subset" if kind == CATEGORICAL else "threshold"
    return Ask(form, "learn" if rng.random() < 0.5 else str(rng.choice(POLICIES)))


def with_oblique(case: Case, max_columns: int = 5) -> Case:
    columns = list(range(len(KINDS)))
    choice = {"columns": columns, "max_columns": max_columns, "margin": MARGIN, "max_levels": 8}
    return replace(case, oblique=choice)


def with_distance(case: Case, metrics: tuple[str, ...] = METRICS) -> Case:
    numbers = [METRICS.index(metric) for metric in metrics]
    choice = {"columns": ORDERED, "metrics": numbers, "prototypes": 4, "margin": MARGIN}
    return replace(case, distance=choice)


TARGETS = [
    (2, "gini"),
    (2, "entropy"),
    (3, "gini"),
    (3, "error"),
    (0, "squared_error"),
    (0, "poisson"),
]


def splits_of(arrays: dict, kind: type) -> list:
    found = [split_from_arrays(arrays, node) for node in range(len(arrays["split_kind"]))]
    return [split for split in found if isinstance(split, kind)]


def check(case: Case, arrays: dict) -> None:
    check_tree(case.bound(), arrays, oblique_margin=MARGIN, distance_margin=MARGIN)


@pytest.mark.parametrize(("n_classes", "criterion"), TARGETS)
def test_oblique_splits(n_classes: int, criterion: str):
    found = []
    for number in tries(15, 30):
        rng = np.random.default_rng([number, 71])
        case = with_oblique(slanted_case(rng, n_classes, criterion), int(rng.choice([2, 3, 5])))
        arrays = case.by_core()
        check_numbered(case, arrays, number)
        for split in splits_of(arrays, Oblique):
            check_oblique_terms(split, case.oblique["max_columns"])
            found.append(split)
    assert len(found) > 10


def check_numbered(case: Case, arrays: dict, number: int) -> None:
    try:
        check(case, arrays)
    except AssertionError as error:
        raise AssertionError(f"random table {number}: {error}") from error


def check_oblique_terms(split: Oblique, max_columns: int) -> None:
    """Weights are numbers other than zero, categories enter as indicators, columns are few."""
    assert np.all(np.isfinite(split.weights))
    assert 0.0 not in split.weights
    assert np.isfinite(split.threshold)
    assert 1 <= len(set(split.columns)) <= max_columns
    assert len(set(zip(split.columns, split.codes, strict=True))) == len(split.columns)
    for column, code in zip(split.columns, split.codes, strict=True):
        assert (code >= 0) == (KINDS[column] == CATEGORICAL)
        assert code < max(N_LEVELS[column], 1)


@pytest.mark.parametrize(("n_classes", "criterion"), TARGETS)
def test_distance_splits(n_classes: int, criterion: str):
    found = []
    for number in tries(15, 30):
        rng = np.random.default_rng([number, 72])
        metrics = METRICS if number % 5 == 0 else (METRICS[number % 5 - 1],)
        case = with_distance(slanted_case(rng, n_classes, criterion), metrics)
        arrays = case.by_core()
        check_numbered(case, arrays, number)
        for split in splits_of(arrays, Distance):
            check_distance_terms(case, split, metrics)
            found.append(split)
    assert len(found) > 10


def check_distance_terms(case: Case, split: Distance, metrics: tuple[str, ...]) -> None:
    """The metric was asked for, and the center is a training row."""
    assert split.metric in metrics
    assert set(split.columns) <= set(ORDERED)
    assert len(set(split.columns)) == len(split.columns)
    assert np.all(np.isfinite(split.scale))
    assert len(split.matrix) == (len(split.columns) ** 2 if split.metric == "mahalanobis" else 0)
    used = np.stack([np.asarray(case.columns[c], float) for c in split.columns], axis=1)
    assert np.any(np.all(used == np.array(split.center), axis=1)), "the center is no training row"


@pytest.mark.parametrize("seed", range(4))
def test_both_kinds_beside_each_other(seed: int):
    for number in range(10):
        rng = np.random.default_rng([seed, number, 73])
        n_classes, criterion = TARGETS[number % len(TARGETS)]
        case = with_distance(with_oblique(slanted_case(rng, n_classes, criterion)))
        check_numbered(case, case.by_core(), number)


@pytest.mark.parametrize("add", [with_oblique, with_distance])
def test_threads_give_the_same_bytes(add):
    for number in range(12):
        rng = np.random.default_rng([number, 74])
        n_classes, criterion = TARGETS[number % len(TARGETS)]
        case = add(slanted_case(rng, n_classes, criterion))
        alone = case.by_core(threads=1)
        for threads in (2, 3, 7):
            assert same_bytes(alone, case.by_core(threads=threads)), (number, threads)


@pytest.mark.parametrize("add", [with_oblique, with_distance])
def test_every_row_routes_to_the_leaf_that_counted_it(add):
    """With policies that send no training row to a stop."""
    for number in range(20):
        rng = np.random.default_rng([number, 75])
        case = add(slanted_case(rng, 3, "gini"))
        policy = ("learn", "majority", "own_branch")[number % 3]
        case = case.with_asks([ask._replace(missing=policy) for ask in case.all_asks])
        arrays = case.by_core()
        leaf_of_node = np.cumsum(arrays["split_kind"] == 0) - 1
        leaf = leaf_of_node[case.routed(arrays)]
        rows = np.bincount(leaf, minlength=len(arrays["leaf_rows"]))
        assert np.array_equal(rows, arrays["leaf_rows"]), number


@pytest.mark.parametrize(("slope", "offset"), [(1.0, 0.0), (-2.5, 1e3), (0.001, -7.0)])
def test_a_slanted_line_is_found(slope: float, offset: float):
    """Two columns whose sum decides: one oblique split does what thresholds cannot."""
    rng = np.random.default_rng(76)
    values = rng.normal(size=(2, 300))
    target = (values[0] + values[1] > 0).astype(np.int32)
    columns = [values[0], values[1] * slope + offset]
    choice = {"columns": [0, 1], "max_columns": 2, "margin": MARGIN, "max_levels": 8}
    case = Case(columns, [CONTINUOUS] * 2, [0] * 2, target, 2, oblique=choice)
    arrays = case.by_core()
    assert arrays["split_kind"][0] == 4
    assert arrays["gain"][0] > 0.4
    check(case, arrays)


@pytest.mark.parametrize(
    ("category_gain", "margin", "kind"),
    [("plain", MARGIN, 2), ("fair", MARGIN, 4), ("fair", 1.5, 2)],
)
def test_an_oblique_split_must_beat_the_score_of_levels(category_gain, margin, kind):
    """Levels of two rows of one class part the classes at a gain of 0.5, and compete with less than
    half of it; the slanted line gains about 0.45, and the best threshold 0.1."""
    rng = np.random.default_rng(77)
    values = rng.normal(size=(2, 300))
    target = (values[0] + values[1] > 0).astype(np.int32)
    codes = np.empty(300, dtype=np.int32)
    codes[np.argsort(target, kind="stable")] = np.arange(300) // 2
    choice = {"columns": [0, 1], "max_columns": 2, "margin": margin, "max_levels": 8}
    rules = Rules(max_depth=1, category_gain=category_gain)
    kinds, asks = [CONTINUOUS, CONTINUOUS, CATEGORICAL], [Ask(), Ask(), Ask("subset")]
    columns = [*values, codes]
    case = Case(columns, kinds, [0, 0, 150], target, 2, None, rules, asks, oblique=choice)
    arrays = case.by_core()
    assert arrays["split_kind"][0] == kind
    check_tree(case.bound(), arrays, oblique_margin=margin)
