"""Packed trees: the same trees in few bytes, and damaged bytes are refused."""

import copy
import pickle
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silva.data.schema import Column, Schema
from silva.data.table import Table, Target
from silva.ensemble import combine
from silva.ensemble.forest import Forest
from silva.ensemble.packed import PackedTrees
from silva.errors import ModelFormatError, PlanError
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.model_file.packed import dumps, loads
from silva.tree.builder import TreeBuilder
from silva.tree.check import check
from silva.tree.edits import Edit
from silva.tree.splits import Threshold
from silva.tree.tree import same
from tests.effort import tries
from tests.tree.model_bytes import put_together, taken_apart
from tests.tree.tree_samples import SAMPLES, chain, trees

ODD_NUMBERS = [0, 1, -1, 2, 127, 255, 2**31, 2**53, 2**63 - 1, -(2**63)]


@given(st.lists(trees(), min_size=1, max_size=2))
def test_every_tree_comes_back_as_it_was(some):
    for tree in some:
        packed = PackedTrees.of([tree, tree])
        assert len(packed) == 2
        assert same(packed[1], tree)
        assert [same(one, tree) for one in pickle.loads(pickle.dumps(packed))] == [True, True]


@pytest.mark.parametrize("make", SAMPLES)
def test_samples_edited_and_smoothed(make):
    tree = make()
    edited = check(replace(tree, edits=(Edit("collapse", 3, "was a branch"),)))
    packed = PackedTrees.of([tree]).extended([edited]).extended([tree])
    for again in (packed, loads(dumps(packed)), copy.deepcopy(packed), packed[:3]):
        expected = (tree, edited, tree)
        assert all(same(one, other) for one, other in zip(again, expected, strict=True))


def test_costs_are_packed_and_decide_votes():
    labels = np.array(["a", "b", "c"])
    builder = TreeBuilder(Schema((Column("x", "continuous"),)), "classification", labels)
    root = builder.add_split(None, 0, Threshold(0, 1.0, 0, 0), gain=0.1)
    builder.add_leaf(root, 0, 9, {0: 6, 1: 3})
    builder.add_leaf(root, 1, 9, {2: 9})
    plain = builder.finish()
    tree = check(replace(plain, costs=((0.0, 1.0, 1.0), (20.0, 0.0, 1.0), (1.0, 1.0, 0.0))))
    packed = PackedTrees.of([plain, tree])
    for again in (packed, loads(dumps(packed)), pickle.loads(pickle.dumps(packed))):
        assert again[0].costs is None
        assert same(again[1], tree)
    table = np.array([[0.0], [2.0]])
    for one, expected in ((plain, [0, 2]), (tree, [1, 2])):
        assert combine.codes(Forest(PackedTrees.of([one] * 3), "hard"), table).tolist() == expected


def test_shared_facts_are_one_value():
    packed = loads(dumps(PackedTrees.of([chain(3)] * 3)))
    assert packed[0].schema is packed[2].schema
    assert packed.schema is packed[1].schema


def test_a_long_chain():
    tree = chain(5000)
    assert same(PackedTrees.of([tree])[0], tree)


def forest(task, n_rows=2000, n_trees=3):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n_rows, 6))
    signal = X[:, 0] * X[:, 1] + rng.normal(size=n_rows)
    schema = Schema(tuple(Column(f"x{i}", "continuous") for i in range(6)), named=False)
    table = Table(schema, tuple(X.T), n_rows)
    values = (signal > 0).astype(np.int32) if task == "classification" else signal
    criterion = "gini" if task == "classification" else "squared_error"
    for seed in range(n_trees):
        counts = np.bincount(rng.integers(0, n_rows, n_rows), minlength=n_rows).astype(float)
        classes = np.arange(2) if task == "classification" else None
        target = Target(task, values, classes, counts)
        yield grow(table, target, Plan(task, criterion, max_features="sqrt", seed=seed))


@pytest.mark.parametrize(("task", "most"), [("classification", 12), ("regression", 14)])
def test_full_trees_take_few_bytes(task, most):
    grown = list(forest(task))
    packed = PackedTrees.of(grown)
    assert all(same(one, tree) for one, tree in zip(packed, grown, strict=True))
    n_nodes = sum(tree.n_nodes for tree in grown)
    assert packed.nbytes <= most * n_nodes
    assert len(pickle.dumps(packed)) <= most * n_nodes + 4000


def test_trees_of_one_kind_only():
    with pytest.raises(PlanError, match="at least one"):
        PackedTrees.of([])
    with pytest.raises(PlanError, match="schema"):
        PackedTrees.of([make() for make in SAMPLES[:2]])
    tree = SAMPLES[0]()
    with pytest.raises(PlanError, match="classes"):
        PackedTrees.of([tree, replace(tree, classes=tree.classes[::-1])])
    with pytest.raises(PlanError, match="criterion"):
        PackedTrees.of([tree, replace(tree, criterion="error")])


def survives(data):
    try:
        packed = loads(data)
    except ModelFormatError:
        return False
    for tree in packed:
        check(tree)
    assert all(same(a, b) for a, b in zip(packed, loads(dumps(packed)), strict=True))
    return True


def flip_bytes(data, chance):
    damaged = bytearray(data)
    damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
    return bytes(damaged)


def cut(data, chance):
    place = chance.randrange(len(data))
    return chance.choice([data[:place], data[:place] + data[place + 8 :], data + data[:place]])


def change_section(data, chance):
    """Other bytes with the right checksum: only the checks of what is read are left."""
    header, section = taken_apart(data)
    damaged = bytearray(section)
    for _ in range(chance.randint(1, 3)):
        width = chance.choice([1, 8])
        place = chance.randrange(len(damaged) // 8) * 8
        number = chance.choice(ODD_NUMBERS) if chance.random() < 0.7 else chance.randrange(2**64)
        damaged[place : place + width] = (number % 256**width).to_bytes(width, "little")
    return put_together(header, bytes(damaged))


@pytest.mark.parametrize("damage", [flip_bytes, cut, change_section])
@pytest.mark.parametrize("make", SAMPLES)
def test_damaged_pickles(make, damage):
    data = dumps(PackedTrees.of([make()] * 2))
    chance = random.Random(f"{make.__name__} {damage.__name__}")
    outcomes = [survives(damage(data, chance)) for _ in tries(120, 300)]
    assert not all(outcomes)
    assert any(outcomes) or damage is not change_section


def test_what_is_not_packed_trees():
    from silva.model_file.store import dumps as model_file

    with pytest.raises(ModelFormatError, match="packed trees"):
        loads(model_file(SAMPLES[0]()))
    with pytest.raises(ModelFormatError):
        loads(b"")
