"""What the page is made from: fingerprints, versions, edits, and what is not known."""

import hashlib
import platform
from collections.abc import Sequence
from typing import Any

import numpy as np

from silva import __version__
from silva.inspect.subject import Subject
from silva.page.payload.exports import Files, hides
from silva.page.payload.given_rows import UNKNOWN_FACTS, GivenRows
from silva.page.payload.privacy import hidden_nodes
from silva.tree import stats
from silva.tree.tree import Tree, numbers_of, to_arrays


def about(
    subject: Subject,
    tree: Tree,
    rows: GivenRows | None,
    files: Files,
    min_cell: int | None = None,
) -> dict[str, Any]:
    """Where the page comes from. `left_out` has names of files that are too large for it.

    With `min_cell` there are no hashes: whoever tries all hidden counts finds those that fit.
    """
    is_open = min_cell is None
    return {
        "fingerprint": fingerprint(rows) if rows is not None and is_open else None,
        "model_hash": model_hash(subject) if is_open else None,
        "silva": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "fitted_rows": _fitted_rows(subject, rows, min_cell),
        "trail": [str(edit) for edit in tree.edits],
        "privacy": _privacy(tree, min_cell, files.telling),
        "left_out": files.large,
        "unknown": _unknown(subject, tree, rows),
    }


def fingerprint(rows: GivenRows) -> str:
    """SHA-256 of the rows as the model reads them: the same for any container of equal content.

    Of each column in the order of the model its kind and its values: numbers as float64 (NaN where
    missing), else the codes of levels as int32 (-1 missing, -2 unseen). Then, where
    they are given, the word "target" and the targets, float64 or class codes as int32, and the word
    "weights" and the weights as float64. All little-endian.
    """
    found = hashlib.sha256()
    for column, values in zip(rows.table.schema.columns, rows.table.columns, strict=True):
        found.update(column.kind.encode())
        found.update(_bytes(values, column.levels is None))
    target = rows.target
    if target is not None:
        found.update(b"target" + _bytes(target.values, target.classes is None))
    if target is not None and target.weights is not None:
        found.update(b"weights" + _bytes(target.weights, True))
    return found.hexdigest()


def _bytes(values: np.ndarray, is_number: bool) -> bytes:
    if not is_number:
        return np.ascontiguousarray(values, dtype="<i4").tobytes()
    numbers = np.array(values, dtype="<f8")
    numbers[np.isnan(numbers)] = np.nan
    return (numbers + 0.0).tobytes()


def model_hash(subject: Subject) -> str:
    """SHA-256 of the arrays and numbers of all trees, by name, and of their votes."""
    found = hashlib.sha256(subject.weights.astype("<f8").tobytes())
    for tree in subject.trees():
        for name, array in sorted(to_arrays(tree).items()):
            found.update(name.encode())
            found.update(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes())
        found.update(repr(sorted(numbers_of(tree).items())).encode())
    return found.hexdigest()


def _fitted_rows(subject: Subject, rows: GivenRows | None, min_cell: int | None) -> int | None:
    """How many rows the model was fitted to, None where that is not known, or hidden."""
    if subject.combiner == "tree":
        tree = subject.tree()
        return None if hidden_nodes(tree, min_cell)[0] else int(stats.node_rows(tree)[0])
    known = rows is not None and rows.are_training and rows.table.n_rows >= (min_cell or 0)
    return rows.table.n_rows if rows is not None and known else None


def _privacy(tree: Tree, min_cell: int | None, left_out: Sequence[str]) -> str:
    shown = "This page holds the model and counts of rows, never a row."
    if min_cell is None:
        return f"{shown} Small counts are shown; min_cell hides them."
    shown += (
        f" Counts from 1 to {min_cell - 1:,} are hidden, and all figures from which they could be"
        " computed. Ranges and means of columns, competing splits and fingerprints are left out."
        " Thresholds and predictions are the model itself and are shown."
    )
    if not hides(tree, min_cell):
        return f"{shown} In this tree nothing had to be hidden."
    names = f" ({', '.join(left_out)})" if left_out else ""
    return f"{shown} Files that would reveal hidden counts{names} are left out."


def _unknown(subject: Subject, tree: Tree, rows: GivenRows | None) -> list[str]:
    """What cannot be said, and why."""
    found = []
    if subject.facts is None:
        found.append(
            "The ranges of the training columns: the model keeps no facts about them (it is a bare"
            " tree, or comes from an old file or another library)."
        )
    if rows is None:
        found.append("How good the model is: no rows are given (X and y).")
    elif rows.target is None:
        found.append("How good the model is: the given rows have no targets (y).")
    elif rows.are_training:
        found.append(
            "How good the model is on new rows: the given rows are those it was fitted to."
        )
    elif rows.why == UNKNOWN_FACTS:
        found.append(f"Whether the given rows are new to the model: {UNKNOWN_FACTS}.")
    if tree.edits:
        found.append(
            "How the tree would do on other rows if it were fitted again: it was edited by hand."
        )
    return found
