"""The numbers that a linear model may use: columns by value or code, indicators of few levels."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from silva import _core
from silva.data.schema import Column, Schema
from silva.data.table import Table, Target
from silva.tree import route, stats
from silva.tree.linear import VALUE
from silva.tree.tree import Tree

FEW_LEVELS = 10
MOST_TERMS = 256
"""A leaf with more terms considers those that go best with its target."""

CHUNK_CELLS = 4_000_000


@dataclass(frozen=True, slots=True)
class Terms:
    """Columns and codes, ascending; `VALUE` stands for the value itself."""

    column: np.ndarray  # int32
    code: np.ndarray  # int32

    def __len__(self) -> int:
        return len(self.column)


def terms_of(schema: Schema) -> Terms:
    """All terms of a table: categorical columns of more than a few levels have none."""
    pairs = [(i, code) for i, column in enumerate(schema.columns) for code in _codes(column)]
    table = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    return Terms(table[:, 0], table[:, 1])


def _codes(column: Column) -> range:
    if column.kind != "categorical":
        return range(VALUE, VALUE + 1)
    return range(column.n_levels if column.n_levels <= FEW_LEVELS else 0)


@dataclass(frozen=True, slots=True)
class Group:
    """Terms of one leaf with their scales: (terms, 4) of middle, half, mean and deviation."""

    leaf: int
    terms: np.ndarray
    scales: np.ndarray


class LeafData:
    """The training rows of a tree's leaves; every question visits the rows in the core."""

    def __init__(self, tree: Tree, table: Table, target: Target, threads: int) -> None:
        self.terms = terms_of(tree.schema)
        self.n_classes = 0 if target.classes is None else len(target.classes)
        self.n_leaves = tree.n_leaves
        self._threads = threads
        nodes = route.leaves(tree, table, threads)
        leaf_of_row = np.where(tree.is_leaf, stats.leaf_number(tree), -1).take(nodes)
        kinds = tree.schema.numbers.kinds
        self._rows = _core.LeafRows(
            table.columns,
            kinds,
            leaf_of_row,
            tree.n_leaves,
            target.values,
            self.n_classes,
            target.weights,
        )

    def chunks(self) -> list[tuple[int, int]]:
        """Ranges of leaves whose matrices fit in a bounded piece of memory."""
        considered = min(len(self.terms), MOST_TERMS)
        cells = considered**2 + (self.n_classes + 5) * len(self.terms) + 1
        length = max(1, CHUNK_CELLS // cells)
        return list(pairwise([*range(0, self.n_leaves, length), self.n_leaves]))

    def summaries(self, first: int, last: int) -> dict[str, np.ndarray]:
        """What the core tells of leaves `first` to `last` - 1 (see `_core.LeafRows.summaries`)."""
        columns, codes = self.terms.column.tolist(), self.terms.code.tolist()
        return self._rows.summaries(columns, codes, first, last, self._threads)

    def grams(self, groups: list[Group]) -> list[np.ndarray]:
        """The sums of weight * z_i * z_j of the terms of each group."""
        return self._rows.grams(*self._flat(groups), self._threads)

    def logistic(
        self, groups: list[Group], codes: list[int], coefficients: list[np.ndarray]
    ) -> list[tuple[float, np.ndarray, np.ndarray, float, float]]:
        """Loss, gradient, Hessian, lowest and highest log-odds of each group's model."""
        leaves, start, columns, term_codes, scales = self._flat(groups)
        given = [one.tolist() for one in coefficients]
        return self._rows.logistic(
            leaves, codes, start, columns, term_codes, scales, given, self._threads
        )

    def _flat(
        self, groups: list[Group]
    ) -> tuple[list[int], list[int], list[int], list[int], np.ndarray]:
        start = [0, *np.cumsum([len(group.terms) for group in groups]).tolist()]
        terms = np.concatenate([np.zeros(0, np.int64), *(group.terms for group in groups)])
        scales = np.concatenate([np.zeros(0), *(group.scales.ravel() for group in groups)])
        columns, codes = self.terms.column[terms].tolist(), self.terms.code[terms].tolist()
        return [group.leaf for group in groups], start, columns, codes, scales


def considered(relation: np.ndarray, usable: np.ndarray) -> np.ndarray:
    """The usable terms, or the `MOST_TERMS` of them that go best with a target, ascending.

    `relation` is (targets, terms): how strongly each term goes with each target.
    """
    terms = np.flatnonzero(usable)
    strength = np.abs(relation[:, terms]).max(axis=0, initial=0.0)
    strongest = np.argsort(-strength, kind="stable")[:MOST_TERMS]
    return terms[np.sort(strongest)]
