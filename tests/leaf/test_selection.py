"""The choice of columns on small matrices."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silva.leaf.selection import aicc, choose, forward_path
from tests.leaf.linear_oracle import aicc as plain_aicc
from tests.leaf.linear_oracle import all_subsets, chosen_ridge, forward_models


def sample(seed, n_rows, n_terms):
    """Standardised columns that go together, and a target of some of them."""
    draw = np.random.default_rng(seed)
    x = draw.normal(size=(n_rows, n_terms)) + draw.normal(size=(n_rows, 1))
    y = x @ (draw.normal(size=n_terms) * (draw.random(n_terms) < 0.5)) + draw.normal(size=n_rows)
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    return z, (y - y.mean()) / y.std()


samples = st.builds(sample, st.integers(0, 10**6), st.integers(8, 60), st.integers(1, 6))


@given(samples, st.sampled_from([0.01, 1.0, 20.0]))
def test_forward_steps_are_those_of_trying_every_column(case, ridge):
    z, y = case
    n = len(y)
    ones = np.ones(n)
    path = list(forward_path(z.T @ z / n, z.T @ y / n, ridge / n))
    models = list(forward_models(z, y, ones, ridge))
    assert [sorted(path[: i + 1]) for i in range(len(path))] == models


@given(samples, st.sampled_from([0.01, 1.0, 20.0]))
def test_the_choice_is_the_best_forward_model(case, ridge):
    z, y = case
    n = len(y)
    terms, weights, _ = chosen_ridge(z, y, np.ones(n), ridge)
    found = choose(z.T @ z / n, z.T @ y / n, n, ridge / n, z.shape[1])
    assert found.terms.tolist() == terms
    np.testing.assert_allclose(found.weights, weights, rtol=1e-8)


@given(samples)
def test_forward_steps_come_near_the_best_of_all_sets(case):
    """For most tables they find it; never is the choice worse than the constant or one column."""
    z, y = case
    n = len(y)

    def criterion(terms):
        b = np.linalg.lstsq(z[:, terms], y, rcond=None)[0]
        return plain_aicc(n, len(terms), ((y - z[:, terms] @ b) ** 2).mean())

    found = choose(z.T @ z / n, z.T @ y / n, n, 1e-12, z.shape[1])
    simple = min(criterion(list(terms)) for terms in all_subsets(z.shape[1]) if len(terms) < 2)
    best = min(criterion(list(terms)) for terms in all_subsets(z.shape[1]))
    assert best - 1e-6 <= criterion(found.terms.tolist()) <= simple + 1e-6


def test_aicc_is_that_of_the_textbook():
    n, k, residual = 20.0, 3, 0.25
    log_likelihood = -n / 2 * math.log(residual)
    q = k + 2
    textbook = -2 * log_likelihood + 2 * q + 2 * q * (q + 1) / (n - q - 1)
    assert aicc(n, k, residual) == pytest.approx(textbook)
    assert aicc(6.0, 3, 0.1) == math.inf


def test_of_equal_columns_the_first_enters():
    relation = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    answer = np.array([0.9, 0.9 + 1e-15, 0.1])
    assert list(forward_path(relation, answer, 0.0)) == [0, 2]


def test_nothing_to_choose_from():
    assert choose(np.zeros((0, 0)), np.zeros(0), 100.0, 0.01, 0).terms.tolist() == []
    assert choose(np.eye(2), np.zeros(2), 100.0, 0.01, 2).terms.tolist() == []
