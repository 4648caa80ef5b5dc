"""Many trees in little memory: an immutable sequence that makes a tree when it is asked for.

Pickle and copy carry the packed bytes in the container of the model file. What is read is checked
as strictly as a model file: every tree passes `tree.check`, or a ModelFormatError names the place.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Generic, NamedTuple, Self, TypeVar, overload

import numpy as np

from silva import __version__
from silva.data.schema import Schema
from silva.data.table import Task
from silva.ensemble import packing
from silva.errors import ModelFormatError, PlanError
from silva.tree import container
from silva.tree.check import check
from silva.tree.edits import Edit
from silva.tree.linear import Smoothing
from silva.tree.meta import Meta, decode_extra, encode
from silva.tree.tree import ClassStats, MomentStats, Tree, from_arrays

FORMAT, MAJOR, MINOR = "silva packed trees", 1, 0
_SECTION = {"tree_start": container.ArrayType("int64"), "trees": container.ArrayType("int8")}


class Facts(NamedTuple):
    """What a tree is besides its arrays and numbers; trees of a forest share most of it."""

    schema: Schema
    task: Task
    classes: np.ndarray | None
    criterion: str
    smoothing: Smoothing | None = None
    edits: tuple[Edit, ...] = ()


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

    def data(self, number: int) -> bytes:
        """The packed bytes of tree `number` (see `packing`)."""
        return self._data[number]

    def leaf_rows(self, number: int) -> np.ndarray:
        """How many training rows ended in each leaf of tree `number`; the tree is not made."""
        data = self._data[number]
        return packing.array_of(data, packing.entries_of(data), "leaf_rows")

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
        return _tree(self._facts[index], self._data[index])

    def __iter__(self) -> Iterator[Tree]:
        return map(_tree, self._facts, self._data)

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
        return loads, (dumps(self),)


class Stored(NamedTuple):
    """Trees and the free strings that were saved with them.

    `is_newer`: a later minor version wrote them, so they may hold what is to be ignored.
    """

    trees: PackedTrees
    extra: dict[str, str]
    is_newer: bool = False


def dumps(packed: PackedTrees, extra: Mapping[str, str] | None = None) -> bytes:
    """The bytes that a pickle or a model file carries."""
    texts: dict[str, int] = {}
    which = [texts.setdefault(_meta_text(packed, i), len(texts)) for i in _firsts(packed)]
    numbers = _facts_numbers(packed)
    meta = {
        "arrays": packing.NAMES,
        "facts": list(texts),
        "facts_of_tree": [which[number] for number in numbers],
        "extra": decode_extra(dict(extra or {})),
    }
    text = json.dumps(meta, separators=(",", ":"))
    metadata = {
        "format": FORMAT,
        "format_version": f"{MAJOR}.{MINOR}",
        "library_version": __version__,
        "meta": text,
        "meta_sha256": container.digest(text.encode()),
    }
    starts = np.cumsum([0, *map(len, packed._data)], dtype=np.int64)
    section = np.frombuffer(b"".join(packed._data), np.int8)
    return container.pack({"tree_start": starts, "trees": section}, metadata)


def are_packed(data: bytes) -> bool:
    """Whether the bytes say that they are packed trees; a ModelFormatError if they say nothing."""
    header, _ = container.read_header(data)
    return container.read_metadata(header).get("format") == FORMAT


def loads(data: bytes) -> PackedTrees:
    """The trees in the bytes of a pickle."""
    return parse(data).trees


def parse(data: bytes) -> Stored:
    """The trees and the free strings in bytes of `dumps`, each tree checked.

    Raises ModelFormatError, and nothing else, for any bytes that are not packed trees.
    """
    header, section = container.read_header(bytes(memoryview(data)))
    metadata = container.read_metadata(header)
    is_newer = _minor_version(metadata) > MINOR
    meta = _read_meta(metadata, is_newer)
    facts = _read_facts(meta, is_newer)
    arrays = container.read_arrays(header, section, _SECTION)
    container.check_digest(metadata, section)
    parts = _parts(arrays["tree_start"], arrays["trees"])
    if not len(parts) == len(facts) > 0:
        raise ModelFormatError(f"tree_start: cuts {len(parts)} trees, but meta has {len(facts)}")
    for number, (one, part) in enumerate(zip(facts, parts, strict=True)):
        try:
            check(_tree(one, part))
        except ModelFormatError as error:
            raise ModelFormatError(f"tree {number}: {error}") from None
    trees = PackedTrees(tuple(facts), tuple(parts))
    return Stored(trees, decode_extra(meta["extra"]), is_newer)


def _tree(facts: Facts, data: bytes) -> Tree:
    arrays = packing.unpack(data, facts.task)
    shared = (facts.schema, facts.task, facts.classes, facts.criterion)
    return from_arrays(*shared, arrays, facts.smoothing, facts.edits)


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
    facts = Facts(tree.schema, tree.task, tree.classes, tree.criterion, tree.smoothing, tree.edits)
    return Packed(facts, packing.pack(tree))


def _as_before(facts: Facts, first: Facts | None, last: Facts | None) -> Facts:
    """The facts of one more tree: the values of the first, or those of the tree before it."""
    if first is None or last is None:
        return facts
    for name in ("schema", "task", "criterion"):
        if getattr(facts, name) != getattr(first, name):
            raise PlanError(f"the trees of a forest share one {name}; this one has another.")
    if not _same_classes(facts.classes, first.classes):
        raise PlanError("the trees of a forest share their classes; this one has others.")
    shared = first._replace(smoothing=facts.smoothing, edits=facts.edits)
    return last if shared[4:] == last[4:] else shared


def _same_classes(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    if a is None or b is None:
        return a is b
    return a is b or (a.dtype == b.dtype and a.tolist() == b.tolist())


def _firsts(packed: PackedTrees) -> list[int]:
    """The first tree with each of the facts."""
    firsts: dict[int, int] = {}
    for number, facts in enumerate(packed._facts):
        firsts.setdefault(id(facts), number)
    return list(firsts.values())


def _facts_numbers(packed: PackedTrees) -> list[int]:
    numbers: dict[int, int] = {}
    return [numbers.setdefault(id(facts), len(numbers)) for facts in packed._facts]


def _meta_text(packed: PackedTrees, number: int) -> str:
    """The facts of a tree as the model file writes them; its numbers are with its arrays."""
    tree = packed[number]
    match tree.leaf_stats:
        case MomentStats() as stats:
            plain: MomentStats | ClassStats = replace(stats, center=0.0, target_unit=1.0)
        case ClassStats() as stats:
            plain = stats
    return encode(replace(tree, weight_unit=1.0, leaf_stats=plain), {})


def _minor_version(metadata: dict[str, str]) -> int:
    """That of the file; the first files had none, and wrote 1 for 1.0."""
    if metadata.get("format") != FORMAT:
        raise ModelFormatError("__metadata__.format: these are not packed trees")
    if metadata.get("format_version") == "1":
        return 0
    return container.read_version(metadata, MAJOR)


def _read_meta(metadata: dict[str, str], is_newer: bool) -> dict[str, Any]:
    text = metadata.get("meta", "")
    if metadata.get("meta_sha256") != container.digest(text.encode("utf-8", "surrogatepass")):
        raise ModelFormatError("__metadata__.meta_sha256: meta was damaged (checksum differs)")
    keys = ("arrays", "facts", "facts_of_tree", "extra")
    return container.json_object("meta", container.parse_json("meta", text), keys, is_newer)


def _read_facts(meta: dict[str, Any], is_newer: bool) -> list[Facts]:
    """The facts of each tree; those that are written once are one value."""
    if meta["arrays"] != list(packing.NAMES):
        raise ModelFormatError("meta.arrays: another version of silva wrote these trees")
    texts, numbers = meta["facts"], meta["facts_of_tree"]
    if not (isinstance(texts, list) and all(isinstance(one, str) for one in texts)):
        raise ModelFormatError("meta.facts: must be a list of strings")
    known = _shared([Meta(one, allow_more=is_newer) for one in texts])
    if not (isinstance(numbers, list) and all(map(container.is_count, numbers))):
        raise ModelFormatError("meta.facts_of_tree: must be a list of numbers")
    if not all(number < len(known) for number in numbers):
        raise ModelFormatError("meta.facts_of_tree: names facts that are not there")
    return [known[number] for number in numbers]


def _shared(metas: list[Meta]) -> list[Facts]:
    known: list[Facts] = []
    for meta in metas:
        facts = Facts(
            meta.schema, meta.task, meta.classes, meta.criterion, meta.smoothing, meta.edits
        )
        if known:
            first = known[0]
            same = facts[:2] == first[:2] and facts.criterion == first.criterion
            if not (same and _same_classes(facts.classes, first.classes)):
                raise ModelFormatError("meta.facts: the trees of a forest are of one kind")
            facts = first._replace(smoothing=facts.smoothing, edits=facts.edits)
        known.append(facts)
    return known


def _parts(starts: np.ndarray, section: np.ndarray) -> list[bytes]:
    """The bytes of each tree."""
    rises = len(starts) > 0 and starts[0] == 0 and starts[-1] == len(section)
    if not rises or (np.diff(starts) < 0).any() or (starts % 8).any():
        raise ModelFormatError("tree_start: does not cut the bytes of the trees")
    whole = section.tobytes()
    ends = starts.tolist()
    return [whole[begin:end] for begin, end in pairwise(ends)]
