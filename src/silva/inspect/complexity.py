"""Training and validation error against each setting that limits the size of trees."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from silva.checks import check_choice, refuse, whole
from silva.data.bind import bind_codes, bind_numbers, told_already
from silva.data.table import Target, Task
from silva.errors import DataError, PlanError
from silva.inspect.fold_rows import Split, folds_of
from silva.inspect.refits import (
    Template,
    bound_target,
    fold_errors,
    losses,
    mean_loss,
    template_of,
    unpruned,
)
from silva.inspect.subject import subject_of
from silva.tree import stats

PARAMETERS = ("max_depth", "min_samples_split", "min_samples_leaf")
LEAST = {"max_depth": 1, "min_samples_split": 2, "min_samples_leaf": 1}
MOST_VALUES = 10


@dataclass(frozen=True, eq=False)
class Sweep:
    """Errors at several values of one parameter, all other settings left as they are.

    `validation` is the mean over the folds and `spread` its standard error, None for given
    validation rows. `best` is the place of the least validation error (of ties, that of the
    smallest trees).
    """

    parameter: str
    values: np.ndarray
    train: np.ndarray
    validation: np.ndarray
    spread: np.ndarray | None
    best: int


@dataclass(frozen=True, eq=False)
class Complexity:
    """A sweep for each parameter; `folds` is 0 if validation rows were given."""

    task: Task
    title: str
    folds: int
    sweeps: tuple[Sweep, ...]


class Measure(Protocol):
    """Fits a template; its errors on training and validation rows, one a fold."""

    def __call__(self, template: Template) -> tuple[np.ndarray, np.ndarray]: ...


def complexity_of(
    model: Any,
    X: Any,
    y: Any,
    X_val: Any = None,
    y_val: Any = None,
    cv: Any = 5,
    sample_weight: Any = None,
    values: Mapping[str, Iterable[int]] | None = None,
    seed: int = 0,
) -> Complexity:
    """The errors of a model at several values of each parameter; see `silva.plot.complexity`."""
    whole("seed", seed, 0, 2**32 - 1)
    template = unpruned(template_of(model))
    for name in PARAMETERS:
        _check_parameter(template, name)
    target = bound_target(template, X, y, sample_weight)
    given = _given_values(values)
    folds, measure = _measure(X, y, target, sample_weight, X_val, y_val, cv, seed)
    sweeps = []
    for name in PARAMETERS:
        chosen = given.get(name) or _values(name, template, X, y, sample_weight)
        sweeps.append(_sweep(template, name, chosen, measure))
    return Complexity(target.task, template.title, folds, tuple(sweeps))


def _check_parameter(template: Template, name: str) -> None:
    if template.name_of(name) is None:
        raise PlanError(
            f"model={template.title} is not possible: it has no parameter {name!r}. Give a model"
            " whose trees can grow, such as silva.TreeClassifier(), or as its estimator:"
            f" silva.BaggingClassifier(silva.TreeClassifier())."
        )


def _given_values(values: Any) -> dict[str, list[int]]:
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        refuse("values", values, "give lists by parameter, such as {'max_depth': [1, 2, 4]}")
    found = {}
    for name, some in values.items():
        check_choice("values", name, PARAMETERS)
        found[name] = sorted({whole(f"values[{name!r}]", one, LEAST[name]) for one in some})
        if not found[name]:
            refuse(f"values[{name!r}]", some, "give one value at least, or leave it out")
    return found


def _values(name: str, template: Template, X: Any, y: Any, sample_weight: Any) -> list[int]:
    """Values from large trees to small ones, at even steps of their logarithm."""
    if name == "max_depth":
        model = template.with_settings(max_depth=None).model
        with told_already():
            model.fit(X, y, **template.weights(sample_weight))
        most = max(int(stats.depth(tree).max()) for tree in subject_of(model).trees())
    else:
        most = len(y) // (2 if name == "min_samples_split" else 4)
    least = LEAST[name]
    steps = np.geomspace(least, max(least, most), MOST_VALUES)
    return sorted({*np.round(steps).astype(int).tolist()})


def _measure(
    X: Any, y: Any, target: Target, sample_weight: Any, X_val: Any, y_val: Any, cv: Any, seed: int
) -> tuple[int, Measure]:
    if X_val is None and y_val is None:
        splits = folds_of(cv, target, seed)
        return len(splits), _by_folds(X, y, target, sample_weight, splits)
    if X_val is None or y_val is None:
        absent = "X_val" if X_val is None else "y_val"
        raise DataError(f"{absent} is missing: validation rows need both X_val and y_val.")
    return 0, _by_rows(X, y, target, sample_weight, X_val, y_val)


def _by_folds(
    X: Any, y: Any, target: Target, sample_weight: Any, splits: Sequence[Split]
) -> Measure:
    def measure(template: Template) -> tuple[np.ndarray, np.ndarray]:
        return fold_errors(template, X, y, target, sample_weight, splits)

    return measure


def _by_rows(X: Any, y: Any, target: Target, sample_weight: Any, X_val: Any, y_val: Any) -> Measure:
    n_rows = len(y_val)
    if target.classes is None:
        truth = bind_numbers(y_val, None, n_rows)
    else:
        truth = Target(target.task, bind_codes(y_val, target.classes), target.classes, None)

    def measure(template: Template) -> tuple[np.ndarray, np.ndarray]:
        with told_already():
            model = template.model.fit(X, y, **template.weights(sample_weight))
        told = (model.predict(X), target), (model.predict(X_val), truth)
        if len(told[1][0]) != n_rows:
            raise DataError(
                f"y_val has {n_rows} targets and X_val {len(told[1][0])} rows: give one a row."
            )
        train, test = (
            np.array([mean_loss(losses(one, of), of, np.arange(len(of.values)))])
            for one, of in told
        )
        return train, test

    return measure


def _sweep(template: Template, name: str, values: Sequence[int], measure: Measure) -> Sweep:
    train, validation, spread = [], [], []
    for value in values:
        of_train, of_test = measure(template.with_settings(**{name: value}))
        train.append(np.nanmean(of_train))
        validation.append(np.nanmean(of_test))
        n_folds = len(of_test)
        spread.append(np.nanstd(of_test, ddof=1) / np.sqrt(n_folds) if n_folds > 1 else np.nan)
    errors = np.array(validation)
    least = np.flatnonzero(errors == errors.min())
    return Sweep(
        parameter=name,
        values=np.array(values),
        train=np.array(train),
        validation=errors,
        spread=None if np.isnan(spread).any() else np.array(spread),
        best=int(least[0] if name == "max_depth" else least[-1]),
    )
