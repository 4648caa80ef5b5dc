"""Random training problems for every split form, missing policy and unseen policy."""

from dataclasses import replace

import numpy as np

from tests.oracle_policies import FORMS, POLICIES, Ask
from tests.oracle_units import CATEGORICAL, CONTINUOUS
from tests.properties.cases import Case
from tests.properties.random_cases import (
    CATEGORY_GAINS,
    ORDINARY_COLUMNS,
    RICH_COLUMNS,
    Made,
    case_from,
)


def random_policy_case(rng: np.random.Generator, max_rows: int = 40, forms=FORMS) -> Case:
    """Any small problem whose columns are split in any of `forms`, under any policies, by fair or
    by plain gains."""
    case = case_from(rng, int(rng.integers(1, max_rows + 1)), POLICY_COLUMNS)
    if case.n_classes and rng.random() < 0.25:
        case = case.with_rules(criterion="gain_ratio")
    case = case.with_rules(breakpoints=bool(rng.random() < 0.2))
    case = replace(case, asks=[random_ask(rng, kind, forms) for kind in case.kinds])
    return case.with_rules(category_gain=str(rng.choice(CATEGORY_GAINS)))


def random_rich_policy_case(rng: np.random.Generator) -> Case:
    """Some hundred rows, columns with more values or levels than a byte can number."""
    case = case_from(rng, int(rng.integers(270, 450)), POLICY_COLUMNS[1:] + RICH_COLUMNS)
    case = case.with_rules(breakpoints=bool(rng.random() < 0.2))
    case = replace(case, asks=[random_ask(rng, kind, FORMS) for kind in case.kinds])
    return case.with_rules(category_gain=str(rng.choice(CATEGORY_GAINS)))


def random_ask(rng: np.random.Generator, kind: int, forms: tuple[str, ...]) -> Ask:
    """Half of the time the usual policies."""
    missing = "learn" if rng.random() < 0.4 else str(rng.choice(POLICIES))
    unseen = "majority" if rng.random() < 0.4 else str(rng.choice(POLICIES))
    return Ask(random_form(rng, kind, forms), missing, unseen)


def random_form(rng: np.random.Generator, kind: int, forms: tuple[str, ...]) -> str:
    """Numbers have thresholds, categories do not, other codes may have either."""
    if kind == CONTINUOUS or (kind != CATEGORICAL and rng.random() < 0.5):
        return "threshold"
    return str(rng.choice([form for form in forms if form != "threshold"]))


def wide_categories(rng: np.random.Generator, n_rows: int) -> Made:
    """Up to ten levels, of which some do not occur."""
    n_levels = int(rng.integers(6, 11))
    values = (rng.permutation(n_levels)[rng.integers(0, n_levels - 2, n_rows)]).astype(np.int32)
    if rng.random() < 0.5:
        values[rng.random(n_rows) < rng.choice([0.1, 0.4, 0.8])] = -1
    return values, CATEGORICAL, n_levels


POLICY_COLUMNS = (*ORDINARY_COLUMNS, wide_categories, ORDINARY_COLUMNS[3])


def has_documented_ties(case: Case) -> bool:
    """Whether the documentation orders all equal gains: subsets of many classes are searched in an
    order of the core's own."""
    return case.n_classes <= 2 or all(ask.form != "subset" for ask in case.all_asks)
