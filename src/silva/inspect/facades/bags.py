"""Fitted forests as inspectors take them: the forest, and the draws of its rows made again."""

from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from silva.data.bind import bind_prediction
from silva.data.holders import hint_for
from silva.data.table import Target
from silva.data.weights import bind_weights
from silva.ensemble.draws import digest_of
from silva.ensemble.sampling import tree_seeds
from silva.errors import DataError, PlanError
from silva.grow.grow import rows_with_weight
from silva.inspect.bags import OTHER_ROWS, Bags, checked
from silva.messages import shown
from silva.threads import threads
from silva.tree.tree import Tree

EITHER = "silva.ForestClassifier or silva.ForestRegressor"


def is_forest(model: Any) -> bool:
    """Whether this is an estimator of silva that grows a forest, fitted or not."""
    return hasattr(type(model), "_sampling")


def is_single_tree(model: Any) -> bool:
    """Whether this is an estimator of silva that has one tree, fitted or not."""
    return hasattr(type(model), "_with_tree")


def forest_model(model: Any, what: str, such_as: str = EITHER) -> Any:
    """The model, if it is a fitted forest of silva; what else it may be is told apart."""
    if is_forest(model):
        _ = model._forest
        return model
    if isinstance(model, Tree) or is_single_tree(model):
        raise PlanError(
            f"{what} needs many trees, and a {type(model).__name__} is one: give a fitted forest,"
            f" such as {such_as}."
        )
    if isinstance(model, type):
        raise NotFittedError(f"{what} needs a fitted forest, not the class {model.__name__}.")
    raise PlanError(
        f"model={shown(model)} is not possible: {what} needs a fitted forest of silva, such as"
        f" {such_as}. {hint_for(model)}".rstrip()
    )


def bags_of(model: Any, X: Any, y: Any, sample_weight: Any) -> Bags:
    """The draws of a fitted forest; rows that it was not grown from are refused.

    Without `y` the weights of the classes are not known: enough where none of them is 0.
    """
    if X is None:
        raise DataError("X is missing: give the rows that the forest was grown from.")
    forest = model._forest
    table = bind_prediction(X, forest.schema)
    if not table.n_rows:
        raise DataError("X has no rows: give those that the forest was grown from.")
    if y is not None:
        target = model._bind_target(y, sample_weight, table.n_rows)
        _check_classes(model, target)
    else:
        weights = bind_weights(sample_weight, table.n_rows)
        target = Target("regression", np.zeros(table.n_rows), None, weights)
    plan = model._sampling()
    bags = checked(
        Bags(
            forest=forest,
            table=table,
            target=target,
            seeds=tree_seeds(model._start.seed, 0, len(forest)),
            n_samples=plan.draws(rows_with_weight(target)),
            sampling=plan.sampling,
            threads=threads(model.n_jobs),
            is_told=y is not None,
            balanced=plan.balanced,
        )
    )
    if bags.is_told:
        _check_digest(model, target)
    return bags


def _check_classes(model: Any, target: Target) -> None:
    known = model._forest.classes
    if known is None or target.classes is None:
        return
    if target.classes.tolist() != known.tolist():
        raise DataError(
            f"y has the classes {target.classes.tolist()}, the forest was grown from"
            f" {known.tolist()}: give the y of fit."
        )


def _check_digest(model: Any, target: Target) -> None:
    known = model._start.rows
    if known is not None and known.digest != digest_of(target):
        raise DataError(OTHER_ROWS.format(seen="y or its weights are others"))
