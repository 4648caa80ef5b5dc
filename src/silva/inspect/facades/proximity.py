"""`silva.proximity` and `silva.nearest_rows`: which rows a forest takes for alike."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from silva.checks import check_flag, whole
from silva.data.bind import bind_prediction
from silva.errors import DataError, PlanError
from silva.inspect.bags import refuse_without_out_of_bag
from silva.inspect.facades.bags import bags_of, forest_model
from silva.inspect.proximity import MAX_PAIRS, Ends, Neighbours, ends_of, nearest, proximities
from silva.inspect.subject import opened
from silva.messages import shown
from silva.threads import threads


def proximity(
    model: Any,
    X: Any,
    X_other: Any = None,
    *,
    out_of_bag: bool = False,
    y: Any = None,
    sample_weight: Any = None,
    most_pairs: int = MAX_PAIRS,
) -> csr_array:
    """The share of trees in which two rows end at the same node.

    Parameters
    ----------
    model : forest, pipeline or search
        A fitted forest of silva, or what ends in one.
    X, X_other : tables
        The rows, and those that they are compared with (such as training rows); None: each other.
    out_of_bag : bool, default=False
        Count only trees that saw neither row, of those that there are; a pair without any counts
        as 0. X are then the rows of fit.
    y, sample_weight : default=None
        Those of fit, for `out_of_bag`: weights of 0 decide what trees saw; `y` is needed where
        class weights are 0, else only checked.
    most_pairs : int, default=50,000,000
        More pairs that meet are refused; each takes 12 bytes.

    Returns
    -------
    scipy.sparse.csr_array of shape (n_samples, n_others)
        Shares from 0 to 1; pairs that never meet are not stored.
    """
    whole("most_pairs", most_pairs, 1)
    rows, others = _ends(model, X, X_other, out_of_bag, y, sample_weight, "proximity")
    return proximities(rows, others, most_pairs)


def nearest_rows(
    model: Any,
    X: Any,
    X_other: Any = None,
    k: int = 5,
    *,
    out_of_bag: bool = False,
    y: Any = None,
    sample_weight: Any = None,
) -> Neighbours:
    """The `k` rows of `X_other` (None: the other rows of X) that meet each row in most trees.

    `out_of_bag`, `y` and `sample_weight` as in `proximity`. Never holds more than a block of pairs.
    """
    rows, others = _ends(model, X, X_other, out_of_bag, y, sample_weight, "nearest_rows")
    most = len(others.ends) - (X_other is None)
    if whole("k", k, 1) > most:
        raise PlanError(f"k={shown(k)} is not possible: there are {most} rows to choose from.")
    return nearest(rows, others, int(k), not_itself=X_other is None)


def _ends(
    model: Any, X: Any, X_other: Any, out_of_bag: bool, y: Any, sample_weight: Any, what: str
) -> tuple[Ends, Ends]:
    model, X, X_other = opened(model, X, X_other)
    forest = forest_model(model, what)
    n_threads = threads(forest.n_jobs)
    check_flag("out_of_bag", out_of_bag)
    if out_of_bag:
        if X_other is not None:
            raise PlanError(
                "out_of_bag=True compares the rows of fit with each other: leave X_other out."
            )
        found = _out_of_bag_ends(forest, X, y, sample_weight)
        return found, found
    rows = ends_of(forest._forest, _bound(forest, X, "X"), n_threads)
    if X_other is None:
        return rows, rows
    return rows, ends_of(forest._forest, _bound(forest, X_other, "X_other"), n_threads)


def _out_of_bag_ends(forest: Any, X: Any, y: Any, sample_weight: Any) -> Ends:
    bags = bags_of(forest, X, y, sample_weight)
    refuse_without_out_of_bag(bags, "out_of_bag=True")
    ends = ends_of(bags.forest, bags.table, bags.threads)
    unseen = np.stack([counts == 0 for _, counts in bags], axis=1)
    return ends._replace(counts=unseen)


def _bound(forest: Any, X: Any, name: str) -> Any:
    table = bind_prediction(X, forest._forest.schema)
    if not table.n_rows:
        raise DataError(f"{name} has no rows: give at least one.")
    return table
