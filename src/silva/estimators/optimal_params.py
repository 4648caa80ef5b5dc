"""The parameters of exact searches, checked before any data is read."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from silva.checks import check_choice, real, refuse, whole, whole_or_none
from silva.data.table import Table, Target
from silva.data.weights import bind_weights
from silva.estimators.interrupts import check_on_interrupt
from silva.estimators.optimal_bound import (
    Bound,
    bound_of,
    bound_study,
    grids_of,
    mapped_grid,
)
from silva.estimators.params import seed
from silva.grow.grow import rows_with_weight
from silva.grow.plan import Plan
from silva.optimal.objective import checked_costs, memory_bytes, objective_of
from silva.optimal.questions import Forms
from silva.optimal.search import Budget, Limits
from silva.optimal.study import Settings, Study
from silva.threads import threads

OBJECTIVES = ("error", "balanced", "bound")
DEPTH = 3
"""The default limit: deeper searches of many columns end with a gap."""


class Asked(NamedTuple):
    """What the parameters ask for. `plan` has the choices that greedy trees share."""

    plan: Plan
    max_depth: int | None
    max_splits: int | None
    leaf_penalty: float
    costs: np.ndarray | None
    balanced: bool
    budget: Budget
    settings: Settings
    bound: Bound | None
    grid: Mapping[Any, Any]


def asked_of(estimator: Any) -> Asked:
    """The parameters of an estimator; a bad one is refused."""
    check_choice("objective", estimator.objective, OBJECTIVES)
    _check_watchers(estimator)
    seed(estimator.random_state, False)
    leaves = whole_or_none("max_leaf_nodes", estimator.max_leaf_nodes, 1)
    return Asked(
        plan=Plan(
            "classification",
            "error",
            min_samples_leaf=estimator.min_samples_leaf,
            missing=estimator.missing,
            unseen=estimator.unseen,
        ),
        max_depth=_depth(estimator.max_depth, estimator.objective),
        max_splits=None if leaves is None else leaves - 1,
        leaf_penalty=real("leaf_penalty", estimator.leaf_penalty, 0.0),
        costs=checked_costs(estimator.costs),
        balanced=estimator.objective == "balanced",
        budget=budget_of(estimator.time_limit, estimator.work_limit, estimator.gap),
        settings=_settings(estimator),
        bound=bound_of(estimator),
        grid=mapped_grid(estimator.grid),
    )


def budget_of(time_limit: Any, work_limit: Any, gap: Any) -> Budget:
    """The limits of a search, checked."""
    if time_limit is not None:
        time_limit = real("time_limit", time_limit, 0.0)
    return Budget(time_limit, whole_or_none("work_limit", work_limit, 0), real("gap", gap, 0.0))


def study_of(asked: Asked, table: Table, target: Target, sample_weight: Any) -> Study:
    """The search that the parameters ask for, over bound rows."""
    assert target.classes is not None
    costs = checked_costs(asked.costs, len(target.classes))
    weights = bind_weights(sample_weight, table.n_rows)
    resolved = asked.plan.resolved(rows_with_weight(target), table.schema)
    limits = Limits(asked.max_depth, asked.max_splits, resolved["min_samples_leaf"])
    grids = grids_of(asked.grid, table.schema)
    if asked.bound is not None:
        return bound_study(asked.bound, table, target, weights, limits, asked.settings, grids)
    objective = objective_of(target, weights, costs, asked.leaf_penalty, asked.balanced)
    settings = replace(asked.settings, forms=Forms(grids))
    prices = None if costs is None else tuple(map(tuple, costs.tolist()))
    return Study(table, target, objective, limits, settings, prices)


def class_weight_of(estimator: Any) -> Any:
    """The class weights of the target; a balanced objective is made of them."""
    chosen = estimator.class_weight
    if estimator.objective != "balanced":
        return chosen
    if chosen is not None and not (isinstance(chosen, str) and chosen == "balanced"):
        hint = "Balanced classes have weights already."
        refuse("class_weight", chosen, "leave it out beside objective='balanced'", hint)
    return "balanced"


def _depth(max_depth: Any, objective: str) -> int | None:
    """The limit of depth; without a choice there is one, unless all trees are asked for."""
    if not isinstance(max_depth, str):
        return whole_or_none("max_depth", max_depth, 0)
    if max_depth != "auto":
        refuse("max_depth", max_depth, "use 'auto', a whole number of at least 0, or None")
    return None if objective == "bound" else DEPTH


def _settings(estimator: Any) -> Settings:
    return Settings(
        max_bins=whole_or_none("max_bins", estimator.max_bins, 1),
        max_subset_levels=whole("max_subset_levels", estimator.max_subset_levels, 0, 16),
        memory=memory_bytes(estimator.memory_limit),
        n_threads=threads(estimator.n_jobs),
    )


def _check_watchers(estimator: Any) -> None:
    whole("verbose", estimator.verbose, 0)
    check_on_interrupt(estimator)
    if estimator.on_progress is not None and not callable(estimator.on_progress):
        refuse("on_progress", estimator.on_progress, "use None or a function of one argument")
