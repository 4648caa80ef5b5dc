"""What the given rows show: how many reach each node, what they hold there, how good the model is.

Every figure is of rows, each counted once, but for those that `silva.inspect.evaluation` weighs.
"""

import math
from typing import Any

import numpy as np

from silva.inspect.subject import Subject
from silva.page.payload.competing import competing
from silva.page.payload.given_rows import GivenRows, NodeRows
from silva.page.payload.histograms import histograms
from silva.page.payload.masking import with_ancestors
from silva.page.payload.numbers import exact
from silva.page.payload.privacy import closed, hidden_classes, hidden_counts, hidden_nodes
from silva.page.payload.quality import quality
from silva.page.payload.targets import targets
from silva.tree import stats
from silva.tree.tree import Tree

MOST_CELLS = 200_000
"""Nodes times classes: beyond this the class counts of nodes are left out."""


def given(
    model: Any, subject: Subject, tree: Tree, rows: GivenRows | None, min_cell: int | None = None
) -> dict[str, Any] | None:
    """All that is shown of the given rows; None without rows or without their targets."""
    if rows is None or rows.target is None:
        return None
    at = NodeRows(tree, rows)
    counts = _class_counts(tree, rows, at)
    hidden, all_hidden = _hidden(tree, rows, at, counts, min_cell)
    is_secret = bool(all_hidden.any())
    notes = _notes(rows, bool(hidden[0]), is_secret, min_cell)
    if tree.classes is not None and counts is None:
        notes.append("Class counts of nodes are left out: there are too many nodes and classes.")
    found: dict[str, Any] = exact(
        {
            "rows": None if hidden[0] else int(at.count[0]),
            "are_training": rows.are_training,
            "name": rows.name,
            "nodes": _nodes(tree, rows, at, counts, hidden, all_hidden),
            "histograms": histograms(subject, tree, rows, at, all_hidden, min_cell),
            "targets": targets(tree, rows, at, hidden, min_cell),
            "competing": competing(model, subject, tree, rows, at.count, min_cell),
            **({} if is_secret else quality(model, subject, rows, min_cell)),
            "note": " ".join(notes),
        }
    )
    return found


def _hidden(
    tree: Tree, rows: GivenRows, at: NodeRows, counts: np.ndarray | None, min_cell: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Of which nodes the rows, and of which the class counts too, are not told.

    Training rows are told beside those of the tree, which may differ by rows that stop on their
    way: what one of them hides, the other does too.
    """
    hidden = hidden_counts(tree, at.count, min_cell)
    if min_cell is None or min_cell < 2:
        return hidden, hidden
    if rows.are_training:
        differ = stats.node_rows(tree) != at.count
        hidden = closed(tree, hidden | hidden_nodes(tree, min_cell) | differ, at.count, min_cell)
    if counts is None:
        return hidden, hidden
    every = np.column_stack((counts, at.count - counts.sum(axis=1)))
    few = ((every > 0) & (every < min_cell)).any(axis=1)
    if rows.are_training:
        few |= hidden_classes(tree, min_cell)
    return hidden, closed(tree, hidden | few, at.count, min_cell)


def _notes(rows: GivenRows, nothing: bool, is_secret: bool, min_cell: int | None) -> list[str]:
    notes = []
    if rows.are_training:
        notes.append(
            "The model was fitted to these rows: figures on them are better than on new ones."
        )
    elif rows.why:
        notes.append(f"About these rows: {rows.why}.")
    if nothing:
        notes.append(
            f"There are fewer than {min_cell:,} of them, so no figure is shown (min_cell)."
        )
    elif is_secret:
        notes.append(
            "Figures of all rows are withheld: together with the counts of nodes they would tell"
            " hidden counts (min_cell)."
        )
    return notes


def _class_counts(tree: Tree, rows: GivenRows, at: NodeRows) -> np.ndarray | None:
    """How many rows of each class pass each node: int64 (nodes, classes)."""
    if tree.classes is None or tree.n_nodes * len(tree.classes) > MOST_CELLS:
        return None
    assert rows.target is not None
    codes = rows.target.values
    return np.stack([at.sums(codes == code) for code in range(len(tree.classes))], axis=1)


def _nodes(
    tree: Tree,
    rows: GivenRows,
    at: NodeRows,
    counts: np.ndarray | None,
    hidden: np.ndarray,
    all_hidden: np.ndarray,
) -> dict[str, Any]:
    no_mean = with_ancestors(tree, hidden) if rows.are_training else hidden
    return {
        "rows": without(at.count.tolist(), hidden),
        "counts": None if counts is None else without(counts.tolist(), all_hidden),
        "mean": without(_means(rows, at), no_mean) if tree.classes is None else None,
    }


def without(values: list[Any], hidden: np.ndarray) -> list[Any]:
    """The values, None where they are hidden."""
    pairs = zip(values, hidden.tolist(), strict=True)
    return [None if is_hidden else value for value, is_hidden in pairs]


def _means(rows: GivenRows, at: NodeRows) -> list[float | None]:
    """The mean target of the rows that pass each node, None where no row does.

    Sums are exact, so that a mean owes no rounding to rows of other nodes. None overflows.
    """
    assert rows.target is not None
    values = rows.target.values
    exponent = int(np.frexp(np.abs(values).max())[1])
    scaled = np.ldexp(values, -exponent)
    most = float(np.abs(scaled).max())
    means = (
        math.fsum(scaled[at.of(node)]) / count if count else None
        for node, count in enumerate(at.count.tolist())
    )
    return [
        None if mean is None else math.ldexp(min(max(mean, -most), most), exponent)
        for mean in means
    ]
