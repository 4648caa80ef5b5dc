"""Predictions of any fitted model or bare tree, with the class shares behind them."""

from typing import Any, NamedTuple

import numpy as np

from silva.inspect.subject import Subject, subject_of
from silva.leaf import answers
from silva.tree import route
from silva.tree.tree import Tree


class Predicted(NamedTuple):
    """One entry a row: labels or numbers, and the share of each class (None for regression)."""

    told: np.ndarray
    shares: np.ndarray | None


def predicted(model: Any, X: Any) -> Predicted:
    """What a fitted estimator, a pipeline or a `Tree` predicts for the rows of a table."""
    if isinstance(model, Tree):
        return _of_tree(subject_of(model), X)
    shares = model.predict_proba(X) if hasattr(model, "predict_proba") else None
    return Predicted(np.asarray(model.predict(X)), shares)


def _of_tree(subject: Subject, X: Any) -> Predicted:
    tree, table = subject.tree(), subject.table(X)
    nodes = route.leaves(tree, table, 1)
    if tree.classes is None:
        return Predicted(answers.predict_values(tree, nodes, table), None)
    codes = answers.predict_codes(tree, nodes, table)
    return Predicted(tree.classes[codes], answers.predict_shares(tree, nodes, table))
