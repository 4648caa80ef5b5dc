"""The nodes of a tree as columns of plain values, one entry a node in pre-order."""

from dataclasses import fields
from typing import Any

import numpy as np

from silva.inspect.intervals import student, wilson
from silva.leaf import answers
from silva.leaf.words import model_words
from silva.page.payload.numbers import exact
from silva.tree import decision, moments, stats
from silva.tree.splits import Split, split_of
from silva.tree.tree import ClassStats, MomentStats, Tree
from silva.tree.view import TreeView


def nodes(view: TreeView) -> dict[str, Any]:
    """Shape, splits, statistics and words of every node."""
    tree = view.tree
    weighted = bool((view.rows != view.weight).any())
    root_rows = max(1, int(view.rows[0]))
    told = [(record.edge, record.stops) for record in view]
    return {
        "end": tree.subtree_end.tolist(),
        "parent": [-1, *view.parent[1:].tolist()],
        "depth": view.depth.tolist(),
        "rows": view.rows.tolist(),
        "weight": view.weight.tolist() if weighted else None,
        "share": (view.rows / root_rows).tolist(),
        "gain": exact(tree.gain),
        "split": [_split(split_of(tree, number)) for number in range(len(view))],
        "edge": [edge for edge, _ in told],
        "stops": [stops for _, stops in told],
        "larger": [_larger(view, number) for number in range(len(view))],
        **(_means(view) if tree.classes is None else _shares(view)),
    }


def _split(split: Split | None) -> dict[str, Any] | None:
    """The fields of a split, children under the names `missing` and `unseen`."""
    if split is None:
        return None
    found = {field.name: getattr(split, field.name) for field in fields(split)}
    found = {name.removesuffix("_child"): value for name, value in found.items()}
    return {"kind": type(split).__name__.lower(), **exact(found)}


def _larger(view: TreeView, number: int) -> int | None:
    children = view.children(number)
    if not children:
        return None
    return max(range(len(children)), key=lambda place: view.weight[children[place]])


def _shares(view: TreeView) -> dict[str, Any]:
    tree = view.tree
    every = np.arange(len(view))
    assert tree.classes is not None
    codes = decision.node_codes(tree, every)
    shares: list[list[Any]] = []
    right: list[np.ndarray] = []
    for part in decision.parts(len(every), len(tree.classes)):
        found = answers.node_shares(tree, every[part])
        shares += map(_occurring, found)
        own = stats.node_class_units(tree, every[part])
        right.append(own[np.arange(len(own)), codes[part]] / own.sum(axis=1))
    low, high = wilson(np.concatenate(right) * view.rows, view.rows)
    interval = np.stack((low, high), axis=1).tolist()
    return {"code": codes.tolist(), "shares": shares, "interval": interval}


def _occurring(share: np.ndarray) -> list[Any]:
    """Codes and shares in turns, of the classes above 0."""
    return [one for code in np.flatnonzero(share).tolist() for one in (code, float(share[code]))]


def _means(view: TreeView) -> dict[str, Any]:
    mean, deviation = stats.node_mean(view.tree), stats.node_deviation(view.tree)
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = student(mean, deviation, view.rows)
    pairs = zip(low.tolist(), high.tolist(), strict=True)
    known = view.rows > 1
    return {
        "mean": exact(mean),
        "deviation": exact(deviation),
        "interval": [
            exact(pair) if is_known else None
            for pair, is_known in zip(pairs, known.tolist(), strict=True)
        ],
    }


def leaf_stats(tree: Tree) -> dict[str, Any]:
    """The exact statistics of the leaves, integers beyond 2^53 as texts."""
    found = tree.leaf_stats
    match found:
        case ClassStats():
            arrays = {name: getattr(found, name).tolist() for name in ("start", "code", "weight")}
            return {**arrays, "weight_unit": tree.weight_unit}
        case MomentStats():
            return {
                "weight": found.weight.tolist(),
                "sum": [str(one) for one in moments.to_integers(found.sum)],
                "sum_of_squares": [str(one) for one in moments.to_integers(found.sum_of_squares)],
                "value": exact(found.value),
                "center": found.center,
                "target_unit": found.target_unit,
                "weight_unit": tree.weight_unit,
            }


def linear(tree: Tree) -> dict[str, Any] | None:
    """The linear models of the leaves, None without any."""
    if tree.linear is None:
        return None
    arrays = {name.removeprefix("linear_"): array for name, array in tree.linear.arrays().items()}
    return {name: exact(array) for name, array in arrays.items()}


def leaf_words(tree: Tree) -> list[str] | None:
    """The formula of each leaf's linear model."""
    if tree.linear is None:
        return None
    return [model_words(tree, leaf) for leaf in range(tree.n_leaves)]
