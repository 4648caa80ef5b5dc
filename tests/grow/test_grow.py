"""Growing through Python: what `grow` adds to the core."""

import numpy as np
import pytest

from silva.data.bind import bind_classes, bind_numbers, bind_training
from silva.errors import DataError, PlanError
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.tree.check import check

ROWS = np.arange(10.0)[:, None]


def classes(weights=None):
    return bind_classes([0, 0, 0, 1, 1, 0, 1, 1, 0, 1], weights, None, 10)


def test_the_tree_knows_where_it_comes_from():
    table = bind_training(ROWS)
    tree = grow(table, classes(), Plan("classification", "log_loss"))
    assert tree.schema is table.schema
    assert (tree.task, tree.criterion) == ("classification", "entropy")
    assert tree.classes.tolist() == [0, 1]
    assert tree.leaf_rows.sum() == 10
    check(tree)


def test_fractions_are_of_the_rows_that_have_a_weight():
    """Half of the 4 rows with a weight is 2, so the first split is possible; of 10 it would not."""
    table, weights = bind_training(ROWS), np.array([1.0, 1.0, 0, 1.0, 1.0, 0, 0, 0, 0, 0])
    tree = grow(table, classes(weights), Plan("classification", "gini", min_samples_leaf=0.5))
    assert tree.leaf_rows.tolist() == [2, 2]


def test_a_plan_for_another_task_is_refused():
    with pytest.raises(PlanError, match=r"regression plan.*classification target"):
        grow(bind_training(ROWS), classes(), Plan("regression", "squared_error"))


def test_policies_of_the_plan_replace_those_of_the_table():
    table = bind_training(ROWS, missing="stop")
    assert grow(table, classes(), Plan("classification", "gini")).schema is table.schema
    plan = Plan("classification", "gini", missing="own_branch", unseen="stop")
    policies = [(c.missing, c.unseen) for c in grow(table, classes(), plan).schema.columns]
    assert policies == [("own_branch", "stop")]
    same = bind_training(ROWS, missing="own_branch", unseen="stop")
    assert grow(same, classes(), plan).schema is same.schema


def test_a_plan_may_forbid_missing_values():
    table = bind_training(np.where(ROWS == 3.0, np.nan, ROWS))
    with pytest.raises(DataError, match="'x0' is missing in row 3"):
        grow(table, classes(), Plan("classification", "gini", missing="error"))


@pytest.mark.parametrize("values", [[-1.0] + [2.0] * 9, [0.0] * 10])
def test_poisson_needs_counts(values):
    with pytest.raises(DataError, match="criterion='poisson'"):
        grow(bind_training(ROWS), bind_numbers(values, None, 10), Plan("regression", "poisson"))
