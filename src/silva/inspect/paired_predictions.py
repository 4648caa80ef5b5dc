"""Two models on the same rows: where they differ, and whether one is better."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from scipy.special import bdtr

from silva.checks import check_choice, refuse
from silva.data.large import mean_of
from silva.data.table import Task
from silva.data.weights import bind_weights
from silva.errors import DataError
from silva.inspect import scores
from silva.inspect.intervals import student
from silva.inspect.record import plain
from silva.messages import counted
from silva.notebook import ShownAsText
from silva.tree import words


def mcnemar(only_first: int, only_second: int) -> float:
    """The two-sided p-value of McNemar's exact test.

    Parameters
    ----------
    only_first, only_second : int
        How many rows only the first and only the second of two classifiers got right. If neither
        is better, the former has a binomial distribution with probability 1/2.

    Returns
    -------
    float
        1.0 where there are no such rows.
    """
    fewer, rows = min(only_first, only_second), only_first + only_second
    return min(1.0, 2.0 * float(bdtr(fewer, rows, 0.5)))


@dataclass(frozen=True, slots=True)
class PairedScore:
    """One measure of both models, as `silva.inspect.evaluate` defines it."""

    measure: str
    a: float | None
    b: float | None

    def __str__(self) -> str:
        a, b = ("not defined" if one is None else f"{one:.4g}" for one in (self.a, self.b))
        return f"{self.measure}: A {a}, B {b}"


@dataclass(frozen=True, slots=True)
class Paired(ShownAsText):
    """Predictions of two models for the same rows. See `paired`.

    `differ` counts rows with different predictions, `first` are the numbers of the first of them.
    `distance` is the root mean squared difference of predicted numbers. The fields after it need
    true targets: accuracies or mean squared errors, and for classification rows that only one of
    the models gets right with the p-value of McNemar's exact test; for regression the 95% interval
    of the mean difference of squared errors (second minus first). `more` are other measures of
    both models, None where they are not defined: AUC (where probabilities are given), macro
    precision, recall and F1; mean absolute error and R2.
    """

    task: Task
    rows: int
    differ: int
    first: tuple[int, ...]
    distance: float | None = None
    score_a: float | None = None
    score_b: float | None = None
    only_a: int | None = None
    only_b: int | None = None
    p_value: float | None = None
    gain_low: float | None = None
    gain_high: float | None = None
    more: tuple[PairedScore, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain values that JSON can hold."""
        return {name: plain(getattr(self, name)) for name in self.__slots__}

    def __str__(self) -> str:
        share = words.percent(self.differ / self.rows) if self.rows else "0%"
        lines = [f"predictions differ on {self.differ:,} of {counted(self.rows, 'row')} ({share})"]
        if self.first:
            more = " ..." if self.differ > len(self.first) else ""
            lines.append(f"  rows {', '.join(map(str, self.first))}{more}, counted from 0")
        if self.distance is not None:
            lines.append(f"  root mean squared difference: {self.distance:.6g}")
        return "\n".join([*lines, *self._scores()])

    def _scores(self) -> list[str]:
        if self.score_a is None or self.score_b is None:
            return []
        if self.p_value is None:
            between = ""
            if self.gain_low is not None and np.isfinite(self.gain_low):
                between = f"; B - A: 95% interval {self.gain_low:.6g} to {self.gain_high:.6g}"
            told = f"mean squared error: A {self.score_a:.6g}, B {self.score_b:.6g}{between}"
            return [told, *map(str, self.more)]
        return [
            f"accuracy: A {self.score_a:.4f}, B {self.score_b:.4f}",
            *map(str, self.more),
            f"only A is right on {self.only_a:,}, only B on {counted(self.only_b or 0, 'row')};"
            f" McNemar's exact test: p = {self.p_value:.4g}",
        ]


MOST_ROWS = 10


def paired(
    task: Task,
    told_a: np.ndarray,
    told_b: np.ndarray,
    truth: Any = None,
    *,
    shares: tuple[np.ndarray, np.ndarray] | None = None,
    classes: Any = None,
    sample_weight: Any = None,
) -> Paired:
    """Compare the predictions of two models for the same rows, and with the truth if it is known.

    Parameters
    ----------
    task : {"classification", "regression"}
        What both models do.
    told_a, told_b : ndarray
        Predicted labels or numbers, one a row.
    truth : array-like, default=None
        The true targets of the rows.
    shares : pair of ndarray of shape (n_rows, n_classes), default=None
        The class probabilities of both models, for the AUC.
    classes : array-like of shape (n_classes,), default=None
        The classes of the columns of `shares`, sorted.
    sample_weight : array-like of shape (n_rows,), default=None
        What each row counts in the scores; rows of weight 0 are left out of them. Rows with
        different predictions, and those of McNemar's test, are counted whatever their weight.

    Returns
    -------
    Paired
    """
    check_choice("task", task, get_args(Task))
    told_a, told_b = _one_a_row("told_a", told_a), _one_a_row("told_b", told_b)
    truth = None if truth is None else _one_a_row("truth", truth)
    if len(told_a) != len(told_b) or (truth is not None and len(truth) != len(told_a)):
        raise DataError(
            "both models need predictions for the same rows: the lengths differ. told_a, told_b and"
            " truth have one entry a row."
        )
    apart = np.flatnonzero(told_a != told_b)
    known: dict[str, Any] = {}
    if task == "regression":
        known["distance"] = _distance(told_a, told_b)
    weights = bind_weights(sample_weight, len(told_a))
    if truth is not None and len(told_a):
        kept = np.arange(len(told_a)) if weights is None else np.flatnonzero(weights)
        each = np.ones(len(kept)) if weights is None else weights[kept] / weights.max()
        pair, target = (told_a[kept], told_b[kept]), truth[kept]
        measure = _errors if task == "regression" else _rights
        known |= measure(*pair, target, each)
        if shares is not None and classes is not None:
            parts = [part[kept] for part in shares]
            known["more"] = (_areas(parts, target, np.asarray(classes), each), *known["more"])
    first = tuple(apart[:MOST_ROWS].tolist())
    return Paired(task, len(told_a), len(apart), first, **known)


def _one_a_row(name: str, values: Any) -> np.ndarray:
    found = np.asarray(values)
    if found.ndim != 1:
        refuse(name, values, "give one label or number a row, in one dimension")
    return found


def _distance(told_a: np.ndarray, told_b: np.ndarray) -> float:
    """The root of the mean squared difference."""
    with np.errstate(over="ignore"):
        return float(np.mean((told_a - told_b) ** 2)) ** 0.5 if len(told_a) else 0.0


def _rights(
    told_a: np.ndarray, told_b: np.ndarray, truth: np.ndarray, weights: np.ndarray
) -> dict[str, Any]:
    right_a, right_b = told_a == truth, told_b == truth
    only_a, only_b = (
        int(np.count_nonzero(one)) for one in (right_a & ~right_b, right_b & ~right_a)
    )
    return {
        "score_a": _mean(right_a, weights),
        "score_b": _mean(right_b, weights),
        "only_a": only_a,
        "only_b": only_b,
        "p_value": mcnemar(only_a, only_b),
        "more": tuple(_macros(told_a, told_b, truth, weights)),
    }


def _areas(
    shares: Sequence[np.ndarray], truth: np.ndarray, classes: np.ndarray, weights: np.ndarray
) -> PairedScore:
    place = np.minimum(np.searchsorted(classes, truth), len(classes) - 1)
    codes = np.where(classes[place] == truth, place, -1)
    return PairedScore("AUC", *(scores.auc(one, codes, weights) for one in shares))


def _macros(
    told_a: np.ndarray, told_b: np.ndarray, truth: np.ndarray, weights: np.ndarray
) -> Iterator[PairedScore]:
    found = [scores.macros(*_counts(told, truth, weights)) for told in (told_a, told_b)]
    for name, a, b in zip(("precision", "recall", "F1"), *found, strict=True):
        yield PairedScore(f"macro {name}", a, b)


def _counts(
    told: np.ndarray, truth: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each label that occurs the rows that are right, that were given it, and that have it."""
    labels, place = np.unique(np.concatenate((told, truth)), return_inverse=True)
    given, have = place[: len(told)], place[len(told) :]
    right = np.bincount(given, weights * (given == have), len(labels))
    counts = [np.bincount(part, weights, len(labels)) for part in (given, have)]
    return right, counts[0], counts[1]


def _errors(
    told_a: np.ndarray, told_b: np.ndarray, truth: np.ndarray, weights: np.ndarray
) -> dict[str, Any]:
    with np.errstate(over="ignore", invalid="ignore"):
        error_a, error_b = (told_a - truth) ** 2, (told_b - truth) ** 2
        gain = error_b - error_a
        mean = _mean(gain, weights)
        spread = np.sqrt(_mean((gain - mean) ** 2, weights))
        rows = weights.sum() ** 2 / np.square(weights).sum()
        low, high = student(np.array(mean), spread, np.array(rows))
    errors = _mean(error_a, weights), _mean(error_b, weights)
    return {
        "score_a": errors[0],
        "score_b": errors[1],
        "gain_low": float(low),
        "gain_high": float(high),
        "more": tuple(_of_numbers(told_a, told_b, truth, weights, errors)),
    }


def _of_numbers(
    told_a: np.ndarray,
    told_b: np.ndarray,
    truth: np.ndarray,
    weights: np.ndarray,
    errors: tuple[float, float],
) -> Iterator[PairedScore]:
    """Absolute errors, and what is explained of the variance of the truth."""
    with np.errstate(over="ignore"):
        absolute = (_mean(np.abs(told - truth), weights) for told in (told_a, told_b))
        variance = _mean(np.square(truth - mean_of(truth, weights)), weights)
    yield PairedScore("mean absolute error", *absolute)
    yield PairedScore("R2", *(scores.r2(error, variance) for error in errors))


def _mean(values: np.ndarray, weights: np.ndarray) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.average(values, weights=weights))
