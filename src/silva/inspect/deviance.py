"""The Poisson deviance of every node. Leaves do not hold it: it needs the targets of the rows."""

import numpy as np

from silva.data.table import Table, Target
from silva.tree import stats
from silva.tree.restat import leaf_nodes
from silva.tree.tree import Tree


def leaf_deviance(tree: Tree, table: Table, target: Target, threads: int = 1) -> np.ndarray:
    """The weighted mean of y log(y / mean) over the training rows of each leaf (float64).

    Rows of a leaf are added up in the order of their targets, so that the order of the table does
    not change the result.
    """
    leaf = stats.leaf_number(tree)[leaf_nodes(tree, table, target, threads)]
    weights = np.ones(len(leaf)) if target.weights is None else target.weights
    order = np.lexsort((weights, target.values, leaf))
    leaf, weights, values = leaf[order], weights[order], target.values[order]
    weights = weights / _largest(leaf, weights)[leaf]
    largest = _largest(leaf, values)
    values = values / largest[leaf]
    total = np.bincount(leaf, weights)
    mean = np.bincount(leaf, weights * values) / total
    terms = np.bincount(leaf, weights * _log_ratio(values, mean[leaf])) / total
    return _finite(np.maximum(terms, 0.0), largest)


def node_deviance(tree: Tree, of_leaves: np.ndarray) -> np.ndarray:
    """The deviance of every node, from that of the leaves (float64).

    A node has the mean of its children's deviances and of mean_child log(mean_child / mean).
    """
    mean, weight, above = stats.node_mean(tree), stats.node_weight_units(tree), stats.parent(tree)
    between = _log_ratio(mean[1:], mean[above[1:]])
    share = weight[1:] / weight[above[1:]]
    found = np.zeros(tree.n_nodes)
    found[tree.is_leaf] = of_leaves
    with np.errstate(over="ignore"):
        for node in range(tree.n_nodes - 1, 0, -1):
            found[above[node]] += share[node - 1] * (found[node] + between[node - 1])
    return np.clip(found, 0.0, np.finfo(np.float64).max)


def _largest(leaf: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The largest value of each leaf, 1 where all are 0: the scale of its sums and products."""
    largest = np.zeros(leaf.max() + 1)
    np.maximum.at(largest, leaf, values)
    return np.where(largest > 0, largest, 1.0)


def _finite(numbers: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The product, or the largest float64 where it is too large, as gains are stored."""
    with np.errstate(over="ignore"):
        return np.asarray(np.minimum(numbers * scale, np.finfo(np.float64).max))


def _log_ratio(values: np.ndarray, means: np.ndarray) -> np.ndarray:
    """values * log(values / means), 0 where a value is 0."""
    known = values > 0
    terms = np.zeros(len(values))
    terms[known] = values[known] * np.log(values[known] / means[known])
    return terms
