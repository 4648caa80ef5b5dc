"""Split forms and policies on tables large enough for every engine of the core."""

import numpy as np
import pytest

from tests.oracle_compare import describe_arrays
from tests.oracle_policies import POLICIES, Ask
from tests.oracle_units import BINARY, CATEGORICAL, CONTINUOUS, ORDINAL, Rules
from tests.oracle_walk import check_tree
from tests.properties.cases import Case, same_bytes

KINDS = [CONTINUOUS, ORDINAL, BINARY, *[CATEGORICAL] * 4]
N_LEVELS = [0, 7, 2, 5, 9, 40, 300]


def table(rng: np.random.Generator, n_rows: int, n_classes: int, criterion: str, form: str) -> Case:
    """Levels with effects of their own; missing values wherever there can be some."""
    columns: list[np.ndarray] = [np.rint(rng.normal(size=n_rows) * 30) / 8]
    columns += [rng.integers(0, n, n_rows).astype(np.int32) for n in N_LEVELS[1:]]
    score = columns[0] / 4 + rng.normal(size=n_rows)
    for codes, n_levels in zip(columns[1:], N_LEVELS[1:], strict=True):
        score = score + rng.normal(size=n_levels)[codes]
    for column in columns:
        gone = rng.random(n_rows) < rng.choice([0.0, 0.03, 0.2])
        column[gone] = np.nan if column.dtype.kind == "f" else -1
    asks = [Ask("threshold" if kind != CATEGORICAL else form) for kind in KINDS]
    target = target_from(score, n_classes, criterion)
    return Case(columns, KINDS, N_LEVELS, target, n_classes, None, Rules(criterion), asks)


def target_from(score: np.ndarray, n_classes: int, criterion: str) -> np.ndarray:
    if n_classes:
        cuts = np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])
        return np.digitize(score, cuts).astype(np.int32)
    return np.rint(np.exp(score / 4)) if criterion == "poisson" else score


def with_policies(case: Case, rng: np.random.Generator) -> Case:
    return case.with_asks(
        [Ask(a.form, str(rng.choice(POLICIES)), str(rng.choice(POLICIES))) for a in case.all_asks]
    )


TABLES = [
    # rows, classes, criterion, form, any policies, gain of categories
    (1_500, 2, "gini", "subset", False, "fair"),
    (1_500, 2, "entropy", "subset", True, "fair"),
    (1_500, 3, "gini", "subset", False, "plain"),
    (1_500, 4, "entropy", "subset", True, "fair"),
    (1_500, 0, "squared_error", "subset", True, "plain"),
    (1_500, 0, "poisson", "subset", False, "fair"),
    (1_500, 3, "gain_ratio", "multiway", False, "plain"),
    (1_500, 2, "gain_ratio", "multiway", True, "fair"),
    (1_500, 2, "gain_ratio", "subset", True, "fair"),
    (1_500, 0, "squared_error", "multiway", True, "fair"),
    (1_500, 3, "error", "onevsrest", True, "fair"),
    (1_500, 0, "poisson", "onevsrest", True, "plain"),
    (6_000, 2, "gini", "subset", True, "plain"),
    (6_000, 12, "gini", "subset", False, "fair"),
    (6_000, 0, "squared_error", "subset", False, "fair"),
    (6_000, 2, "gain_ratio", "multiway", False, "fair"),
    (40_000, 2, "gini", "subset", True, "fair"),
    (40_000, 0, "squared_error", "subset", True, "plain"),
    (40_000, 3, "entropy", "onevsrest", True, "plain"),
]


def make(
    n_rows: int, n_classes: int, criterion: str, form: str, any_policies: bool, category_gain: str
) -> Case:
    rng = np.random.default_rng([n_rows, n_classes, any_policies])
    case = table(rng, n_rows, n_classes, criterion, form)
    case = case.with_rules(min_samples_leaf=5 if n_rows > 5_000 else 1)
    case = case.with_rules(max_depth=6 if n_rows > 10_000 else 0, category_gain=category_gain)
    return with_policies(case, rng) if any_policies else case


@pytest.mark.parametrize("choices", TABLES)
def test_checked_nodes_are_as_documented(choices: tuple):
    case = make(*choices)
    arrays = case.by_core(threads=2)
    rng, n_nodes = np.random.default_rng(1), len(arrays["split_kind"])
    inner = np.flatnonzero(arrays["split_kind"])
    some = {0, *rng.choice(inner, 5).tolist(), *rng.integers(0, n_nodes, 5).tolist()}
    assert check_tree(case.bound(), arrays, only=some) == len(some)


@pytest.mark.parametrize("form", ["subset", "multiway", "onevsrest"])
def test_threads_and_row_order_do_not_change_a_byte(form: str):
    rng = np.random.default_rng(5)
    for n_classes, criterion in ((2, "gini"), (4, "entropy"), (0, "squared_error")):
        case = with_policies(table(rng, 20_000, n_classes, criterion, form), rng)
        case = case.with_rules(min_samples_leaf=3, category_gain="fair")
        alone = case.by_core(threads=1)
        assert all(same_bytes(alone, case.by_core(threads=threads)) for threads in (2, 3, 7))
        shuffled = case.take(rng.permutation(case.n_rows))
        assert same_bytes(alone, shuffled.by_core(threads=2))


@pytest.mark.parametrize(("n_classes", "criterion"), [(3, "gini"), (0, "squared_error")])
def test_best_first_growth_takes_the_largest_gains_of_the_full_tree(n_classes, criterion):
    """Both growth policies see the same splits, so one can be played on the other's tree."""
    rng = np.random.default_rng(6)
    case = table(rng, 3_000, n_classes, criterion, "subset").with_rules(category_gain="fair")
    full = describe_arrays(case.by_core(threads=2))
    for max_leaf_nodes in (2, 3, 17, 60):
        limited = case.with_rules(max_leaf_nodes=max_leaf_nodes).by_core(threads=2)
        records = describe_arrays(limited)
        assert len(limited["leaf_rows"]) == max_leaf_nodes
        assert all(full[p] == record for p, record in records.items() if record["split"])


def test_an_identifier_has_a_level_for_every_row():
    """As many levels as rows: each form copes, and a plain subset parts the classes at once. By
    the fair gain such a column decides nothing."""
    n_rows = 3_000
    rng = np.random.default_rng(7)
    codes = rng.permutation(n_rows).astype(np.int32)
    target = rng.integers(0, 2, n_rows).astype(np.int32)
    for form, n_leaves in (("subset", 2), ("multiway", n_rows)):
        case = Case([codes], [CATEGORICAL], [n_rows], target, 2, asks=[Ask(form)])
        arrays = case.by_core(threads=2)
        assert len(arrays["leaf_rows"]) == n_leaves
        assert arrays["gain"][0] == pytest.approx(2 * target.mean() * (1 - target.mean()))
        fair = case.with_rules(category_gain="fair").by_core(threads=2)
        assert len(fair["leaf_rows"]) == 1
