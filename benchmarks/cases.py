"""The cases: one function for each row of the table of targets, in its order."""

import math
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from sklearn.datasets import load_iris

from benchmarks import (
    boost_cases,
    category_cases,
    data,
    forest_cases,
    forest_predict_cases,
    pruning_cases,
    shape_cases,
    thread_cases,
)
from benchmarks.fits import Contest, accuracy, compare_fits, mean_depth
from benchmarks.memory import measure_apart
from benchmarks.peers import Peer, Work
from benchmarks.rows import Row, Skip, Target, times_row
from benchmarks.settings import Settings
from benchmarks.timing import Timing, short_calls, take_turns, usable_cpus

Peers = Mapping[str, Peer]
FASTER = Target(">", 1)
NOT_SLOWER = Target(">=", 1)
COVERTYPE_ROWS = 581_012
MEMORY_ROWS, MEMORY_COLUMNS, MEMORY_PEER_DEPTH = 1_000_000, 50, 3
GROWTH_ROWS = (100_000, 200_000, 400_000, 800_000, 1_600_000)
IRIS_CALLS = {"fit on iris": 20, "predict one row of iris": 200}
IRIS_ROUNDS = 15  # blocks of calls for each repeat; the best block counts


def full_tree(settings: Settings, peers: Peers) -> list[Row]:
    """Full exact tree, two classes, one thread each."""
    n_rows = settings.rows(80_000)
    X, y = data.two_classes(n_rows)
    targets = {"scikit-learn": Target(">=", 20), "YDF": Target(">=", 6)}
    text = f"full tree, {n_rows:,} x 20, 2 classes, 1 thread"
    return compare_fits(Contest("full_tree", text, Work(), X, y, targets), settings, peers)


def two_threads(settings: Settings, peers: Peers) -> list[Row]:
    """The same tree with two threads against silva's own one thread."""
    if usable_cpus() < 2:
        raise Skip("needs 2 CPUs; this process may use 1")
    n_rows = settings.rows(80_000)
    X, y = data.two_classes(n_rows)
    fit = peers["silva"].fit
    runs = {n: partial(fit, X, y, Work(threads=n)) for n in (1, 2)}
    one, two = take_turns(runs, settings.short_repeats).values()
    text = f"full tree, {n_rows:,} x 20, 2 classes, 2 threads"
    note = f"CPU s {two.cpu:.3f} / {one.cpu:.3f}"
    rival, target = "silva, 1 thread", Target(">=", 1.6)
    return [times_row("two_threads", text, "wall s", two.wall, rival, one.wall, target, note)]


def covertype(settings: Settings, peers: Peers) -> list[Row]:
    """Full exact tree on covertype; then accuracy on rows held out from a second, untimed fit."""
    X, y = data.covertype(settings.data_folder, settings.rows(COVERTYPE_ROWS))
    text = f"full tree, covertype {len(y):,} x {X.shape[1]}, 7 classes, 1 thread"
    targets = {"scikit-learn": Target(">=", 10), "YDF": None}
    timed = compare_fits(Contest("covertype", text, Work(), X, y, targets), settings, peers)
    return timed + covertype_accuracy(peers, X, y)


def covertype_accuracy(peers: Peers, X: np.ndarray, y: np.ndarray) -> list[Row]:
    """Accuracy on the training rows and on the held-out rows, in points of silva's over theirs."""
    if "scikit-learn" not in peers:
        return []
    parts = data.split(X, y)
    ours = both_accuracies(peers["silva"], *parts)
    theirs = both_accuracies(peers["scikit-learn"], *parts)
    targets = {"training": Target(">=", 0), "held-out": Target(">=", -0.3)}
    return [
        accuracy_row(name, ours[i], theirs[i], target)
        for i, (name, target) in enumerate(targets.items())
    ]


def both_accuracies(peer: Peer, X, y, X_held, y_held) -> tuple[float, float]:
    """On the rows trained on and on the rows held out."""
    model = peer.fit(X, y, Work())
    return accuracy(peer.predict(model, X), y), accuracy(peer.predict(model, X_held), y_held)


def accuracy_row(name: str, ours: float, theirs: float, target: Target) -> Row:
    """One accuracy beside scikit-learn's."""
    points = round(100 * (ours - theirs), 6)
    text = f"covertype, 80% of the rows, {name} accuracy"
    figures = ours, "scikit-learn", theirs, points
    return Row("covertype", text, "accuracy", *figures, unit="points", target=target)


def regression(settings: Settings, peers: Peers) -> list[Row]:
    """Full regression tree, one thread each."""
    n_rows = settings.rows(100_000)
    X, y = data.numbers(n_rows)
    targets = {"scikit-learn": Target(">=", 15), "YDF": None}
    text = f"full regression tree, {n_rows:,} x 20, 1 thread"
    work = Work(task="regression")
    return compare_fits(Contest("regression", text, work, X, y, targets), settings, peers)


def shallow(settings: Settings, peers: Peers) -> list[Row]:
    """Depth-8 tree with two threads against one histogram tree of the same depth."""
    n_rows = settings.rows(80_000)
    X, y = data.two_classes(n_rows)
    targets = {"LightGBM": FASTER, "XGBoost hist": FASTER, "XGBoost exact": None}
    targets["scikit-learn"] = None
    text = f"depth 8, {n_rows:,} x 20, 2 threads"
    work = Work(max_depth=8, threads=2)
    return compare_fits(Contest("shallow", text, work, X, y, targets), settings, peers)


def shallow_million(settings: Settings, peers: Peers) -> list[Row]:
    """Depth-8 tree on a million rows, with one thread each and with two threads each."""
    n_rows = settings.rows(1_000_000)
    X, y = data.two_classes(n_rows)
    targets = dict.fromkeys(("LightGBM", "XGBoost hist", "XGBoost exact"), FASTER)
    rows = []
    for threads, name in ((1, "1 thread"), (2, "2 threads")):
        text = f"depth 8, {n_rows:,} x 20, {name}"
        work = Work(max_depth=8, threads=threads)
        contest = Contest("shallow_million", text, work, X, y, targets)
        rows += compare_fits(contest, settings, peers)
    return rows


def iris(settings: Settings, peers: Peers) -> list[Row]:
    """Microseconds of a fit on iris, and of predicting one row of it."""
    X, y = load_iris(return_X_y=True)
    names = [name for name in ("silva", "scikit-learn") if name in peers]
    models = {name: peers[name].fit(X, y, Work()) for name in names}
    runs = {
        "fit on iris": {name: partial(peers[name].fit, X, y, Work()) for name in names},
        "predict one row of iris": {name: partial(models[name].predict, X[:1]) for name in names},
    }
    return [row for text, pair in runs.items() for row in iris_rows(settings, text, pair)]


def iris_rows(settings: Settings, text: str, runs: Mapping[str, Callable]) -> list[Row]:
    """The row of one kind of short call; none when scikit-learn is not there."""
    times = short_calls(runs, IRIS_CALLS[text], IRIS_ROUNDS * settings.repeats)
    ours = times.pop("silva")
    return [
        times_row("iris", text, "us", ours, peer, theirs, NOT_SLOWER)
        for peer, theirs in times.items()
    ]


def predict(settings: Settings, peers: Peers) -> list[Row]:
    """Predict a million new rows with the full tree of 80,000 noisy ones, one thread, then two."""
    if "scikit-learn" not in peers:
        raise Skip("scikit-learn is not among the peers")
    trained = data.two_classes(settings.rows(80_000), noise=0.1)
    X, _ = data.two_classes(settings.rows(1_000_000), seed=1)
    ours, ours_two = (peers["silva"].fit(*trained, Work(threads=n)) for n in (1, 2))
    theirs = peers["scikit-learn"].fit(*trained, Work())
    models = {"silva": ours, "silva, 2 threads": ours_two, "scikit-learn": theirs}
    runs = {name: partial(model.predict, X) for name, model in models.items()}
    times = take_turns(runs, settings.short_repeats)
    note = f"mean depth {mean_depth(ours.tree_):.1f} / {mean_depth(theirs.tree_):.1f}"
    note += f"; leaves {ours.get_n_leaves():,} / {theirs.get_n_leaves():,}"
    agreement = accuracy(times["silva"].result, times["scikit-learn"].result)
    note += f"; same label for {agreement:.2%}"
    return predict_rows(len(X), times, note)


def predict_rows(n_rows: int, times: Mapping[str, Timing], note: str) -> list[Row]:
    """One thread by CPU time with the target; two threads by wall time, for information."""
    one, two, theirs = times["silva"], times["silva, 2 threads"], times["scikit-learn"]
    row = partial(times_row, "predict", peer="scikit-learn")
    text, target = f"predict {n_rows:,} rows", Target(">=", 5)
    return [
        row(f"{text}, 1 thread", "CPU s", one.cpu, theirs=theirs.cpu, target=target, note=note),
        row(f"{text}, 2 threads", "wall s", two.wall, theirs=theirs.wall),
    ]


def memory(settings: Settings, peers: Peers) -> list[Row]:
    """Peak memory of a fit beyond the input, in bytes a cell, each fit in its own process."""
    n_rows = settings.rows(MEMORY_ROWS)
    theirs = None
    if "scikit-learn" in peers:
        theirs = bytes_a_cell("scikit-learn", n_rows, Work(max_depth=MEMORY_PEER_DEPTH))
    text = f"peak memory, full tree, {n_rows:,} x {MEMORY_COLUMNS}"
    return [memory_row(text, n_rows, threads, theirs) for threads in (1, 2)]


def memory_row(text: str, n_rows: int, threads: int, theirs: float | None) -> Row:
    """Silva's bytes a cell with this many threads."""
    ours, target = bytes_a_cell("silva", n_rows, Work(threads=threads)), Target("<=", 12)
    text = f"{text}, {threads} thread{'s' if threads > 1 else ''}"
    note = f"beyond the input (4 bytes a cell); theirs to depth {MEMORY_PEER_DEPTH} only"
    unit = "bytes/cell"
    return Row("memory", text, unit, ours, "scikit-learn", theirs, ours, unit, target, note)


def bytes_a_cell(peer: str, n_rows: int, work: Work) -> float:
    """Bytes beyond the input for each of its cells."""
    rise = measure_apart(peer, n_rows, MEMORY_COLUMNS, work)
    return rise / (n_rows * MEMORY_COLUMNS)


def growth(settings: Settings, peers: Peers) -> list[Row]:
    """CPU time of a full tree over m log2 m, and how it grows with m.

    Judged on labels without noise, where the mean depth is a constant times log2 m. Flipped
    labels make the tree itself deeper than that, whoever grows it: shown, not judged.
    """
    judged = growth_rows(settings, peers["silva"], 0.0, Target("<=", 1))
    return judged + growth_rows(settings, peers["silva"], data.LABEL_NOISE, None)


def growth_rows(settings: Settings, silva: Peer, noise: float, target: Target | None) -> list[Row]:
    """The sizes in turn, each compared with the first."""
    sizes = [settings.rows(n_rows) for n_rows in GROWTH_ROWS]
    tables = {n_rows: data.two_classes(n_rows, noise=noise) for n_rows in sizes}
    runs = {n_rows: partial(silva.fit, *table, Work()) for n_rows, table in tables.items()}
    timings = take_turns(runs, settings.repeats)
    rows: list[Row] = []
    for n_rows, timing in timings.items():
        text = f"full tree, {n_rows:,} x 20, {noise:.2%} label noise: CPU time / (m log2 m)"
        cost = timing.cpu / (n_rows * math.log2(n_rows)) * 1e9
        note = growth_note(silva, n_rows, timing)
        rows.append(growth_row(text, cost, rows[0].silva if rows else None, target, note))
    return rows


def growth_row(
    text: str, cost: float, first: float | None, target: Target | None, note: str
) -> Row:
    """The cost at one size over the cost at the first size, which has nothing to be judged by."""
    if first is None:
        return Row("growth", text, "ns", cost, "silva, first size", note=note)
    figures = cost, "silva, first size", first, cost / first
    return Row("growth", text, "ns", *figures, "of first", target, note)


def growth_note(silva: Peer, n_rows: int, timing: Timing) -> str:
    """The time itself, and what was grown."""
    depth = mean_depth(timing.result.tree_)
    note = f"{timing.cpu:.3f} s; leaves {silva.leaves(timing.result):,}; mean depth {depth:.1f}"
    return f"{note}; {timing.cpu / (n_rows * depth) * 1e9:.0f} ns a row and level"


CASES: dict[str, Callable[[Settings, Peers], list[Row]]] = {
    case.__name__: case
    for case in (
        full_tree,
        two_threads,
        covertype,
        regression,
        shallow,
        shallow_million,
        iris,
        predict,
        memory,
        growth,
        *category_cases.CASES,
        *pruning_cases.CASES,
        *boost_cases.CASES,
        *forest_cases.CASES,
        *forest_predict_cases.CASES,
        *shape_cases.CASES,
        *thread_cases.CASES,
    )
}
