"""Range, mean, spread and missing values of columns, beside plain Python."""

import math
from datetime import date

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from silva.data.bind import bind_prediction, bind_training
from silva.data.column_facts import ColumnFacts, column_facts, packed, packed_column_facts, unpacked

TYPES = ["f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


def facts_of(data, **choices):
    return column_facts(bind_training(data, **choices))


def check_column(facts, place, values):
    """Compare with sums of plain Python that are rounded once."""
    values = [float(value) for value in values]
    known = [value for value in values if math.isfinite(value)]
    assert facts.missing[place] == sum(math.isnan(value) for value in values)
    found = [getattr(facts, name)[place] for name in ("low", "high", "mean", "deviation")]
    if not known:
        assert np.isnan(found).all()
        return
    low, high, mean, deviation = found
    assert (low, high) == (min(known), max(known))
    rounding = 1e-15 * max(abs(low), abs(high)) + 5e-324
    assert low <= mean <= high
    assert mean == pytest.approx(exact_mean(known), rel=0, abs=rounding)
    assert deviation == pytest.approx(exact_deviation(known), rel=1e-9, abs=rounding)


def exact_mean(known):
    scaled, exponent = scaled_to_one(known)
    return math.ldexp(math.fsum(scaled) / len(scaled), exponent)


def exact_deviation(known):
    """In two passes, of differences from the smallest value."""
    scaled, exponent = scaled_to_one(known)
    low = min(scaled)
    gaps = [value - low for value in scaled]
    mean = math.fsum(gaps) / len(gaps)
    squares = math.fsum((gap - mean) ** 2 for gap in gaps)
    return math.ldexp(math.sqrt(squares / len(gaps)), exponent)


def scaled_to_one(known):
    """The values divided by a power of two, so that no sum overflows; and its exponent."""
    exponent = math.frexp(max(map(abs, known)))[1]
    return [math.ldexp(value, -exponent) for value in known], exponent


@given(arrays.arrays(np.float64, st.tuples(st.integers(1, 40), st.integers(1, 3))))
def test_any_floats(data):
    facts = facts_of(data)
    for place in range(data.shape[1]):
        check_column(facts, place, data[:, place])


@given(
    arrays.arrays(
        st.sampled_from(TYPES), st.tuples(st.integers(1, 300), st.just(2)), elements=st.just(0)
    ),
    st.integers(0, 2**32),
    st.sampled_from(["C", "F"]),
    st.sampled_from([1, 2, -1, -3]),
)
def test_any_type_and_stride(data, seed, order, step):
    drawn = np.random.default_rng(seed).integers(0, 100, data.shape)
    data = np.asarray(drawn.astype(data.dtype), order=order)[::step]
    facts = facts_of(data, categorical_features=None)
    for place, column in enumerate(bind_training(data, None).schema.columns):
        if column.kind == "continuous":
            check_column(facts, place, data[:, place])


@pytest.mark.parametrize("share", [0.0, 0.1, 0.999])
@pytest.mark.parametrize("n_rows", [255, 256, 257, 8192, 20_001])
def test_missing_and_infinite_values(n_rows, share):
    rng = np.random.default_rng(n_rows)
    data = rng.normal(size=(n_rows, 3)) * [1, 1e6, 1e-6]
    data[rng.random(data.shape) < share] = np.nan
    data[rng.random(data.shape) < share / 2] = np.inf
    data[rng.random(data.shape) < share / 2] = -np.inf
    facts = facts_of(data)
    for place in range(3):
        check_column(facts, place, data[:, place])


def test_a_small_spread_around_a_large_mean():
    noise = np.random.default_rng(0).normal(size=100_000)
    data = (1e9 + 1e-3 * noise)[:, None]
    facts = facts_of(data)
    assert facts.deviation[0] == pytest.approx(exact_deviation(data[:, 0].tolist()), rel=1e-12)
    assert facts.deviation[0] == pytest.approx(1e-3, rel=0.01)


def test_an_outlier_in_the_first_row():
    data = np.random.default_rng(0).normal(size=(50_000, 1))
    data[0] = 1e9
    facts = facts_of(data)
    assert facts.deviation[0] == pytest.approx(exact_deviation(data[:, 0].tolist()), rel=1e-13)


@pytest.mark.parametrize("unit", [1e-320, 1e-200, 1e200, 1.5e308])
def test_values_near_the_ends_of_float64(unit):
    data = np.array([[-unit], [unit], [unit], [0.0]])
    facts = facts_of(data)
    assert facts.mean[0] == pytest.approx(unit / 4, rel=1e-3)
    assert facts.deviation[0] == pytest.approx(math.sqrt(11) / 4 * unit, rel=1e-3)


@pytest.mark.parametrize("value", [0.0, -0.0, 0.1, -1e300, 5e-324, 3.0])
@pytest.mark.parametrize("n_rows", [1, 9, 1000])
def test_constant_columns_have_no_spread(value, n_rows):
    facts = facts_of(np.full((n_rows, 1), value))
    assert facts.low[0] == facts.high[0] == facts.mean[0] == value
    assert facts.deviation[0] == 0.0


def test_columns_with_levels_have_missing_values_only():
    rows = pd.DataFrame(
        {
            "town": ["a", None, "b", None],
            "size": pd.Categorical(["s", "m", None, "s"], ["s", "m"], ordered=True),
            "paid": [True, False, True, True],
            "age": [30, 40, 50, 60],
            "empty": [np.nan] * 4,
        }
    )
    table = bind_training(rows)
    facts = column_facts(table)
    kinds = [column.kind for column in table.schema.columns]
    assert kinds == ["categorical", "ordinal", "binary", "continuous", "continuous"]
    assert facts.missing.tolist() == [2, 1, 0, 0, 4]
    assert np.isnan(facts.low).tolist() == [True, True, True, False, True]
    for numbers in (facts.high, facts.mean, facts.deviation):
        np.testing.assert_array_equal(np.isnan(numbers), np.isnan(facts.low))


def test_unseen_levels_are_not_missing():
    schema = bind_training(pd.DataFrame({"town": ["a", "b", "c"]})).schema
    table = bind_prediction(pd.DataFrame({"town": ["a", "z", None]}), schema)
    assert column_facts(table).missing.tolist() == [1]


def test_time_columns_are_in_their_own_scale():
    days = [date(2024, 3, 1), date(2024, 3, 3), None, date(2024, 3, 5)]
    table = bind_training(pd.DataFrame({"day": days}))
    facts, scale = column_facts(table), table.schema.columns[0].time
    assert scale is not None
    check_column(facts, 0, table.columns[0].tolist())
    assert facts.high[0] - facts.low[0] == 4.0
    assert facts.missing.tolist() == [1]


@pytest.mark.parametrize("shape", [(120_000, 13), (300, 5000)])
def test_the_same_bits_for_any_number_of_threads(shape):
    rng = np.random.default_rng(1)
    data = rng.normal(size=shape)
    data[rng.random(shape) < 0.01] = np.nan
    table = bind_training(data)
    one = packed_column_facts(table, 1)
    assert all(packed_column_facts(table, threads) == one for threads in (2, 3, 8))
    assert packed_column_facts(bind_training(np.asfortranarray(data)), 2) == one


def test_facts_cannot_change_and_can_be_packed():
    facts = facts_of(np.arange(6.0).reshape(3, 2))
    again = unpacked(packed(facts))
    some = facts.take(np.array([1]))
    for one in (facts, again, some):
        assert isinstance(one, ColumnFacts)
        assert not any(array.flags.writeable for array in vars(one).values())
    assert packed(again) == packed(facts)
    assert (some.low.tolist(), some.missing.tolist()) == ([1.0], [0])
    assert [array.dtype.name for array in vars(facts).values()] == ["float64"] * 4 + ["int64"]
