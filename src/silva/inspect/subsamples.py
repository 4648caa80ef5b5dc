"""Trees of a model on random parts of its rows."""

from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from silva.data.bind import bind_prediction, told_already
from silva.data.table import Table, Target
from silva.data.weights import bind_weights
from silva.leaf import answers
from silva.tree import route
from silva.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class Sample:
    """One tree: which rows it was grown from, where all rows end in it, what they are told.

    `told` are class codes or numbers.
    """

    model: Any
    tree: Tree
    kept: np.ndarray
    ends: np.ndarray
    told: np.ndarray


def drawn(n_rows: int, n_kept: int, seed: int, sample: int) -> np.ndarray:
    """One boolean a row: `n_kept` rows, any set as likely as any other.

    A sample depends on the seed and its own number only, not on how many are drawn.
    """
    generator = np.random.Generator(np.random.Philox(key=[seed, sample]))
    kept = np.zeros(n_rows, dtype=bool)
    kept[generator.permutation(n_rows)[:n_kept]] = True
    return kept


def grown_samples(
    grower: Any, X: Any, y: Any, sample_weight: Any, n_kept: int, seed: int, samples: int
) -> tuple[list[Sample], Table]:
    """A tree for each sample, and the table of all rows bound to the trees' schema.

    Rows outside a sample have weight zero, which leaves them out of growing; so all trees share
    the levels of the columns, and any container of rows will do.
    """
    found: list[Sample] = []
    table: Table | None = None
    weights = bind_weights(sample_weight, len(y))
    for number in range(samples):
        kept = drawn(len(y), n_kept, seed, number)
        with told_already() if found else nullcontext():
            model = clone(grower).fit(X, y, kept * (1.0 if weights is None else weights))
        tree: Tree = model.grown_tree_
        table = table or bind_prediction(X, tree.schema)
        ends = route.leaves(tree, table)
        found.append(Sample(model, tree, kept, ends, told_by(tree, ends, table)))
    assert table is not None
    return found, table


def told_by(tree: Tree, nodes: np.ndarray, table: Table) -> np.ndarray:
    """What rows that end at these nodes are told: class codes, or numbers."""
    answer = answers.predict_values if tree.classes is None else answers.predict_codes
    return answer(tree, nodes, table)


def vectors(tree: Tree, nodes: np.ndarray, table: Table, center: float) -> np.ndarray:
    """Answers whose squared distances count: class shares, or a number less `center` (rows, k)."""
    if tree.classes is None:
        return np.asarray(answers.predict_values(tree, nodes, table)[:, None] - center)
    return answers.predict_shares(tree, nodes, table)


def truths(target: Target, center: float) -> np.ndarray:
    """The target in the space of `vectors`."""
    if target.classes is None:
        return np.asarray(target.values[:, None] - center)
    return np.asarray(np.eye(len(target.classes))[target.values])
