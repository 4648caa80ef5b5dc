"""What is told of a forest: which of its trees are shown, and the one tree that stands for all."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from silva.checks import is_whole
from silva.data.schema import UNSEEN_CODE
from silva.data.table import Table
from silva.errors import PlanError
from silva.grow.plan import Plan
from silva.inspect.distil import CRITERION, taught
from silva.inspect.fresh_rows import Source
from silva.inspect.subject import Subject, unwrapped
from silva.page.payload.given_rows import GivenRows
from silva.tree import words
from silva.tree.tree import Tree

SHOWN_TREES = 10
SHOWN_NODES = 20_000
FRESH_ROWS = 20_000
MOST_LEAVES = 16
REGION = 5
"""As in `silva.distil`, whose tree this is."""


class Distilled(NamedTuple):
    """One tree in place of a forest, and the share of given rows (or R2) that it answers as it."""

    tree: Tree
    fidelity: float


def member_trees(subject: Subject, asked: int | Sequence[int] | None = None) -> list[int]:
    """The numbers of the trees to show: those that are asked for, else the first ten.

    A number of trees, or their numbers. Without a wish, trees of at most 20,000 nodes together, and
    at least one.
    """
    n_trees = len(subject)
    if asked is None:
        return _first(subject)
    if isinstance(asked, Sequence | np.ndarray):
        numbers = list(asked)
        if numbers and all(is_whole(one) and 0 <= one < n_trees for one in numbers):
            return list(dict.fromkeys(int(one) for one in numbers))
    elif is_whole(asked) and asked >= 1:
        return list(range(min(int(asked), n_trees)))
    raise PlanError(
        f"trees={asked!r} is not possible: give how many of the {n_trees:,} trees to show, or"
        f" their numbers from 0 to {n_trees - 1}."
    )


def _first(subject: Subject) -> list[int]:
    shown: list[int] = []
    nodes = 0
    for number in range(min(SHOWN_TREES, len(subject))):
        nodes += subject.tree(number).n_nodes
        if nodes > SHOWN_NODES and shown:
            break
        shown.append(number)
    return shown


def distilled(
    model: Any,
    subject: Subject,
    rows: GivenRows | None,
    min_cell: int | None = None,
    seed: int = 0,
) -> Distilled | None:
    """One tree that answers as the forest does, as `silva.distil` fits it; needs rows.

    None without rows, with `min_cell`, for boosted trees and single ones, and for rows with levels
    that the forest does not know: `note` says why.
    """
    if _why_not_distilled(subject, rows, min_cell):
        return None
    assert rows is not None
    forest = unwrapped(model)[0].forest_
    weights = None if rows.target is None else rows.target.weights
    source = Source(forest, replace(rows.table, schema=forest.schema), weights, REGION)
    plan = Plan(subject.task, CRITERION[subject.task], max_leaf_nodes=MOST_LEAVES)
    lesson = taught(source, FRESH_ROWS, plan, "hard", seed)
    return Distilled(replace(lesson.tree, schema=subject.schema), lesson.real.figure)


def _why_not_distilled(subject: Subject, rows: GivenRows | None, min_cell: int | None) -> str:
    if subject.combiner == "boosted":
        return "There is no single tree in place of boosted ones."
    if min_cell is not None:
        return "There is no single tree in place of all: its counts would reveal hidden ones."
    if rows is None:
        return "A single tree in place of all needs rows: give X."
    if _has_unseen(rows.table):
        return "There is no single tree in place of all: some rows hold levels new to the forest."
    return ""


def _has_unseen(table: Table) -> bool:
    pairs = zip(table.schema.columns, table.columns, strict=True)
    return any(column.levels and (values == UNSEEN_CODE).any() for column, values in pairs)


def forest(
    model: Any,
    subject: Subject,
    shown: Sequence[int],
    rows: GivenRows | None,
    found: Distilled | None,
    place: int | None,
    min_cell: int | None = None,
) -> dict[str, Any] | None:
    """What the page says of the forest; None for a single tree.

    `shown` are the numbers of its trees in the document, `place` that of the distilled tree. With
    `min_cell` shares of rows are left out: times the rows, they are counts.
    """
    is_open = min_cell is None
    if subject.combiner == "tree":
        return None
    notes = []
    if len(shown) < len(subject):
        notes.append(f"{len(shown):,} of {len(subject):,} trees are shown, to keep the file small.")
    if found is None:
        notes.append(_why_not_distilled(subject, rows, min_cell))
    return {
        "n_trees": len(subject),
        "shown": list(shown),
        "votes": subject.votes[list(shown)].tolist(),
        "oob": _out_of_bag(model) if is_open else None,
        "distilled": None if found is None else place,
        "fidelity": found.fidelity if found is not None and is_open else None,
        "agreement": _agreement(subject, found) if found is not None and is_open else "",
        "note": " ".join(notes),
    }


def _agreement(subject: Subject, found: Distilled) -> str:
    """How well the single tree repeats the forest on the given rows."""
    if subject.classes is not None:
        return f"It predicts as the forest does for {words.percent(found.fidelity)} of the rows."
    told = words.number(found.fidelity, 4)
    return f"It explains {told} of the variance of the forest's predictions (R2)."


def _out_of_bag(model: Any) -> float | None:
    """The out-of-bag score, None where it was not asked for."""
    found = getattr(unwrapped(model)[0], "oob_score_", None)
    return None if found is None else float(found)
