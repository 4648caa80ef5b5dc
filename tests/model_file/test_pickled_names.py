"""Pickles name functions and classes by their modules: a name that moves breaks older pickles."""

import io
import pickle

import numpy as np

import silva

RNG = np.random.default_rng(0)
ROWS = RNG.random((60, 2))
TARGET = (ROWS[:, 0] + 0.3 * RNG.normal(size=60) > 0.5).astype(int)
HELD_OUT = {"X_val": ROWS[::3], "y_val": 1 - TARGET[::3]}
MODELS = [
    silva.TreeClassifier(prune="reduced_error"),
    silva.TreeRegressor(leaf="linear", max_depth=2),
    silva.ForestClassifier(30, oob_score=True, random_state=0),
    silva.BaggingRegressor(n_estimators=3, random_state=0),
    silva.AdaBoostClassifier(n_estimators=3),
    silva.OptimalTreeClassifier(max_depth=2),
]
NAMES = {
    "silva.ensemble.boosted.Boosted",
    "silva.ensemble.draws.ColumnDraws",
    "silva.ensemble.draws.RowDraws",
    "silva.ensemble.forest.Forest",
    "silva.ensemble.growth.Grown",
    "silva.ensemble.oob.Curve",
    "silva.ensemble.oob.Oob",
    "silva.ensemble.packed.loads",
    "silva.estimators.bagging.BaggingRegressor",
    "silva.estimators.base.Figures",
    "silva.estimators.boost.AdaBoostClassifier",
    "silva.estimators.boost.BoostFigures",
    "silva.estimators.classifier.StumpClassifier",
    "silva.estimators.classifier.TreeClassifier",
    "silva.estimators.forest.ForestClassifier",
    "silva.estimators.forest_base.Figures",
    "silva.estimators.forest_params.Start",
    "silva.estimators.optimal.OptimalTreeClassifier",
    "silva.estimators.regressor.TreeRegressor",
    "silva.inspect.summary.Comparison",
    "silva.optimal.report.Progress",
    "silva.optimal.report.SearchFacts",
    "silva.optimal.report.SearchReport",
    "silva.prune.record.Record",
    "silva.prune.record.Step",
    "silva.tree.store.loads",
}


class Watched(pickle.Unpickler):
    """Notes what it imports from silva."""

    def __init__(self, data):
        super().__init__(io.BytesIO(data))
        self.names = set()

    def find_class(self, module, name):
        if module.partition(".")[0] == "silva":
            self.names.add(f"{module}.{name}")
        return super().find_class(module, name)


def test_pickles_of_models_hold_these_names_and_no_others():
    found = set()
    for model in MODELS:
        watched = Watched(pickle.dumps(model.fit(ROWS, TARGET, **HELD_OUT)))
        watched.load()
        found |= watched.names
    assert found == NAMES
