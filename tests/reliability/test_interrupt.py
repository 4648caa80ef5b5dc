"""Ctrl-C stops the work soon, with KeyboardInterrupt, and leaves the estimator as it was.

One process is interrupted again and again. The bound of two seconds is generous, so that a busy
machine does not fail it: left alone, each piece of work would take much longer than its delay.
"""

import numpy as np
import pytest

import silva
from silva.tree.tree import same
from tests.reliability.child_process import run

SCRIPT = """
import os, signal, threading, time
import numpy as np
import silva
from silva import StumpClassifier, TreeClassifier, TreeRegressor

def interrupted(work, delay):
    '''How the work ended, and whether soon after the signal.'''
    outcome, sent = "interrupted", []
    def send():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)
    timer = threading.Timer(delay, send)
    try:
        timer.start()
        work()
        outcome = "finished"
        timer.join()
        time.sleep(1)
    except KeyboardInterrupt:
        pass
    return outcome, time.perf_counter() - sent[0] < 2

ROWS = 300_000
values = np.arange(ROWS, dtype=float)[:, None]
alternating = (-1.0) ** np.arange(ROWS) * np.arange(ROWS)
rng = np.random.default_rng(0)

for n_jobs in (1, 2):
    model = TreeRegressor(n_jobs=n_jobs)
    ended = interrupted(lambda: model.fit(values, alternating), 0.2)
    untouched = sorted(vars(model)) == sorted(vars(TreeRegressor()))
    print("a chain:", *ended, untouched, model.set_params(max_depth=1).fit(
        values, alternating).get_n_leaves())

model = TreeRegressor().fit(values[:50], alternating[:50])
before, text = model.predict(values[:50]), silva.to_text(model)
ended = interrupted(lambda: model.fit(values, alternating), 0.2)
kept = (model.predict(values[:50]) == before).all() and silva.to_text(model) == text
print("fitted before:", *ended, kept, model.fit(values[:9], alternating[:9]).get_n_leaves())

table, target = rng.normal(size=(200_000, 20)), rng.integers(0, 3_000, 200_000)
for n_jobs in (1, 2):
    model = TreeClassifier(criterion="entropy", n_jobs=n_jobs)
    print("large nodes:", *interrupted(lambda: model.fit(table, target), 0.4))

deep = TreeClassifier().fit(values[:4_000], np.arange(4_000) % 2)
rows = np.broadcast_to(values[3_999:4_000], (4_000_000, 1))
ended = interrupted(lambda: deep.predict(rows), 0.2)
print("predict:", *ended, deep.score(values[:4_000], np.arange(4_000) % 2))

forest = silva.ForestClassifier(300, n_jobs=1).fit(table[:1_500, :4], target[:1_500] % 9)
ended = interrupted(lambda: forest.decision_path(table[:, :4]), 2.5)
print("decision_path:", *ended)

def stump():
    assert StumpClassifier().fit(table[:, :3], target % 2).get_n_leaves() == 2

stump()
began = time.perf_counter()
stump()
usual = time.perf_counter() - began
outcomes = {interrupted(stump, usual * share)[0] for share in np.linspace(0.7, 1.0, 12)}
print("near the end:", outcomes <= {"finished", "interrupted"})
"""


def test_work_stops_and_nothing_is_lost():
    """How it ended, whether soon, whether the estimator is as it was, what it can do next."""
    assert run(SCRIPT) == [
        "a chain: interrupted True True 2",
        "a chain: interrupted True True 2",
        "fitted before: interrupted True True 9",
        "large nodes: interrupted True",
        "large nodes: interrupted True",
        "predict: interrupted True 1.0",
        "decision_path: interrupted True",
        "near the end: True",
    ]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, MemoryError])
def test_a_stop_while_the_new_model_is_put_together_keeps_the_old_one(stop, monkeypatch):
    table, target = np.arange(6.0)[:, None], np.array([0, 1, 0, 1, 1, 0])
    model = silva.TreeClassifier(max_depth=2).fit(table, target)
    before, tree, state = model.predict(table), model.grown_tree_, dict(vars(model))

    def stopped(self, tree, figures):
        raise stop

    monkeypatch.setattr("silva.estimators.classifier.BaseTreeClassifier._derived", stopped)
    unfitted = silva.TreeClassifier()
    for estimator in (model, unfitted):
        with pytest.raises(stop):
            estimator.fit(table[:3], target[:3])
    monkeypatch.undo()
    assert vars(model) == state
    assert same(model.grown_tree_, tree)
    assert np.array_equal(model.predict(table), before)
    assert sorted(vars(unfitted)) == sorted(vars(silva.TreeClassifier()))
