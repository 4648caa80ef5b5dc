"""The model file, version 1.0: what `save` writes and `load` reads, and what pickles carry.

A safetensors container (see `container`) with the flat arrays of the tree by the names of
`tree.ARRAY_TYPES` (those of linear leaves only where it has them), and as metadata `format`,
`format_version`, `library_version`, `kind`, `meta` (see `meta`), `meta_sha256` and `sha256`, the
checksums of `meta` and of the arrays' bytes.
A tree has one encoding: a loaded model, saved again by the same version, gives the same bytes.

The reader refuses, with a ModelFormatError that names the place, whatever is not a whole and
consistent model: `tree.check` runs on every tree that is read. The checksums guard against
accidents; whoever must guard against forgery signs the file. Suggested file name: `name.silva`.
"""

import os
import stat
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple, TypeVar

from silva import __version__
from silva.errors import ModelFormatError
from silva.files import write_bytes
from silva.model_file import container
from silva.model_file.meta import Meta, decode_extra, encode
from silva.tree.check import check, sound
from silva.tree.linear import LINEAR_TYPES
from silva.tree.tree import ARRAYS, Tree, from_arrays, to_arrays

FORMAT, MAJOR, MINOR, KIND = "silva", 1, 0, "tree"
LARGEST_FILE = 16 * 2**30

Parsed = TypeVar("Parsed")


class Stored(NamedTuple):
    """A tree and the free strings that were saved with it.

    `is_newer`: a later minor version wrote them, so they may hold what is to be ignored.
    """

    tree: Tree
    extra: dict[str, str]
    is_newer: bool = False


def dumps(tree: Tree, extra: Mapping[str, str] | None = None) -> bytes:
    """The bytes of the model file."""
    meta = encode(tree, decode_extra(dict(extra or {})))
    metadata = {
        "format": FORMAT,
        "format_version": f"{MAJOR}.{MINOR}",
        "library_version": __version__,
        "kind": KIND,
        "meta": meta,
        "meta_sha256": container.digest(meta.encode()),
    }
    return container.pack(to_arrays(tree), metadata)


def loads(data: bytes) -> Tree:
    """The tree in the bytes of a model file."""
    return parse(data).tree


def parse(data: bytes) -> Stored:
    """The tree and the free strings in the bytes of a model file.

    Raises ModelFormatError, and nothing else, for any bytes that are not a valid model.
    """
    header, section = container.read_header(bytes(memoryview(data)))
    metadata = container.read_metadata(header)
    minor = _check_format(metadata)
    meta = _read_meta(metadata, allow_more=minor > MINOR)
    arrays = container.read_arrays(header, section, _array_types(meta.task, header))
    container.check_digest(metadata, section)
    facts = (meta.schema, meta.task, meta.classes, meta.criterion)
    tree = from_arrays(*facts, arrays | meta.numbers, meta.smoothing, meta.edits, meta.costs)
    return Stored(check(tree), meta.extra, minor > MINOR)


def save(tree: Tree, path: str | os.PathLike[str], extra: Mapping[str, str] | None = None) -> None:
    """Write a model file. A file of that name is replaced at once, or stays as it was.

    Raises ModelFormatError for a tree that could not be read back.
    """
    write_bytes(path, dumps(sound(tree), extra))


def load(path: str | os.PathLike[str], max_bytes: int = LARGEST_FILE) -> Tree:
    """The tree in a model file."""
    return read(path, max_bytes).tree


def read(path: str | os.PathLike[str], max_bytes: int = LARGEST_FILE) -> Stored:
    """The tree and the free strings in a model file."""
    return read_as(parse, path, max_bytes)


def read_as(
    parser: Callable[[bytes], Parsed], path: str | os.PathLike[str], max_bytes: int = LARGEST_FILE
) -> Parsed:
    """What the parser makes of a file; its ModelFormatErrors name the file."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise ModelFormatError(f"{os.fspath(path)}: is not a regular file")
    with open(path, "rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        if size > max_bytes:
            raise ModelFormatError(
                f"{os.fspath(path)}: has {size} bytes, more than max_bytes={max_bytes}"
            )
        data = stream.read(size)
    try:
        return parser(data)
    except ModelFormatError as error:
        raise ModelFormatError(f"{os.fspath(path)}: {error}") from None


def _check_format(metadata: Mapping[str, str]) -> int:
    """The minor version; a newer one may only add what can be ignored."""
    if metadata.get("format") != FORMAT:
        raise ModelFormatError("__metadata__.format: is not silva; this is another kind of file")
    minor = container.read_version(metadata, MAJOR)
    if metadata.get("kind") != KIND:
        raise ModelFormatError(f"__metadata__.kind: must be {KIND}")
    return minor


def _read_meta(metadata: Mapping[str, str], allow_more: bool) -> Meta:
    text = metadata.get("meta", "")
    if metadata.get("meta_sha256") != container.digest(text.encode("utf-8", "surrogatepass")):
        raise ModelFormatError("__metadata__.meta_sha256: meta was damaged (checksum differs)")
    return Meta(text, allow_more)


def _array_types(task: str, found: Collection[str]) -> dict[str, container.ArrayType]:
    """The arrays that a file must have: all of a tree of its task, all of linear leaves or none."""
    other = "moment_" if task == "classification" else "class_"
    types = {
        name: container.ArrayType(how.dtype, how.trailing)
        for name, how in ARRAYS.items()
        if not name.startswith(other)
    }
    if any(name in found for name in LINEAR_TYPES):
        types |= {name: container.ArrayType(dtype) for name, dtype in LINEAR_TYPES.items()}
    return types
