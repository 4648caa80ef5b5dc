"""The container of a model file: safetensors, written and read by strict code of our own.

Eight bytes hold the length of a header (little-endian), the header is JSON that names each array
with its type, shape and byte range, then come the raw little-endian arrays without gaps. The header
also holds `__metadata__`, a map of strings to strings. Nothing in a file is ever executed.
"""

import hashlib
import json
import re
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy as np

from silva.errors import ModelFormatError

TYPE_NAMES = {"int8": "I8", "int32": "I32", "int64": "I64", "float64": "F64"}
METADATA = "__metadata__"
LARGEST_HEADER = 100_000_000
MOST_KEYS = 64
ALIGNMENT = 8
BEGINNINGS = {
    b"\x80": "a pickle",
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    b"PAR1": "a Parquet file",
    b"\x1f\x8b": "a gzip archive",
    b"\x93NUMPY": "a NumPy array",
    b"ARROW1": "an Arrow file",
    b"{": "JSON",
    b"<": "XML or HTML",
}


class ArrayType(NamedTuple):
    """The type an array must have, and the lengths of its dimensions after the first."""

    dtype: str
    trailing: tuple[int, ...] = ()


class _Entry(NamedTuple):
    name: str
    shape: tuple[int, ...]
    begin: int
    end: int


def pack(arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> bytes:
    """The bytes of a file; `sha256` of the arrays' bytes is added to the metadata.

    Arrays are ordered by item size, largest first, then as given: so each is aligned, and equal
    content gives equal bytes.
    """
    ordered = sorted(arrays.items(), key=lambda item: -item[1].itemsize)
    blocks = [array.astype(array.dtype.newbyteorder("<"), copy=False) for _, array in ordered]
    data = b"".join(block.tobytes() for block in blocks)
    header: dict[str, Any] = {METADATA: {**metadata, "sha256": digest(data)}}
    begin = 0
    for name, array in ordered:
        end = begin + array.nbytes
        kind = TYPE_NAMES[array.dtype.name]
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [begin, end]}
        begin = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    if len(text) > LARGEST_HEADER:
        raise ModelFormatError(
            f"the names, levels and classes of this model take {len(text)} bytes, but a header has"
            f" at most {LARGEST_HEADER}; are identifiers used as a categorical column? Drop it, or"
            f" drop columns."
        )
    return len(text).to_bytes(8, "little") + text + data


def read_header(data: bytes) -> tuple[dict[str, Any], memoryview]:
    """The header of a file and its data section; checks sizes, encoding and JSON."""
    if len(data) < 16:
        size = f"has {len(data)} bytes, too few for a model" if data else "is empty"
        raise ModelFormatError(f"is not a silva model file: it {size}. {_what_to_do(data)}")
    length = int.from_bytes(data[:8], "little")
    if length > min(LARGEST_HEADER, len(data) - 8) or length % ALIGNMENT:
        raise ModelFormatError(
            f"is not a silva model file, or a damaged one: it begins with {_looks_like(data)}."
            f" {_what_to_do(data)}"
        )
    header = parse_json("header", bytes(data[8 : 8 + length]))
    if not isinstance(header, dict) or len(header) > MOST_KEYS:
        raise ModelFormatError(f"header: must be an object of at most {MOST_KEYS} entries")
    return header, memoryview(data)[8 + length :]


def _looks_like(data: bytes) -> str:
    """What a file seems to be, by its first bytes."""
    for begin, name in BEGINNINGS.items():
        if data.startswith(begin):
            return f"{bytes(data[:8])!r}, as {name} does"
    first = bytes(data[:80]).split(b"\n")[0].strip()
    if first.isascii() and first.decode().isprintable():
        return f"the text {first.decode()[:40]!r}"
    return f"the bytes {bytes(data[:8])!r}"


def _what_to_do(data: bytes) -> str:
    if data.startswith(b"\x80"):
        return "pickle.load or joblib.load read it; silva.save(model, path) writes model files."
    return "Give a file that silva.save(model, path) has written; fit takes tables, load does not."


def read_metadata(header: dict[str, Any]) -> dict[str, str]:
    """Take `__metadata__` out of the header."""
    metadata = header.pop(METADATA, None)
    if not isinstance(metadata, dict):
        raise ModelFormatError(f"header: {METADATA} is missing; not a silva model file")
    for key, text in metadata.items():
        if not isinstance(text, str):
            raise ModelFormatError(f"{METADATA}.{key}: must be a string")
    return metadata


def read_version(metadata: Mapping[str, str], major: int) -> int:
    """The minor version; another major version is refused with the silva that wrote the file.

    A newer minor version may only add what can be ignored.
    """
    found = re.fullmatch(r"([0-9]{1,9})\.([0-9]{1,9})", metadata.get("format_version", ""))
    if found is None:
        raise ModelFormatError(f"{METADATA}.format_version: must be like 1.0")
    if int(found[1]) != major:
        raise ModelFormatError(
            f"{METADATA}.format_version: the file has version {found[0]}, this silva reads"
            f" {major}.x; use the silva that wrote it ({metadata.get('library_version')!s:.80})"
        )
    return int(found[2])


def read_arrays(
    header: Mapping[str, Any], data: memoryview, types: Mapping[str, ArrayType]
) -> dict[str, np.ndarray]:
    """The arrays, as read-only views of the data; exactly those of `types` must be there."""
    for name in (*header, *types):
        if name not in types:
            raise ModelFormatError(f"{name[:80]}: is not an array of this kind of model")
        if name not in header:
            raise ModelFormatError(f"{name}: is missing")
    entries = [_entry(name, header[name], types[name]) for name in header]
    _check_ranges(entries, len(data))
    return {entry.name: _view(entry, data, types[entry.name]) for entry in entries}


def check_digest(metadata: Mapping[str, str], data: memoryview) -> None:
    """The data section is what was written. Guards against accidents, not against attackers."""
    if metadata.get("sha256") != digest(data):
        raise ModelFormatError(f"{METADATA}.sha256: the arrays were damaged (checksum differs)")


def digest(data: bytes | memoryview) -> str:
    """The sha256 of these bytes as text."""
    return hashlib.sha256(data).hexdigest()


def parse_json(where: str, text: bytes | str) -> Any:
    """JSON without repeated keys and without NaN or infinity."""
    try:
        decoded = text.decode("utf-8") if isinstance(text, bytes) else text
        return json.loads(decoded, object_pairs_hook=_unique, parse_constant=_refuse)
    except RecursionError:
        raise ModelFormatError(f"{where}: JSON is nested too deeply") from None
    except ValueError as error:
        raise ModelFormatError(f"{where}: {error}") from None


def json_object(
    where: str, found: Any, keys: Collection[str] | None = None, allow_more: bool = False
) -> dict[str, Any]:
    """A JSON value that must be an object; with `keys`, of exactly these.

    `allow_more`: further keys are dropped instead of refused.
    """
    if not isinstance(found, dict):
        raise ModelFormatError(f"{where}: must be an object")
    known: dict[str, Any] = found
    if keys is not None and allow_more:
        known = {key: value for key, value in found.items() if key in keys}
    if keys is not None and set(known) != set(keys):
        raise ModelFormatError(f"{where}: must be an object of {', '.join(keys)}")
    return known


def json_list(where: str, found: Any) -> list[Any]:
    """A JSON value that must be a list."""
    if not isinstance(found, list):
        raise ModelFormatError(f"{where}: must be a list")
    return found


def json_text(where: str, found: Any) -> str:
    """A JSON value that must be a string."""
    if not isinstance(found, str):
        raise ModelFormatError(f"{where}: must be a string")
    return found


def is_count(value: Any) -> bool:
    """Whether a JSON value is an integer of at least 0 that fits 63 bits."""
    return type(value) is int and 0 <= value < 2**63


def _entry(name: str, found: Any, wanted: ArrayType) -> _Entry:
    if not isinstance(found, dict) or set(found) != {"dtype", "shape", "data_offsets"}:
        raise ModelFormatError(f"{name}: must have dtype, shape and data_offsets")
    if found["dtype"] != TYPE_NAMES[wanted.dtype]:
        raise ModelFormatError(f"{name}: dtype must be {TYPE_NAMES[wanted.dtype]}")
    shape, offsets = found["shape"], found["data_offsets"]
    for label, numbers, length in (
        ("shape", shape, 1 + len(wanted.trailing)),
        ("data_offsets", offsets, 2),
    ):
        if not (isinstance(numbers, list) and len(numbers) == length):
            raise ModelFormatError(f"{name}: {label} must have {length} numbers")
        if not all(map(is_count, numbers)):
            raise ModelFormatError(f"{name}: {label} must hold whole numbers of at least 0")
    if tuple(shape[1:]) != wanted.trailing:
        raise ModelFormatError(f"{name}: has the impossible shape {shape}")
    return _Entry(name, tuple(shape), *offsets)


def _check_ranges(entries: list[_Entry], total: int) -> None:
    """The byte ranges follow each other from the first byte to the last."""
    position = 0
    for entry in sorted(entries, key=lambda entry: (entry.begin, entry.end)):
        if entry.begin != position or entry.end < entry.begin:
            raise ModelFormatError(f"{entry.name}: its bytes must begin at {position}")
        position = entry.end
    if position != total:
        raise ModelFormatError(f"the arrays take {position} bytes, but the file holds {total}")


def _view(entry: _Entry, data: memoryview, wanted: ArrayType) -> np.ndarray:
    dtype = np.dtype(wanted.dtype)
    count = entry.shape[0] * int(np.prod(wanted.trailing, dtype=np.int64))
    if count * dtype.itemsize != entry.end - entry.begin:
        raise ModelFormatError(f"{entry.name}: shape and data_offsets contradict each other")
    if entry.begin % dtype.itemsize:
        raise ModelFormatError(f"{entry.name}: its bytes are not aligned")
    if count == 0:
        return np.empty(entry.shape, dtype)
    raw = np.frombuffer(data[entry.begin : entry.end], dtype.newbyteorder("<"))
    return np.require(raw.astype(dtype, copy=False), requirements="A").reshape(entry.shape)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key occurs twice in an object")
    return result


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
