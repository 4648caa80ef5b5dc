"""Hypothesis strategies for small training problems; they shrink to the smallest bad table."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.oracle_policies import FORMS, POLICIES, Ask
from tests.oracle_units import BINARY, CATEGORICAL, CONTINUOUS, ORDINAL, Rules
from tests.properties.cases import Case
from tests.properties.random_cases import CATEGORY_GAINS, CLASS_CRITERIA, EXTREME_VALUES

any_float = st.floats(allow_nan=True, allow_infinity=True)
few_floats = st.sampled_from((0.0, 1.0, 2.0, 3.0))
few_or_missing = st.sampled_from((0.0, 1.0, 2.0, np.nan))
extreme_floats = st.sampled_from((*EXTREME_VALUES, np.nan))
single_floats = st.floats(width=32, allow_nan=True, allow_infinity=True)


def continuous(n_rows: int) -> st.SearchStrategy:
    doubles = st.sampled_from((few_floats, few_or_missing, any_float, extreme_floats)).flatmap(
        lambda elements: hnp.arrays(np.float64, n_rows, elements=elements)
    )
    singles = hnp.arrays(np.float32, n_rows, elements=single_floats)
    integers = st.sampled_from(("i1", "u1", "i2", "u2", "i4", "u4")).flatmap(
        lambda dtype: hnp.arrays(dtype, n_rows)
    )
    return st.one_of(doubles, singles, integers).map(lambda values: (values, CONTINUOUS, 0))


@st.composite
def coded(draw, n_rows: int) -> tuple[np.ndarray, int, int]:
    kind = draw(st.sampled_from((BINARY, ORDINAL, CATEGORICAL)))
    n_levels = 2 if kind == BINARY else draw(st.integers(1, 6))
    lowest = draw(st.sampled_from((-1, 0)))
    codes = hnp.arrays(np.int32, n_rows, elements=st.integers(lowest, n_levels - 1))
    return draw(codes), kind, n_levels


def all_weights(n_rows: int) -> st.SearchStrategy:
    kinds = (
        st.integers(0, 3).map(float),
        st.integers(0, 40).map(lambda eighths: eighths / 8),
        st.just(0.0) | st.floats(1e-9, 100.0),
        st.just(0.0) | st.floats(1e-150, 1e150),
    )
    arrays = st.sampled_from(kinds).flatmap(
        lambda elements: hnp.arrays(np.float64, n_rows, elements=elements).filter(np.any)
    )
    return st.none() | arrays


def rules_for(criterion: str) -> st.SearchStrategy:
    limits = {
        "max_depth": st.sampled_from((0, 1, 2, 4)),
        "min_samples_split": st.sampled_from((2, 3, 6)),
        "min_samples_leaf": st.sampled_from((1, 2, 4)),
        "min_weight_fraction_leaf": st.sampled_from((0.0, 0.1, 0.25, 0.5)),
        "max_leaf_nodes": st.sampled_from((0, 2, 3, 5)),
        "min_impurity_decrease": st.sampled_from((0.0, 1e-3, 0.1)),
        "min_gain": st.sampled_from((0.0, 1e-6, 0.05)),
    }
    chosen = st.fixed_dictionaries({}, optional=limits)
    return chosen.map(lambda choices: Rules(criterion, **choices))


def classes(n_rows: int) -> st.SearchStrategy:
    return st.integers(1, 6).flatmap(
        lambda n_classes: st.tuples(
            hnp.arrays(np.int32, n_rows, elements=st.integers(0, n_classes - 1)),
            st.just(n_classes),
            st.sampled_from(CLASS_CRITERIA),
        )
    )


def numbers(n_rows: int) -> st.SearchStrategy:
    whole = st.integers(-3, 3).map(float)
    finite = st.floats(allow_nan=False, allow_infinity=False)
    close = st.integers(0, 1000).map(lambda thousandths: 1e9 + thousandths / 1000)
    elements = st.sampled_from((whole, finite, close))
    arrays = elements.flatmap(lambda values: hnp.arrays(np.float64, n_rows, elements=values))
    return st.tuples(arrays, st.just(0), st.just("squared_error"))


def counts(n_rows: int) -> st.SearchStrategy:
    elements = st.sampled_from((st.integers(0, 3).map(float), st.floats(0.0, 1e300)))
    arrays = elements.flatmap(lambda values: hnp.arrays(np.float64, n_rows, elements=values))
    return st.tuples(arrays, st.just(0), st.just("poisson"))


@st.composite
def problems(draw, max_rows: int = 24, target=None, weights=all_weights, plain=False) -> Case:
    """Any small problem; `plain` leaves out the stopping rules."""
    n_rows = draw(st.integers(1, max_rows))
    column = continuous(n_rows) | coded(n_rows)
    columns, kinds, n_levels = zip(*draw(st.lists(column, min_size=1, max_size=4)), strict=True)
    any_target = st.one_of(classes(n_rows), numbers(n_rows), counts(n_rows))
    values, n_classes, criterion = draw(target(n_rows) if target else any_target)
    rules = Rules(criterion) if plain else draw(rules_for(criterion))
    return Case(
        list(columns), list(kinds), list(n_levels), values, n_classes, draw(weights(n_rows)), rules
    )


def asks_for(kind: int) -> st.SearchStrategy:
    forms = {
        CONTINUOUS: ("threshold",),
        CATEGORICAL: ("subset", "onevsrest", "multiway"),
    }.get(kind, FORMS)
    policies = st.sampled_from(POLICIES)
    return st.builds(Ask, st.sampled_from(forms), policies, policies)


@st.composite
def policy_problems(draw, category_gains: tuple[str, ...] = CATEGORY_GAINS, **choices) -> Case:
    """Any small problem with any split form and policies for each column."""
    case = draw(problems(**choices))
    asks = [draw(asks_for(kind)) for kind in case.kinds]
    rules = {"breakpoints": draw(st.booleans())}
    rules["category_gain"] = draw(st.sampled_from(category_gains))
    if case.n_classes and draw(st.booleans()):
        rules["criterion"] = "gain_ratio"
    return replace(case, asks=asks).with_rules(**rules)
