"""Cases on categorical columns: speed with many levels, subset search, accuracy on raw tables."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks import raw_tables
from benchmarks.fits import accuracy
from benchmarks.peers import Peer, stands_in
from benchmarks.rows import Row, Skip, Target, times_row
from benchmarks.settings import Settings
from benchmarks.timing import take_turns

LEVELS, COLUMNS, DEPTH = 1_000, 20, 8
SEARCH_LEVELS, SEARCH_CLASSES, SEARCH_TABLES, SEARCH_ROWS = (11, 13), (3, 5), 100, 400
RAW_LEAF_ROWS = (1, 5, 20)


def categories(settings: Settings, peers: Mapping[str, Peer]) -> list[Row]:
    """One tree of depth 8 on categorical columns of 1,000 levels, one thread each."""
    if not {"YDF", "LightGBM"} & set(peers):
        raise Skip("neither YDF nor LightGBM is among the peers")
    frame, y = many_levels(settings.rows(200_000))
    runs = {"silva": partial(fit_silva, frame, y)}
    away = {name for name in ("LightGBM", "YDF") if name in peers and stands_in(peers, name)}
    if "LightGBM" in peers:
        runs["LightGBM"] = runs["silva"] if away else partial(fit_lightgbm, frame, y)
    timings = take_turns(runs, settings.repeats)
    if "YDF" in peers:  # a minute and more: once is enough
        run = runs["silva"] if away else partial(fit_ydf, ydf_table(frame, y))
        timings |= take_turns({"YDF": run}, 1)
    text = f"depth {DEPTH}, {len(y):,} x {COLUMNS} categories of {LEVELS:,} levels, 1 thread"
    ours = timings.pop("silva")
    right = accuracy(ours.result.predict(frame), y)
    return [
        times_row(
            "categories", text, "CPU s", ours.cpu, name, theirs.cpu, Target(">=", 3.2),
            f"leaves {ours.result.get_n_leaves():,}; train accuracy {right:.4f} /"
            f" {right if away else ACCURACY[name](theirs.result, frame, y):.4f}",
        )
        for name, theirs in timings.items()
    ]  # fmt: skip


def many_levels(n_rows: int) -> tuple[Any, np.ndarray]:
    """A pandas frame of categories, and labels from level effects in four of its columns."""
    import pandas as pd

    random = np.random.default_rng(0)
    codes = random.integers(0, LEVELS, (n_rows, COLUMNS))
    effect = random.standard_normal((4, LEVELS))
    score = sum(effect[i, codes[:, i]] for i in range(4)) + random.standard_normal(n_rows)
    names = [f"level {i}" for i in range(LEVELS)]
    columns = {f"c{i}": pd.Categorical.from_codes(codes[:, i], names) for i in range(COLUMNS)}
    return pd.DataFrame(columns), (score > 0).astype(np.int64)


def fit_silva(frame: Any, y: np.ndarray) -> Any:
    import silva

    return silva.TreeClassifier(max_depth=DEPTH).fit(frame, y)


def ydf_table(frame: Any, y: np.ndarray) -> Any:
    """Read beforehand: what YDF spends on text is not counted against it."""
    import ydf

    ydf.verbose(0)
    columns = {name: frame[name].astype(str).to_numpy(str) for name in frame}
    category = partial(ydf.Column, semantic=ydf.Semantic.CATEGORICAL)
    every_level = {"max_vocab_count": -1, "min_vocab_frequency": 1}
    kinds = [category(name, **every_level) for name in frame]
    return ydf.create_vertical_dataset(columns | {"label": y}, columns=[*kinds, category("label")])


def fit_ydf(table: Any) -> Any:
    import ydf

    learner = ydf.CartLearner(
        label="label", validation_ratio=0.0, max_depth=DEPTH + 1, min_examples=1, num_threads=1
    )
    return learner.train(table)


def fit_lightgbm(frame: Any, y: np.ndarray) -> Any:
    """As near to an unregularised subset split as its settings allow; every level its own bin."""
    import lightgbm

    settings = {
        "objective": "binary", "max_depth": DEPTH, "num_leaves": 2**DEPTH, "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0.0, "learning_rate": 1.0, "force_col_wise": True,
        "num_threads": 1, "verbosity": -1, "max_bin": LEVELS + 1, "min_data_in_bin": 1,
        "cat_smooth": 0.0, "cat_l2": 0.0, "min_data_per_group": 1, "max_cat_threshold": LEVELS,
    }  # fmt: skip
    return lightgbm.train(settings, lightgbm.Dataset(frame, y, params=settings), num_boost_round=1)


def ydf_accuracy(model: Any, frame: Any, y: np.ndarray) -> float:
    columns = {name: frame[name].astype(str).to_numpy(str) for name in frame}
    return accuracy(model.predict_class(columns).astype(np.int64), y)


def lightgbm_accuracy(model: Any, frame: Any, y: np.ndarray) -> float:
    return accuracy(np.asarray(model.predict(frame) > 0.5, dtype=np.int64), y)


ACCURACY = {"YDF": ydf_accuracy, "LightGBM": lightgbm_accuracy}


def subset_search(settings: Settings, peers: Mapping[str, Peer]) -> list[Row]:
    """The gain of the set found for more than two classes and 10 levels over that of the best."""
    rows = []
    for n_levels in SEARCH_LEVELS:
        for n_classes in SEARCH_CLASSES:
            tables = range(max(1, round(SEARCH_TABLES * settings.scale)))
            ratios = np.array([search_ratio(n_levels, n_classes, seed) for seed in tables])
            text = f"subset search, {n_levels} levels, {n_classes} classes, {len(tables)} tables"
            note = f"worst {ratios.min():.3f}; the best set in {np.mean(ratios > 1 - 1e-9):.0%}"
            mean, target = float(ratios.mean()), Target(">=", 0.99)
            unit = "of the best"
            rows.append(
                Row("subset_search", text, "gain", mean, "brute force", 1, mean, unit, target, note)
            )
    return rows


def search_ratio(n_levels: int, n_classes: int, seed: int) -> float:
    """The gain of silva's root over the best gain of all sets of levels."""
    import silva

    random = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(n_levels), random.integers(0, n_levels, SEARCH_ROWS)])
    shares = random.dirichlet(np.ones(n_classes), n_levels)
    labels = np.array([random.choice(n_classes, p=shares[code]) for code in codes])
    table = np.array([f"level {code:02}" for code in codes], dtype=object)[:, None]
    found = silva.StumpClassifier().fit(table, labels).grown_tree_.gain[0]
    counts = np.zeros((n_levels, n_classes))
    np.add.at(counts, (codes, labels), 1)
    return float(found / best_gain(counts))


def best_gain(counts: np.ndarray) -> float:
    """The largest Gini gain of all ways to part the levels in two."""
    sets = np.arange(1, 2 ** (len(counts) - 1))
    inside = (sets[:, None] >> np.arange(len(counts))) & 1
    left = inside @ counts
    right = counts.sum(axis=0) - left
    total = counts.sum()
    pure = sum(np.square(side).sum(axis=1) / side.sum(axis=1) for side in (left, right)) / total
    return float(pure.max() - np.square(counts.sum(axis=0)).sum() / total**2)


def raw(settings: Settings, peers: Mapping[str, Peer]) -> list[Row]:
    """Cross-validated accuracy on raw tables beside the peers', and the mean ranks."""
    if not settings.full_size:
        raise Skip("accuracies are compared on whole tables only")
    methods = {name: run for name, run in raw_tables.METHODS.items() if name in peers}
    rows, scores = [], []
    for name, table in raw_tables.TABLES.items():
        X, y = raw_tables.read(settings.data_folder, table)
        for leaf_rows in RAW_LEAF_ROWS:
            score = {
                key: raw_tables.cross_validate(run, leaf_rows, X, y) for key, run in methods.items()
            }
            text = f"{name} {X.shape[0]:,} x {X.shape[1]}, leaves of {leaf_rows} rows or more"
            rows += raw_rows(text, score)
            scores.append(score)
    return rows + rank_rows(raw_tables.mean_ranks(scores))


def raw_rows(text: str, score: Mapping[str, raw_tables.Score]) -> list[Row]:
    """Silva's accuracy beside each peer's; at most one standard error below is met."""
    ours = score["silva"]
    return [
        Row(
            "raw", text, "CV accuracy", ours.mean, name, theirs.mean,
            round(100 * (ours.mean - theirs.mean), 3), "points",
            Target(">=", round(-100 * max(ours.error, theirs.error), 3)),
            f"leaves {ours.leaves:.0f} / {theirs.leaves:.0f};"
            f" standard errors {ours.error:.4f} / {theirs.error:.4f}",
        )
        for name, theirs in score.items()
        if name != "silva"
    ]  # fmt: skip


def rank_rows(ranks: Mapping[str, float]) -> list[Row]:
    """The mean rank over the tables (1: best)."""
    n_comparisons = len(raw_tables.TABLES) * len(RAW_LEAF_ROWS)
    text, ours = f"mean rank of {n_comparisons} comparisons", ranks["silva"]
    return [
        Row("raw", text, "mean rank", ours, name, theirs, theirs - ours, "ranks", Target(">", 0))
        for name, theirs in ranks.items()
        if name != "silva"
    ]


CASES = (categories, subset_search, raw)
