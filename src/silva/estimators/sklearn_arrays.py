"""A silva tree shown through the array names of scikit-learn's `tree_`."""

from typing import Any, assert_never

import numpy as np
from scipy.sparse import csr_array, csr_matrix
from sklearn import get_config

from silva.data.bind import bind_prediction
from silva.errors import PlanError, SplitKindError
from silva.inspect.deviance import node_deviance
from silva.inspect.importance import impurity_importance, split_columns
from silva.inspect.paths import paths
from silva.inspect.summary import depth
from silva.messages import listed
from silva.tree import decision, route, stats
from silva.tree.lazy import lazy
from silva.tree.splits import (
    THRESHOLD,
    Distance,
    Multiway,
    Oblique,
    Split,
    Subset,
    Threshold,
    columns_of,
    split_of,
)
from silva.tree.tree import Tree

NO_CHILD, UNDEFINED = -1, -2

NODE_TYPE = np.dtype(
    [
        ("left_child", np.int64),
        ("right_child", np.int64),
        ("feature", np.int64),
        ("threshold", np.float64),
        ("impurity", np.float64),
        ("n_node_samples", np.int64),
        ("weighted_n_node_samples", np.float64),
        ("missing_go_to_left", np.uint8),
    ],
    align=True,
)
NODE_ARRAYS = ("children_left", "children_right", *(NODE_TYPE.names or ())[2:])


class SklearnArrays:
    """What `sklearn.tree.export_graphviz` and hand-written walkers read and call.

    scikit-learn's rule is `value <= threshold` goes left, silva's is `value < t`: the threshold
    shown is the float64 just below t, which sends every value the same way. "Missing against the
    rest" is shown as scikit-learn shows it: everything known is <= infinity and goes left.
    Values of ordinal and binary columns are the codes of their levels; those of dates, durations
    and times of day are units from the origin of their column (`time` in the schema).
    Nodes keep silva's numbers. A tree with other splits than thresholds, or whose missing values
    have a branch of their own or end at a node, has no such arrays: reading them raises
    SplitKindError. What does not show splits (`apply`, `value`, ...) works for every tree.

    `leaf_deviance` is the impurity of the leaves of a Poisson tree, which the tree does not hold
    (`inspect.deviance`); without it such a tree has no `impurity`.
    """

    def __init__(self, tree: Tree, leaf_deviance: np.ndarray | None = None) -> None:
        self._tree = tree
        self._leaf_deviance = leaf_deviance

    def __repr__(self) -> str:
        return f"<{self.node_count} nodes, {self.n_leaves} leaves, depth {self.max_depth}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._tree, self._leaf_deviance)

    def __getstate__(self) -> dict[str, Any]:
        """What scikit-learn's method returns: nodes as one structured array, and their values."""
        nodes = np.empty(self.node_count, dtype=NODE_TYPE)
        for field, name in zip(NODE_TYPE.names or (), NODE_ARRAYS, strict=True):
            nodes[field] = getattr(self, name)
        state = {"max_depth": self.max_depth, "node_count": self.node_count}
        return state | {"nodes": nodes, "values": self.value}

    def apply(self, X: Any) -> np.ndarray:
        """The number of the node in which each row ends; any table, scikit-learn takes float32."""
        return route.leaves(self._tree, bind_prediction(X, self._tree.schema))

    def decision_path(self, X: Any) -> csr_array | csr_matrix:
        """The nodes that each row passes: a sparse indicator of shape (rows, nodes)."""
        return node_indicator(self._tree, self.apply(X))

    def predict(self, X: Any) -> np.ndarray:
        """The `value` of the node in which each row ends: float64 (rows, classes or 1)."""
        return np.asarray(self.value[self.apply(X), 0])

    def compute_feature_importances(self, normalize: bool = True) -> np.ndarray:
        """The decrease of impurity by each column; as shares that sum to 1 if `normalize`."""
        shares = impurity_importance(self._tree)
        return shares if normalize else shares * stats.weighted_gain(self._tree).sum()

    def compute_node_depths(self) -> np.ndarray:
        """The number of nodes from the root to each node, both counted (int64)."""
        return stats.depth(self._tree) + 1

    @property
    def node_count(self) -> int:
        return self._tree.n_nodes

    @property
    def capacity(self) -> int:
        return self._tree.n_nodes

    @property
    def n_leaves(self) -> int:
        return self._tree.n_leaves

    @property
    def n_features(self) -> int:
        return len(self._tree.schema)

    @property
    def n_outputs(self) -> int:
        return 1

    @property
    def max_n_classes(self) -> int:
        return 1 if self._tree.classes is None else len(self._tree.classes)

    @property
    def n_classes(self) -> np.ndarray:
        return np.array([self.max_n_classes])

    @lazy
    def max_depth(self) -> int:
        return depth(self._tree)

    @lazy
    def children_left(self) -> np.ndarray:
        return self._children[:, 0].copy()

    @lazy
    def children_right(self) -> np.ndarray:
        return self._children[:, 1].copy()

    @lazy
    def feature(self) -> np.ndarray:
        return np.where(self._inner, split_columns(self._tree), UNDEFINED)

    @lazy
    def threshold(self) -> np.ndarray:
        with np.errstate(over="ignore"):
            below = np.nextafter(self._thresholds, -np.inf)
        shown = np.where(self._asks_if_missing, np.inf, below)
        return np.where(self._tree.is_leaf, float(UNDEFINED), shown)

    @lazy
    def missing_go_to_left(self) -> np.ndarray:
        inner = self._inner
        goes_left = np.zeros(self.node_count, dtype=np.uint8)
        goes_left[inner] = self._tree.thresholds.missing_child[self._tree.split_index[inner]] == 0
        goes_left[self._asks_if_missing] = 0
        return goes_left

    @lazy
    def impurity(self) -> np.ndarray:
        if self._tree.criterion != "poisson":
            return stats.node_impurity(self._tree)
        if self._leaf_deviance is None:
            raise PlanError(
                "tree_.impurity: a tree grown with criterion='poisson' that is part of a forest or"
                " was loaded from an older file does not hold the deviance of its leaves. Fit a"
                " TreeRegressor, or draw this one with export_graphviz(model, impurity=False)."
            )
        return node_deviance(self._tree, self._leaf_deviance)

    @lazy
    def n_node_samples(self) -> np.ndarray:
        return stats.node_rows(self._tree)

    @lazy
    def weighted_n_node_samples(self) -> np.ndarray:
        return stats.node_weight(self._tree)

    @lazy
    def value(self) -> np.ndarray:
        """Class shares or the mean of every node: float64 (nodes, 1, classes or 1).

        Readers take the largest share for the prediction, so a tree that predicts otherwise is
        refused.
        """
        if self._tree.classes is None:
            return stats.node_mean(self._tree).reshape(-1, 1, 1)
        weights = stats.node_class_units(self._tree)
        if (decision.codes_of(self._tree, weights) != weights.argmax(axis=1)).any():
            raise PlanError(
                "tree_.value: some nodes of this tree predict another class than their most"
                " frequent one (because of costs or leaf='m_estimate'), and whoever reads the"
                " shares would show the wrong class. Use silva.to_text, silva.plot_tree or"
                " predict_proba."
            )
        shares: np.ndarray = weights / weights.sum(axis=1, keepdims=True)
        return shares.reshape(-1, 1, self.max_n_classes)

    @lazy
    def _inner(self) -> np.ndarray:
        """Which nodes have a split; a split that cannot be shown is refused."""
        tree = self._tree
        inner = np.asarray(tree.split_kind == THRESHOLD)
        fits = ~inner & tree.is_leaf
        fits[inner] = self._are_shown[tree.split_index[inner]]
        if not fits.all():
            raise _not_shown(tree, int(np.argmin(fits)))
        return inner

    @property
    def _are_shown(self) -> np.ndarray:
        """Which threshold splits send missing and unseen values to one of two children."""
        table = self._tree.thresholds
        ends = np.stack((table.missing_child, table.unseen_child))
        return np.asarray(np.all((ends == 0) | (ends == 1), axis=0))

    @lazy
    def _thresholds(self) -> np.ndarray:
        values = np.zeros(self.node_count)
        values[self._inner] = self._tree.thresholds.threshold[self._tree.split_index[self._inner]]
        return values

    @lazy
    def _asks_if_missing(self) -> np.ndarray:
        return np.isneginf(self._thresholds)

    @lazy
    def _children(self) -> np.ndarray:
        """Left and right child of each node, -1 for a leaf: int64 (nodes, 2)."""
        inner, children = self._inner, np.full((self.node_count, 2), NO_CHILD, dtype=np.int64)
        children[inner] = self._tree.child.reshape(-1, 2)
        children[self._asks_if_missing] = children[self._asks_if_missing, ::-1]
        return children


def node_indicator(tree: Tree, nodes: np.ndarray) -> csr_array | csr_matrix:
    """The nodes from the root to each of `nodes`, as scikit-learn's `decision_path` shows them."""
    return indicator(*paths(tree, nodes), tree.n_nodes)


def indicator(
    start: np.ndarray, passed: np.ndarray, n_nodes: int, dtype: type[np.generic] = np.int64
) -> csr_array | csr_matrix:
    """A sparse matrix with a row for each path `passed[start[i]:start[i + 1]]`, 1 at its nodes."""
    ones = np.ones(len(passed), dtype=dtype)
    layout = csr_array if get_config()["sparse_interface"] == "sparray" else csr_matrix
    return layout((ones, passed, start), shape=(len(start) - 1, n_nodes))


def _not_shown(tree: Tree, node: int) -> SplitKindError:
    split = split_of(tree, node)
    assert split is not None
    names = [tree.schema.names[column] for column in columns_of(split)]
    where = f"column {names[0]!r}" if len(names) == 1 else f"columns {listed(names)}"
    return SplitKindError(
        f"tree_: scikit-learn's arrays show thresholds with two children only, and node {node}"
        f" {_question(split)} (split kind {type(split).__name__}, {where}). Read the tree with"
        " silva.to_text or grown_tree_."
    )


def _question(split: Split) -> str:
    match split:
        case Threshold():
            return "has a branch of its own, or none, for missing or unseen values"
        case Subset():
            return "asks about a set of categories"
        case Multiway():
            return "has a child for each category"
        case Oblique():
            return "asks about a weighted sum"
        case Distance():
            return "asks about a distance"
        case _:
            assert_never(split)
