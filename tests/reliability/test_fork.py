"""A process that fits with threads may fork: both sides go on, nothing waits forever."""

import os

import pytest

from tests.reliability.child_process import run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

SCRIPT = """
import multiprocessing, os, threading, time, warnings
import numpy as np
from silva import TreeClassifier
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
table, target = rng.normal(size=(6_000, 6)), rng.integers(0, 2, 6_000)

def leaves(_=None):
    return TreeClassifier(n_jobs=2).fit(table, target).get_n_leaves()

wanted = leaves()

def forked():
    '''Whether a child of os.fork can fit; False when it is not done after a long time.'''
    child = os.fork()
    if child == 0:
        os._exit(0 if leaves() == wanted else 1)
    for _ in range(1_500):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status == 0
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return False

print("after a fit:", sum(forked() for _ in range(20) if leaves() == wanted))

with multiprocessing.get_context("fork").Pool(2) as pool:
    found = pool.map_async(leaves, range(20)).get(timeout=30)
print("in a pool:", sum(count == wanted for count in found))

done = False
def keep_fitting():
    while not done:
        leaves()
workers = [threading.Thread(target=keep_fitting) for _ in range(2)]
for worker in workers:
    worker.start()
print("during fits of other threads:", sum(forked() for _ in range(20)))
done = True
for worker in workers:
    worker.join()
print("the parent:", leaves() == wanted)
"""


def test_every_child_of_a_fork_can_fit():
    assert run(SCRIPT) == [
        "after a fit: 20",
        "in a pool: 20",
        "during fits of other threads: 20",
        "the parent: True",
    ]
