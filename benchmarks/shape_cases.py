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
SHAPE_ROWS, SHAPE_TREES, CATEGORICAL, LEVELS = 80_000, 100, 5, 20
TIMES_AS_LONG = 1.6
SPARSE_TREES = 50


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


def forest_shapes(settings: Settings, peers: Peers) -> list[Row]:
    """The same forest with missing cells and with categories, beside numbers alone, two threads."""
    try:
        import pandas as pd
    except ImportError:
        raise Skip("pandas is not installed: pip install 'silva-trees[benchmark]'") from None
    X, y = data.two_classes(settings.rows(SHAPE_ROWS))
    holes = X.copy()
    holes[np.random.default_rng(1).random(X.shape) < HOLES] = np.nan
    frame = pd.DataFrame(X, columns=[f"x{c}" for c in range(X.shape[1])])
    for name in frame.columns[:CATEGORICAL]:
        places = frame[name].rank(method="first").to_numpy() * LEVELS // (len(y) + 1)
        frame[name] = pd.Categorical([f"level {place * 7 % LEVELS:.0f}" for place in places])
    ours, _ = makers("classification")
    tables = {"numbers": X, "missing": holes, "categories": frame}
    runs = {
        name: partial(lambda table: ours(SHAPE_TREES, n_jobs=2, random_state=0).fit(table, y), one)
        for name, one in tables.items()
    }
    timings = take_turns(runs, settings.repeats)
    plain = timings["numbers"].wall
    text = f"forest of {SHAPE_TREES}, {len(y):,} x 20"
    shapes = {
        "missing": f"{HOLES:.0%} of the cells missing",
        "categories": f"{CATEGORICAL} of 20 columns categorical of {LEVELS} levels",
    }
    target = Target(">=", round(1 / TIMES_AS_LONG, 3))
    return [
        times_row(
            "forest_shapes",
            f"{text}, {shape}, 2 threads",
            "wall s",
            timings[name].wall,
            "silva, numbers alone",
            plain,
            target,
            f"{timings[name].wall / plain:.2f} times as long",
        )
        for name, shape in shapes.items()
    ]


def sparse_forest(settings: Settings, peers: Peers) -> list[Row]:
    """A forest on a sparse matrix, one thread, one run."""
    X, y = data.sparse_classes(settings.rows(SPARSE_ROWS), SPARSE_COLUMNS, FILLED)
    text = f"forest of {SPARSE_TREES}, sparse {len(y):,} x {SPARSE_COLUMNS:,}, {FILLED:.0%} filled"
    runs = forests(peers, "classification", X, y, n_estimators=SPARSE_TREES, n_jobs=1)
    return forest_rows("sparse_forest", f"{text}, 1 thread", runs, 1, "cpu", Target(">=", 5))


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


CASES = (
    entropy,
    poisson,
    sparse,
    sparse_forest,
    default_regressor,
    forest_missing,
    forest_shapes,
    wide_forest,
)
