"""The target as scikit-learn's users give it: one column, sometimes wrapped in two dimensions."""

from typing import Any

import numpy as np
from sklearn.exceptions import DataConversionWarning

from silva.data.bind import bind_codes
from silva.data.table import Target
from silva.data.weights import bind_weights, times_class
from silva.errors import DataError, warn


def one_dimensional(y: Any) -> Any:
    """`y` itself; scikit-learn's warning where its only column is wrapped in two dimensions."""
    shape = _shape(y)
    if len(shape) < 2:
        return y
    if len(shape) > 2 or shape[1] != 1:
        raise DataError(
            f"y has shape {tuple(shape)}: one target a tree is supported. Pass a 1d array and fit"
            " one tree for each target, for example with sklearn.multioutput."
        )
    warn(
        "A column-vector y was passed when a 1d array was expected. Please change the shape of y"
        " to (n_samples,), for example using ravel().",
        DataConversionWarning,
    )
    return y


def _shape(y: Any) -> tuple[int, ...]:
    """The shape of an array, of a frame or of a list of rows."""
    if isinstance(y, list | tuple) and y and isinstance(y[0], list | tuple | np.ndarray):
        return (len(y), *np.shape(y[0]))
    shape = getattr(y, "shape", ())
    return shape if isinstance(shape, tuple) else tuple(shape)


def held_out_classes(y: Any, sample_weight: Any, n_rows: int, training: Target) -> Target:
    """Held-out labels as codes of the training classes, -1 for a class that is not among them.

    Rows weigh what they would in training: class weights count here too.
    """
    assert training.classes is not None
    codes = bind_codes(one_dimensional(y), training.classes)
    if len(codes) != n_rows:
        raise DataError(
            f"y_val has {len(codes)} labels and X_val {n_rows} rows: give one label for each row."
        )
    weights = bind_weights(sample_weight, n_rows)
    if training.class_weights is not None:
        weights = times_class(weights, training.class_weights, codes)
    return Target("classification", codes, training.classes, weights)
