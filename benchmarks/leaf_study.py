"""`python -m benchmarks.leaf_study`: linear leaves against constant ones, tree size by tree size.

The same tree (best-first, so many leaves) answers twice on rows that it has not seen: with the
mean or the Laplace shares of each leaf, and with `leaf="linear"`. The errors are those of a
10-fold cross-validation: the root mean squared error, or for classes the log loss. Regression must
be better at every size; the tables of classes are a look.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import DATA_FOLDER
from silva.data.bind import bind_classes, bind_numbers, bind_prediction, bind_training
from silva.data.table import Table, Target
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.leaf.answers import predict_shares, predict_values
from silva.leaf.choice import LinearLeaf
from silva.leaf.fit import fit_leaves
from silva.tree import route
from silva.tree.tree import Tree

FOLDS = 10
MOST_LEAVES = 30
NO_SPLIT = 2**40


@dataclass(frozen=True)
class Study:
    """A file, its target, and columns that are left out or are categories written as numbers."""

    file: str
    target: str
    task: str = "regression"
    dropped: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()


STUDIES = {
    "california": Study("california_housing.csv.gz", "medianHouseValue"),
    "abalone": Study("abalone.csv", "Rings"),
    "auto-mpg": Study("auto_mpg.csv", "mpg", dropped=("car_name",), categories=("origin",)),
    "pima": Study("pima_diabetes.csv", "class", "classification"),
    "wine-red": Study("wine_quality_red.csv", "quality", "classification"),
}


@dataclass(frozen=True)
class Result:
    """One line of the table: errors of both kinds of leaves, and the columns a model uses."""

    data: str
    leaves: int
    constant: float
    linear: float
    columns: float

    @property
    def better(self) -> bool:
        return self.linear < self.constant


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; the exit code is 1 when constant means were better at some size."""
    options = parser().parse_args(arguments)
    leaf = LinearLeaf(options.ridge, options.max_columns)
    sizes = [size for size in range(1, MOST_LEAVES + 1) if size in (options.sizes or [size])]
    print(f"{leaf}, {FOLDS}-fold cross-validation, seed {options.seed}")
    all_better = True
    for name in options.only or STUDIES:
        results = list(study(name, options.data, sizes, leaf, options.seed))
        print(table_of(results), flush=True)
        all_better &= is_look(name) or all(result.better for result in results)
    print("\nregression: " + ("better at every size" if all_better else "NOT better at every size"))
    return 0 if all_better else 1


def is_look(name: str) -> bool:
    return STUDIES[name].task == "classification"


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", nargs="+", choices=STUDIES, metavar="DATA")
    options.add_argument("--sizes", nargs="+", type=int, metavar="LEAVES")
    options.add_argument("--data", type=Path, default=DATA_FOLDER, metavar="DIR")
    options.add_argument("--seed", type=int, default=0, help="of the folds")
    options.add_argument("--ridge", type=float, default=LinearLeaf().ridge)
    options.add_argument("--max-columns", type=int, default=LinearLeaf().max_columns)
    return options


def study(
    name: str, folder: Path, sizes: Sequence[int], leaf: LinearLeaf, seed: int
) -> Iterator[Result]:
    """The cross-validated errors at each size."""
    frame, target = load(STUDIES[name], folder)
    fold = np.random.default_rng(seed).permutation(len(target)) % FOLDS
    parts = [split(STUDIES[name], frame, target, fold == number) for number in range(FOLDS)]
    for size in sizes:
        scores = np.array([score(STUDIES[name].task, size, leaf, *part) for part in parts])
        constant, linear, columns = scores.sum(axis=0) / [len(target), len(target), FOLDS]
        if STUDIES[name].task == "regression":
            constant, linear = np.sqrt([constant, linear])
        yield Result(name, size, constant, linear, columns)


def load(chosen: Study, folder: Path) -> tuple[Any, np.ndarray]:
    import pandas as pd

    path = folder / chosen.file
    if not path.exists():
        sys.exit(f"no file {chosen.file} in {folder}; give its folder with --data")
    frame = pd.read_csv(path, na_values="?").drop(columns=list(chosen.dropped))
    for column in chosen.categories:
        frame[column] = frame[column].astype("category")
    return frame.drop(columns=chosen.target), frame[chosen.target].to_numpy()


def split(
    chosen: Study, frame: Any, target: np.ndarray, held: np.ndarray
) -> tuple[Table, Target, Table, np.ndarray]:
    """Bound training rows, and bound held-out rows with their targets (or class codes)."""
    training = bind_training(frame[~held])
    tested = bind_prediction(frame[held], training.schema)
    if chosen.task == "regression":
        return training, bind_numbers(target[~held], None, training.n_rows), tested, target[held]
    known = bind_classes(target[~held], None, None, training.n_rows)
    return training, known, tested, np.searchsorted(known.classes, target[held])


def score(
    task: str,
    size: int,
    leaf: LinearLeaf,
    training: Table,
    target: Target,
    tested: Table,
    true: Any,
) -> tuple[float, float, float]:
    """The sum of losses of both kinds of leaves, and the mean number of columns of a model."""
    criterion = "squared_error" if task == "regression" else "gini"
    limit = {"max_leaf_nodes": size} if size > 1 else {"min_samples_split": NO_SPLIT}
    grown = grow(training, target, Plan(target.task, criterion, **limit))
    plain = fit_leaves(grown, training, target, "constant" if task == "regression" else "laplace")
    linear = fit_leaves(grown, training, target, leaf)
    used = float(np.diff(linear.linear.start).mean())
    return loss(plain, tested, true), loss(linear, tested, true), used


def loss(tree: Tree, tested: Table, true: np.ndarray) -> float:
    nodes = route.leaves(tree, tested)
    if tree.task == "regression":
        return float(np.square(predict_values(tree, nodes, tested) - true).sum())
    shares = predict_shares(tree, nodes, tested)
    return float(-np.log(shares[np.arange(len(true)), true]).sum())


def table_of(results: Sequence[Result]) -> str:
    lines = [f"\n{'data':<12}{'leaves':>7}{'constant':>14}{'linear':>14}{'ratio':>8}{'columns':>9}"]
    for one in results:
        ratio = one.linear / one.constant
        numbers = f"{one.constant:>14.6g}{one.linear:>14.6g}{ratio:>8.3f}{one.columns:>9.1f}"
        lines.append(f"{one.data:<12}{one.leaves:>7}{numbers}{'' if one.better else '  WORSE'}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
