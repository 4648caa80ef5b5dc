"""Tables of numbers with missing values, which all trees of a forest share."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.oracle_policies import Ask
from tests.oracle_units import CONTINUOUS, Rules
from tests.properties.cases import Case
from tests.properties.strategies import all_weights, classes, counts, numbers, rules_for

POLICIES = ("learn", "majority", "own_branch", "stop", "error")
SHARES = (0.0, 0.1, 0.5, 0.95, 1.0)
CRITERIA = {
    2: ("gini", "entropy", "error", "gain_ratio"),
    5: ("gini", "entropy", "error", "gain_ratio"),
    9: ("gini",),
    20: ("gini",),
    0: ("squared_error", "poisson"),
}


@st.composite
def missing_problems(draw) -> Case:
    """Any small problem whose columns are numbers, under any policy."""
    n_rows = draw(st.integers(1, 24))
    values = st.sampled_from(
        (
            st.sampled_from((0.0, 1.0, 2.0, np.nan)),
            st.sampled_from((7.0, np.nan)),
            st.floats(allow_nan=True, allow_infinity=True),
        )
    )
    column = values.flatmap(lambda elements: hnp.arrays(np.float64, n_rows, elements=elements))
    columns = draw(st.lists(column, min_size=2, max_size=5))
    target, n_classes, criterion = draw(st.one_of(classes(n_rows), numbers(n_rows), counts(n_rows)))
    rules = draw(rules_for(criterion))
    policies = st.sampled_from(POLICIES)
    asks = [Ask("threshold", draw(policies), "majority") for _ in columns]
    weights = draw(all_weights(n_rows))
    kinds, n_levels = [CONTINUOUS] * len(columns), [0] * len(columns)
    return Case(columns, kinds, n_levels, target, n_classes, weights, rules, asks)


def missing_case(
    rng: np.random.Generator, n_rows: int, n_classes: int, criterion: str, n_more: int = 0
) -> Case:
    """Even, tied, skewed and binary numbers, one constant, each with its share of missing cells."""
    columns = [
        rng.normal(size=n_rows),
        rng.integers(0, 4, n_rows).astype(np.float64),
        rng.integers(0, 2, n_rows).astype(np.float64),
        np.exp(20 * rng.normal(size=n_rows)),
        rng.normal(size=n_rows).round(1) + 0.0,
        np.full(n_rows, 1.5),
        rng.integers(0, 300, n_rows).astype(np.float64),
        *rng.normal(size=(n_more, n_rows)),
    ]
    score = np.clip(columns[0] + columns[1] + columns[4] + rng.normal(size=n_rows) / 3, -4, 8)
    for column in columns:
        column[rng.random(n_rows) < rng.choice(SHARES, p=(0.15, 0.45, 0.2, 0.15, 0.05))] = np.nan
    score += np.isnan(columns[0])
    if n_classes == 0:
        target = score - score.min() if criterion == "poisson" else score
    else:
        edges = np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])
        target = np.digitize(score, edges).astype(np.int32)
    asks = [Ask("threshold", str(rng.choice(POLICIES)), "majority") for _ in columns]
    kinds, n_levels = [CONTINUOUS] * len(columns), [0] * len(columns)
    return Case(columns, kinds, n_levels, target, n_classes, None, Rules(criterion), asks)


def weights_for(rng: np.random.Generator, n_rows: int) -> np.ndarray | None:
    choices = (None, rng.integers(0, 4, n_rows) / 4, rng.random(n_rows))
    weights = choices[rng.integers(3)]
    return weights if weights is None or weights.any() else None
