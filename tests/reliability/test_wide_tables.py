"""Sparse matrices of millions of columns, of which most are empty."""

from pathlib import Path

import pytest

from tests.reliability.child_process import run

SCRIPT = """
import resource, sys
import numpy as np, scipy.sparse as sparse
import silva

N_COLUMNS = 3_000_000
rng = np.random.default_rng(0)
places = rng.integers(0, 500, 20_000), rng.integers(0, N_COLUMNS, 20_000)
matrix = sparse.csr_matrix((np.ones(20_000), places), shape=(500, N_COLUMNS))
target = rng.integers(0, 2, 500)
matrix = sparse.hstack([matrix, sparse.csr_matrix(target[:, None] * 1.0)]).tocsr()
silva.TreeClassifier(max_depth=2).fit(matrix[:, -1000:], target).predict(matrix[:, -1000:])

def bytes_a_column(work):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    work()
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / N_COLUMNS

model = MODEL
print(bytes_a_column(lambda: model.fit(matrix, target)) < IN_FIT)
print(bytes_a_column(lambda: model.predict(matrix)) < IN_PREDICT)
print((model.predict(matrix) == target).all())

import pickle, tempfile
with tempfile.NamedTemporaryFile(suffix=".silva") as file:
    print(bytes_a_column(lambda: silva.save(model, file.name)) < 40)
    print(bytes_a_column(lambda: silva.load(file.name)) < 60)
    print(len(file.read()) < 1_000_000)
    loaded = silva.load(file.name)
print((loaded.predict(matrix) == target).all() and loaded.column_facts_ is None)
print((pickle.loads(pickle.dumps(model)).predict(matrix) == target).all())
"""

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="needs Linux to read how much memory is used"
)


@pytest.mark.parametrize(
    ("model", "in_fit", "in_predict"),
    [
        ("silva.TreeClassifier(max_depth=2)", 200, 40),
        ("silva.TreeRegressor(max_depth=2)", 200, 40),
        ("silva.AdaBoostClassifier(silva.TreeClassifier(max_depth=2), n_estimators=2)", 200, 400),
        ("silva.ForestClassifier(2, max_features=None, bootstrap=False)", 700, 400),
    ],
)
def test_an_empty_column_takes_few_bytes(model, in_fit, in_predict):
    limits = f"IN_FIT, IN_PREDICT = {in_fit}, {in_predict}\n"
    assert run(limits + SCRIPT.replace("MODEL", model)) == ["True"] * 8
