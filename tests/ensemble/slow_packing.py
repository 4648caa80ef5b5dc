"""The bytes of packed arrays by definition, one array after the other, in plain Python."""

from collections.abc import Mapping

import numpy as np

from silva.ensemble.packing import NAMES

CONSTANT, BITS, BYTES, SHORTS, WORDS, WHOLE = range(6)
WIDTHS = {BYTES: 1, SHORTS: 2, WORDS: 4}


def slow_pack(arrays: Mapping[str, np.ndarray]) -> bytes:
    """A count, the entries (name, encoding, base, length, entries apart), then the blocks."""
    entries, blocks = [], []
    for name, array in arrays.items():
        if len(array):
            how, base, n_apart, block = slow_encode(array)
            entries.append(_number(NAMES.index(name), 4) + _number(how, 4))
            entries[-1] += b"".join(_number(one) for one in (base, len(array), n_apart))
            blocks.append(_padded(block))
    return b"".join([_number(len(entries)), *entries, *blocks])


def slow_encode(array: np.ndarray) -> tuple[int, int, int, bytes]:
    """Encoding, base, entries apart and bytes of one array."""
    if array.dtype == np.float64:
        bits = array.view(np.int64).tolist()
        if len(set(bits)) == 1:
            return CONSTANT, bits[0], 0, b""
        return WHOLE, 0, 0, b"".join(map(_number, bits))
    values = array.tolist()
    low = min(values)
    above = [value - low for value in values]
    if max(above) == 0:
        return CONSTANT, low, 0, b""
    if max(above) == 1:
        return BITS, low, 0, np.packbits(above).tobytes()
    return _narrowest(above, low)


def _narrowest(above: list[int], low: int) -> tuple[int, int, int, bytes]:
    """The first of the widths that take the fewest bytes; 64 bits where none takes fewer."""
    best = (WHOLE, low, 0, b"".join(map(_number, above)))
    fewest = 8 * len(above)
    for how, width in WIDTHS.items():
        limit = 256**width - 1
        apart = [one for one in above if one >= limit]
        size = width * len(above) + (8 * len(apart) + 7 if apart else 0)
        if size < fewest or (size == fewest and not apart):
            body = b"".join(_number(min(one, limit), width) for one in above)
            rest = _padded(body) + b"".join(map(_number, apart)) if apart else body
            best, fewest = (how, low, len(apart), rest), size
        if not apart:
            break
    return best


def _number(value: int, width: int = 8) -> bytes:
    return (value % 256**width).to_bytes(width, "little")


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 8)
