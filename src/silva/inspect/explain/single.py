"""Explanations by one tree."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from silva.data.table import Table
from silva.inspect.explain.contributions import (
    BEYOND_FLOATS,
    Parts,
    node_values,
    row_values,
    tree_parts,
)
from silva.inspect.explain.evidence import Witness, leaf_models
from silva.inspect.explain.explanation import Explanation, Style
from silva.inspect.explain.records import ByClass, Evidence, Step
from silva.inspect.explain.steps import Walk, by_class
from silva.inspect.explain.values import Row
from silva.inspect.explain.words import tree_sentence
from silva.inspect.importance import columns_used
from silva.inspect.rules.conditions import Regions
from silva.inspect.rules.lexicon import Lexicon
from silva.inspect.rules.words import conjunction
from silva.leaf import answers
from silva.tree import route, words
from silva.tree.lazy import lazy
from silva.tree.tree import Tree
from silva.tree.view import TreeView, mean_digits


class OneTree:
    """What one tree says of rows, and why."""

    def __init__(self, tree: Tree, facts: Any, digits: int | None) -> None:
        self.tree = tree
        self.style = Style(digits, mean_digits(TreeView(tree)[0]), tree.smoothing is not None)
        self.classes = tree.classes
        self.labels: list[Any] = [] if tree.classes is None else tree.classes.tolist()
        self._lexicon = Lexicon(tree.schema, self.labels)
        self._walk = Walk(tree, self._lexicon, facts, digits)
        self._witness = Witness(tree)
        self._whys: dict[int, str] = {}
        self._found: dict[tuple[int, int | None], Evidence] = {}

    @lazy
    def _regions(self) -> Regions:
        return Regions(self.tree)

    @lazy
    def used(self) -> list[int]:
        """The columns that the tree asks about."""
        found: list[int] = columns_used(self.tree).tolist()
        return found

    def predicted(self, table: Table) -> tuple[np.ndarray | None, np.ndarray]:
        """The predicted class codes (None for numbers), and what is explained: (rows, width)."""
        ends = route.leaves(self.tree, table)
        return self._codes(table, ends), row_values(self.tree, ends, table)

    def parts(self, table: Table) -> Parts:
        """The predictions as sums."""
        return tree_parts(self.tree, route.leaves(self.tree, table), table)

    def sentences(self, table: Table) -> list[str]:
        """The reasons for the rows, in short."""
        return [self._sentence(*row) for row in self._rows(table)]

    def frame(self, table: Table) -> dict[str, list[Any]]:
        """The columns of a frame that only models of one tree have."""
        rows = list(self._rows(table))
        found = [self._evidence(end, code) for end, code, _ in rows]
        names = ("node", "rows", "low", "high", "is_small")
        told: dict[str, list[Any]] = {"sentence": [self._sentence(*row) for row in rows]}
        return told | {name: [getattr(one, name) for one in found] for name in names}

    def _rows(self, table: Table) -> Iterator[tuple[int, int | None, float]]:
        """Of each row the node at which it ends, the class that it is predicted, and the number."""
        ends = route.leaves(self.tree, table)
        codes = self._codes(table, ends)
        values = row_values(self.tree, ends, table)[:, 0].tolist()
        told: list[Any] = [None] * len(ends) if codes is None else codes.tolist()
        return zip(ends.tolist(), told, values, strict=True)

    def _codes(self, table: Table, ends: np.ndarray) -> np.ndarray | None:
        if self.tree.classes is None:
            return None
        return answers.predict_codes(self.tree, ends, table)

    def _evidence(self, end: int, code: int | None) -> Evidence:
        """That of rows that end at a node, made once."""
        if (end, code) not in self._found:
            self._found[end, code] = self._witness.of(end, code)
        return self._found[end, code]

    def _sentence(self, end: int, code: int | None, value: float) -> str:
        """The reason for a row that ends at this node; `value` is its number, if that is what
        the tree predicts.
        """
        has_model = self.tree.linear is not None and bool(self.tree.is_leaf[end])
        return tree_sentence(
            value if code is None else self.labels[code],
            code is not None,
            self._why(end),
            self._evidence(end, code),
            has_model,
            self.style,
        )

    def _why(self, end: int) -> str:
        """The merged conditions of a node, "" where there are none."""
        if end not in self._whys:
            conditions = self._regions.of_end(end)
            told = conjunction(conditions, self._lexicon, self.style.digits, words.MAX_LISTED)
            self._whys[end] = told if conditions else ""
        return self._whys[end]

    def explanation(self, table: Table, place: int, row: int) -> Explanation:
        """Of the row at this place in the table, which its reader knows by the number `row`."""
        here = table.take(np.array([place]))
        ends = route.leaves(self.tree, here)
        end, codes, values = int(ends[0]), *self.predicted(here)
        code, values = None if codes is None else int(codes[0]), values[0]
        one = Row(here, 0, self._lexicon, self.style.digits)
        steps = self._walk.steps(one, end)
        return Explanation(
            row=row,
            prediction=float(values[0]) if code is None else self.labels[code],
            shares=None if code is None else by_class(self.labels, values),
            quantity="mean" if code is None else "class shares",
            baseline=self._baseline,
            contributions=_by_column(steps),
            leaf_contribution=self._of_model(end, values),
            sentence=self._sentence(end, code, float(values[0])),
            steps=steps,
            evidence=self._evidence(end, code),
            models=leaf_models(self.tree, one, end),
            _style=self.style,
        )

    @lazy
    def _baseline(self) -> ByClass | float:
        return self._told(node_values(self.tree, np.zeros(1, dtype=np.int64))[0])

    def _of_model(self, end: int, values: np.ndarray) -> ByClass | float | None:
        if self.tree.linear is None:
            return None
        own = node_values(self.tree, np.array([end]))[0]
        with np.errstate(**BEYOND_FLOATS):
            return self._told(values - own)

    def _told(self, values: np.ndarray) -> ByClass | float:
        return by_class(self.labels, values) if self.labels else float(values[0])


def _by_column(steps: Iterable[Step]) -> dict[str, ByClass | float]:
    """The contributions of the steps, added up for each column that they asked about."""
    found: dict[str, ByClass | float] = {}
    for step in steps:
        for value in step.values:
            found[value.column] = _plus(
                found.get(value.column), step.contribution, len(step.values)
            )
    return found


def _plus(before: ByClass | float | None, change: ByClass | float, among: int) -> ByClass | float:
    if isinstance(change, dict):
        start = before if isinstance(before, dict) else dict.fromkeys(change, 0.0)
        return {label: start[label] + one / among for label, one in change.items()}
    return (before if isinstance(before, float) else 0.0) + change / among
