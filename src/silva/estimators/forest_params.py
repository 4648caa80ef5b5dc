"""From a forest's parameters to its plan, and what an earlier fit adds to it."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from silva.checks import check_flag, refuse, whole
from silva.data.schema import Schema
from silva.data.table import Table, Target
from silva.ensemble.draws import (
    UNKNOWN_DIGEST,
    ColumnDraws,
    RowDraws,
    column_draws,
    row_draws,
)
from silva.ensemble.growth import Grown
from silva.ensemble.plan import EarlyStop, ForestPlan
from silva.ensemble.sampling import tree_seeds
from silva.errors import DataError, PlanError, warn
from silva.estimators.interrupts import check_on_interrupt
from silva.estimators.params import seed
from silva.grow.plan import Plan
from silva.messages import listed

BALANCED_SUBSAMPLE = "balanced_subsample"


class Start(NamedTuple):
    """The trees of a fit and the seed that they come from: another fit can add to them.

    `columns` and `rows` are how all trees drew theirs. `rows` is None where that is not known: the
    trees come from an old file, or from different rows.
    """

    grown: Grown
    seed: int
    columns: ColumnDraws
    rows: RowDraws | None = None

    @property
    def seeds(self) -> list[int]:
        """The seed of each tree."""
        return tree_seeds(self.seed, 0, len(self.grown.forest))


def start_of(grown: Grown, plan: ForestPlan, target: Target, before: Start | None) -> Start:
    """What a fit leaves behind for the next."""
    drawn = row_draws(target, plan)
    rows = drawn if before is None else _same_draws(drawn, before.rows)
    columns = column_draws(len(grown.forest.schema), plan)
    return Start(grown, plan.seed, columns, rows)


def _same_draws(now: RowDraws, then: RowDraws | None) -> RowDraws | None:
    """How the trees of both fits drew; of other targets or weights no digest is known."""
    if then is None or now._replace(digest=then.digest) != then:
        return None
    return now if now.digest == then.digest else now._replace(digest=UNKNOWN_DIGEST)


def forest_plan_of(
    estimator: Any, plan: Plan, start: Start | None, draw: bool = True
) -> ForestPlan:
    """The plan of an estimator; a bad parameter is refused here, before any data is read.

    Without `draw` no random state is touched: for plans that are looked at, not grown.
    """
    flags = ("warm_start", "early_stopping", *(["bootstrap_features"] if estimator._bags else []))
    for name in flags:
        check_flag(name, getattr(estimator, name))
    metric = estimator.oob_score if callable(estimator.oob_score) else None
    if metric is None:
        more = " or a function of true and predicted targets"
        check_flag("oob_score", estimator.oob_score, more)
    whole("verbose", estimator.verbose, 0)
    check_on_interrupt(estimator)
    stop = EarlyStop(estimator.n_iter_no_change, estimator.tol)
    found = ForestPlan(
        n_estimators=estimator.n_estimators,
        bootstrap=bootstrap_of(estimator),
        max_samples=estimator.max_samples,
        max_columns=estimator.max_features if estimator._bags else 1.0,
        bootstrap_columns=estimator._bags and bool(estimator.bootstrap_features),
        balanced=is_balanced_by_tree(estimator),
        vote=getattr(estimator, "vote", "soft"),
        oob=metric is not None or bool(estimator.oob_score),
        metric=metric,
        early_stop=stop if estimator.early_stopping else None,
        keep_interrupted=True,
    )
    is_random = found.is_random or plan.is_random
    drawn = seed(estimator.random_state, is_random and draw and start is None)
    return replace(found, seed=drawn if start is None else start.seed)


def bootstrap_of(estimator: Any) -> Any:
    """How rows are drawn. As in scikit-learn, bagging without replacement may draw fewer rows."""
    draws_fewer = estimator._bags and estimator.max_samples is not None
    is_false = isinstance(estimator.bootstrap, bool | np.bool_) and not estimator.bootstrap
    return "subsample" if is_false and draws_fewer else estimator.bootstrap


def sampling_of(estimator: Any) -> ForestPlan:
    """The plan of a forest as far as rows and their weights in each tree depend on it."""
    return ForestPlan(
        bootstrap=bootstrap_of(estimator),
        max_samples=estimator.max_samples,
        balanced=is_balanced_by_tree(estimator),
    )


def is_balanced_by_tree(estimator: Any) -> bool:
    """Whether each tree weights the classes of its own draws; trees of all rows need not."""
    given = None if estimator._bags else getattr(estimator, "class_weight", None)
    is_asked = isinstance(given, str) and given == BALANCED_SUBSAMPLE
    return is_asked and bootstrap_of(estimator) is not False


def started(estimator: Any) -> Start | None:
    """The earlier fit that a warm start continues; fewer trees than it has are refused."""
    start: Start | None = vars(estimator).get("_start")
    if estimator.warm_start is not True or start is None:
        return None
    n_trees = len(start.grown.forest)
    if whole("n_estimators", estimator.n_estimators, 1) < n_trees:
        allowed = f"warm_start=True adds to the {n_trees} trees that there are"
        hint = f"Use {n_trees} or more, or set warm_start=False to grow a new forest."
        refuse("n_estimators", estimator.n_estimators, allowed, hint)
    if estimator.n_estimators == n_trees:
        warn(f"warm_start: the forest has {n_trees} trees already, none is added.", UserWarning)
    return start


def check_columns(
    forest_plan: ForestPlan, plan: Plan, table: Table, target: Target, start: Start | None
) -> None:
    """Judge the choices that need the table: a number of columns, and rows to go on with."""
    n_columns, most = len(table.schema), plan.max_features
    if isinstance(most, int) and most > n_columns:
        hint = f"Use at most {n_columns}, a fraction (0 < fraction <= 1), or None for all."
        refuse("max_features", most, f"the table has {n_columns} columns", hint)
    if start is not None:
        _check_continued(forest_plan, plan, table, target, start)


def _check_continued(
    forest_plan: ForestPlan, plan: Plan, table: Table, target: Target, start: Start
) -> None:
    grown, forest = start.grown, start.grown.forest
    if plan.criterion != forest.trees.criterion:
        allowed = f"warm_start=True adds to trees of criterion={forest.trees.criterion!r}"
        hint = "Set warm_start=False to grow a new forest."
        refuse("criterion", plan.criterion, allowed, hint)
    if table.schema != forest.schema:
        raise DataError(
            "warm_start=True adds trees to a forest of other columns"
            f" ({_difference(table, forest.schema)}). Give the same table, or set"
            " warm_start=False to grow a new forest."
        )
    if not _same_classes(target.classes, forest.classes):
        raise DataError(
            f"warm_start=True adds trees to a forest of the classes {_listed(forest.classes)}, but"
            f" y has {_listed(target.classes)}. Give the same rows, or set warm_start=False."
        )
    columns = column_draws(len(forest.schema), forest_plan)
    if start.columns != columns:
        allowed = "warm_start=True adds to trees whose columns were drawn in another way"
        hint = "Leave max_features and bootstrap_features as they were, or set warm_start=False."
        refuse("max_features", forest_plan.max_columns, allowed, hint)
    if forest_plan.oob:
        _check_same_rows(forest_plan, target, start)
    if forest_plan.oob and grown.oob is not None:
        _check_same_votes(forest_plan, start)


def _check_same_rows(forest_plan: ForestPlan, target: Target, start: Start) -> None:
    before, now = start.rows, row_draws(target, forest_plan)
    if before is None:
        raise PlanError(
            "oob_score=True needs out-of-bag answers of all trees, and which rows those that"
            " warm_start=True keeps have seen is not known: they come from an old model file, or"
            " were grown from different rows. Set warm_start=False once, or leave oob_score out."
        )
    if before.n_rows != now.n_rows:
        raise DataError(
            f"warm_start=True continues a fit of {before.n_rows} rows, but X has {now.n_rows}."
            " Give the same rows, or set warm_start=False to grow a new forest."
        )
    if before.digest != now.digest:
        raise DataError(
            "warm_start=True continues the out-of-bag answers of other rows: y or its weights are"
            " not those of the fit before. Give the same rows in the same order, or set"
            " warm_start=False to grow a new forest."
        )
    if before != now:
        allowed = f"the trees that warm_start=True keeps have {before.n_samples} draws of rows each"
        hint = "Leave bootstrap and max_samples as they were, or set warm_start=False."
        refuse("max_samples", forest_plan.max_samples, allowed, hint)


def _check_same_votes(forest_plan: ForestPlan, start: Start) -> None:
    kept = start.grown.forest.combiner
    if kept != "mean" and kept != forest_plan.vote:
        allowed = f"the out-of-bag answers that warm_start=True keeps are sums of {kept!r} votes"
        refuse("vote", forest_plan.vote, allowed, "Set warm_start=False to change it.")


def _difference(table: Table, schema: Schema) -> str:
    if len(table.schema) != len(schema):
        return f"{len(schema)} then, {len(table.schema)} now"
    for now, then in zip(table.schema.columns, schema.columns, strict=True):
        if now.name != then.name:
            return f"{then.name!r} then, {now.name!r} now"
        if now != then:
            return f"{now.name!r} changed its kind, levels, policies or scale of time"
    return "names then, none now" if schema.named else "no names then, names now"


def _listed(classes: np.ndarray | None) -> str:
    return "none" if classes is None else listed(classes.tolist())


def _same_classes(now: np.ndarray | None, then: np.ndarray | None) -> bool:
    return now is then or (now is not None and then is not None and np.array_equal(now, then))
