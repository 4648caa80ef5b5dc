"""The textbook impurities: known values, and what makes them impurities."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silva.grow import criteria

CLASS_IMPURITIES = [criteria.gini, criteria.entropy, criteria.error]
counts = st.lists(st.integers(0, 1000), min_size=2, max_size=6).filter(any)


def test_values_by_hand():
    assert criteria.gini([3, 1]) == pytest.approx(3 / 8)
    assert criteria.entropy([2, 1, 1]) == pytest.approx(1.5)
    assert criteria.entropy([1, 1], base=math.e) == pytest.approx(math.log(2))
    assert criteria.error([3, 1, 1]) == pytest.approx(0.4)
    assert criteria.variance([1.0, 3.0]) == pytest.approx(1.0)
    assert criteria.variance([1.0, 3.0], [3, 1]) == pytest.approx(0.75)
    assert criteria.poisson([1.0, 3.0]) == pytest.approx((math.log(0.5) + 3 * math.log(1.5)) / 2)


def test_zero_log_zero_is_zero():
    assert criteria.entropy([5, 0]) == 0.0
    assert criteria.poisson([0.0, 2.0]) == pytest.approx(math.log(2.0))
    assert criteria.poisson([0.0, 0.0]) == 0.0


@given(counts)
def test_shares_alone_matter_and_uniform_is_the_worst(numbers):
    for impurity in CLASS_IMPURITIES:
        value = impurity(numbers)
        assert value == pytest.approx(impurity(np.array(numbers) * 7))
        assert -1e-12 <= value <= impurity(np.ones(len(numbers))) + 1e-12


@given(counts, counts)
def test_a_split_never_has_a_negative_gain(left, right):
    width = max(len(left), len(right))
    children = [part + [0] * (width - len(part)) for part in (left, right)]
    for impurity in CLASS_IMPURITIES:
        assert criteria.gain(children, impurity) >= -1e-12


def test_gain_weighs_children_by_size():
    assert criteria.gain([[4, 0], [0, 12]]) == pytest.approx(2 * 0.25 * 0.75)
    assert criteria.information_gain([[2, 2], [2, 2]]) == pytest.approx(0.0)
    assert criteria.information_gain([[2, 0], [0, 2]], base=4) == pytest.approx(0.5)
    assert criteria.split_quality(10.0, [1.0, 5.0], [3, 1]) == pytest.approx(8.0)


@pytest.mark.parametrize("bad", [[], [0, 0], [-1, 2], [math.nan, 1], [[1, 2]]])
def test_impossible_counts_are_refused(bad):
    with pytest.raises(ValueError, match="class counts"):
        criteria.gini(bad)


def test_poisson_refuses_negative_values():
    with pytest.raises(ValueError, match=r"-1\.0"):
        criteria.poisson([-1.0, 2.0])
