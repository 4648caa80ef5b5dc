"""The notes below a tree's text: whatever its lines leave unsaid, and nothing else."""

import numpy as np

from silva.data.time_words import counting
from silva.tree import words
from silva.tree.tables import STOP
from silva.tree.tree import Tree, split_tables


def legend(tree: Tree, max_listed: int | None = None) -> list[str]:
    """One sentence a line. `max_listed` shortens lists of levels."""
    if tree.n_nodes == 1:
        return [*_times(tree), *_smoothing(tree), *_costs(tree)]
    return [
        _missing(tree),
        *_unseen(tree),
        *_lone(tree),
        *_codes(tree, max_listed),
        *_times(tree),
        *_distances(tree),
        *_smoothing(tree),
        *_costs(tree),
    ]


def _missing(tree: Tree) -> str:
    coded = any(column.levels is not None for column in tree.schema.columns)
    who = "missing and unseen values" if coded else "missing values"
    told = f"Unless shown otherwise, {who} follow the larger branch."
    if not _some_stop(tree):
        return told
    return f"{told} Rows that stop at an inner node get that node's prediction."


def _some_stop(tree: Tree) -> bool:
    tables = split_tables(tree).values()
    takers = [getattr(table, "unseen_child", table.missing_child) for table in tables]
    takers += [table.missing_child for table in tables]
    return any(bool((taker == STOP).any()) for taker in takers)


def _unseen(tree: Tree) -> list[str]:
    lists_all = len(tree.multiways.column) or len(tree.subsets.rest)
    told = "Where all edges of a node list levels, any other level counts as unseen."
    return [told] if lists_all else []


def _lone(tree: Tree) -> list[str]:
    """What became of levels without evidence, in the columns whose levels splits tell apart."""
    used = {*tree.subsets.column.tolist(), *tree.multiways.column.tolist()}
    columns = [tree.schema.columns[one] for one in sorted(used)]
    told = [f"{words.name(one.name)} {one.lone_levels:,}" for one in columns if one.lone_levels]
    if not told:
        return []
    return [f"Levels with a single training row count as unseen ({words.listed(told, 5)})."]


def _codes(tree: Tree, max_listed: int | None) -> list[str]:
    """The codes of ordinal columns that sums and distances take as numbers."""
    as_value = tree.obliques.columns[tree.obliques.codes < 0]
    used = np.unique(np.concatenate((as_value, tree.distances.columns))).tolist()
    told = []
    for column in (tree.schema.columns[one] for one in used):
        if column.kind == "ordinal":
            levels = words.listed(
                list(enumerate(column.levels or ())),
                max_listed,
                lambda pair: f"{words.value(words.shortened(pair[1], max_listed))} = {pair[0]}",
            )
            told.append(f"{words.term(column)}: {levels}.")
    return told


def _times(tree: Tree) -> list[str]:
    """What is counted of dates and durations that sums, distances and models take as numbers."""
    used = [tree.obliques.columns, tree.distances.columns]
    used += [] if tree.linear is None else [tree.linear.column]
    columns = [tree.schema.columns[one] for one in np.unique(np.concatenate(used)).tolist()]
    return [f"{words.term(one)}: {counting(one.time)}." for one in columns if one.time is not None]


def _distances(tree: Tree) -> list[str]:
    scaled = bool((tree.distances.scale != 1.0).any())
    told = "Scaled by: values and the point are multiplied by these factors first."
    return [told] if scaled else []


def _smoothing(tree: Tree) -> list[str]:
    if tree.smoothing is None:
        return []
    m, prior = words.number(tree.smoothing.m), tree.smoothing.prior
    what = "1 / classes" if prior == "uniform" else "the share of the class in all rows"
    return [f"Probabilities are (weight + {m} * p) / (total + {m}), where p is {what}."]


def _costs(tree: Tree) -> list[str]:
    told = "Predictions are classes of least expected cost, not always the most frequent ones."
    return [] if tree.costs is None else [told]
