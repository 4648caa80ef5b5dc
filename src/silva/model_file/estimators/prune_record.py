"""What a model file keeps of pruning: the record of a tree, its steps as one list a field.

Values are those of JSON, with three additions: {"array": type, "values": [...]} is an array,
{"pairs": [[key, value], ...]} a mapping, and {"float": "inf"} a number that JSON lacks.
"""

import math
from collections.abc import Mapping
from typing import Any, get_args

import numpy as np

from silva.errors import ModelFormatError
from silva.messages import shown
from silva.model_file.container import is_count, json_list, json_object, json_text
from silva.prune.record import Action, Record, Step

_FIELDS = tuple(Record.__dataclass_fields__)
_ARRAYS = ("int64", "float64", "bool")
_CURVE = ("alphas", "leaves", "errors", "deviations")
_PLACES = ("chosen", "least")
_DEEPEST = 6


def encode_record(record: Record) -> dict[str, Any]:
    """The record as JSON takes it; settings that are functions become their text."""
    settings = {name: _encoded(value, as_text=True) for name, value in record.settings.items()}
    return {
        "method": str(record.method),
        "settings": settings,
        "measure": str(record.measure),
        "steps": {
            name: [_encoded(getattr(step, name)) for step in record.steps] for name in Step._fields
        },
        "leaves_before": int(record.leaves_before),
        "leaves_after": int(record.leaves_after),
        "evidence": _encoded(dict(record.evidence)),
        "note": str(record.note),
    }


def decode_record(where: str, found: Any) -> Record | None:
    """The record that `encode_record` wrote; ModelFormatError for anything else."""
    if found is None:
        return None
    found = json_object(where, found, _FIELDS)
    for name in ("method", "measure", "note"):
        json_text(f"{where}.{name}", found[name])
    for name in ("leaves_before", "leaves_after"):
        if not is_count(found[name]) or not found[name]:
            raise ModelFormatError(f"{where}.{name}: must be a whole number of at least 1")
    settings = json_object(f"{where}.settings", found["settings"])
    record = Record(
        **found
        | {
            "settings": {
                name: _decoded(f"{where}.settings.{name}", value)
                for name, value in settings.items()
            },
            "steps": _steps(f"{where}.steps", found["steps"]),
            "evidence": _decoded(f"{where}.evidence", found["evidence"]),
        }
    )
    _check_evidence(f"{where}.evidence", record)
    return record


def _encoded(value: Any, as_text: bool = False) -> Any:
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.name in _ARRAYS:
        values = [_encoded(one) for one in value.tolist()]
        return {"array": value.dtype.name, "values": values}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, list | tuple):
        return [_encoded(one, as_text) for one in value]
    if isinstance(value, Mapping):
        pairs = value.items()
        return {"pairs": [[_encoded(key), _encoded(one, as_text)] for key, one in pairs]}
    if as_text:
        return shown(value)
    raise TypeError(type(value).__name__)


def _decoded(where: str, value: Any, depth: int = 0) -> Any:
    """Lists come back as tuples: a record never changes."""
    if depth > _DEEPEST:
        raise ModelFormatError(f"{where}: is nested too deeply")
    if isinstance(value, list):
        return tuple(_decoded(where, one, depth + 1) for one in value)
    if not isinstance(value, dict):
        return value
    if set(value) == {"float"}:
        return _number(where, value["float"])
    if set(value) == {"pairs"}:
        return _mapping(where, value["pairs"], depth + 1)
    return _array(where, json_object(where, value, ("array", "values")))


def _number(where: str, text: Any) -> float:
    if text not in ("inf", "-inf", "nan"):
        raise ModelFormatError(f"{where}.float: must be inf, -inf or nan")
    return float(text)


def _mapping(where: str, pairs: Any, depth: int) -> dict[Any, Any]:
    found = {}
    for pair in json_list(f"{where}.pairs", pairs):
        if not (isinstance(pair, list) and len(pair) == 2 and not isinstance(pair[0], list | dict)):
            raise ModelFormatError(f"{where}.pairs: must be a list of keys and values")
        found[pair[0]] = _decoded(f"{where}.{pair[0]!r:.40}", pair[1], depth)
    return found


def _array(where: str, found: dict[str, Any]) -> np.ndarray:
    kind, values = found["array"], json_list(f"{where}.values", found["values"])
    types = {"int64": (int,), "float64": (int, float), "bool": (bool,)}
    if kind not in _ARRAYS:
        raise ModelFormatError(f"{where}.array: must be one of {', '.join(_ARRAYS)}")
    plain = [_decoded(where, one) for one in values]
    if not all(type(one) in types[kind] for one in plain):
        raise ModelFormatError(f"{where}.values: must be of type {kind}")
    try:
        return np.array(plain, dtype=kind)
    except OverflowError as error:
        raise ModelFormatError(f"{where}.values: {error}") from error


def _steps(where: str, found: Any) -> tuple[Step, ...]:
    columns = json_object(where, found, Step._fields)
    lists = [
        [_decoded(f"{where}.{name}", one) for one in json_list(f"{where}.{name}", columns[name])]
        for name in Step._fields
    ]
    if len({len(one) for one in lists}) > 1:
        raise ModelFormatError(f"{where}: must have as many entries in each field")
    steps = tuple(Step(*values) for values in zip(*lists, strict=True))
    for step in steps:
        _check_step(where, step)
    return steps


def _check_step(where: str, step: Step) -> None:
    if not all(map(is_count, (step.node, step.leaves_before, step.leaves_after))):
        raise ModelFormatError(f"{where}: nodes and leaves must be whole numbers of at least 0")
    if step.action not in get_args(Action):
        raise ModelFormatError(f"{where}.action: must be one of {', '.join(get_args(Action))}")
    if not all(type(one) in (int, float) for one in (step.value_before, step.value_after)):
        raise ModelFormatError(f"{where}: values must be numbers")
    json_text(f"{where}.why", step.why)


def _check_evidence(where: str, record: Record) -> None:
    """What is drawn: curves of one length, and places on them."""
    evidence = record.evidence
    if not isinstance(evidence, dict) or not all(isinstance(name, str) for name in evidence):
        raise ModelFormatError(f"{where}: must be a mapping from names")
    curves = [evidence[name] for name in _CURVE if name in evidence]
    if not all(isinstance(one, np.ndarray) for one in curves) or len({*map(len, curves)}) > 1:
        raise ModelFormatError(f"{where}: curves must be arrays of one length")
    most = len(curves[0]) if curves else 0
    for name in _PLACES:
        if name in evidence and not (is_count(evidence[name]) and evidence[name] < most):
            raise ModelFormatError(f"{where}.{name}: must be a place on the curves")
