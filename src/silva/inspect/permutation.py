"""Importance by loss: how much worse a model answers when a column is shuffled, or was not there.

Out of bag, as Breiman has it ("Random forests", Machine Learning 45, 2001): each tree is asked
about the rows it did not see, with one column after the other shuffled among them; what its loss
gains is the figure of that tree. On held-out rows the whole model is asked.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from silva.data.large import too_large_to_square
from silva.data.table import Table, Target
from silva.ensemble import combine
from silva.ensemble.forest import Forest
from silva.errors import DataError
from silva.inspect.bags import Bags
from silva.inspect.importance import columns_used
from silva.inspect.importances import Importance
from silva.inspect.regrow import Recipe, grown, without_column
from silva.inspect.subsamples import told_by
from silva.tree import route
from silva.tree.tree import Tree

Ask = Callable[[Table], np.ndarray]


def loss(target: Target, told: np.ndarray) -> float:
    """The error rate of class codes, or the mean squared error of numbers; rows by weight."""
    if target.classes is not None:
        each = (target.values != told).astype(np.float64)
    else:
        each = _squares(target.values, told)
    if target.weights is None:
        return float(each.mean())
    weights = target.weights / target.weights.max()
    return float(np.average(each[weights > 0], weights=weights[weights > 0]))


def _squares(truth: np.ndarray, told: np.ndarray) -> np.ndarray:
    """Squared errors, so small that they can be added up."""
    with np.errstate(over="ignore"):
        squares = np.square(truth - told)
        if np.isfinite(squares.sum()):
            return np.asarray(squares)
    raise too_large_to_square(truth)


def told_by_forest(forest: Forest, table: Table, threads: int = 1) -> np.ndarray:
    """Class codes, or numbers."""
    ask = combine.values if forest.task == "regression" else combine.codes
    return ask(forest, table, threads)


def out_of_bag_permutation(bags: Bags, repeats: int, seed: int) -> Importance:
    """One row a tree: what shuffling each column adds to its loss on the rows it did not see.

    Trees that saw every row are left out.
    """
    each = []
    for number, tree in enumerate(bags.forest.trees):
        rows = bags.left_out(number)
        if len(rows):
            table, target = bags.table.take(rows), bags.target.take(rows)
            ask = _asking(tree, table, bags.threads)
            used = columns_used(tree)
            each.append(_added(ask, table, target, used, repeats, (seed, number)).mean(axis=0))
    if not each:
        raise DataError(
            "every tree has seen every row, so there is none to measure on: give more rows, or"
            " held-out rows as X_val and y_val."
        )
    schema = bags.forest.schema
    return Importance(
        "permutation", bags.forest.task, schema.names, np.stack(each), "trees", "out-of-bag"
    )


def held_out_permutation(
    forest: Forest, table: Table, target: Target, repeats: int, seed: int, threads: int = 1
) -> Importance:
    """One row a repeat: what shuffling each column adds to the loss of the whole model."""
    used = np.unique(np.concatenate([columns_used(tree) for tree in forest.trees]))
    each = _added(
        lambda rows: told_by_forest(forest, rows, threads), table, target, used, repeats, (seed, 0)
    )
    names = forest.schema.names
    return Importance("permutation", forest.task, names, each, "repeats", "held-out")


def drop_column(recipe: Recipe, held_out: tuple[Table, Target] | None, repeats: int) -> Importance:
    """One row a repeat: what the loss gains when the model is grown without each column.

    The loss is that on held-out rows, or without these that of the out-of-bag answers.
    """
    each = np.empty((repeats, recipe.n_columns))
    for repeat in range(repeats):
        whole = _fresh_loss(recipe, repeat, held_out)
        for number in range(recipe.n_columns):
            smaller, lose = without_column(recipe, number)
            rows = None if held_out is None else (lose(held_out[0]), held_out[1])
            each[repeat, number] = _fresh_loss(smaller, repeat, rows) - whole
    names, measured = recipe.table.schema.names, "out-of-bag" if held_out is None else "held-out"
    return Importance("drop_column", recipe.target.task, names, each, "repeats", measured)


def _fresh_loss(recipe: Recipe, repeat: int, held_out: tuple[Table, Target] | None) -> float:
    found = grown(recipe, repeat, oob=held_out is None)
    if held_out is not None:
        table, target = held_out
        table = replace(table, schema=found.forest.schema)
        return loss(target, told_by_forest(found.forest, table, recipe.threads))
    assert found.oob is not None
    answered = found.oob.votes > 0
    if recipe.target.weights is not None:
        answered &= recipe.target.weights > 0
    rows = np.flatnonzero(answered)
    told = found.oob.answers if recipe.target.classes is None else found.oob.codes
    return loss(recipe.target.take(rows), told[rows])


def _asking(tree: Tree, table: Table, threads: int) -> Ask:
    """Asks the tree about rows of the table; what its leaves answer is worked out once."""
    leaves = np.flatnonzero(tree.is_leaf)
    told = np.empty(tree.n_nodes, np.float64 if tree.classes is None else np.int64)
    if tree.linear is None:
        told[leaves] = told_by(tree, leaves, table)

    def ask(rows: Table) -> np.ndarray:
        nodes = route.leaves(tree, rows, threads)
        if tree.linear is None and tree.is_leaf.take(nodes).all():
            return told.take(nodes)
        return told_by(tree, nodes, rows)

    return ask


def _added(
    ask: Ask,
    table: Table,
    target: Target,
    used: np.ndarray,
    repeats: int,
    key: tuple[int, int],
) -> np.ndarray:
    """The loss that shuffling each used column adds: float64 (repeats, columns)."""
    generator = np.random.Generator(np.random.Philox(key=list(key)))
    before = loss(target, ask(table))
    added = np.zeros((repeats, len(table.columns)))
    for repeat in range(repeats):
        for number in used.tolist():
            order = generator.permutation(table.n_rows)
            added[repeat, number] = loss(target, ask(shuffled(table, number, order))) - before
    return added


def shuffled(table: Table, number: int, order: np.ndarray) -> Table:
    """The table with one column in another order."""
    columns = list(table.columns)
    columns[number] = columns[number][order]
    return replace(table, columns=tuple(columns))
