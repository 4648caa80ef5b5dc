"""Impurity importance with its bias taken off: columns compete with shuffled copies of themselves.

After Nembrini, König and Wright, "The revival of the Gini importance?" (Bioinformatics 34, 2018),
who call it actual impurity reduction. Beside each column stands its shadow, the same values in the
order of one random permutation of the rows (one for all shadows, so that they hang together as the
columns do), which therefore knows nothing of the target. A node draws from columns and shadows
alike. The gain that a column brings by knowing something is what it brings more than its shadow:

    importance = share of the gain of the column - share of the gain of its shadow.

A column that knows nothing and its shadow are alike, many values or few: their difference is as
often below 0 as above. Equal gains are frequent in small nodes and go to the column that stands
first, so columns and shadows stand in a random order, reversed in every second group. The authors
draw as many columns at a node as without shadows; here it is
twice as many, so that as many real ones are among them as in the model itself.
"""

from dataclasses import replace

import numpy as np

from silva.data.schema import Column
from silva.data.table import Table, Target
from silva.errors import PlanError
from silva.grow.splits import DistanceSplits
from silva.inspect.importances import Importance, shares_of_gain
from silva.inspect.regrow import Recipe, grown, with_columns


def corrected(recipe: Recipe, repeats: int, seed: int) -> Importance:
    """The corrected importance over so many permutations.

    A forest's trees are grown anew in `repeats` groups, one permutation each; a single tree once
    for each permutation.
    """
    _refuse_distances(recipe)
    n_columns, each = recipe.n_columns, []
    for number, n_trees in enumerate(_groups(recipe, repeats)):
        order = _column_order(n_columns, seed, number)
        doubled = _doubled(recipe, order, _shuffled_rows(recipe.target, seed, number))
        shares = np.empty((n_trees, 2 * n_columns))
        shares[:, order] = shares_of_gain(grown(doubled, number, n_trees).forest.trees)
        each.append(shares[:, :n_columns] - shares[:, n_columns:])
    over = "repeats" if recipe.forest_plan is None else "trees"
    names = recipe.schema.names
    return Importance("corrected", recipe.target.task, names, np.concatenate(each), over)


def _groups(recipe: Recipe, repeats: int) -> list[int]:
    """How many trees each permutation has; all trees of the model together."""
    if recipe.forest_plan is None:
        return [1] * repeats
    n_trees = recipe.forest_plan.n_estimators
    return [len(part) for part in np.array_split(np.arange(n_trees), min(repeats, n_trees))]


def _doubled(recipe: Recipe, order: np.ndarray, rows: np.ndarray) -> Recipe:
    """The recipe with columns and shadows in this order; shadows take these rows' values."""
    table, schema, n_columns = recipe.table, recipe.schema, recipe.n_columns
    columns = (*table.columns, *table.take(rows).columns)
    described = (*schema.columns, *map(_shadow, schema.columns))
    both = Table(
        replace(schema, columns=tuple(described[one] for one in order)),
        tuple(columns[one] for one in order),
        table.n_rows,
    )
    tried = 2 * recipe.plan.columns_tried(n_columns)
    return with_columns(recipe, (order % n_columns).tolist(), both, tried)


def _column_order(n_columns: int, seed: int, number: int) -> np.ndarray:
    """Columns (0, 1, ...) and shadows behind them, in a random order; every second is a mirror."""
    generator = np.random.Generator(np.random.Philox(key=[seed, number // 2], counter=[0, 0, 0, 1]))
    order = generator.permutation(2 * n_columns)
    return order[::-1] if number % 2 else order


def _shadow(column: Column) -> Column:
    return replace(column, name=f"{column.name} (shuffled)")


def _shuffled_rows(target: Target, seed: int, number: int) -> np.ndarray:
    """Rows of positive weight in a random order, the others where they are."""
    rows = np.arange(len(target.values))
    taking = rows if target.weights is None else np.flatnonzero(target.weights > 0)
    generator = np.random.Generator(np.random.Philox(key=[seed, number]))
    rows[taking] = generator.permutation(taking)
    return rows


def _refuse_distances(recipe: Recipe) -> None:
    if any(isinstance(choice, DistanceSplits) for choice in recipe.plan.splits):
        raise PlanError(
            "kind='corrected' is not possible for distance splits, which measure all columns at"
            " once, shadows too: use kind='permutation'."
        )
