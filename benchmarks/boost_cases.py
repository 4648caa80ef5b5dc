"""AdaBoost: the same stumps as scikit-learn's, and sooner; so are their answers."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import make_classification

from benchmarks.peers import Peer, stands_in
from benchmarks.rows import Row, Target, times_row
from benchmarks.settings import Settings
from benchmarks.timing import short_calls, take_turns

ROWS, NEW_ROWS, COLUMNS, INFORMATIVE, STUMPS = 80_000, 200_000, 20, 8, 200


def adaboost(settings: Settings, peers: Mapping[str, Peer]) -> list[Row]:
    """Boosted stumps, one thread each, CPU seconds; the training error must be the same."""
    if "scikit-learn" not in peers:
        return []
    n_rows = settings.rows(ROWS)
    X, y = make_classification(n_rows, COLUMNS, n_informative=INFORMATIVE, random_state=0)
    fit_peer = peer_fit(peers)
    runs = {"silva": partial(_fit, X, y), "scikit-learn": partial(fit_peer, X, y)}
    ours, theirs = take_turns(runs, settings.repeats).values()
    errors = [_error(run.result, X, y) for run in (ours, theirs)]
    note = f"training error {errors[0]:.4%} / {errors[1]:.4%}"
    text = f"AdaBoost, {STUMPS} stumps, {n_rows:,} x {COLUMNS}, 2 classes, 1 thread"
    target = Target(">=", 20)
    row = times_row("adaboost", text, "CPU s", ours.cpu, "scikit-learn", theirs.cpu, target, note)
    return [row, _error_row(text, *errors)]


def adaboost_predict(settings: Settings, peers: Mapping[str, Peer]) -> list[Row]:
    """Classes of many rows (CPU seconds) and of one (microseconds) by boosted stumps."""
    if "scikit-learn" not in peers:
        return []
    n_rows = settings.rows(NEW_ROWS)
    n_all = n_rows + settings.rows(ROWS)
    X, y = make_classification(n_all, COLUMNS, n_informative=INFORMATIVE, random_state=0)
    ours, theirs = (fit(X[n_rows:], y[n_rows:]) for fit in (_fit, peer_fit(peers)))
    many, one = X[:n_rows], X[:1]
    runs = {"silva": partial(ours.predict, many), "scikit-learn": partial(theirs.predict, many)}
    timings = take_turns(runs, settings.repeats)
    text = f"AdaBoost, {STUMPS} stumps, predict"
    row = partial(times_row, "adaboost_predict", peer="scikit-learn", target=Target(">=", 1))
    cpu = [timings[name].cpu for name in ("silva", "scikit-learn")]
    short = short_calls({"silva": partial(ours.predict, one)}, 200, 10)["silva"]
    long = short_calls({"scikit-learn": partial(theirs.predict, one)}, 2, 5)["scikit-learn"]
    return [
        row(f"{text} {n_rows:,} rows, 1 thread", "CPU s", cpu[0], theirs=cpu[1]),
        row(f"{text} one row", "us", short, theirs=long),
    ]


def _error_row(text: str, ours: float, theirs: float) -> Row:
    """The training errors, in points of silva's over theirs."""
    points = 100 * (ours - theirs)
    figures = ("error", ours, "scikit-learn", theirs, points, "points")
    return Row("adaboost", f"{text}: training error", *figures, Target("<=", 0.005))


def _fit(X: np.ndarray, y: np.ndarray) -> Any:
    from silva import AdaBoostClassifier

    return AdaBoostClassifier(n_estimators=STUMPS).fit(X, y)


def peer_fit(peers: Mapping[str, Peer]) -> Callable[[np.ndarray, np.ndarray], Any]:
    """scikit-learn's fit, or silva's in its place."""
    return _fit if stands_in(peers, "scikit-learn") else _fit_peer


def _fit_peer(X: np.ndarray, y: np.ndarray) -> Any:
    from sklearn.ensemble import AdaBoostClassifier

    return AdaBoostClassifier(n_estimators=STUMPS, random_state=0).fit(X, y)


def _error(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    return 1.0 - model.score(X, y)


CASES = (adaboost, adaboost_predict)
