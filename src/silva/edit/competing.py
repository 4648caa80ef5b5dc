"""The splits that a node might have had: the best of every column, by the core's own search."""

from dataclasses import dataclass
from dataclasses import replace as with_changes
from typing import Any

import numpy as np

from silva.data.schema import Schema
from silva.data.table import Table, Target, Task
from silva.edit.model import Bench, Fitted, bench, existing
from silva.edit.questions import asking, told
from silva.grow.checks import is_whole, refuse
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.grow.presets import preset
from silva.grow.splits import (
    Choice,
    DistanceSplits,
    Form,
    ObliqueSplits,
    checked_splits,
    column_forms,
)
from silva.tree import stats
from silva.tree.restat import restated
from silva.tree.splits import Distance, Multiway, Oblique, Split, Subset, Threshold, split_of
from silva.tree.tree import Tree
from silva.tree.words import MAX_LISTED


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
    splits: Any = None,
    sample_weight: Any = None,
    max_listed: int | None = MAX_LISTED,
    threads: int = 1,
) -> list[Competing]:
    """The best split of every column at a node, largest gain first (of equals, the first column).

    Each is found by the exact search over the rows of the node, without limits of size, in the form
    that the model's own `splits` or plan gives its column; `splits` asks for other forms, as in the
    estimators (a Tree knows no plan: sets of categories, unless `splits` says else). If they allow
    oblique or distance splits, one of each kind is listed where growth would prefer it to all
    splits of single columns. The node's own split is among them, even where it is not the best of
    its column, and comes on top of `most` (None: all) if it is not among those. A node whose
    targets are all equal has none but its own. `max_listed` is how many levels or terms `words`
    list (None: all); `split` always holds all of them.
    """
    work = bench(model, X, y, sample_weight, threads)
    node = existing(work.tree, node)
    _check_most("most", most)
    _check_most("max_listed", max_listed)
    choices = _own_splits(model, work.tree.task) if splits is None else checked_splits(splits)
    forms = column_forms(choices, work.tree.schema)
    table, target = work.taken(work.rows_at(node))
    found: list[Competing | None] = []
    if not _is_constant(target):
        found = [_best(work, table, target, *one) for one in enumerate(forms)]
        found += [_best_of_several(work, table, target, one) for one in choices]
    ranked = _ranked([one for one in found if one], _current(work, node, table, target), most)
    schema = work.tree.schema
    return [with_changes(one, words=told(one.split, schema, max_listed)) for one in ranked]


def _own_splits(model: Any, task: Task) -> tuple[Choice, ...]:
    """What the parameters of an estimator say of splits, by themselves or by a whole plan."""
    plan = getattr(model, "plan", None)
    if plan is None:
        return checked_splits(getattr(model, "splits", None))
    return checked_splits((preset(plan, task) if isinstance(plan, str) else plan).splits)


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
    work: Bench[Any], table: Table, target: Target, column: int, form: Form
) -> Competing | None:
    """The stump of one column alone, told as a split of the whole table."""
    alone = Table(
        Schema((table.schema.columns[column],), table.schema.named),
        (table.columns[column],),
        table.n_rows,
    )
    stump = _stump(work, alone, target, {0: form.name})
    split = split_of(stump, 0)
    if not isinstance(split, Threshold | Subset | Multiway):
        return None
    return _competing(stump, with_changes(split, column=column), table.schema, False)


def _best_of_several(
    work: Bench[Any], table: Table, target: Target, choice: Choice
) -> Competing | None:
    """The oblique or distance split that growth would take here."""
    if not isinstance(choice, ObliqueSplits | DistanceSplits):
        return None
    stump = _stump(work, table, target, choice)
    split = split_of(stump, 0)
    if not isinstance(split, Oblique | Distance):
        return None
    return _competing(stump, split, table.schema, False)


def _stump(work: Bench[Any], table: Table, target: Target, splits: Any) -> Tree:
    plan = Plan(target.task, work.tree.criterion, max_depth=1, splits=splits)
    return grow(table, target, plan, work.threads)


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


def _check_most(name: str, most: Any) -> None:
    if most is not None and not (is_whole(most) and most >= 1):
        refuse(name, most, "use None or a whole number of at least 1")
