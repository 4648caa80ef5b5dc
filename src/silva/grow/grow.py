"""Growing: a table, a target and a plan go in, a tree comes out. The loop itself is in the core."""

from dataclasses import replace
from typing import Any

import numpy as np

from silva import _core
from silva.data.policies import are_default, refuse_forbidden, with_policies
from silva.data.schema import plain_columns
from silva.data.sparse import SparseColumns
from silva.data.table import Table, Target
from silva.errors import DataError, PlanError
from silva.grow.fair import lone_levels
from silva.grow.memory import tells_what_growth_takes
from silva.grow.plan import Plan
from silva.grow.splits import FITTED_FORMS, KindForms, column_forms
from silva.tree.tree import Tree, from_core


def grow(table: Table, target: Target, plan: Plan, threads: int = 1) -> Tree:
    """Grow the tree that `plan` asks for. The result does not depend on `threads`.

    Policies of the plan that are not the defaults replace those that the table was bound with.
    """
    table = judged(table, target, plan)
    searched, columns = without_empty(table, plan)
    settings = plan.resolved(rows_with_weight(target), searched.schema)
    weighted_numbers = target.task == "regression" and target.weights is not None
    with tells_what_growth_takes(table, threads, weighted_numbers):
        arrays = _core.grow(*core_data(searched, target), threads=threads, **settings)
    in_all_columns(arrays, columns)
    return from_core(table.schema, target.task, target.classes, plan.criterion, arrays)


def without_empty(table: Table, plan: Plan) -> tuple[Table, np.ndarray | None]:
    """What to grow from, and the numbers of its columns (None: all).

    Most columns of a wide sparse matrix are empty: they are never split, so growth does without
    them, unless it draws columns.
    """
    columns, is_plain = table.columns, table.schema.is_plain
    if not isinstance(columns, SparseColumns) or not is_plain or not _searches_all(plan):
        return table, None
    occupied = columns.occupied()
    if occupied is None:
        return table, None
    schema = replace(table.schema, columns=plain_columns(len(occupied)))
    return replace(table, schema=schema, columns=columns.without_empty(occupied)), occupied


def in_all_columns(arrays: dict[str, Any], columns: np.ndarray | None) -> None:
    """Number the columns of thresholds as the whole table does; `columns` as of `without_empty`."""
    if columns is not None and "threshold_column" in arrays:
        arrays["threshold_column"] = columns[arrays["threshold_column"]].astype(np.int32)


def _searches_all(plan: Plan) -> bool:
    """Whether every node asks about every column by a threshold, and none is drawn."""
    is_exhaustive = plan.splitter == "best" and plan.max_features is None
    return is_exhaustive and all(isinstance(one, KindForms) for one in plan.splits)


def judged(table: Table, target: Target, plan: Plan) -> Table:
    """The table with the plan's policies; a target that the plan cannot grow from is refused."""
    _check_fit(target, plan)
    return _with_lone_levels(plan, _with_policies_of(plan, table), target)


def core_data(table: Table, target: Target) -> tuple[Any, ...]:
    """Table and target as the core takes them."""
    numbers = table.schema.numbers
    return (
        table.columns,
        numbers.kinds,
        numbers.n_levels,
        target.values,
        target.weights,
        0 if target.classes is None else len(target.classes),
    )


def _with_policies_of(plan: Plan, table: Table) -> Table:
    if are_default(plan.missing, plan.unseen):
        return table
    schema = with_policies(table.schema, plan.missing, plan.unseen)
    if schema == table.schema:
        return table
    bound = replace(table, schema=schema)
    refuse_forbidden(bound)
    return bound


def _with_lone_levels(plan: Plan, table: Table, target: Target) -> Table:
    """The table whose schema says how many levels of each column growth treats as unseen."""
    columns = table.schema.columns
    if table.schema.is_plain or max(table.schema.numbers.n_levels) < 2:
        return table
    forms = column_forms(plan.splits, table.schema)
    fitted = [plan.category_gain == "fair" and form.name in FITTED_FORMS for form in forms]
    lone = [
        len(lone_levels(codes, target.weights)) if charged and column.n_levels >= 2 else 0
        for column, codes, charged in zip(columns, table.columns, fitted, strict=True)
    ]
    counted = tuple(replace(c, lone_levels=n) for c, n in zip(columns, lone, strict=True))
    return replace(table, schema=replace(table.schema, columns=counted))


def rows_with_weight(target: Target) -> int:
    """How many rows take part in growth."""
    weights = target.weights
    return len(target.values) if weights is None else int(np.count_nonzero(weights))


def _values_with_weight(target: Target) -> np.ndarray:
    return target.values if target.weights is None else target.values[target.weights > 0]


def _check_fit(target: Target, plan: Plan) -> None:
    if target.task != plan.task:
        raise PlanError(
            f"a {plan.task} plan cannot grow from a {target.task} target:"
            f" bind the target as {plan.task} or make the plan with task={target.task!r}."
        )
    if plan.criterion == "poisson":
        _check_counts(_values_with_weight(target))


def _check_counts(values: np.ndarray) -> None:
    low = values.min()
    if low < 0:
        raise DataError(
            f"target: criterion='poisson' needs values of at least 0, saw {float(low)!r};"
            " use criterion='squared_error' for targets that may be negative."
        )
    if not values.any():
        raise DataError(
            "target: criterion='poisson' needs a value above 0, but all are 0;"
            " there is nothing to split, use criterion='squared_error'."
        )
