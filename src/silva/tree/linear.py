"""What leaves answer beyond their own mean or shares: linear models, smoothed probabilities."""

import math
from dataclasses import dataclass, fields
from typing import Literal, get_args

import numpy as np

from silva.data.schema import Schema
from silva.errors import ModelFormatError
from silva.tree.frozen import FrozenArrays

Prior = Literal["uniform", "root"]

VALUE = -1
"""The code of an entry that takes the value of its column, not an indicator of one level."""

LINEAR_TYPES: dict[str, str] = {
    "linear_start": "int64",
    "linear_column": "int32",
    "linear_code": "int32",
    "linear_weight": "float64",
    "linear_center": "float64",
    "linear_intercept": "float64",
    "linear_low": "float64",
    "linear_high": "float64",
}


@dataclass(frozen=True, slots=True)
class Smoothing:
    """Probability of class k in a node: (n_k + m * prior_k) / (n + m), n in weight.

    The prior is the same for all classes, or that of the root: their shares in the whole tree.
    """

    m: float
    prior: Prior


@dataclass(frozen=True, eq=False)
class LinearLeaves(FrozenArrays):
    """Sparse linear models: one a leaf, or for K > 2 classes K a leaf (those of leaf 0 first).

    Model i has the entries start[i] to start[i + 1] and answers
    intercept[i] + sum of weight * (x - center) in the order of the entries, clipped to
    low[i] ... high[i]. x is the value of the column (the code of an ordinal or binary one), or
    where code >= 0 whether the categorical column has that code (1.0 or 0.0). A missing, unseen
    or infinite value counts as its center.

    Regression: the answer is the target. Two classes: the log-odds of class 1. More classes: the
    log-odds of one class against the rest; probabilities are normalised.
    """

    start: np.ndarray  # int64, one more than models
    column: np.ndarray  # int32, ascending inside a model, then ascending by code
    code: np.ndarray  # int32, VALUE or a level of a categorical column
    weight: np.ndarray  # float64
    center: np.ndarray  # float64
    intercept: np.ndarray  # float64, one a model
    low: np.ndarray  # float64, -inf: not clipped
    high: np.ndarray  # float64, inf: not clipped

    @property
    def n_models(self) -> int:
        return len(self.intercept)

    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays by their names in the model file."""
        return {f"linear_{field.name}": getattr(self, field.name) for field in fields(self)}


def models_a_leaf(n_classes: int) -> int:
    """How many models each leaf has: one, or one for each of three or more classes."""
    return n_classes if n_classes > 2 else 1


def constant_log_odds(class_weights: np.ndarray) -> np.ndarray:
    """The log-odds of constant leaves, from their class weights: float64 (leaves, models a leaf).

    A class has the share of Laplace's rule, (n_k + 1) / (n + K): none is 0 or 1, and those of a
    leaf add up to one. Of two classes, the log-odds of class 1.
    """
    n_classes = class_weights.shape[1]
    if n_classes < 2:
        return np.zeros((len(class_weights), 1))
    others = class_weights.sum(axis=1, keepdims=True) - class_weights
    odds: np.ndarray = np.log((class_weights + 1.0) / (np.maximum(others, 0.0) + n_classes - 1.0))
    return odds[:, 1:] if n_classes == 2 else odds


def check_smoothing(smoothing: Smoothing) -> None:
    """Raise ModelFormatError unless m is a finite number of at least 0 and the prior is known."""
    if not (isinstance(smoothing.m, float) and math.isfinite(smoothing.m) and smoothing.m >= 0):
        raise ModelFormatError(f"smoothing: m must be a number of at least 0, is {smoothing.m!r}")
    if smoothing.prior not in get_args(Prior):
        raise ModelFormatError(
            f"smoothing: prior must be one of {list(get_args(Prior))}, is {smoothing.prior!r}"
        )


def check_linear(linear: LinearLeaves, schema: Schema, n_leaves: int, n_classes: int) -> None:
    """Raise ModelFormatError naming the array and the first index that breaks the contract.

    `n_classes` is 0 for regression.
    """
    _check_types(linear)
    n_models = n_leaves * models_a_leaf(n_classes)
    for name in ("intercept", "low", "high"):
        _check_length(name, getattr(linear, name), n_models)
    _check_starts(linear.start, n_models, len(linear.column))
    for name in ("code", "weight", "center"):
        _check_length(name, getattr(linear, name), len(linear.column))
    _check_terms(linear, schema)
    _check_numbers(linear)


def _check_types(linear: LinearLeaves) -> None:
    for name, array in linear.arrays().items():
        if not isinstance(array, np.ndarray) or array.dtype != LINEAR_TYPES[name]:
            found = getattr(array, "dtype", type(array).__name__)
            raise ModelFormatError(f"{name}: must be an array of {LINEAR_TYPES[name]}, is {found}")
        if array.ndim != 1:
            raise ModelFormatError(f"{name}: has the impossible shape {array.shape}")


def _check_starts(start: np.ndarray, n_models: int, total: int) -> None:
    _check_length("start", start, n_models + 1)
    rises = np.diff(start, prepend=0) >= 0
    rises[0] = start[0] == 0
    rises[-1] &= start[-1] == total
    _require(rises, "start", f"must rise from 0 to {total}", start)


def _check_terms(linear: LinearLeaves, schema: Schema) -> None:
    """Columns and codes exist, and each model lists them in ascending order."""
    column, code = linear.column, linear.code
    in_range = (column >= 0) & (column < len(schema))
    _require(in_range, "column", f"must be one of the {len(schema)} columns", column)
    nominal = schema.facts(column, lambda one: one.kind == "categorical")
    n_levels = schema.facts(column, lambda one: one.n_levels)
    fits = np.where(nominal, (code >= 0) & (code < n_levels), code == VALUE)
    _require(fits, "code", "must be a level of a categorical column, -1 for another", code)
    ascends = np.ones(len(column) + 1, dtype=bool)
    same = column[1:] == column[:-1]
    ascends[1:-1] = (column[1:] > column[:-1]) | (same & (code[1:] > code[:-1]))
    ascends[linear.start] = True
    _require(ascends[:-1], "column", "must be above the entry before it", column)


def _check_numbers(linear: LinearLeaves) -> None:
    for name in ("weight", "center", "intercept"):
        array = getattr(linear, name)
        _require(np.isfinite(array), name, "must be finite", array)
    _require(linear.low <= linear.high, "low", "must be a number up to `high`", linear.low)
    _require(linear.low < np.inf, "low", "must not be infinity", linear.low)
    _require(linear.high > -np.inf, "high", "must not be minus infinity", linear.high)


def _check_length(name: str, array: np.ndarray, length: int) -> None:
    if len(array) != length:
        raise ModelFormatError(f"linear_{name}: must have {length} entries, has {len(array)}")


def _require(holds: np.ndarray, name: str, rule: str, found: np.ndarray) -> None:
    if not holds.all():
        index = int(np.argmin(holds))
        raise ModelFormatError(f"linear_{name}[{index}]: {rule}, is {found[index]}")
