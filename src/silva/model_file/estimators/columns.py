"""The facts about training columns in model files and pickles."""

import math
from dataclasses import fields
from typing import Any

import numpy as np

from silva.data.column_facts import ColumnFacts, packed
from silva.data.schema import Schema, each
from silva.errors import ModelFormatError
from silva.model_file.container import is_count, json_object

NAMES = tuple(field.name for field in fields(ColumnFacts))
NUMBERS = tuple(name for name in NAMES if name != "missing")
SIZE = 8 * len(NAMES)
"""Bytes of the packed facts about one column."""
MOST_COLUMNS = 2**21
"""Facts about more columns would take most of the file; nobody reads them one by one."""


def encode_column_facts(facts: ColumnFacts | None) -> dict[str, list[Any]] | None:
    """A list for each field; null stands for NaN, which JSON has not."""
    if facts is None or len(facts.low) > MOST_COLUMNS:
        return None
    return {name: [_json(one) for one in getattr(facts, name).tolist()] for name in NAMES}


def decode_column_facts(where: str, found: Any, schema: Schema) -> bytes | None:
    """What `encode_column_facts` wrote, validated and packed; raises ModelFormatError."""
    if found is None:
        return None
    found = json_object(where, found, NAMES)
    arrays = {name: _numbers(f"{where}.{name}", found[name]) for name in NUMBERS}
    arrays["missing"] = _counts(f"{where}.missing", found["missing"])
    for name, array in arrays.items():
        if len(array) != len(schema):
            raise ModelFormatError(
                f"{where}.{name}: must have an entry for each of {len(schema)} columns,"
                f" has {len(array)}"
            )
    facts = ColumnFacts(**arrays)
    check_column_facts(where, facts, schema)
    return packed(facts)


def check_column_facts(where: str, found: ColumnFacts, schema: Schema) -> None:
    """Raise ModelFormatError for figures that columns of the schema cannot have."""
    _check_numbers(where, found, schema)
    if (found.missing < 0).any():
        raise ModelFormatError(f"{where}.missing: must be at least 0")


def _check_numbers(where: str, found: ColumnFacts, schema: Schema) -> None:
    """Each column has either all figures or none; one with levels has none."""
    unknown = np.isnan(found.low)
    kinds = each(schema.columns, lambda column: column.kind != "continuous")
    has_levels = np.fromiter(kinds, dtype=bool, count=len(schema))
    if (has_levels & ~unknown).any():
        raise ModelFormatError(f"{where}.low: columns with levels have no smallest value")
    for name in NUMBERS:
        numbers = getattr(found, name)
        if not np.array_equal(np.isnan(numbers), unknown) or np.isinf(numbers).any():
            raise ModelFormatError(f"{where}.{name}: must be finite, or missing as low is")
    known = ~unknown
    if (found.high < found.low)[known].any():
        raise ModelFormatError(f"{where}.high: must be at least low")
    if ((found.mean < found.low) | (found.mean > found.high))[known].any():
        raise ModelFormatError(f"{where}.mean: must be from low to high")
    if (found.deviation < 0)[known].any():
        raise ModelFormatError(f"{where}.deviation: must be at least 0")


def _json(number: float | int) -> float | int | None:
    return None if number != number else number


def _numbers(where: str, found: Any) -> np.ndarray:
    if not isinstance(found, list) or not all(one is None or type(one) is float for one in found):
        raise ModelFormatError(f"{where}: must be a list of numbers or null")
    return np.array([math.nan if one is None else one for one in found], dtype=np.float64)


def _counts(where: str, found: Any) -> np.ndarray:
    if not isinstance(found, list) or not all(map(is_count, found)):
        raise ModelFormatError(f"{where}: must be a list of whole numbers of at least 0")
    return np.array(found, dtype=np.int64)
