"""What to give in place of an object that only holds the model: a pipeline, a search, a class."""

from typing import Any


def check_fitted(model: Any) -> None:
    """Refuse an estimator of silva that has not been fitted."""
    from sklearn.exceptions import NotFittedError

    fitted = getattr(model, "__sklearn_is_fitted__", None)
    if hasattr(type(model), "summary_") and callable(fitted) and not fitted():
        name = type(model).__name__
        raise NotFittedError(f"This {name} instance is not fitted yet: call fit first.")


def hint_for(model: Any) -> str:
    """How to get at the model that the object holds, as a sentence; empty if it holds none."""
    if isinstance(model, type):
        return f"Give a fitted instance, not the class {model.__name__}."
    if hasattr(model, "get_feature_names_out") and hasattr(model, "model"):
        name = "model_" if hasattr(model, "model_") else "model"
        return f"Give the model inside this {type(model).__name__}, its attribute {name}."
    place = place_of(model)
    if place == "model":
        return ""
    if place.endswith("[-1]"):
        columns = f"the columns that {place[:-4]}[:-1].transform(X) returns"
        return f"Give the last step of the pipeline, {place}; it expects {columns}."
    return f"Give the model that was found, {place}."


def place_of(model: Any, name: str = "model") -> str:
    """The expression that leads to the innermost model."""
    steps = getattr(model, "steps", None)
    if isinstance(steps, list) and steps:
        return place_of(steps[-1][-1], f"{name}[-1]")
    if hasattr(model, "param_grid") or hasattr(model, "param_distributions"):
        found = getattr(model, "best_estimator_", None)
        return place_of(found, f"{name}.best_estimator_")
    return name
