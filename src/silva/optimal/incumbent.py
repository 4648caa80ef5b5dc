"""Greedy trees as a start: the search never ends with a tree that is worse than these."""

from typing import Any

import numpy as np

from silva.data.table import Table
from silva.grow.plan import Plan
from silva.optimal.objective import Objective
from silva.optimal.questions import NO_FORMS, Forms, asks_all_sets
from silva.optimal.search import Limits
from silva.tree import route, stats
from silva.tree.tree import Tree

FEW_CELLS = 50_000
"""Rows times columns: larger tables get no second tree, which would double the time to the first.

A size and not a time: what is offered to the search must not depend on the machine.
"""


def greedy_plans(
    table: Table, limits: Limits, max_subset_levels: int, asked: Forms = NO_FORMS
) -> list[Plan]:
    """Greedy trees with the same limits and questions: by Gini and, of small tables, by error.

    The limits allow a split.
    """
    forms: dict[int, str] = {}
    for number, column in enumerate(table.schema.columns):
        if column.kind == "categorical":
            most = asked.most_levels(number, max_subset_levels)
            small = asks_all_sets(table.columns[number], most)
            forms[number] = "subset" if small else "onevsrest"
    choices: dict[str, Any] = {
        "max_depth": limits.max_depth,
        "max_leaf_nodes": None if limits.max_splits is None else limits.max_splits + 1,
        "min_samples_leaf": limits.min_rows,
        "splits": [forms] if forms else (),
        "category_gain": "plain",
    }
    criteria = ("gini", "error") if is_small(table) else ("gini",)
    return [Plan("classification", criterion, **choices) for criterion in criteria]


def is_small(table: Table) -> bool:
    """Whether a second tree takes little time."""
    return table.n_rows * len(table.schema) <= FEW_CELLS


def useless_splits(tree: Tree, table: Table, objective: Objective) -> tuple[list[int], int]:
    """Nodes that should be leaves, as what they split lowers the value by nothing; the value then.

    The table's rows with a weight are those of the objective.
    """
    ends = route.leaves(tree, table)[objective.rows]
    running = np.zeros((tree.n_nodes + 1, objective.n_classes), dtype=np.int64)
    np.cumsum(objective.class_weights(ends, tree.n_nodes), axis=0, out=running[1:])
    inside = running[tree.subtree_end] - running[:-1]
    costs = (objective.unit * objective.node_costs(inside)).tolist()
    best, useless = list(costs), []
    below = [0] * tree.n_nodes
    above, is_leaf = stats.parent(tree).tolist(), tree.is_leaf.tolist()
    for node in range(tree.n_nodes - 1, -1, -1):
        if not is_leaf[node]:
            best[node] = below[node] + objective.penalty
            if costs[node] <= best[node]:
                best[node] = costs[node]
                useless.append(node)
        if node:
            below[above[node]] += best[node]
    return useless, best[0]
