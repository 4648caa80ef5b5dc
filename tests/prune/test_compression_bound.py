"""The sample-compression form: the code is a code, and the bound holds on new rows."""

import math

import numpy as np
import pytest

from silva.data.schema import Column, Schema
from silva.data.table import Table, Target
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.prune.bound import GeneralisationBound, compression_bound
from silva.prune.description import BIT, bits, leaf_bits, size_bits, split_lengths
from silva.prune.evidence import Evidence
from silva.tree import route, stats
from silva.tree.splits import Multiway, Subset, Threshold, split_of
from tests.effort import tries
from tests.prune.prune_cases import random_case
from tests.prune.raising_oracle import Grove, Nested, bottom_up
from tests.prune.test_generic_pruning import check


def described(tree, node: int) -> tuple[float, int]:
    """Bits and named rows of one split, read from the documentation."""
    split = split_of(tree, node)
    column = tree.schema.columns[split.column]
    known = len(split.codes) if isinstance(split, Multiway) else 2
    length = 1 + math.log2(3) + math.log2(len(tree.schema)) + math.log2(known + 2)
    length += 0 if column.kind == "continuous" else math.log2(known + 2)
    length += math.log2(len(tree.classes)) if -1 in (split.missing_child, split.unseen_child) else 0
    match split:
        case Threshold():
            return length + 1, 0 if math.isinf(split.threshold) else 2
        case Subset():
            sizes = [len(split.codes), len(split.rest)]
            return length + sum(2 * math.floor(math.log2(s + 1)) + 1 for s in sizes), sum(sizes)
        case Multiway():
            return length + 2 * math.floor(math.log2(known + 1)) + 1, known


@pytest.mark.parametrize("seed", tries(60, 200))
def test_the_pruner_equals_the_slow_walk(seed):
    case = random_case(seed, "classification", False, 60, single_columns=True, linear=False)
    tree, delta = case.tree, 0.3
    grove = Grove(tree, case.evidence.table, case.evidence.target)

    def value(nested: Nested) -> float:
        errors = round(grove.error(nested) * 60)
        length, named = description(nested)
        return compression_bound(errors, 60, length, named, delta)

    def description(nested: Nested) -> tuple[float, int]:
        node, children = nested
        if not children:
            return 1 + math.log2(3), 0
        parts = [described(tree, node), *(description(child) for child in children)]
        return sum(part[0] for part in parts), sum(part[1] for part in parts)

    def choose(trials, path) -> int:
        values = [round(found, 5) if found < math.inf else found for found in map(value, trials)]
        return values.index(min(values))

    pruner = GeneralisationBound(delta)
    assert pruner.value(tree) == pytest.approx(value(grove.nested), abs=1e-5)
    check(pruner(tree, case.evidence), grove, bottom_up(grove, choose, True))


def test_lengths_are_those_of_prefix_codes():
    assert sum(2.0 ** -(size_bits(size) / BIT) for size in range(5000)) <= 1.0
    for choices in range(1, 300):
        assert choices * 2.0 ** -(bits(choices) / BIT) <= 1.0
    assert leaf_bits(2) == 2 * BIT


def test_named_rows_of_each_kind():
    schema = Schema((Column("x", "continuous"), Column("b", "binary", ("no", "yes"))))
    table = Table(schema, (np.array([1.0, 2, 3, 4]), np.array([0, 1, 0, 1], np.int32)), 4)
    target = Target("classification", np.array([0, 0, 1, 2], np.int32), np.arange(3), None)
    tree = grow(table, target, Plan("classification", "gini"))
    lengths, named = split_lengths(tree)
    columns = [split_of(tree, node).column for node in np.flatnonzero(~tree.is_leaf)]
    assert [named[node] for node in np.flatnonzero(~tree.is_leaf)] == [
        0 if column else 2 for column in columns
    ]
    assert all(length == 0 for length, leaf in zip(lengths, tree.is_leaf, strict=True) if leaf)


def test_a_tree_that_names_all_rows_has_no_bound():
    assert compression_bound(0, 10, 5.0, 10, 0.05) == math.inf
    assert compression_bound(0, 10, 5.0, 9, 0.05) > 1.0


@pytest.mark.parametrize("seed", range(20))
def test_the_bound_holds_on_new_rows(seed):
    """Rows with 20% of labels flipped; the bound must exceed the error on many new rows."""
    rng = np.random.default_rng(seed)
    schema = Schema((Column("a", "continuous"), Column("b", "continuous")))

    def draw(n_rows: int) -> tuple[Table, Target]:
        points = rng.random((n_rows, 2))
        flip = rng.random(n_rows) < 0.2
        codes = ((points[:, 0] > 0.5) ^ flip).astype(np.int32)
        return Table(schema, tuple(points.T), n_rows), Target(
            "classification", codes, np.arange(2), None
        )

    table, target = draw(2000)
    full = grow(table, target, Plan("classification", "gini"))
    pruner = GeneralisationBound()
    found = pruner(full, Evidence(table=table, target=target))
    new_table, new_target = draw(20000)
    told = stats.node_class_units(found.tree).argmax(axis=1)
    error = np.mean(told[route.leaves(found.tree, new_table)] != new_target.values)
    assert error <= pruner.value(found.tree) < 0.5
    assert found.tree.n_leaves == 2
