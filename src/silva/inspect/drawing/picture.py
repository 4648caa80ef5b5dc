"""From a fitted model to its picture: what every function that draws a tree does first."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from silva.checks import refuse, whole, whole_or_none
from silva.data.schema import Schema
from silva.errors import PlanError
from silva.inspect.drawing.arrange import arrange
from silva.inspect.drawing.boxes import Cards
from silva.inspect.drawing.given import GivenRows
from silva.inspect.drawing.scene import Scene
from silva.inspect.subject import Subject, subject_of
from silva.messages import counted
from silva.tree.shown import Limits
from silva.tree.tree import Tree, trusted
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
    feature_names: Any = None,
    class_names: Any = None,
) -> Scene:
    """The picture of a fitted model's tree, within limits; see `silva.to_svg`.

    `feature_names` and `class_names` take the place of the names that the model knows.
    """
    limits = Limits(
        max_depth=whole_or_none("max_depth", max_depth, 0),
        min_rows=whole_or_none("min_rows", min_rows, 0),
        max_nodes=whole_or_none("max_nodes", max_nodes, 1),
        max_listed=whole_or_none("max_listed", max_listed, 1),
    )
    subject = subject_of(model.tree if isinstance(model, TreeView) else model)
    number = _number(subject, tree)
    drawn = subject.tree(number)
    rows = subject.measured(X, y, None, "pictures show")
    given = None if rows is None else GivenRows(drawn, *rows)
    view = TreeView(_renamed(drawn, feature_names, class_names))
    prefix = "" if subject.combiner == "tree" else f"tree {number} of {len(subject)}: "
    return arrange(view, limits, Cards(view, given, limits.max_listed), prefix)


def _renamed(tree: Tree, feature_names: Any, class_names: Any) -> Tree:
    """The tree with other names for its columns and classes."""
    if feature_names is not None:
        columns = tree.schema.columns
        names = _names("feature_names", feature_names, len(columns), "columns")
        pairs = zip(columns, names, strict=True)
        schema = Schema(tuple(replace(column, name=name) for column, name in pairs))
        tree = replace(tree, schema=schema)
    if class_names is None or isinstance(class_names, bool):
        return tree
    if tree.classes is None:
        refuse("class_names", class_names, "the model predicts numbers; leave it out")
    names = _names("class_names", class_names, len(tree.classes), "classes")
    return trusted(replace(tree, classes=np.array(names, dtype=object)))


def _names(what: str, given: Any, count: int, noun: str) -> list[str]:
    """One name for each column or class, all different."""
    is_listed = isinstance(given, Iterable) and not isinstance(given, str | Mapping)
    names = [str(name) for name in given] if is_listed else []
    if len(names) != count:
        seen = f"{len(names)} were given" if is_listed else "give a list of names"
        refuse(what, given, f"the model has {count} {noun}, and {seen}")
    if len(set(names)) < count:
        twice = next(name for name in names if names.count(name) > 1)
        refuse(what, given, f"{twice!r} is there twice; each of the {noun} needs its own name")
    return names


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
