"""`python -m benchmarks.spambase`: the size of a tree for spam, on the split of the ESL book.

Trees grow from the 3,065 training rows and are pruned by several rules, each with ten seeds of the
folds; the 1,536 test rows are answered once a tree. `--plot FILE` draws the errors by size.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import silva
from benchmarks.data import DATA_FOLDER

SEEDS = 10
REPEATS = 10
BOOK_LEAVES, BOOK_ERROR = 17, 0.093

RULES = {
    "1 SE, one deal of 10 folds": lambda seed: silva.CostComplexity(seed=seed),
    "1 SE, ten deals": lambda seed: silva.CostComplexity(seed=seed, repeats=REPEATS),
    "1 SE by errors, ten deals": lambda seed: silva.CostComplexity(
        seed=seed, repeats=REPEATS, risk="error"
    ),
    "least error, ten deals": lambda seed: silva.CostComplexity(
        seed=seed, repeats=REPEATS, rule="min"
    ),
    "auto": lambda seed: silva.Auto(seed=seed),
    "17 leaves, optimal": lambda seed: silva.MaxLeaves(BOOK_LEAVES),
    "nothing": lambda seed: None,
}
WITHOUT_SEED = ("17 leaves, optimal", "nothing")


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    train, test = read(options.data)
    print("| grown by | pruned by | leaves, median (all) | test error in %, median (all) |")
    print("|---|---|---|---|")
    for criterion in ("gini", "entropy"):
        for rule in RULES:
            print(row(criterion, rule, train, test, options.seeds), flush=True)
    if options.plot:
        draw(train, test, options.plot)
    return 0


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=DATA_FOLDER, metavar="DIR")
    options.add_argument("--seeds", type=int, default=SEEDS)
    options.add_argument("--plot", type=Path, metavar="FILE")
    return options


def read(folder: Path) -> tuple[tuple[Any, np.ndarray], tuple[Any, np.ndarray]]:
    """Training and test rows of the book."""
    import pandas as pd

    table = pd.read_csv(folder / "spambase.csv.gz")
    labels = table.pop("spam").to_numpy()
    is_test = pd.read_csv(folder / "spambase_traintest.csv")["is_test"].to_numpy() == 1
    return (table[~is_test], labels[~is_test]), (table[is_test], labels[is_test])


def row(criterion: str, rule: str, train: tuple, test: tuple, n_seeds: int) -> str:
    seeds = range(1 if rule in WITHOUT_SEED else n_seeds)
    found = [fitted(criterion, RULES[rule](seed), train, test) for seed in seeds]
    leaves, errors = (list(one) for one in zip(*found, strict=True))
    sizes = " ".join(f"{one}" for one in sorted(leaves))
    rates = " ".join(f"{100 * one:.2f}" for one in sorted(errors))
    middle = f"{np.median(leaves):g} ({sizes}) | {100 * np.median(errors):.2f} ({rates})"
    return f"| {criterion} | {rule} | {middle} |"


def fitted(criterion: str, prune: Any, train: tuple, test: tuple) -> tuple[int, float]:
    model = silva.TreeClassifier(criterion=criterion, prune=prune).fit(*train)
    return model.get_n_leaves(), float(np.mean(model.predict(test[0]) != test[1]))


def draw(train: tuple, test: tuple, file: Path) -> None:
    """Errors by size of the tree grown by entropy, the test rows as validation rows."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams.update({"svg.hashsalt": "silva", "svg.fonttype": "none"})
    template = silva.TreeClassifier(criterion="entropy")
    path = silva.size_path(template, *train, X_val=test[0], y_val=test[1])
    figure = Figure(figsize=(7.5, 4.6), layout="constrained")
    axes = figure.subplots()
    silva.plot_size_path(path, axes=axes)
    axes.plot(BOOK_LEAVES, BOOK_ERROR, "k*", markersize=11, label="the book: 17 leaves, 9.3%")
    axes.set_title("Spam: training, cross-validated and test (validation) error")
    axes.legend()
    figure.savefig(file, metadata={"Date": None})


if __name__ == "__main__":
    sys.exit(main())
