"""A forest that does not fit into memory is a MemoryError in a process that lives on."""

from pathlib import Path

import pytest

from tests.reliability.child_process import run

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="needs Linux to limit and read memory"
)

SCRIPT = """
import resource
import numpy as np
from silva import _core

def limited(work, megabytes):
    '''What the work gives, or the name of its error, with so much memory beyond that in use.'''
    with open("/proc/self/statm") as used:
        pages = int(used.read().split()[0])
    limit = pages * resource.getpagesize() + megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    try:
        return work()
    except Exception as error:
        return type(error).__name__
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)

rng = np.random.default_rng(0)
table = rng.normal(size=(200_000, 8))
target = {2: rng.integers(0, 2, 200_000).astype(np.int32), 0: rng.normal(size=200_000)}

def grower(splitter, n_classes, oob=False):
    return _core.ForestGrower(
        list(table.T), [0] * 8, [0] * 8, target[n_classes], None, n_classes,
        bootstrap="bootstrap", n_samples=200_000, oob=oob, splitter=splitter,
        criterion="gini" if n_classes else "squared_error", max_depth=3, min_samples_split=2,
        min_samples_leaf=1, min_weight_fraction_leaf=0.0, max_leaf_nodes=0,
        min_impurity_decrease=0.0, min_gain=0.0, max_features=2, split_forms=[0] * 8,
        missing=[0] * 8, unseen=[1] * 8, breakpoints=False, fair_categories=True,
        oblique=None, distance=None)

def leaves(forest, threads):
    return [len(tree["leaf_rows"]) for tree in forest.grow([1, 2, 3], threads)]

for splitter in ("best", "random"):
    for n_classes in (2, 0):
        wanted = leaves(grower(splitter, n_classes), 1)
        for threads in (1, 2):
            told = []
            for megabytes in (2, 8, 12, 20, 30):
                forest = grower(splitter, n_classes)
                told.append(limited(lambda: leaves(forest, threads), megabytes))
                assert told[-1] in ("MemoryError", wanted), told
                assert leaves(forest, threads) == wanted  # the same grower, with memory again
            print("MemoryError" in told)
print(limited(lambda: grower("best", 2, oob=True), 2))

def words(work):
    try:
        work()
    except MemoryError as error:
        return str(error)

print(limited(lambda: words(lambda: grower("best", 2, oob=True)), 2))
"""


def test_too_little_memory_is_an_error_and_not_an_end():
    kept = {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": "65536"}  # nothing for later
    *told, name, words = run(SCRIPT, **kept)
    assert told == ["True"] * 8
    assert name == "MemoryError"
    assert words.startswith("not enough memory: free some, use fewer threads")
