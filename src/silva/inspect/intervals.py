"""Confidence intervals from counts and moments, vectorised; `delta` is what may go wrong."""

import numpy as np
from scipy.special import betaincinv, ndtri, stdtrit

SMALL_SAMPLE = 10
"""Fewer rows than these are called a small sample wherever a prediction is explained."""


def wilson(
    successes: np.ndarray, rows: np.ndarray, delta: float = 0.05
) -> tuple[np.ndarray, np.ndarray]:
    """Wilson's score interval of a share, two-sided; (0, 1) where there are no rows."""
    z = float(ndtri(1.0 - delta / 2.0))
    known = np.maximum(rows, 1)
    share = successes / known
    spread = 1.0 + z * z / known
    center = (share + z * z / (2.0 * known)) / spread
    half = z * np.sqrt(share * (1.0 - share) / known + z * z / (4.0 * known * known)) / spread
    low = np.where(successes > 0, np.maximum(center - half, 0.0), 0.0)
    high = np.where(successes < rows, np.minimum(center + half, 1.0), 1.0)
    return low, high


def student(
    mean: np.ndarray, deviation: np.ndarray, rows: np.ndarray, delta: float = 0.05
) -> tuple[np.ndarray, np.ndarray]:
    """Student's interval of a mean, two-sided, from the root mean squared `deviation`.

    Less than two rows say nothing about the spread: their interval is everything.
    """
    freedom = np.maximum(rows - 1, 1)
    half = stdtrit(freedom, 1.0 - delta / 2.0) * deviation / np.sqrt(freedom)
    known = rows > 1
    return np.where(known, mean - half, -np.inf), np.where(known, mean + half, np.inf)


def error_at_most(errors: int, rows: int, delta: float = 0.05) -> float:
    """Clopper and Pearson's upper limit of the true error, one-sided.

    The largest error at which `errors` or fewer among `rows` still have probability `delta`.
    """
    return 1.0 if errors >= rows else float(betaincinv(errors + 1, rows - errors, 1.0 - delta))


def error_between(errors: int, rows: int, delta: float = 0.05) -> tuple[float, float]:
    """Clopper and Pearson's two-sided interval of the true error."""
    low = 1.0 - error_at_most(rows - errors, rows, delta / 2.0)
    return low, error_at_most(errors, rows, delta / 2.0)
