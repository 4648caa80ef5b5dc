"""What grew a model, or would grow it: the rows and plans that inspectors grow it again by.

A fitted model keeps the seed of its fit, and refuses other columns than it knows.
"""

from dataclasses import replace
from typing import Any

from silva.data.bind import bind_training
from silva.data.table import Table
from silva.ensemble.plan import ForestPlan
from silva.errors import DataError
from silva.estimators.forest_params import check_columns, forest_plan_of
from silva.estimators.params import plan_of
from silva.estimators.stages import finish_of
from silva.grow.plan import Plan
from silva.inspect.regrow import Recipe
from silva.messages import listed
from silva.threads import threads


def tree_recipe(model: Any, X: Any, y: Any, sample_weight: Any) -> Recipe:
    """The recipe of an estimator of one tree."""
    n_threads = threads(model.n_jobs)
    plan = plan_of(model, model._task)
    return _recipe(model, model, plan, None, (X, y, sample_weight), n_threads)


def forest_recipe(model: Any, X: Any, y: Any, sample_weight: Any) -> Recipe:
    """The recipe of an estimator of many trees; a fitted one has as many as it grew."""
    choices, n_threads = model._choices(), threads(model.n_jobs)
    plan = plan_of(choices, model._task, draw=False)
    forest_plan = forest_plan_of(model, plan, vars(model).get("_start"))
    if "forest_" in vars(model):
        forest_plan = replace(forest_plan, n_estimators=len(model._forest))
    return _recipe(model, choices, plan, forest_plan, (X, y, sample_weight), n_threads)


def _recipe(
    model: Any,
    choices: Any,
    plan: Plan,
    forest_plan: ForestPlan | None,
    rows: tuple[Any, Any, Any],
    n_threads: int,
) -> Recipe:
    X, y, sample_weight = rows
    table = bind_training(X, choices.categorical_features, plan.missing, plan.unseen)
    target = model._bind_target(y, sample_weight, table.n_rows)
    _check_schema(model, table)
    if forest_plan is not None:
        check_columns(forest_plan, plan, table, target, None)
    finish = finish_of(choices, plan, model._task, n_threads)
    return Recipe(table, target, plan, forest_plan, finish, n_threads)


def _check_schema(model: Any, table: Table) -> None:
    """A fitted model is grown again from the columns that it knows."""
    fitted = vars(model).get("forest_", vars(model).get("grown_tree_"))
    if fitted is not None and fitted.schema != table.schema:
        raise DataError(
            "X has other columns than the model was fitted on: it knows"
            f" {listed(fitted.schema.names)}, X has {listed(table.schema.names)} (kinds, levels,"
            " policies and scales of time count too). Give the X of fit."
        )
