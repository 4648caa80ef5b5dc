"""Does the out-of-bag error tell the error on new rows? Forests on public tables, split in two.

    python -m benchmarks.oob_study

Each table is split at random into training and held-out rows (half and half, at most 10,000
training rows), several times. The difference of the out-of-bag error and the held-out error is
measured against its own sampling error: both are means over finite sets of rows, so the difference
has the variance (variance of a training row's loss) / (training rows) + (variance of a held-out
row's loss) / (held-out rows). `z` is the difference in units of that error for each split; over
splits the table shows its mean and how many are beyond 2. Losses are wrong answers, or squared
errors.

The exit code is 1 when a table's mean difference is more than two standard errors of one split.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import DATA_FOLDER
from benchmarks.leaf_study import Study, load

MOST_TRAINING_ROWS = 10_000
WITHIN = 2.0

TABLES = {
    "adult": Study("adult_train.csv.gz", "income", "classification"),
    "spambase": Study("spambase.csv.gz", "spam", "classification"),
    "titanic": Study(
        "titanic.csv", "Survived", "classification", ("PassengerId", "Name", "Ticket", "Cabin")
    ),
    "pima": Study("pima_diabetes.csv", "class", "classification"),
    "letter": Study("letter_recognition.csv.gz", "lettr", "classification"),
    "soybean": Study("soybean_large.csv", "class", "classification"),
    "higgs": Study("higgs_first_5000.csv.gz", "class", "classification"),
    "wine-white": Study("wine_quality_white.csv.gz", "quality"),
    "abalone": Study("abalone.csv", "Rings"),
    "california": Study("california_housing.csv.gz", "medianHouseValue"),
    "auto-mpg": Study("auto_mpg.csv", "mpg", dropped=("car_name",), categories=("origin",)),
}


@dataclass(frozen=True)
class Result:
    """One table: mean errors over the splits, and z of each split."""

    data: str
    task: str
    rows: tuple[int, int]
    oob: float
    held_out: float
    error: float
    z: np.ndarray

    @property
    def within(self) -> bool:
        return abs(self.oob - self.held_out) <= WITHIN * self.error


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; the exit code is 1 when some out-of-bag error is off."""
    options = parser().parse_args(arguments)
    print(f"{options.trees} trees, {options.splits} splits, seed {options.seed}")
    print(heading(), flush=True)
    results = []
    for name in options.only or TABLES:
        results.append(study(name, options))
        print(line(results[-1]), flush=True)
    beyond = sum(int((np.abs(result.z) > WITHIN).sum()) for result in results)
    total = sum(len(result.z) for result in results)
    print(f"\n{beyond} of {total} splits beyond {WITHIN:g} sampling errors")
    return 0 if all(result.within for result in results) else 1


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--only", nargs="+", choices=TABLES, metavar="DATA")
    options.add_argument("--data", type=Path, default=DATA_FOLDER, metavar="DIR")
    options.add_argument("--trees", type=int, default=500)
    options.add_argument("--splits", type=int, default=3)
    options.add_argument("--seed", type=int, default=0, help="of the splits and forests")
    return options


def study(name: str, options: Any) -> Result:
    chosen = TABLES[name]
    frame, target = load(chosen, options.data)
    parts = [
        measured(chosen.task, frame, target, options, split) for split in range(options.splits)
    ]
    oob, held_out, error, trained, tested = np.array(parts).T
    return Result(
        data=name,
        task=chosen.task,
        rows=(int(trained[0]), int(tested[0])),
        oob=float(oob.mean()),
        held_out=float(held_out.mean()),
        error=float(np.sqrt(np.mean(error**2))),
        z=(oob - held_out) / error,
    )


def measured(
    task: str, frame: Any, target: np.ndarray, options: Any, split: int
) -> tuple[float, float, float, int, int]:
    """Out-of-bag error, held-out error, sampling error of their difference, numbers of rows."""
    import silva

    seed = options.seed + split
    order = np.random.default_rng(seed).permutation(len(target))
    n_training = min(MOST_TRAINING_ROWS, len(target) // 2)
    train, test = order[:n_training], order[n_training:]
    kind = silva.ForestClassifier if task == "classification" else silva.ForestRegressor
    more = {} if task == "classification" else {"max_features": 1 / 3}
    model = kind(options.trees, oob_score=True, random_state=seed, n_jobs=-1, **more)
    model.fit(frame.iloc[train], target[train])
    if task == "classification":
        told = model.classes_[model.oob_decision_function_.argmax(axis=1)]
        inside = (told != target[train]).astype(float)
        outside = (model.predict(frame.iloc[test]) != target[test]).astype(float)
    else:
        inside = (model.oob_prediction_ - target[train]) ** 2
        outside = (model.predict(frame.iloc[test]) - target[test]) ** 2
    inside = inside[model.oob_votes_ > 0]
    error = np.sqrt(inside.var(ddof=1) / len(inside) + outside.var(ddof=1) / len(outside))
    return float(inside.mean()), float(outside.mean()), float(error), len(inside), len(outside)


def heading() -> str:
    return (
        f"\n{'data':<12}{'training':>10}{'held-out':>10}{'OOB error':>12}{'held-out':>12}"
        f"{'difference':>12}{'its error':>11}{'mean z':>8}{'|z| > 2':>9}"
    )


def line(result: Result) -> str:
    difference = result.oob - result.held_out
    beyond = f"{int((np.abs(result.z) > WITHIN).sum())}/{len(result.z)}"
    mark = "" if result.within else "  OFF"
    return (
        f"{result.data:<12}{result.rows[0]:>10,}{result.rows[1]:>10,}{result.oob:>12.5g}"
        f"{result.held_out:>12.5g}{difference:>12.3g}{result.error:>11.3g}"
        f"{result.z.mean():>8.2f}{beyond:>9}{mark}"
    )


if __name__ == "__main__":
    sys.exit(main())
