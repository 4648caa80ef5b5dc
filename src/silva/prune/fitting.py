"""Growing and pruning in one go: which rows grow the tree, and which rows prune it."""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from silva.data.table import Target
from silva.errors import DataError
from silva.messages import counted
from silva.prune.cross_validation import shuffled, take
from silva.prune.evidence import Evidence, Rows
from silva.prune.names import Pruner, checked_result, looks_at_validation
from silva.prune.record import Pruned
from silva.tree.restat import restated
from silva.tree.tree import Tree

PRUNING_ROWS = "pruning_rows"
"""The entry of a record's evidence with the number of training rows held out for pruning."""


class Growth(Protocol):
    """Grows a tree from rows; its leaves have at least so many of them, and what was asked for."""

    def __call__(self, rows: Rows, /, min_samples_leaf: int = 1) -> Tree: ...


@dataclass(frozen=True, slots=True)
class InternalSplit:
    """How rows are held out for a pruner that needs some and was given none."""

    fraction: float
    seed: int


def grow_and_prune(
    rows: Rows,
    grow: Growth,
    pruner: Pruner,
    validation: Rows | None,
    split: InternalSplit,
    threads: int = 1,
) -> Pruned:
    """The pruned tree of these rows.

    The tree grows from all rows and is pruned; trees of a cross-validation grow in the same way.
    Only a pruner that must have validation rows, where none are given, gets a part of `rows`: the
    tree grows from the others, is pruned, and its leaves are stated anew from all rows.
    """
    if validation is None and looks_at_validation(pruner) == "always":
        return _on_split(rows, grow, pruner, split, threads)
    pruned = _pruned(grow(rows), rows, grow, pruner, validation, threads)
    if validation is None or looks_at_validation(pruner) == "never":
        return pruned
    n_rows = counted(validation.table.n_rows, "validation row")
    return _with_note(pruned, f"chosen by {n_rows}")


def _on_split(
    rows: Rows, grow: Growth, pruner: Pruner, split: InternalSplit, threads: int
) -> Pruned:
    held_out = drawn(rows.target, split)
    growing, validation = take(rows, np.flatnonzero(~held_out)), take(rows, held_out.nonzero()[0])
    pruned = _pruned(grow(growing), growing, grow, pruner, validation, threads)
    tree = restated(pruned.tree, rows.table, rows.target, threads)
    n_rows = counted(len(held_out), "row")
    note = (
        f"chosen by {validation.table.n_rows:,} of {n_rows} that the tree did not grow from;"
        " then its leaves were recomputed from all of them"
    )
    pruned = _with_note(replace(pruned, tree=tree), note)
    evidence = {**pruned.record.evidence, PRUNING_ROWS: validation.table.n_rows}
    return replace(pruned, record=replace(pruned.record, evidence=evidence))


def _pruned(
    tree: Tree, rows: Rows, grow: Growth, pruner: Pruner, validation: Rows | None, threads: int
) -> Pruned:
    evidence = Evidence(
        table=rows.table,
        target=rows.target,
        validation_table=None if validation is None else validation.table,
        validation_target=None if validation is None else validation.target,
        threads=threads,
        grow=lambda chosen: grow(take(rows, chosen)),
        regrow=lambda chosen, size: grow(take(rows, chosen), size),
    )
    return checked_result(pruner, pruner(tree, evidence))


def drawn(target: Target, split: InternalSplit) -> np.ndarray:
    """Which rows are held out (bool): a share of each class, of rows with a weight.

    Classes are dealt out evenly, in random order inside each.
    """
    rows = shuffled(target, split.seed)
    n_held_out = round(split.fraction * len(rows))
    if not 0 < n_held_out < len(rows):
        raise DataError(
            f"validation_fraction={split.fraction!r} of {counted(len(rows), 'row')} leaves no row"
            f" on one side (n_samples={len(rows)}): choose another fraction, or give X_val and"
            " y_val."
        )
    places = np.floor((np.arange(n_held_out) + 0.5) * (len(rows) / n_held_out)).astype(np.int64)
    held_out = np.zeros(len(target.values), dtype=bool)
    held_out[rows[places]] = True
    return held_out


def _with_note(pruned: Pruned, note: str) -> Pruned:
    notes = [one for one in (pruned.record.note, note) if one]
    return replace(pruned, record=replace(pruned.record, note="; ".join(notes)))
