"""Which rows each fold of a cross-validation trains on, and which it leaves out."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, check_cv

from silva.data.table import Target
from silva.errors import PlanError
from silva.messages import shown

Split = tuple[np.ndarray, np.ndarray]


def folds_of(cv: Any, target: Target, seed: int) -> list[Split]:
    """The rows that each fold trains on and those that it leaves out.

    `cv` is a number of folds (shuffled by `seed`, and stratified for classes), or anything that
    scikit-learn takes as `cv`.
    """
    n_rows, splitter = len(target.values), cv
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        if not 2 <= cv <= n_rows:
            raise PlanError(
                f"cv={shown(cv)} is not possible: use None, or from 2 to {n_rows} folds (one row"
                " each)."
            )
        kind = KFold if target.classes is None else StratifiedKFold
        splitter = kind(int(cv), shuffle=True, random_state=seed)
    codes = target.values
    try:
        splitter = check_cv(splitter, codes, classifier=target.classes is not None)
        return _checked(list(splitter.split(np.zeros(n_rows), codes)), n_rows)
    except (TypeError, ValueError, IndexError) as error:
        raise PlanError(f"cv={shown(cv)} is not possible: {error}") from error


def _checked(splits: Sequence[Any], n_rows: int) -> list[Split]:
    if not splits:
        raise ValueError("it has no folds.")
    if not all(len(part) for fit, left_out in splits for part in (fit, left_out)):
        raise ValueError("a fold has no rows to train on, or leaves out none.")
    rows = np.arange(n_rows)
    return [(rows[np.asarray(fit)], rows[np.asarray(left_out)]) for fit, left_out in splits]
