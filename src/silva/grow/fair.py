"""The charge of a column of many levels, for a reader; the core does the same.

A set of levels is fitted to the targets. With L groups of rows to tell apart among n, a column
explains (L - 2) / (n - 2) of the impurity by chance alone, beyond what one yes/no question does.
`charge` takes that part, and one standard deviation more, off the gain with which the column
competes.
"""

import math

import numpy as np

from silva.data.schema import MISSING_CODE, Column
from silva.data.table import Target

LONE_CODE = -2


def lone_levels(codes: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """The levels that a single row with weight has; none among two different values or fewer."""
    used = codes if weights is None else codes[weights > 0]
    known = used[used >= 0]
    rows = np.bincount(known)
    n_groups = np.count_nonzero(rows) + (len(known) < len(used))
    return np.flatnonzero(rows == 1) if n_groups > 2 else np.empty(0, np.int64)


def lone_follow_missing(column: Column, form: str) -> bool:
    """Whether lone levels go with the missing values of a node, as unseen ones will."""
    branches = column.missing == "own_branch" or (column.missing == "learn" and form == "multiway")
    if column.unseen == "learn":
        return branches or column.missing == "learn"
    return column.unseen == "own_branch" and branches


def groups_of(codes: np.ndarray, lone: np.ndarray, with_missing: bool = False) -> np.ndarray:
    """The codes of a node's rows, with the lone levels of the tree as one group.

    `with_missing` joins them to the missing values, where the node has any.
    """
    joins = with_missing and bool((codes == MISSING_CODE).any())
    return np.where(np.isin(codes, lone), MISSING_CODE if joins else LONE_CODE, codes)


def effective(groups: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """How many groups, and how many rows, of equal weight explain as much by chance as these.

    The number of rows is Kish's: the squared sum of the weights over the sum of their squares.
    """
    _, place = np.unique(groups, return_inverse=True)
    own = np.bincount(place, np.square(weights)) / np.bincount(place, weights)
    unit = float(np.square(weights).sum() / weights.sum())
    return float(own.sum()) / unit, float(weights.sum()) / unit


def chance(n_groups: float, n_rows: float, n_classes: int = 2) -> float:
    """The share of the impurity that groups explain by chance: rho, plus sigma.

    rho is the expected share of a random grouping beyond one question, sigma the standard
    deviation of that share; numbers as targets count as two classes.
    """
    if n_groups <= 2 or n_rows <= n_groups:
        return float(n_groups > 2)
    rho = (n_groups - 2) / (n_rows - 2)
    return rho + math.sqrt(2 * rho * (1 - rho) / ((n_rows + 1) * max(1, n_classes - 1)))


def charge(gain: float, groups: np.ndarray, target: Target) -> float:
    """What is taken off the gain of a set of levels before it is compared with other columns.

    `groups` says which group each row belongs to; rows without weight do not count.
    """
    weights = np.ones(len(groups)) if target.weights is None else target.weights
    used = weights > 0
    groups, weights, values = groups[used], weights[used], target.values[used]
    if len(np.unique(groups)) <= 2:
        return 0.0
    numbers, unit = (None, 1.0) if target.task == "classification" else _scaled(values)
    total = float(weights.sum())
    between = _squares(groups, weights, values, numbers)
    node = _squares(np.zeros_like(groups), weights, values, numbers)
    inside = total if numbers is None else float(weights @ np.square(numbers))
    classes = len(np.unique(values)) if numbers is None else 2
    share = chance(*effective(groups, weights), classes) * (inside - node)
    if between > node:
        return gain * share / (between - node)
    return share / total * unit * unit


def _scaled(values: np.ndarray) -> tuple[np.ndarray, float]:
    """Differences from the mean and their unit, so that no square overflows."""
    away = values - values.mean()
    largest = float(np.abs(away).max()) or 1.0
    return away / largest, largest


def _squares(
    groups: np.ndarray, weights: np.ndarray, values: np.ndarray, numbers: np.ndarray | None
) -> float:
    """Over the groups: squared weights of the classes (or squared sum) over the weight."""
    _, place = np.unique(groups, return_inverse=True)
    group_weights = np.bincount(place, weights)
    if numbers is not None:
        return float((np.square(np.bincount(place, weights * numbers)) / group_weights).sum())
    cells, cell = np.unique(np.stack((place, values)), axis=1, return_inverse=True)
    squares = np.square(np.bincount(cell.ravel(), weights))
    return float((squares / group_weights[cells[0].astype(int)]).sum())
