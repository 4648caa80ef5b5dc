"""What Ctrl-C does in a fit that has finished a part of its work: the same in all estimators.

The fit ends with KeyboardInterrupt, so that a loop of fits ends too, and what was finished is kept
as a fitted model in `partial_`. With `on_interrupt="keep"` the estimator itself becomes that model.
"""

from typing import Any, TypeVar

from silva.checks import check_choice

Model = TypeVar("Model")

ON_INTERRUPT = ("raise", "keep")


def check_on_interrupt(estimator: Any) -> None:
    check_choice("on_interrupt", estimator.on_interrupt, ON_INTERRUPT)


def forget_partial(estimator: Any) -> None:
    """Drop the partial model of an interrupted fit: a new fit begins."""
    vars(estimator).pop("partial_", None)


def receiver(estimator: Model, interrupted: bool) -> Model:
    """What becomes fitted: the estimator, or a new one of its parameters after Ctrl-C."""
    model: Any = estimator
    if not interrupted or model.on_interrupt == "keep":
        return estimator
    twin: Model = type(model)(**model.get_params(deep=False))
    return twin


def raise_unless_kept(estimator: Any, model: Any, found: str) -> None:
    """End an interrupted fit whose `receiver` is another model; `found` says what that one has."""
    if model is estimator:
        return
    vars(estimator)["partial_"] = model
    raise KeyboardInterrupt(
        f"the fit was interrupted: {found}. This estimator keeps it as a fitted model in partial_;"
        " with on_interrupt='keep', fit returns it."
    ) from None
