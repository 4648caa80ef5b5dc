"""SAMME as its pseudo-code reads, row by row in plain Python, over single trees with weights."""

import math
from dataclasses import replace

import numpy as np

from silva.ensemble.sampling import tree_seeds
from silva.grow.grow import grow
from silva.leaf import answers
from silva.tree import route

ROUNDING = 2.0**-40


def samme(table, target, plan, n_estimators, learning_rate=1.0, seed=0):
    """Trees, alphas, errors and the weights that each tree was grown with."""
    n_rows, n_classes = len(target.values), len(target.classes)
    given = [1.0] * n_rows if target.weights is None else target.weights.tolist()
    plan = with_rows(plan, sum(weight > 0 for weight in given))
    weights = scaled(given)
    total = math.fsum(weights)
    trees, alphas, errors, history = [], [], [], []
    for t in range(n_estimators):
        seeded = replace(plan, seed=tree_seeds(seed, t, 1)[0])
        tree = grow(table, replace(target, weights=np.array(weights)), seeded)
        told = told_by(tree, table)
        right = [told[i] == target.values[i] for i in range(n_rows)]
        error = math.fsum(weights[i] for i in range(n_rows) if not right[i]) / total
        if error >= 1 - 1 / n_classes - ROUNDING and error > 0:
            break
        trees.append(tree)
        errors.append(error)
        history.append(weights)
        if error == 0:
            alphas.append(1 + sum(alphas))
            break
        alphas.append(learning_rate * (math.log((1 - error) / error) + math.log(n_classes - 1)))
        factor = math.exp(-alphas[-1])
        weights = [weights[i] * factor if right[i] else weights[i] for i in range(n_rows)]
        scale = math.fsum(weights) / total
        weights = [weight / scale for weight in weights]
    return trees, alphas, errors, history


def with_rows(plan, n_rows):
    """Fractions of rows as numbers of rows."""
    split, leaf = plan.min_samples_split, plan.min_samples_leaf
    numbers = [
        part if isinstance(part, int) else math.ceil(part * n_rows) for part in (split, leaf)
    ]
    return replace(plan, min_samples_split=max(2, numbers[0]), min_samples_leaf=numbers[1])


def told_by(tree, table):
    """The class code that a tree tells each row; the tree has the policies of its plan."""
    bound = replace(table, schema=tree.schema)
    return answers.predict_codes(tree, route.leaves(tree, bound), bound).tolist()


def scaled(weights):
    """Weights whose mean over the rows above 0 is 1; extreme ones times a power of two before."""
    if not 1e-100 <= max(weights) <= 1e100:
        exponent = math.frexp(max(weights))[1]
        weights = [math.ldexp(weight, -exponent) for weight in weights]
    used = [weight for weight in weights if weight > 0]
    mean = used[0] if min(used) == max(used) else math.fsum(used) / len(used)
    return [weight / mean for weight in weights]


def votes(trees, alphas, table, n_classes):
    """The votes for each class after each tree: a list of lists of lists."""
    so_far = [[0.0] * n_classes for _ in range(table.n_rows)]
    stages = []
    for tree, alpha in zip(trees, alphas, strict=True):
        for row, code in enumerate(told_by(tree, table)):
            so_far[row][code] += alpha
        stages.append([list(row) for row in so_far])
    return stages


def winner(row):
    return max(range(len(row)), key=lambda k: (row[k], -k))


def margin(row, code, total):
    others = [row[k] for k in range(len(row)) if k != code]
    return (row[code] - max(others)) / total if others else 1.0
