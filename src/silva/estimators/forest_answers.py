"""What estimators of many trees answer: classes and their probabilities, or numbers."""

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from silva.checks import check_choice
from silva.data.bind import bind_classes, bind_numbers
from silva.data.table import Target
from silva.ensemble import combine
from silva.estimators.base import TreeEstimator
from silva.estimators.classifier import TreeClassifier
from silva.estimators.forest_base import ForestEstimator
from silva.estimators.forest_params import BALANCED_SUBSAMPLE, is_balanced_by_tree
from silva.estimators.members import tree_like
from silva.estimators.regressor import TreeRegressor
from silva.estimators.targets import held_out_classes, one_dimensional


class BaseForestClassifier(ClassifierMixin, ForestEstimator):  # type: ignore[misc]
    """Trees that vote for classes."""

    _task = "classification"

    def predict(self, X: Any) -> np.ndarray:
        """The class with the most votes; among equals the first of `classes_`."""
        codes = combine.codes(*self._asked(X))
        return np.asarray(self.classes_.take(codes))

    def predict_proba(self, X: Any) -> np.ndarray:
        """The mean class probabilities of the trees, or their shares of hard votes."""
        return combine.shares(*self._asked(X))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithm of `predict_proba`; minus infinity for a share of 0."""
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(shares))

    @property
    def oob_decision_function_(self) -> np.ndarray:
        """Class probabilities by the trees that did not see the row; NaN where all did."""
        return self._oob("oob_decision_function_").answers

    @property
    def oob_confidence_(self) -> np.ndarray:
        """The out-of-bag probability of each row's likeliest class."""
        return self._oob("oob_confidence_").confidence

    def _prototype(self) -> TreeEstimator:
        return tree_like(TreeClassifier, self)

    def _single_tree(self, **params: Any) -> TreeEstimator:
        return TreeClassifier(**params)

    def _bind_target(self, y: Any, sample_weight: Any, n_rows: int) -> Target:
        class_weight = self._choices().class_weight
        if not self._bags and isinstance(class_weight, str):
            check_choice("class_weight", class_weight, ("balanced", BALANCED_SUBSAMPLE))
            class_weight = None if is_balanced_by_tree(self) else "balanced"
        return bind_classes(one_dimensional(y), sample_weight, class_weight, n_rows)

    def _bind_held_out_target(
        self, y: Any, sample_weight: Any, n_rows: int, training: Target
    ) -> Target:
        return held_out_classes(y, sample_weight, n_rows, training)


class BaseForestRegressor(RegressorMixin, ForestEstimator):  # type: ignore[misc]
    """Trees whose numbers are averaged."""

    _task = "regression"

    def predict(self, X: Any) -> np.ndarray:
        """The mean of what the trees answer."""
        return combine.values(*self._asked(X))

    @property
    def oob_prediction_(self) -> np.ndarray:
        """The answer of the trees that did not see the row; NaN where all did."""
        return self._oob("oob_prediction_").answers

    def _prototype(self) -> TreeEstimator:
        return tree_like(TreeRegressor, self)

    def _single_tree(self, **params: Any) -> TreeEstimator:
        return TreeRegressor(**params)

    def _bind_target(self, y: Any, sample_weight: Any, n_rows: int) -> Target:
        return bind_numbers(one_dimensional(y), sample_weight, n_rows)

    def _bind_held_out_target(
        self, y: Any, sample_weight: Any, n_rows: int, training: Target
    ) -> Target:
        return self._bind_target(y, sample_weight, n_rows)
