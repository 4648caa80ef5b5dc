"""Targets and weights: class codes or numbers, and one weight per row."""

from typing import Any, NoReturn

import numpy as np

from silva.data import refusals
from silva.data.frames import open_series
from silva.data.large import LARGEST_TARGET, too_large_to_sum
from silva.data.objects import numbers_of_levels
from silva.data.raw import Booleans, Categories, Plain, without_negative_zeros
from silva.data.table import Target
from silva.data.weights import bind_weights, times_class, weights_of_classes
from silva.errors import DataError
from silva.messages import counted, shown

MOST_CLASSES = 2**17
"""A tree of more classes than this takes too long to grow and tells nobody anything."""

_UNKNOWN_CLASS = -1
_TABLE_RANGE = 2**62
_FIRST_ROWS = 4096


def bind_classes(target: Any, weights: Any, class_weight: Any, n_rows: int) -> Target:
    """Labels of any sort that can be put in order, as codes into the sorted distinct labels.

    `class_weight` (None, "balanced", or weights by label) is multiplied into the weights.
    Raises DataError for a missing or infinite label, for numbers that are not whole, and for more
    than MOST_CLASSES classes.
    """
    codes, classes = _encoded(_labels(target))
    _check_length(len(codes), n_rows)
    _refuse_too_many(classes, n_rows)
    bound = bind_weights(weights, n_rows)
    if class_weight is None:
        return Target("classification", codes, classes, bound)
    by_class = weights_of_classes(class_weight, codes, classes, bound)
    return Target("classification", codes, classes, times_class(bound, by_class, codes), by_class)


def bind_numbers(target: Any, weights: Any, n_rows: int) -> Target:
    """Finite numbers as contiguous float64, borrowed when they already are and hold no -0.0.

    Raises DataError for text, for a missing or infinite value, and for numbers whose sums float64
    may not hold.
    """
    values = _floats(target)
    _check_length(len(values), n_rows)
    if not np.isfinite(values).all():
        raise _not_finite(values)
    if len(values) and max(-values.min(), values.max()) > LARGEST_TARGET:
        raise too_large_to_sum(values)
    values = without_negative_zeros(values)
    return Target("regression", values, None, bind_weights(weights, n_rows))


def bind_codes(target: Any, classes: np.ndarray) -> np.ndarray:
    """Codes (int32) of labels into known classes; -1 for a label that is not among them.

    Raises DataError for missing labels, and for text where the classes are numbers or the
    reverse.
    """
    codes, given = _encoded(_labels(target))
    if len(given) and (given.dtype.kind == "U") != (classes.dtype.kind == "U"):
        raise DataError(
            f"the target holds labels such as {given[0].item()!r}, the model was trained on "
            f"labels such as {classes[0].item()!r}; give them as text or as numbers in both"
        )
    position = {label: code for code, label in enumerate(classes.tolist())}
    table = [position.get(label, _UNKNOWN_CLASS) for label in given.tolist()]
    return np.array(table, np.int32).take(codes)


def n_targets(y: Any) -> int:
    """How many targets there are; DataError for what has no length."""
    try:
        return len(y)
    except TypeError:
        raise DataError(
            f"y={shown(y)} ({type(y).__name__}) is not a target: give one label or number a row."
        ) from None


def _labels(target: Any) -> Plain:
    _refuse_none(target)
    raw = open_series(target, "target")
    if isinstance(raw, Categories):
        _refuse_bytes(target)
    return raw


def _refuse_bytes(target: Any) -> None:
    """Raise where a container holds bytes: they are read as text and would be predicted as text.

    Arrow tables, and what is collected as one, have bytes of their own type, which is refused.
    """
    is_text = isinstance(target, np.ndarray) and target.dtype.kind == "U"
    if is_text or not (isinstance(target, list | tuple) or hasattr(target, "__array__")):
        return
    labels = np.asarray(target, dtype=object).ravel().tolist()
    if any(issubclass(kind, bytes) for kind in set(map(type, labels))):
        row = next(row for row, label in enumerate(labels) if isinstance(label, bytes))
        raise refusals.label_of_bytes(row, labels[row])


def _refuse_none(target: Any) -> None:
    if target is None:
        raise DataError(
            "no target was given. Expected array-like (array or non-string sequence), got None: "
            "give one label or number per row"
        )


def _encoded(raw: Plain) -> tuple[np.ndarray, np.ndarray]:
    """Codes and the sorted distinct labels, of which each occurs."""
    if isinstance(raw, Booleans):
        _refuse_missing(raw.missing)
        codes, classes = _integer_classes(raw.values.view(np.uint8))
        return codes, classes.astype(bool)
    if isinstance(raw, Categories):
        return _category_classes(raw)
    if raw.values.dtype.kind == "f":
        return _float_classes(raw.values)
    return _integer_classes(raw.values)


def _integer_classes(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By a table of the range when it is not much longer than the data, else by sorting."""
    if not len(values):
        return values.astype(np.int32), values
    low, high = int(values.min()), int(values.max())
    if high - low > 1000 + 2 * len(values) or not -_TABLE_RANGE < low <= high < _TABLE_RANGE:
        classes, codes = np.unique(values, return_inverse=True)
        return codes.astype(np.int32), classes
    offsets = values.astype(np.int64) - low if low else values
    occurs = np.zeros(high - low + 1, bool)
    occurs[offsets[:_FIRST_ROWS]] = True  # most often these have every class
    if not occurs.all():
        occurs[offsets] = True
    if occurs.all():
        return offsets.astype(np.int32), np.arange(low, high + 1).astype(values.dtype)
    rank = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
    return rank[offsets], (np.flatnonzero(occurs) + low).astype(values.dtype)


def _float_classes(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if not np.isfinite(values).all():
        raise _not_finite(values)
    fractional = values != np.rint(values)
    if fractional.any():
        row = int(np.argmax(fractional))
        raise DataError(
            f"Unknown label type: continuous. The target holds {values[row]} in row {row}; "
            "classes are text, booleans or whole numbers. Use a regression tree for amounts, or "
            "put the values into classes first"
        )
    classes, codes = np.unique(values, return_inverse=True)
    return codes.astype(np.int32), classes + values.dtype.type(0)


def _category_classes(raw: Categories) -> tuple[np.ndarray, np.ndarray]:
    _refuse_missing(raw.codes < 0)
    numbers = numbers_of_levels(raw, "target")
    if numbers is not None:
        return _encoded(numbers)
    codes, used = _integer_classes(raw.codes)
    levels = [raw.levels[code] for code in used]
    if not all(isinstance(level, str) for level in levels):
        raise DataError(
            f"the target mixes text and numbers as labels, such as {levels[0]!r} and "
            f"{levels[-1]!r}; convert every label to text"
        )
    return _text_classes(codes, [str(level) for level in levels])


def _text_classes(codes: np.ndarray, levels: list[str]) -> tuple[np.ndarray, np.ndarray]:
    for level in levels:
        if level.endswith("\0"):
            raise DataError(
                f"the target holds the label {level!r}, which ends in a NUL character that NumPy's "
                "text drops; remove it from the labels"
            )
    order = sorted(range(len(levels)), key=levels.__getitem__)
    rank = np.empty(len(levels), np.int32)
    rank[order] = np.arange(len(levels), dtype=np.int32)
    return rank[codes], np.array([levels[i] for i in order])


def _refuse_too_many(classes: np.ndarray, n_rows: int) -> None:
    if len(classes) > MOST_CLASSES:
        raise DataError(
            f"the target has {len(classes):,} different labels in {n_rows:,} rows, such as "
            f"{classes[0].item()!r}; classifiers take at most {MOST_CLASSES:,} classes. The target "
            "looks like an identifier or like a number: choose another column, use a regressor "
            "for numbers, or put the labels into groups first"
        )


def _floats(target: Any) -> np.ndarray:
    if type(target) is np.ndarray and target.dtype == np.float64 and target.ndim == 1:
        return np.ascontiguousarray(target)
    _refuse_none(target)
    raw = open_series(target, "target")
    if isinstance(raw, Categories):
        raw = numbers_of_levels(raw, "target") or _refuse_text(raw)
    if isinstance(raw, Booleans):
        _refuse_missing(raw.missing)
    return np.ascontiguousarray(raw.values, np.float64)


def _refuse_text(raw: Categories) -> NoReturn:
    text = next(level for level in raw.levels if isinstance(level, str))
    raise DataError(
        f"the target holds text such as {text!r}; a regression target must be numbers. "
        "Use a classification tree, or convert the target with astype(float)"
    )


def _refuse_missing(missing: np.ndarray | None) -> None:
    if missing is not None and missing.any():
        row = int(np.argmax(missing))
        raise DataError(
            f"the target is missing in row {row} ({counted(int(missing.sum()), 'row')} in all). "
            "Drop the rows without a target before training"
        )


def _not_finite(values: np.ndarray) -> DataError:
    wrong = ~np.isfinite(values)
    row = int(np.argmax(wrong))
    return DataError(
        f"the target contains {_spelled(values[row])} in row {row} "
        f"({counted(int(wrong.sum()), 'such row')} in all); every target must be known and finite. "
        "Drop these rows or repair the target"
    )


def _spelled(value: float) -> str:
    return "NaN (missing)" if value != value else "infinity"


def _check_length(n_values: int, n_rows: int) -> None:
    if n_values != n_rows:
        raise DataError(
            f"the table and the target have inconsistent lengths: {n_rows} rows and {n_values} "
            "values; give one target value per row"
        )
