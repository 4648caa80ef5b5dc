"""What two fitted models have in common and where they differ, as one record."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from silva import notebook
from silva.inspect.importance import mean_importance
from silva.inspect.info import ModelInfo, model_info, plain_parameter
from silva.inspect.record import plain
from silva.inspect.subject import Subject, subject_of
from silva.messages import listed
from silva.model_file import store
from silva.notebook import ShownAsText
from silva.tree import words
from silva.tree.tree import Tree
from silva.tree.view import TreeView

LEAF = "a leaf"
NOT_SET = "not set"


@dataclass(frozen=True, slots=True)
class Difference:
    """One fact about both models."""

    what: str
    a: Any
    b: Any


@dataclass(frozen=True, slots=True)
class SplitDifference:
    """The first node, in pre-order, where two trees ask differently; `path` leads to it."""

    tree: int
    path: tuple[str, ...]
    a: str
    b: str


@dataclass(frozen=True, slots=True)
class Differences(ShownAsText):
    """Where two models differ. See `differences`.

    `facts` are kind, task, size, columns and classes, `parameters` those with other values, each
    only where they differ. `importances` are shares of the gain by column. `split` is None where
    all trees ask the same. `same` says that the trees are the same to the last bit.
    """

    facts: tuple[Difference, ...]
    parameters: tuple[Difference, ...]
    importances: tuple[Difference, ...]
    split: SplitDifference | None
    same: bool

    def to_dict(self) -> dict[str, Any]:
        """The differences as plain values that JSON can hold."""
        found = {name: plain(getattr(self, name)) for name in self.__slots__}
        return found | {"parameters": [_plain_difference(one) for one in self.parameters]}

    def __str__(self) -> str:
        return notebook.printers["differences"](self)


def _plain_difference(one: Difference) -> dict[str, Any]:
    return {"what": one.what, "a": plain_parameter(one.a), "b": plain_parameter(one.b)}


def differences(a: Any, b: Any) -> Differences:
    """Compare two fitted models: what they are and what their trees ask.

    Parameters
    ----------
    a, b : fitted estimator, Tree or Pipeline
        Any models of silva.

    Returns
    -------
    Differences
        `silva.inspect.paired` compares their predictions.
    """
    one, other = subject_of(a), subject_of(b)
    infos = model_info(a), model_info(b)
    same = _same_trees(one, other)
    return Differences(
        _facts(*infos),
        _parameters(*infos),
        _importances(one, other),
        None if same else _first_difference(one, other),
        same,
    )


def _facts(a: ModelInfo, b: ModelInfo) -> tuple[Difference, ...]:
    names = ("kind", "task", "criterion", "trees", "leaves", "depth")
    found = [Difference(name, getattr(a, name), getattr(b, name)) for name in names]
    columns = [[column.name for column in one.columns] for one in (a, b)]
    found.append(_only("columns of one only", *columns))
    found.append(_only("classes of one only", a.classes, b.classes))
    return tuple(one for one in found if one.a != one.b)


def _only(what: str, a: Sequence[Any], b: Sequence[Any]) -> Difference:
    """What one has and the other lacks, in words."""
    lacks = ([one for one in mine if one not in other] for mine, other in ((a, b), (b, a)))
    return Difference(what, *(listed(one) if one else "none" for one in lacks))


def _parameters(a: ModelInfo, b: ModelInfo) -> tuple[Difference, ...]:
    names = dict.fromkeys((*a.parameters, *b.parameters))
    found = [(one, *(info.parameters.get(one, NOT_SET) for info in (a, b))) for one in names]
    return tuple(Difference(*one) for one in found if repr(one[1]) != repr(one[2]))


def _importances(a: Subject, b: Subject) -> tuple[Difference, ...]:
    """The share of each column in the gain; the largest difference first."""
    shares = [
        dict(zip(one.schema.names, mean_importance(one.trees()).tolist(), strict=True))
        for one in (a, b)
    ]
    names = dict.fromkeys((*shares[0], *shares[1]))
    found = [Difference(one, shares[0].get(one), shares[1].get(one)) for one in names]
    return tuple(sorted(found, key=lambda one: -abs((one.a or 0.0) - (one.b or 0.0))))


def _same_trees(a: Subject, b: Subject) -> bool:
    if len(a) != len(b) or not np.array_equal(a.votes, b.votes):
        return False
    return all(_same(*pair) for pair in zip(a.trees(), b.trees(), strict=True))


def _same(a: Tree, b: Tree) -> bool:
    return store.dumps(a) == store.dumps(b)


def _first_difference(a: Subject, b: Subject) -> SplitDifference | None:
    for number, (one, other) in enumerate(zip(a.trees(), b.trees(), strict=False)):
        found = None if _same(one, other) else first_difference(one, other, number)
        if found is not None:
            return found
    return None


def first_difference(a: Tree, b: Tree, number: int = 0) -> SplitDifference | None:
    """The first node in pre-order where two trees ask differently; None where all ask the same."""
    views = TreeView(a), TreeView(b)
    waiting: list[tuple[int, int, tuple[str, ...]]] = [(0, 0, ())]
    while waiting:
        *nodes, path = waiting.pop()
        edges = [view.edges(node) for view, node in zip(views, nodes, strict=True)]
        if edges[0] != edges[1]:
            return SplitDifference(number, path, *(_asked(one) for one in edges))
        children = [view.children(node) for view, node in zip(views, nodes, strict=True)]
        below = list(zip(*children, edges[0], strict=True))
        waiting += [(one, other, (*path, edge)) for one, other, edge in reversed(below)]
    return None


def _asked(edges: Sequence[str]) -> str:
    """The conditions of a node's children; long ones are cut."""
    if not edges:
        return LEAF
    return words.listed(edges, 3, lambda one: one if len(one) <= 80 else f"{one[:77]}...", " | ")
