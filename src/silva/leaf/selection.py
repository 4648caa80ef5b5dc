"""Which columns a leaf's linear model uses: forward steps, judged by AICc, on p x p matrices.

All is standardised: `relation` holds the correlations among the terms, `answer` those of the terms
with the target. Ridge regression minimises 1 - 2 answer.b + b.relation.b + penalty * b.b, which
is the residual share of the variance plus the penalty.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

COLLINEAR = 1e-9
"""A term enters only if this share of its variance is not told by those before it."""

ROUNDING = 1e-9
"""Gains and criteria that differ by less are equal: the first, or the smaller model, wins."""

EXACT_FIT = 1e-12
"""Residual shares below this are rounding."""

PATIENCE = 5
"""Steps without a better criterion after which the search ends."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Terms (ascending) and their weights, in standardised units."""

    terms: np.ndarray
    weights: np.ndarray


def choose(
    relation: np.ndarray, answer: np.ndarray, weight: float, penalty: float, most: int
) -> Selection:
    """The best model by AICc among those that forward steps reach; it may have no terms.

    `weight` is the number of rows that the leaf stands for, `most` the largest number of terms.
    """
    best, selection = aicc(weight, 0, 1.0), _ridge(relation, answer, penalty, [])
    entered: list[int] = []
    waited = 0
    for term in forward_path(relation, answer, penalty):
        entered.append(term)
        if len(entered) > most or waited == PATIENCE:
            break
        tried = _ridge(relation, answer, penalty, entered)
        criterion = aicc(weight, len(entered), _residual(relation, answer, tried))
        waited += 1
        if criterion < best - ROUNDING * weight:
            best, selection, waited = criterion, tried, 0
    return selection


def aicc(weight: float, n_terms: int, residual: float) -> float:
    """Akaike's criterion for small samples: the lower, the better the model predicts new rows.

    The parameters are the weights, the intercept and the variance. Infinite where there are too
    few rows for them.
    """
    parameters = n_terms + 2
    spare = weight - parameters - 1
    if spare <= 0:
        return math.inf
    complexity = 2 * parameters + 2 * parameters * (parameters + 1) / spare
    return weight * math.log(max(residual, EXACT_FIT)) + complexity


def forward_path(relation: np.ndarray, answer: np.ndarray, penalty: float) -> Iterator[int]:
    """The terms in the order in which they lower the penalised residual most.

    Each step takes the entering term out of all others (a Cholesky step), so that what is left of
    their covariance with the target is what they can still add. A term that the ones before it
    tell already never enters, though it would help them against the penalty.
    """
    left, untold = relation + penalty * np.eye(len(answer)), relation
    covariance = answer
    least = COLLINEAR * np.diagonal(relation)
    for _ in range(len(answer)):
        is_open = np.diagonal(untold) > least
        variance = np.where(is_open, np.diagonal(left), 1.0)
        gain = np.where(is_open, covariance**2 / variance, 0.0)
        if not gain.max() > 0.0:
            return
        term = int(np.argmax(gain >= gain.max() * (1.0 - ROUNDING)))
        yield term
        covariance = covariance - left[term] * (covariance[term] / left[term, term])
        left, untold = _without(left, term), _without(untold, term)


def _without(matrix: np.ndarray, term: int) -> np.ndarray:
    """What is left of a covariance matrix when a term is taken out of all others."""
    rest: np.ndarray = matrix - matrix[:, term, None] * (matrix[term] / matrix[term, term])
    rest[term, :] = rest[:, term] = 0.0
    return rest


def _ridge(relation: np.ndarray, answer: np.ndarray, penalty: float, terms: list[int]) -> Selection:
    chosen = np.array(sorted(terms), dtype=np.int64)
    inside = relation[np.ix_(chosen, chosen)] + penalty * np.eye(len(chosen))
    return Selection(chosen, np.linalg.solve(inside, answer[chosen]))


def _residual(relation: np.ndarray, answer: np.ndarray, model: Selection) -> float:
    inside = relation[np.ix_(model.terms, model.terms)]
    share = 1.0 - 2.0 * answer[model.terms] @ model.weights + model.weights @ inside @ model.weights
    return float(share)
