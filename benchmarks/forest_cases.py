"""Forests of 100 full trees: time to fit with two threads, accuracy on rows held out."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from benchmarks import data
from benchmarks.fits import accuracy
from benchmarks.forest_peers import ForestWork, with_forests
from benchmarks.peers import Peer
from benchmarks.rows import Row, Target, times_row
from benchmarks.settings import Settings
from benchmarks.timing import take_turns

Peers = Mapping[str, Peer]
Parts = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
ROWS, HELD_ROWS, COLUMNS = 80_000, 20_000, 20
COVERTYPE_ROWS = 581_012
FOREST_TARGETS = {
    "scikit-learn": Target(">=", 12),
    "YDF exact": Target(">=", 6),
    "YDF discretised": Target(">=", 4),
    "XGBoost rf": Target(">=", 4),
    "LightGBM rf": Target(">", 1),
}


def forest(settings: Settings, peers: Peers) -> list[Row]:
    """100 trees of bootstrap samples, the square root of the columns at a node."""
    n_rows = settings.rows(ROWS)
    text = f"forest of 100 full trees, {n_rows:,} x {COLUMNS}, 2 classes, 2 threads"
    parts = made_classes(n_rows, settings.rows(HELD_ROWS))
    return compare("forest", text, ForestWork(), parts, FOREST_TARGETS, settings, peers)


def extra_trees(settings: Settings, peers: Peers) -> list[Row]:
    """100 trees of all rows with random thresholds."""
    n_rows = settings.rows(ROWS)
    text = f"100 extra-trees, {n_rows:,} x {COLUMNS}, 2 classes, 2 threads"
    parts = made_classes(n_rows, settings.rows(HELD_ROWS))
    targets = {"scikit-learn": Target(">=", 6)}
    return compare("extra_trees", text, ForestWork(extra=True), parts, targets, settings, peers)


def forest_covertype(settings: Settings, peers: Peers) -> list[Row]:
    """100 trees on 80% of covertype; one run each, it takes minutes.

    Beside scikit-learn, other peers run only where they are named: they take longer still.
    """
    X, y = data.covertype(settings.data_folder, settings.rows(COVERTYPE_ROWS))
    parts = data.split(X, np.unique(y, return_inverse=True)[1])
    text = f"forest of 100 full trees, covertype {len(parts[1]):,} x {X.shape[1]}, 2 threads"
    others = FOREST_TARGETS if settings.peers_named else ()
    targets = dict.fromkeys(others, Target(">", 1)) | {"scikit-learn": Target(">=", 10)}
    return compare("forest_covertype", text, ForestWork(), parts, targets, settings, peers, 1)


def compare(
    case: str,
    text: str,
    work: ForestWork,
    parts: Parts,
    targets: Mapping[str, Target],
    settings: Settings,
    peers: Peers,
    repeats: int | None = None,
) -> list[Row]:
    """One row a peer for the time, one for scikit-learn's accuracy beside silva's."""
    X, y, X_held, y_held = parts
    forests = {n: one for n, one in with_forests(peers).items() if n == "silva" or n in targets}
    runs = {name: partial(one.fit, X, y, work) for name, one in forests.items()}
    timings = take_turns(runs, repeats or settings.repeats)
    right = {
        name: accuracy(one.predict(timings[name].result, X_held), y_held)
        for name, one in forests.items()
    }
    ours, rows = timings["silva"], []
    for name in forests:
        if name == "silva":
            continue
        theirs = timings[name]
        note = f"held-out accuracy {right['silva']:.4f} / {right[name]:.4f}"
        note += f"; CPU s {ours.cpu:.2f} / {theirs.cpu:.2f} ({theirs.cpu / ours.cpu:.1f} times)"
        rows.append(
            times_row(case, text, "wall s", ours.wall, name, theirs.wall, targets[name], note)
        )
        points = round(100 * (right["silva"] - right[name]), 6)
        figures = right["silva"], name, right[name], points
        target = Target(">=", -0.2)
        rows.append(
            Row(case, "the same, held out", "accuracy", *figures, unit="points", target=target)
        )
    return rows


def made_classes(n_rows: int, n_held: int) -> Parts:
    """Ten informative columns of twenty, two classes, by scikit-learn's generator."""
    from sklearn.datasets import make_classification

    X, y = make_classification(
        n_samples=n_rows + n_held, n_features=COLUMNS, n_informative=10, random_state=0
    )
    X = X.astype(np.float32)
    return X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:]


CASES = (forest, extra_trees, forest_covertype)
