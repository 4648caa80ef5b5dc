"""Columns of dates and durations against exact fractions: any unit, any container, any year."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from silva import TreeClassifier, TreeRegressor
from silva.data.bind import bind_prediction, bind_training
from silva.data.schema import Column, Schema
from silva.data.time_words import as_text, from_text, written
from silva.data.timescale import UNITS, TimeScale
from silva.errors import DataError
from silva.tree.tree import to_arrays
from tests import oracle_times as oracle

ATTOSECOND = Fraction(1, 10**18)
UNIT = st.sampled_from(list(oracle.SECONDS))
YEARS_1_TO_9999 = (-62_135_596_800, 253_402_300_799)
"""In seconds from 1970."""


@st.composite
def counts_of(draw, unit, least=1):
    """Counts of a unit, near each other around any day of NumPy's, or wherever int64 reaches."""
    limit = 2**62
    anchor = draw(st.sampled_from(["near", "years", "any"]))
    if anchor == "any":
        one = st.integers(-limit, limit)
    else:
        low, high = (int(second / oracle.SECONDS[unit]) for second in YEARS_1_TO_9999)
        start = draw(st.integers(max(low, -limit), min(high, limit)))
        step = draw(st.sampled_from([1, 5, 60, 1_000, 86_400_000]))
        width = 50 if anchor == "near" else 10**6
        one = st.integers(-width, width).map(
            lambda place: min(max(start + place * step, -limit), limit)
        )
    return draw(st.lists(one | st.none(), min_size=least, max_size=12))


@given(st.data(), UNIT, st.booleans())
def test_training_columns_equal_the_oracle(data, unit, aware):
    counts = data.draw(counts_of(unit))
    found = oracle.columns(counts, unit, aware)
    assume(found)
    name = data.draw(st.sampled_from(sorted(found)))
    known = any(count is not None for count in counts)
    assume(known or name not in ("scalars", "objects", "datetimes"))
    wanted = oracle.scale(oracle.seconds(counts, unit))
    if wanted is None:
        with pytest.raises(DataError, match=r"2\*\*53"):
            bind_training(found[name])
        return
    table = bind_training(found[name])
    time = table.schema.columns[0].time
    assert (time.unit, time.origin, time.zone) == (*wanted, "UTC" if aware else None)
    numbers = [oracle.number(value, *wanted) for value in oracle.seconds(counts, unit)]
    np.testing.assert_array_equal(table.columns[0], numbers)


@given(st.data(), UNIT, UNIT, st.booleans())
def test_prediction_is_exact_in_any_unit_and_container(data, trained, given_unit, aware):
    """The number is the float64 below, so every threshold parts rows as exact fractions say."""
    known = data.draw(
        counts_of(trained).filter(lambda counts: any(one is not None for one in counts))
    )
    wanted = oracle.scale(oracle.seconds(known, trained))
    assume(wanted is not None)
    scale = TimeScale("datetime", *wanted, "UTC" if aware else None)
    schema = Schema((Column("at", "continuous", time=scale),))
    counts = data.draw(counts_of(given_unit))
    found = oracle.columns(counts, given_unit, aware)
    assume(found)
    name = data.draw(st.sampled_from(sorted(found)))
    numbers = bind_prediction(found[name], schema).columns[0]
    values = oracle.seconds(counts, given_unit)
    np.testing.assert_array_equal(numbers, [oracle.number(value, *wanted) for value in values])
    threshold = data.draw(
        st.floats(-1e6, 1e6) | st.sampled_from(numbers[~np.isnan(numbers)].tolist() or [0.0])
    )
    limit = (Fraction(threshold) + wanted[1]) * oracle.SECONDS[wanted[0]]
    for value, number in zip(values, numbers.tolist(), strict=True):
        if value is not None:
            assert (number < threshold) == (value < limit)


@given(st.integers(-(2**60), 2**60), UNIT, st.sampled_from([1, 7, 25]), UNIT)
def test_multiples_of_units(count, unit, multiple, trained):
    raw = np.array([[count]], np.int64).view(f"M8[{multiple}{unit}]")
    scale = TimeScale("datetime", trained, 3)
    schema = Schema((Column("x0", "continuous", time=scale),), named=False)
    value = count * multiple * oracle.SECONDS[unit]
    assert bind_prediction(raw, schema).columns[0][0] == oracle.number(value, trained, 3)


@given(UNIT, st.integers(-(10**18), 10**18), st.floats(-1e15, 1e15))
def test_words_state_the_exact_rule(unit, origin, threshold):
    """`value < words` and `number < threshold` agree on all attoseconds."""
    scale = TimeScale("datetime", unit, origin)
    limit, zone = from_text(written(scale, threshold), "datetime")
    assert zone is None
    exact = (Fraction(threshold) + origin) * UNITS[unit]
    assert limit - 1 < exact <= limit


@given(st.integers(YEARS_1_TO_9999[0] * 10**18, YEARS_1_TO_9999[1] * 10**18))
def test_dates_are_those_of_python(attoseconds):
    value = attoseconds * ATTOSECOND
    assert as_text(attoseconds, "datetime") == oracle.text(value)


@given(st.integers(-(10**40), 10**40), st.sampled_from(["datetime", "duration"]))
def test_words_are_read_again(attoseconds, sort):
    assert from_text(as_text(attoseconds, sort), sort) == (attoseconds, None)


@given(st.integers(-(10**13), 10**13))
def test_years_beyond_python_are_those_of_numpy(days):
    assert np.datetime64(as_text(days * UNITS["D"], "datetime")) == np.datetime64(days, "D")


@given(st.data(), st.sampled_from([TreeClassifier, TreeRegressor]), st.sampled_from(["M8", "m8"]))
def test_a_tree_on_dates_is_the_tree_on_their_numbers(data, estimator, kind):
    unit = data.draw(st.sampled_from(["D", "h", "s", "us"]))
    width = {"D": 10**5, "h": 10**6, "s": 10**9, "us": 10**14}[unit]
    rows = st.lists(st.integers(-width, width) | st.none(), min_size=4, max_size=20)
    counts = data.draw(rows.filter(lambda all_: any(one is not None for one in all_)))
    target = data.draw(st.lists(st.integers(0, 2), min_size=len(counts), max_size=len(counts)))
    times = oracle.array(counts, unit, kind)[:, None]
    on_times = estimator().fit(times, target).grown_tree_
    found_unit, origin = oracle.scale(oracle.seconds(counts, unit))
    numbers = [oracle.number(one, found_unit, origin) for one in oracle.seconds(counts, unit)]
    on_numbers = estimator().fit(np.array(numbers)[:, None], target).grown_tree_
    one, other = to_arrays(on_times), to_arrays(on_numbers)
    assert one.keys() == other.keys()
    for name, values in one.items():
        np.testing.assert_array_equal(values, other[name])
