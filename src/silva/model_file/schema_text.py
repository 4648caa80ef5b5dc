"""The columns of a model as JSON: names, kinds, levels and policies.

Columns without names of their own are called x0, x1 and so on. Long runs of them that differ in
nothing else are written once, with `repeat`: a matrix of hashed words has a million.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from itertools import groupby
from typing import Any, cast

import numpy as np

from silva.data.notation import DECIMAL_SIGNS, LONGEST_UNIT, Notation
from silva.data.schema import KINDS, Column, Level, RepeatedColumns, Schema
from silva.data.timescale import SORTS, TimeScale
from silva.errors import ModelFormatError
from silva.model_file.container import json_list, json_object, json_text

LEVEL_TYPES: dict[str, type] = {"bool": bool, "int": int, "float": float, "str": str}
MIXED = "mixed"
MOST_LEVELS = 2**31
INFINITIES = {"inf": math.inf, "-inf": -math.inf}
SHORTEST_RUN = 1000
MOST_REPEATED = 2**24
"""Columns of a file with `repeat`: whatever looks at every column takes time for each of them."""


def encode_schema(schema: Schema) -> dict[str, Any]:
    """The columns in their order."""
    return {"named": schema.named, "columns": list(_encoded_runs(schema))}


def _encoded_runs(schema: Schema) -> Iterator[dict[str, Any]]:
    if schema.named or len(schema) > MOST_REPEATED:
        yield from map(_encode_column, schema.columns)
        return
    number = 0
    for _, group in groupby(schema.runs, lambda run: _but_for_name(run[0])):
        length = sum(count for _, count in group)
        run = schema.columns[number : number + (1 if length >= SHORTEST_RUN else length)]
        more = {"repeat": length} if length >= SHORTEST_RUN else {}
        yield from (_encode_column(column) | more for column in run)
        number += length


def _but_for_name(column: Column) -> tuple[Any, ...]:
    """Levels by their texts: 1, 1.0 and True are equal."""
    levels = None if column.levels is None else repr(column.levels)
    facts = (column.time, column.lone_levels, column.notation)
    return column.kind, levels, column.missing, column.unseen, *facts


def _encode_column(column: Column) -> dict[str, Any]:
    """`time`, `lone_levels` and `notation` are written only where the column has any."""
    encoded: dict[str, Any] = {
        "name": str(column.name),
        "kind": column.kind,
        "levels": None if column.levels is None else _encode_levels(column.levels),
        "missing": column.missing,
        "unseen": column.unseen,
    }
    if column.time is not None:
        encoded["time"] = asdict(column.time)
    if column.lone_levels:
        encoded["lone_levels"] = column.lone_levels
    if column.notation is not None:
        encoded["notation"] = asdict(column.notation)
    return encoded


def _encode_levels(levels: Sequence[Level]) -> dict[str, Any]:
    """One type name for all levels, or one for each where they differ."""
    plain = [level.item() if isinstance(level, np.generic) else level for level in levels]
    names = [_level_type(level) for level in plain]
    coded = [_encode_level(level) for level in plain]
    if len(set(names)) <= 1:
        return {"type": names[0] if names else "str", "values": coded}
    return {"type": MIXED, "values": [list(pair) for pair in zip(names, coded, strict=True)]}


def _level_type(level: Any) -> str:
    for name, kind in LEVEL_TYPES.items():
        if isinstance(level, kind):
            return name
    raise ModelFormatError(f"level {level!r}: values of type {type(level).__name__} cannot be kept")


def _encode_level(level: Any) -> Any:
    return str(level) if isinstance(level, float) and math.isinf(level) else level


def decode_schema(found: Any) -> Schema:
    """What `encode_schema` wrote; raises ModelFormatError for anything else."""
    found = json_object("meta.schema", found, ("named", "columns"))
    named = found["named"]
    if type(named) is not bool:
        raise ModelFormatError("meta.schema.named: must be true or false")
    entries = json_list("meta.schema.columns", found["columns"])
    if not any(isinstance(one, dict) and "repeat" in one for one in entries):
        places = (f"meta.schema.columns[{i}]" for i in range(len(entries)))
        return Schema(tuple(map(_decode_column, places, entries)), named)
    return Schema(RepeatedColumns(_decode_runs(entries, named)), named)


def _decode_runs(entries: list[Any], named: bool) -> Iterator[tuple[Column, int]]:
    """The column that each entry stands for, and how many follow each other."""
    number = 0
    for i, one in enumerate(entries):
        where = f"meta.schema.columns[{i}]"
        found = dict(json_object(where, one))
        length = _length(f"{where}.repeat", found.pop("repeat"), number) if "repeat" in found else 1
        column = _decode_column(where, found)
        if named or column.name != f"x{number}":
            raise ModelFormatError(f"{where}.repeat: is for columns that have no names")
        yield column, length
        number += length


def _length(where: str, found: Any, number: int) -> int:
    """The length of a run from this column on."""
    if type(found) is not int or not SHORTEST_RUN <= found <= MOST_REPEATED - number:
        raise ModelFormatError(
            f"{where}: must be from {SHORTEST_RUN} on, and up to {MOST_REPEATED} columns"
        )
    return found


def _decode_column(where: str, found: Any) -> Column:
    found = dict(json_object(where, found))
    time = _decode_time(f"{where}.time", found.pop("time")) if "time" in found else None
    lone = _count(f"{where}.lone_levels", found.pop("lone_levels", 0))
    notation = _decode_notation(f"{where}.notation", found.pop("notation", None))
    found = json_object(where, found, ("name", "kind", "levels", "missing", "unseen"))
    texts = {key: json_text(f"{where}.{key}", found[key]) for key in ("name", "missing", "unseen")}
    kind = next((known for known in KINDS if known == found["kind"]), None)
    if kind is None:
        raise ModelFormatError(f"{where}.kind: must be one of {list(KINDS)}")
    levels = None if found["levels"] is None else _decode_levels(where, found["levels"])
    return Column(
        texts["name"],
        kind,
        levels,
        missing=texts["missing"],
        unseen=texts["unseen"],
        time=time,
        lone_levels=lone,
        notation=notation,
    )


def _decode_notation(where: str, found: Any) -> Notation | None:
    if found is None:
        return None
    found = json_object(where, found, [field.name for field in fields(Notation)])
    sign = next((known for known in DECIMAL_SIGNS if known == found["decimal"]), None)
    if sign is None:
        raise ModelFormatError(f"{where}.decimal: must be one of {list(DECIMAL_SIGNS)}")
    unit = json_text(f"{where}.unit", found["unit"])
    if len(unit) > LONGEST_UNIT:
        raise ModelFormatError(f"{where}.unit: must have at most {LONGEST_UNIT} characters")
    return Notation(sign, unit)


def _count(where: str, found: Any) -> int:
    if type(found) is not int or not 0 <= found < MOST_LEVELS:
        raise ModelFormatError(f"{where}: must be a whole number, at least 0")
    return found


def _decode_time(where: str, found: Any) -> TimeScale:
    found = json_object(where, found, [field.name for field in fields(TimeScale)])
    sort = next((known for known in SORTS if known == found["sort"]), None)
    if sort is None:
        raise ModelFormatError(f"{where}.sort: must be one of {list(SORTS)}")
    unit = json_text(f"{where}.unit", found["unit"])
    if type(found["origin"]) is not int:
        raise ModelFormatError(f"{where}.origin: must be a whole number")
    zone = None if found["zone"] is None else json_text(f"{where}.zone", found["zone"])
    return TimeScale(sort, unit, found["origin"], zone)


def _decode_levels(where: str, found: Any) -> tuple[Level, ...]:
    found = json_object(f"{where}.levels", found, ("type", "values"))
    values = json_list(f"{where}.levels", found["values"])
    if found["type"] != MIXED:
        pairs = [(found["type"], value) for value in values]
    else:
        pairs = [tuple(json_list(f"{where}.levels", pair)) for pair in values]
    return tuple(_decode_level(f"{where}.levels[{i}]", pair) for i, pair in enumerate(pairs))


def _decode_level(where: str, pair: tuple[Any, ...]) -> Level:
    match pair:
        case ("float", str(text)) if text in INFINITIES:
            return INFINITIES[text]
        case (str(name), value) if name in LEVEL_TYPES and type(value) is LEVEL_TYPES[name]:
            return cast(Level, value)
    raise ModelFormatError(f"{where}: is not a level of a known type")
