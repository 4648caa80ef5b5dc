"""`silva.distil`: one readable tree out of a forest, as a fitted estimator with its fidelity."""

from typing import Any

import numpy as np

from silva.checks import check_choice, whole
from silva.data.bind import MOST_ROWS, bind_prediction
from silva.data.column_facts import packed_column_facts
from silva.data.schema import UNSEEN_CODE
from silva.data.table import Table
from silva.data.weights import bind_weights
from silva.ensemble.forest import Forest
from silva.errors import DataError
from silva.grow.plan import SEED_LIMIT, Plan
from silva.inspect.distil import CRITERION, LABELS, Distilled, taught
from silva.inspect.facades.bags import forest_model
from silva.inspect.fresh_rows import Source
from silva.inspect.models import held_out
from silva.inspect.overrides import OWN_CLASS, refuse_overrides
from silva.inspect.permutation import loss, told_by_forest
from silva.inspect.regrow import forest_of_one
from silva.threads import threads
from silva.tree.tree import Tree


def distil(
    model: Any,
    X: Any,
    n_rows: int = 20_000,
    max_leaves: int = 16,
    seed: int = 0,
    *,
    labels: str = "hard",
    region: int = 5,
    sample_weight: Any = None,
    X_val: Any = None,
    y_val: Any = None,
) -> Distilled:
    """Fit one readable tree to what a forest answers, and tell how faithful it is.

    Parameters
    ----------
    model : forest
        A fitted forest of silva.
    X : table
        Rows that the fresh ones shall look like, such as those of fit; their targets are not used.
    n_rows : int, default=20,000
        Fresh rows to fit the tree to; a quarter as many more are made to measure it on.
    max_leaves : int, default=16
        Leaves that the tree may have (grown best-first).
    seed : int, default=0
        Of the fresh rows.
    labels : {"hard", "soft"}, default="hard"
        Whether the tree learns the classes that the forest answers, or its class probabilities.
    region : int, default=5
        How many rows of X a region has at least: a fresh row mixes two rows of one region (see
        `silva.inspect.fresh_rows`).
    sample_weight : default=None
        How often each row of X counts when rows are drawn.
    X_val, y_val : default=None
        Held-out rows, to see what the tree costs in accuracy.

    Returns
    -------
    Distilled
        `model`, a fitted TreeClassifier or TreeRegressor; `fresh` and `real`, its fidelity.
    """
    chosen = forest_model(model, "distil")
    refuse_overrides("model", model, "distil", OWN_CLASS)
    check_choice("labels", labels, LABELS)
    n_rows, max_leaves = whole("n_rows", n_rows, 2, MOST_ROWS), whole("max_leaves", max_leaves, 2)
    region, seed = whole("region", region, 1), whole("seed", seed, 0, SEED_LIMIT - 1)
    forest, n_threads = chosen._forest, threads(chosen.n_jobs)
    table = bind_prediction(X, forest.schema)
    _check_rows(table)
    weights = bind_weights(sample_weight, table.n_rows)
    task = forest.task
    plan = Plan(task, CRITERION[task], max_leaf_nodes=max_leaves)
    lesson = taught(Source(forest, table, weights, region, n_threads), n_rows, plan, labels, seed)
    single = chosen._single_tree(max_leaf_nodes=max_leaves, n_jobs=chosen.n_jobs)
    facts = chosen._column_facts or packed_column_facts(table, n_threads)
    single = single._with_tree(lesson.tree, lesson.table, lesson.target, facts)
    return Distilled(
        model=single,
        task=task,
        trees=len(forest),
        leaves=lesson.tree.n_leaves,
        fitted_rows=lesson.fitted_rows,
        labels=labels,
        fresh=lesson.fresh,
        real=lesson.real,
        held_out=_held_out(forest, lesson.tree, X_val, y_val, n_threads),
    )


def _check_rows(table: Table) -> None:
    if not table.n_rows:
        raise DataError("X has no rows: fresh rows need some to look like.")
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        if column.kind != "continuous" and (values == UNSEEN_CODE).any():
            row = int(np.argmax(values == UNSEEN_CODE))
            raise DataError(
                f"column {column.name!r} holds a value in row {row} that the forest has not seen in"
                " training: give rows of training, or leave such rows out."
            )


def _held_out(
    forest: Forest, tree: Tree, X: Any, y: Any, n_threads: int
) -> tuple[float, float] | None:
    if X is None and y is None:
        return None
    table, target = held_out(forest, X, y)
    losses = [
        loss(target, told_by_forest(one, table, n_threads)) for one in (forest, forest_of_one(tree))
    ]
    forest_figure, tree_figure = losses if target.classes is None else [1 - one for one in losses]
    return forest_figure, tree_figure
