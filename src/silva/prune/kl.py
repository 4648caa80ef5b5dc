"""The relative entropy of two coins, and how far it lets a share be from the truth."""

import numpy as np

MOST_STEPS = 100


def kl_at_most(share: np.ndarray | float, budget: np.ndarray | float) -> np.ndarray:
    """The largest p with kl(share, p) <= budget, in nats, for numbers or arrays of them.

    By bisection, from above: the result is never too small by more than rounding.
    """
    share, budget = np.broadcast_arrays(np.asarray(share, float), np.asarray(budget, float))
    low, high = share.copy(), np.ones(share.shape)
    for _ in range(MOST_STEPS):
        middle = (low + high) / 2.0
        if ((middle == low) | (middle == high)).all():
            break
        inside = kl(share, middle) <= budget
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return high


def kl(q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """q ln(q / p) + (1 - q) ln((1 - q) / (1 - p)); infinite where only q can fail."""
    return np.asarray(_part(q, p) + _part(1.0 - q, 1.0 - p))


def _part(q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """q ln(q / p), which is 0 at q = 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(q > 0.0, q * np.log(q / p), 0.0)
