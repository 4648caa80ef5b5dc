"""Tables with every kind of column, targets, and small trees over them."""

import numpy as np
from hypothesis import strategies as st

from silva.data.schema import Column, Schema
from silva.data.table import Table, Target
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.tree.tree import Tree

SCHEMA = Schema(
    (
        Column("age", "continuous"),
        Column("income", "continuous"),
        Column("size", "ordinal", ("small", "medium", "large")),
        Column("color", "categorical", ("black", "brown", "white")),
        Column("tame", "binary", ("no", "yes")),
        Column("city", "categorical", tuple(f"city {i}" for i in range(11))),
    )
)


def random_table(seed: int, n_rows: int, missing: float = 0.1) -> Table:
    """Rows with gaps; `income` goes with `age`."""
    draw = np.random.default_rng(seed)
    age = draw.normal(40, 10, n_rows)
    income = (age + draw.normal(0, 5, n_rows)).astype(np.float32)
    codes = [draw.integers(0, n, n_rows).astype(np.int32) for n in (3, 3, 2, 11)]
    numbers = [np.where(draw.random(n_rows) < missing, np.nan, one) for one in (age, income)]
    coded = [np.where(draw.random(n_rows) < missing, -1, one).astype(np.int32) for one in codes]
    return Table(SCHEMA, (numbers[0], numbers[1].astype(np.float32), *coded), n_rows)


def numbers_target(table: Table, seed: int, weighted: bool = True) -> Target:
    """A line in the columns, with noise; weights 0 to 3."""
    draw = np.random.default_rng(seed + 1000)
    age = np.nan_to_num(table.columns[0], nan=40.0)
    y = 0.3 * age - 2.0 * (table.columns[3] == 1) + table.columns[4] + draw.normal(0, 2, len(age))
    weights = draw.integers(0, 4, len(y)).astype(float) if weighted else None
    return Target("regression", y, None, some_positive(weights))


def classes_target(table: Table, seed: int, n_classes: int, weighted: bool = True) -> Target:
    """Classes that go with the first column, with noise."""
    draw = np.random.default_rng(seed + 2000)
    age = np.nan_to_num(table.columns[0], nan=40.0)
    noisy = age + draw.normal(0, 6, len(age))
    edges = 40 + 10 * np.linspace(-1, 1, n_classes + 1)[1:-1]
    weights = draw.integers(0, 4, len(age)).astype(float) if weighted else None
    codes = np.digitize(noisy, edges).astype(np.int32)
    return Target("classification", codes, np.arange(n_classes), some_positive(weights))


def some_positive(weights: np.ndarray | None) -> np.ndarray | None:
    if weights is not None:
        weights[0] = max(weights[0], 1.0)
    return weights


def small_tree(table: Table, target: Target, leaves: int) -> Tree:
    """A tree of at most this many leaves, one leaf included."""
    criterion = "squared_error" if target.task == "regression" else "gini"
    limit = {"max_leaf_nodes": leaves} if leaves > 1 else {"min_samples_split": 2**40}
    return grow(table, target, Plan(target.task, criterion, **limit))


@st.composite
def cases(draw, task="regression", n_classes=2):
    """A tree with its table and target."""
    seed = draw(st.integers(0, 10_000))
    n_rows = draw(st.integers(1, 60))
    table = random_table(seed, n_rows, draw(st.sampled_from([0.0, 0.2])))
    weighted = draw(st.booleans())
    if task == "regression":
        target = numbers_target(table, seed, weighted)
    else:
        target = classes_target(table, seed, n_classes, weighted)
    return small_tree(table, target, draw(st.integers(1, 4))), table, target
