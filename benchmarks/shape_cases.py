"""Other criteria and other shapes of tables, beside scikit-learn: defaults, holes, wide, sparse."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.fits import Contest, compare_fits
from benchmarks.peers import Peer, Work, stands_in
from benchmarks.rows import Row, Skip, Target, times_row
from benchmarks.settings import Settings
from benchmarks.timing import take_turns

Peers = Mapping[str, Peer]
PEER = "scikit-learn"
CRITERION_ROWS, POISSON_DEPTH = 50_000, 12
SPARSE_ROWS, SPARSE_COLUMNS, FILLED, SPARSE_DEPTH = 20_000, 5_000, 0.01, 10
FOREST_ROWS, HOLES, HOLES_TREES = 40_000, 0.1, 40
WIDE_ROWS, WIDE_COLUMNS, WIDE_TREES = 2_000, 5_000, 50


def entropy(settings: Settings, peers: Peers) -> list[Row]:
    """Full tree by entropy, one thread."""
    X, y = data.two_classes(settings.rows(CRITERION_ROWS))
    text = f"full tree by entropy, {len(y):,} x 20, 2 classes, 1 thread"
    targets = {PEER: Target(">=", 15)}
    contest = Contest("entropy", text, Work(criterion="entropy"), X, y, targets)
    return compare_fits(contest, settings, peers)


def poisson(settings: Settings, peers: Peers) -> list[Row]:
    """Tree of depth 12 for counts by Poisson deviance, one thread."""
    X, y = data.counts(settings.rows(CRITERION_ROWS))
    text = f"Poisson, depth {POISSON_DEPTH}, {len(y):,} x 20, 1 thread"
    work = Work(task="regression", max_depth=POISSON_DEPTH, criterion="poisson")
    contest = Contest("poisson", text, work, X, y, {PEER: Target(">=", 8)})
    return compare_fits(contest, settings, peers)


def sparse(settings: Settings, peers: Peers) -> list[Row]:
    """Tree of depth 10 on a sparse matrix, one thread."""
    X, y = data.sparse_classes(settings.rows(SPARSE_ROWS), SPARSE_COLUMNS, FILLED)
    text = f"depth {SPARSE_DEPTH}, sparse {len(y):,} x {SPARSE_COLUMNS:,}, {FILLED:.0%} filled"
    work = Work(max_depth=SPARSE_DEPTH)
    contest = Contest("sparse", f"{text}, 1 thread", work, X, y, {PEER: Target(">=", 5)})
    return compare_fits(contest, settings, peers)


def default_regressor(settings: Settings, peers: Peers) -> list[Row]:
    """A forest of numbers with every default but the threads; one run each, it takes minutes."""
    X, y = data.numbers(settings.rows(FOREST_ROWS))
    text = f"default ForestRegressor, {len(y):,} x 20, 2 threads"
    runs = forests(peers, "regression", X, y, n_jobs=2)
    return forest_rows("default_regressor", text, runs, 1, "wall", Target(">=", 10))


def forest_missing(settings: Settings, peers: Peers) -> list[Row]:
    """A forest where a tenth of the cells is missing."""
    X, y = data.two_classes(settings.rows(FOREST_ROWS))
    X[np.random.default_rng(1).random(X.shape) < HOLES] = np.nan
    text = f"forest of {HOLES_TREES}, {len(y):,} x 20, {HOLES:.0%} of the cells missing, 2 threads"
    runs = forests(peers, "classification", X, y, n_estimators=HOLES_TREES, n_jobs=2)
    return forest_rows("forest_missing", text, runs, settings.repeats, "wall", Target(">=", 8))


def wide_forest(settings: Settings, peers: Peers) -> list[Row]:
    """A forest of many more columns than rows, one thread."""
    X, y = data.two_classes(settings.rows(WIDE_ROWS), WIDE_COLUMNS)
    text = f"forest of {WIDE_TREES}, {len(y):,} x {WIDE_COLUMNS:,}, 1 thread"
    runs = forests(peers, "classification", X, y, n_estimators=WIDE_TREES, n_jobs=1)
    return forest_rows("wide_forest", text, runs, settings.repeats, "cpu", Target(">=", 5))


def forests(
    peers: Peers, task: str, X: np.ndarray, y: np.ndarray, **choices: Any
) -> dict[str, Callable[[], Any]]:
    """The fit of each library's own estimator, with these parameters."""
    if PEER not in peers:
        raise Skip(f"{PEER} is not among the peers")
    ours, theirs = makers(task)
    if stands_in(peers, PEER):
        theirs = ours
    made = {"silva": ours, PEER: theirs}
    return {
        name: partial(lambda make: make(random_state=0, **choices).fit(X, y), make)
        for name, make in made.items()
    }


def makers(task: str) -> tuple[Any, Any]:
    """The forest estimators of silva and of scikit-learn."""
    from sklearn import ensemble

    import silva

    if task == "regression":
        return silva.ForestRegressor, ensemble.RandomForestRegressor
    return silva.ForestClassifier, ensemble.RandomForestClassifier


def forest_rows(
    case: str,
    text: str,
    runs: Mapping[str, Callable[[], Any]],
    repeats: int,
    clock: str,
    target: Target,
) -> list[Row]:
    """The row of the two fits by the clock "wall" or "cpu", with the other one beside it."""
    timings = take_turns(runs, repeats)
    ours, theirs = timings["silva"], timings[PEER]
    other = "cpu" if clock == "wall" else "wall"
    names = {"wall": "wall s", "cpu": "CPU s"}
    note = f"{names[other]} {getattr(ours, other):.2f} / {getattr(theirs, other):.2f}"
    times = getattr(ours, clock), PEER, getattr(theirs, clock)
    return [times_row(case, text, names[clock], *times, target, note)]


CASES = (entropy, poisson, sparse, default_regressor, forest_missing, wide_forest)
