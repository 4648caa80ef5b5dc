"""Cases on prediction with forests: many rows, one row, and the memory that a forest takes."""

import pickle
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.fits import accuracy
from benchmarks.peers import Peer, stands_in
from benchmarks.rows import Row, Skip, Target, times_row
from benchmarks.settings import Settings
from benchmarks.timing import short_calls, take_turns

TREES, THREADS, TRAINING_ROWS, ROWS = 100, 2, 80_000, 200_000
NOISE = 0.05
SIX_TIMES = Target(">=", 6)
Peers = Mapping[str, Peer]


def forest_predict(settings: Settings, peers: Peers) -> list[Row]:
    """Class probabilities of 200,000 rows with 100 deep trees, two threads each."""
    X, y = data.two_classes(settings.rows(ROWS), seed=1)
    trained = data.two_classes(settings.rows(TRAINING_ROWS), noise=NOISE)
    forest = silva_forest(len(trained[1]))
    ours_alone = partial(silva_shares, forest, X)
    runs: dict[str, Callable[[], Any]] = {"silva": ours_alone}
    n_leaves = mean_leaves(forest)
    for name, make in PEERS.items():
        if name in peers:
            away = stands_in(peers, name)
            runs[name] = ours_alone if away else make(*trained, X, n_leaves)
    timings = take_turns(runs, settings.repeats)
    ours = timings.pop("silva")
    text = f"predict {len(X):,} rows with {TREES} deep trees, {THREADS} threads"
    return [
        times_row(
            "forest_predict", text, "wall s", ours.wall, name, theirs.wall, SIX_TIMES,
            f"CPU s {ours.cpu:.3f} / {theirs.cpu:.3f}; leaves a tree {n_leaves:,};"
            f" accuracy {accuracy(labels(ours.result), y):.4f} /"
            f" {accuracy(labels(theirs.result), y):.4f}",
        )
        for name, theirs in timings.items()
    ]  # fmt: skip


def forest_row(settings: Settings, peers: Peers) -> list[Row]:
    """Microseconds of one row: the engine alone, and with all checks beside scikit-learn's."""
    from silva.ensemble import engine

    if "scikit-learn" not in peers:
        raise Skip("scikit-learn is not among the peers")
    trained = data.two_classes(settings.rows(TRAINING_ROWS), noise=NOISE)
    row = data.two_classes(8, seed=2)[0][:1].astype(np.float64)
    forest = silva_forest(len(trained[1]))
    compiled = engine.engine_of(forest).engine
    alone = short_calls({"silva": partial(compiled.soft, row, 1, 1)}, 200, 15)["silva"]
    ours = short_calls({"silva": partial(silva_shares, forest, row, 1)}, 200, 15)["silva"]
    theirs = sklearn_row(len(trained[1]), row) if not stands_in(peers, "scikit-learn") else ours
    text = f"one row, {TREES} deep trees"
    limit = Target("<=", 50)
    return [
        Row("forest_row", f"{text}, engine", "us", alone, "", None, alone, "us", limit),
        times_row("forest_row", f"{text}, with checks", "us", ours, "scikit-learn", theirs,
                  Target(">=", 50)),
    ]  # fmt: skip


def forest_memory(settings: Settings, peers: Peers) -> list[Row]:
    """Bytes a node of a forest that has predicted, in memory and pickled."""
    from silva.ensemble import engine

    if "scikit-learn" not in peers:
        raise Skip("scikit-learn is not among the peers")
    trained = data.two_classes(settings.rows(TRAINING_ROWS), noise=NOISE)
    forest, peer = silva_forest(len(trained[1])), sklearn_forest(len(trained[1]))
    n_nodes = sum(tree.n_nodes for tree in forest)
    theirs_nodes = sum(tree.tree_.node_count for tree in peer.estimators_)
    compiled = engine.engine_of(forest).engine
    in_memory = (forest.nbytes + compiled.nbytes) / n_nodes
    pickled = len(pickle.dumps(forest)) / n_nodes
    their_memory = sum(map(sklearn_bytes, peer.estimators_)) / theirs_nodes
    their_pickle = len(pickle.dumps(peer)) / theirs_nodes
    four = Target(">=", 4)
    note = f"nodes {n_nodes:,} / {theirs_nodes:,}; trees {forest.nbytes / n_nodes:.1f}, engine"
    note += f" {compiled.nbytes / n_nodes:.1f} bytes a node"
    row = partial(times_row, "forest_memory", peer="scikit-learn", target=four)
    text = f"{TREES} deep trees"
    return [
        row(f"{text}, in memory", "bytes/node", in_memory, theirs=their_memory, note=note),
        row(f"{text}, pickled", "bytes/node", pickled, theirs=their_pickle),
    ]


@lru_cache(maxsize=1)
def silva_forest(n_rows: int) -> Any:
    """Trees of bootstrap samples, each with sqrt of the columns a node."""
    import silva
    from silva.ensemble.packed import PackedTrees

    X, y = data.two_classes(n_rows, noise=NOISE)
    rng = np.random.default_rng(0)
    trees = []
    for seed in range(TREES):
        counts = np.bincount(rng.integers(0, n_rows, n_rows), minlength=n_rows)
        model = silva.TreeClassifier(max_features="sqrt", random_state=seed, n_jobs=THREADS)
        trees.append(model.fit(X, y, sample_weight=counts).grown_tree_)
    return PackedTrees.of(trees)


@lru_cache(maxsize=1)
def sklearn_forest(n_rows: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    X, y = data.two_classes(n_rows, noise=NOISE)
    return RandomForestClassifier(TREES, n_jobs=THREADS, random_state=0).fit(X, y)


def sklearn_row(n_rows: int, row: np.ndarray) -> float:
    """Microseconds of scikit-learn's prediction of one row, on one thread."""
    peer = sklearn_forest(n_rows)
    peer.n_jobs = 1
    return short_calls({"scikit-learn": partial(peer.predict, row)}, 5, 5)["scikit-learn"]


def silva_shares(forest: Any, X: np.ndarray, threads: int = THREADS) -> np.ndarray:
    from silva.ensemble import engine

    return engine.soft(forest, engine.rows_of(X, forest), threads)


def mean_leaves(forest: Any) -> int:
    return round(sum(tree.n_leaves for tree in forest) / len(forest))


def sklearn_bytes(estimator: Any) -> int:
    state = estimator.tree_.__getstate__()
    return state["nodes"].nbytes + state["values"].nbytes


def labels(answers: np.ndarray) -> np.ndarray:
    """Class codes from shares of both classes or of class 1."""
    return answers.argmax(axis=1) if answers.ndim == 2 else (answers > 0.5).astype(np.int64)


Call = Callable[[], np.ndarray]


def sklearn_call(X, y, rows, n_leaves) -> Call:
    return partial(sklearn_forest(len(y)).predict_proba, rows)


def ydf_call(X, y, rows, n_leaves) -> Call:
    import ydf

    ydf.verbose(0)
    learner = ydf.RandomForestLearner(
        label="y", num_trees=TREES, max_depth=-1, min_examples=1, winner_take_all=False,
        compute_oob_performances=False, num_threads=THREADS,
    )  # fmt: skip
    model = learner.train({"x": X, "y": y})
    return partial(model.predict, {"x": rows}, num_threads=THREADS)


def lightgbm_call(X, y, rows, n_leaves) -> Call:
    import lightgbm

    settings = {
        "objective": "binary", "boosting": "rf", "num_leaves": n_leaves, "max_depth": -1,
        "min_data_in_leaf": 1, "min_sum_hessian_in_leaf": 0, "bagging_fraction": 0.632,
        "bagging_freq": 1, "feature_fraction_bynode": 0.2, "num_threads": THREADS, "verbose": -1,
    }  # fmt: skip
    model = lightgbm.train(settings, lightgbm.Dataset(X, y), num_boost_round=TREES)
    return partial(model.predict, rows, num_threads=THREADS)


def xgboost_call(X, y, rows, n_leaves) -> Call:
    import xgboost

    settings = {
        "objective": "binary:logistic", "num_parallel_tree": TREES, "max_depth": 20,
        "subsample": 0.632, "colsample_bynode": 0.2, "eta": 1.0, "min_child_weight": 0,
        "reg_lambda": 0, "nthread": THREADS,
    }  # fmt: skip
    model = xgboost.train(settings, xgboost.QuantileDMatrix(X, y), num_boost_round=1)
    return partial(model.inplace_predict, rows)


PEERS: dict[str, Callable[..., Call]] = {
    "scikit-learn": sklearn_call,
    "YDF": ydf_call,
    "LightGBM": lightgbm_call,
    "XGBoost hist": xgboost_call,
}

CASES = (forest_predict, forest_row, forest_memory)
