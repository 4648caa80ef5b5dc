"""A silva tree shown through the array names of scikit-learn's `tree_`."""

import numpy as np

from silva.errors import PlanError, SplitKindError
from silva.inspect.importance import split_columns
from silva.inspect.summary import depth
from silva.tree import stats
from silva.tree.lazy import lazy
from silva.tree.splits import SUBSET
from silva.tree.tree import Tree

NO_CHILD, UNDEFINED = -1, -2


class SklearnArrays:
    """What `sklearn.tree.export_graphviz` and hand-written walkers read.

    scikit-learn's rule is `value <= threshold` goes left, silva's is `value < t`: the threshold
    shown is the float64 just below t, which sends every value the same way. "Missing against the
    rest" is shown as scikit-learn shows it: everything known is <= infinity and goes left.
    Values of ordinal and binary columns are the codes of their levels.
    Nodes keep silva's numbers. A tree that asks about sets of categories has no such arrays:
    reading them raises SplitKindError.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def __repr__(self) -> str:
        return f"<{self.node_count} nodes, {self.n_leaves} leaves, depth {self.max_depth}>"

    @property
    def node_count(self) -> int:
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
        self._check_split_kinds()
        return np.where(self._tree.is_leaf, UNDEFINED, split_columns(self._tree))

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
        if self._tree.criterion == "poisson":
            raise PlanError(
                "tree_.impurity: the leaves of a tree grown with criterion='poisson' do not hold"
                " their deviance. Draw it with export_graphviz(model, impurity=False)."
            )
        return stats.node_impurity(self._tree)

    @lazy
    def n_node_samples(self) -> np.ndarray:
        return stats.node_rows(self._tree)

    @lazy
    def weighted_n_node_samples(self) -> np.ndarray:
        return stats.node_weight(self._tree)

    @lazy
    def value(self) -> np.ndarray:
        """Class shares or the mean of every node: float64 (nodes, 1, classes or 1)."""
        if self._tree.classes is None:
            return stats.node_mean(self._tree).reshape(-1, 1, 1)
        weights = stats.node_class_units(self._tree)
        shares: np.ndarray = weights / weights.sum(axis=1, keepdims=True)
        return shares.reshape(-1, 1, self.max_n_classes)

    @property
    def _inner(self) -> np.ndarray:
        self._check_split_kinds()
        return ~self._tree.is_leaf

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
        children = np.full((self.node_count, 2), NO_CHILD, dtype=np.int64)
        children[self._inner] = self._tree.child.reshape(-1, 2)
        children[self._asks_if_missing] = children[self._asks_if_missing, ::-1]
        return children

    def _check_split_kinds(self) -> None:
        if len(self._tree.subsets.column):
            name = self._tree.schema.names[self._tree.subsets.column[0]]
            raise SplitKindError(
                f"tree_: scikit-learn's arrays show thresholds only, and node"
                f" {int(np.argmax(self._tree.split_kind == SUBSET))} asks about a set of categories"
                f" (split kind Subset, column {name!r}). Read the tree with silva.to_text or"
                " grown_tree_, or give the column as a number or an ordered category."
            )
