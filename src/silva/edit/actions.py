"""Editing by hand: pure functions that return a new model with the statistics of the rows given.

Each takes a fitted estimator or a Tree and returns one of the same sort; the old one stays as it
was. `node` is a number as `silva.to_text(model, numbers=True)` shows it. `X`, `y` and
`sample_weight` are the rows that the new counts, answers and gains come from, as a rule those that
the model was fitted on: then whatever the edit does not touch stays the same to the last bit.
`note` is kept in the tree's trail, beside what was done.
"""

from dataclasses import fields
from dataclasses import replace as with_changes
from typing import Any

import numpy as np

from silva.data.schema import Column
from silva.edit.model import Bench, Fitted, Model, bench, existing, tree_of
from silva.edit.questions import Question, asking, is_open, resolve_missing, split_from, told
from silva.errors import DataError, PlanError
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.grow.presets import preset
from silva.messages import counted
from silva.tree import route
from silva.tree.edits import Edit
from silva.tree.restat import heaviest_child, weight_inside
from silva.tree.splice import branch_of, one_leaf, spliced
from silva.tree.splits import Split, n_children_of, split_of
from silva.tree.stats import leaf_range
from silva.tree.tree import Tree

BELOW = ("keep", "leaf")


def collapse(
    model: Model,
    node: int,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    note: str = "",
    threads: int = 1,
) -> Model:
    """The model in which a node is a leaf. A node that is one already is refused."""
    work = bench(model, X, y, sample_weight, threads)
    node = existing(work.tree, node)
    if work.tree.is_leaf[node]:
        raise PlanError(f"node={node!r} is a leaf already: there is nothing to collapse.")
    what = f"{_leaves(work.tree, node)} became one"
    tree = spliced(work.tree, node, one_leaf(work.tree))
    return work.finished(tree, Edit("collapse", node, what, note))


def replace(
    model: Model,
    node: int,
    split: Question | Split,
    X: Any,
    y: Any,
    *,
    below: str | Plan = "keep",
    sample_weight: Any = None,
    note: str = "",
    threads: int = 1,
) -> Model:
    """The model in which a node asks another question.

    `split` is `edit.Below("age", 40)`, `edit.Among("town", ["Oslo"])`, `edit.Each("town")`,
    `edit.Missing("age")`, or a split of a tree, such as one of `competing_splits`. Missing and
    unseen values go to the heavier child unless the split says otherwise.

    `below` says what becomes of the branches below: "keep" leaves each in its place (a leaf, or a
    node that had another number of children, gets leaves), "leaf" ends them, and a Plan grows them
    again. A split that leaves a leaf without rows is refused with the counts.
    """
    work = bench(model, X, y, sample_weight, threads)
    node = existing(work.tree, node)
    _check_below(below, work.tree)
    chosen = split_from(split, work.tree.schema)
    if is_open(split):
        chosen = resolve_missing(chosen, _heaviest_child(work, node, chosen))
    branch = _asked(work.tree, node, chosen, keep=below == "keep")
    tree = spliced(work.tree, node, branch)
    if isinstance(below, Plan):
        tree = _children_grown(work, tree, node, below)
    what = f"{told(chosen, tree.schema)} instead of {_asked_so_far(work.tree, node)}"
    return work.finished(tree, Edit("replace", node, what, note))


def regrow(
    model: Model,
    node: int,
    plan: Plan | str,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    note: str = "",
    threads: int = 1,
) -> Model:
    """The model in which the branch at a node is grown again, by a plan (or a preset's name).

    The branch is grown from the rows of the node alone: limits of depth, leaves and shares count
    from there. Gains are by the tree's own criterion, which is the plan's if the root is grown
    again. A plan of another task, or with other policies for missing values, is refused.
    """
    work = bench(model, X, y, sample_weight, threads)
    node = existing(work.tree, node)
    plan = _plan(plan, work.tree)
    grown = _grown(work, work.rows_at(node), plan)
    old = work.tree if node else with_changes(work.tree, criterion=plan.criterion)
    what = f"{_leaves(work.tree, node)} became {grown.n_leaves} by {_plan_words(plan)}"
    return work.finished(spliced(old, node, grown), Edit("regrow", node, what, note))


def graft(
    model: Model,
    node: int,
    other: Tree | Fitted,
    X: Any,
    y: Any,
    *,
    other_node: int = 0,
    sample_weight: Any = None,
    note: str = "",
    threads: int = 1,
) -> Model:
    """The model in which a branch of another tree stands in place of a node.

    The branch is that at `other_node` (the root: the whole tree) of a Tree or fitted estimator
    with the same task and columns. Its splits are taken, its statistics are not.
    """
    work = bench(model, X, y, sample_weight, threads)
    node, giver = existing(work.tree, node), tree_of(other)
    other_node = existing(giver, other_node)
    _check_same_columns(work.tree, giver)
    branch = with_changes(branch_of(giver, other_node), schema=work.tree.schema)
    source = f"node {other_node} of another tree"
    what = f"{_leaves(work.tree, node)} became {branch.n_leaves} of {source}"
    return work.finished(spliced(work.tree, node, branch), Edit("graft", node, what, note))


def _check_below(below: Any, tree: Tree) -> None:
    if isinstance(below, Plan):
        _plan(below, tree)
    elif below not in BELOW:
        raise PlanError(f"below={below!r} is not possible: use 'keep', 'leaf' or a silva.Plan.")


def _heaviest_child(work: Bench[Any], node: int, split: Split) -> int:
    """The child that most weight of the node's rows with known values goes to."""
    stump = asking(work.tree, split)
    table, target = work.taken(work.rows_at(node))
    nodes = route.leaves(stump, table, work.threads)
    return heaviest_child(stump, 0, weight_inside(stump, nodes, target.weights))


def _asked(tree: Tree, node: int, split: Split, keep: bool) -> Tree:
    """One split with what is below: the old branches if they fit, else leaves."""
    asked = asking(tree, split)
    first, last = tree.child_start[node], tree.child_start[node + 1]
    if not keep or last - first != n_children_of(split):
        return asked
    for place in reversed(range(last - first)):
        branch = branch_of(tree, int(tree.child[first + place]))
        asked = spliced(asked, 1 + place, branch)
    return asked


def _children_grown(work: Bench[Any], tree: Tree, node: int, plan: Plan) -> Tree:
    """The tree in which the children of a node are grown by a plan from the rows they get."""
    nodes = work.nodes(tree)
    children = tree.child[tree.child_start[node] : tree.child_start[node + 1]].tolist()
    for child in reversed(children):
        rows = np.flatnonzero((nodes >= child) & (nodes < tree.subtree_end[child]))
        if len(rows):
            tree = spliced(tree, child, _grown(work, rows, plan))
    return tree


def _grown(work: Bench[Any], rows: np.ndarray, plan: Plan) -> Tree:
    table, target = work.taken(rows)
    grown = grow(table, target, plan, work.threads)
    if grown.schema != work.tree.schema:
        raise PlanError(
            f"the plan has missing={plan.missing!r} and unseen={plan.unseen!r}, other than the tree"
            " has for its columns: leave them out of the plan, which then takes the tree's."
        )
    return grown


def _plan(plan: Any, tree: Tree) -> Plan:
    chosen = preset(plan, tree.task) if isinstance(plan, str) else plan
    if not isinstance(chosen, Plan):
        raise PlanError(f"plan={plan!r} is not possible: use a silva.Plan or the name of a preset.")
    if chosen.task != tree.task:
        raise PlanError(
            f"a {chosen.task} plan cannot grow a branch of a {tree.task} tree:"
            f" make the plan with task={tree.task!r}."
        )
    return chosen


def _check_same_columns(tree: Tree, other: Tree) -> None:
    if other.task != tree.task:
        raise PlanError(f"a branch of a {other.task} tree does not fit a {tree.task} tree.")
    if len(other.schema) != len(tree.schema):
        raise DataError(
            f"the other tree has {counted(len(other.schema), 'column')},"
            f" this one {len(tree.schema)}: both must be of the same columns."
        )
    for mine, theirs in zip(tree.schema.columns, other.schema.columns, strict=True):
        if _what(mine) != _what(theirs):
            raise DataError(
                f"column {mine.name!r} of this tree and {theirs.name!r} of the other differ in"
                " name, kind, levels or scale of time: both must be of the same columns."
            )


def _what(column: Column) -> tuple[object, ...]:
    """All that a split depends on."""
    return column.name, column.kind, column.levels, column.time


def _leaves(tree: Tree, node: int) -> str:
    first, last = leaf_range(tree)
    return counted(int(last[node] - first[node]), "leaf", "leaves")


def _asked_so_far(tree: Tree, node: int) -> str:
    split = split_of(tree, node)
    return "a leaf" if split is None else told(split, tree.schema)


def _plan_words(plan: Plan) -> str:
    """The criterion, and whatever else is not as it is by default."""
    chosen = [one for one in fields(plan) if one.name not in ("task", "criterion")]
    unusual = [one.name for one in chosen if getattr(plan, one.name) != one.default]
    return ", ".join([plan.criterion, *(f"{name}={getattr(plan, name)!r}" for name in unusual)])
