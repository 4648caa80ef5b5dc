"""scikit-learn's callbacks (experimental there), met in this one place.

A fit without callbacks pays nothing: no context is made unless somebody listens.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from sklearn.callback import CallbackSupportMixin, with_callbacks

__all__ = ["CallbackSupportMixin", "FitTask", "tears_down_callbacks"]

Method = TypeVar("Method", bound=Callable[..., Any])

tears_down_callbacks: Callable[[Method], Method] = with_callbacks


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
