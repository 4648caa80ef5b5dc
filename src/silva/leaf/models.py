"""Models of leaves on their way into a tree: standardised weights folded back to raw values.

Numbers are rounded so that they are short in print: by no more than a millionth of what one
standard deviation of the strongest term adds to the answer.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from silva.leaf.terms import Terms
from silva.tree.linear import LinearLeaves

DIGITS = 6
_NONE = np.zeros(0)


@dataclass(frozen=True, slots=True)
class Model:
    """intercept + sum of weight * (x - center) over `terms`, clipped to low ... high."""

    intercept: float
    low: float
    high: float
    terms: np.ndarray
    weights: np.ndarray
    centers: np.ndarray


def folded(
    intercept: float,
    span: tuple[float, float],
    terms: np.ndarray,
    weights: np.ndarray,
    scales: np.ndarray,
    unit: float,
) -> Model | None:
    """The model for raw values of one that has `weights` (times `unit`) for standardised ones.

    None where raw weights or centers would leave the range of float64.
    """
    middle, half, mean, deviation = scales.T
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        raw = weights * unit / deviation / half
        centers = middle + half * mean
    if not (np.isfinite(raw).all() and np.isfinite(centers).all() and np.isfinite(intercept)):
        return None
    strongest = float(np.abs(weights * unit).max())
    spread = np.abs(half * deviation)
    return Model(
        _short(intercept, strongest),
        *span,
        terms,
        np.array([_short(*pair) for pair in zip(raw, strongest / spread, strict=True)]),
        np.array([_short(*pair) for pair in zip(centers, spread, strict=True)]),
    )


def _short(value: float, scale: float) -> float:
    """The value rounded to a decimal place at least DIGITS below the leading digit of `scale`."""
    if not 1e-280 < scale < 1e280:
        return float(value)
    rounded = round(float(value), DIGITS - math.floor(math.log10(scale)))
    return rounded if rounded or not value else float(value)


def packed(constants: np.ndarray, fitted: Mapping[int, Model], terms: Terms) -> LinearLeaves:
    """All models in one set of arrays: constant answers, but for the numbers in `fitted`."""
    numbers = sorted(fitted)
    models = [fitted[number] for number in numbers]
    lengths = np.zeros(len(constants) + 1, dtype=np.int64)
    lengths[np.array(numbers, dtype=np.int64) + 1] = [len(model.terms) for model in models]
    chosen = np.concatenate([np.zeros(0, np.int64), *(model.terms for model in models)])
    return LinearLeaves(
        start=np.cumsum(lengths),
        column=terms.column[chosen],
        code=terms.code[chosen],
        weight=np.concatenate([_NONE, *(model.weights for model in models)]),
        center=np.concatenate([_NONE, *(model.centers for model in models)]),
        intercept=_replaced(constants, numbers, [model.intercept for model in models]),
        low=_replaced(constants, numbers, [model.low for model in models]),
        high=_replaced(constants, numbers, [model.high for model in models]),
    )


def _replaced(constants: np.ndarray, numbers: list[int], values: list[float]) -> np.ndarray:
    changed = constants.astype(np.float64)
    changed[numbers] = values
    return changed
