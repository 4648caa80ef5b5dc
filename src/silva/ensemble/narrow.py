"""Arrays in few bytes: integers as narrow as they are, constants as one number.

An integer array is written as differences from its smallest value, in the width that takes the
fewest bytes; those that do not fit are marked by the largest number of that width and follow as
64-bit integers. Floating point numbers keep their 64 bits.
"""

from typing import Any, NamedTuple

import numpy as np

from silva.errors import ModelFormatError

CONSTANT, BITS, BYTES, SHORTS, WORDS, WHOLE = range(6)
_WIDTHS: dict[int, np.dtype[Any]] = {
    BYTES: np.dtype("<u1"),
    SHORTS: np.dtype("<u2"),
    WORDS: np.dtype("<u4"),
}
_WHOLE = np.dtype("<u8")
_SIGN = 1 << 64
LONGEST_CONSTANT = 64
"""How many entries a constant may stand for, for each byte of the tree it belongs to."""


class Narrow(NamedTuple):
    """How an array is written: the encoding, the value of number 0, entries, entries apart."""

    how: int
    base: int
    length: int
    n_apart: int


def decode(narrow: Narrow, data: memoryview, dtype: str, limit: int) -> np.ndarray:
    """The array in the bytes of `checked_size`; a constant of more than `limit` entries is refused.

    Floating point numbers that were kept whole are a view of the data.
    """
    how, base, length, _ = narrow
    if how == CONSTANT and length > limit:
        raise ModelFormatError(f"{length} entries are more than the tree can have")
    if how == WHOLE and dtype == "float64":
        return np.require(np.frombuffer(data, "<f8").astype(np.float64, copy=False), None, "A")
    if how == CONSTANT:
        found = np.full(length, base, dtype=np.int64)
        return found.view(np.float64) if dtype == "float64" else _fitted(found, dtype)
    above = _above(narrow, data)
    above += np.uint64(base % _SIGN)
    return _fitted(above.view(np.int64), dtype)


def checked_size(narrow: Narrow, room: int) -> int:
    """How many bytes the writing takes; refuses what is impossible in `room` bytes."""
    how, _, length, n_apart = narrow
    if how not in (CONSTANT, BITS, WHOLE, *_WIDTHS):
        raise ModelFormatError(f"encoding {how} is not known")
    if not 0 <= n_apart <= length or (n_apart and how not in _WIDTHS):
        raise ModelFormatError(f"{length} entries with {n_apart} apart are impossible")
    size = _size_of(narrow)
    if size > room:
        raise ModelFormatError(f"{length} entries do not fit into {room} bytes")
    return size


def _size_of(narrow: Narrow) -> int:
    how, _, length, n_apart = narrow
    if how == CONSTANT:
        return 0
    if how == BITS:
        return (length + 7) // 8
    if how == WHOLE:
        return length * 8
    body = length * _WIDTHS[how].itemsize
    return body if n_apart == 0 else body + (-body % 8) + 8 * n_apart


def _above(narrow: Narrow, data: memoryview) -> np.ndarray:
    """What each entry is above the base, as uint64 that may be changed."""
    how, _, length, n_apart = narrow
    if how == BITS:
        packed = np.frombuffer(data, np.uint8)
        return np.unpackbits(packed, count=length).astype(np.uint64)
    if how == WHOLE:
        return np.frombuffer(data, _WHOLE).astype(np.uint64)
    width = _WIDTHS[how]
    body = np.frombuffer(data, width, length)
    above = body.astype(np.uint64)
    if n_apart:
        marked = np.flatnonzero(body == _largest(width))
        if len(marked) != n_apart:
            raise ModelFormatError(f"{len(marked)} entries stand apart, not {n_apart}")
        above[marked] = np.frombuffer(data[len(data) - 8 * n_apart :], _WHOLE)
    return above


def _fitted(values: np.ndarray, dtype: str) -> np.ndarray:
    """The values in their own type, which must hold them."""
    if dtype == "int64":
        return values
    kept = values.astype(dtype)
    if (kept != values).any():
        raise ModelFormatError(f"holds a number that does not fit {dtype}")
    return kept


def _largest(width: np.dtype[Any]) -> int:
    return int(256**width.itemsize - 1)
