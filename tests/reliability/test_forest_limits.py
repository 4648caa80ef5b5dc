"""Ctrl-C and too little memory while a forest grows: the process lives, finished trees may stay."""

from pathlib import Path

import pytest

from tests.reliability.child_process import run
from tests.reliability.test_out_of_memory import LIMIT

INTERRUPTS = """
import os, signal, threading, warnings
import numpy as np
from silva import BaggingClassifier, ForestClassifier, TreeClassifier

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
table = rng.normal(size=(20_000, 6))
labels = (table[:, 0] + table[:, 1] * table[:, 2] > 0).astype(int)

def ended(model):
    timer = threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        model.fit(table, labels)
    except KeyboardInterrupt:
        return "interrupted", hasattr(model, "forest_")
    return "kept", 0 < len(model.trees_) < 10**7, model.score(table[:100], labels[:100]) > 0.6

for n_jobs in (1, 2):
    print(*ended(ForestClassifier(10**7, max_depth=5, n_jobs=n_jobs)))
    print(*ended(ForestClassifier(10**7, max_depth=5, n_jobs=n_jobs, on_interrupt="keep")))
print(*ended(ForestClassifier(10**7, max_depth=5, oob_score=True, on_interrupt="keep")))
print(*ended(BaggingClassifier(TreeClassifier(max_depth=5), 10**7, max_features=4,
                               on_interrupt="keep")))
"""

TOO_LITTLE = (
    LIMIT
    + """
from silva import ForestClassifier, ForestRegressor

table, target = rng.normal(size=(100_000, 8)), rng.integers(0, 2, 100_000)
every = set()
for kind in (ForestClassifier, ForestRegressor):
    for n_jobs in (1, 2):
        model = kind(4, max_depth=3, n_jobs=n_jobs, random_state=0)
        every |= {str(limited(lambda: len(model.fit(table, target).trees_), megabytes))
                  for megabytes in (1, 4, 8)}
        print(limited(lambda: len(model.fit(table, target).trees_), 2_000))
print(*sorted(every - {"4"}))
"""
)


def test_interrupts():
    assert run(INTERRUPTS) == [
        "interrupted False",
        "kept True True",
        "interrupted False",
        "kept True True",
        "kept True True",
        "kept True True",
    ]


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux to limit memory")
def test_too_little_memory_is_an_error_and_the_process_lives():
    assert run(TOO_LITTLE) == ["4"] * 4 + ["MemoryError"]
