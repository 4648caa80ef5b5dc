"""One named walk over a tree: the only input of whatever shows, explains or exports it."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from silva.messages import counted
from silva.tree import decision, stats, words
from silva.tree.check import sound
from silva.tree.lazy import lazy
from silva.tree.numerals import Digits
from silva.tree.splits import Split, split_of
from silva.tree.tree import Tree

CHUNK_CELLS = 1_000_000


@dataclass(frozen=True, slots=True)
class NodeView:
    """One node with its names resolved.

    `edge` is the condition that leads here from the parent ("" for the root), `edges` those of its
    own children. `stops` says which values end at this node: "missing", "unseen", "missing or
    unseen" or "". `answer` is what the node itself predicts: a class (see `decision`), or the mean;
    a leaf with a linear model answers with that instead. `shares` lists the
    classes that occur, largest first; `mean` and `deviation` are there for regression.
    """

    number: int
    depth: int
    parent: int | None
    edge: str
    split: Split | None
    children: tuple[int, ...]
    edges: tuple[str, ...]
    stops: str
    rows: int
    weight: float
    gain: float
    answer: Any
    shares: tuple[tuple[Any, float], ...] = ()
    mean: float | None = None
    deviation: float | None = None

    @property
    def is_leaf(self) -> bool:
        return self.split is None


class TreeView:
    """The nodes of a tree as records, in pre-order. Facts are made when they are asked for."""

    def __init__(self, tree: Tree) -> None:
        self.tree = sound(tree)

    def __len__(self) -> int:
        return self.tree.n_nodes

    def __getitem__(self, number: int) -> NodeView:
        return next(self.nodes(np.array([range(len(self))[number]])))

    def __iter__(self) -> Iterator[NodeView]:
        return self.nodes(np.arange(len(self)))

    def __str__(self) -> str:
        return str(self.tree)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return self.tree._repr_mimebundle_()

    def nodes(
        self, numbers: np.ndarray, max_listed: int | None = None, digits: Digits = None
    ) -> Iterator[NodeView]:
        """The records of the given nodes, in the given order.

        Edges state the exact rule, unless `max_listed` limits the levels or terms that they list,
        or `digits` the numbers.
        """
        n_classes = 1 if self.tree.classes is None else len(self.tree.classes)
        length = max(1, CHUNK_CELLS // n_classes)
        edges = _Memo(lambda number: self.edges(number, max_listed, digits))
        for begin in range(0, len(numbers), length):
            chunk = numbers[begin : begin + length]
            for number, answer in zip(chunk.tolist(), self._answers(chunk), strict=True):
                yield self._record(number, edges, answer)

    @lazy
    def depth(self) -> np.ndarray:
        return stats.depth(self.tree)

    @lazy
    def parent(self) -> np.ndarray:
        return stats.parent(self.tree)

    @lazy
    def rows(self) -> np.ndarray:
        return stats.node_rows(self.tree)

    @lazy
    def weight(self) -> np.ndarray:
        return stats.node_weight(self.tree)

    def children(self, number: int) -> tuple[int, ...]:
        starts, child = self._child_lists
        return tuple(child[starts[number] : starts[number + 1]])

    def edges(
        self, number: int, max_listed: int | None = None, digits: Digits = None
    ) -> tuple[str, ...]:
        """The condition of each child in words (see `words.edges`); none for a leaf."""
        split = split_of(self.tree, number)
        if split is None:
            return ()
        children = self.children(number)
        heavier = max(range(len(children)), key=lambda no: self.weight[children[no]])
        return words.edges(split, self.tree.schema.columns, heavier, max_listed, digits)

    @lazy
    def _child_lists(self) -> tuple[list[int], list[int]]:
        return self.tree.child_start.tolist(), self.tree.child.tolist()

    @lazy
    def _child_number(self) -> np.ndarray:
        """Which child of its parent each node is; 0 for the root."""
        tree, number = self.tree, np.zeros(len(self), dtype=np.int64)
        n_children = np.diff(tree.child_start)
        number[tree.child] = np.arange(len(tree.child)) - np.repeat(
            tree.child_start[:-1], n_children
        )
        return number

    def _record(
        self, number: int, edges: Mapping[int, tuple[str, ...]], answer: dict[str, Any]
    ) -> NodeView:
        parent, split = int(self.parent[number]), split_of(self.tree, number)
        return NodeView(
            number=number,
            depth=int(self.depth[number]),
            parent=None if number == 0 else parent,
            edge="" if number == 0 else edges[parent][self._child_number[number]],
            split=split,
            children=self.children(number),
            edges=edges[number],
            stops="" if split is None else words.stops(split, self.tree.schema.columns),
            rows=int(self.rows[number]),
            weight=float(self.weight[number]),
            gain=float(self.tree.gain[number]),
            **answer,
        )

    def _answers(self, numbers: np.ndarray) -> Iterator[dict[str, Any]]:
        if self.tree.classes is None:
            means = stats.node_mean(self.tree, numbers).tolist()
            deviations = stats.node_deviation(self.tree, numbers).tolist()
            for mean, deviation in zip(means, deviations, strict=True):
                yield {"answer": mean, "mean": mean, "deviation": deviation}
        else:
            labels = self.tree.classes.tolist()
            units = stats.node_class_units(self.tree, numbers)
            answers = decision.codes_of(self.tree, units).tolist()
            for weights, answer in zip(units, answers, strict=True):
                yield {"answer": labels[answer], "shares": _shares(weights, labels)}


class _Memo(dict[int, tuple[str, ...]]):
    """Edges of nodes, worded once each."""

    def __init__(self, edges: Callable[[int], tuple[str, ...]]) -> None:
        self._edges = edges

    def __missing__(self, number: int) -> tuple[str, ...]:
        told = self[number] = self._edges(number)
        return told


def _shares(units: np.ndarray, labels: list[Any]) -> tuple[tuple[Any, float], ...]:
    """The classes that occur with their shares, largest first; of equals, the first class."""
    codes = np.flatnonzero(units)
    codes = codes[np.argsort(-units[codes], kind="stable")]
    weights = units[codes].tolist()
    total = sum(weights)
    pairs = zip(codes.tolist(), weights, strict=True)
    return tuple((labels[code], weight / total) for code, weight in pairs)


def title(view: TreeView) -> str:
    """Task, criterion and size of a tree, on one line."""
    tree = view.tree
    sizes = f"{counted(tree.n_nodes, 'node')}, {counted(tree.n_leaves, 'leaf', 'leaves')}"
    return f"{tree.task} tree ({tree.criterion}): {sizes}, depth {int(view.depth.max())}"


def mean_digits(root: NodeView) -> int:
    """Significant digits that tell means apart when they differ by a thousandth of the spread."""
    if not root.mean or not root.deviation:
        return 6
    return min(17, max(6, 5 + math.floor(math.log10(abs(root.mean)) - math.log10(root.deviation))))
