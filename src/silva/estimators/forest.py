"""Random forests and extremely randomised trees with scikit-learn's interface.

Parameters and attributes are described in `forest_docs`, which writes them into the docstrings.
"""

from typing import Any, Self

import numpy as np

from silva.errors import SilvaError
from silva.estimators.base import TreeEstimator
from silva.estimators.forest_answers import BaseForestClassifier, BaseForestRegressor
from silva.estimators.forest_docs import described
from silva.estimators.params import keep_parameters


class GrowsItself:
    """A forest has the parameters of its trees among its own."""

    @property
    def estimator(self) -> TreeEstimator:
        """The tree that is grown many times, not fitted."""
        try:
            return self._prototype()  # type: ignore[attr-defined, no-any-return]
        except SilvaError as error:
            raise AttributeError(f"estimator: {error}") from error

    def _choices(self) -> Self:
        return self


@described
class ForestClassifier(GrowsItself, BaseForestClassifier):
    """A random forest: many trees on bootstrap samples, a few random columns at every split.

    Each tree is exact, and equals the single tree that is grown from the same draws.

    Examples
    --------
    >>> from silva import ForestClassifier
    >>> X, y = [[1.0], [2.0], [4.0], [5.0]], ["a", "a", "b", "b"]
    >>> model = ForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> model.predict([[1.4], [9.0]]).tolist()
    ['a', 'b']
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool | str = True,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: dict[Any, float] | str | None = None,
        ccp_alpha: float = 0.0,
        max_samples: int | float | None = None,
        vote: str = "soft",
        early_stopping: bool = False,
        n_iter_no_change: int = 50,
        tol: float = 0.0,
        on_interrupt: str = "raise",
        min_gain: float = 0.0,
        prune: Any = None,
        validation_fraction: float = 0.2,
        categorical_features: Any = "from_dtype",
        splits: Any = None,
        missing: Any = "learn",
        unseen: Any = "majority",
        thresholds: str = "all",
        category_gain: str = "fair",
        leaf: Any = None,
        plan: Any = None,
    ) -> None:
        keep_parameters(self, locals())


@described
class ForestRegressor(GrowsItself, BaseForestRegressor):
    """A random forest of regression trees on bootstrap samples; the answer is their mean.

    Each tree is exact, and equals the single tree that is grown from the same draws.

    Examples
    --------
    >>> from silva import ForestRegressor
    >>> X, y = [[1.0], [2.0], [4.0], [5.0]], [0.0, 1.0, 8.0, 9.0]
    >>> model = ForestRegressor(n_estimators=20, random_state=0).fit(X, y)
    >>> (model.predict([[1.0]]) < model.predict([[5.0]])).tolist()
    [True]
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool | str = True,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: int | float | None = None,
        early_stopping: bool = False,
        n_iter_no_change: int = 50,
        tol: float = 0.0,
        on_interrupt: str = "raise",
        min_gain: float = 0.0,
        prune: Any = None,
        validation_fraction: float = 0.2,
        categorical_features: Any = "from_dtype",
        splits: Any = None,
        missing: Any = "learn",
        unseen: Any = "majority",
        thresholds: str = "all",
        category_gain: str = "fair",
        leaf: Any = None,
        plan: Any = None,
    ) -> None:
        keep_parameters(self, locals())


@described
class ExtraTreesClassifier(GrowsItself, BaseForestClassifier):
    """Extremely randomised trees: all rows, and one random threshold for each column tried.

    Examples
    --------
    >>> from silva import ExtraTreesClassifier
    >>> X, y = [[1.0], [2.0], [4.0], [5.0]], ["a", "a", "b", "b"]
    >>> model = ExtraTreesClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> model.predict([[1.4], [9.0]]).tolist()
    ['a', 'b']
    """

    splitter = "random"
    thresholds = "all"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool | str = False,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: dict[Any, float] | str | None = None,
        ccp_alpha: float = 0.0,
        max_samples: int | float | None = None,
        vote: str = "soft",
        early_stopping: bool = False,
        n_iter_no_change: int = 50,
        tol: float = 0.0,
        on_interrupt: str = "raise",
        min_gain: float = 0.0,
        prune: Any = None,
        validation_fraction: float = 0.2,
        categorical_features: Any = "from_dtype",
        splits: Any = None,
        missing: Any = "learn",
        unseen: Any = "majority",
        category_gain: str = "fair",
        leaf: Any = None,
        plan: Any = None,
    ) -> None:
        keep_parameters(self, locals())


@described
class ExtraTreesRegressor(GrowsItself, BaseForestRegressor):
    """Extremely randomised regression trees: all rows, one random threshold for each column tried.

    Examples
    --------
    >>> from silva import ExtraTreesRegressor
    >>> X, y = [[1.0], [2.0], [4.0], [5.0]], [0.0, 1.0, 8.0, 9.0]
    >>> model = ExtraTreesRegressor(n_estimators=20, random_state=0).fit(X, y)
    >>> model.predict([[1.0], [5.0]]).tolist()
    [0.0, 9.0]
    """

    splitter = "random"
    thresholds = "all"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool | str = False,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: int | float | None = None,
        early_stopping: bool = False,
        n_iter_no_change: int = 50,
        tol: float = 0.0,
        on_interrupt: str = "raise",
        min_gain: float = 0.0,
        prune: Any = None,
        validation_fraction: float = 0.2,
        categorical_features: Any = "from_dtype",
        splits: Any = None,
        missing: Any = "learn",
        unseen: Any = "majority",
        category_gain: str = "fair",
        leaf: Any = None,
        plan: Any = None,
    ) -> None:
        keep_parameters(self, locals())
