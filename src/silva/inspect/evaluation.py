"""How good a model is on given rows, beside the prediction that needs no model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from silva import notebook
from silva.data.table import Task
from silva.data.target import bind_codes, bind_numbers
from silva.data.weights import bind_weights, weights_differ
from silva.errors import DataError
from silva.inspect import scores
from silva.inspect.intervals import student, wilson
from silva.inspect.predicted import Predicted, predicted
from silva.inspect.record import plain
from silva.inspect.subject import subject_of
from silva.notebook import ShownAsText

BASELINE: dict[Task, str] = {
    "classification": "majority class of these rows",
    "regression": "mean of these rows",
}
OTHER = "other classes"


@dataclass(frozen=True, slots=True)
class Figure:
    """One measure of the model and of the baseline; `low` to `high` is a 95% interval.

    `model` and `baseline` are None where the rows do not define the measure, `low` and `high` where
    no interval is known.
    """

    measure: str
    model: float | None
    baseline: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class ClassFigures:
    """Precision, recall and F1 of one class; None where no row is counted.

    `low` and `high` are 95% intervals.

    `rows` have the class, `predicted` rows were given it: sums of weights where rows have weights.
    """

    label: Any
    rows: float
    predicted: float
    precision: float | None
    precision_low: float | None
    precision_high: float | None
    recall: float | None
    recall_low: float | None
    recall_high: float | None
    f1: float | None


@dataclass(frozen=True, eq=False, slots=True)
class Evaluation(ShownAsText):
    """Measures of a model on rows with known targets. See `evaluate`.

    `confusion[i, j]` counts rows of class `labels[i]` that were given `labels[j]`; classes that the
    model does not know are the last row, "other classes". `impossible` rows have a class to which
    the model gave probability 0, which makes the log loss infinite.
    """

    title: str
    task: Task
    rows: int
    weighted: bool
    figures: tuple[Figure, ...]
    classes: tuple[ClassFigures, ...] = ()
    labels: tuple[Any, ...] = ()
    confusion: np.ndarray | None = None
    impossible: int = 0

    def figure(self, measure: str) -> Figure:
        """The figure of a measure by its name, such as "accuracy"."""
        return next(one for one in self.figures if one.measure == measure)

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain values that JSON can hold."""
        found = {name: plain(getattr(self, name)) for name in self.__slots__}
        return found | {"baseline": BASELINE[self.task]}

    def columns(self) -> dict[str, list[Any]]:
        """One line a measure: of the model as a whole, then of each class."""
        lines: list[tuple[Any, ...]] = [
            (one.measure, None, one.model, one.low, one.high, one.baseline) for one in self.figures
        ]
        for one in self.classes:
            for name in ("precision", "recall"):
                found = (getattr(one, f"{name}{end}") for end in ("", "_low", "_high"))
                lines.append((name, one.label, *found, None))
            lines.append(("F1", one.label, one.f1, None, None, None))
        names = ("measure", "class", "value", "low", "high", "baseline")
        return {name: [line[place] for line in lines] for place, name in enumerate(names)}

    def __str__(self) -> str:
        return notebook.printers["evaluation"](self)


def evaluate(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Evaluation:
    """Measure a fitted model on rows with known targets.

    Parameters
    ----------
    model : fitted estimator, Tree or Pipeline
        Any model of silva.
    X : table
        The rows.
    y : array-like
        Their targets. A class that the model does not know counts as predicted wrongly.
    sample_weight : array-like, default=None
        What each row counts; rows of weight 0 are left out.

    Returns
    -------
    Evaluation
        Accuracy, AUC, macro precision, recall and F1, log loss and Brier score, or mean squared
        error, mean absolute error and R2, each beside the majority class or the mean of these rows.
        Accuracy, losses and errors have 95% intervals: Wilson's for shares, Student's for means.
        Weighted rows count as (sum of w)^2 / sum of w^2 rows in intervals.

    Notes
    -----
    The measures are those of `sklearn.metrics`, with the rows' weights. AUC is the area under the
    ROC curve of the second class; of more than two classes the mean over the classes that occur,
    each against the rest (one-vs-rest, macro). Precision, recall and F1 of the model are means over
    the classes that occur in the rows or the predictions (macro); a class that was never predicted
    counts 0. The Brier score of two classes is the mean squared difference of the second class's
    probability from 1 or 0, as in `brier_score_loss`, between 0 and 1; of more classes the sum of
    these squares over the classes, between 0 and 2. What the rows do not define, such as the AUC of
    rows of one class, is None.
    """
    subject = subject_of(model)
    found = predicted(model, X)
    weights = bind_weights(sample_weight, len(found.told))
    if not len(found.told):
        raise DataError("there are no rows to measure the model on: give at least one.")
    if subject.classes is None:
        truth = bind_numbers(y, sample_weight, len(found.told)).values
        return _regression(subject.title, found.told, truth, weights)
    codes = bind_codes(y, subject.classes)
    if len(codes) != len(found.told):
        raise DataError(f"y has {len(codes)} labels and X {len(found.told)} rows: give one a row.")
    return _classification(subject.title, found, codes, subject.classes, weights)


@dataclass(frozen=True, slots=True)
class _Weights:
    """Weights of rows that count, scaled to add up to the effective number of rows."""

    each: np.ndarray
    rows: int
    differ: bool

    @property
    def total(self) -> float:
        return float(self.each.sum())

    def mean(self, values: np.ndarray) -> float:
        with np.errstate(over="ignore"):
            return float(np.average(values, weights=self.each))


def _weighed(weights: np.ndarray | None, n_rows: int) -> tuple[np.ndarray, _Weights]:
    """Which rows count, and for how much."""
    if weights is None:
        return np.arange(n_rows), _Weights(np.ones(n_rows), n_rows, False)
    kept = np.flatnonzero(weights)
    shares = weights[kept] / weights[kept].max()
    scaled = shares * (shares.sum() / np.square(shares).sum())
    return kept, _Weights(scaled, len(kept), weights_differ(weights))


def _regression(
    title: str, told: np.ndarray, truth: np.ndarray, weights: np.ndarray | None
) -> Evaluation:
    kept, counts = _weighed(weights, len(told))
    with np.errstate(over="ignore"):
        off = told[kept] - truth[kept]
        around = truth[kept] - counts.mean(truth[kept])
        squared = _mean_figure("mean squared error", off**2, around**2, counts)
        absolute = _mean_figure("mean absolute error", np.abs(off), np.abs(around), counts)
    assert squared.model is not None
    assert squared.baseline is not None
    explained = scores.r2(squared.model, squared.baseline)
    figures = (squared, absolute, Figure("R2", explained, None if explained is None else 0.0))
    return Evaluation(title, "regression", counts.rows, counts.differ, figures)


def _mean_figure(
    measure: str,
    losses: np.ndarray,
    baseline: np.ndarray | float,
    counts: _Weights,
    most: float = np.inf,
) -> Figure:
    mean = counts.mean(losses)
    other = baseline if isinstance(baseline, float) else counts.mean(baseline)
    if counts.total <= 1.0 or not np.isfinite(mean):
        return Figure(measure, mean, other)
    spread = np.sqrt(counts.mean((losses - mean) ** 2))
    if not spread:
        return Figure(measure, mean, other)
    low, high = student(np.array(mean), spread, np.array(counts.total))
    return Figure(measure, mean, other, max(0.0, float(low)), min(most, float(high)))


def _classification(
    title: str, found: Predicted, codes: np.ndarray, classes: np.ndarray, weights: np.ndarray | None
) -> Evaluation:
    kept, counts = _weighed(weights, len(codes))
    truth, told = codes[kept], bind_codes(found.told, classes)[kept]
    assert found.shares is not None
    shares = found.shares[kept]
    confusion = _confusion(truth, told, len(classes), counts.each)
    of_class = confusion.sum(axis=1) / counts.total
    right = np.trace(confusion)
    low, high = wilson(np.array(right), np.array(counts.total))
    majority = float(of_class[: len(classes)].max())
    accuracy = Figure("accuracy", float(right / counts.total), majority, float(low), float(high))
    chance = _chance(shares, truth)
    with np.errstate(divide="ignore"):
        log_loss = _mean_figure("log loss", -np.log(chance), _entropy(of_class), counts)
    brier = _brier(shares, chance, of_class, counts)
    area = scores.auc(shares, truth, counts.each)
    auc = Figure("AUC", area, None if area is None else 0.5)
    real = confusion * _scale(weights, counts)
    labels = (*classes.tolist(), *([OTHER] if len(confusion) > len(classes) else []))
    return Evaluation(
        title,
        "classification",
        counts.rows,
        counts.differ,
        (accuracy, auc, *_macro_figures(confusion), log_loss, brier),
        _class_figures(classes.tolist(), confusion, real),
        labels,
        real,
        int(np.count_nonzero(chance == 0.0)),
    )


def _scale(weights: np.ndarray | None, counts: _Weights) -> float:
    """What turns effective rows back into rows or, where weights differ, into weights."""
    if weights is None or not counts.differ:
        return counts.rows / counts.total
    return float(weights.sum() / counts.total)


def _confusion(
    truth: np.ndarray, told: np.ndarray, n_classes: int, weights: np.ndarray
) -> np.ndarray:
    """Weights by true and predicted class; a last line for classes that the model does not know."""
    lines = n_classes + bool((truth < 0).any())
    line = np.where(truth < 0, n_classes, truth)
    cells = np.bincount(line * n_classes + told, weights, lines * n_classes)
    return cells.reshape(lines, n_classes)


def _chance(shares: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """The probability that each row's class was given; 0 for a class that is not known."""
    chance = shares[np.arange(len(truth)), np.maximum(truth, 0)]
    return np.where(truth < 0, 0.0, chance)


def _brier(
    shares: np.ndarray, chance: np.ndarray, of_class: np.ndarray, counts: _Weights
) -> Figure:
    """Squared distance of the probabilities from 1 for the true class and 0 for the others."""
    half = 0.5 if shares.shape[1] == 2 else 1.0
    squares = half * (np.square(shares).sum(axis=1) - 2.0 * chance + 1.0)
    gini = half * float(1.0 - np.square(of_class).sum())
    return _mean_figure("Brier score", squares, gini, counts, 2.0 * half)


def _entropy(of_class: np.ndarray) -> float:
    known = of_class[of_class > 0]
    return float(-(known * np.log(known)).sum()) + 0.0


def _macro_figures(confusion: np.ndarray) -> Iterator[Figure]:
    """Means over the classes, beside those of always predicting the most frequent class."""
    n_classes = confusion.shape[1]
    majority = np.zeros_like(confusion)
    majority[:, confusion.sum(axis=1)[:n_classes].argmax()] = confusion.sum(axis=1)
    pairs = zip(*(scores.macros(*_sums(one)) for one in (confusion, majority)), strict=True)
    for name, (model, other) in zip(("precision", "recall", "F1"), pairs, strict=True):
        yield Figure(f"macro {name}", model, other)


def _sums(confusion: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each class the rows that are right, that were given it, and that have it."""
    n_classes = confusion.shape[1]
    return confusion.diagonal(), confusion.sum(axis=0), confusion.sum(axis=1)[:n_classes]


def _class_figures(
    labels: Sequence[Any], counts: np.ndarray, real: np.ndarray
) -> tuple[ClassFigures, ...]:
    """`counts` are effective rows, which intervals take; `real` are rows or weights."""
    right, given, have = _sums(counts)
    _, all_given, all_have = _sums(real)
    f1 = scores.f1(right, given, have).tolist()
    return tuple(
        ClassFigures(
            label,
            float(all_have[code]),
            float(all_given[code]),
            *_share(right[code], given[code]),
            *_share(right[code], have[code]),
            None if np.isnan(f1[code]) else f1[code],
        )
        for code, label in enumerate(labels)
    )


def _share(part: float, whole: float) -> tuple[float | None, float | None, float | None]:
    if not whole:
        return None, None, None
    low, high = wilson(np.array(part), np.array(whole))
    return float(part / whole), float(low), float(high)
