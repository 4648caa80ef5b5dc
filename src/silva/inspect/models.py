"""Fitted models as inspectors take them: anything with a `grown_tree_`, or a tree itself."""

from typing import Any, Protocol

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError

from silva.data.bind import bind_classes, bind_codes, bind_numbers, bind_prediction
from silva.data.holders import hint_for
from silva.data.schema import Schema
from silva.data.table import Table, Target
from silva.data.target import n_targets
from silva.errors import DataError, PlanError
from silva.messages import shown
from silva.tree.check import sound
from silva.tree.tree import Tree

UNPRUNED = {"ccp_alpha": 0.0, "prune": "none"}


class Coded(Protocol):
    """What says how rows are read: a tree, a forest."""

    @property
    def schema(self) -> Schema: ...

    @property
    def classes(self) -> np.ndarray | None: ...


def tree_of(model: Any) -> Tree:
    """The tree of a fitted model, or the tree that was given."""
    tree = model if isinstance(model, Tree) else getattr(model, "grown_tree_", None)
    if isinstance(tree, Tree):
        return sound(tree)
    if hasattr(model, "trees_") and not isinstance(model, type):
        raise PlanError(
            f"this {type(model).__name__} has {len(model.trees_)} trees and one is needed: give one"
            " of them, such as model.trees_[0]."
        )
    if hasattr(model, "fit"):
        _refuse_stranger(model)
        raise NotFittedError(
            f"This {type(model).__name__} instance is not fitted yet: call fit first."
        )
    raise PlanError(
        f"model={shown(model)} is not possible: give a tree of silva, or a fitted model."
    )


def grows_many(model: Any) -> bool:
    """Whether an estimator of silva is an ensemble."""
    return not isinstance(model, type) and hasattr(type(model), "trees_") and _is_ours(model)


def template_of(model: Any) -> Any:
    """A copy of the settings of a model of silva, without its fit; ensembles too."""
    return clone(model) if grows_many(model) else unfitted(model)


def unfitted(model: Any, **changes: Any) -> Any:
    """A copy of the model's settings without its fit; `changes` that it has no name for are left.

    Fitted and new models of one tree are equally good; models of many trees are refused.
    """
    _refuse_stranger(model)
    if isinstance(model, type) or grows_many(model):
        name = model.__name__ if isinstance(model, type) else type(model).__name__
        what = "is a class" if isinstance(model, type) else "grows many trees"
        raise PlanError(
            f"model={name} is not possible: it {what}, and this function takes a tree estimator of"
            " silva with its settings, such as silva.TreeClassifier(max_depth=5)."
        )
    names = model.get_params(deep=False)
    return clone(model).set_params(**{name: changes[name] for name in changes if name in names})


def held_out(model: Coded, X: Any, y: Any) -> tuple[Table, Target]:
    """Rows that were not used in training, bound to the model; each counts once.

    A class that the model does not know has code -1.
    """
    if X is None or y is None:
        absent = "X_val" if X is None else "y_val"
        raise DataError(f"{absent} is missing: held-out rows need both X_val and y_val.")
    table = bind_prediction(X, model.schema)
    if not table.n_rows:
        raise DataError("X_val has no rows: leave it out, or give rows to measure the model on.")
    if model.classes is None:
        return table, bind_numbers(y, None, table.n_rows)
    codes = bind_codes(y, model.classes)
    if len(codes) != table.n_rows:
        raise DataError(
            f"y_val has {len(codes)} labels and X_val {table.n_rows} rows: give one label for each"
            " row."
        )
    return table, Target("classification", codes, model.classes, None)


def training_target(model: Any, y: Any, sample_weight: Any) -> Target:
    """The target as the model's fit would read it; class weights of single trees and all."""
    n_rows = n_targets(y)
    if is_classifier(model):
        weights = None if grows_many(model) else model.class_weight
        return bind_classes(y, sample_weight, weights, n_rows)
    return bind_numbers(y, sample_weight, n_rows)


def _refuse_stranger(model: Any) -> None:
    if not _is_ours(model):
        hint = hint_for(model) or "Give one of silva's tree estimators: silva.TreeClassifier()."
        raise PlanError(f"model={shown(model)} is not possible. {hint}")


def _is_ours(model: Any) -> bool:
    return hasattr(type(model), "summary_")
