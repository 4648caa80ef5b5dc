"""Means of many nodes at a time, against the division of Python's integers."""

import numpy as np
import pytest

from silva.tree import moments, quotients


def check(totals, weights, center, unit):
    found = quotients.means(moments.to_pairs(totals), np.array(weights), center, unit)
    facts = zip(totals, weights, strict=True)
    assert found.tolist() == [moments.mean(total, w, center, unit) for total, w in facts]


@pytest.mark.parametrize("center", [0.0, 0.5, -3.3, 1e9 + 0.1, 1e-9, 1e300, -1e-300, 5e-324])
@pytest.mark.parametrize("exponent", [0, -40, 3, -300, 900, -1074])
def test_any_sums(center, exponent):
    rng = np.random.default_rng(0)
    for bits in (3, 20, 60, 82, 99, 126):
        totals = [
            int(x) * 2 ** max(0, bits - 53) // 3 for x in rng.normal(0, 2.0 ** min(53, bits), 200)
        ]
        weights = rng.integers(1, 2 ** int(rng.integers(1, 43)), 200).tolist()
        check(totals, weights, center, 2.0**exponent)


def test_halfway_between_two_numbers():
    odd = [2**53 + 2 * k + 1 for k in range(-5, 5)]
    check(odd, [1] * 10, 0.0, 1.0)
    check([2 * one for one in odd], [2] * 10, 0.0, 2.0**-60)
    check([2**80 * 3 + 3, 2**80 * 3 - 3], [3, 3], 1.0, 1.0)


def test_sums_that_cancel_the_center():
    totals = [-(2**70) + k for k in range(-20, 20)]
    check(totals, [1] * 40, 2.0**70, 1.0)
    check(totals, [7] * 40, 2.0**70 / 7, 1.0)


def test_no_nodes():
    assert quotients.means(np.zeros((0, 2), np.int64), np.zeros(0, np.int64), 0.0, 1.0).size == 0


@pytest.mark.parametrize("bits", [10, 62, 90, 120])
def test_running_sums_and_differences_of_pairs(bits):
    rng = np.random.default_rng(bits)
    numbers = [
        int(x) * 2 ** max(0, bits - 60) + int(y) for x, y in rng.integers(-(2**60), 2**60, (300, 2))
    ]
    pairs = moments.to_pairs(numbers)
    sums = moments.to_integers(moments.running(pairs))
    assert sums == [sum(numbers[:i]) for i in range(301)]
    first, last = rng.integers(0, 300, (2, 100))
    taken = moments.minus(pairs[last], pairs[first])
    assert moments.to_integers(taken) == [
        numbers[b] - numbers[a] for a, b in zip(first, last, strict=True)
    ]
