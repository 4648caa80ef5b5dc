"""Too little memory is a MemoryError in a process that lives on; many classes need little of it.

SILVA_THOROUGH=1 tries far more limits.
"""

import os
from pathlib import Path

import pytest

from tests.reliability.child_process import run

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="needs Linux to limit and read memory"
)

LIMIT = """
import resource
import numpy as np
import silva
from silva import TreeClassifier, TreeRegressor, _core

def limited(work, megabytes):
    '''What the work gives, or the name of its error, with so much memory beyond that in use.'''
    with open("/proc/self/statm") as used:
        pages = int(used.read().split()[0])
    limit = pages * resource.getpagesize() + int(megabytes * 2**20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    try:
        return work()
    except Exception as error:
        return type(error).__name__
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)

rng = np.random.default_rng(0)
"""

TOO_LITTLE = (
    LIMIT
    + """
table, target = rng.normal(size=(400_000, 8)), rng.integers(0, 2, 400_000)
small = TreeClassifier(max_depth=4).fit(table[:2_000], target[:2_000])
answers = small.predict(table[:2_000])

for kind in (TreeClassifier, TreeRegressor):
    for n_jobs in (1, 2):
        model = kind(max_depth=4, n_jobs=n_jobs)
        told = {str(limited(lambda: model.fit(table, target).get_n_leaves(), megabytes))
                for megabytes in (4, 12, 21)}
        print("fit:", "MemoryError" in told, told <= {"MemoryError", "16"},
              limited(lambda: model.fit(table, target).get_n_leaves(), 2_000))

model = TreeClassifier(max_depth=4).fit(table[:2_000], target[:2_000])
print("fit again:", limited(lambda: model.fit(table, target), 4),
      np.array_equal(model.predict(table[:2_000]), answers))

for rows in (2**26, 2**31, 2**40):
    many = np.broadcast_to(table[:1], (rows, 8))
    print("predict:", limited(lambda: small.predict(many), 64),
          limited(lambda: small.predict_proba(many), 64))

print("alive:", np.array_equal(small.predict(table[:2_000]), answers))
"""
)

SAYS_WHAT_IT_TAKES = (
    LIMIT
    + """
table, target = rng.normal(size=(400_000, 8)).astype(np.float32), rng.integers(0, 2, 400_000)

def words(model):
    try:
        model.fit(table, target)
    except MemoryError as error:
        return str(error)

for kind in (TreeClassifier, silva.ForestClassifier, silva.AdaBoostClassifier):
    model = kind()
    model.fit(table[:2_000], target[:2_000])
    print(limited(lambda: words(model), 12))
"""
)

MANY_THREADS = (
    LIMIT
    + """
table, target = rng.normal(size=(20_000, 10)), rng.integers(0, 2, 20_000).astype(np.int32)

def grow(threads):
    return len(_core.grow(
        list(table.T), [0] * 10, [0] * 10, target, None, 2, criterion="gini", splitter="best",
        max_depth=3, min_samples_split=2, min_samples_leaf=1, min_weight_fraction_leaf=0.0,
        max_leaf_nodes=0, min_impurity_decrease=0.0, min_gain=0.0, max_features=10, seed=0,
        split_forms=[0] * 10, missing=[0] * 10, unseen=[1] * 10, breakpoints=False,
        fair_categories=True, oblique=None, distance=None, threads=threads)["leaf_rows"])

wanted = grow(1)
print({limited(lambda: grow(threads), megabytes)
       for threads in (1, 2, 3, 8) for megabytes in (300, 1_400, 2_400, 3_400)} == {wanted})
"""
)

MANY_CLASSES = (
    LIMIT
    + """
table, target = rng.normal(size=(20_000, 3)), rng.integers(0, 5_000, 20_000)

def everything():
    model = TreeClassifier().fit(table, target, X_val=table, y_val=target)
    assert model.summary_.train.tree == model.summary_.held_out.tree == 1.0
    assert "others" in str(model.grown_tree_)
    silva.to_text(model, max_depth=3)
    assert model.predict_proba(table[:100]).shape == (100, len(model.classes_))
    assert len(model.cost_complexity_pruning_path(table, target).ccp_alphas) > 2
    return model.get_n_leaves() > 10_000

print(limited(everything, 400))
"""
)

EVERYWHERE = (
    LIMIT
    + """
import warnings
warnings.simplefilter("ignore")
rows = rng.normal(size=(20_000, 8))
kind = getattr(silva, "KIND")
target = (rows[:, 0] > 0) * 1 if "Classifier" in "KIND" else rows[:, 0]
more = {"n_estimators": 3} if hasattr(kind(), "n_estimators") else {"prune": "reduced_error"}
model = kind(n_jobs=2, **more)
TreeClassifier(prune="reduced_error").fit(rows[:99], rows[:99, 0] > 0)

def work():
    model.fit(rows, target)
    if hasattr(model, "cost_complexity_pruning_path"):
        model.cost_complexity_pruning_path(rows, target)
    return len(model.predict(np.tile(rows, (11, 1)))) > 0

print({str(limited(work, limit)) for limit in LIMITS} <= {"MemoryError", "True"})
"""
)


def test_too_little_memory():
    """glibc is told to give large arrays back at once, so that the limit counts for each fit."""
    assert run(TOO_LITTLE, MALLOC_MMAP_THRESHOLD_="100000", MALLOC_ARENA_MAX="1") == [
        "fit: True True 16",
        "fit: True True 16",
        "fit: True True 16",
        "fit: True True 16",
        "fit again: MemoryError True",
        "predict: MemoryError MemoryError",
        "predict: MemoryError MemoryError",
        "predict: MemoryError MemoryError",
        "alive: True",
    ]


def test_growth_without_memory_says_what_it_takes():
    """12 MB are enough to bind the table, not to sort or code its columns."""
    words = run(SAYS_WHAT_IT_TAKES, MALLOC_MMAP_THRESHOLD_="100000", MALLOC_ARENA_MAX="1")
    told = (
        "not enough memory: growing from 400,000 rows x 8 columns with n_jobs=1 takes about 29 MB"
    )
    assert [line[: len(told)] for line in words] == [told] * 3


def test_threads_that_cannot_be_started_are_done_without():
    """Each thread asks for a stack of 1 GB: with these limits none, one, two or three start."""
    assert run(MANY_THREADS, before="ulimit -s 1000000") == ["True"]


def test_thousands_of_classes_need_no_table_of_nodes_by_classes():
    """40,000 nodes by 4,900 classes would be 1.5 GB; the limit is 400 MB."""
    assert run(MANY_CLASSES) == ["True"]


KINDS = [
    "TreeClassifier",
    "StumpRegressor",
    "ForestClassifier",
    "ExtraTreesRegressor",
    "BaggingClassifier",
    "AdaBoostClassifier",
]
FIRST = [step / 4 for step in range(100)] if os.environ.get("SILVA_THOROUGH") else [16.113, 19.53]


@pytest.mark.parametrize("kind", KINDS)
def test_threads_without_memory_do_not_end_the_process(kind):
    """The first limit is what counts: threads start, a stack is 8 MB, and nothing is left for their
    thread-local data. Later ones find memory that the process has taken before."""
    for first in FIRST:
        limits = [first + more for more in (0, 0.4, 2, 3.5, 8)]
        assert run(EVERYWHERE.replace("KIND", kind).replace("LIMITS", str(limits))) == ["True"]
