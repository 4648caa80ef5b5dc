"""Numbers and dates that probably stand for missing values."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silva.data.bind import bind_training
from silva.data.marks import marks

RNG = np.random.default_rng(5)
AGES = RNG.integers(18, 81, 300)
DAYS = pd.to_datetime("2015-01-01") + pd.to_timedelta(RNG.integers(0, 3000, 300), "D")


def found(column):
    """The values that are found in a column, as the words of the column."""
    table = bind_training(pd.DataFrame({"c": column}))
    return [one.value for one in marks(table.schema.columns[0], table.columns[0])]


@pytest.mark.parametrize("value", [-999.0, -9999.0, -99.0, -1.0, 999.0, 9999.0, 999999.0, 1e10])
@pytest.mark.parametrize("n_marked", [3, 60])
def test_marks_among_ages(value, n_marked):
    """-1 is one although it is near, because no age is 0."""
    column = AGES.astype(float)
    column[:n_marked] = value
    assert found(column) == [value]
    column[10:] = np.where(RNG.random(290) < 0.1, np.nan, column[10:])
    assert found(column) == [value]


def test_the_range_of_the_others_is_told():
    (one,) = marks(
        *(
            part[0]
            for table in [bind_training(pd.DataFrame({"c": [*AGES, -999, -999]}))]
            for part in (table.schema.columns, table.columns)
        )
    )
    assert one[1:] == (2, AGES.min(), AGES.max())


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ([*AGES, *[-999] * 3, *[-99] * 4], [-999.0, -99.0]),
        ([*AGES, *[-1] * 3, *[9999] * 4], [-1.0, 9999.0]),
        ([*range(6), *[-9] * 4] * 5, [-9.0]),
        ([*(60 + AGES / 2), *[0] * 5], [0.0]),
        ([*RNG.integers(0, 500, 300), *[-1] * 90], [-1.0]),
    ],
)
def test_marks(column, values):
    assert found(column) == values


@pytest.mark.parametrize("day", ["1900-01-01", "1970-01-01", "2999-12-31"])
def test_days_that_are_marks(day):
    column = [*DAYS, *[pd.Timestamp(day)] * 3]
    assert len(found(pd.Series(column))) == 1
    assert found(pd.Series(column[:-2])) == []
    assert found(pd.Series(DAYS)) == []


@pytest.mark.parametrize(
    "column",
    [
        AGES,
        [*AGES, -999],
        [-1, 0, 1] * 40,
        [-1.0, 1.0] * 40,
        RNG.normal(size=300).round(2),
        [*RNG.integers(0, 500, 300), -1, -1],
        [*RNG.poisson(0.3, 300), 9, 9],
        [*RNG.exponential(1000, 300), *[0.0] * 200],
        [*np.arange(100), *[99] * 30],
        [*RNG.integers(1, 6, 300), 9, 9, 9],
        [1, 2, 3, 4, 5, 8, 8] * 5,
        ["a", "b"] * 40,
        [True, False] * 40,
        [np.nan] * 40,
        [np.inf, -np.inf, 1.0, 2.0] * 10,
        [1.5] * 40,
    ],
)
def test_what_is_no_mark(column):
    assert found(column) == []


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(["normal", "exponential", "lognormal", "uniform", "poisson"]),
    st.integers(0, 2**32 - 1),
    st.sampled_from([30, 300, 3000]),
)
def test_random_columns_have_no_mark_until_they_get_one(law, seed, n_rows):
    rng = np.random.default_rng(seed)
    draw = {
        "normal": lambda: rng.normal(50, 10, n_rows),
        "exponential": lambda: rng.exponential(50, n_rows),
        "lognormal": lambda: rng.lognormal(3, 0.5, n_rows),
        "uniform": lambda: rng.integers(0, 100, n_rows),
        "poisson": lambda: rng.poisson(20, n_rows),
    }[law]
    column = draw().astype(float)
    assert found(column) == []
    column[: n_rows // 10] = -99999
    assert found(column) == [-99999.0]
