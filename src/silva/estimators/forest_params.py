"""From a forest's parameters to its plan, and what an earlier fit adds to it."""

from dataclasses import replace
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from silva.data.names import listed
from silva.data.schema import Schema
from silva.data.table import Table, Target
from silva.ensemble.growth import Grown
from silva.ensemble.oob import Oob
from silva.ensemble.plan import EarlyStop, ForestPlan
from silva.errors import DataError, PlanError, warn
from silva.estimators.params import seed
from silva.grow.checks import check_choice, whole
from silva.grow.plan import Plan, refuse

ON_INTERRUPT = ("raise", "keep")


class Start(NamedTuple):
    """The trees of a fit and the seed that they come from: another fit can add to them.

    `rows` tells the targets and weights that out-of-bag sums are of from others; None without sums.
    """

    grown: Grown
    seed: int
    rows: bytes | None = None


def start_of(grown: Grown, seed: int, target: Target) -> Start:
    """What a fit leaves behind for the next."""
    return Start(grown, seed, None if grown.oob is None else _rows(target))


def _rows(target: Target) -> bytes:
    digest = blake2b(target.values.tobytes(), digest_size=16)
    digest.update(b"" if target.weights is None else target.weights.tobytes())
    return digest.digest()


def keep_parameters(estimator: Any, given: dict[str, Any]) -> None:
    """The parameters of a constructor, unjudged, as attributes: what scikit-learn asks for."""
    for name, value in given.items():
        if name not in ("self", "__class__"):
            setattr(estimator, name, value)


def forest_plan_of(
    estimator: Any, plan: Plan, start: Start | None, draw: bool = True
) -> ForestPlan:
    """The plan of an estimator; a bad parameter is refused here, before any data is read.

    Without `draw` no random state is touched: for plans that are looked at, not grown.
    """
    for name in ("oob_score", "warm_start", "early_stopping"):
        _check_flag(name, getattr(estimator, name))
    whole("verbose", estimator.verbose, 0)
    check_choice("on_interrupt", estimator.on_interrupt, ON_INTERRUPT)
    stop = EarlyStop(estimator.n_iter_no_change, estimator.tol)
    found = ForestPlan(
        n_estimators=estimator.n_estimators,
        bootstrap=estimator.bootstrap,
        max_samples=estimator.max_samples,
        max_columns=estimator.max_features if estimator._bags else 1.0,
        vote=getattr(estimator, "vote", "soft"),
        oob=bool(estimator.oob_score),
        early_stop=stop if estimator.early_stopping else None,
        keep_interrupted=estimator.on_interrupt == "keep",
    )
    is_random = found.is_random or plan.is_random
    drawn = seed(estimator.random_state, is_random and draw and start is None)
    return replace(found, seed=drawn if start is None else start.seed)


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
    estimator: Any, plan: Plan, table: Table, target: Target, start: Start | None
) -> None:
    """Judge the choices that need the table: a number of columns, and rows to go on with."""
    n_columns, most = len(table.schema), plan.max_features
    if isinstance(most, int) and most > n_columns:
        hint = f"Use at most {n_columns}, a fraction (0 < fraction <= 1), or None for all."
        refuse("max_features", most, f"the table has {n_columns} columns", hint)
    if start is not None:
        _check_continued(estimator, plan, table, target, start)


def _check_continued(
    estimator: Any, plan: Plan, table: Table, target: Target, start: Start
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
    wants = estimator.oob_score or estimator.early_stopping
    if wants and grown.oob is None:
        raise PlanError(
            "oob_score=True needs out-of-bag answers of all trees, and those that warm_start=True"
            " keeps have none (a model file does not hold them). Set warm_start=False once, or"
            " leave oob_score out."
        )
    if wants and grown.oob is not None:
        _check_same_sums(estimator, target, start, grown.oob)


def _check_same_sums(estimator: Any, target: Target, start: Start, oob: Oob) -> None:
    before, now = len(oob.votes), len(target.values)
    if before != now:
        raise DataError(
            f"warm_start=True continues a fit of {before} rows, but X has {now}."
            " Give the same rows, or set warm_start=False to grow a new forest."
        )
    if start.rows is not None and start.rows != _rows(target):
        raise DataError(
            "warm_start=True continues the out-of-bag answers of other rows: y or its weights are"
            " not those of the fit before. Give the same rows in the same order, or set"
            " warm_start=False to grow a new forest."
        )
    kept = start.grown.forest.combiner
    if kept != "mean" and kept != estimator.vote:
        allowed = f"the out-of-bag answers that warm_start=True keeps are sums of {kept!r} votes"
        refuse("vote", estimator.vote, allowed, "Set warm_start=False to change it.")


def _difference(table: Table, schema: Schema) -> str:
    if len(table.schema) != len(schema):
        return f"{len(schema)} then, {len(table.schema)} now"
    for now, then in zip(table.schema.columns, schema.columns, strict=True):
        if now.name != then.name:
            return f"{then.name!r} then, {now.name!r} now"
        if now != then:
            return f"{now.name!r} changed its kind, levels or policies"
    return "names then, none now" if schema.named else "no names then, names now"


def _listed(classes: np.ndarray | None) -> str:
    return "none" if classes is None else listed(classes.tolist())


def _same_classes(now: np.ndarray | None, then: np.ndarray | None) -> bool:
    return now is then or (now is not None and then is not None and np.array_equal(now, then))


def _check_flag(name: str, value: Any) -> None:
    if not isinstance(value, bool | np.bool_):
        refuse(name, value, "use True or False")
