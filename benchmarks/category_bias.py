"""`python -m benchmarks.category_bias`: an identifier under each preset and under the default.

Trees are grown from tables whose target depends on a number and a town of four levels, without and
with a column of names that all differ. The table shows how often the name is the first question,
and the accuracy on fresh rows, whose names no tree has seen.
"""

import argparse
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

N_ROWS, FRESH_ROWS = 400, 2000
TOWNS = {"Bergen": 1.5, "Oslo": 0.5, "Rome": -0.5, "Ulm": -1.5}
MODELS: dict[str, dict[str, Any]] = {
    "ID3": {"plan": "ID3"},
    "C45": {"plan": "C45"},
    "CART": {"plan": "CART"},
    "default": {},
    "default, pruned": {"prune": "auto"},
}


class Shown(NamedTuple):
    """Accuracies without and with the name, and how often the name is the first question."""

    without: float
    named: float
    first: float


def main(arguments: Sequence[str] | None = None) -> int:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--repeats", type=int, default=40)
    options.add_argument("--figure", type=Path, metavar="FILE", help="draw bars (SVG, PNG)")
    chosen = options.parse_args(arguments)
    found = {model: shown(model, chosen.repeats) for model in MODELS}
    print(table(found))
    if chosen.figure:
        draw(found, chosen.figure)
    return 0


def drawn(n_rows: int, random: np.random.Generator) -> tuple[Any, np.ndarray]:
    """A frame with a number, a town and a name, and the classes."""
    import pandas as pd

    number, town = random.normal(size=n_rows), random.choice(list(TOWNS), n_rows)
    odds = 1.5 * number + np.array([TOWNS[one] for one in town])
    names = [f"person {code}" for code in random.choice(10**9, n_rows, replace=False)]
    labels = random.random(n_rows) < 1 / (1 + np.exp(-odds))
    return pd.DataFrame({"number": number, "town": town, "name": names}), labels


def shown(model: str, repeats: int) -> Shown:
    """Means over tables that differ by their seed only."""
    import silva

    scores = np.zeros((repeats, 3))
    for seed in range(repeats):
        random = np.random.default_rng(seed)
        (X, y), (X_test, y_test) = drawn(N_ROWS, random), drawn(FRESH_ROWS, random)
        tree = silva.TreeClassifier(**MODELS[model], random_state=seed)
        known = ["number", "town"]
        scores[seed, 0] = tree.fit(X[known], y).score(X_test[known], y_test)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", silva.DataWarning)
            scores[seed, 1] = tree.fit(X, y).score(X_test, y_test)
        scores[seed, 2] = first_question(tree) == "name"
    return Shown(*scores.mean(axis=0))


def first_question(model: Any) -> str | None:
    """The column of the root's split; None for a single leaf."""
    from silva.tree.splits import columns_of, split_of

    split = split_of(model.grown_tree_, 0)
    return None if split is None else model.grown_tree_.schema.names[columns_of(split)[0]]


def table(found: dict[str, Shown]) -> str:
    lines = [
        "| tree | accuracy without the name | with it | the name is asked first |",
        "|---|---|---|---|",
    ]
    for model, one in found.items():
        lines.append(f"| {model} | {one.without:.3f} | {one.named:.3f} | {one.first:.0%} |")
    return "\n".join(lines)


def draw(found: dict[str, Shown], path: Path) -> None:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "silva"
    figure = Figure(figsize=(6.4, 3.2), layout="constrained")
    axes = figure.subplots()
    places = np.arange(len(found))
    for shift, label, values in (
        (-0.2, "without the names", [one.without for one in found.values()]),
        (0.2, "with the names", [one.named for one in found.values()]),
    ):
        bars = axes.bar(places + shift, values, 0.38, label=label)
        axes.bar_label(bars, fmt="%.2f", fontsize=8)
    axes.set_xticks(places, list(found))
    axes.set_ylim(0, 1)
    axes.set_ylabel("accuracy on fresh rows")
    axes.set_title("A column of names that all differ", fontsize=10)
    axes.legend(loc="upper center", ncols=2, fontsize=8, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


if __name__ == "__main__":
    raise SystemExit(main())
