"""Predictions of any fitted model or bare tree, with the class shares behind them."""

from typing import Any, NamedTuple

import numpy as np

from silva.data.frames import readable_again
from silva.inspect.subject import Subject, subject_of
from silva.leaf import answers
from silva.tree import route
from silva.tree.tree import Tree


class Predicted(NamedTuple):
    """One entry a row: labels or numbers, and class shares (None for regression or not asked)."""

    told: np.ndarray
    shares: np.ndarray | None


def predicted(model: Any, X: Any, with_shares: bool = True) -> Predicted:
    """What a fitted estimator, a pipeline or a `Tree` predicts for the rows of a table."""
    if isinstance(model, Tree):
        return _of_tree(subject_of(model), X, with_shares)
    X = readable_again(X)
    asked = with_shares and hasattr(model, "predict_proba")
    return Predicted(np.asarray(model.predict(X)), model.predict_proba(X) if asked else None)


def _of_tree(subject: Subject, X: Any, with_shares: bool) -> Predicted:
    tree, table = subject.tree(), subject.table(X)
    nodes = route.leaves(tree, table, 1)
    if tree.classes is None:
        return Predicted(answers.predict_values(tree, nodes, table), None)
    codes = answers.predict_codes(tree, nodes, table)
    shares = answers.predict_shares(tree, nodes, table) if with_shares else None
    return Predicted(tree.classes[codes], shares)
