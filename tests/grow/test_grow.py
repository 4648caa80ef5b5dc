"""Growing through Python: what `grow` adds to the core."""

import numpy as np
import pandas as pd
import pytest

from silva import _core
from silva.data.bind import bind_classes, bind_numbers, bind_training
from silva.errors import DataError, PlanError
from silva.grow.grow import core_data, grow
from silva.grow.plan import Plan
from silva.tree.check import check
from silva.tree.tree import from_arrays, from_core, same, split_tables, to_arrays
from tests.properties.cases import with_empty_tables

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


MIXED = {"number": np.arange(40.0) % 11, "town": list("abcdeabfga" * 4)}
KINDS = ["thresholds", "subset", "multiway", "oblique", "distance"]


def core_arrays(kind, target):
    """What the core makes of a table of numbers and towns, with splits of this kind."""
    table = bind_training(pd.DataFrame(MIXED if kind != "thresholds" else {"x": np.arange(40.0)}))
    splits = None if kind == "thresholds" else kind
    criterion = "gini" if target.task == "classification" else "squared_error"
    settings = Plan(target.task, criterion, splits=splits).resolved(40, table.schema)
    arrays = _core.grow(*core_data(table, target), threads=1, **settings)
    return (table.schema, target.task, target.classes, criterion), arrays


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_tree_from_the_core_is_the_tree_of_all_its_arrays(kind, task):
    values = np.arange(40) * 7 % 5
    made = bind_classes(values, None, None, 40)
    target = made if task == "classification" else bind_numbers(values * 1.5, None, 40)
    facts, arrays = core_arrays(kind, target)
    tree = from_core(*facts, arrays)
    assert same(check(tree), from_arrays(*facts, with_empty_tables(arrays)))
    assert not any(array.flags.writeable for array in to_arrays(tree).values())


def test_kinds_of_splits_that_a_tree_lacks_are_shared_and_read_only():
    plan = Plan("classification", "gini")
    first, second = (grow(bind_training(ROWS), classes(), plan) for _ in range(2))
    assert first.thresholds is not second.thresholds
    for kind, table in split_tables(first).items():
        assert (table is split_tables(second)[kind]) == (len(table.missing_child) == 0)
    for array in to_arrays(first).values():
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 1
