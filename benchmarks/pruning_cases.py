"""Pruning: cost-complexity path beside scikit-learn's, reduced error and auto beside growing."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.peers import Peer, Work
from benchmarks.rows import Row, Target, times_row
from benchmarks.settings import Settings
from benchmarks.timing import take_turns

LEAVES, HELD_OUT_ROWS = 50_000, 100_000
CLASS_ROWS, CLASS_NOISE = 300_000, 0.25
AUTO_ROWS, AUTO_COLUMNS = 8_000, 8
"""A full tree of these rows has about as many leaves."""


def pruning(settings: Settings, peers: Mapping[str, Peer]) -> list[Row]:
    """Trees of about 50,000 leaves, one thread each."""
    rows = path_rows(settings, peers) if "scikit-learn" in peers else []
    tables: dict[str, Callable[[int, int], Any]] = {
        "classification": lambda n, seed: data.two_classes(n, noise=CLASS_NOISE, seed=seed),
        "regression": lambda n, seed: data.numbers(n, seed=seed),
    }
    sizes = {"classification": CLASS_ROWS, "regression": LEAVES}
    for task, draw in tables.items():
        held_out = draw(settings.rows(HELD_OUT_ROWS), 1)
        rows += reduced_error_rows(settings, task, draw(settings.rows(sizes[task]), 0), held_out)
    return [*rows, auto_row(settings)]


def path_rows(settings: Settings, peers: Mapping[str, Peer]) -> list[Row]:
    """All alphas of one regression tree; scikit-learn grows it again, which is taken off."""
    from silva.prune.cost_complexity import path

    X, y = data.numbers(settings.rows(LEAVES))
    work = Work(task="regression")
    ours, theirs = (peers[name].fit(X, y, work) for name in ("silva", "scikit-learn"))
    timings = take_turns({"silva": partial(path, ours.grown_tree_)}, settings.short_repeats)
    runs = {
        "path": partial(theirs.cost_complexity_pruning_path, X, y),
        "fit": partial(peers["scikit-learn"].fit, X, y, work),
    }
    timings |= take_turns(runs, 1 if settings.full_size else settings.repeats)  # 20 s a turn
    alphas, their_alphas = timings["silva"].result.alphas, timings["path"].result.ccp_alphas
    n_leaves = peers["silva"].leaves(ours)
    note = f"leaves {n_leaves:,} / {peers['scikit-learn'].leaves(theirs):,}"
    note += f"; alphas {len(alphas):,} / {len(their_alphas):,}{apart(alphas, their_alphas)}"
    text = f"cost-complexity path, {n_leaves:,} leaves, 1 thread"
    figures = timings["silva"].cpu, "scikit-learn", timings["path"].cpu - timings["fit"].cpu
    return [times_row("pruning", text, "CPU s", *figures, Target(">=", 5), note)]


def apart(alphas: np.ndarray, others: np.ndarray) -> str:
    """How far the alphas of two paths of the same length differ."""
    if len(alphas) != len(others):
        return ""
    return f", at most {np.abs(alphas - others).max() / others.max():.0e} of the largest apart"


def reduced_error_rows(
    settings: Settings,
    task: str,
    training: tuple[np.ndarray, np.ndarray],
    held_out: tuple[np.ndarray, np.ndarray],
) -> list[Row]:
    """Pruning on held-out rows and growing the tree, in turns; every run has a tree of its own."""
    from silva.grow.grow import grow
    from silva.grow.plan import Plan
    from silva.prune.evidence import Evidence
    from silva.prune.reduced_error import ReducedError

    table, target = bound(task, *training)
    evidence = Evidence(None, None, *bound(task, *held_out, like=(table, target)))
    plan = Plan(task, "gini" if task == "classification" else "squared_error")
    tree = grow(table, target, plan)
    orders = ("greedy", "bottom_up")
    runs: dict[str, Callable[[], Any]] = {"growing": partial(grow, table, target, plan)}
    runs |= {order: prune_afresh(ReducedError(order), tree, evidence) for order in orders}
    timings = take_turns(runs, settings.short_repeats)
    rows = []
    for order in orders:
        text = f"reduced error ({order}), {task}, {tree.n_leaves:,} leaves,"
        text += f" {len(held_out[1]):,} validation rows"
        note = f"{timings[order].result.tree.n_leaves:,} leaves are left"
        figures = timings[order].cpu, "silva, growing it", timings["growing"].cpu
        goal = Target(">=", 1) if order == "greedy" else None
        rows.append(times_row("pruning", text, "CPU s", *figures, goal, note))
    return rows


def auto_row(settings: Settings) -> Row:
    """A fit with `prune="auto"`, which grows 90 more trees, beside a fit without."""
    from silva import TreeRegressor

    X, y = data.numbers(settings.rows(AUTO_ROWS))
    X = X[:, :AUTO_COLUMNS]
    runs: dict[str, Callable[[], Any]] = {
        name: partial(TreeRegressor(prune=name).fit, X, y) for name in ("auto", "none")
    }
    timings = take_turns(runs, settings.repeats)
    leaves = (timings[name].result.get_n_leaves() for name in ("none", "auto"))
    text = f"auto, regression, {len(y):,} x {X.shape[1]}"
    figures = timings["auto"].cpu, "silva, the tree alone", timings["none"].cpu
    note = "leaves {:,} before, {:,} after".format(*leaves)
    return times_row("pruning", text, "CPU s", *figures, None, note)


def prune_afresh(pruner: Any, tree: Any, evidence: Any) -> Callable[[], Any]:
    """A copy of the tree is pruned: nothing that an earlier run computed is there."""
    return lambda: pruner(replace(tree), evidence)


def bound(task: str, X: np.ndarray, y: np.ndarray, like: Any = None) -> tuple[Any, Any]:
    """Table and target, held-out ones by the schema of the training table."""
    from silva.data.bind import bind_classes, bind_numbers, bind_prediction, bind_training

    table = bind_training(X) if like is None else bind_prediction(X, like[0].schema)
    if task == "classification":
        return table, bind_classes(y, None, None, len(y))
    return table, bind_numbers(y, None, len(y))


CASES = (pruning,)
