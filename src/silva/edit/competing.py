"""The splits that a node might have had: the best of every column, by the core's own search."""

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace as with_changes
from typing import Any

import numpy as np

from silva.data.columns import column_number
from silva.data.schema import Schema
from silva.data.table import Table, Target
from silva.edit.model import Bench, Fitted, bench, existing
from silva.edit.questions import asking, told
from silva.errors import PlanError
from silva.grow.checks import is_whole, refuse
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.tree import stats
from silva.tree.restat import restated
from silva.tree.splits import Multiway, Split, Subset, Threshold, split_of
from silva.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class Competing:
    """A split that a node has or might have.

    `gain` is by the tree's criterion, per unit of the node's weight; `rows` are those of each
    child; `words` states the question. `is_current`: the node has this split.
    """

    split: Split
    words: str
    gain: float
    rows: tuple[int, ...]
    is_current: bool

    def __str__(self) -> str:
        rows = " + ".join(f"{count:,}" for count in self.rows)
        mark = ", the split of the node" if self.is_current else ""
        return f"{self.words} (gain {self.gain:.4g}, {rows} rows{mark})"


def competing_splits(
    model: Tree | Fitted,
    node: int,
    X: Any,
    y: Any,
    most: int | None = 5,
    *,
    splits: str | Mapping[str | int, str] | None = None,
    sample_weight: Any = None,
    threads: int = 1,
) -> list[Competing]:
    """The best split of every column at a node, largest gain first (of equals, the first column).

    Each is found by the exact search over the rows of the node, without limits of size; `splits`
    gives the form of categorical columns as in the estimators, for all or by column. The node's own
    split is among them, even where it is not the best of its column, and comes on top of `most`
    (None: all columns) if it is not among those. A node whose targets are all equal has none but
    its own.
    """
    work = bench(model, X, y, sample_weight, threads)
    node = existing(work.tree, node)
    _check_most(most)
    forms = _forms(splits, work.tree.schema)
    table, target = work.taken(work.rows_at(node))
    found = [
        _best(work, table, target, column, forms[column]) for column in range(len(table.columns))
    ]
    return _ranked([one for one in found if one], _current(work, node, table, target), most)


def _ranked(found: list[Competing], current: Competing | None, most: int | None) -> list[Competing]:
    if current is not None:
        found = [current, *(one for one in found if one.split != current.split)]
    found.sort(key=lambda one: (-one.gain, _first_column(one.split)))
    shown = found if most is None else found[:most]
    missing = current is not None and current not in shown
    return [*shown, current] if missing and current is not None else shown


def _first_column(split: Split) -> int:
    return split.column if isinstance(split, Threshold | Subset | Multiway) else -1


def _best(
    work: Bench[Any], table: Table, target: Target, column: int, form: str | None
) -> Competing | None:
    """The stump of one column alone, told as a split of the whole table."""
    if _is_constant(target):
        return None
    alone = Table(
        Schema((table.schema.columns[column],), table.schema.named),
        (table.columns[column],),
        table.n_rows,
    )
    plan = Plan(target.task, work.tree.criterion, max_depth=1, splits=() if form is None else form)
    stump = grow(alone, target, plan, work.threads)
    split = split_of(stump, 0)
    if not isinstance(split, Threshold | Subset | Multiway):
        return None
    return _competing(stump, with_changes(split, column=column), table.schema, False)


def _current(work: Bench[Any], node: int, table: Table, target: Target) -> Competing | None:
    """The node's own split, with the gain that it has on these rows."""
    split = split_of(work.tree, node)
    if split is None:
        return None
    own = restated(asking(work.tree, split), table, target, work.threads)
    return _competing(own, split, table.schema, True)


def _competing(stump: Tree, split: Split, schema: Schema, is_current: bool) -> Competing:
    rows = tuple(stats.node_rows(stump)[1:].tolist())
    return Competing(split, told(split, schema), float(stump.gain[0]), rows, is_current)


def _is_constant(target: Target) -> bool:
    known = target.values if target.weights is None else target.values[target.weights > 0]
    return bool(np.all(known == known[0]))


def _forms(splits: Any, schema: Schema) -> list[str | None]:
    """The form asked for of each column, None where it is left open."""
    if splits is None or isinstance(splits, str):
        categorical = [column.kind == "categorical" for column in schema.columns]
        return [splits if is_one else None for is_one in categorical]
    if not isinstance(splits, Mapping):
        raise PlanError(f"splits={splits!r} is not possible: use a form, or forms by column.")
    forms: list[str | None] = [None] * len(schema)
    for key, form in splits.items():
        forms[column_number(key, schema.names, "splits", PlanError)] = form
    return forms


def _check_most(most: Any) -> None:
    if most is not None and not (is_whole(most) and most >= 1):
        refuse("most", most, "use None or a whole number of at least 1")
