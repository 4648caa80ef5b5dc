"""The compiled engine of a forest against the router and a plain sum over the trees."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silva.data.bind import bind_prediction
from silva.data.schema import Column, Schema
from silva.data.table import Table, Target
from silva.ensemble import engine
from silva.ensemble.packed import PackedTrees
from silva.errors import DataError
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.leaf import answers
from silva.tree import route
from tests.ensemble.engine_cases import column_values, forests, odd_rows
from tests.ensemble.slow_forest import exact_mean
from tests.tree.tree_samples import SAMPLES, animal_tree, chain, linear_tree, smoothed_tree


def is_mean(found: np.ndarray, terms: list[np.ndarray], bits: int) -> bool:
    """Whether these are the exact means of the terms, rounded once.

    `mean_sum.hpp` allows an error of n^2 2^-bits of the largest term before the rounding, which
    shows only where an exact mean lies that close to a tie.
    """
    exact = exact_mean(terms)
    if found.shape != exact.shape:
        return False
    differ = np.argwhere((found != exact) & ~(np.isnan(found) & np.isnan(exact)))
    return all(
        _is_beside_tie(found[tuple(at)], [t[tuple(at)] for t in terms], bits) for at in differ
    )


def _is_beside_tie(found: float, terms: list[float], bits: int) -> bool:
    numbers = [Fraction(float(term)) for term in terms]
    mean = sum(numbers) / len(numbers)
    error = len(numbers) ** 2 * max(map(abs, numbers)) / 2**bits
    return float(mean - error) <= found <= float(mean + error)


def check(trees, table, threads=1):
    """All answers of the engine, beside those of each tree added up in order."""
    packed = PackedTrees.of(trees)
    nodes = [route.leaves(tree, table) for tree in trees]
    found = engine.leaves(packed, table, threads)
    assert found.dtype == np.int32
    assert found.shape == (table.n_rows, len(trees))
    for number, expected in enumerate(nodes):
        assert found[:, number].tolist() == expected.tolist()
    pairs = list(zip(trees, nodes, strict=True))
    if packed.task == "regression":
        terms = [answers.predict_values(tree, ends, table) for tree, ends in pairs]
        assert is_mean(engine.mean(packed, table, threads), terms, bits=106)
        return
    shape = (table.n_rows, len(packed.classes))
    terms, votes = [], np.zeros(shape, dtype=np.int64)
    weights, weighted, chosen = np.log(np.arange(len(trees)) + 1.5), np.zeros(shape), []
    for weight, (tree, ends) in zip(weights, pairs, strict=True):
        terms.append(answers.predict_shares(tree, ends, table))
        chosen.append(answers.predict_codes(tree, ends, table).tolist())
        votes[np.arange(table.n_rows), chosen[-1]] += 1
        weighted[np.arange(table.n_rows), chosen[-1]] += weight
    assert is_mean(engine.soft(packed, table, threads), terms, bits=90)
    assert engine.hard(packed, table, threads).tolist() == votes.tolist()
    found = engine.weighted(packed, table, weights, threads)
    assert found.tobytes() == weighted.tobytes()
    assert [codes.tolist() for codes in engine.choices(packed, table, threads)] == chosen


@given(forests(), st.sampled_from([0, 1, 3, 9, 25, 70]), st.data())
def test_any_forest(trees, n_rows, data):
    schema = trees[0].schema
    columns = [data.draw(column_values(column, n_rows)) for column in schema.columns]
    check(trees, Table(schema, tuple(columns), n_rows), data.draw(st.integers(1, 3)))


def grown(task, seed, n_rows=400, dtype=np.float64, schema=None, n_classes=3, **choices):
    """A table with gaps and categories, and trees of it."""
    rng = np.random.default_rng(seed)
    schema = schema or mixed_schema()
    table = odd_rows(rng, schema, n_rows, dtype)
    signal = np.nan_to_num(table.columns[0].astype(float), posinf=9, neginf=-9)
    signal = np.clip(signal, -9, 9) + rng.normal(size=n_rows)
    criterion = "gini" if task == "classification" else "squared_error"
    trees = []
    for number in range(5):
        weights = rng.integers(0, 3, n_rows).astype(float)
        if task == "classification":
            codes = np.digitize(signal, np.linspace(-2, 2, n_classes - 1)).astype(np.int32)
            target = Target(task, codes, np.arange(n_classes), weights)
        else:
            target = Target(task, signal, None, weights)
        plan = Plan(task, criterion, max_features="sqrt", seed=number, **choices)
        trees.append(grow(table, target, plan))
    return trees, Table(trees[0].schema, table.columns, n_rows)


def mixed_schema():
    return Schema(
        (
            Column("a", "continuous"),
            Column("b", "continuous"),
            Column("size", "ordinal", tuple(range(6))),
            Column("tame", "binary", (False, True)),
            Column("color", "categorical", tuple("abcde")),
            Column("city", "categorical", tuple(range(60))),
        )
    )


@pytest.mark.parametrize("missing", ["learn", "majority", "own_branch", "stop"])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_grown_forests(task, missing):
    for seed, dtype in enumerate((np.float64, np.float32, np.int16)):
        unseen = "stop" if missing == "stop" else "majority"
        trees, table = grown(task, seed, dtype=dtype, missing=missing, unseen=unseen)
        check(trees, table)
        other = odd_rows(np.random.default_rng(seed + 50), table.schema, 300, dtype)
        check(trees, other, threads=2)
        few = Table(table.schema, tuple(column[:7] for column in other.columns), 7)
        check(trees, few)


@pytest.mark.parametrize("splits", ["onevsrest", "multiway", "oblique", "distance"])
def test_other_splits(splits):
    trees, table = grown("classification", 3, splits=splits)
    check(trees, table)


def numbers_schema(n_columns):
    return Schema(tuple(Column(f"x{i}", "continuous") for i in range(n_columns)), named=False)


def deep_forest(dtype=np.float64, n_rows=3000, n_columns=7, task="classification", rounding=30):
    """Full trees of numbers, some rows of which equal thresholds."""
    rng = np.random.default_rng(11)
    X = rng.normal(size=(n_rows, n_columns)).round(rounding).astype(dtype)
    signal = X[:, 0] * X[:, 1] + rng.normal(size=n_rows)
    schema = numbers_schema(n_columns)
    trees = []
    for seed in range(9):
        counts = np.bincount(rng.integers(0, n_rows, n_rows), minlength=n_rows).astype(float)
        if task == "classification":
            target = Target(task, (signal > 0).astype(np.int32), np.arange(2), counts)
            plan = Plan(task, "gini", max_features="sqrt", seed=seed)
        else:
            target = Target(task, signal, None, counts)
            plan = Plan(task, "squared_error", max_features="sqrt", seed=seed)
        trees.append(grow(Table(schema, tuple(X.T), n_rows), target, plan))
    return trees, X


def at_thresholds(trees, X):
    """The rows with some values replaced by thresholds and their neighbours, and odd numbers."""
    rng = np.random.default_rng(12)
    X = X.astype(np.float64)
    for tree in trees:
        table = tree.thresholds
        for around in (0.0, -np.inf, np.inf):
            rows = rng.integers(0, len(X), len(table.column))
            limits = table.threshold
            X[rows, table.column] = np.nextafter(limits, around) if around else limits
    for odd in (np.nan, np.inf, -np.inf, 1e300, -1e300, 1e-310, -0.0):
        X[rng.random(X.shape) < 0.004] = odd
    return X


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("rounding", [30, 2])
def test_values_at_thresholds(task, dtype, rounding):
    trees, X = deep_forest(dtype, task=task, rounding=rounding)
    schema = trees[0].schema
    odd = at_thresholds(trees, X)
    with np.errstate(over="ignore"):
        single = odd.astype(np.float32)
    for rows in (X, odd, single):
        check(trees, Table(schema, tuple(rows.T), len(rows)), threads=2)
        check(trees, Table(schema, tuple(rows[:20].T), 20))


def test_any_layout_of_a_matrix():
    trees, X = deep_forest(n_rows=300)
    packed = PackedTrees.of(trees)
    X[::7, 2] = np.nan
    expected = engine.soft(packed, bind_prediction(X, packed.schema))
    layouts = [X, np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], X[::-1][::-1]]
    layouts.append(np.hstack([X, X])[:, :7])
    for rows in layouts:
        given_rows = engine.rows_of(rows, packed)
        assert given_rows is rows or given_rows.base is not None
        assert engine.soft(packed, given_rows).tobytes() == expected.tobytes()
    for n in (0, 1, 2, 24, 25, 64, 65):
        assert engine.soft(packed, X[:n]).tobytes() == expected[:n].tobytes()
        assert engine.leaves(packed, X[:n]).shape == (n, len(trees))


def test_the_door():
    trees, X = deep_forest(n_rows=200)
    packed = PackedTrees.of(trees)
    assert isinstance(engine.rows_of(X.tolist(), packed), Table)
    with pytest.raises(DataError):
        engine.rows_of(X[:, :3], packed)
    with pytest.raises(DataError, match="schema"):
        engine.soft(packed, Table(numbers_schema(3), tuple(X.T[:3]), len(X)))
    strict = [replace(tree, schema=strict_schema(tree.schema)) for tree in trees]
    X[3, 3] = np.nan
    with pytest.raises(DataError, match="missing"):
        engine.rows_of(X, PackedTrees.of(strict))


def strict_schema(schema):
    return replace(
        schema, columns=tuple(replace(column, missing="error") for column in schema.columns)
    )


@pytest.mark.parametrize("make", SAMPLES)
def test_samples(make):
    tree = make()
    rows = odd_rows(np.random.default_rng(0), tree.schema, 50, np.float64)
    check([tree, tree, tree], rows)


def test_smoothed_and_linear_leaves():
    for make in (smoothed_tree, linear_tree):
        rows = odd_rows(np.random.default_rng(1), make().schema, 50, np.float64)
        check([make()] * 3, rows)
    assert engine.engine_of(PackedTrees.of([linear_tree()])).engine is None
    assert engine.engine_of(PackedTrees.of([smoothed_tree()])).engine is not None


def test_a_chain_and_single_leaves():
    tree = chain(3000)
    rows = np.linspace(-5, 3010, 700)
    rows[::10] = math.nan
    check([tree, chain(1), tree], Table(tree.schema, (rows,), len(rows)))


def test_trees_that_do_not_fit_are_routed():
    """With a million columns few bits are left for the size of a tree."""
    tree = animal_tree()
    wide = Schema(tuple(Column(f"x{i}", "continuous") for i in range(1 << 21)), named=False)
    long_one = replace(chain(200), schema=wide)
    compiled = engine.engine_of(PackedTrees.of([long_one]))
    assert compiled.engine.nbytes > engine.engine_of(PackedTrees.of([tree])).engine.nbytes
    row = np.full((1, 1 << 21), 57.5)
    assert engine.mean(PackedTrees.of([long_one]), row).tolist() == [58.0]


def test_votes_of_many_rows_come_by_a_few_trees(monkeypatch):
    trees, table = deep_forest()
    packed = PackedTrees.of(trees)
    whole = [codes.tolist() for codes in engine.choices(packed, table)]
    monkeypatch.setattr(engine, "CHOICES_AT_ONCE", 2 * len(table))
    assert [codes.tolist() for codes in engine.choices(packed, table)] == whole
    monkeypatch.setattr(engine, "CHOICES_AT_ONCE", 1)
    assert [codes.tolist() for codes in engine.choices(packed, table)] == whole


def test_an_engine_is_made_once_and_small():
    trees, _ = deep_forest()
    packed = PackedTrees.of(trees)
    compiled = engine.engine_of(packed)
    assert engine.engine_of(packed) is compiled
    n_nodes = sum(tree.n_nodes for tree in trees)
    assert compiled.engine.nbytes < 9 * n_nodes  # eight for the node, one for its answer
