"""Accuracy on public tables as they come: text, categories and missing cells, nothing encoded.

Ten-fold cross-validation of three shuffles (one for tables of more than 20,000 rows), the same
folds and the same `min_samples_leaf` for all; scikit-learn gets what it needs (imputed numbers,
one-hot categories), YDF's CART keeps all rows for growing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.rows import Skip

FOLDS, SHUFFLES, LARGE_TABLE = 10, 3, 20_000
LEFT_OUT = ("id", "r_", "vr_", "is_recid", "is_violent", "violent_recid", "start", "end", "event")


@dataclass(frozen=True, slots=True)
class RawTable:
    """A file, its target, the mark of a missing cell, how the columns to leave out begin."""

    file: str
    target: str
    missing: tuple[str, ...] = ("?",)
    dropped: tuple[str, ...] = ()


TABLES = {
    "adult": RawTable("adult_train.csv.gz", "income"),
    "mushroom": RawTable("mushroom.csv.gz", "class"),
    "car": RawTable("car_evaluation.csv", "class"),
    "house votes": RawTable("house_votes_84.csv", "party"),
    "soybean": RawTable("soybean_large.csv", "class"),
    "audiology": RawTable("audiology.csv", "class"),
    "titanic": RawTable("titanic.csv", "Survived", ("",), ("PassengerId", "Name", "Ticket")),
    "compas": RawTable("compas_two_years.csv.gz", "two_year_recid", ("",), LEFT_OUT),
}


def read(folder: Path, table: RawTable) -> tuple[Any, np.ndarray]:
    """The columns as a pandas frame (text stays text) and the labels."""
    import pandas as pd

    path = folder / table.file
    if not path.exists():
        raise Skip(f"no file {table.file} in the data folder; give its folder with --data")
    frame = pd.read_csv(path, na_values=list(table.missing), keep_default_na=False)
    labels = frame.pop(table.target).astype(str).to_numpy()
    return frame[[name for name in frame if not name.startswith(table.dropped)]], labels


def silva_tree(leaf_rows, X, y, X_test):
    """silva's defaults on the raw frame."""
    import silva

    model = silva.TreeClassifier(min_samples_leaf=leaf_rows).fit(X, y)
    return model.predict(X_test), model.get_n_leaves()


def one_hot_tree(leaf_rows, X, y, X_test):
    """scikit-learn's tree after imputing numbers and encoding text."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeClassifier

    text = make_pipeline(
        SimpleImputer(strategy="constant", fill_value="missing"),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    )
    numbers = make_column_selector(dtype_include="number")
    others = make_column_selector(dtype_exclude="number")
    columns = make_column_transformer((SimpleImputer(strategy="median"), numbers), (text, others))
    tree = DecisionTreeClassifier(min_samples_leaf=leaf_rows, random_state=0)
    model = make_pipeline(columns, tree).fit(X, y)
    return model.predict(X_test), model[-1].get_n_leaves()


def ydf_tree(leaf_rows, X, y, X_test):
    """YDF's CART on the raw frame; no rows kept back, so nothing is pruned."""
    import ydf

    ydf.verbose(0)
    names = {name: f"c{i}" for i, name in enumerate(X.columns)}
    train, test = X.rename(columns=names), X_test.rename(columns=names)
    learner = ydf.CartLearner(
        label="label", validation_ratio=0.0, max_depth=-1, min_examples=leaf_rows, num_threads=1
    )
    model = learner.train(train.assign(label=y))
    return model.predict_class(test), (model.num_nodes() + 1) // 2


METHODS: dict[str, Callable] = {
    "silva": silva_tree,
    "scikit-learn": one_hot_tree,
    "YDF": ydf_tree,
}


@dataclass(frozen=True, slots=True)
class Score:
    """Accuracies by shuffle and fold, and the mean number of leaves."""

    accuracies: np.ndarray
    leaves: float

    @property
    def mean(self) -> float:
        return float(self.accuracies.mean())

    @property
    def error(self) -> float:
        """The standard error of the mean over ten folds, averaged over the shuffles."""
        return float(self.accuracies.std(axis=1, ddof=1).mean() / np.sqrt(FOLDS))


def cross_validate(method: Callable, leaf_rows: int, X: Any, y: np.ndarray) -> Score:
    """Accuracy of a method in each fold; all methods get the same folds."""
    from sklearn.model_selection import StratifiedKFold

    accuracies, leaves = [], []
    for seed in range(1 if len(y) > LARGE_TABLE else SHUFFLES):
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
        for train, test in folds.split(X, y):
            predicted, size = method(leaf_rows, X.iloc[train], y[train], X.iloc[test])
            accuracies.append(float(np.mean(predicted == y[test])))
            leaves.append(size)
    return Score(np.reshape(accuracies, (-1, FOLDS)), float(np.mean(leaves)))


def mean_ranks(scores: list[dict[str, Score]]) -> dict[str, float]:
    """The mean rank of each method over the tables, 1 for the best; equals share their ranks."""
    from scipy.stats import rankdata

    methods = list(scores[0])
    ranks = [rankdata([-round(score[name].mean, 6) for name in methods]) for score in scores]
    return dict(zip(methods, np.mean(ranks, axis=0).tolist(), strict=True))
