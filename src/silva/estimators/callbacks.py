"""scikit-learn's callbacks (experimental there), met in this one place.

A fit without callbacks pays nothing: no context is made or torn down unless somebody listens.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from sklearn.callback import CallbackSupportMixin, with_callbacks

__all__ = ["CallbackSupportMixin", "FitTask", "tears_down_callbacks"]

Method = TypeVar("Method", bound=Callable[..., Any])


def tears_down_callbacks(fit: Method) -> Method:
    """The method, which tears down the callbacks of its estimator whether it succeeds or not."""
    managed = with_callbacks(fit)

    @wraps(fit)
    def method(estimator: Any, *args: Any, **kwargs: Any) -> Any:
        chosen = managed if _is_heard(estimator) else fit
        return chosen(estimator, *args, **kwargs)

    return cast(Method, method)


class FitTask:
    """One fit as callbacks see it: with the user's own X and y, so that names stay."""

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any) -> None:
        weights = {} if sample_weight is None else {"metadata": {"sample_weight": sample_weight}}
        self._facts = {"estimator": estimator, "X": X, "y": y, **weights}
        self._context = estimator._init_callback_context() if _is_heard(estimator) else None
        if self._context is not None:
            self._context.call_on_fit_task_begin(**self._facts)

    def end(self) -> None:
        """Tell that the estimator is fitted; its copy is what the callbacks may ask."""
        if self._context is not None:
            self._context.call_on_fit_task_end(**self._facts, reconstruction_attributes=dict)


def _is_heard(estimator: Any) -> bool:
    known = vars(estimator)
    return "_skl_callbacks" in known or "_parent_callback_ctx" in known
