"""What rows are told: the answers of the nodes in which they end, inner nodes included."""

from collections.abc import Callable

import numpy as np

from silva import _core
from silva.data.table import Table
from silva.leaf import distribution
from silva.tree import stats
from silva.tree.decision import node_codes, parts, smoothed_shares
from silva.tree.linear import LinearLeaves, models_a_leaf
from silva.tree.tree import Tree


def predict_values(tree: Tree, nodes: np.ndarray, table: Table, threads: int = 1) -> np.ndarray:
    """The number that each row is told (float64).

    `nodes` are the node numbers of `route.leaves`. A leaf answers with its model if the tree has
    linear leaves; any other node with the mean of its training targets.
    """
    if tree.linear is None:
        return _spread(tree, nodes, stats.node_mean)
    values = _linear_answers(tree, tree.linear, nodes, table, threads)[:, 0]
    stopped = _stopped(tree, nodes)
    values[stopped] = _spread(tree, nodes[stopped], stats.node_mean)
    return values


def predict_shares(tree: Tree, nodes: np.ndarray, table: Table, threads: int = 1) -> np.ndarray:
    """The probability of each class: float64 (rows, classes), each row adding up to one."""
    if tree.linear is None or len(distribution.classes(tree)) < 2:
        return _spread(tree, nodes, node_shares)
    shares = _logistic_shares(_linear_answers(tree, tree.linear, nodes, table, threads))
    stopped = _stopped(tree, nodes)
    shares[stopped] = _spread(tree, nodes[stopped], node_shares)
    return shares


def predict_codes(tree: Tree, nodes: np.ndarray, table: Table, threads: int = 1) -> np.ndarray:
    """The class code that each row is predicted (int64), by `tree.decision`.

    A logistic leaf predicts the likeliest class, the first of equals.
    """
    if tree.linear is None:
        return _spread(tree, nodes, node_codes)
    codes = np.empty(len(nodes), dtype=np.int64)
    for part in parts(len(nodes), len(distribution.classes(tree))):
        ends = nodes[part]
        rows = table.take(part)
        codes[part] = predict_shares(tree, ends, rows, threads).argmax(axis=1)
    stopped = _stopped(tree, nodes)
    codes[stopped] = _spread(tree, nodes[stopped], node_codes)
    return codes


def node_shares(tree: Tree, nodes: np.ndarray) -> np.ndarray:
    """The class probabilities of nodes by their own training rows, smoothed if the tree is so.

    float64 (nodes, classes).
    """
    if tree.smoothing is None:
        return _raw_shares(tree, nodes)
    return smoothed_shares(tree, _class_units(tree, nodes))


def _spread(
    tree: Tree, nodes: np.ndarray, facts: Callable[[Tree, np.ndarray], np.ndarray]
) -> np.ndarray:
    """The facts of each row's node, computed once for each node that occurs."""
    occurs = np.zeros(tree.n_nodes, dtype=bool)
    occurs[nodes] = True
    place: np.ndarray = np.cumsum(occurs) - 1
    return facts(tree, np.flatnonzero(occurs)).take(place.take(nodes), axis=0)


def _stopped(tree: Tree, nodes: np.ndarray) -> np.ndarray:
    """The rows that end in an inner node."""
    return np.flatnonzero(~tree.is_leaf.take(nodes))


def _raw_shares(tree: Tree, nodes: np.ndarray) -> np.ndarray:
    leaf = tree.is_leaf[nodes]
    if leaf.all():
        return distribution.probabilities(tree, stats.leaf_number(tree)[nodes])
    units = _class_units(tree, nodes)
    shares: np.ndarray = units / units.sum(axis=1, keepdims=True)
    return shares


def _class_units(tree: Tree, nodes: np.ndarray) -> np.ndarray:
    """The weight of each class in nodes, in units: exact, as float64 (nodes, classes)."""
    units = np.empty((len(nodes), len(distribution.classes(tree))))
    leaf = tree.is_leaf[nodes]
    units[leaf] = distribution.leaf_class_units(tree, stats.leaf_number(tree)[nodes[leaf]])
    units[~leaf] = stats.node_class_units(tree, nodes[~leaf])
    return units


def _linear_answers(
    tree: Tree, linear: LinearLeaves, nodes: np.ndarray, table: Table, threads: int
) -> np.ndarray:
    """The answers of the models of each row's leaf: float64 (rows, models a leaf)."""
    width = models_a_leaf(0 if tree.classes is None else len(tree.classes))
    first_model = np.where(tree.is_leaf, stats.leaf_number(tree) * width, -1).take(nodes)
    kinds = tree.schema.numbers.kinds
    return _core.linear_answers(
        table.columns,
        kinds,
        first_model,
        width,
        linear.start,
        linear.column,
        linear.code,
        linear.weight,
        linear.center,
        linear.intercept,
        linear.low,
        linear.high,
        threads,
    )


def _logistic_shares(log_odds: np.ndarray) -> np.ndarray:
    """Probabilities from log-odds: of class 1 of two, or of each class against the rest."""
    if log_odds.shape[1] == 1:
        return np.hstack((_logistic(-log_odds), _logistic(log_odds)))
    shares = _logistic(log_odds)
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


def _logistic(log_odds: np.ndarray) -> np.ndarray:
    small = np.exp(-np.abs(log_odds))
    share: np.ndarray = np.where(log_odds >= 0.0, 1.0, small) / (1.0 + small)
    return share
