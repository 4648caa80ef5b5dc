"""What a model predicts over one or two of its columns, the others fixed."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from silva.data.table import Table, Target, Task
from silva.inspect.explain.ensembles import ManyTrees
from silva.inspect.importance import columns_used
from silva.inspect.plane.axis import PlaneAxis, Span
from silva.inspect.plane.lines import Line, line_of
from silva.inspect.plane.regions import ends_in_plane, is_axis_parallel, rectangles
from silva.inspect.plane.setting import Setting, axis_of, chosen_columns, setting_of
from silva.inspect.subject import Subject, subject_of, unwrapped
from silva.leaf import answers
from silva.tree import decision, route, stats
from silva.tree.tree import Tree

__all__ = ["Plane", "PlaneAxis", "Points", "Region", "Sheet", "plane_of"]

CELLS = {1: 1000, 2: 240}
"""Cells along a stretch of numbers where regions are not exact, by the number of axes."""


@dataclass(frozen=True, slots=True)
class Region:
    """A rectangle, or with one axis a stretch, in which rows end at one node.

    `code` is the predicted class and `value` its probability; of numbers `code` is None and
    `value` the prediction. `line` is how the prediction runs along one axis, as points.
    """

    node: int
    x: Span
    y: Span | None
    code: int | None
    value: float
    line: Line


@dataclass(frozen=True, eq=False)
class Sheet:
    """Predictions at the middle of the cells of a grid: arrays of (rows of cells, cells)."""

    x_edges: np.ndarray
    y_edges: np.ndarray
    codes: np.ndarray | None
    values: np.ndarray


@dataclass(frozen=True, eq=False)
class Points:
    """Rows in the plane: one entry a row in each array; `y` is None if there is one axis.

    `target` has class codes or numbers, None without targets; `rows` are the numbers of the rows.
    """

    x: np.ndarray
    y: np.ndarray | None
    target: np.ndarray | None
    rows: np.ndarray


@dataclass(frozen=True, eq=False)
class Plane:
    """Predictions over one or two columns, the others fixed.

    `is_exact`: `regions` are those of the tree, and every row of the plane lies in one of them (the
    upper limits of numbers do not belong to a region). Otherwise `sheets` has predictions on a fine
    grid. `fixed` has the other columns that matter to the model: the name and the value in words.
    """

    task: Task
    classes: tuple[Any, ...] | None
    class_sizes: np.ndarray | None
    title: str
    axes: tuple[PlaneAxis, ...]
    fixed: tuple[tuple[str, str], ...]
    is_exact: bool
    regions: tuple[Region, ...]
    sheets: tuple[Sheet, ...]
    points: Points | None


def plane_of(
    model: Any,
    X: Any = None,
    y: Any = None,
    columns: Any = None,
    at: Any = None,
    counts: tuple[int, ...] = (1, 2),
) -> Plane:
    """The predictions of a model over one or two columns; see `silva.plot.decision_regions`."""
    subject = subject_of(model)
    table, target = _given(subject, X, y)
    numbers = chosen_columns(subject, columns, counts)
    axes = tuple(axis_of(subject, table, number) for number in numbers)
    setting = setting_of(subject, table, at)
    others = sorted(_columns_of(subject) - set(numbers))
    exact = _is_exact(subject, len(axes))
    if not exact or subject.tree().linear is not None:
        for number in others:
            setting.check(number)
    regions = _regions(subject.tree(), axes, setting) if exact else ()
    sheets = () if exact else _sheets(subject, unwrapped(model)[0], axes, setting)
    root = subject.tree()
    sizes = None if root.classes is None else _class_sizes(root)
    return Plane(
        task=subject.task,
        classes=None if subject.labels is None else tuple(subject.labels),
        class_sizes=sizes,
        title=subject.title,
        axes=axes,
        fixed=tuple(setting.words(number) for number in others if number in setting.why),
        is_exact=exact,
        regions=regions,
        sheets=sheets,
        points=None if table is None else _points(axes, table, target),
    )


def _given(subject: Subject, X: Any, y: Any) -> tuple[Table | None, Target | None]:
    if X is not None and y is None:
        return subject.table(X), None
    given = subject.measured(X, y, None, "points are drawn")
    return (None, None) if given is None else given


def _is_exact(subject: Subject, n_axes: int) -> bool:
    """One tree without splits of several columns; models in leaves have no constant rectangles."""
    if subject.combiner != "tree" or not is_axis_parallel(subject.tree()):
        return False
    linear = subject.tree().linear is not None
    return not linear or (n_axes == 1 and subject.task == "regression")


def _class_sizes(tree: Tree) -> np.ndarray:
    return np.asarray(stats.node_class_units(tree, np.array([0]))[0])


def _columns_of(subject: Subject) -> set[int]:
    """The columns on which predictions depend: those of splits and of models in leaves."""
    found: set[int] = set()
    for tree in subject.trees():
        found.update(columns_used(tree).tolist())
        if tree.linear is not None:
            found.update(tree.linear.column.tolist())
    return found


def _regions(tree: Tree, axes: tuple[PlaneAxis, ...], setting: Setting) -> tuple[Region, ...]:
    found = [
        (node, *spans)
        for node, reached in ends_in_plane(tree, axes, setting)
        for spans in rectangles(axes, reached, join=tree.linear is None)
    ]
    nodes = np.array([node for node, _, _ in found], dtype=np.int64)
    if tree.classes is not None:
        codes = decision.node_codes(tree, nodes).tolist()
        shares = answers.node_shares(tree, nodes)
        values = shares[np.arange(len(codes)), codes].tolist()
        facts = zip(found, codes, values, strict=True)
        return tuple(Region(*place, code, value, ()) for place, code, value in facts)
    lines = [line_of(tree, axes[0], node, x, setting.row) for node, x, _ in found]
    pairs = zip(found, lines, strict=True)
    return tuple(Region(*place, None, line[0][1], line) for place, line in pairs)


def _sheets(
    subject: Subject, model: Any, axes: tuple[PlaneAxis, ...], setting: Setting
) -> tuple[Sheet, ...]:
    """Predictions on a grid."""
    count = CELLS[len(axes)]
    groups = [axis.cells(count) for axis in axes]
    across = groups[1] if len(axes) > 1 else [(np.array([0.0, 1.0]), np.array([0.0]))]
    return tuple(
        _sheet(subject, model, axes, setting, (x_edges, y_edges), (x, y))
        for x_edges, x in groups[0]
        for y_edges, y in across
    )


def _sheet(
    subject: Subject,
    model: Any,
    axes: tuple[PlaneAxis, ...],
    setting: Setting,
    edges: tuple[np.ndarray, np.ndarray],
    values: tuple[np.ndarray, np.ndarray],
) -> Sheet:
    x, y = np.meshgrid(*values)
    table = _moved(setting.row, {axis.number: one for axis, one in zip(axes, (x, y), strict=False)})
    codes, told = predicted(subject, model, table)
    if codes is None:
        return Sheet(*edges, None, told[:, 0].reshape(x.shape))
    sure = told[np.arange(len(codes)), codes]
    return Sheet(*edges, codes.reshape(x.shape), sure.reshape(x.shape))


def _moved(row: Table, values: dict[int, np.ndarray]) -> Table:
    """The one row again and again, with these columns."""
    n_rows = next(iter(values.values())).size
    columns = tuple(
        values[number].ravel().astype(column.dtype) if number in values else column.repeat(n_rows)
        for number, column in enumerate(row.columns)
    )
    return Table(row.schema, columns, n_rows)


def predicted(subject: Subject, model: Any, table: Table) -> tuple[np.ndarray | None, np.ndarray]:
    """Class codes (None for numbers); shares of classes or votes, or numbers: (rows, width)."""
    if subject.combiner != "tree":
        return ManyTrees(subject, model, None).predicted(table)
    tree = subject.tree()
    nodes = route.leaves(tree, table)
    if tree.classes is None:
        return None, answers.predict_values(tree, nodes, table)[:, None]
    codes = answers.predict_codes(tree, nodes, table)
    return codes, answers.predict_shares(tree, nodes, table)


def _points(axes: tuple[PlaneAxis, ...], table: Table, target: Target | None) -> Points:
    """The rows that the axes show."""
    places = [axis.places(table.columns[axis.number]) for axis in axes]
    rows = np.flatnonzero(~np.isnan(np.sum(places, axis=0)))
    values = None if target is None else target.values[rows]
    return Points(places[0][rows], places[1][rows] if len(axes) > 1 else None, values, rows)
