"""The sections of evidence beside the trees of the document, each made by its own module."""

from collections.abc import Sequence
from typing import Any

from silva.checks import whole
from silva.inspect.distil import Distilled as Record
from silva.inspect.importances import Importance
from silva.inspect.size_path import LARGEST_SEED
from silva.inspect.stability import Stability
from silva.inspect.subject import Subject
from silva.page.payload import importances as columns
from silva.page.payload import stability as refits
from silva.page.payload.about import about
from silva.page.payload.exports import Format, exports, hides
from silva.page.payload.forest import Distilled, forest
from silva.page.payload.given import given
from silva.page.payload.given_rows import GivenRows, given_rows, validation_rows
from silva.page.payload.pruning import AUTO, pruning
from silva.page.payload.surface import surface
from silva.tree.tree import Tree


def evidence(
    model: Any,
    subject: Subject,
    trees: Sequence[Tree],
    X: Any = None,
    y: Any = None,
    *,
    sample_weight: Any = None,
    X_val: Any = None,
    y_val: Any = None,
    cv: Any = AUTO,
    seed: int = 0,
    min_cell: int | None = None,
    stability: Stability | None = None,
    importance: Importance | None = None,
    shown: Sequence[int] = (),
    distilled: Distilled | None = None,
    distilled_place: int | None = None,
    more_exports: Sequence[tuple[Format, str]] = (),
    rows: GivenRows | None = None,
) -> dict[str, Any]:
    """All sections by name: plain values that JSON holds, or None.

    `trees` are those of the document, the first of which is pruned, exported and met by the given
    rows. `shown` are the numbers of a forest's trees among them (`forest.member_trees`),
    `distilled` the tree in place of all (`forest.distilled`) and `distilled_place` where it is.
    `rows` are X and y if the caller has bound them already (`given_rows.given_rows`).
    """
    checked_min_cell(min_cell)
    whole("seed", seed, 0, LARGEST_SEED)
    model = model.model if isinstance(model, Record) else model
    first = trees[0]
    rows = rows or given_rows(model, subject, first, X, y, sample_weight)
    held_out = validation_rows(subject, X_val, y_val)
    ranked = columns.importances(subject, importance, min_cell)
    files = exports(first, min_cell, more_exports)
    return {
        "pruning": pruning(model, subject, first, rows, held_out, cv, seed, min_cell),
        "given": given(model, subject, first, rows, min_cell),
        "importances": ranked,
        "stability": None if hides(first, min_cell) else refits.stability(stability, min_cell),
        "forest": forest(model, subject, shown, rows, distilled, distilled_place, min_cell),
        "surface": surface(subject, trees, ranked["columns"], rows, min_cell),
        "exports": files.ready,
        "about": about(subject, first, rows, files, min_cell),
    }


def checked_min_cell(min_cell: int | None) -> int | None:
    """The number of rows that a count must have to be told; PlanError for anything else."""
    return None if min_cell is None else whole("min_cell", min_cell, 1)
