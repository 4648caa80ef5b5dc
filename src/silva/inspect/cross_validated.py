"""The score of a way to fit, on rows that each fit did not see, beside the baseline's."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from silva.data.table import Target, Task
from silva.data.target import bind_classes, bind_codes, bind_numbers
from silva.errors import DataError
from silva.inspect.forest_summary import baseline
from silva.inspect.record import plain
from silva.inspect.summary import BASELINE, MEASURE, measured
from silva.messages import counted
from silva.notebook import ShownAsText
from silva.prune.cross_validation import folds

FitAndPredict = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Takes row numbers to fit and row numbers to predict, returns the predictions of the latter."""


@dataclass(frozen=True, slots=True)
class CrossValidated(ShownAsText):
    """Scores of folds. See `cross_validated`.

    `score` and `baseline` are of all rows together, each predicted by the fit that did not see it;
    `fold_scores` and `fold_baselines` of each fold. Accuracy, or mean squared error.
    """

    task: Task
    rows: int
    score: float
    baseline: float
    fold_scores: tuple[float, ...]
    fold_baselines: tuple[float, ...]

    @property
    def standard_error(self) -> float:
        """The deviation of the folds' scores over the root of their number."""
        each = np.array(self.fold_scores)
        return float(each.std(ddof=1) / np.sqrt(len(each)))

    def to_dict(self) -> dict[str, Any]:
        """The scores as plain values that JSON can hold."""
        found = {name: plain(getattr(self, name)) for name in self.__slots__}
        return found | {"standard_error": plain(self.standard_error)}

    def __str__(self) -> str:
        form = ".4f" if self.task == "classification" else ".6g"
        low, high = min(self.fold_scores), max(self.fold_scores)
        return (
            f"{len(self.fold_scores)}-fold cross-validation on {counted(self.rows, 'row')};"
            f" {MEASURE[self.task]}: {self.score:{form}}"
            f" (standard error {self.standard_error:.2g}, folds {low:{form}} to {high:{form}}),"
            f" {BASELINE[self.task]}: {self.baseline:{form}}"
        )


def cross_validated(
    fit_and_predict: FitAndPredict,
    task: Task,
    y: Any,
    n_folds: int,
    seed: int = 0,
    sample_weight: Any = None,
) -> CrossValidated:
    """Fit once for each fold on the other folds, and measure the predictions of all rows.

    Parameters
    ----------
    fit_and_predict : callable
        Takes the numbers of the rows to fit and those to predict, returns the predictions.
    task : {"classification", "regression"}
        What `y` is for.
    y : array-like
        The targets of all rows.
    n_folds : int
        How many parts the rows are dealt into at random, each class evenly.
    seed : int, default=0
        Draws the folds.
    sample_weight : array-like, default=None
        What each row counts; rows of weight 0 are in no fold.

    Returns
    -------
    CrossValidated
        The baseline is the majority class or mean of the rows that the fold was fitted on.
    """
    target = _target(y, task, sample_weight)
    fold = folds(target, n_folds, seed)
    if fold.max() + 1 < n_folds:
        rows = counted(int(np.count_nonzero(fold >= 0)), "row")
        raise DataError(f"{n_folds} folds need at least as many rows, and there are {rows}.")
    told = np.empty(len(fold), np.int64 if target.classes is not None else np.float64)
    simple = told.copy()
    for number in range(n_folds):
        train, test = np.flatnonzero((fold >= 0) & (fold != number)), np.flatnonzero(fold == number)
        told[test] = _coded(target, fit_and_predict(train, test))
        simple[test] = baseline(target.take(train))
    parts = [np.flatnonzero(fold == number) for number in range(n_folds)]
    every = np.flatnonzero(fold >= 0)
    scores = [measured(target.take(part), told[part], simple[part]) for part in [every, *parts]]
    return CrossValidated(
        task,
        len(every),
        scores[0].tree,
        scores[0].baseline,
        tuple(one.tree for one in scores[1:]),
        tuple(one.baseline for one in scores[1:]),
    )


def _target(y: Any, task: Task, sample_weight: Any) -> Target:
    if task == "regression":
        return bind_numbers(y, sample_weight, len(y))
    return bind_classes(y, sample_weight, None, len(y))


def _coded(target: Target, told: np.ndarray) -> np.ndarray:
    if target.classes is None:
        return told
    return bind_codes(told, target.classes)
