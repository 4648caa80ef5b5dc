"""Errors of a model that is fitted again and again: on other rows, with other settings."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import cross_validate

from silva.data.bind import bind_classes, bind_codes, bind_numbers, told_already
from silva.data.holders import hint_for
from silva.data.table import Target
from silva.data.target import n_targets
from silva.errors import DataError, PlanError
from silva.inspect.models import UNPRUNED
from silva.inspect.subject import unwrapped
from silva.messages import shown

Split = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Template:
    """Settings of a model that learn from rows: any estimator of silva, alone or in a pipeline.

    `prefix` is what the names of the model's own parameters begin with.
    """

    model: Any
    title: str
    prefix: str

    @property
    def is_classifier(self) -> bool:
        return bool(is_classifier(self.model))

    def name_of(self, parameter: str) -> str | None:
        """The name of a parameter of the trees, None if the model has no such."""
        names = self.model.get_params()
        possible = (self.prefix + parameter, f"{self.prefix}estimator__{parameter}")
        return next((name for name in possible if name in names), None)

    def with_settings(self, **settings: Any) -> "Template":
        """The same with other values of parameters of the trees; those it lacks are left out."""
        named = {self.name_of(name): value for name, value in settings.items()}
        model = clone(self.model).set_params(**{k: v for k, v in named.items() if k is not None})
        return Template(model, self.title, self.prefix)

    def weights(self, sample_weight: Any) -> dict[str, Any]:
        """What `fit` takes for the weights."""
        return {} if sample_weight is None else {f"{self.prefix}sample_weight": sample_weight}


def template_of(model: Any) -> Template:
    """The settings of a model, fitted or not; others than those of silva are refused."""
    prefix, whole = "", model
    while hasattr(whole, "best_estimator_"):
        whole = whole.best_estimator_
    inner = whole
    while hasattr(inner, "steps") and hasattr(inner, "named_steps"):
        prefix, inner = f"{prefix}{inner.steps[-1][0]}__", inner.steps[-1][1]
    inner = unwrapped(inner)[0]
    if isinstance(inner, type) or not hasattr(type(inner), "summary_"):
        hint = hint_for(model) or "Give an estimator of silva, such as silva.TreeClassifier()."
        raise PlanError(f"model={shown(model)} is not possible. {hint}")
    if not prefix:
        whole = inner
    return Template(clone(whole), type(inner).__name__, prefix)


def unpruned(template: Template) -> Template:
    """The template without pruning, so that settings of growth show what they do."""
    return template.with_settings(**UNPRUNED)


def bound_target(template: Template, X: Any, y: Any, sample_weight: Any) -> Target:
    """The target by which errors are measured; class weights do not count."""
    if X is None or y is None:
        absent = "X" if X is None else "y"
        raise DataError(f"{absent} is missing: the model is fitted again, so give both X and y.")
    if template.is_classifier:
        return bind_classes(y, sample_weight, None, n_targets(y))
    return bind_numbers(y, sample_weight, n_targets(y))


def fold_errors(
    template: Template,
    X: Any,
    y: Any,
    target: Target,
    sample_weight: Any,
    splits: Sequence[Split],
) -> tuple[np.ndarray, np.ndarray]:
    """The errors of a model fitted on the first part of each split: there, and on the second.

    Fits do not warn about the data: small parts of it look odd, and the user's own fit warns.
    """
    with told_already():
        fits = cross_validate(
            template.model,
            X,
            y,
            cv=list(splits),
            scoring=_nothing,
            params=template.weights(sample_weight),
            return_estimator=True,
            error_score="raise",
        )
    train, test = np.empty(len(splits)), np.empty(len(splits))
    for place, (model, (seen, unseen)) in enumerate(zip(fits["estimator"], splits, strict=True)):
        lost = losses(model.predict(X), target)
        train[place], test[place] = (mean_loss(lost, target, rows) for rows in (seen, unseen))
    return train, test


def losses(told: np.ndarray, target: Target) -> np.ndarray:
    """1 for each wrong class, or the squared error of each number (float64)."""
    if target.classes is None:
        with np.errstate(over="ignore"):
            return np.asarray((told - target.values) ** 2)
    return np.asarray(bind_codes(told, target.classes) != target.values, dtype=np.float64)


def mean_loss(lost: np.ndarray, target: Target, rows: np.ndarray) -> float:
    """The mean by weight over some rows; NaN if none of them has a weight."""
    if target.weights is None:
        return float(lost[rows].mean())
    weights = target.weights[rows]
    return float(np.average(lost[rows], weights=weights)) if weights.any() else np.nan


def _nothing(model: Any, X: Any, y: Any = None) -> float:
    """Scores are computed from predictions for all rows at once."""
    return 0.0
