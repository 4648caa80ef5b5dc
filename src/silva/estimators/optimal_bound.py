"""The generalisation bound as the objective of an exact search: parameters, columns, and study."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, get_args

import numpy as np

from silva.checks import as_float, check_choice, is_real, refuse
from silva.data.columns import chosen_categories, numbered
from silva.data.schema import Schema
from silva.data.table import Table, Target
from silva.errors import PlanError
from silva.optimal.bound_forms import BoundForm, FormName, default_form
from silva.optimal.bound_study import BoundStudy, code_of_table, counted_objective
from silva.optimal.coding import checked_grid, coding_of
from silva.optimal.search import Limits
from silva.optimal.study import Settings

Grids = dict[int, tuple[float, ...]]

DELTA = 0.05


class Bound(NamedTuple):
    """Which bound is minimised. `categories` says which columns have declared levels."""

    form: FormName | None
    delta: float
    categories: Any


def bound_of(estimator: Any) -> Bound | None:
    """The bound that is asked for, or None; parameters that do not go together are refused."""
    if not is_real(estimator.delta) or not 0.0 < as_float(estimator.delta) < 1.0:
        refuse("delta", estimator.delta, "use a number above 0 and below 1")
    if estimator.bound is not None:
        check_choice("bound", estimator.bound, get_args(FormName))
    if estimator.objective != "bound":
        for name, default in (("bound", None), ("delta", DELTA)):
            if getattr(estimator, name) != default:
                allowed = "leave it out, or choose objective='bound'"
                refuse(name, getattr(estimator, name), allowed)
        return None
    _refuse_others(estimator)
    return Bound(estimator.bound, as_float(estimator.delta), estimator.categorical_features)


def mapped_grid(grid: Any) -> Mapping[Any, Any]:
    """The grid as it is given; PlanError for anything but a mapping."""
    if grid is None:
        return {}
    if not isinstance(grid, Mapping):
        refuse("grid", grid, "give a mapping from columns to thresholds, such as {'age': [18, 65]}")
    return grid


def grids_of(grid: Mapping[Any, Any], schema: Schema) -> Grids:
    """The thresholds by numbers of columns; PlanError for columns that have none."""
    found: Grids = {}
    for number, thresholds in numbered(grid, schema.names, "grid", PlanError).items():
        column = schema.columns[number]
        if column.kind != "continuous" or column.time is not None:
            kind = column.kind if column.time is None else "one of dates or times"
            raise PlanError(
                f"grid names the column {column.name!r}, which is {kind}: give thresholds for"
                " columns of numbers only."
            )
        found[number] = checked_grid(column.name, thresholds)
    return found


def bound_study(
    bound: Bound,
    table: Table,
    target: Target,
    row_weights: np.ndarray | None,
    limits: Limits,
    settings: Settings,
    grids: Grids,
) -> BoundStudy:
    """The search for the least bound over bound rows."""
    assert target.classes is not None
    objective = counted_objective(target, row_weights)
    rows = table if len(objective.rows) == table.n_rows else table.take(objective.rows)
    declared = _declared(bound.categories, table.schema)
    code = code_of_table(rows, declared, settings.max_subset_levels, grids)
    n_rows = int(objective.weights.sum())
    coding = coding_of(code.columns, n_rows)
    form = BoundForm(
        bound.form or default_form(coding), coding, n_rows, len(target.classes), bound.delta
    )
    chosen = replace(settings, forms=code.forms)
    return BoundStudy(table, target, objective, limits, chosen, form)


def _declared(categories: Any, schema: Schema) -> Collection[int]:
    """Columns whose levels the user lists; those that a type has may come from the rows."""
    chosen = chosen_categories(categories, schema.names)
    return [number for number, levels in chosen.items() if levels is not None]


def _refuse_others(estimator: Any) -> None:
    """What would make the objective another than errors of rows and the size of the tree."""
    hint = "The bound counts errors of rows, and charges for the size of the tree by itself."
    for name, default in (("leaf_penalty", 0.0), ("costs", None), ("class_weight", None)):
        value = getattr(estimator, name)
        if value is not default and not (is_real(value) and value == default):
            refuse(name, value, "leave it out beside objective='bound'", hint)
