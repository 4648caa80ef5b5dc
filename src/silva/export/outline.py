"""A tree as indented text. Limits hide parts of a big tree and say what they hid."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from silva.messages import counted
from silva.tree import stats, words
from silva.tree.hidden import HIDDEN_ROWS, Hidden, nothing_hidden
from silva.tree.legend import legend
from silva.tree.numerals import ROUNDED, Digits
from silva.tree.short_numbers import short_numbers
from silva.tree.shown import Limits, grouped, shown_nodes
from silva.tree.splits import Threshold, split_of
from silva.tree.tables import DISTANCE, LEAF, OBLIQUE, THRESHOLD
from silva.tree.tree import Tree
from silva.tree.view import NodeView, TreeView, title

MOST_SHARES = 3
DEEPEST_INDENT = 40


PRINT_LIMITS = Limits(max_nodes=100, max_listed=words.MAX_LISTED)

LeafWords = Callable[[int], str]
"""What a leaf answers with, in words, by its number among the leaves."""


@dataclass(frozen=True, slots=True)
class Marks:
    branch: str
    last: str
    bar: str
    blank: str
    arrow: str
    dots: str


UNICODE = Marks("├─ ", "└─ ", "│  ", "   ", "→", "…")
ASCII = Marks("|- ", "`- ", "|  ", "   ", "->", "...")


class _Item(NamedTuple):
    """A line to come: a shown node, or the run of hidden siblings in its place."""

    nodes: tuple[int, ...]
    shown: bool
    prefix: str
    is_last: bool


def tree_text(tree: Tree) -> str:
    """What `print(tree)` shows: the largest nodes of a tree."""
    return outline(TreeView(tree), PRINT_LIMITS, digits=short_numbers(tree))


def outline(
    view: TreeView,
    limits: Limits,
    marks: Marks = UNICODE,
    numbers: bool = False,
    leaf_words: LeafWords | None = None,
    hidden: Hidden | None = None,
    digits: Digits = None,
) -> str:
    """The whole text: a title, a line for each node, and what the lines leave unsaid.

    `leaf_words` tells what leaves with linear models answer; without it they only say so. `hidden`
    names the nodes whose numbers are left out, `digits` says how thresholds and means are written.
    """
    writer = _Writer(view, marks, numbers, leaf_words, hidden or nothing_hidden(view.tree), digits)
    lines = [title(view), *_lines(view, limits, writer)]
    notes = [*legend(view.tree, limits.max_listed), *(f"edited: {one}" for one in view.tree.edits)]
    notes += [ROUNDED] if writer.has_rounded else []
    return "\n".join([*lines, *([""] if notes else []), *notes])


def _lines(view: TreeView, limits: Limits, writer: "_Writer") -> Iterator[str]:
    shown = shown_nodes(view, limits)
    records = view.nodes(np.flatnonzero(shown), limits.max_listed, writer.digits)
    stack = [_Item((0,), True, "", True)]
    while stack:
        item = stack.pop()
        if item.shown:
            record = next(records)
            yield writer.indent(item, record.depth) + writer.node(record)
            stack += reversed(_below(record, shown, writer.deeper(item, record.depth)))
        else:
            depth = int(view.depth[item.nodes[0]])
            yield writer.indent(item, depth) + writer.hidden(item.nodes)


def _below(record: NodeView, shown: np.ndarray, prefix: str) -> list[_Item]:
    """The lines below a node: its children in order, neighbours that are hidden as one line."""
    groups = grouped(record.children, shown)
    final = len(groups) - 1
    return [
        _Item(nodes, is_shown, prefix, place == final)
        for place, (nodes, is_shown) in enumerate(groups)
    ]


class _Writer:
    """Words for lines."""

    def __init__(
        self,
        view: TreeView,
        marks: Marks,
        numbers: bool,
        leaf_words: LeafWords | None,
        hidden: Hidden,
        digits: Digits,
    ) -> None:
        self._view, self._marks, self._numbers, self._hidden = view, marks, numbers, hidden
        self._leaf_words = leaf_words or (lambda leaf: "linear model")
        self._leaf_number = stats.leaf_number(view.tree)
        self._weighted = bool((view.rows != view.weight).any())
        self.digits, self.has_rounded = digits, False

    def indent(self, item: _Item, depth: int) -> str:
        if depth == 0:
            return ""
        mark = self._marks.last if item.is_last else self._marks.branch
        return item.prefix + mark + (f"[depth {depth}] " if depth > DEEPEST_INDENT else "")

    def deeper(self, item: _Item, depth: int) -> str:
        """The indent of the lines below; beyond the deepest, their depth is written instead."""
        if depth == 0 or depth >= DEEPEST_INDENT:
            return item.prefix
        return item.prefix + (self._marks.blank if item.is_last else self._marks.bar)

    def node(self, record: NodeView) -> str:
        self.has_rounded = self.has_rounded or self._is_rounded(record)
        answer = f" {self._marks.arrow} {self._answer(record)}" if record.is_leaf else ""
        number = f"#{record.number} " if self._numbers else ""
        stops = f", {record.stops} values stop here" if record.stops else ""
        return f"{number}{record.edge or 'all rows'}{answer} ({self._facts(record)}){stops}"

    def hidden(self, nodes: tuple[int, ...]) -> str:
        ends = self._view.tree.subtree_end
        count = sum(int(ends[node]) - node for node in nodes)
        if self._hidden.rows[list(nodes)].any():
            return f"{self._marks.dots} {counted(count, 'node')} hidden"
        rows = sum(int(self._view.rows[node]) for node in nodes)
        return f"{self._marks.dots} {counted(count, 'node')}, {counted(rows, 'row')} hidden"

    def _answer(self, record: NodeView) -> str:
        if self._view.tree.linear is not None:
            return self._leaf_words(int(self._leaf_number[record.number]))
        return words.value(record.answer) if record.shares else self._mean(record)

    def _facts(self, record: NodeView) -> str:
        if self._hidden.rows[record.number]:
            return HIDDEN_ROWS
        size = counted(record.rows, "row")
        if self._weighted:
            size += f", weight {record.weight:.6g}"
        if self._hidden.shares[record.number]:
            return size
        if record.shares:
            return f"{size}: {words.shares(record.shares, MOST_SHARES)}"
        return f"{size}: {self._moments(record)}"

    def _moments(self, record: NodeView) -> str:
        deviation = f"deviation {record.deviation:.4g}"
        told = record.is_leaf and self._view.tree.linear is None
        return deviation if told else f"mean {self._mean(record)}, {deviation}"

    def _mean(self, record: NodeView) -> str:
        return words.prediction(record.mean or 0.0, self.digits)

    def _is_rounded(self, record: NodeView) -> bool:
        """Whether the line of a node shows a condition or a prediction that is rounded."""
        if self.digits is None:
            return False
        return self._rounds_edge(record) or (record.is_leaf and self._rounds_answer(record))

    def _rounds_edge(self, record: NodeView) -> bool:
        tree = self._view.tree
        kind = LEAF if record.parent is None else int(tree.split_kind[record.parent])
        if kind != THRESHOLD:
            return kind in (OBLIQUE, DISTANCE) and isinstance(self.digits, int)
        assert record.parent is not None
        split = split_of(tree, record.parent)
        assert isinstance(split, Threshold)
        column, limit = tree.schema.columns[split.column], split.threshold
        shown, exact = (words.quantity(column, limit, digits) for digits in (self.digits, None))
        return column.levels is None and shown != exact

    def _rounds_answer(self, record: NodeView) -> bool:
        if self._view.tree.linear is not None:
            return isinstance(self.digits, int)
        return not record.shares and self._mean(record) != words.number(record.mean or 0.0)
