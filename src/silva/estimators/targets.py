"""The target as scikit-learn's users give it: one column, sometimes wrapped in two dimensions."""

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import DataConversionWarning

from silva.data.bind import bind_codes
from silva.data.table import Target
from silva.data.weights import bind_weights
from silva.errors import DataError


def one_dimensional(y: Any) -> Any:
    """`y` itself, or the only column of a two-dimensional `y`, with scikit-learn's warning."""
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if len(shape) < 2:
        return y
    if len(shape) > 2 or shape[1] != 1:
        raise DataError(
            f"y has shape {tuple(shape)}: one target a tree is supported. Pass a 1d array and fit"
            " one tree for each target, for example with sklearn.multioutput."
        )
    warnings.warn(
        "A column-vector y was passed when a 1d array was expected. Please change the shape of y"
        " to (n_samples,), for example using ravel().",
        DataConversionWarning,
        stacklevel=5,
    )
    return np.asarray(y).reshape(-1)


def held_out_classes(y: Any, sample_weight: Any, classes: Any, n_rows: int) -> Target:
    """Held-out labels as codes of the training classes, -1 for a class that is not among them."""
    codes = bind_codes(one_dimensional(y), classes)
    if len(codes) != n_rows:
        raise DataError(
            f"y_val has {len(codes)} labels and X_val {n_rows} rows: give one label for each row."
        )
    return Target("classification", codes, classes, bind_weights(sample_weight, n_rows))
