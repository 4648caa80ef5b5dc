"""How good the model is on the given rows: figures, confusion matrix, calibration."""

from typing import Any

import numpy as np

from silva.data.large import mean_of
from silva.data.target import bind_codes
from silva.inspect.evaluation import Evaluation, Figure, evaluate
from silva.inspect.predicted import predicted
from silva.inspect.rules.lexicon import Lexicon
from silva.inspect.subject import Subject
from silva.page.payload.exports import hides
from silva.page.payload.given_rows import GivenRows
from silva.page.payload.privacy import hidden_cells, masked

N_BINS = 10
MOST_CLASSES = 60
"""With more classes there is no confusion matrix and no calibration."""
LOSSES = ("log loss", "Brier score")


def quality(
    model: Any, subject: Subject, rows: GivenRows, min_cell: int | None = None
) -> dict[str, Any]:
    """The figures of `silva.inspect.evaluation`, and what the model says beside what is true.

    Calibration has, for each class against the rest, bins of equal width of the share that the
    model gives it: the mean of that share and how many of the rows have the class. For regression
    `predicted` has bins of equally many rows, by what is predicted. Means and shares are by weight.
    Losses and calibration are left out where `min_cell` hides the shares that they are made of.
    """
    found = evaluate(model, rows.X, rows.y, rows.sample_weight)
    if subject.classes is None:
        figures = [_figure(one) for one in found.figures]
        bins = _number_bins(model, rows, min_cell)
        return {"confusion": None, "calibration": None, "predicted": bins, "figures": figures}
    truth, told, shares = _answers(model, subject, rows)
    counts = _row_counts(truth, told, len(subject.classes))
    hidden = hidden_cells(counts, min_cell)
    are_secret = _are_secret(subject, min_cell)
    figures = [_figure(one) for one in found.figures if _is_shown(one, min_cell, are_secret)]
    if min_cell is not None and _gives_away(counts, hidden, min_cell):
        figures = [one for one in figures if one["name"] != "accuracy"]
    return {
        "confusion": _confusion(subject, found, hidden),
        "calibration": None
        if are_secret
        else _calibration(subject, truth, shares, _weights(rows), min_cell),
        "predicted": None,
        "figures": figures,
    }


def _is_shown(figure: Figure, min_cell: int | None, are_secret: bool) -> bool:
    """Whether a figure tells no count of a small cell, and no hidden share of a class."""
    if min_cell is None or figure.measure == "accuracy":
        return True
    return figure.measure in LOSSES and not are_secret


def _figure(figure: Figure) -> dict[str, Any]:
    return {
        "name": figure.measure,
        "value": figure.model,
        "low": figure.low,
        "high": figure.high,
        "baseline": figure.baseline,
    }


def _are_secret(subject: Subject, min_cell: int | None) -> bool:
    """Whether the class shares that leaves predict are hidden: losses and calibration tell them."""
    return min_cell is not None and any(hides(tree, min_cell) for tree in subject.trees())


def _answers(
    model: Any, subject: Subject, rows: GivenRows
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The true and the predicted class code of rows with a weight, and their class shares."""
    assert rows.target is not None
    assert subject.classes is not None
    found = predicted(model, rows.X)
    assert found.shares is not None
    kept = rows.kept
    told = bind_codes(found.told, subject.classes)
    return rows.target.values[kept], told[kept], found.shares[kept]


def _weights(rows: GivenRows) -> np.ndarray:
    """The weight of each row that counts; 1 without weights."""
    weights = None if rows.target is None else rows.target.weights
    return np.ones(len(rows.kept)) if weights is None else weights[rows.kept]


def _row_counts(truth: np.ndarray, told: np.ndarray, n_classes: int) -> np.ndarray:
    """Rows by true and predicted class; a last line for classes that the model does not know."""
    line = np.where(truth < 0, n_classes, truth)
    lines = n_classes + bool((truth < 0).any())
    return np.bincount(line * n_classes + told, minlength=lines * n_classes).reshape(lines, -1)


def _gives_away(counts: np.ndarray, hidden: np.ndarray, min_cell: int) -> bool:
    """Whether the accuracy tells a hidden count: that of right or wrong rows, or of a class."""
    right = int(np.trace(counts))
    wrong = int(counts.sum()) - right
    return bool(hidden.diagonal().any()) or 0 < right < min_cell or 0 < wrong < min_cell


def _confusion(subject: Subject, found: Evaluation, hidden: np.ndarray) -> dict[str, Any] | None:
    """Lines are true classes, columns predicted ones; sums of weights where these differ."""
    assert found.confusion is not None
    if len(found.labels) > MOST_CLASSES:
        return None
    labels = list(Lexicon(subject.schema, subject.labels).classes)
    counts = [[_plain(one) for one in line] for line in found.confusion.tolist()]
    return {
        "labels": [*labels, *(str(one) for one in found.labels[len(labels) :])],
        "weighted": found.weighted,
        "counts": [
            [None if is_hidden else count for count, is_hidden in zip(line, these, strict=True)]
            for line, these in zip(counts, hidden.tolist(), strict=True)
        ],
    }


def _plain(count: float) -> float:
    """A whole number where it is one but for rounding."""
    near = round(count)
    return near if abs(count - near) <= 1e-9 * max(1.0, abs(count)) else count


def _calibration(
    subject: Subject,
    truth: np.ndarray,
    shares: np.ndarray,
    weights: np.ndarray,
    min_cell: int | None,
) -> list[dict[str, Any]] | None:
    if shares.shape[1] > MOST_CLASSES:
        return None
    forms = Lexicon(subject.schema, subject.labels).classes
    return [
        {
            "class": form,
            "bins": _share_bins(shares[:, code], truth == code, weights, min_cell),
        }
        for code, form in enumerate(forms)
    ]


def _share_bins(
    shares: np.ndarray,
    is_class: np.ndarray,
    weights: np.ndarray,
    min_cell: int | None,
) -> list[dict[str, Any]]:
    """Bins of equal width without empty ones; the last holds its upper end too."""
    place = np.minimum((shares * N_BINS).astype(np.int64), N_BINS - 1)
    rows = np.bincount(place, minlength=N_BINS)
    right = np.bincount(place, is_class, N_BINS).astype(np.int64)
    size, sums, hits = (
        np.bincount(place, part * weights, N_BINS)
        for part in (np.ones(len(shares)), shares, is_class)
    )
    told_rows = masked(rows.tolist(), min_cell)
    told = [masked(part.tolist(), min_cell) for part in (right, rows - right)]
    return [
        {
            "low": one / N_BINS,
            "high": (one + 1) / N_BINS,
            "mean": None if told_rows[one] is None else sums[one] / size[one],
            "share": None
            if None in (told_rows[one], told[0][one], told[1][one])
            else hits[one] / size[one],
            "rows": told_rows[one],
        }
        for one in np.flatnonzero(rows).tolist()
    ]


def _number_bins(model: Any, rows: GivenRows, min_cell: int | None) -> list[dict[str, Any]]:
    """Bins of about equally many rows by what is predicted; equal predictions share one."""
    assert rows.target is not None
    kept = rows.kept
    told = np.asarray(predicted(model, rows.X).told, dtype=np.float64)[kept]
    truth, weights = rows.target.values[kept], _weights(rows)
    limits = np.unique(np.quantile(told, np.arange(1, N_BINS) / N_BINS, method="lower"))
    place = np.searchsorted(limits, told, side="left")
    counts = np.bincount(place, minlength=len(limits) + 1)
    shown = masked(counts.tolist(), min_cell)
    inside = [(one, place == one) for one in np.flatnonzero(counts).tolist()]
    return [
        {
            "low": float(told[rows_in].min()),
            "high": float(told[rows_in].max()),
            "mean": None if shown[one] is None else mean_of(told[rows_in], weights[rows_in]),
            "actual": None if shown[one] is None else mean_of(truth[rows_in], weights[rows_in]),
            "rows": shown[one],
        }
        for one, rows_in in inside
    ]
