"""Intervals against scipy.stats and numbers worked by hand."""

import math

import numpy as np
import pytest
from scipy import stats

from silva.inspect.intervals import error_at_most, error_between, student, wilson
from silva.prune.kl import kl_at_most


@pytest.mark.parametrize("delta", [0.05, 0.2, 0.001])
def test_wilson_is_scipys(delta):
    rows = np.repeat(np.arange(1, 30), 30)
    successes = np.minimum(np.tile(np.arange(30), 29), rows)
    low, high = wilson(successes, rows, delta)
    for place, (k, n) in enumerate(zip(successes.tolist(), rows.tolist(), strict=True)):
        wanted = stats.binomtest(k, n).proportion_ci(1 - delta, method="wilson")
        assert (low[place], high[place]) == pytest.approx(tuple(wanted), abs=1e-12)


def test_wilson_by_hand():
    """8 of 10 at 95%: the textbook's 0.49 to 0.94."""
    low, high = wilson(np.array([8, 0, 0]), np.array([10, 4, 0]))
    assert (low[0], high[0]) == pytest.approx((0.4902, 0.9433), abs=5e-5)
    assert (low[1], low[2], high[2]) == (0.0, 0.0, 1.0)


def test_student_is_scipys():
    rng = np.random.default_rng(0)
    samples = [rng.normal(size=n) for n in range(2, 12)]
    rows = np.array([len(one) for one in samples])
    mean, spread = (np.array([part(one) for one in samples]) for part in (np.mean, np.std))
    low, high = student(mean, spread, rows, 0.1)
    for place, one in enumerate(samples):
        wanted = stats.ttest_1samp(one, 0).confidence_interval(0.9)
        assert (low[place], high[place]) == pytest.approx(tuple(wanted))


def test_one_row_says_nothing_about_the_spread():
    low, high = student(np.array([5.0, np.nan]), np.zeros(2), np.array([1, 0]))
    assert low.tolist() == [-np.inf] * 2
    assert high.tolist() == [np.inf] * 2


@pytest.mark.parametrize(("errors", "rows"), [(0, 10), (1, 10), (5, 10), (9, 10), (10, 10), (0, 1)])
@pytest.mark.parametrize("delta", [0.05, 0.3])
def test_clopper_pearson_is_scipys(errors, rows, delta):
    tail = stats.binomtest(errors, rows, alternative="less").proportion_ci(1 - delta, "exact")
    assert error_at_most(errors, rows, delta) == pytest.approx(tail.high)
    both = stats.binomtest(errors, rows).proportion_ci(1 - delta, "exact")
    assert error_between(errors, rows, delta) == pytest.approx((both.low, both.high))


def test_clopper_pearson_by_hand():
    """No error in n rows: (1 - p)^n = delta."""
    assert error_at_most(0, 100, 0.05) == pytest.approx(1 - 0.05 ** (1 / 100))


def test_clopper_pearson_covers():
    """Whatever the true error, the limit is below it with probability at most delta: exactly."""
    rows, delta = 30, 0.1
    limits = np.array([error_at_most(e, rows, delta) for e in range(rows + 1)])
    for p in np.linspace(0.01, 0.99, 33):
        missed = stats.binom.pmf(np.arange(rows + 1), rows, p)[limits < p].sum()
        assert missed <= delta + 1e-12


@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 1.0])
@pytest.mark.parametrize("budget", [1e-6, 0.1, 2.0, 50.0])
def test_kl_is_turned_round(share, budget):
    p = kl_at_most(share, budget)
    assert share <= p <= 1.0
    kl = stats.entropy([share, 1 - share], [p, 1 - p]) if p < 1.0 else math.inf
    assert kl == pytest.approx(budget, rel=1e-5) or p > 1 - 1e-12


def test_kl_of_no_errors_by_hand():
    assert kl_at_most(0.0, 0.25) == pytest.approx(1 - math.exp(-0.25))
