"""One weight per row, and weights by class."""

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from silva.data.frames import open_series
from silva.data.objects import numbers_of_levels
from silva.data.raw import Booleans, Categories
from silva.errors import DataError
from silva.messages import listed, nearest, shown

UNIT_BITS = 41
JUST_BELOW = 1.0 - 2.0**-30
MOST_GRAINS = 2.0**24


def bind_weights(weights: Any, n_rows: int) -> np.ndarray | None:
    """Contiguous float64 weights, borrowed when they already are; None means all ones.

    A single number means that weight for every row. Raises DataError for a weight that is
    negative, missing or infinite, and for weights that are all zero.
    """
    if weights is None:
        return None
    values = _floats(weights, n_rows)
    if len(values) != n_rows:
        raise DataError(
            f"the table and the weights have inconsistent lengths: {n_rows} rows and "
            f"{len(values)} weights; give one weight per row"
        )
    _check_values(values)
    return values


def weights_differ(weights: np.ndarray | None) -> bool:
    """Whether rows count by their weights; those of weight 0 are left out, 1 is a row like any."""
    return weights is not None and bool(((weights != 0.0) & (weights != 1.0)).any())


def _floats(weights: Any, n_rows: int) -> np.ndarray:
    if type(weights) is np.ndarray and weights.dtype == np.float64 and weights.ndim == 1:
        return np.ascontiguousarray(weights)
    if isinstance(weights, int | float | str | np.generic) or _is_scalar_array(weights):
        return np.full(n_rows, _single(weights))
    raw = open_series(weights, "weights", may_be_table=False)
    if isinstance(raw, Categories):
        raw = numbers_of_levels(raw, "weights") or raw
    if isinstance(raw, Categories):
        raise DataError(f"the weights hold text such as {raw.levels[0]!r}; they must be numbers")
    if isinstance(raw, Booleans) and raw.missing is not None:
        raise _wrong_weight(int(np.argmax(raw.missing)), "missing")
    return np.ascontiguousarray(raw.values, np.float64)


def _is_scalar_array(weights: Any) -> bool:
    return isinstance(weights, np.ndarray) and weights.ndim == 0


def _single(weight: Any) -> float:
    if not isinstance(weight, str):
        try:
            return float(weight)
        except (TypeError, ValueError, OverflowError):
            pass
    raise DataError(
        f"the weight {shown(weight)} is not a number; give one number per row, or one for all"
    )


def _check_values(values: np.ndarray) -> None:
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise _wrong_weight(row, "missing" if np.isnan(values[row]) else "infinite")
    if (values < 0).any():
        row = int(np.argmax(values < 0))
        raise _wrong_weight(row, f"negative ({values[row]})")
    _check_total(values)


def _wrong_weight(row: int, seen: str) -> DataError:
    return DataError(
        f"the weight of row {row} is {seen}; weights must be finite numbers that are zero or more. "
        "Drop the row, or give it weight 0 to leave it out"
    )


def _check_total(values: np.ndarray) -> None:
    with np.errstate(over="ignore"):
        total = values.sum()
    if not total > 0:
        raise DataError("all weights are zero, so no row is left; give some row a positive weight")
    if not total <= sys.float_info.max / 2:  # the core rounds small weights up
        raise _too_large("the weights")


def check_drawn(weights: np.ndarray | None, n_draws: int) -> None:
    """Refuse weights of which so many draws of one row are beyond float64."""
    if weights is not None and float(weights.max()) > sys.float_info.max / n_draws:
        raise _too_large(f"the weights of {n_draws} rows drawn with replacement")


def _too_large(these: str) -> DataError:
    return DataError(
        f"{these} add up to more than float64 can hold; divide all of them by one number, "
        "which changes nothing else"
    )


def times_class(weights: np.ndarray | None, by_class: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Row weights times the weight of the row's class; a row of no known class (-1) counts as 1."""
    product = np.append(by_class, 1.0).take(codes, mode="wrap")
    if weights is not None:
        product *= weights
    _check_total(product)
    return product


def weights_of_classes(
    class_weight: Any, codes: np.ndarray, classes: np.ndarray, weights: np.ndarray | None
) -> np.ndarray:
    """The weight of each class: by label, or "balanced".

    "balanced" gives every class that has weight the same total; it counts weights, so that
    weight k is the same as k copies of a row.
    """
    totals = np.bincount(codes, weights, minlength=len(classes)).astype(np.float64)
    if isinstance(class_weight, Mapping):
        return _rounded(_named_weights(class_weight, classes), totals, weights)
    if not isinstance(class_weight, str) or class_weight != "balanced":
        hint = ". Did you mean 'balanced'?" if nearest(class_weight, ("balanced",)) else ""
        raise DataError(
            f"class_weight={shown(class_weight)} is not understood: give None, 'balanced', or a "
            f"dictionary from labels to weights{hint}"
        )
    n_present = int(np.count_nonzero(totals))
    shares = n_present * totals
    balanced = np.zeros(len(classes))
    np.divide(totals.sum(), shares, out=balanced, where=shares > 0)
    return _rounded(balanced, totals, weights)


def _rounded(by_class: np.ndarray, totals: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Class weights as multiples of a power of two that the core's integers can hold.

    The core rounds the product of row weight and class weight: three rows of weight 1 need not be
    one of weight 3 in a class of weight 0.1. Its unit is 2^-42 of the total or finer, so that every
    product of these multiples with a multiple of the row weights' common grain is exact. Row
    weights of many grains are left alone: coarse class weights would change more than they mend.
    """
    grain = _grain(weights)
    total = float(by_class @ totals) / grain
    if not 0.0 < total < np.inf or totals.sum() / grain > MOST_GRAINS:
        return by_class
    # a total that rounding lifts above a power of two must not choose another unit
    exponent = UNIT_BITS - int(np.frexp(total * JUST_BELOW)[1])
    units = np.maximum(np.rint(np.ldexp(by_class, exponent)), by_class > 0)
    return np.asarray(np.ldexp(units, -exponent))


def _grain(weights: np.ndarray | None) -> float:
    """The largest power of two of which all weights are multiples."""
    if weights is None:
        return 1.0
    mantissa, exponent = np.frexp(weights[weights > 0])
    digits = np.ldexp(mantissa, 53).astype(np.int64)
    lowest = np.frexp((digits & -digits).astype(np.float64))[1] - 1
    return float(np.ldexp(1.0, int((exponent + lowest).min()) - 53))


def _named_weights(class_weight: Mapping[Any, Any], classes: np.ndarray) -> np.ndarray:
    """Weight 1 for classes without an entry. A class without one while another entry names no
    class is refused: one of the two is likely misspelt.
    """
    labels = classes.tolist()
    without = [label for label in labels if label not in class_weight]
    known = set(labels)
    strangers = [key for key in class_weight if key not in known]
    if without and strangers:
        raise DataError(
            f"The classes, [{listed(without)}], are not in class_weight, which has "
            f"[{listed(strangers)}] instead; "
            "use the labels as they are in the target"
        )
    for label in labels:
        _check_class_weight(label, class_weight.get(label, 1.0))
    return np.array([float(class_weight.get(label, 1.0)) for label in labels])


def _check_class_weight(label: object, weight: Any) -> None:
    value = _single(weight)
    if not 0 <= value < np.inf:
        raise DataError(
            f"class_weight gives the class {label!r} the weight {value}; "
            "it must be finite and zero or more"
        )
