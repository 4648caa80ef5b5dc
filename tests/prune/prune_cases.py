"""Small random trees of every kind, with rows to judge them by: the same seed, the same case."""

from dataclasses import dataclass, replace

import numpy as np

from silva.data.schema import Column, Schema
from silva.data.table import Table, Target
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.grow.splits import DistanceSplits, ObliqueSplits
from silva.leaf.choice import Leaf, LinearLeaf, MEstimate
from silva.leaf.fit import fit_leaves
from silva.prune.evidence import Evidence
from silva.tree.tables import METRICS
from silva.tree.tree import Tree
from tests.effort import tries

CLASS_CRITERIA = ("gini", "entropy", "error", "gain_ratio")
NUMBER_CRITERIA = ("squared_error", "poisson")
POLICIES = ("learn", "majority", "own_branch", "stop", "error")
N_LEVELS = 4


def blocks(count: int, length: int) -> list[range]:
    """Seeds of random cases in parts of this length; every day a fourth of all `count`."""
    ends = len(tries(count // 4, count))
    return [range(begin, min(begin + length, ends)) for begin in range(0, ends, length)]


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
    single_columns: bool = False,
    linear: bool = True,
) -> PruneCase:
    """A tree of about ten nodes; `None` leaves a choice to the seed.

    Some trees have oblique or distance splits (not if `single_columns`), smoothed or (if `linear`)
    linear leaves, rows of weight zero, columns that are constant, or one validation row only.
    """
    rng, more = np.random.default_rng(seed), np.random.default_rng((seed, 1))
    task = task or str(rng.choice(["classification", "regression"]))
    weighted = bool(rng.random() < 0.4) if weighted is None else weighted
    schema = Schema(tuple(random_columns(rng, policies)))
    plan = random_plan(rng, task)
    if not single_columns and more.random() < 0.4:
        plan = replace(plan, splits=random_projection(more))
    table, target = random_rows(rng, schema, task, n_rows, weighted, plan)
    table, target = with_constants(more, table), with_zeros(more, target)
    leaf = random_leaf(more, task, linear)
    tree = fit_leaves(grow(table, target, plan), table, target, leaf)
    n_validation = 1 if more.random() < 0.05 else n_validation
    judged, its_target = random_rows(rng, schema, task, n_validation, weighted, plan, unseen=True)
    its_target = with_zeros(more, its_target)
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


def random_projection(rng: np.random.Generator) -> ObliqueSplits | DistanceSplits:
    if rng.random() < 0.5:
        return ObliqueSplits(max_columns=int(rng.integers(2, 4)), margin=0.0)
    return DistanceSplits(metric=str(rng.choice(METRICS)), prototypes=2, margin=0.0)


def random_leaf(rng: np.random.Generator, task: str, linear: bool) -> Leaf:
    leaves: list[Leaf] = [None, None, None]
    leaves += [LinearLeaf(ridge=1.0), LinearLeaf(max_columns=1)] if linear else []
    leaves += ["laplace", MEstimate(2.0), MEstimate(10.0)] if task == "classification" else []
    return leaves[int(rng.integers(len(leaves)))]


def with_constants(rng: np.random.Generator, table: Table) -> Table:
    """Some tables have two columns in which all known values are equal."""
    if rng.random() > 0.2:
        return table
    columns = list(table.columns)
    columns[1] = np.where(np.isnan(columns[1]), np.nan, 2.0)
    columns[2] = np.minimum(columns[2], 1)
    return replace(table, columns=tuple(columns))


def with_zeros(rng: np.random.Generator, target: Target) -> Target:
    """Some rows of some weighted targets do not count."""
    if target.weights is None or rng.random() < 0.5:
        return target
    weights = np.where(rng.random(len(target.weights)) < 0.25, 0.0, target.weights)
    return replace(target, weights=weights if weights.any() else target.weights)


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
    has_missing = rng.random() < 0.5 and column.missing != "error"
    if column.kind == "continuous":
        values = rng.integers(0, 5, n_rows).astype(np.float64)
        if has_missing:
            values[rng.random(n_rows) < 0.2] = np.nan
        return values
    codes = rng.integers(-2 if unseen else -1, N_LEVELS, n_rows).astype(np.int32)
    codes[(codes == -1) & (not has_missing)] = 0
    codes[(codes == -2) & (column.unseen == "error")] = 0
    return codes


def without_weights(case: PruneCase) -> PruneCase:
    evidence = case.evidence
    target = replace(evidence.target, weights=None)
    evidence = replace(evidence, target=target)
    return PruneCase(grow(evidence.table, target, case.plan), evidence, case.plan)
