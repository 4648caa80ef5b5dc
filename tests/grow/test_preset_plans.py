"""The presets as plans: which choices they are, what they let change, what they refuse."""

import pytest

import silva
from silva.data.bind import bind_training
from silva.data.schema import Column, Schema
from silva.errors import PlanError
from silva.grow.plan import Plan
from silva.grow.presets import PRESETS, preset

SCHEMA = Schema(
    (
        Column("age", "continuous"),
        Column("town", "categorical", ("Bonn", "Ulm", "Kiel")),
        Column("size", "ordinal", ("S", "M")),
        Column("paid", "binary", ("no", "yes")),
    )
)
BINARY = Schema(SCHEMA.columns[3:])


def told(plan, schema=SCHEMA):
    return plan.resolved(100, schema)


def test_id3():
    plan = silva.ID3()
    assert (plan.criterion, plan.missing, plan.unseen) == ("entropy", "error", "stop")
    assert told(plan)["split_forms"] == [0, 3, 3, 0]
    assert told(plan)["breakpoints"]
    assert (plan.min_samples_leaf, plan.min_gain, plan.max_depth) == (1, 0.0, None)
    assert silva.ID3("error").criterion == "error"
    assert silva.ID3(criterion="gini", max_depth=2).max_depth == 2


def test_c45():
    plan = silva.C45()
    assert (plan.criterion, plan.missing, plan.unseen) == ("gain_ratio", "own_branch", "stop")
    assert told(plan)["split_forms"] == [0, 3, 0, 0]
    assert not told(plan)["breakpoints"]
    assert (plan.min_samples_leaf, plan.min_samples_split) == (2, 4)
    assert 0.0 < plan.min_gain < 1e-6
    assert silva.C45(min_samples_leaf=5).min_samples_leaf == 5


def test_cart():
    assert (silva.CART().task, silva.CART().criterion) == ("classification", "gini")
    assert silva.CART("regression").criterion == "squared_error"
    assert told(silva.CART())["split_forms"] == [0, 2, 0, 0]
    assert silva.CART(max_leaf_nodes=7).max_leaf_nodes == 7


def test_greedy_accuracy():
    plan = silva.greedy_accuracy()
    assert (plan.criterion, plan.missing, plan.unseen) == ("error", "error", "error")
    assert told(plan, BINARY)["split_forms"] == [0]


def test_a_column_that_a_preset_cannot_use_is_named():
    with pytest.raises(PlanError, match=r"column 'age' is continuous.*binary columns only.*Drop"):
        told(silva.greedy_accuracy())
    table = bind_training([["red", 1.0], ["blue", 2.0]])
    with pytest.raises(PlanError, match="column 'x0' is categorical"):
        told(silva.greedy_accuracy(), table.schema)


def test_kinds_of_columns_are_known_kinds():
    assert Plan("classification", "gini", column_kinds="binary").column_kinds == ("binary",)
    with pytest.raises(PlanError, match="Did you mean 'binary'"):
        Plan("classification", "gini", column_kinds=("ordinal", "binari"))


@pytest.mark.parametrize("name", PRESETS)
def test_presets_by_name(name):
    assert preset(name, "classification") == getattr(silva, name)()
    if name != "CART":
        with pytest.raises(PlanError, match=rf"plan='{name}'.*classification trees.*'CART'"):
            preset(name, "regression")
    assert preset("CART", "regression") == silva.CART("regression")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: preset("id3", "classification"), "Did you mean 'ID3'"),
        (lambda: preset("C5.0", "classification"), "'C45'"),
        (lambda: silva.ID3(criterion="gain_ratio"), "'entropy', 'error' or 'gini'"),
        (lambda: silva.CART("ranking"), "'classification' or 'regression'"),
        (lambda: silva.C45(max_dept=3), "C45 has no stopping rule 'max_dept'.*'max_depth'"),
        (lambda: silva.ID3(missing="learn"), "ID3 has no stopping rule 'missing'"),
        (lambda: silva.ID3(max_depth=0), "max_depth=0"),
    ],
)
def test_refused(make, words):
    with pytest.raises(PlanError, match=words):
        make()
