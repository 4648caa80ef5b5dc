"""Machines without wide instructions grow and answer the same, to the last bit."""

from child_process import run

DIGEST = """
import hashlib
import numpy as np
from silva import TreeClassifier, TreeRegressor
from silva.ensemble import engine
from silva.ensemble.packed import PackedTrees
from silva.tree.store import dumps

rng = np.random.default_rng(0)

def models():
    for n_rows, dtype in ((300, np.float64), (9_000, np.float32)):
        X = rng.standard_normal((n_rows, 6)).round(2).astype(dtype)
        holes = X.copy()
        holes[rng.random(X.shape) < 0.05] = np.nan
        signal = X[:, 0] * X[:, 1] + X[:, 2] + rng.standard_normal(n_rows) / 2
        two, many = signal > 0, np.digitize(signal, [-1.5, -0.5, 0, 1])
        for table in (X, holes):
            yield TreeClassifier().fit(table, two), table
            yield TreeClassifier().fit(table, many), table
            yield TreeClassifier(criterion="entropy", max_leaf_nodes=30).fit(table, many), table
            yield TreeClassifier(missing="stop", max_depth=9).fit(table, two), table
            yield TreeRegressor().fit(table, signal), table

found = hashlib.sha256()
for model, table in models():
    found.update(dumps(model.grown_tree_))
    found.update(model.apply(table + table.dtype.type(0.1)).tobytes())
    rows = table + table.dtype.type(0.1)
    if isinstance(model, TreeClassifier):
        forest = PackedTrees.of([model.grown_tree_] * 20)
        for n_rows in (5, len(rows)):
            found.update(engine.soft(forest, rows[:n_rows]).tobytes())
            found.update(engine.leaves(forest, rows[:n_rows]).tobytes())
print(found.hexdigest())
"""


def test_plain_instructions_give_the_same_models():
    assert run(DIGEST, SILVA_PLAIN="1") == run(DIGEST, before="unset SILVA_PLAIN")
