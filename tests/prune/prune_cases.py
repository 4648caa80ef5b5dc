"""Small random trees of every kind, with rows to judge them by: the same seed, the same case."""

from dataclasses import dataclass, replace

import numpy as np

from silva.data.schema import Column, Schema
from silva.data.table import Table, Target
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.prune.evidence import Evidence
from silva.tree.tree import Tree

CLASS_CRITERIA = ("gini", "entropy", "error", "gain_ratio")
NUMBER_CRITERIA = ("squared_error", "poisson")
POLICIES = ("learn", "majority", "own_branch", "stop")
N_LEVELS = 4


@dataclass(frozen=True)
class PruneCase:
    tree: Tree
    evidence: Evidence
    plan: Plan


def random_case(
    seed: int,
    task: str | None = None,
    weighted: bool | None = None,
    n_rows: int = 28,
    n_validation: int = 16,
    policies: tuple[str, ...] = POLICIES,
) -> PruneCase:
    """A tree of about ten nodes; `None` leaves a choice to the seed."""
    rng = np.random.default_rng(seed)
    task = task or str(rng.choice(["classification", "regression"]))
    weighted = bool(rng.random() < 0.4) if weighted is None else weighted
    schema = Schema(tuple(random_columns(rng, policies)))
    plan = random_plan(rng, task)
    table, target = random_rows(rng, schema, task, n_rows, weighted, plan)
    tree = grow(table, target, plan)
    judged, its_target = random_rows(rng, schema, task, n_validation, weighted, plan, unseen=True)
    evidence = Evidence(
        table=table, target=target, validation_table=judged, validation_target=its_target
    )
    return PruneCase(tree, evidence, plan)


def random_columns(rng: np.random.Generator, policies: tuple[str, ...]) -> list[Column]:
    levels = tuple("abcd"[:N_LEVELS])
    kinds = ("continuous", "continuous", "ordinal", "categorical", "categorical")
    columns = []
    for number, kind in enumerate(kinds):
        missing, unseen = (str(rng.choice(policies)) for _ in range(2))
        of_kind = None if kind == "continuous" else levels
        columns.append(Column(f"x{number}", kind, of_kind, missing, unseen))
    return columns


def random_plan(rng: np.random.Generator, task: str) -> Plan:
    criterion = str(rng.choice(CLASS_CRITERIA if task == "classification" else NUMBER_CRITERIA))
    splits = rng.choice(["subset", "onevsrest", "multiway"])
    rules = {"min_samples_leaf": int(rng.choice([1, 1, 2])), "max_depth": rng.choice([None, 4])}
    return Plan(task, criterion, splits=str(splits), **rules)


def random_rows(
    rng: np.random.Generator,
    schema: Schema,
    task: str,
    n_rows: int,
    weighted: bool,
    plan: Plan,
    unseen: bool = False,
) -> tuple[Table, Target]:
    columns = tuple(random_values(rng, column, n_rows, unseen) for column in schema.columns)
    weights = rng.choice([0.25, 0.5, 1.0, 2.0, 3.0], n_rows) if weighted else None
    signal = np.nan_to_num(columns[0]) + (columns[3] == 1) + rng.integers(0, 3, n_rows)
    if task == "classification":
        n_classes = 3
        codes = (signal.astype(np.int32) % n_classes).astype(np.int32)
        return Table(schema, columns, n_rows), Target(task, codes, np.arange(n_classes), weights)
    values = signal.astype(np.float64) + (1.0 if plan.criterion == "poisson" else 0.0)
    return Table(schema, columns, n_rows), Target(task, values, None, weights)


def random_values(
    rng: np.random.Generator, column: Column, n_rows: int, unseen: bool
) -> np.ndarray:
    has_missing = rng.random() < 0.5
    if column.kind == "continuous":
        values = rng.integers(0, 5, n_rows).astype(np.float64)
        if has_missing:
            values[rng.random(n_rows) < 0.2] = np.nan
        return values
    low = -2 if unseen else (-1 if has_missing else 0)
    return rng.integers(low, N_LEVELS, n_rows).astype(np.int32)


def without_weights(case: PruneCase) -> PruneCase:
    evidence = case.evidence
    target = replace(evidence.target, weights=None)
    evidence = replace(evidence, target=target)
    return PruneCase(grow(evidence.table, target, case.plan), evidence, case.plan)
