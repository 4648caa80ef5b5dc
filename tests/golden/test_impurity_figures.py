"""Figures that the textbooks print for impurities and for the comparison of splits."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silva.grow.criteria import (
    entropy,
    error,
    gain,
    gini,
    information_gain,
    poisson,
    split_quality,
    variance,
    weighted_impurity,
)

shares = st.lists(st.floats(0.0, 1.0), min_size=2, max_size=6).filter(lambda s: sum(s) > 1e-3)


def figure(value: float) -> pytest.approx:
    """Equal to a figure printed with three or four digits."""
    return pytest.approx(value, abs=5e-4)


def test_majority_vote_among_dogs_lions_and_cats():
    assert 1 - error([80, 15, 5]) == pytest.approx(0.80, abs=1e-12)


@pytest.mark.parametrize(
    ("probabilities", "bits"),
    [([0.2] * 5, 2.3219), ([0.9, 0.05, 0.05, 0, 0], 0.5690), ([1.0, 0, 0, 0, 0], 0.0)],
)
def test_entropy_in_bits(probabilities: list, bits: float):
    assert entropy(probabilities) == pytest.approx(bits, abs=5e-5)


def test_entropy_in_nats():
    separated = entropy([1 / 2, 1 / 2, 0], base=math.e) + entropy([0, 0, 1], base=math.e)
    mixed = 2 * entropy([1 / 3, 1 / 3, 1 / 3], base=math.e)
    assert separated == figure(0.693)
    assert mixed == figure(2.197)


@pytest.mark.parametrize(
    ("children", "expected"),
    [
        ([(3, 0), (5, 5)], 0.769),
        ([(3, 1), (5, 4)], 0.936),
        ([(4, 0), (4, 5)], 0.686),
    ],
)
def test_thirteen_objects_of_two_classes(children: list, expected: float):
    left_behind = weighted_impurity(
        [entropy(child) for child in children], np.sum(children, axis=1)
    )
    assert left_behind == figure(expected)


def test_two_splits_of_twelve_rows():
    assert information_gain([(5, 1), (1, 5)]) == figure(0.350)
    assert information_gain([(6, 5), (0, 1)]) == pytest.approx(0.0888, abs=5e-5)


def test_two_splits_of_a_regression_node():
    assert split_quality(25.6, [0.7, 0.7], [6, 6]) == figure(24.9)
    assert split_quality(25.6, [16.2, 29.6], [6, 6]) == figure(2.7)


def test_zero_times_log_zero_is_zero():
    assert entropy([0, 0, 7]) == 0.0
    assert entropy([1, 1, 0, 0]) == entropy([1, 1]) == 1.0
    assert poisson([0.0, 0.0]) == 0.0


@given(st.floats(0.0, 1.0))
def test_gini_of_two_classes_is_twice_p_times_1_minus_p(p: float):
    assert gini([p, 1 - p]) == pytest.approx(2 * p * (1 - p), abs=1e-12)


@given(shares)
def test_gini_is_one_minus_the_sum_of_squares(parts: list):
    p = np.array(parts) / sum(parts)
    assert gini(parts) == pytest.approx(1 - np.sum(p**2), abs=1e-12)
    assert gini(parts) == pytest.approx(np.sum(p * (1 - p)), abs=1e-12)


@pytest.mark.parametrize("impurity", [gini, entropy, error])
@given(parts=shares)
def test_an_impurity_is_largest_at_the_uniform_distribution(impurity, parts: list):
    uniform = impurity([1] * len(parts))
    assert 0.0 <= impurity(parts) <= uniform + 1e-12


@pytest.mark.parametrize("impurity", [gini, entropy, error])
@given(n_classes=st.integers(1, 9), sure=st.integers(0, 8), count=st.floats(1e-9, 1e9))
def test_an_impurity_is_zero_at_purity(impurity, n_classes: int, sure: int, count: float):
    counts = np.zeros(n_classes)
    counts[sure % n_classes] = count
    assert impurity(counts) == 0.0


@pytest.mark.parametrize("impurity", [gini, entropy])
@given(parts=shares)
def test_rescaled_to_agree_at_one_half_they_bound_the_error(impurity, parts: list):
    """Gini as it is and half the entropy in bits lie above the error, for any number of classes."""
    scale = error([1, 1]) / impurity([1, 1])
    assert scale * impurity(parts) >= error(parts) - 1e-12


@pytest.mark.parametrize("impurity", [gini, entropy, error])
@given(
    pair=st.integers(2, 6).flatmap(lambda k: st.tuples(*[st.tuples(*[st.floats(0.01, 1)] * k)] * 2))
)
def test_an_impurity_is_concave_so_no_split_gains_less_than_nothing(impurity, pair: tuple):
    one, other = (np.array(counts) / sum(counts) for counts in pair)
    middle = impurity((one + other) / 2)
    assert middle >= (impurity(one) + impurity(other)) / 2 - 1e-12
    assert gain(pair, impurity) >= -1e-12


def test_the_error_misses_a_split_that_gini_and_entropy_see():
    """800 rows, 400 of each class: both splits err on 200, but only one makes a pure child."""
    even, pure = [(300, 100), (100, 300)], [(200, 400), (200, 0)]
    assert gain(even, error) == pytest.approx(gain(pure, error), abs=1e-12)
    assert gain(pure, gini) > gain(even, gini) + 0.03
    assert gain(pure, entropy) > gain(even, entropy) + 0.1


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8))
def test_variance_is_the_mean_square_less_the_squared_mean(values: list):
    numbers = np.array(values)
    expected = np.mean(numbers**2) - np.mean(numbers) ** 2
    assert variance(values) == pytest.approx(expected, rel=1e-9, abs=1e-3)
    assert variance(values, np.full(len(values), 3.0)) == pytest.approx(variance(values))
