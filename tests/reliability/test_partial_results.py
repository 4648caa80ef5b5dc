"""Ctrl-C ends every fit with KeyboardInterrupt and keeps what was finished, as a fitted model."""

from tests.reliability.child_process import run

BEGIN = """
import os, pickle, signal, threading, time, warnings
import numpy as np
import silva
from sklearn.exceptions import NotFittedError

signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
table = rng.normal(size=(20_000, 6))
labels = (table[:, 0] + table[:, 1] * table[:, 2] + rng.normal(size=20_000) > 0).astype(int)

def interrupted(work, delay=0.25):
    '''What the work returned, or the words of the KeyboardInterrupt that ended it.'''
    timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        return work()
    except KeyboardInterrupt as error:
        return str(error)
    finally:
        timer.cancel()
"""

MODELS = """
MANY = 10**6
tree = silva.TreeClassifier(max_depth=4)
MODELS = [
    silva.ForestClassifier(MANY, max_depth=5, n_jobs=2),
    silva.ForestClassifier(MANY, max_depth=9, oob_score=True),
    silva.ForestRegressor(MANY, max_depth=9, prune="pessimistic"),
    silva.ExtraTreesRegressor(MANY, max_depth=5),
    silva.BaggingClassifier(tree, MANY, max_features=3),
    silva.AdaBoostClassifier(tree, n_estimators=20_000),
    silva.OptimalTreeClassifier(max_depth=5, time_limit=None),
    silva.OptimalTreeClassifier(objective="bound", max_depth=4, time_limit=None),
]
"""

RAISES = (
    BEGIN
    + MODELS
    + """
few = table[:3_000]
for model in MODELS:
    words = interrupted(lambda: model.fit(table, labels))
    partial = model.partial_
    try:
        model.predict(few)
    except NotFittedError:
        unfitted = True
    again = pickle.loads(pickle.dumps(partial))
    print(
        type(model).__name__,
        "partial_" in words and "on_interrupt='keep'" in words,
        unfitted and type(partial) is type(model),
        partial.score(few, labels[:3_000]) > 0.1,
        (again.predict(few) == partial.predict(few)).all(),
        partial.get_params() == model.get_params(),
    )
    small = {"max_depth": 1} if hasattr(model, "grown_tree_") else {"n_estimators": 2}
    if isinstance(model, silva.OptimalTreeClassifier):
        small = {"time_limit": 0}
    model.set_params(**small).fit(table, labels)
    assert not hasattr(model, "partial_")
"""
)

KEEPS = (
    BEGIN
    + MODELS
    + """
for model in MODELS:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        same = interrupted(lambda: model.set_params(on_interrupt="keep").fit(table, labels))
    told = [str(one.message) for one in found if "interrupted" in str(one.message)]
    print(type(model).__name__, same is model, len(told), hasattr(model, "partial_"),
          model.score(table[:3_000], labels[:3_000]) > 0.1)
"""
)

CONTINUES = (
    BEGIN
    + """
model = silva.OptimalTreeClassifier(max_depth=5, time_limit=None)
interrupted(lambda: model.fit(table, labels))
partial = model.partial_
before = partial.n_work_, partial.objective_
words = interrupted(lambda: partial.resume(time_limit=None))
more = partial.partial_
print(before == (partial.n_work_, partial.objective_), more.n_work_ > before[0],
      more.objective_ <= before[1], "partial_" in words)
print(interrupted(lambda: partial.pareto_path(20, time_limit=None)) == "")

forest = silva.ForestClassifier(10**6, max_depth=5, random_state=0)
interrupted(lambda: forest.fit(table, labels))
grown = forest.partial_
count = len(grown.trees_)
grown.set_params(warm_start=True, n_estimators=count + 5).fit(table, labels)
whole = silva.ForestClassifier(count + 5, max_depth=5, random_state=0).fit(table, labels)
print((grown.predict_proba(table) == whole.predict_proba(table)).all())

boosted = silva.AdaBoostClassifier(n_estimators=20_000)
interrupted(lambda: boosted.fit(table, labels))
partial = boosted.partial_
whole = silva.AdaBoostClassifier(n_estimators=len(partial.trees_)).fit(table, labels)
print((partial.decision_function(table) == whole.decision_function(table)).all(),
      partial.stopped_, "interrupted" in str(partial.summary_))
silva.save(partial, "boosted.silva")
print(silva.load("boosted.silva").stopped_)

for model in (
    silva.TreeClassifier(prune=silva.CostComplexity(cv=10, repeats=10**6)),
    silva.TreeClassifier(prune=silva.Auto(cv=2_000, repeats=1)),
):
    ended = interrupted(lambda: model.fit(table, labels))
    print(ended == "", hasattr(model, "partial_"))

fits = []
def loop():
    for seed in range(1_000):
        fits.append(silva.OptimalTreeClassifier(max_depth=5, time_limit=None))
        fits[-1].fit(table, labels)
interrupted(loop)
print(len(fits))
"""
)


def test_a_fit_is_raised_out_of_and_what_is_finished_is_a_fitted_model():
    assert [line.split(" ", 1)[1] for line in run(RAISES)] == ["True True True True True"] * 8


def test_a_fit_that_shall_keep_returns_with_one_warning():
    assert [line.split(" ", 1)[1] for line in run(KEEPS)] == ["True 1 False True"] * 8


def test_partial_models_go_on_and_loops_of_fits_end(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(CONTINUES) == [
        "True True True True",
        "True",
        "True",
        "True interrupted True",
        "interrupted",
        "True False",
        "True False",
        "1",
    ]


COMMANDS = (
    BEGIN
    + """
from silva.cli.main import run

rows = np.column_stack([table, labels])
np.savetxt("t.csv", rows, "%.9g", ",", header="a,b,c,d,e,f,y", comments="")
many = ["--set", "n_estimators=20000"]
for options in (
    ["--model", "forest", *many],
    ["--model", "adaboost", *many],
    ["--model", "optimal", "--depth", "6", "--time-limit", "600"],
    ["--model", "bagging", *many],
):
    print(interrupted(lambda: run(["fit", "t.csv", "-t", "y", "-o", "m.silva", *options]), 1.5),
          os.listdir())
"""
)


def test_the_command_line_ends_with_130_and_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(COMMANDS) == ["130 ['t.csv']"] * 4
