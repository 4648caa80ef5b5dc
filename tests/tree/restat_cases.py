"""Random training problems as a table, a target and a plan, with every choice that a plan has."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from silva.data.schema import POLICIES, Column, Schema
from silva.data.table import Table, Target
from silva.grow.plan import Plan
from silva.grow.splits import DistanceSplits, ObliqueSplits

SPLITS: tuple[Any, ...] = (
    (),
    "subset",
    "onevsrest",
    "multiway",
    ("multiway", ObliqueSplits(margin=0.0)),
    ("subset", DistanceSplits(metric=["euclidean", "mahalanobis"], margin=0.0)),
)
CRITERIA = ("gini", "entropy", "error", "gain_ratio", "squared_error", "poisson")


@dataclass(frozen=True)
class Problem:
    table: Table
    target: Target
    plan: Plan


def random_problem(seed: int, n_rows: int | None = None, criterion: str | None = None) -> Problem:
    """The same seed, the same problem."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(2, 120)) if n_rows is None else n_rows
    criterion = CRITERIA[seed % len(CRITERIA)] if criterion is None else criterion
    table = random_table(rng, n_rows)
    target = random_target(rng, n_rows, criterion)
    policies = rng.choice(POLICIES[:4], 2)
    plan = Plan(
        target.task,
        criterion,
        max_depth=[None, 3][rng.integers(2)],
        min_samples_leaf=int(rng.choice([1, 1, 5])),
        max_leaf_nodes=[None, None, 6][rng.integers(3)],
        splits=SPLITS[rng.integers(len(SPLITS))],
        missing=str(policies[0]),
        unseen=str(policies[1]),
    )
    return Problem(table, target, plan)


def random_table(rng: np.random.Generator, n_rows: int) -> Table:
    """Two numbers and a column of each other kind, mostly with missing values."""
    towns = tuple("abcdefg")
    columns = (
        Column("x", "continuous"),
        Column("n", "continuous"),
        Column("grade", "ordinal", ("low", "mid", "high")),
        Column("town", "categorical", towns),
        Column("flag", "binary", ("no", "yes")),
    )
    x = rng.normal(size=n_rows)
    n = rng.integers(0, 5, n_rows).astype(float)
    codes = [rng.integers(0, size, n_rows).astype(np.int32) for size in (3, len(towns), 2)]
    if rng.random() < 0.8:
        for values, missing in ((x, np.nan), (n, np.nan), *((code, -1) for code in codes)):
            values[rng.random(n_rows) < rng.choice([0.0, 0.1, 0.4])] = missing
    return Table(Schema(columns), (x, n, *codes), n_rows)


def random_target(rng: np.random.Generator, n_rows: int, criterion: str) -> Target:
    weights = random_weights(rng, n_rows)
    if criterion == "squared_error":
        values = rng.normal(size=n_rows) * float(rng.choice([1.0, 1e-9, 1e200])) + 3.0
        return Target("regression", values, None, weights)
    if criterion == "poisson":
        counts = rng.poisson(1.0, n_rows).astype(float)
        counts[0] = 1.0 if weights is None or weights[0] else counts[0]
        counts += not counts[slice(None) if weights is None else weights > 0].any()
        return Target("regression", counts, None, weights)
    classes = np.array(["a", "b", "c", "d"][: rng.integers(1, 5)])
    codes = rng.integers(0, len(classes), n_rows).astype(np.int32)
    return Target("classification", codes, classes, weights)


def random_weights(rng: np.random.Generator, n_rows: int) -> np.ndarray | None:
    makers = (
        lambda: None,
        lambda: rng.integers(1, 4, n_rows).astype(float),
        lambda: rng.random(n_rows) + 1e-6,
        lambda: np.append(1.0, rng.integers(0, 3, n_rows - 1)),
    )
    return makers[rng.integers(len(makers))]()


def taken(problem: Problem, rows: np.ndarray) -> tuple[Table, Target]:
    """Some rows of a problem, in the order given."""
    table, target = problem.table, problem.target
    weights = None if target.weights is None else target.weights[rows]
    columns = tuple(column[rows] for column in table.columns)
    some = Table(table.schema, columns, len(rows))
    return some, Target(target.task, target.values[rows], target.classes, weights)
