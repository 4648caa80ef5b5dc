"""What a model file says besides its arrays, as one JSON text: schema, classes, task and units."""

import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, cast, get_args

import numpy as np

from silva.data.schema import KINDS, Column, Level, Schema
from silva.data.table import Task
from silva.data.timescale import SORTS, TimeScale
from silva.errors import ModelFormatError
from silva.model_file.container import json_object, parse_json
from silva.tree.edits import Edit, decode_edits, encode_edits
from silva.tree.linear import Prior, Smoothing
from silva.tree.tree import MomentStats, Tree

CLASS_TYPES: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "str": (str,),
    **{f"{sign}int{bits}": (int,) for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{f"float{bits}": (int, float) for bits in (16, 32, 64)},
}
LEVEL_TYPES: dict[str, type] = {"bool": bool, "int": int, "float": float, "str": str}
MIXED = "mixed"
MOST_LEVELS = 2**31
PRIORS: tuple[Prior, ...] = get_args(Prior)
INFINITIES = {"inf": math.inf, "-inf": -math.inf}


def encode(tree: Tree, extra: Mapping[str, str]) -> str:
    """The JSON text of a tree, always the same for the same tree."""
    meta: dict[str, Any] = {
        "task": tree.task,
        "criterion": tree.criterion,
        "weight_unit": tree.weight_unit,
    }
    if isinstance(tree.leaf_stats, MomentStats):
        meta |= {"center": tree.leaf_stats.center, "target_unit": tree.leaf_stats.target_unit}
    if tree.classes is not None:
        meta["classes"] = _encode_classes(tree.classes)
    if tree.smoothing is not None:
        meta["smoothing"] = {"m": tree.smoothing.m, "prior": tree.smoothing.prior}
    if tree.edits:
        meta["edits"] = encode_edits(tree.edits)
    meta["schema"] = _encode_schema(tree.schema)
    meta["extra"] = dict(extra)
    return json.dumps(meta, separators=(",", ":"), allow_nan=False)


class Meta:
    """The JSON text of a file, taken apart; every part has the type it should have."""

    def __init__(self, text: str, allow_more: bool) -> None:
        meta = json_object("meta", parse_json("meta", text))
        self.task = _task(meta.pop("task", None))
        self.criterion = _text("meta.criterion", meta.pop("criterion", None))
        self.numbers = {"weight_unit": _number("weight_unit", meta.pop("weight_unit", None))}
        self.classes: np.ndarray | None = None
        if self.task == "classification":
            self.classes = _decode_classes(meta.pop("classes", None))
        else:
            for name in ("center", "target_unit"):
                self.numbers[name] = _number(name, meta.pop(name, None))
        self.smoothing: Smoothing | None = None
        if "smoothing" in meta:
            self.smoothing = _decode_smoothing(meta.pop("smoothing"))
        self.edits: tuple[Edit, ...] = ()
        if "edits" in meta:
            self.edits = decode_edits(meta.pop("edits"))
        self.schema = _decode_schema(meta.pop("schema", None))
        self.extra = decode_extra(meta.pop("extra", None))
        if meta and not allow_more:
            raise ModelFormatError(f"meta.{next(iter(meta))[:80]}: is not known")


def _task(found: Any) -> Task:
    if found == "classification":
        return "classification"
    if found == "regression":
        return "regression"
    raise ModelFormatError("meta.task: must be classification or regression")


def decode_extra(extra: Any) -> dict[str, str]:
    """Free strings by name, which travel with the tree unread."""
    for key, text in json_object("meta.extra", extra).items():
        if not (isinstance(key, str) and isinstance(text, str)):
            raise ModelFormatError(f"meta.extra[{key!r}]: must be a string")
    return dict(extra)


def _encode_classes(classes: np.ndarray) -> dict[str, Any]:
    name = "str" if classes.dtype.kind == "U" else classes.dtype.name
    if name not in CLASS_TYPES:
        raise ModelFormatError(f"classes: labels of type {classes.dtype} cannot be stored")
    return {"dtype": name, "values": classes.tolist()}


def _decode_classes(found: Any) -> np.ndarray:
    found = json_object("meta.classes", found, ("dtype", "values"))
    name = _text("meta.classes.dtype", found["dtype"])
    if name not in CLASS_TYPES:
        raise ModelFormatError(f"meta.classes.dtype: {name[:80]!r} is not known")
    values = _list("meta.classes.values", found["values"])
    for index, value in enumerate(values):
        if type(value) not in CLASS_TYPES[name]:
            raise ModelFormatError(f"meta.classes.values[{index}]: is not of type {name}")
    return _exact_array(values, name)


def _exact_array(values: list[Any], name: str) -> np.ndarray:
    """The values as an array, refused if the type cannot hold one of them exactly."""
    _check_widths(values)
    try:
        with np.errstate(over="ignore"):
            array = np.array(values, dtype=name)
    except (OverflowError, ValueError) as error:
        raise ModelFormatError(f"meta.classes.values: {error}") from None
    for index, (kept, value) in enumerate(zip(array.tolist(), values, strict=True)):
        if kept != value:
            raise ModelFormatError(f"meta.classes.values[{index}]: does not fit {name}")
    return array


def _check_widths(values: list[Any]) -> None:
    """An array of strings is as wide as its longest: that must not multiply the file's size."""
    lengths = [len(value) for value in values if isinstance(value, str)]
    if lengths and max(lengths) * len(lengths) > 1_000_000 + 100 * sum(lengths):
        index = lengths.index(max(lengths))
        raise ModelFormatError(f"meta.classes.values[{index}]: is too long beside the others")


def _decode_smoothing(found: Any) -> Smoothing:
    found = json_object("meta.smoothing", found, ("m", "prior"))
    for prior in PRIORS:
        if prior == found["prior"]:
            return Smoothing(_number("smoothing.m", found["m"]), prior)
    raise ModelFormatError(f"meta.smoothing.prior: must be one of {list(PRIORS)}")


def _encode_schema(schema: Schema) -> dict[str, Any]:
    return {"named": schema.named, "columns": [_encode_column(one) for one in schema.columns]}


def _encode_column(column: Column) -> dict[str, Any]:
    """`time` and `lone_levels` are written only where the column has any."""
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


def _decode_schema(found: Any) -> Schema:
    found = json_object("meta.schema", found, ("named", "columns"))
    if type(found["named"]) is not bool:
        raise ModelFormatError("meta.schema.named: must be true or false")
    columns = _list("meta.schema.columns", found["columns"])
    return Schema(
        tuple(_decode_column(f"meta.schema.columns[{i}]", one) for i, one in enumerate(columns)),
        found["named"],
    )


def _decode_column(where: str, found: Any) -> Column:
    found = dict(json_object(where, found))
    time = _decode_time(f"{where}.time", found.pop("time")) if "time" in found else None
    lone = _count(f"{where}.lone_levels", found.pop("lone_levels", 0))
    found = json_object(where, found, ("name", "kind", "levels", "missing", "unseen"))
    texts = {key: _text(f"{where}.{key}", found[key]) for key in ("name", "missing", "unseen")}
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
    )


def _count(where: str, found: Any) -> int:
    if type(found) is not int or not 0 <= found < MOST_LEVELS:
        raise ModelFormatError(f"{where}: must be a whole number, at least 0")
    return found


def _decode_time(where: str, found: Any) -> TimeScale:
    found = json_object(where, found, [field.name for field in fields(TimeScale)])
    sort = next((known for known in SORTS if known == found["sort"]), None)
    if sort is None:
        raise ModelFormatError(f"{where}.sort: must be one of {list(SORTS)}")
    unit = _text(f"{where}.unit", found["unit"])
    if type(found["origin"]) is not int:
        raise ModelFormatError(f"{where}.origin: must be a whole number")
    zone = None if found["zone"] is None else _text(f"{where}.zone", found["zone"])
    return TimeScale(sort, unit, found["origin"], zone)


def _decode_levels(where: str, found: Any) -> tuple[Level, ...]:
    found = json_object(f"{where}.levels", found, ("type", "values"))
    values = _list(f"{where}.levels", found["values"])
    if found["type"] != MIXED:
        pairs = [(found["type"], value) for value in values]
    else:
        pairs = [tuple(_list(f"{where}.levels", pair)) for pair in values]
    return tuple(_decode_level(f"{where}.levels[{i}]", pair) for i, pair in enumerate(pairs))


def _decode_level(where: str, pair: tuple[Any, ...]) -> Level:
    match pair:
        case ("float", str(text)) if text in INFINITIES:
            return INFINITIES[text]
        case (str(name), value) if name in LEVEL_TYPES and type(value) is LEVEL_TYPES[name]:
            return cast(Level, value)
    raise ModelFormatError(f"{where}: is not a level of a known type")


def _list(where: str, found: Any) -> list[Any]:
    if not isinstance(found, list):
        raise ModelFormatError(f"{where}: must be a list")
    return found


def _text(where: str, found: Any) -> str:
    if not isinstance(found, str):
        raise ModelFormatError(f"{where}: must be a string")
    return found


def _number(name: str, found: Any) -> float:
    if type(found) not in (int, float) or not abs(found) <= sys.float_info.max:
        raise ModelFormatError(f"meta.{name}: must be a finite number")
    return float(found)
