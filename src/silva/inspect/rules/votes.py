"""One prediction from the ends of many trees, added up as the models themselves add up."""

from collections.abc import Iterable

import numpy as np

from silva.data.table import Table
from silva.ensemble.means import Sums
from silva.inspect.subject import Subject
from silva.leaf import answers
from silva.tree.tree import Tree

Routed = Iterable[tuple[Tree, np.ndarray]]
"""Trees in their order, each with the node in which every row of a table ends."""


def predicted_codes(subject: Subject, routed: Routed, table: Table) -> np.ndarray:
    """The class code of each row, the first of equals (int64)."""
    if subject.combiner == "tree":
        tree, nodes = next(iter(routed))
        return answers.predict_codes(tree, nodes, table)
    return np.asarray(class_shares(subject, routed, table).argmax(axis=1))


def class_shares(subject: Subject, routed: Routed, table: Table) -> np.ndarray:
    """The probability of each class; the sums of votes for boosted trees."""
    assert subject.classes is not None
    shape = (table.n_rows, len(subject.classes))
    if subject.combiner == "tree":
        tree, nodes = next(iter(routed))
        return answers.predict_shares(tree, nodes, table)
    if subject.combiner == "soft":
        total = Sums.none(shape)
        for tree, nodes in routed:
            total = total.plus_shares(answers.predict_shares(tree, nodes, table))
        return total.mean(np.array(float(len(subject))))
    votes = np.zeros(shape)
    for weight, (tree, nodes) in zip(subject.weights.tolist(), routed, strict=True):
        codes = answers.predict_codes(tree, nodes, table)
        votes[np.arange(table.n_rows), codes] += weight
    return votes if subject.combiner == "boosted" else np.asarray(votes / len(subject))


def predicted_values(subject: Subject, routed: Routed, table: Table) -> np.ndarray:
    """The number of each row (float64)."""
    if subject.combiner == "tree":
        tree, nodes = next(iter(routed))
        return answers.predict_values(tree, nodes, table)
    total = Sums.none((table.n_rows,))
    for tree, nodes in routed:
        total = total.plus_numbers(answers.predict_values(tree, nodes, table))
    return total.mean(np.array(float(len(subject))))
