"""Scores of predictions by their usual names; None where a score is not defined."""

from collections.abc import Callable

import numpy as np

MOST_CELLS = 4_000_000
"""Summaries of fits leave out the AUC of larger tables of rows (or leaves) and classes."""


def auc(shares: np.ndarray, truth: np.ndarray, weights: np.ndarray | None = None) -> float | None:
    """The area under the ROC curve, by class probabilities (rows, classes) and true class codes.

    Of two classes that of the second; of more the mean over the classes, each against the rest
    (one-vs-rest, macro). Classes that no row has, or all rows have, are left out; None where no
    class is left. A row of an unknown class (code -1) belongs to the rest.
    """
    each = np.ones(len(truth)) if weights is None else weights / weights.max(initial=1e-300)
    return mean_area(shares, lambda code: each * (truth == code), each)


def mean_area(
    shares: np.ndarray, weight_of: Callable[[int], np.ndarray], total: np.ndarray
) -> float | None:
    """The same, where each line stands for rows of weight `total`, `weight_of` a class of them."""
    n_classes = shares.shape[1]
    codes = [1] if n_classes == 2 else range(n_classes)
    areas = [_area(shares[:, code], weight_of(code), total) for code in codes]
    defined = [area for area in areas if area is not None]
    return float(np.mean(defined)) if defined and n_classes > 1 else None


def _area(scores: np.ndarray, positive: np.ndarray, total: np.ndarray) -> float | None:
    """The share of pairs of a positive and another row in the right order; ties count half."""
    place = np.unique(scores, return_inverse=True)[1]
    inside = np.bincount(place, positive)
    outside = np.bincount(place, total - positive)
    pairs = inside.sum() * outside.sum()
    if not pairs > 0.0:
        return None
    below = np.cumsum(outside) - outside
    return min(1.0, float(inside @ (below + outside / 2) / pairs))


def r2(squared_error: float, variance: float) -> float | None:
    """The share of the variance that is explained; None where targets do not vary."""
    if not 0.0 < variance < np.inf or not np.isfinite(squared_error):
        return None
    return 1.0 - squared_error / variance


def macros(right: np.ndarray, given: np.ndarray, have: np.ndarray) -> tuple[float, float, float]:
    """Macro precision, recall and F1: means over the classes that occur.

    Of each class `right` rows have it and were given it, `given` were given it, `have` have it.
    What is not defined for a class counts 0, as the precision of one that was never predicted.
    """
    by_class = np.stack((ratios(right, given), ratios(right, have), f1(right, given, have)))
    precision, recall, mean = np.nan_to_num(by_class[:, given + have > 0]).mean(axis=1).tolist()
    return precision, recall, mean


def f1(right: np.ndarray, given: np.ndarray, have: np.ndarray) -> np.ndarray:
    """2 * right / (given + have) of each class: NaN for a class that no row has or is given."""
    return ratios(2.0 * right, given + have)


def ratios(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """part / whole; NaN where the whole is 0."""
    found: np.ndarray = np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)
    return found
