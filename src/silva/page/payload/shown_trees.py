"""Which trees a page shows: that of the model, or some of many and one that stands for them all."""

from dataclasses import dataclass, replace
from typing import Any

from silva.errors import PlanError
from silva.inspect.subject import Subject
from silva.messages import counted, shown
from silva.page.payload.forest import FRESH_ROWS, Distilled, distilled, member_trees
from silva.page.payload.given_rows import GivenRows, ends_in
from silva.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class ShownTree:
    """A tree of the page: `role` is "model", "member" or "distilled"; members have a number."""

    tree: Tree
    role: str = "model"
    title: str = ""
    number: int | None = None
    note: str = ""


@dataclass(frozen=True, eq=False)
class ShownTrees:
    """The trees of a page, that which is shown first in front.

    `rows` are the given rows, and where they end in the first tree. `distilled` is that tree where
    it stands for a forest.
    """

    trees: tuple[ShownTree, ...]
    rows: GivenRows | None = None
    distilled: Distilled | None = None

    @property
    def first(self) -> Tree:
        return self.trees[0].tree

    @property
    def members(self) -> list[int]:
        return [one.number for one in self.trees if one.number is not None]


def shown_trees(
    model: Any,
    subject: Subject,
    chosen: Any = None,
    rows: GivenRows | None = None,
    min_cell: int | None = None,
) -> ShownTrees:
    """The only tree; or the chosen members, behind a distilled tree where rows are given.

    `chosen` is None, a number of trees, or the numbers of trees. `rows` are routed by tree 0.
    """
    if subject.combiner == "tree":
        if chosen is not None:
            raise PlanError(f"trees={shown(chosen)} is not possible: this model has one tree.")
        return ShownTrees((ShownTree(subject.tree()),), rows)
    members = [_member(subject, number) for number in member_trees(subject, chosen)]
    found = distilled(model, subject, rows, min_cell)
    first = [] if found is None else [_standing_for_all(found, subject)]
    made = (*first, *members)
    if rows is not None:
        rows = replace(rows, ends=ends_in(made[0].tree, rows.table))
    return ShownTrees(made, rows, found)


def _member(subject: Subject, number: int) -> ShownTree:
    return ShownTree(subject.tree(number), "member", f"tree {number} of {len(subject):,}", number)


def _standing_for_all(found: Distilled, subject: Subject) -> ShownTree:
    note = (
        f"This tree learned from the predictions of {counted(len(subject), 'tree')} for"
        f" {counted(FRESH_ROWS, 'fresh row')} that look like the given ones: its counts are of"
        " those."
    )
    title = f"one tree that stands for all {len(subject):,}"
    return ShownTree(found.tree, "distilled", title, note=note)
