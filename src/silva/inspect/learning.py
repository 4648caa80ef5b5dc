"""Errors of a model against the number of rows that it learns from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from silva.checks import is_real, is_whole, refuse, whole
from silva.data.table import Target, Task
from silva.inspect.fold_rows import Split, folds_of
from silva.inspect.refits import bound_target, fold_errors, template_of

N_SIZES = 8
LEAST_ROWS = 4


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """Errors at each number of training rows: arrays of (sizes, fits).

    A fit is one fold of one repeat. `train` is the error on the rows that the model was fitted on,
    `test` that on the rows that the fold leaves out.
    """

    task: Task
    title: str
    folds: int
    repeats: int
    sizes: np.ndarray
    train: np.ndarray
    test: np.ndarray


def learning_of(
    model: Any,
    X: Any,
    y: Any,
    sizes: Any = None,
    cv: Any = 5,
    repeats: int = 1,
    sample_weight: Any = None,
    seed: int = 0,
) -> LearningCurve:
    """The errors of a model on more and more rows; see `silva.plot.learning_curve`."""
    whole("repeats", repeats, 1)
    whole("seed", seed, 0, 2**32 - 1 - repeats)
    template = template_of(model)
    target = bound_target(template, X, y, sample_weight)
    deals = [folds_of(cv, target, seed + repeat) for repeat in range(repeats)]
    counts = _sizes(sizes, min(len(train) for folds in deals for train, _ in folds))
    splits = [
        split
        for repeat, folds in enumerate(deals)
        for number, (train, test) in enumerate(folds)
        for split in _growing(train, test, target, counts, (seed, repeat, number))
    ]
    errors = fold_errors(template, X, y, target, sample_weight, splits)
    train, test = (one.reshape(-1, len(counts)).T for one in errors)
    return LearningCurve(
        target.task, template.title, len(deals[0]), repeats, np.array(counts), train, test
    )


def _sizes(sizes: Any, most: int) -> list[int]:
    """Numbers of rows, ascending; shares of the most that a fold has count as such."""
    if sizes is None:
        least = min(most, max(LEAST_ROWS, most // 50))
        return sorted({*np.round(np.geomspace(least, most, N_SIZES)).astype(int).tolist()})
    is_list = isinstance(sizes, Sequence | np.ndarray) and getattr(sizes, "ndim", 1) == 1
    if isinstance(sizes, str) or not is_list or not len(sizes):
        refuse("sizes", sizes, "give numbers or shares of rows, such as [100, 1000] or [0.1, 1.0]")
    return sorted({_size(one, most) for one in sizes})


def _size(size: Any, most: int) -> int:
    if is_whole(size) and 1 <= size <= most:
        return int(size)
    if is_whole(size) or not is_real(size) or not 0 < size <= 1:
        allowed = f"each is a number of rows from 1 to {most}, which every fold has, or a share"
        refuse("sizes", size, f"{allowed} above 0 and up to 1.0")
    return max(1, round(float(size) * most))


def _growing(
    train: np.ndarray,
    test: np.ndarray,
    target: Target,
    counts: Sequence[int],
    seed: tuple[int, int, int],
) -> list[Split]:
    """More and more of a fold's training rows, each set a part of the next."""
    order = _mixed(train, target, seed)
    return [(np.sort(order[:count]), test) for count in counts]


def _mixed(rows: np.ndarray, target: Target, seed: tuple[int, int, int]) -> np.ndarray:
    """The rows in random order, but with about the same class shares in every beginning."""
    rows = np.random.default_rng(seed).permutation(rows)
    if target.classes is None:
        return rows
    codes = target.values[rows]
    place = np.empty(len(rows))
    for code in np.unique(codes):
        mine = np.flatnonzero(codes == code)
        place[mine] = (np.arange(len(mine)) + 0.5) / len(mine)
    return np.asarray(rows[np.argsort(place, kind="stable")])
