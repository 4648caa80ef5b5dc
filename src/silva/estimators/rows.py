"""The rows that an estimator is given beside its training rows: to be answered, or held out."""

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from silva.data.bind import bind_prediction
from silva.data.schema import Schema
from silva.data.table import Table, Target
from silva.errors import DataError
from silva.prune.evidence import Rows


class TakesRows(BaseEstimator):  # type: ignore[misc]
    """What estimators of one tree and of many share: how they read rows."""

    @abstractmethod
    def _bind_held_out_target(
        self, y: Any, sample_weight: Any, n_rows: int, training: Target
    ) -> Target:
        """The target of held-out rows, in the coding of the training target."""

    def _check_width(self, X: Any, schema: Schema) -> None:
        if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] != len(schema):
            raise DataError(
                f"X has {X.shape[1]} features, but {type(self).__name__} is expecting"
                f" {len(schema)} features as input: give the columns it was fitted on."
            )

    def _bind_held_out(
        self, X: Any, y: Any, sample_weight: Any, schema: Schema, training: Target
    ) -> Rows | None:
        if X is None and y is None and sample_weight is None:
            return None
        if X is None or y is None:
            absent = "X_val" if X is None else "y_val"
            raise DataError(f"{absent} is missing: held-out rows need both X_val and y_val.")
        table = _bound_held_out(X, schema)
        if not table.n_rows:
            raise DataError("X_val has no rows: leave it out, or give rows to measure the tree on.")
        return Rows(table, self._bind_held_out_target(y, sample_weight, table.n_rows, training))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


def _bound_held_out(X: Any, schema: Schema) -> Table:
    """The table of held-out rows; whatever is wrong with it is told as X_val's."""
    try:
        return bind_prediction(X, schema)
    except DataError as error:
        raise type(error)(f"X_val: {error}") from error
