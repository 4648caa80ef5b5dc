"""Pruning of a fitted model: the tree stays as it grew, and is cut by rows that are given now."""

from typing import Any, Literal, NamedTuple

from sklearn.base import clone

from silva.data.bind import bind_codes, bind_numbers, bind_prediction
from silva.data.table import Table, Target
from silva.data.weights import bind_weights
from silva.edit.model import bench
from silva.errors import DataError
from silva.estimators.base import Figures
from silva.estimators.params import plan_of
from silva.estimators.stages import growth_of
from silva.grow.grow import rows_with_weight
from silva.inspect.subject import one_tree
from silva.inspect.summary import on_held_out
from silva.messages import counted
from silva.prune.cross_validation import take
from silva.prune.evidence import Evidence, Rows
from silva.prune.names import Pruner, checked_result, looks_at_validation
from silva.prune.record import Record
from silva.threads import threads
from silva.tree import stats
from silva.tree.tree import Tree

Role = Literal["training", "validation"]


class PrunedModel(NamedTuple):
    """A model with a pruned tree, and what was done."""

    model: Any
    record: Record


def role_of(pruner: Pruner) -> Role:
    """What rows a pruner is given unless the user says otherwise."""
    return "training" if looks_at_validation(pruner) == "never" else "validation"


def prune_fitted(
    model: Any,
    pruner: Pruner,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    role: Role | None = None,
) -> PrunedModel:
    """Prune the tree of a fitted estimator, or a `Tree`, and return a new model.

    Parameters
    ----------
    model : fitted tree estimator or Tree
        It is left as it is. Models of many trees are refused.
    pruner : pruner
        Such as `silva.ReducedError()`.
    X, y, sample_weight : default=None
        Rows, for pruners that look at some.
    role : {"training", "validation"} or None, default=None
        Whether these are the rows that the tree grew from, or others. None: validation rows for
        pruners that look at such rows, else training rows.

    Returns
    -------
    PrunedModel
        `summary_` of its model marks a score on validation rows as optimistic.

    Raises
    ------
    PlanError
        If the pruner needs rows that were not given, or cannot grow the trees that it needs.
    """
    tree = one_tree(model, "pruning").tree()
    role = role or role_of(pruner)
    rows = None if X is None else _bound(model, tree, X, y, sample_weight, role)
    result = checked_result(pruner, pruner(tree, _evidence(model, rows, role)))
    if isinstance(model, Tree):
        return PrunedModel(result.tree, result.record)
    return PrunedModel(_with_tree(model, pruner, result.tree, rows, role), result.record)


def _bound(model: Any, tree: Tree, X: Any, y: Any, sample_weight: Any, role: Role) -> Rows:
    if role == "validation":
        table = bind_prediction(X, tree.schema)
        return Rows(table, _held_out_target(tree, table, y, sample_weight))
    laid_out = bench(model, X, y, sample_weight, 1)
    grown, given = int(stats.node_rows(tree)[0]), rows_with_weight(laid_out.target)
    if grown != given:
        raise DataError(
            f"the tree grew from {counted(grown, 'row')} and {counted(given, 'row')} are given:"
            " give the rows that it grew from."
        )
    return Rows(laid_out.table, laid_out.target)


def _held_out_target(tree: Tree, table: Table, y: Any, sample_weight: Any) -> Target:
    if tree.classes is None:
        return bind_numbers(y, sample_weight, table.n_rows)
    weights = bind_weights(sample_weight, table.n_rows)
    return Target("classification", bind_codes(y, tree.classes), tree.classes, weights)


def _evidence(model: Any, rows: Rows | None, role: Role) -> Evidence:
    if rows is None:
        return Evidence()
    if role == "validation":
        return Evidence(validation_table=rows.table, validation_target=rows.target)
    if isinstance(model, Tree):
        return Evidence(rows.table, rows.target)
    n_threads = threads(model.n_jobs)
    growth = growth_of(plan_of(model, model._task, draw=False), n_threads)
    return Evidence(
        table=rows.table,
        target=rows.target,
        threads=n_threads,
        grow=lambda chosen: growth(take(rows, chosen)),
        regrow=lambda chosen, size: growth(take(rows, chosen), size),
    )


def _with_tree(model: Any, pruner: Pruner, tree: Tree, rows: Rows | None, role: Role) -> Any:
    """The model with the pruned tree; its parameters say how, unless it has a `ccp_alpha`."""
    if rows is not None and role == "training":
        pruned = model._with_tree(tree, rows.table, rows.target, model._column_facts)
    else:
        pruned, figures = clone(model), Figures(model._figures.weighted, None, None)
        if rows is not None:
            measured = on_held_out(tree, rows.table, rows.target)
            figures = figures._replace(held_out=measured, chose=True)
        pruned._keep(tree, model.max_features_, figures, model._column_facts)
    if "prune" in pruned.get_params(deep=False) and not pruned.ccp_alpha:
        pruned.set_params(prune=pruner)
    return pruned
