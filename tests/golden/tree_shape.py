"""A tree of categorical and yes/no questions as nested plain values, to compare node by node."""

from typing import Any

import numpy as np

from silva.tree import stats
from silva.tree.splits import Multiway, Subset, Threshold, split_of
from silva.tree.tree import Tree


def nested(tree: Tree, node: int = 0) -> Any:
    """A leaf as {class: rows}, an inner node as (column, {answer: child})."""
    split = split_of(tree, node)
    if split is None:
        return class_rows(tree, node)
    column = tree.schema.columns[split.column]
    children = tree.child[tree.child_start[node] : tree.child_start[node + 1]].tolist()
    below = [nested(tree, child) for child in children]
    return column.name, dict(zip(_answers(split, column.levels), below, strict=True))


def class_rows(tree: Tree, node: int) -> dict[Any, float]:
    weights = stats.node_class_weight(tree, np.array([node]))[0].tolist()
    named = zip(tree.classes.tolist(), weights, strict=True)
    return {label: weight for label, weight in named if weight}


def _answers(split: Any, levels: tuple[Any, ...]) -> list[Any]:
    match split:
        case Threshold() if len(levels) == 2:
            return list(levels)
        case Multiway(_, codes, missing_child, _):
            own = ["missing"] if missing_child == len(codes) else []
            return [levels[code] for code in codes] + own
        case Subset(_, codes, _, _, _):
            return ["others", tuple(levels[code] for code in codes)]
    raise AssertionError(f"not a question of these trees: {split}")
