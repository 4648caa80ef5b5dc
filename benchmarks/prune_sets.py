"""The tables of the pruning study, their outer folds and the two halves.

Columns that name a row or tell the outcome are left out, as the notes of the data ask. Large tables
are cut to a sample by a fixed seed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from benchmarks.raw_tables import LEFT_OUT
from benchmarks.rows import Skip

MOST_ROWS, FEW_ROWS, FOLDS = 2000, 1000, 5
SAMPLE_SEED = 20


@dataclass(frozen=True)
class StudySet:
    """A file, its target, what marks a missing cell, how the columns to leave out begin, and the
    columns of codes that are categories. `above` makes two classes of the target's numbers."""

    file: str
    target: str
    task: Literal["classification", "regression"] = "classification"
    missing: str = "?"
    dropped: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    above: float | None = None


def _numbers(file: str, target: str, **choices: Any) -> StudySet:
    return StudySet(file, target, "regression", **choices)


HEART_CODES = ("sex", "cp", "fbs", "restecg", "exang", "slope", "thal")
OTHER_CARBON_TARGETS = ("calculated_v", "calculated_w")
NAMES = ("PassengerId", "Name", "Ticket")

SETS = {
    "adult": StudySet("adult_train.csv.gz", "income"),
    "audiology": StudySet("audiology.csv", "class"),
    "avila": StudySet("continuous/contree-avila.csv.gz", "class"),
    "banknote": StudySet("continuous/contree-bank.csv", "class"),
    "breast": StudySet("breast_cancer_wisconsin.csv", "class", dropped=("id",)),
    "car": StudySet("car_evaluation.csv", "class"),
    "chess": StudySet("kr_vs_kp.csv.gz", "class"),
    "compas": StudySet("compas_two_years.csv.gz", "two_year_recid", missing="", dropped=LEFT_OUT),
    "covertype": StudySet("covertype.csv.gz", "Cover_Type"),
    "eeg": StudySet("continuous/contree-eeg.csv.gz", "class"),
    "fault": StudySet("continuous/contree-fault.csv.gz", "class"),
    "heart": StudySet("heart_cleveland.csv", "num", categories=HEART_CODES, above=0.0),
    "higgs": StudySet("higgs_first_5000.csv.gz", "class"),
    "letter": StudySet("letter_recognition.csv.gz", "lettr"),
    "mushroom": StudySet("mushroom.csv.gz", "class"),
    "page": StudySet("continuous/contree-page.csv.gz", "class"),
    "penguins": StudySet("penguins.csv", "species", missing=""),
    "pima": StudySet("pima_diabetes.csv", "class"),
    "rice": StudySet("continuous/contree-rice.csv.gz", "class"),
    "segment": StudySet("continuous/contree-segment.csv.gz", "class"),
    "soybean": StudySet("soybean_large.csv", "class"),
    "spambase": StudySet("spambase.csv.gz", "spam"),
    "tic-tac-toe": StudySet("tic_tac_toe.csv", "class"),
    "titanic": StudySet("titanic.csv", "Survived", missing="", dropped=NAMES),
    "votes": StudySet("house_votes_84.csv", "party"),
    "zoo": StudySet("zoo.csv", "type", dropped=("animal_name",)),
    "abalone": _numbers("abalone.csv", "Rings"),
    "auto-mpg": _numbers("auto_mpg.csv", "mpg", dropped=("car_name",), categories=("origin",)),
    "boston": _numbers("boston_housing.csv", "MEDV"),
    "california": _numbers("california_housing.csv.gz", "medianHouseValue"),
    "carbon": _numbers(
        "continuous/quantbnb-carbon.csv.gz", "calculated_u", dropped=OTHER_CARBON_TARGETS
    ),
    "enb-cool": _numbers("binarised/regr-enb-cool.csv", "Y2"),
    "enb-heat": _numbers("binarised/regr-enb-heat.csv", "Y1"),
    "insurance": _numbers("binarised/regr-insurance.csv", "charges"),
    "optical": _numbers("binarised/regr-optical.csv", "Channel Utilization"),
    "qsar": _numbers("continuous/quantbnb-qsar.csv", "LC50"),
    "query": _numbers("continuous/quantbnb-query1.csv.gz", "count"),
    "real-estate": _numbers("binarised/regr-real-estate.csv", "Y house price of unit area"),
    "servo": _numbers("binarised/regr-servo.csv", "class"),
    "wine-red": _numbers("wine_quality_red.csv", "quality"),
    "wine-white": _numbers("wine_quality_white.csv.gz", "quality"),
    "yacht": _numbers("binarised/regr-yacht.csv", "target"),
}


def half(name: str) -> int:
    """0 or 1: tables take turns in the order of their names, those of classes and of numbers apart.

    `auto` is chosen on half 0; half 1 is looked at once it is.
    """
    alike = sorted(other for other in SETS if SETS[other].task == SETS[name].task)
    return alike.index(name) % 2


@dataclass(frozen=True)
class Part:
    """The rows of one outer fold as frames, and what grows from the training rows."""

    task: str
    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray

    @cached_property
    def evidence(self) -> Any:
        """The bound training rows with a way to grow trees from them, each tree grown once."""
        from silva.data.bind import bind_classes, bind_numbers, bind_training
        from silva.prune.evidence import Evidence, Rows

        table = bind_training(self.X)
        if self.task == "regression":
            target = bind_numbers(self.y, None, table.n_rows)
        else:
            target = bind_classes(self.y, None, None, table.n_rows)
        grow = _Grower(Rows(table, target))
        return Evidence(table=table, target=target, grow=grow, regrow=grow)

    @cached_property
    def full(self) -> Any:
        """The tree of all training rows, not pruned."""
        return self.evidence.grow(np.arange(len(self.y)))

    def answers(self, tree: Any) -> np.ndarray:
        """What a tree answers to the rows held out."""
        from silva.data.bind import bind_prediction
        from silva.leaf.answers import predict_codes, predict_values
        from silva.tree import route

        table = bind_prediction(self.X_test, tree.schema)
        nodes = route.leaves(tree, table)
        if self.task == "regression":
            return predict_values(tree, nodes, table)
        return np.asarray(tree.classes)[predict_codes(tree, nodes, table)]

    def losses(self, answers: np.ndarray) -> np.ndarray:
        """One a row held out: wrong or not, or the squared error."""
        if self.task == "regression":
            return np.square(np.asarray(answers, float) - self.y_test)
        return np.asarray(answers != self.y_test, float)


class _Grower:
    """Grows silva's default trees; the same rows again give the tree of the first time."""

    def __init__(self, rows: Any) -> None:
        self.rows, self.grown = rows, {}

    def __call__(self, chosen: np.ndarray, min_samples_leaf: int = 1) -> Any:
        from silva.grow.grow import grow
        from silva.grow.plan import Plan
        from silva.prune.cross_validation import take

        key = (chosen.tobytes(), min_samples_leaf)
        if key not in self.grown:
            part = take(self.rows, chosen)
            task = part.target.task
            criterion = "gini" if task == "classification" else "squared_error"
            plan = Plan(task, criterion, min_samples_leaf=min_samples_leaf)
            self.grown[key] = grow(part.table, part.target, plan)
        return self.grown[key]


def read(folder: Path, name: str) -> tuple[Any, np.ndarray]:
    """The columns (text stays text) and the target: labels as text, or numbers."""
    return read_set(folder, SETS[name])


def read_set(folder: Path, chosen: StudySet) -> tuple[Any, np.ndarray]:
    """The same for a table that is not one of `SETS`, such as one that keeps its names."""
    import pandas as pd

    path = folder / chosen.file
    if not path.exists():
        raise Skip(f"no file {chosen.file} in {folder}; give its folder with --data")
    frame = pd.read_csv(path, na_values=[chosen.missing], keep_default_na=False)
    if len(frame) > MOST_ROWS:
        rows = np.random.default_rng(SAMPLE_SEED).choice(len(frame), MOST_ROWS, replace=False)
        frame = frame.iloc[np.sort(rows)].reset_index(drop=True)
    target = frame.pop(chosen.target)
    if chosen.above is not None:
        target = target > chosen.above
    frame = frame[[one for one in frame if not one.startswith(chosen.dropped)]].copy()
    for column in chosen.categories:
        frame[column] = frame[column].map(lambda code: f"code {code:g}", na_action="ignore")
    is_numbers = chosen.task == "regression"
    return frame, target.to_numpy(float) if is_numbers else target.astype(str).to_numpy()


def n_shuffles(n_rows: int, repeats: int) -> int:
    """Small tables are shuffled more often: their errors vary more and cost less."""
    return repeats if n_rows >= FEW_ROWS else 3 * repeats


def parts(name: str, frame: Any, target: np.ndarray, repeats: int) -> Iterator[Part]:
    """The outer folds, the same for every method."""
    from sklearn.model_selection import KFold, StratifiedKFold

    task = SETS[name].task
    dealer = KFold if task == "regression" else StratifiedKFold
    for seed in range(n_shuffles(len(target), repeats)):
        for train, test in dealer(FOLDS, shuffle=True, random_state=seed).split(frame, target):
            yield Part(task, frame.iloc[train], target[train], frame.iloc[test], target[test])
