"""Bagging: any silva tree, grown many times from random rows and columns."""

from typing import Any

import numpy as np

from silva.estimators.base import TreeEstimator
from silva.estimators.classifier import BaseTreeClassifier, TreeClassifier
from silva.estimators.forest_answers import BaseForestClassifier, BaseForestRegressor
from silva.estimators.forest_docs import described
from silva.estimators.forest_params import keep_parameters
from silva.estimators.regressor import BaseTreeRegressor, TreeRegressor
from silva.grow.checks import refuse


@described
class BaggingClassifier(BaseForestClassifier):
    """Many classification trees of one kind, each from random rows and columns; they vote.

    Examples
    --------
    >>> from silva import BaggingClassifier, StumpClassifier
    >>> X, y = [[1.0], [2.0], [4.0], [5.0]], ["a", "a", "b", "b"]
    >>> model = BaggingClassifier(StumpClassifier(), n_estimators=20, random_state=0).fit(X, y)
    >>> model.predict([[1.4], [9.0]]).tolist()
    ['a', 'b']
    """

    _bags = True

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: int | float | None = None,
        max_features: int | float = 1.0,
        bootstrap: bool | str = True,
        oob_score: bool = False,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        vote: str = "soft",
        early_stopping: bool = False,
        n_iter_no_change: int = 50,
        tol: float = 0.0,
        on_interrupt: str = "raise",
    ) -> None:
        keep_parameters(self, locals())

    def _choices(self) -> Any:
        return _tree_estimator(self.estimator, BaseTreeClassifier, TreeClassifier)


@described
class BaggingRegressor(BaseForestRegressor):
    """Many regression trees of one kind, each from random rows and columns; the answer is the mean.

    Examples
    --------
    >>> from silva import BaggingRegressor, TreeRegressor
    >>> X, y = [[1.0], [2.0], [4.0], [5.0]], [0.0, 1.0, 8.0, 9.0]
    >>> tree = TreeRegressor(max_depth=2)
    >>> model = BaggingRegressor(tree, bootstrap=False, max_features=1).fit(X, y)
    >>> model.predict([[1.4], [9.0]]).tolist()
    [0.0, 9.0]
    """

    _bags = True

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: int | float | None = None,
        max_features: int | float = 1.0,
        bootstrap: bool | str = True,
        oob_score: bool = False,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        early_stopping: bool = False,
        n_iter_no_change: int = 50,
        tol: float = 0.0,
        on_interrupt: str = "raise",
    ) -> None:
        keep_parameters(self, locals())

    def _choices(self) -> Any:
        return _tree_estimator(self.estimator, BaseTreeRegressor, TreeRegressor)


def _tree_estimator(given: Any, kind: type[TreeEstimator], default: type[TreeEstimator]) -> Any:
    if given is None:
        return default()
    if not isinstance(given, kind):
        allowed = f"use None or a tree of silva, such as silva.{default.__name__}(max_depth=3)"
        hint = "scikit-learn's own bagging takes other estimators."
        if isinstance(given, type) and issubclass(given, kind):
            hint = f"Did you mean silva.{given.__name__}()?"
        refuse("estimator", given, allowed, hint)
    return given
