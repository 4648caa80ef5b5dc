"""Rows that are given beside a model: bound to its columns, routed, and known as its own or not."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from silva.data.column_facts import column_facts, packed
from silva.data.table import Table, Target
from silva.errors import DataError
from silva.inspect.subject import Subject, unwrapped
from silva.tree import route, stats
from silva.tree.restat import leaf_nodes
from silva.tree.tree import Tree

UNKNOWN_FACTS = (
    "the model keeps no facts about its training columns, so it is not known whether these are its"
    " training rows: they count as rows that it has not seen"
)


@dataclass(frozen=True, eq=False)
class GivenRows:
    """Rows in the columns of a model, and where they end in the tree that is shown first.

    `X`, `y` and `sample_weight` are as given; `target` is None without `y`. `own` is the target of
    training rows, None for others; of a single tree, with its class weights. `why` says why they
    are not known to be training rows.
    """

    X: Any
    y: Any
    sample_weight: Any
    table: Table
    target: Target | None
    ends: np.ndarray
    own: Target | None
    why: str

    @property
    def are_training(self) -> bool:
        return self.own is not None

    @property
    def kept(self) -> np.ndarray:
        """The numbers of the rows that count: those of weight 0 are left out, as in training."""
        weights = None if self.target is None else self.target.weights
        return np.arange(self.table.n_rows) if weights is None else np.flatnonzero(weights)

    @property
    def name(self) -> str:
        return "training rows" if self.are_training else "given rows"


class NodeRows:
    """The rows that pass each node of a tree, those that stop there included.

    Rows of weight 0 are left out.
    """

    def __init__(self, tree: Tree, rows: GivenRows) -> None:
        self.tree = tree
        kept = rows.kept
        self._order = kept[np.argsort(rows.ends[kept], kind="stable")]
        self._begin = np.searchsorted(rows.ends[self._order], np.arange(tree.n_nodes + 1))
        self.count = self._begin[tree.subtree_end] - self._begin[:-1]

    def of(self, node: int) -> np.ndarray:
        """The numbers of the rows that pass a node."""
        first, last = self._begin[node], self._begin[self.tree.subtree_end[node]]
        return np.asarray(self._order[first:last])

    def sums(self, values: np.ndarray) -> np.ndarray:
        """The sum of a value of each row, by node."""
        running = np.concatenate(([0], np.cumsum(values[self._order])))
        found: np.ndarray = running[self._begin[self.tree.subtree_end]] - running[self._begin[:-1]]
        return found


def given_rows(
    model: Any, subject: Subject, tree: Tree, X: Any, y: Any, sample_weight: Any
) -> GivenRows | None:
    """The rows, None if none are given. `y` may be left out: then nothing is measured on them."""
    if X is not None and y is None:
        table, target = subject.table(X), None
    else:
        found = subject.measured(X, y, sample_weight, "the page measures the model")
        if found is None:
            return None
        table, target = found
    if not table.n_rows:
        raise DataError("X has no rows: leave it out, or give rows to look at the model with.")
    ends = ends_in(tree, table)
    own, why = _training_target(model, subject, table, target, y, sample_weight)
    return GivenRows(X, y, sample_weight, table, target, ends, own, why)


def ends_in(tree: Tree, table: Table) -> np.ndarray:
    """Where rows end in a tree of the same columns, whatever these are called."""
    return route.leaves(tree, replace(table, schema=tree.schema))


def validation_rows(subject: Subject, X_val: Any, y_val: Any) -> tuple[Table, Target] | None:
    """Held-out rows, None if none are given."""
    if X_val is None and y_val is None:
        return None
    if X_val is None or y_val is None:
        absent = "X_val" if X_val is None else "y_val"
        raise DataError(f"{absent} is missing: held-out rows need both X_val and y_val.")
    try:
        found = subject.measured(X_val, y_val, None, "errors are measured")
    except DataError as error:
        raise type(error)(f"of the held-out rows (X_val as X, y_val as y): {error}") from error
    if found is None or not found[0].n_rows:
        raise DataError("X_val has no rows: leave it out, or give rows to measure the model on.")
    return found


def _training_target(
    model: Any,
    subject: Subject,
    table: Table,
    target: Target | None,
    y: Any,
    sample_weight: Any,
) -> tuple[Target | None, str]:
    """The target as the model's own fit reads it, or why these are not its training rows."""
    if target is None:
        return None, "they have no targets"
    if subject.facts is None:
        return None, UNKNOWN_FACTS
    if packed(column_facts(table)) != packed(subject.facts):
        return None, "they are not the rows that the model was fitted to"
    if target.classes is not None and (target.values < 0).any():
        return None, "they have classes that the model does not know"
    if target.classes is not None and len(np.unique(target.values)) < len(target.classes):
        return None, "they lack classes that the model knows"
    if subject.combiner != "tree":
        return target, ""
    own = unwrapped(model)[0]._bind_target(y, sample_weight, table.n_rows)
    why = _difference(subject.tree(), table, own)
    return (None, why) if why else (own, "")


def _difference(tree: Tree, table: Table, target: Target) -> str:
    """How the rows and weights of the leaves differ from those of training; "" if they do not."""
    weights = np.ones(table.n_rows) if target.weights is None else target.weights
    leaf = stats.leaf_number(tree)[leaf_nodes(tree, table, target)]
    rows = np.bincount(leaf[weights > 0], minlength=tree.n_leaves)
    if not np.array_equal(rows, tree.leaf_rows):
        return "they end in other leaves than the rows that the model was fitted to"
    weight = np.bincount(leaf, weights, tree.n_leaves)
    if not np.allclose(weight, stats.leaf_weight_units(tree) * tree.weight_unit, rtol=1e-6):
        return "their weights are not those of the fit: give the same sample_weight"
    return ""
