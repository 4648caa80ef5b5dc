"""How the arrays of a tree are stored: each field of a dataclass says so in its annotation.

The flat names are those of the core and of the model file. Whatever treats all arrays alike
(reading, writing, checking lengths, taking some rows) asks here and lists nothing itself.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, get_type_hints

import numpy as np


class Stored(NamedTuple):
    """The flat name and the type of an array.

    `cut_by` names the field with the offsets that cut it: the part of row i is
    `array[offsets[i]:offsets[i + 1]]`. Other arrays have one entry a row, offsets one more.
    `pairs`: an entry is a 128-bit integer as two numbers, high and low.
    """

    name: str
    dtype: str
    cut_by: str = ""
    pairs: bool = False

    @property
    def trailing(self) -> tuple[int, ...]:
        """The lengths of the dimensions after the first."""
        return (2,) if self.pairs else ()


class _Layout(NamedTuple):
    fields: dict[str, Stored]
    offsets: frozenset[str]


_layouts: dict[type, _Layout] = {}


def stored(table_type: type) -> dict[str, Stored]:
    """The stored fields of a dataclass, in their order."""
    return _layout(table_type).fields


def offsets(table_type: type) -> frozenset[str]:
    """The fields that hold offsets into others."""
    return _layout(table_type).offsets


def array_types(*table_types: type) -> dict[str, Stored]:
    """How the arrays of these dataclasses are stored, by flat name."""
    return {how.name: how for one in table_types for how in stored(one).values()}


def picked(table_type: type, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """The stored fields of a dataclass, out of flat arrays."""
    return {field: arrays[how.name] for field, how in stored(table_type).items()}


def flat(table: Any) -> dict[str, np.ndarray]:
    """The stored arrays of a dataclass by flat name."""
    return {how.name: getattr(table, field) for field, how in stored(type(table)).items()}


def row_values(table: Any, row: int) -> dict[str, Any]:
    """One row of a table as plain Python values: numbers, and tuples where offsets cut."""
    values: dict[str, Any] = {}
    fields, starts = _layout(type(table))
    for field, how in fields.items():
        if how.cut_by:
            start = getattr(table, how.cut_by)
            values[field] = tuple(getattr(table, field)[start[row] : start[row + 1]].tolist())
        elif field not in starts:
            values[field] = getattr(table, field)[row].item()
    return values


def kept_rows(table: Any, kept: np.ndarray) -> dict[str, np.ndarray]:
    """The flat arrays of the rows that are marked in `kept`, one boolean a row."""
    arrays = {}
    for field, how in stored(type(table)).items():
        array = getattr(table, field)
        if field in offsets(type(table)):
            lengths = np.diff(array)[kept]
            arrays[how.name] = np.concatenate(([0], np.cumsum(lengths)))
        elif how.cut_by:
            arrays[how.name] = array[np.repeat(kept, np.diff(getattr(table, how.cut_by)))]
        else:
            arrays[how.name] = array[kept]
    return arrays


def _layout(table_type: type) -> _Layout:
    """What the annotations say, read once for each type."""
    if table_type not in _layouts:
        hints = get_type_hints(table_type, include_extras=True)
        notes = {field: getattr(hint, "__metadata__", ()) for field, hint in hints.items()}
        fields: dict[str, Stored] = {field: found[0] for field, found in notes.items() if found}
        cuts = frozenset(how.cut_by for how in fields.values() if how.cut_by)
        _layouts[table_type] = _Layout(fields, cuts)
    return _layouts[table_type]
