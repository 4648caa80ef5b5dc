"""Many trees in little memory: an immutable sequence that makes a tree when it is asked for.

Pickle and copy carry the bytes of `model_file.packed`, and what is read is checked as strictly as a
model file.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, Self, TypeVar, overload

import numpy as np

from silva.data.schema import Schema
from silva.data.table import Task
from silva.ensemble import packing
from silva.errors import PlanError
from silva.tree.edits import Edit
from silva.tree.linear import Smoothing
from silva.tree.tree import Costs, Tree, from_arrays, trusted


class Facts(NamedTuple):
    """What a tree is besides its arrays and numbers; trees of a forest share most of it."""

    schema: Schema
    task: Task
    classes: np.ndarray | None
    criterion: str
    smoothing: Smoothing | None = None
    edits: tuple[Edit, ...] = ()
    costs: Costs | None = None


class Packed(NamedTuple):
    """One tree in few bytes (see `packing`)."""

    facts: Facts
    data: bytes


T = TypeVar("T", bound="PackedTrees")


class PackedTrees(Sequence[Tree]):
    """Trees of one schema, task, criterion and list of classes; each is as it was, bit for bit."""

    def __init__(self, facts: tuple[Facts, ...], data: tuple[bytes, ...]) -> None:
        self._facts = facts
        self._data = data
        self.compiled: Any = None  # what `ensemble.engine` made of the trees

    @classmethod
    def of(cls, trees: Iterable[Tree]) -> Self:
        """These trees, of which there must be one at least."""
        packed = cls((), ()).extended(trees)
        if not len(packed):
            raise PlanError("a forest needs at least one tree.")
        return packed

    def extended(self, trees: Iterable[Tree]) -> Self:
        """These trees and more of their kind."""
        more = self.packer()
        for number, tree in enumerate(trees):
            more.put(number, tree)
        return more.packed()

    def packer(self) -> "Packer[Self]":
        """To add trees one at a time."""
        return Packer(self)

    def with_packed(self, facts: Iterable[Facts], data: Iterable[bytes]) -> Self:
        """These trees and more that are packed already."""
        return type(self)((*self._facts, *facts), (*self._data, *data))

    @property
    def schema(self) -> Schema:
        return self._facts[0].schema

    @property
    def task(self) -> Task:
        return self._facts[0].task

    @property
    def classes(self) -> np.ndarray | None:
        return self._facts[0].classes

    @property
    def criterion(self) -> str:
        return self._facts[0].criterion

    @property
    def nbytes(self) -> int:
        """The bytes of all packed trees."""
        return sum(map(len, self._data))

    def facts(self, number: int) -> Facts:
        """What tree `number` is besides its arrays."""
        return self._facts[number]

    @property
    def data(self) -> tuple[bytes, ...]:
        """The packed bytes of each tree (see `packing`)."""
        return self._data

    def leaf_rows(self, number: int) -> np.ndarray:
        """How many training rows ended in each leaf of tree `number`; the tree is not made."""
        return packing.arrays_of(self._data[number], ["leaf_rows"])["leaf_rows"]

    def __len__(self) -> int:
        return len(self._data)

    @overload
    def __getitem__(self, index: int) -> Tree: ...

    @overload
    def __getitem__(self, index: slice) -> "PackedTrees": ...

    def __getitem__(self, index: int | slice) -> "Tree | PackedTrees":
        """A tree, made anew each time; or a part of the trees, packed."""
        if isinstance(index, slice):
            return type(self)(self._facts[index], self._data[index])
        return tree_of(self._facts[index], self._data[index])

    def __iter__(self) -> Iterator[Tree]:
        return map(tree_of, self._facts, self._data)

    def __repr__(self) -> str:
        return f"PackedTrees({len(self)} trees, {self.nbytes:,} bytes)"

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[[bytes], "PackedTrees"], tuple[bytes]]:
        from silva.model_file.packed import dumps

        return loads, (dumps(self),)


def loads(data: bytes) -> PackedTrees:
    """The trees in the bytes of a pickle. Pickles hold this name, so it stays in this module."""
    from silva.model_file import packed

    return packed.loads(data)


def tree_of(facts: Facts, data: bytes) -> Tree:
    """The tree of these facts and packed bytes."""
    arrays = packing.unpack(data, facts.task)
    shared = (facts.schema, facts.task, facts.classes, facts.criterion)
    tree = from_arrays(*shared, arrays, facts.smoothing, facts.edits, facts.costs)
    return trusted(tree)


class Packer(Generic[T]):
    """Adds trees to packed ones, each when it comes."""

    def __init__(self, before: T) -> None:
        self._before = before
        self._more: dict[int, Packed] = {}

    def put(self, number: int, tree: Tree | Packed) -> None:
        """One more tree; numbers count from 0, and the last one can be put again."""
        one = tree if isinstance(tree, Packed) else _pack(tree)
        first = last = None
        if len(self._before):
            first, last = self._before.facts(0), self._before.facts(-1)
        if number:
            first, last = first or self._more[0].facts, self._more[number - 1].facts
        self._more[number] = one._replace(facts=_as_before(one.facts, first, last))

    def packed(self) -> T:
        """All trees so far."""
        facts, data = zip(*self._more.values(), strict=True) if self._more else ((), ())
        return self._before.with_packed(facts, data)


def _pack(tree: Tree) -> Packed:
    own = (tree.smoothing, tree.edits, tree.costs)
    facts = Facts(tree.schema, tree.task, tree.classes, tree.criterion, *own)
    return Packed(facts, packing.pack(tree))


def _as_before(facts: Facts, first: Facts | None, last: Facts | None) -> Facts:
    """The facts of one more tree: the values of the first, or those of the tree before it."""
    if first is None or last is None:
        return facts
    for name in ("schema", "task", "criterion"):
        if getattr(facts, name) != getattr(first, name):
            raise PlanError(f"the trees of a forest share one {name}; this one has another.")
    if not same_classes(facts.classes, first.classes):
        raise PlanError("the trees of a forest share their classes; this one has others.")
    shared = Facts(*first[:4], *facts[4:])
    return last if shared[4:] == last[4:] else shared


def same_classes(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    """Whether two lists of classes are equal, types included."""
    if a is None or b is None:
        return a is b
    return a is b or (a.dtype == b.dtype and a.tolist() == b.tolist())
