"""Parameters of estimators as JSON and back: plain values and settings of a fixed set of names.

Scalars stand for themselves and sequences are lists; a mapping is {"pairs": [[key, value], ...]};
a setting, such as ObliqueSplits, is {"setting": its name, "fields": {...}}.
"""

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from silva.errors import ModelFormatError, SilvaError
from silva.grow.plan import Plan
from silva.grow.splits import DistanceSplits, KindForms, ObliqueSplits
from silva.leaf.choice import LinearLeaf, MEstimate
from silva.model_file.container import json_object
from silva.prune.accuracy_threshold import AccuracyThreshold
from silva.prune.auto import Auto
from silva.prune.bound import GeneralisationBound
from silva.prune.cost_complexity import CostComplexity
from silva.prune.critical_value import CriticalValue
from silva.prune.minimum_error import MinimumError
from silva.prune.optimal import MaxLeaves
from silva.prune.pessimistic import Pessimistic
from silva.prune.reduced_error import ReducedError

SCALARS = (type(None), bool, int, float, str)
PRUNERS = (
    AccuracyThreshold,
    Auto,
    CostComplexity,
    CriticalValue,
    GeneralisationBound,
    MaxLeaves,
    MinimumError,
    Pessimistic,
    ReducedError,
)
SETTINGS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (ObliqueSplits, DistanceSplits, KindForms, Plan, MEstimate, LinearLeaf, *PRUNERS)
}
DEEPEST = 8
LONGEST = 10_000
"""Bits of an integer: Python reads and writes at most 4,300 digits."""


def encode(value: Any) -> Any:
    """The value as JSON takes it; TypeError for one that a file cannot hold."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        raise TypeError("JSON has neither infinity nor NaN")
    if isinstance(value, int) and value.bit_length() > LONGEST:
        raise TypeError("Python does not read so many digits")
    if isinstance(value, SCALARS):
        return value
    if isinstance(value, list | tuple):
        return [encode(item) for item in value]
    if isinstance(value, Mapping):
        return {"pairs": [[encode(key), encode(item)] for key, item in value.items()]}
    if SETTINGS.get(type(value).__name__) is type(value):
        known = {field.name: encode(getattr(value, field.name)) for field in fields(value)}
        return {"setting": type(value).__name__, "fields": known}
    raise TypeError(type(value).__name__)


def decode(where: str, value: Any, depth: int = 0) -> Any:
    """The value that `encode` wrote; ModelFormatError for anything else."""
    if depth > DEEPEST:
        raise ModelFormatError(f"{where}: is nested too deeply")
    if isinstance(value, list):
        return [decode(where, item, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    if "setting" in value:
        return _setting(where, value, depth + 1)
    return _mapping(where, value, depth + 1)


def _mapping(where: str, value: dict[str, Any], depth: int) -> dict[Any, Any]:
    pairs = json_object(where, value, ("pairs",))["pairs"]
    if not isinstance(pairs, list) or not all(_is_pair(pair) for pair in pairs):
        raise ModelFormatError(f"{where}.pairs: must be a list of keys and numbers")
    return {key: decode(where, item, depth) for key, item in pairs}


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], SCALARS)


def _setting(where: str, value: dict[str, Any], depth: int) -> Any:
    found = json_object(where, value, ("setting", "fields"))
    name = found["setting"]
    if not isinstance(name, str) or name not in SETTINGS:
        raise ModelFormatError(f"{where}.setting: {name!r:.80} is not a setting of this silva")
    kind = SETTINGS[name]
    given = json_object(f"{where}.fields", found["fields"])
    unknown = set(given) - {field.name for field in fields(kind)}
    if unknown:
        raise ModelFormatError(f"{where}.fields.{min(unknown)}: is not a field of {name}")
    values = {key: decode(f"{where}.fields.{key}", item, depth) for key, item in given.items()}
    try:
        return kind(**values)
    except (SilvaError, TypeError) as error:
        raise ModelFormatError(f"{where}.fields: {error}") from error
