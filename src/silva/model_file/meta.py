"""What a model file says besides its arrays, as one JSON text: schema, classes, task and units."""

import json
import sys
from collections.abc import Mapping
from typing import Any, get_args

import numpy as np

from silva.data.table import Task
from silva.errors import ModelFormatError
from silva.model_file.container import json_list, json_object, json_text, parse_json
from silva.model_file.schema_text import decode_schema, encode_schema
from silva.tree.edits import Edit, decode_edits, encode_edits
from silva.tree.linear import Prior, Smoothing
from silva.tree.tree import Costs, MomentStats, Tree

CLASS_TYPES: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "str": (str,),
    **{f"{sign}int{bits}": (int,) for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{f"float{bits}": (int, float) for bits in (16, 32, 64)},
}
PRIORS: tuple[Prior, ...] = get_args(Prior)


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
    if tree.costs is not None:
        meta["costs"] = tree.costs
    if tree.edits:
        meta["edits"] = encode_edits(tree.edits)
    meta["schema"] = encode_schema(tree.schema)
    meta["extra"] = dict(extra)
    return json.dumps(meta, separators=(",", ":"), allow_nan=False)


class Meta:
    """The JSON text of a file, taken apart; every part has the type it should have."""

    def __init__(self, text: str, allow_more: bool) -> None:
        meta = json_object("meta", parse_json("meta", text))
        self.task = _task(meta.pop("task", None))
        self.criterion = json_text("meta.criterion", meta.pop("criterion", None))
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
        self.costs: Costs | None = None
        if "costs" in meta:
            self.costs = _decode_costs(meta.pop("costs"))
        self.edits: tuple[Edit, ...] = ()
        if "edits" in meta:
            self.edits = decode_edits(meta.pop("edits"))
        self.schema = decode_schema(meta.pop("schema", None))
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
    name = json_text("meta.classes.dtype", found["dtype"])
    if name not in CLASS_TYPES:
        raise ModelFormatError(f"meta.classes.dtype: {name[:80]!r} is not known")
    values = json_list("meta.classes.values", found["values"])
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


def _decode_costs(found: Any) -> Costs:
    rows = (json_list("meta.costs", row) for row in json_list("meta.costs", found))
    return tuple(tuple(_number("costs", cost) for cost in row) for row in rows)


def _number(name: str, found: Any) -> float:
    if type(found) not in (int, float) or not abs(found) <= sys.float_info.max:
        raise ModelFormatError(f"meta.{name}: must be a finite number")
    return float(found)
