"""How often do a forest's prediction intervals cover new targets? Simulated, with known noise.

    python -m benchmarks.interval_study

The target is x0 + sin(2 x1) plus noise that is the same everywhere ("even"), or wide where x0 is
far from 0 ("uneven"); three more columns say nothing. For each method the table shows the share of
new rows that are covered, with its standard error over the repetitions, the mean width, and the
coverage of quiet rows (|x0| < 0.3) and of noisy ones (|x0| > 1.5).
"""

import argparse
import sys
from collections.abc import Sequence

import numpy as np

METHODS = ("oob", "quantile")
NEW_ROWS = 2000


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    print(f"coverage {options.coverage:g}, {options.trees} trees, {options.repeats} repetitions")
    print(f"{'noise':<8}{'rows':>6}{'leaf':>6}  {'method':<10}", end="")
    print(f"{'covered':>9}{'+-':>8}{'width':>8}{'quiet':>8}{'noisy':>8}")
    for noise in ("even", "uneven"):
        for n_rows in options.rows:
            for leaf in (1, 5):
                show(noise, n_rows, leaf, options)
    return 0


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--coverage", type=float, default=0.9)
    options.add_argument("--trees", type=int, default=100)
    options.add_argument("--repeats", type=int, default=6)
    options.add_argument("--rows", type=int, nargs="+", default=[200, 1000])
    return options


def show(noise: str, n_rows: int, leaf: int, options: argparse.Namespace) -> None:
    found = [covered(noise, n_rows, leaf, options, seed) for seed in range(options.repeats)]
    for number, method in enumerate(METHODS):
        figures = np.array([one[number] for one in found])
        error = figures[:, 0].std(ddof=1) / np.sqrt(len(figures))
        share, width, quiet, noisy = figures.mean(axis=0)
        print(f"{noise:<8}{n_rows:>6}{leaf:>6}  {method:<10}", end="")
        print(f"{share:>9.3f}{error:>8.3f}{width:>8.2f}{quiet:>8.2f}{noisy:>8.2f}", flush=True)


def covered(
    noise: str, n_rows: int, leaf: int, options: argparse.Namespace, seed: int
) -> list[tuple[float, float, float, float]]:
    """Coverage, mean width, coverage of quiet and noisy rows, for each method."""
    import silva

    random = np.random.default_rng(seed)
    (X, y), (new, truth) = simulated(random, n_rows, noise), simulated(random, NEW_ROWS, noise)
    model = silva.ForestRegressor(
        options.trees, max_features=2, min_samples_leaf=leaf, random_state=seed, n_jobs=-1
    )
    intervals = silva.interval_model(model.fit(X, y), X, y)
    quiet, noisy = np.abs(new[:, 0]) < 0.3, np.abs(new[:, 0]) > 1.5
    found = []
    for method in METHODS:
        low, high = intervals.predict_interval(new, options.coverage, method).T
        inside = (low <= truth) & (truth <= high)
        width = float((high - low).mean())
        found.append((inside.mean(), width, inside[quiet].mean(), inside[noisy].mean()))
    return found


def simulated(
    random: np.random.Generator, n_rows: int, noise: str
) -> tuple[np.ndarray, np.ndarray]:
    X = random.normal(size=(n_rows, 5))
    deviation = 0.5 if noise == "even" else 0.2 + np.abs(X[:, 0])
    return X, X[:, 0] + np.sin(2 * X[:, 1]) + deviation * random.normal(size=n_rows)


if __name__ == "__main__":
    sys.exit(main())
