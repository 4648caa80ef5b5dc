"""Bagging: any silva tree, grown many times from random rows and columns."""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import available_if

from silva.checks import refuse
from silva.estimators.base import TreeEstimator
from silva.estimators.classifier import BaseTreeClassifier, TreeClassifier
from silva.estimators.forest_answers import BaseForestClassifier, BaseForestRegressor
from silva.estimators.forest_docs import described
from silva.estimators.forest_params import Start
from silva.estimators.params import keep_parameters
from silva.estimators.regressor import BaseTreeRegressor, TreeRegressor
from silva.inspect.overrides import refuse_overrides


class DrawsColumns:
    """What both baggings offer beside other forests: the columns of each tree."""

    _bags = True
    _start: Start

    @property
    def estimators_features_(self) -> list[np.ndarray]:
        """The columns of each tree, ascending: members take `X[:, columns]`."""
        _ = self._forest  # type: ignore[attr-defined]
        start = self._start
        return [start.columns.columns(seed) for seed in start.seeds]

    def _prototype(self) -> TreeEstimator:
        return clone(self._choices())  # type: ignore[attr-defined, no-any-return]


def _members_decide(model: Any) -> bool:
    return hasattr(model._choices(), "decision_function")


@described
class BaggingClassifier(DrawsColumns, BaseForestClassifier):
    """Many classification trees of one kind, each from random rows and columns; they vote.

    Examples
    --------
    >>> from silva import BaggingClassifier, StumpClassifier
    >>> X, y = [[1.0], [2.0], [4.0], [5.0]], ["a", "a", "b", "b"]
    >>> model = BaggingClassifier(StumpClassifier(), n_estimators=20, random_state=0).fit(X, y)
    >>> model.predict([[1.4], [9.0]]).tolist()
    ['a', 'b']
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: int | float | None = None,
        max_features: int | float = 1.0,
        bootstrap: bool | str = True,
        bootstrap_features: bool = False,
        oob_score: Any = False,
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

    @available_if(_members_decide)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> np.ndarray:
        """The mean of the members' decision functions; there is none if the members have none.

        Trees of silva have none, as scikit-learn's do not; a subclass may.
        """
        parts = (_safe_indexing(X, columns, axis=1) for columns in self.estimators_features_)
        decided = [m.decision_function(part) for m, part in zip(self, parts, strict=True)]
        return np.asarray(sum(decided) / len(self))


@described
class BaggingRegressor(DrawsColumns, BaseForestRegressor):
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

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: int | float | None = None,
        max_features: int | float = 1.0,
        bootstrap: bool | str = True,
        bootstrap_features: bool = False,
        oob_score: Any = False,
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
    bagging = "Bagging" + default.__name__.removeprefix("Tree")
    peer = f"sklearn.ensemble.{bagging}"
    if not isinstance(given, kind):
        allowed = f"use None or a tree of silva, such as silva.{default.__name__}(max_depth=3)"
        hint = f"{peer} takes other estimators."
        if isinstance(given, type) and issubclass(given, kind):
            hint = f"Did you mean silva.{given.__name__}()?"
        refuse("estimator", given, allowed, hint)
    refuse_overrides("estimator", given, bagging, f"{peer} calls them.")
    return given
