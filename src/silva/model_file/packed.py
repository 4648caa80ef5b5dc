"""The file of many trees: their packed bytes, one after the other, in one container.

What is read is checked as strictly as the file of one tree: every tree passes `tree.check`, or a
ModelFormatError names the place.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from silva import __version__
from silva.ensemble import packing
from silva.ensemble.packed import Facts, PackedTrees, same_classes, tree_of
from silva.errors import ModelFormatError
from silva.model_file import container
from silva.model_file.meta import Meta, decode_extra, encode
from silva.tree.check import check
from silva.tree.tree import ClassStats, MomentStats

FORMAT, MAJOR, MINOR = "silva packed trees", 1, 0
_SECTION = {"tree_start": container.ArrayType("int64"), "trees": container.ArrayType("int8")}


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
    starts = np.cumsum([0, *map(len, packed.data)], dtype=np.int64)
    section = np.frombuffer(b"".join(packed.data), np.int8)
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
            check(tree_of(one, part))
        except ModelFormatError as error:
            raise ModelFormatError(f"tree {number}: {error}") from None
    trees = PackedTrees(tuple(facts), tuple(parts))
    return Stored(trees, decode_extra(meta["extra"]), is_newer)


def _firsts(packed: PackedTrees) -> list[int]:
    """The first tree with each of the facts."""
    firsts: dict[int, int] = {}
    for number in range(len(packed)):
        firsts.setdefault(id(packed.facts(number)), number)
    return list(firsts.values())


def _facts_numbers(packed: PackedTrees) -> list[int]:
    numbers: dict[int, int] = {}
    facts = map(packed.facts, range(len(packed)))
    return [numbers.setdefault(id(one), len(numbers)) for one in facts]


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
            meta.schema,
            meta.task,
            meta.classes,
            meta.criterion,
            meta.smoothing,
            meta.edits,
            meta.costs,
        )
        if known:
            first = known[0]
            same = facts[:2] == first[:2] and facts.criterion == first.criterion
            if not (same and same_classes(facts.classes, first.classes)):
                raise ModelFormatError("meta.facts: the trees of a forest are of one kind")
            facts = Facts(*first[:4], *facts[4:])
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
