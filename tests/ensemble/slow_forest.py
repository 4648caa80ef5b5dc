"""A forest the slow way: each tree by the single grower, each row by its own walk."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from silva.ensemble.sampling import row_counts, tree_seeds
from silva.grow.grow import grow
from silva.leaf import answers
from silva.tree import route

WORD = 2**64


def mix(x):
    x = (x + 0x9E3779B97F4A7C15) % WORD
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) % WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) % WORD
    return x ^ (x >> 31)


def seed_of_tree(seed, number):
    """mix(mix(seed, "forest"), number), where mix(a, b) = mix(mix(a) ^ b)."""
    root = mix(mix(seed) ^ int.from_bytes(b"forest", "big"))
    return mix(mix(root) ^ number)


def counts_of(forest_plan, target, number):
    """The seed of a tree, and how often it sees each row."""
    seed = tree_seeds(forest_plan.seed, number, 1)[0]
    n_rows = len(target.values) if target.weights is None else np.count_nonzero(target.weights)
    n_samples = forest_plan.draws(int(n_rows))
    return seed, row_counts(seed, target, n_samples, forest_plan.sampling)


def single_tree(table, target, plan, forest_plan, number):
    """What tree `number` must be."""
    seed, counts = counts_of(forest_plan, target, number)
    weights = counts * (1.0 if target.weights is None else target.weights)
    return grow(table, replace(target, weights=weights.astype(float)), replace(plan, seed=seed))


def answers_of(tree, table, combiner):
    """What a tree tells each row: class shares, one vote, or a number."""
    nodes = route.leaves(tree, table)
    if combiner == "mean":
        return answers.predict_values(tree, nodes, table)
    if combiner == "soft":
        return answers.predict_shares(tree, nodes, table)
    return np.eye(len(tree.classes))[answers.predict_codes(tree, nodes, table)]


def told(forest, table):
    """The mean over the trees of what they tell."""
    return exact_mean([answers_of(tree, table, forest.combiner) for tree in forest.trees])


def exact_mean(terms):
    """The mean of each place of some arrays, computed in fractions and rounded once."""
    places = np.stack(terms).reshape(len(terms), -1).T.tolist()
    return np.array(list(map(rounded_mean, places))).reshape(np.shape(terms[0]))


def rounded_mean(numbers):
    if not all(map(math.isfinite, numbers)):
        return sum(numbers) / len(numbers)
    return float(sum(map(Fraction, numbers)) / len(numbers))


def out_of_bag(forest, table, target, forest_plan):
    """Votes and totals, row by row and tree by tree."""
    votes = np.zeros(table.n_rows, dtype=int)
    total = np.zeros((table.n_rows, *([] if target.classes is None else [len(target.classes)])))
    for number, tree in enumerate(forest.trees):
        counts = counts_of(forest_plan, target, number)[1]
        every = answers_of(tree, table, forest.combiner)
        for row in range(table.n_rows):
            if counts[row] == 0:
                votes[row] += 1
                total[row] += every[row]
    return votes, total
