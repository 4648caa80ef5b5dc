"""`silva.interval_model`: a fitted regression forest with what its intervals need."""

from typing import Any

from silva.errors import DataError, PlanError
from silva.inspect.facades.bags import bags_of, forest_model
from silva.inspect.interval_model import IntervalModel
from silva.inspect.overrides import OWN_CLASS, refuse_overrides


def interval_model(model: Any, X: Any, y: Any, sample_weight: Any = None) -> IntervalModel:
    """Quantiles and prediction intervals of a fitted regression forest.

    The forest keeps no training rows, so give it the `X`, `y` and `sample_weight` of its fit; other
    rows are refused. See `IntervalModel` for `predict_interval` and `predict_quantiles`, and
    `silva.inspect.interval_model` for what each method assumes.

    Examples
    --------
    >>> import numpy as np, silva
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(400, 1))
    >>> y = X[:, 0] + 0.1 * rng.normal(size=400)
    >>> forest = silva.ForestRegressor(min_samples_leaf=5, random_state=0).fit(X, y)
    >>> intervals = silva.interval_model(forest, X, y)
    >>> intervals.predict_interval([[0.5]], coverage=0.8).round(1).tolist()
    [[0.3, 0.6]]
    """
    forest = forest_model(model, "interval_model", "silva.ForestRegressor")
    refuse_overrides("model", model, "interval_model", OWN_CLASS)
    if forest._task != "regression":
        raise PlanError(
            f"interval_model needs a forest of numbers, and {type(model).__name__} answers with"
            " classes: their confidence is in predict_proba and oob_confidence_."
        )
    if y is None:
        raise DataError("y is missing: give the y of fit.")
    return IntervalModel(bags_of(forest, X, y, sample_weight))
