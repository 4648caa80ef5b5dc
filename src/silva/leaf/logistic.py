"""Logistic models in the leaves: ridge-penalised Newton steps, columns chosen by AICc.

Two classes have one model a leaf; more classes one a class, against the rest. Columns are chosen
by the forward steps of a linear regression of the class indicator (the first Newton step), then
the logistic model of these columns is fitted and kept if its own AICc is below the constant's.
"""

import math
from dataclasses import dataclass

import numpy as np

from silva.data.table import Table, Target
from silva.leaf.choice import LinearLeaf
from silva.leaf.models import Model, folded, packed
from silva.leaf.newton import Fit, Problem, minimise
from silva.leaf.selection import ROUNDING, choose
from silva.leaf.terms import Group, LeafData, considered
from silva.tree import stats
from silva.tree.linear import LinearLeaves, constant_log_odds, models_a_leaf
from silva.tree.tree import Tree

PENALTY = 5.0
"""What a unit of ridge weighs for log-odds, so that small leaves do not trust lucky columns."""

LEAST_PENALTY = 1e-6
"""Without any penalty, classes that a line parts would have infinite weights."""

LEAST_WEIGHT = 4.0
LEAST_SHARE = 1e-12
"""A class of a smaller share of a leaf is rounding beside the others."""

UNLIMITED = (-math.inf, math.inf)


def fit_logistic(
    tree: Tree, table: Table, target: Target, leaf: LinearLeaf, threads: int
) -> LinearLeaves:
    """The models of every leaf; a class that no line tells more of keeps its smoothed share."""
    data = LeafData(tree, table, target, threads)
    width = models_a_leaf(data.n_classes)
    fitted: dict[int, Model] = {}
    for first, last in data.chunks():
        problems = _problems(data, first, last, leaf)
        fits = minimise(data, problems, _penalty(leaf))
        for problem, fit in zip(problems, fits, strict=True):
            at = problem.group.leaf * width + (problem.code if width > 1 else 0)
            span = UNLIMITED if leaf.extrapolate else _span(problem, fit, data.n_classes)
            model = _model(problem, fit, span)
            if model is not None:
                fitted[at] = model
    weights = stats.node_class_weight(tree, np.flatnonzero(tree.is_leaf))
    return packed(constant_log_odds(weights).ravel(), fitted, data.terms)


def _penalty(leaf: LinearLeaf) -> float:
    return max(PENALTY * leaf.ridge, LEAST_PENALTY)


def _span(problem: Problem, fit: Fit, n_classes: int) -> tuple[float, float]:
    """The log-odds of training rows, but none surer than those of a leaf of one class."""
    surest = math.log((problem.weight + 1.0) / (n_classes - 1.0))
    least = -math.log(problem.weight + n_classes - 1.0)
    low, high = np.clip([fit.low, fit.high], least, surest).tolist()
    return low, high


@dataclass(frozen=True, slots=True)
class _Leaf:
    """One leaf of mixed classes: its weight by class, its terms, and their sums by class."""

    group: Group
    class_weight: np.ndarray
    cross: np.ndarray


def _problems(data: LeafData, first: int, last: int, leaf: LinearLeaf) -> list[Problem]:
    """The models to fit: classes that occur in a leaf beside others and have terms chosen."""
    facts = data.summaries(first, last)
    leaves = [one for i in range(last - first) if (one := _mixed_leaf(facts, i, first))]
    grams = data.grams([one.group for one in leaves])
    problems = []
    for one, gram in zip(leaves, grams, strict=True):
        for code in _modelled(one.class_weight):
            problem = _problem(one, gram, code, leaf)
            problems += [problem] if len(problem.group.terms) else []
    return problems


def _mixed_leaf(facts: dict[str, np.ndarray], i: int, first: int) -> _Leaf | None:
    weights = facts["class_weight"][i]
    if facts["weight"][i] <= LEAST_WEIGHT or not _modelled(weights):
        return None
    terms = considered(facts["cross"][i], facts["scales"][i, :, 3] > 0.0)
    group = Group(first + i, terms, facts["scales"][i, terms])
    return _Leaf(group, weights, facts["cross"][i][:, terms]) if len(terms) else None


def _modelled(class_weight: np.ndarray) -> list[int]:
    """The classes that get a model of their own: those that neither lack nor fill the leaf."""
    shares = class_weight / class_weight.max()
    shares /= shares.sum()
    varies = (shares > LEAST_SHARE) & (shares < 1.0 - LEAST_SHARE)
    if len(class_weight) == 2:
        varies[0] = False
    codes: list[int] = np.flatnonzero(varies).tolist()
    return codes


def _problem(one: _Leaf, gram: np.ndarray, code: int, leaf: LinearLeaf) -> Problem:
    """The class against the rest, with the terms that a linear regression chooses."""
    total = float(one.class_weight.sum())
    share = float(one.class_weight[code]) / total
    variance = share * (1.0 - share)
    most = len(one.group.terms) if leaf.max_columns is None else leaf.max_columns
    answer = one.cross[code] / total / math.sqrt(variance)
    penalty = _penalty(leaf) / (total * variance)
    chosen = choose(gram / total, answer, total, penalty, most).terms
    group = Group(one.group.leaf, one.group.terms[chosen], one.group.scales[chosen])
    return Problem(group, code, total, share)


def _model(problem: Problem, fit: Fit, span: tuple[float, float]) -> Model | None:
    """The fitted model, if it is expected to predict new rows better than the constant share."""
    n_terms, weight = len(problem.group.terms), problem.weight
    constant_loss = weight * _entropy(problem.share)
    best = likelihood_aicc(weight, 0, constant_loss) - ROUNDING * weight
    if not likelihood_aicc(weight, n_terms, fit.loss) < best:
        return None
    intercept, weights = float(fit.coefficients[0]), fit.coefficients[1:]
    return folded(intercept, span, problem.group.terms, weights, problem.group.scales, 1.0)


def likelihood_aicc(weight: float, n_terms: int, loss: float) -> float:
    """AICc of a logistic model whose negative log-likelihood is `loss`."""
    parameters = n_terms + 1
    spare = weight - parameters - 1
    if spare <= 0:
        return math.inf
    return 2 * loss + 2 * parameters + 2 * parameters * (parameters + 1) / spare


def _entropy(share: float) -> float:
    """The negative log-likelihood of a row, in nats, for a class of this share."""
    return -share * math.log(share) - (1.0 - share) * math.log1p(-share)
