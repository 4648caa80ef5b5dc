"""`python -m benchmarks.large_data`: how time and memory of a fit grow with the table.

One thing varies at a time: rows, columns, classes, threads, filled cells of a sparse table. Every
fit runs in a process of its own, after a small one that loads all code; the figure is the best of
`--repeats`. The table of docs/large_data.md is what it prints, `--figure FILE` draws it.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.memory import give_back_free_memory, peak_bytes, reset_peak

PROJECT = Path(__file__).resolve().parents[1]
FOREST_TREES = 20
WIDE_ROWS, CLASS_ROWS, THREAD_ROWS = 2_000, 50_000, 500_000
SPARSE_SHAPE, SPARSE_DEPTH = (20_000, 5_000), 10


@dataclass(frozen=True)
class Fit:
    """A model and the table that it is fitted to; `filled` below 1 makes the table sparse."""

    model: str = "tree"
    rows: int = 100_000
    columns: int = 20
    classes: int = 2
    threads: int = 1
    filled: float = 1.0
    missing: float = 0.0

    @property
    def cells(self) -> int:
        return round(self.rows * self.columns * self.filled)


@dataclass(frozen=True)
class Cost:
    """Seconds and bytes of one fit: `peak` is what it needed at most, beyond the table."""

    cpu: float
    wall: float
    peak: int


def sweeps(most_threads: int) -> dict[str, list[Fit]]:
    """What varies, and the fits to compare."""
    threads = [n for n in (1, 2, 4, 8, 16, 32) if n <= most_threads]
    return {
        "rows": both(Fit(rows=n) for n in (10_000, 30_000, 100_000, 300_000, 1_000_000)),
        "columns": both(Fit(rows=WIDE_ROWS, columns=n) for n in (20, 100, 500, 2_000, 10_000)),
        "classes": both(Fit(rows=CLASS_ROWS, classes=n) for n in (2, 5, 20, 100)),
        "threads": both(Fit(rows=THREAD_ROWS, threads=n) for n in threads),
        "filled": both(sparse_fit(share) for share in (0.001, 0.003, 0.01, 0.03)),
        "missing": [replace(Fit("forest"), missing=share) for share in (0.0, 0.1, 0.5)],
    }


def sparse_fit(filled: float) -> Fit:
    """A fit to a sparse table."""
    n_rows, n_columns = SPARSE_SHAPE
    return Fit(rows=n_rows, columns=n_columns, filled=filled)


def both(fits: Any) -> list[Fit]:
    """The same for a tree and for a forest."""
    trees = list(fits)
    return trees + [replace(fit, model="forest") for fit in trees]


# ---- one fit --------------------------------------------------------------------------------


def table_of(fit: Fit) -> tuple[Any, np.ndarray]:
    """Columns and target."""
    if fit.filled < 1.0:
        return data.sparse_classes(fit.rows, fit.columns, fit.filled)
    X, y = data.two_classes(fit.rows, fit.columns)
    random = np.random.default_rng(1)
    if fit.classes > 2:
        noisy = data.signal(X) + 0.3 * random.standard_normal(fit.rows)
        y = np.argsort(np.argsort(noisy)) * fit.classes // fit.rows
    if fit.missing:
        X[random.random(X.shape) < fit.missing] = np.nan
    return X, y


def model_of(fit: Fit) -> Any:
    """The estimator, not yet fitted."""
    import silva

    depth = SPARSE_DEPTH if fit.filled < 1.0 and fit.model == "tree" else None
    if fit.model == "tree":
        return silva.TreeClassifier(max_depth=depth, n_jobs=fit.threads)
    return silva.ForestClassifier(n_estimators=FOREST_TREES, n_jobs=fit.threads, random_state=0)


def measure_here(fit: Fit) -> Cost:
    """Fit in this process, after a small fit of the same kind."""
    small = replace(fit, rows=max(200, 10 * fit.classes), columns=min(fit.columns, 50))
    model_of(small).fit(*table_of(small))
    X, y = table_of(fit)
    give_back_free_memory()
    before = reset_peak()
    wall, cpu = time.perf_counter(), time.process_time()
    model = model_of(fit).fit(X, y)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = peak_bytes() - before
    del model
    return Cost(cpu, wall, peak)


def measure_apart(fit: Fit) -> Cost:
    """The same in a process of its own."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.large_data"]
    command += ["--one", json.dumps(asdict(fit))]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the fit {fit} failed:\n{done.stderr}")
    return Cost(**json.loads(done.stdout.splitlines()[-1]))


def best_of(fit: Fit, repeats: int, measure: Callable[[Fit], Cost]) -> Cost:
    """The shortest times; the peak of the first run."""
    costs = [measure(fit) for _ in range(repeats)]
    return Cost(min(c.cpu for c in costs), min(c.wall for c in costs), costs[0].peak)


# ---- what is shown --------------------------------------------------------------------------

Costs = dict[str, list[tuple[Fit, Cost]]]


def varied(sweep: str, fit: Fit) -> float:
    """What differs between the fits of a sweep."""
    return getattr(fit, sweep)


def heading() -> str:
    """The first two lines of the table."""
    names = "varied", "model", "table", "seconds", "CPU seconds", "peak", "bytes a cell"
    return f"| {' | '.join(names)} |\n|{'---|' * len(names)}"


def line(sweep: str, fit: Fit, cost: Cost) -> str:
    """One fit as a line of the table."""
    table = f"{fit.rows:,} x {fit.columns:,}"
    value = varied(sweep, fit)
    shown = f"{value:.1%}" if isinstance(value, float) else f"{value:,}"
    return (
        f"| {sweep}: {shown} | {fit.model} | {table} | {cost.wall:.3f} | {cost.cpu:.3f} "
        f"| {cost.peak / 2**20:.1f} MiB | {cost.peak / fit.cells:.1f} |"
    )


PANELS = {
    "rows": ("rows", "seconds, 1 thread"),
    "columns": (f"columns ({WIDE_ROWS:,} rows)", "seconds, 1 thread"),
    "classes": (f"classes ({CLASS_ROWS:,} rows)", "seconds, 1 thread"),
    "threads": (f"threads ({THREAD_ROWS:,} rows)", "times one thread"),
    "filled": ("filled cells, 20,000 x 5,000", "seconds, 1 thread"),
    "memory": ("rows", "peak beyond the table, bytes a cell"),
}
LOOKS = {"tree": ("o-", "#1f5fa8"), "forest": ("s--", "#c2571a")}


def draw(costs: Costs, file: Path) -> None:
    """A panel for each thing that varies, and one for memory."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "silva", "svg.fonttype": "none"})
    from matplotlib import pyplot

    figure, grid = pyplot.subplots(2, 3, figsize=(11, 6), layout="constrained")
    for axes, (name, (x_label, y_label)) in zip(grid.flat, PANELS.items(), strict=True):
        axes.set(xlabel=x_label, ylabel=y_label, xscale="log")
        if name not in ("threads", "memory"):
            axes.set_yscale("log")
        for model, (style, color) in LOOKS.items():
            label = model if model == "tree" else f"forest of {FOREST_TREES}"
            axes.plot(*curve(costs, name, model), style, color=color, label=label, markersize=4)
        axes.grid(alpha=0.3)
    for axes in (grid[0, 0], grid[1, 0]):
        axes.legend(frameon=False)
    ticks = sorted({fit.threads for fit, _ in costs["threads"]})
    grid[1, 0].set_xticks(ticks, [str(n) for n in ticks])
    grid[1, 0].minorticks_off()
    figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None, dpi=110)


def curve(costs: Costs, panel: str, model: str) -> tuple[list[float], list[float]]:
    """The line of one model in one panel."""
    sweep = "rows" if panel == "memory" else panel
    found = [(fit, cost) for fit, cost in costs[sweep] if fit.model == model]
    x = [varied(sweep, fit) for fit, _ in found]
    if panel == "memory":
        return x, [cost.peak / fit.cells for fit, cost in found]
    if panel == "threads":
        return x, [found[0][1].wall / cost.wall for _, cost in found]
    return x, [cost.cpu for _, cost in found]


# ---- the command ----------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, draw the figure."""
    options = parser().parse_args(arguments)
    if options.one:
        print(json.dumps(asdict(measure_here(Fit(**json.loads(options.one))))))
        return 0
    costs: Costs = {}
    print(heading())
    for sweep, fits in sweeps(len(os.sched_getaffinity(0))).items():
        costs[sweep] = []
        for fit in fits:
            fit = replace(fit, rows=max(200, round(fit.rows * options.scale)))
            costs[sweep].append((fit, best_of(fit, options.repeats, measure_apart)))
            print(line(sweep, *costs[sweep][-1]), flush=True)
    if options.figure:
        draw(costs, options.figure)
    return 0


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(prog="python -m benchmarks.large_data", description=__doc__)
    made.add_argument("--repeats", type=int, default=2, help="runs of each fit (default 2)")
    made.add_argument("--scale", type=float, default=1.0, help="multiplies the rows (default 1)")
    made.add_argument("--figure", type=Path, help="draw the curves into this file")
    made.add_argument("--one", help=argparse.SUPPRESS)
    return made


if __name__ == "__main__":
    sys.exit(main())
