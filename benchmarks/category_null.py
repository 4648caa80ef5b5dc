"""`python -m benchmarks.category_null`: which column is chosen first if all of them are noise?

The columns are a number, categories of 2 to 500 levels and a unique identifier; the target (two
classes, five classes, or normal numbers) depends on none of them. The table shows how often each
column is the first split of a tree, and of the trees of forests, by the fair and the plain gain.
A fair comparison chooses each column equally often.
"""

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product, repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

LEVELS = (2, 5, 20, 100, 500)
COLUMNS = ("number", *(f"{count} levels" for count in LEVELS), "unique")
GAINS = ("fair", "plain")
MODELS = ("subset", "multiway", "forest")
TARGETS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "2 classes": lambda random, n_rows: random.integers(2, size=n_rows),
    "5 classes": lambda random, n_rows: random.integers(5, size=n_rows),
    "normal": lambda random, n_rows: random.normal(size=n_rows),
}
ROWS = (200, 1000, 5000)
MANY_ROWS, FEWER = 5000, 4
"""Tables of at least so many rows are repeated a quarter as often."""

FOREST_TREES = 10
SHOWN_ROWS, SHOWN_TARGET = 1000, "2 classes"
MANY_LEVELS = 20
"""Columns of at least so many levels must not be chosen more often than the number."""


@dataclass(frozen=True)
class Setting:
    """What is repeated: a model by a gain on tables of one size and kind of target."""

    n_rows: int
    target: str
    model: str
    gain: str


Shares = dict[Setting, np.ndarray]
"""How often each of `COLUMNS` is chosen."""

FirstSplits = Callable[[Setting, Any, np.ndarray, int], list[int]]


def main(arguments: Sequence[str] | None = None) -> int:
    options = checked(parser(), arguments)
    settings = [Setting(*one) for one in product(options.rows, TARGETS, options.models, GAINS)]
    shares = {}
    print(heading())
    for setting, found in counted(settings, options):
        shares[setting] = found
        print(line(setting, found), flush=True)
    if options.figure:
        draw(shares, options.figure)
    return 0


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--repeats", type=int, default=2000, help="tables of each setting")
    options.add_argument("--rows", type=int, nargs="+", default=list(ROWS))
    options.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    options.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    options.add_argument("--figure", type=Path, metavar="FILE", help="draw bars (SVG, PNG)")
    return options


def checked(
    options: argparse.ArgumentParser, arguments: Sequence[str] | None
) -> argparse.Namespace:
    """The parsed options; a figure needs the tables that it shows."""
    chosen = options.parse_args(arguments)
    if chosen.figure and SHOWN_ROWS not in chosen.rows:
        options.error(f"--figure shows tables of {SHOWN_ROWS} rows: add {SHOWN_ROWS} to --rows")
    return chosen


def counted(
    settings: Sequence[Setting], options: argparse.Namespace
) -> Iterator[tuple[Setting, np.ndarray]]:
    """Each setting with the shares of its columns; with several jobs each is a process."""
    if options.jobs == 1:
        yield from ((one, chosen_shares(one, options.repeats)) for one in settings)
        return
    with ProcessPoolExecutor(options.jobs, get_context("spawn")) as pool:
        found = pool.map(chosen_shares, settings, repeat(options.repeats))
        yield from zip(settings, found, strict=True)


def n_tables(setting: Setting, repeats: int) -> int:
    """A forest has several first splits, so it needs fewer tables; large tables take longer."""
    fewer = FEWER if setting.n_rows >= MANY_ROWS else 1
    trees = FOREST_TREES if setting.model == "forest" else 1
    return max(1, repeats // (fewer * trees))


def chosen_shares(
    setting: Setting, repeats: int, first_splits: FirstSplits | None = None
) -> np.ndarray:
    """The share of first splits on each column; both gains and all models see the same tables."""
    found: list[int] = []
    kind = list(TARGETS).index(setting.target)
    for number in range(n_tables(setting, repeats)):
        random = np.random.default_rng([number, setting.n_rows, kind])
        frame = noise(random, setting.n_rows)
        target = TARGETS[setting.target](random, setting.n_rows)
        seed = int(random.integers(2**31))
        found += (first_splits or silva_splits)(setting, frame, target, seed)
    chosen = [column for column in found if column >= 0]
    return np.bincount(chosen, minlength=len(COLUMNS)) / max(1, len(chosen))


def noise(random: np.random.Generator, n_rows: int) -> Any:
    """A frame of `COLUMNS`."""
    import pandas as pd

    codes = {f"{count} levels": random.integers(count, size=n_rows) for count in LEVELS}
    codes["unique"] = random.permutation(n_rows)
    texts = {name: pd.Categorical([f"l{code}" for code in one]) for name, one in codes.items()}
    return pd.DataFrame({"number": random.normal(size=n_rows), **texts})


def silva_splits(setting: Setting, frame: Any, target: np.ndarray, seed: int) -> list[int]:
    """The column of the first split in each tree; -1 in a tree without one."""
    import silva
    from silva.inspect.importance import split_columns

    ending = "Regressor" if setting.target == "normal" else "Classifier"
    choices: dict[str, Any] = {"max_depth": 1, "n_jobs": 1, "category_gain": setting.gain}
    if setting.model == "forest":
        choices |= {"n_estimators": FOREST_TREES, "max_features": "sqrt", "random_state": seed}
        kind = "Forest"
    else:
        choices["splits"] = setting.model
        kind = "Tree"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", silva.DataWarning)
        model = getattr(silva, kind + ending)(**choices).fit(frame, target)
    trees = model.estimators_ if setting.model == "forest" else [model]
    return [int(split_columns(tree.grown_tree_)[0]) for tree in trees]


def heading() -> str:
    names = ["rows", "target", "model", "gain", *COLUMNS, "20 or more levels"]
    return "| " + " | ".join(names) + " |\n" + "|---" * len(names) + "|"


def line(setting: Setting, shares: np.ndarray) -> str:
    cells = [f"{setting.n_rows:,}", setting.target, setting.model, setting.gain]
    cells += [f"{100 * share:.1f}" for share in shares]
    return "| " + " | ".join([*cells, verdict(shares)]) + " |"


def verdict(shares: np.ndarray) -> str:
    """Whether some column of many levels is chosen more often than the number."""
    wide = [at for at, count in enumerate((1, *LEVELS, np.inf)) if count >= MANY_LEVELS]
    worst = max(wide, key=lambda at: shares[at])
    if shares[worst] <= shares[0]:
        return "at most the number"
    return f"{COLUMNS[worst]} more often"


def draw(shares: Shares, file: Path) -> None:
    """Bars for each column by both gains, a panel for each model."""
    import matplotlib

    from silva.plot.canvas import GREY, new_figure, quiet

    matplotlib.rcParams.update({"svg.hashsalt": "silva", "svg.fonttype": "none"})
    models = [one for one in MODELS if Setting(SHOWN_ROWS, SHOWN_TARGET, one, "fair") in shares]
    figure = new_figure(8.0, 1.2 + 2.1 * len(models))
    rows = figure.subplots(len(models), 1, sharex=True, squeeze=False)[:, 0]
    for axes, model in zip(rows, models, strict=True):
        quiet(axes)
        bars(axes, shares, model)
        even = 100 / len(COLUMNS)
        axes.axhline(even, color=GREY, linestyle="--", linewidth=1, label="equal shares")
    rows[-1].set_xticks(range(len(COLUMNS)), COLUMNS)
    figure.legend(*rows[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    figure.suptitle(f"First split among columns of noise, {SHOWN_ROWS:,} rows, {SHOWN_TARGET}")
    figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None, dpi=120)


def bars(axes: Any, shares: Shares, model: str) -> None:
    """Two bars a column, the percentage above each."""
    from silva.plot.canvas import BLUE, ORANGE

    width = 0.4
    for number, (gain, colour) in enumerate(zip(GAINS, (BLUE, ORANGE), strict=True)):
        heights = 100 * shares[Setting(SHOWN_ROWS, SHOWN_TARGET, model, gain)]
        places = np.arange(len(COLUMNS)) + (number - 0.5) * width
        drawn = axes.bar(places, heights, width, color=colour, label=f'category_gain="{gain}"')
        axes.bar_label(drawn, fmt="%.0f", fontsize=8, padding=1)
    axes.set_ylim(0, 112)
    axes.set_ylabel("chosen, %")
    title = "trees of forests, subset splits" if model == "forest" else f"trees, {model} splits"
    axes.set_title(title, loc="left", fontsize=10)


if __name__ == "__main__":
    sys.exit(main())
