"""What the rows of each leaf are: class counts, or targets, the largest leaf first."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from silva.data.table import Table, Target, Task
from silva.inspect.rules.conditions import Condition, Interval, Joint, Levels, Regions, ends
from silva.inspect.rules.lexicon import Lexicon
from silva.inspect.rules.words import conjunction
from silva.inspect.subject import one_tree
from silva.tree import decision, route, stats
from silva.tree.tree import Tree

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
DIGITS, MOST = 4, 3
"""Digits of thresholds and names of levels in the words of a leaf."""
LONGEST_NAME = 20
"""Letters of the name of a column in the words of a leaf."""


@dataclass(frozen=True, eq=False)
class LeafTable:
    """One entry a node at which rows end, the one with the most weight first.

    `words` say which known values lead there, long names shortened. `weight` is the weight of its
    rows, and `counts` how much of it each class has (None for numbers); the column after the last
    class has rows of classes that training did not see. `codes` are the predicted classes, None
    where leaves have models. Of numbers `mean` and `deviation` are known, and of rows that are
    given also the `quantiles` (at `QUANTILES`, NaN without rows) and the `values` themselves.
    `of_training`: the rows are those of training.
    """

    task: Task
    classes: tuple[Any, ...] | None
    of_training: bool
    nodes: np.ndarray
    words: tuple[str, ...]
    weight: np.ndarray
    counts: np.ndarray | None
    codes: np.ndarray | None
    mean: np.ndarray | None
    deviation: np.ndarray | None
    quantiles: np.ndarray | None
    values: tuple[np.ndarray, ...] | None
    class_sizes: np.ndarray | None

    def __len__(self) -> int:
        return len(self.nodes)


def leaf_table(
    model: Any, X: Any = None, y: Any = None, sample_weight: Any = None, what: str = "this"
) -> LeafTable:
    """The rows of each leaf of a model of one tree: those given, or those of training."""
    subject = one_tree(model, what)
    tree = subject.tree()
    given = subject.measured(X, y, sample_weight, f"{what} shows targets")
    found = _of_training(tree) if given is None else _of_rows(tree, *given)
    order = np.argsort(-found["weight"], kind="stable")
    nodes = found.pop("nodes")[order]
    lists = {name: _ordered(values, order) for name, values in found.items()}
    return LeafTable(
        task=tree.task,
        classes=None if subject.labels is None else tuple(subject.labels),
        of_training=given is None,
        nodes=nodes,
        words=_words(tree, nodes.tolist()),
        codes=_codes(tree, nodes),
        class_sizes=None if tree.classes is None else _class_sizes(tree),
        **lists,
    )


def _ordered(values: Any, order: np.ndarray) -> Any:
    if isinstance(values, tuple):
        return tuple(values[place] for place in order.tolist())
    return None if values is None else values[order]


def _class_sizes(tree: Tree) -> np.ndarray:
    return np.asarray(stats.node_class_units(tree, np.array([0]))[0])


def _codes(tree: Tree, nodes: np.ndarray) -> np.ndarray | None:
    if tree.classes is None or tree.linear is not None:
        return None
    return decision.node_codes(tree, nodes)


def _of_training(tree: Tree) -> dict[str, Any]:
    nodes = np.flatnonzero(tree.is_leaf)
    weight = stats.node_weight(tree)[nodes]
    if tree.classes is None:
        spread = stats.node_deviation(tree, nodes)
        facts = {"mean": stats.node_mean(tree, nodes), "deviation": spread, "counts": None}
    else:
        shares = stats.node_class_weight(tree, nodes)
        counts = np.column_stack((shares, np.zeros(len(nodes))))
        facts = {"mean": None, "deviation": None, "counts": counts}
    return {"nodes": nodes, "weight": weight, "values": None, "quantiles": None, **facts}


def _of_rows(tree: Tree, table: Table, target: Target) -> dict[str, Any]:
    ended = route.leaves(tree, table)
    nodes = np.array(ends(tree), dtype=np.int64)
    nodes = nodes[tree.is_leaf[nodes] | np.isin(nodes, ended)]
    place = np.searchsorted(nodes, ended)
    mass = np.ones(table.n_rows) if target.weights is None else target.weights
    weight = np.bincount(place, weights=mass, minlength=len(nodes))
    found: dict[str, Any] = {"nodes": nodes, "weight": weight}
    if tree.classes is None:
        return found | {"counts": None} | _of_numbers(place, target.values, mass, len(nodes))
    n_classes = len(tree.classes)
    codes = np.where(target.values < 0, n_classes, target.values)
    cells = np.bincount(place * (n_classes + 1) + codes, mass, len(nodes) * (n_classes + 1))
    counts = cells.reshape(len(nodes), n_classes + 1)
    return found | {"counts": counts} | dict.fromkeys(_FACTS)


_FACTS = ("mean", "deviation", "quantiles", "values")


def _of_numbers(
    place: np.ndarray, targets: np.ndarray, mass: np.ndarray, n_ends: int
) -> dict[str, Any]:
    """The facts of the targets of each end; rows without weight are left out."""
    order = np.argsort(place, kind="stable")
    order = order[mass[order] > 0]
    limits = np.searchsorted(place[order], np.arange(n_ends + 1))
    values, facts = [], np.full((n_ends, 2 + len(QUANTILES)), np.nan)
    for end, (first, last) in enumerate(pairwise(limits.tolist())):
        mine = order[first:last]
        values.append(targets[mine])
        if len(mine):
            facts[end] = _described(targets[mine], mass[mine])
    mean, deviation, quantiles = facts[:, 0], facts[:, 1], facts[:, 2:]
    return dict(zip(_FACTS, (mean, deviation, quantiles, tuple(values)), strict=True))


def _described(values: np.ndarray, mass: np.ndarray) -> list[float]:
    mean = np.average(values, weights=mass)
    deviation = np.sqrt(np.average((values - mean) ** 2, weights=mass))
    quantiles = np.quantile(values, QUANTILES, weights=mass, method="inverted_cdf")
    return [mean, deviation, *quantiles]


def _words(tree: Tree, nodes: Sequence[int]) -> tuple[str, ...]:
    columns = [replace(column, name=_short(column.name)) for column in tree.schema.columns]
    regions, lexicon = Regions(tree), Lexicon(replace(tree.schema, columns=tuple(columns)))
    told = (map(_of_known, regions.of_end(node)) for node in nodes)
    return tuple(conjunction(one, lexicon, DIGITS, MOST) for one in told)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _of_known(condition: Condition) -> Condition:
    """The condition without missing and unseen values, if known ones satisfy it."""
    match condition:
        case Interval():
            return replace(condition, missing=False) if condition.known else condition
        case Levels():
            known = bool(condition.codes)
            return replace(condition, missing=False, unseen=False) if known else condition
        case Joint():
            known = condition.below or condition.above
            return replace(condition, missing=False) if known else condition
