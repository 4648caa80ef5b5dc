"""What can be edited: a Tree, or a fitted estimator that holds one. Estimators are not imported."""

from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np

from silva.checks import is_whole
from silva.data.bind import bind_codes, bind_numbers, bind_prediction
from silva.data.holders import check_fitted, hint_for
from silva.data.table import Table, Target
from silva.data.weights import bind_weights
from silva.errors import DataError, PlanError
from silva.leaf.choice import LinearLeaf, checked
from silva.leaf.fit import fit_leaves
from silva.messages import counted, listed
from silva.threads import usable_threads
from silva.tree.check import sound
from silva.tree.edits import Edit
from silva.tree.restat import EmptyLeafError, leaf_nodes, restated
from silva.tree.tree import Tree


class Fitted(Protocol):
    """A fitted estimator: its tree, how its target is read, and itself with another tree."""

    leaf: Any

    @property
    def grown_tree_(self) -> Tree: ...

    def _bind_target(self, y: Any, sample_weight: Any, n_rows: int) -> Target: ...

    def _with_tree(self, tree: Tree, table: Table, target: Target) -> Self: ...


Model = TypeVar("Model", bound=Tree | Fitted)


@dataclass(frozen=True)
class Bench(Generic[Model]):
    """A model laid out for an edit: its tree, the rows, and what to make of a new tree."""

    model: Model
    tree: Tree
    table: Table
    target: Target
    threads: int

    def nodes(self, tree: Tree) -> np.ndarray:
        """The leaf of another tree of these columns that each row ends in."""
        return leaf_nodes(tree, self.table, self.target, self.threads)

    def rows_at(self, node: int) -> np.ndarray:
        """The numbers of the rows that pass a node of the tree; at least one has a weight."""
        nodes = self.nodes(self.tree)
        rows = np.flatnonzero((nodes >= node) & (nodes < self.tree.subtree_end[node]))
        weights = self.target.weights
        if not (len(rows) if weights is None else weights[rows].any()):
            raise DataError(f"no row of a weight above 0 reaches node {node}: give other rows.")
        return rows

    def taken(self, rows: np.ndarray) -> tuple[Table, Target]:
        """Some of the rows."""
        return self.table.take(rows), self.target.take(rows)

    def finished(self, tree: Tree, edit: Edit) -> Model:
        """The model with a new tree: its statistics are those of the rows, the edit is written."""
        if not isinstance(edit.note, str):
            raise PlanError(f"note={edit.note!r} is not possible: use text, or leave it out.")
        fresh = replace(self._restated(tree, edit.node), edits=(*self.tree.edits, edit))
        if self.tree.linear is not None:
            fresh = fit_leaves(fresh, self.table, self.target, self._leaf(), self.threads)
        if isinstance(self.model, Tree):
            return fresh  # type: ignore[return-value]
        return self.model._with_tree(fresh, self.table, self.target)

    def _restated(self, tree: Tree, node: int) -> Tree:
        try:
            return restated(tree, self.table, self.target, self.threads)
        except EmptyLeafError as error:
            nodes = self.nodes(tree)
            if self.target.weights is not None:
                nodes = nodes[self.target.weights > 0]
            raise _emptied(error, tree, nodes, node) from None

    def _leaf(self) -> LinearLeaf:
        """How the linear models of the leaves are fitted, which only an estimator knows."""
        choice = checked(getattr(self.model, "leaf", None), self.tree.task)
        if not isinstance(choice, LinearLeaf):
            raise PlanError(
                "the leaves have linear models, and only an estimator with leaf='linear' or"
                " silva.LinearLeaf(...) knows how they are fitted: edit that."
            )
        return choice


def bench(model: Model, X: Any, y: Any, sample_weight: Any, threads: int) -> Bench[Model]:
    """Bind the rows as the model's own training did; its classes are those of the target."""
    tree, threads = tree_of(model), usable_threads(threads)
    table = bind_prediction(X, tree.schema)
    if not table.n_rows:
        raise DataError("X has no rows: statistics need some, best those that the tree grew from.")
    if isinstance(model, Tree):
        target = _bound(tree, y, sample_weight, table.n_rows)
    else:
        target = _in_classes_of(tree, model._bind_target(y, sample_weight, table.n_rows))
    return Bench(model, tree, table, target, threads)


def tree_of(model: Tree | Fitted) -> Tree:
    """The tree of a model; TypeError for what has none."""
    tree = model if isinstance(model, Tree) else getattr(model, "grown_tree_", None)
    if isinstance(tree, Tree):
        return sound(tree)
    check_fitted(model)
    hint = hint_for(model)
    if hasattr(model, "trees_"):
        hint = "It has many trees: give one of them, such as model.trees_[0]."
    raise TypeError(
        f"silva.edit takes a fitted tree estimator or a Tree, not {type(model).__name__}."
        f" {hint or 'Give one of silva, such as silva.TreeClassifier().fit(X, y).'}"
    )


def existing(tree: Tree, node: Any) -> int:
    """The node's number, or PlanError if the tree has no such node."""
    if is_whole(node) and 0 <= node < tree.n_nodes:
        return int(node)
    raise PlanError(
        f"node={node!r} does not exist: the tree has {_numbers(tree.n_nodes)};"
        " silva.to_text(model, numbers=True) shows them."
    )


def _numbers(n_nodes: int) -> str:
    return "node 0 only" if n_nodes == 1 else f"the nodes 0 to {n_nodes - 1}"


def _bound(tree: Tree, y: Any, sample_weight: Any, n_rows: int) -> Target:
    if tree.classes is None:
        return bind_numbers(y, sample_weight, n_rows)
    codes = bind_codes(y, tree.classes)
    if len(codes) != n_rows:
        raise DataError(f"X has {n_rows} rows and y {len(codes)} labels: give one for each row.")
    weights = bind_weights(sample_weight, n_rows)
    return _known_only(Target("classification", codes, tree.classes, weights))


def _in_classes_of(tree: Tree, target: Target) -> Target:
    """The target in the codes of the tree: a class may be absent, but none may be new."""
    if tree.classes is None or target.classes is None:
        return target
    codes = bind_codes(target.classes, tree.classes)
    recoded = replace(target, values=codes[target.values], classes=tree.classes, class_weights=None)
    return _known_only(recoded)


def _known_only(target: Target) -> Target:
    unknown = np.flatnonzero(target.values < 0)
    if len(unknown):
        raise DataError(
            f"y has labels that are not among the classes of the tree"
            f" ({listed([] if target.classes is None else target.classes.tolist())}),"
            f" first in row {int(unknown[0])}: leave these rows out, or fit a new model."
        )
    return target


def _emptied(error: EmptyLeafError, tree: Tree, nodes: np.ndarray, node: int) -> DataError:
    """Says how many rows each child of the edited node has, and which leaves have none."""
    children = tree.child[tree.child_start[node] : tree.child_start[node + 1]].tolist()
    rows = [_inside(tree, nodes, child) for child in children]
    counts = [f"child {place} has {counted(count, 'row')}" for place, count in enumerate(rows)]
    told = f" ({', '.join(counts)})" if counts else ""
    which = "node" if len(error.nodes) == 1 else "nodes"
    return DataError(
        f"the edit of node {node} would leave {counted(len(error.nodes), 'leaf', 'leaves')} without"
        f" rows{told}: {which} {listed(error.nodes)} of the new tree."
        f" {_way_out(error.nodes, node, int(tree.subtree_end[node]), 0 in rows)}"
    )


def _way_out(empty: list[int], node: int, end: int, has_empty_child: bool) -> str:
    if not all(node <= leaf < end for leaf in empty):
        return "Give the rows that the tree grew from: these do not reach all of its leaves."
    if has_empty_child:
        return "Choose another split."
    return (
        "The branches below do not fit the rows they would get: replace takes below='leaf' to end"
        " them or below=silva.Plan(...) to grow them again."
    )


def _inside(tree: Tree, nodes: np.ndarray, node: int) -> int:
    return int(np.count_nonzero((nodes >= node) & (nodes < tree.subtree_end[node])))
