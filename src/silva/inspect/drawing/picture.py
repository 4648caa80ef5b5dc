"""From a fitted model to its picture: what every function that draws a tree does first."""

from typing import Any

from silva.checks import refuse, whole, whole_or_none
from silva.errors import PlanError
from silva.inspect.drawing.arrange import arrange
from silva.inspect.drawing.boxes import Cards
from silva.inspect.drawing.given import GivenRows
from silva.inspect.drawing.scene import Scene
from silva.inspect.subject import Subject, subject_of
from silva.messages import counted
from silva.tree.shown import Limits
from silva.tree.view import TreeView


def picture(
    model: Any,
    *,
    tree: int | None = None,
    X: Any = None,
    y: Any = None,
    max_depth: int | None = None,
    min_rows: int | None = None,
    max_nodes: int | None = None,
    max_listed: int | None = None,
) -> Scene:
    """The picture of a fitted model's tree, within limits; see `silva.to_svg`."""
    limits = Limits(
        max_depth=whole_or_none("max_depth", max_depth, 0),
        min_rows=whole_or_none("min_rows", min_rows, 0),
        max_nodes=whole_or_none("max_nodes", max_nodes, 1),
        max_listed=whole_or_none("max_listed", max_listed, 1),
    )
    subject = subject_of(model.tree if isinstance(model, TreeView) else model)
    number = _number(subject, tree)
    view = TreeView(subject.tree(number))
    rows = subject.measured(X, y, None, "pictures show")
    given = None if rows is None else GivenRows(view.tree, *rows)
    prefix = "" if subject.combiner == "tree" else f"tree {number} of {len(subject)}: "
    return arrange(view, limits, Cards(view, given, limits.max_listed), prefix)


def _number(subject: Subject, tree: int | None) -> int:
    count = len(subject)
    if tree is None:
        if subject.combiner != "tree":
            raise PlanError(
                f"this {subject.title} has {counted(count, 'tree')}, and a picture shows one: say"
                " which, such as tree=0 for the first, or draw one tree that stands for all:"
                " silva.distil(model, X)."
            )
        return 0
    number = whole("tree", tree, 0)
    if number >= count:
        refuse("tree", tree, f"the model has {counted(count, 'tree')}; use 0 to {count - 1}")
    return number
