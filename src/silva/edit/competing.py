"""The splits that a node might have had: the best of every column, by the core's own search."""

from dataclasses import dataclass
from dataclasses import replace as with_changes
from typing import Any, NamedTuple

import numpy as np

from silva.checks import is_whole, refuse
from silva.data.schema import Schema
from silva.data.table import Table, Target, Task
from silva.edit.model import Bench, Fitted, bench, existing
from silva.edit.questions import asking, told
from silva.grow.fair import charge, groups_of, lone_follow_missing, lone_levels
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.grow.presets import preset
from silva.grow.splits import (
    FITTED_FORMS,
    Choice,
    DistanceSplits,
    Form,
    ObliqueSplits,
    checked_splits,
    column_forms,
)
from silva.notebook import ShownAsText
from silva.tree import stats
from silva.tree.restat import restated
from silva.tree.splits import Distance, Multiway, Oblique, Split, Subset, Threshold, split_of
from silva.tree.tree import Tree
from silva.tree.words import MAX_LISTED


@dataclass(frozen=True, slots=True)
class Competing(ShownAsText):
    """A split that a node has or might have.

    `gain` is by the tree's criterion, per unit of the node's weight; `score` is the gain less the
    charge of a fair category gain, with which columns compete; `rows` are those of each child;
    `words` states the question. `is_current`: the node has this split.
    """

    split: Split
    words: str
    gain: float
    score: float
    rows: tuple[int, ...]
    is_current: bool

    def __str__(self) -> str:
        rows = " + ".join(f"{count:,}" for count in self.rows)
        mark = ", the split of the node" if self.is_current else ""
        left = "" if self.score == self.gain else f", {self.score:.4g} after its charge"
        return f"{self.words} (gain {self.gain:.4g}{left}, {rows} rows{mark})"


def competing_splits(
    model: Tree | Fitted,
    node: int,
    X: Any,
    y: Any,
    most: int | None = 5,
    *,
    splits: Any = None,
    category_gain: str | None = None,
    sample_weight: Any = None,
    max_listed: int | None = MAX_LISTED,
    threads: int = 1,
) -> list[Competing]:
    """The best split of every column at a node, largest score first (of equals, the first column).

    Each is found by the exact search over the rows of the node, without limits of size, in the form
    that the model's own `splits` or plan gives its column; `splits` asks for other forms, as in the
    estimators (a Tree knows no plan: sets of categories, unless `splits` says else). The same holds
    for `category_gain` (of a Tree: "fair"), which decides the score. A level with a single row at
    the node takes no part in the search. Those with a single row in all of `X` are one group of the
    charge, as in growth, so give the rows that the tree grew from. If the forms allow oblique or
    distance splits, one of each kind is listed where growth would prefer it to all
    splits of single columns. The node's own split is among them, even where it is not the best of
    its column, and comes on top of `most` (None: all) if it is not among those. A node whose
    targets are all equal has none but its own. `max_listed` is how many levels or terms `words`
    list (None: all); `split` always holds all of them.
    """
    work = bench(model, X, y, sample_weight, threads)
    _check_most("most", most)
    _check_most("max_listed", max_listed)
    return competing_at(work, existing(work.tree, node), most, splits, category_gain, max_listed)


def competing_at(
    work: Bench[Any],
    node: int,
    most: int | None = 5,
    splits: Any = None,
    category_gain: str | None = None,
    max_listed: int | None = MAX_LISTED,
) -> list[Competing]:
    """The same for rows that are bound already."""
    own = _own_plan(work.model, work.tree.task)
    choices = checked_splits(own.splits if splits is None else splits)
    gain = own.category_gain if category_gain is None else category_gain
    forms = column_forms(choices, work.tree.schema)
    at = _Rows(work, *work.taken(work.rows_at(node)), forms, gain)
    found: list[Competing | None] = []
    if not _is_constant(at.target):
        found = [_best(at, *one) for one in enumerate(forms)]
        found += [_best_of_several(at, one) for one in choices]
    ranked = _ranked([one for one in found if one], _current(at, node), most)
    schema = work.tree.schema
    return [with_changes(one, words=told(one.split, schema, max_listed)) for one in ranked]


class _Asked(NamedTuple):
    """What a model asks of its columns."""

    splits: Any
    category_gain: str


class _Rows(NamedTuple):
    """The rows of the node, and how its columns are asked about."""

    work: Bench[Any]
    table: Table
    target: Target
    forms: list[Form]
    category_gain: str


def _own_plan(model: Any, task: Task) -> _Asked:
    """What the parameters of an estimator say, by themselves or by a whole plan."""
    plan = getattr(model, "plan", None)
    if plan is None:
        own = getattr(model, "category_gain", "fair")
        return _Asked(getattr(model, "splits", None), own)
    plan = preset(plan, task) if isinstance(plan, str) else plan
    return _Asked(plan.splits, plan.category_gain)


def _ranked(found: list[Competing], current: Competing | None, most: int | None) -> list[Competing]:
    if current is not None:
        found = [current, *(one for one in found if one.split != current.split)]
    found.sort(key=lambda one: (-one.score, _first_column(one.split)))
    shown = found if most is None else found[:most]
    missing = current is not None and current not in shown
    return [*shown, current] if missing and current is not None else shown


def _first_column(split: Split) -> int:
    return split.column if isinstance(split, Threshold | Subset | Multiway) else -1


def _best(at: _Rows, column: int, form: Form) -> Competing | None:
    """The stump of one column alone, told as a split of the whole table."""
    schema = Schema((at.table.schema.columns[column],), at.table.schema.named)
    alone = Table(schema, (at.table.columns[column],), at.table.n_rows)
    stump = _stump(at, alone, {0: form.name})
    split = split_of(stump, 0)
    if not isinstance(split, Threshold | Subset | Multiway):
        return None
    return _competing(at, stump, with_changes(split, column=column), False)


def _best_of_several(at: _Rows, choice: Choice) -> Competing | None:
    """The oblique or distance split that growth would take here."""
    if not isinstance(choice, ObliqueSplits | DistanceSplits):
        return None
    stump = _stump(at, at.table, choice)
    split = split_of(stump, 0)
    if not isinstance(split, Oblique | Distance):
        return None
    return _competing(at, stump, split, False)


def _stump(at: _Rows, table: Table, splits: Any) -> Tree:
    plan = Plan(
        at.target.task,
        at.work.tree.criterion,
        max_depth=1,
        splits=splits,
        category_gain=at.category_gain,
    )
    return grow(table, at.target, plan, at.work.threads)


def _current(at: _Rows, node: int) -> Competing | None:
    """The node's own split, with the gain that it has on these rows."""
    split = split_of(at.work.tree, node)
    if split is None:
        return None
    own = restated(asking(at.work.tree, split), at.table, at.target, at.work.threads)
    return _competing(at, own, split, True)


def _competing(at: _Rows, stump: Tree, split: Split, is_current: bool) -> Competing:
    rows = tuple(stats.node_rows(stump)[1:].tolist())
    gain = float(stump.gain[0])
    words = told(split, at.table.schema)
    return Competing(split, words, gain, gain - _charge(at, split, gain), rows, is_current)


def _charge(at: _Rows, split: Split, gain: float) -> float:
    """What growth would take off the gain of a set of levels; 0 for other splits."""
    if at.category_gain == "plain" or not isinstance(split, Subset | Multiway):
        return 0.0
    number, form = split.column, at.forms[split.column].name
    if form not in FITTED_FORMS:
        return 0.0
    work = at.work
    lone = lone_levels(work.table.columns[number], work.target.weights)
    with_missing = lone_follow_missing(work.table.schema.columns[number], form)
    return charge(gain, groups_of(at.table.columns[number], lone, with_missing), at.target)


def _is_constant(target: Target) -> bool:
    known = target.values if target.weights is None else target.values[target.weights > 0]
    return bool(np.all(known == known[0]))


def _check_most(name: str, most: Any) -> None:
    if most is not None and not (is_whole(most) and most >= 1):
        refuse(name, most, "use None or a whole number of at least 1")
