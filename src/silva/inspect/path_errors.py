"""The error of every tree of a pruning path, from one routing of the rows.

A node as a leaf costs what its rows lose by its own answer; a row that stops at an inner node costs
what that node's answer loses. A tree costs the sum over its nodes, so one cut changes the sum by
what leaves it and what comes in: all trees of a path take as many steps as there are nodes.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from silva.data.table import Target
from silva.leaf import answers
from silva.tree import stats
from silva.tree.tree import Tree


class NodeLosses(NamedTuple):
    """What some rows lose by each node's answer: all that pass it, and those that end there."""

    passing: np.ndarray
    ending: np.ndarray


class PathFigures(NamedTuple):
    """Loss and depth of each tree of a path, the whole tree first."""

    losses: np.ndarray
    depths: np.ndarray


def node_losses(tree: Tree, ends: np.ndarray, target: Target) -> NodeLosses:
    """Wrong weight, or weighted squared error, of rows that end at the nodes `ends`."""
    weights = np.ones(len(ends)) if target.weights is None else target.weights
    if tree.classes is None:
        return _squared(tree, ends, target.values, weights)
    return _wrong(tree, ends, target.values, weights)


def path_figures(tree: Tree, cut_nodes: Iterable[int], losses: NodeLosses) -> PathFigures:
    """Loss and depth after each cut; a cut makes its node a leaf.

    The nodes of the current tree are a linked list in pre-order: a cut takes out a run of them.
    """
    costs = np.where(tree.is_leaf, losses.passing, losses.ending).tolist()
    passing, end = losses.passing.tolist(), tree.subtree_end.tolist()
    depth = stats.depth(tree).tolist()
    follower = list(range(1, tree.n_nodes + 1))
    changes, deepest = [], []
    for node in cut_nodes:
        below, gone, lowest = follower[node], costs[node], depth[node]
        while below < end[node]:
            gone, lowest, below = gone + costs[below], max(lowest, depth[below]), follower[below]
        follower[node] = below
        changes.append(passing[node] - gone)
        deepest.append(lowest)
        costs[node] = passing[node]
    whole = float(np.where(tree.is_leaf, losses.passing, losses.ending).sum())
    depths = np.maximum.accumulate(np.array([0, *deepest[::-1]]))[::-1]
    return PathFigures(np.maximum(np.cumsum([whole, *changes]), 0.0), depths)


def _wrong(tree: Tree, ends: np.ndarray, codes: np.ndarray, weights: np.ndarray) -> NodeLosses:
    """Class by class: the weight that passes and ends, less what has the node's answer."""
    nodes = np.arange(tree.n_nodes)
    told = answers.node_codes(tree, nodes)
    passing, ending = _passing(tree, ends, weights)
    for code in np.unique(told).tolist():
        mine = codes == code
        right, right_here = _passing(tree, ends[mine], weights[mine])
        passing -= np.where(told == code, right, 0.0)
        ending -= np.where(told == code, right_here, 0.0)
    return NodeLosses(passing, ending)


def _passing(tree: Tree, ends: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The weight that passes each node, and the weight that ends there."""
    ending = np.bincount(ends, weights, tree.n_nodes)
    running = np.concatenate(([0.0], np.cumsum(ending)))
    return running[tree.subtree_end] - running[:-1], ending


def _squared(tree: Tree, ends: np.ndarray, values: np.ndarray, weights: np.ndarray) -> NodeLosses:
    """Spread around the rows' own mean plus the mean's distance from the answer: no cancellation.

    Means and spreads of children are merged into their parents', from the last node to the first.
    """
    told = stats.node_mean(tree)
    weight = np.bincount(ends, weights, tree.n_nodes)
    known = np.where(weight > 0, weight, 1.0)
    mean = np.bincount(ends, weights * values, tree.n_nodes) / known
    spread = np.bincount(ends, weights * (values - mean[ends]) ** 2, tree.n_nodes)
    ending = spread + weight * (mean - told) ** 2
    weight, mean, spread = _merged(tree, weight.tolist(), mean.tolist(), spread.tolist())
    return NodeLosses(spread + weight * (mean - told) ** 2, ending)


def _merged(
    tree: Tree, weight: list[float], mean: list[float], spread: list[float]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    parent = stats.parent(tree).tolist()
    for node in range(tree.n_nodes - 1, 0, -1):
        above, more = parent[node], weight[node]
        if more:
            both = weight[above] + more
            apart = mean[node] - mean[above]
            spread[above] += spread[node] + apart * apart * (weight[above] * more / both)
            mean[above] += apart * (more / both)
            weight[above] = both
    return np.array(weight), np.array(mean), np.array(spread)
