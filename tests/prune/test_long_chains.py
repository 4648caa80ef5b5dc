"""A tree that is one long chain exhausts no stack."""

import numpy as np
import pytest

from silva.data.schema import Column, Schema
from silva.data.table import Table, Target
from silva.prune.accuracy_threshold import AccuracyThreshold
from silva.prune.bottom_up import BottomUp
from silva.prune.bound import GeneralisationBound
from silva.prune.cost_complexity import CostComplexity
from silva.prune.critical_value import CriticalValue
from silva.prune.evidence import Evidence
from silva.prune.minimum_error import MinimumError
from silva.prune.optimal import MaxLeaves
from silva.prune.pessimistic import Pessimistic
from silva.prune.reduced_error import ReducedError
from silva.tree.builder import TreeBuilder
from silva.tree.splits import Threshold
from silva.tree.tree import Tree


def chain(n_splits: int) -> tuple[Tree, Evidence]:
    """Node i has a leaf of one row on the left and the next node on the right."""
    schema = Schema((Column("x", "continuous"),))
    builder = TreeBuilder(schema, "classification", np.array(["a", "b"]))
    parent = None
    for place in range(n_splits):
        parent = builder.add_split(parent, 1, Threshold(0, float(place), 0, 0), 0.25)
        builder.add_leaf(parent, 0, rows=1, stats={place % 2: 1})
    builder.add_leaf(parent, 1, rows=1, stats={0: 1})
    table = Table(schema, (np.arange(n_splits + 1) - 0.5,), n_splits + 1)
    codes = (np.arange(n_splits + 1) % 2).astype(np.int32)
    codes[-1] = 0
    target = Target("classification", codes, np.array(["a", "b"]), None)
    flipped = Target("classification", 1 - codes, target.classes, None)
    evidence = Evidence(
        table=table, target=target, validation_table=table, validation_target=flipped
    )
    return builder.finish(), evidence


PRUNERS = [
    ReducedError(),
    ReducedError("bottom_up"),
    AccuracyThreshold(0.5),
    CriticalValue(1.0),
    MinimumError(),
    Pessimistic(raising=False),
    BottomUp(lambda tree: float(tree.leaves), raising=False),
    CostComplexity(1.0),
    MaxLeaves(7),
]


@pytest.mark.parametrize("pruner", PRUNERS, ids=lambda pruner: type(pruner).__name__)
def test_deep_trees(pruner):
    check(pruner, *chain(3000))


@pytest.mark.parametrize("pruner", [Pessimistic(), GeneralisationBound()], ids=lambda p: type(p))
def test_raising_in_deep_trees(pruner):
    check(pruner, *chain(300))


def check(pruner, tree: Tree, evidence: Evidence) -> None:
    found = pruner(tree, evidence)
    assert 1 <= found.tree.n_leaves <= tree.n_leaves
    saved = sum(step.leaves_before - step.leaves_after for step in found.record.steps)
    assert tree.n_leaves - saved == found.tree.n_leaves
