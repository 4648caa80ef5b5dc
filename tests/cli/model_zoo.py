"""Saved models of every kind."""

from pathlib import Path

import pandas as pd

import silva

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
UNFITTED = {
    "tree": lambda: silva.TreeClassifier(),
    "stump": lambda: silva.StumpClassifier(),
    "forest": lambda: silva.ForestClassifier(4, random_state=0),
    "extra-trees": lambda: silva.ExtraTreesClassifier(4, random_state=0),
    "bagging": lambda: silva.BaggingClassifier(n_estimators=4, random_state=0),
    "adaboost": lambda: silva.AdaBoostClassifier(n_estimators=4),
    "optimal tree": lambda: silva.OptimalTreeClassifier(max_depth=2),
    "tree of numbers": lambda: silva.TreeRegressor(max_depth=3),
    "stump of numbers": lambda: silva.StumpRegressor(),
    "forest of numbers": lambda: silva.ForestRegressor(4, random_state=0),
    "extra-trees of numbers": lambda: silva.ExtraTreesRegressor(4, random_state=0),
    "bagging of numbers": lambda: silva.BaggingRegressor(n_estimators=4, random_state=0),
}
BARE = {"bare tree": "tree", "bare tree of numbers": "tree of numbers"}
KINDS = (*UNFITTED, *BARE)
ONE_TREE = tuple(kind for kind in KINDS if "tree" in kind.split() or "stump" in kind.split())


class Zoo:
    """Model files by kind. Classifiers predict `repaid`, the others `loan`."""

    table = str(EXAMPLES / "loans.csv")

    def __init__(self, folder):
        self._folder = folder
        rows = pd.read_csv(self.table)
        self.X, self.rows = rows.drop(columns=["repaid", "loan"]), rows
        self.models = {}
        for kind, make in UNFITTED.items():
            self.models[kind] = make().fit(self.X, rows[self.target(kind)])
        for kind, of in BARE.items():
            self.models[kind] = self.models[of].grown_tree_
        for kind, model in self.models.items():
            silva.save(model, self.path(kind))

    def path(self, kind):
        return str(self._folder / f"{kind.replace(' ', '_')}.silva")

    @staticmethod
    def target(kind):
        return "loan" if kind.endswith("numbers") else "repaid"
