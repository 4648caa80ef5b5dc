"""The tree behind a dialog: its nodes as plain values, looked up once and kept."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from silva.data.schema import Column
from silva.data.table import Table
from silva.inspect.dialog.known import Knowledge, Known, anything, cell
from silva.inspect.rules.conditions import Condition, Regions, is_empty, taken
from silva.inspect.rules.lexicon import Lexicon
from silva.inspect.subject import Subject
from silva.tree import decision, stats, words
from silva.tree.lazy import lazy
from silva.tree.linear import models_a_leaf
from silva.tree.numerals import Short
from silva.tree.splits import STOP, Split, n_children_of, split_of

Way = tuple[int, Condition]
"""A child, or `STOP`, and the values that lead there."""


class Source:
    """What all states of a dialog share."""

    def __init__(self, subject: Subject, digits: int | None) -> None:
        self.tree, self.facts, self.digits = subject.tree(), subject.facts, digits
        self.lexicon = Lexicon(subject.schema, subject.labels)
        self._splits: dict[int, Split | None] = {}
        self._ways: dict[int, tuple[Way, ...]] = {}
        self._start, self._child = self.tree.child_start.tolist(), self.tree.child.tolist()

    @property
    def identity(self) -> Any:
        """The same object for the same model: copies under other column names share it."""
        return self.tree.leaf_stats

    @property
    def columns(self) -> Sequence[Column]:
        return self.lexicon.columns

    @property
    def labels(self) -> tuple[Any, ...] | None:
        return self.lexicon.labels

    @lazy
    def regions(self) -> Regions:
        return Regions(self.tree)

    @lazy
    def weight(self) -> np.ndarray:
        return stats.node_weight(self.tree)

    @lazy
    def leaf_range(self) -> tuple[list[int], list[int]]:
        first, last = stats.leaf_range(self.tree)
        return first.tolist(), last.tolist()

    def split(self, node: int) -> Split | None:
        if node not in self._splits:
            self._splits[node] = split_of(self.tree, node)
        return self._splits[node]

    def child(self, node: int, number: int) -> int:
        return int(self._child[self._start[node] + number])

    def larger_child(self, node: int) -> int:
        """The number of the child with the most weight, the first of equals."""
        children = range(self._start[node + 1] - self._start[node])
        return max(children, key=lambda number: self.weight[self.child(node, number)])

    def ways(self, node: int) -> tuple[Way, ...]:
        """Where the split of a node sends rows; only what some row can take."""
        if node not in self._ways:
            split = self.split(node)
            assert split is not None
            numbers = (*range(n_children_of(split)), STOP)
            found = ((number, taken(split, number, self.columns)) for number in numbers)
            self._ways[node] = tuple(way for way in found if not is_empty(way[1]))
        return self._ways[node]

    def known(self, knowledge: Knowledge, column: int) -> Known:
        """What is known about a column; whatever the model takes if nobody asked."""
        found = knowledge.get(column)
        return Known(anything(column, self.columns[column])) if found is None else found

    def training_limits(self, number: int) -> tuple[float | None, float | None]:
        """The least and the greatest number of a column in the training rows, None if unknown."""
        if self.facts is None or self.columns[number].levels is not None:
            return None, None
        low, high = float(self.facts.low[number]), float(self.facts.high[number])
        return (low, high) if low <= high else (None, None)

    def training_range(self, number: int) -> str:
        """The same in words; "" if unknown."""
        column = self.columns[number]
        limits = [one for one in self.training_limits(number) if one is not None]
        told = [words.quantity(column, limit, self.digits) for limit in limits]
        return " to ".join(dict.fromkeys(told))

    def row(self, knowledge: Knowledge) -> Table:
        """A table of one row with the values that are known exactly, all others missing."""
        cells = (
            np.array([cell(self.known(knowledge, number), column)], self._type(column))
            for number, column in enumerate(self.columns)
        )
        return Table(self.tree.schema, tuple(cells), 1)

    def _type(self, column: Column) -> type[np.generic]:
        return np.float64 if column.levels is None else np.int32

    def terms(self, node: int) -> list[int]:
        """The columns that the linear models of a leaf take, in order; none for inner nodes."""
        linear = self.tree.linear
        if linear is None or not self.tree.is_leaf[node]:
            return []
        width = models_a_leaf(0 if self.labels is None else len(self.labels))
        first = self.leaf_range[0][node] * width
        begin, end = linear.start[first], linear.start[first + width]
        return sorted(set(linear.column[begin:end].tolist()))

    def constant(self, node: int) -> Any:
        """The class code or mean of a node by its own rows."""
        return (self._leaf_answers if self.tree.is_leaf[node] else self._inner_answers)[node]

    @lazy
    def _leaf_answers(self) -> dict[int, Any]:
        return self._answers(np.flatnonzero(self.tree.is_leaf))

    @lazy
    def _inner_answers(self) -> dict[int, Any]:
        return self._answers(np.flatnonzero(~self.tree.is_leaf))

    def _answers(self, nodes: np.ndarray) -> dict[int, Any]:
        """By node; classes in parts, as they need the weight of each class in each node."""
        if self.labels is None:
            found = stats.node_mean(self.tree, nodes).tolist()
        else:
            pieces = decision.parts(len(nodes), len(self.labels))
            codes = [decision.node_codes(self.tree, nodes[part]) for part in pieces]
            found = np.concatenate(codes).tolist()
        return dict(zip(nodes.tolist(), found, strict=True))

    def prediction_words(self, prediction: Any) -> str:
        """A class by its code, or a number."""
        if self.labels is None:
            return words.prediction(prediction, self.digits or Short({}))
        return str(self.lexicon.classes[prediction])
