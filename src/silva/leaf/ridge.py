"""Linear regression in the leaves: ridge, with columns chosen by AICc."""

import math

import numpy as np

from silva.data.table import Table, Target
from silva.leaf import constant
from silva.leaf.choice import LinearLeaf
from silva.leaf.models import Model, folded, packed
from silva.leaf.selection import choose
from silva.leaf.terms import Group, LeafData, considered
from silva.tree.linear import LinearLeaves
from silva.tree.tree import Tree

LEAST_WEIGHT = 4.0
"""AICc knows no linear model of so few rows."""


def fit_ridge(
    tree: Tree, table: Table, target: Target, leaf: LinearLeaf, threads: int
) -> LinearLeaves:
    """The model of every leaf; a leaf that no line tells more of keeps its mean."""
    data = LeafData(tree, table, target, threads)
    fitted: dict[int, Model] = {}
    for first, last in data.chunks():
        facts = data.summaries(first, last)
        groups = [group for i in range(last - first) if (group := _group(facts, i, first))]
        for group, gram in zip(groups, data.grams(groups), strict=True):
            one = _model(
                {name: fact[group.leaf - first] for name, fact in facts.items()}, group, gram, leaf
            )
            if one is not None:
                fitted[group.leaf] = one
    return packed(constant.values(tree), fitted, data.terms)


def _group(facts: dict[str, np.ndarray], i: int, first: int) -> Group | None:
    """The terms that the i-th leaf may use; None where it cannot have a model."""
    varies = facts["target"][i, 3] > 0.0
    if not varies or facts["weight"][i] <= LEAST_WEIGHT:
        return None
    terms = considered(facts["cross"][i], facts["scales"][i, :, 3] > 0.0)
    return Group(first + i, terms, facts["scales"][i, terms]) if len(terms) else None


def _model(
    fact: dict[str, np.ndarray], group: Group, gram: np.ndarray, leaf: LinearLeaf
) -> Model | None:
    weight = float(fact["weight"])
    most = len(group.terms) if leaf.max_columns is None else leaf.max_columns
    answer = fact["cross"][0, group.terms] / weight
    chosen = choose(gram / weight, answer, weight, leaf.ridge / weight, most)
    if not len(chosen.terms):
        return None
    middle, half, mean, deviation = fact["target"].tolist()
    low, high = (-math.inf, math.inf) if leaf.extrapolate else fact["range"].tolist()
    return folded(
        middle + half * mean,
        (low, high),
        group.terms[chosen.terms],
        chosen.weights * deviation,
        group.scales[chosen.terms],
        half,
    )
