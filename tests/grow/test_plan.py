"""A plan refuses what cannot be, and resolves fractions as scikit-learn does."""

import math

import numpy as np
import pytest

from silva.data.bind import bind_training
from silva.errors import PlanError
from silva.grow.plan import Plan


def numbers(n_columns):
    return bind_training(np.zeros((1, n_columns))).schema


def plan(**choices):
    return Plan("classification", choices.pop("criterion", "gini"), **choices)


def test_defaults_resolve_to_no_limits():
    assert plan().resolved(100, numbers(2)) == {
        "criterion": "gini",
        "splitter": "best",
        "max_depth": 0,
        "min_samples_split": 2,
        "min_samples_leaf": 1,
        "min_weight_fraction_leaf": 0.0,
        "max_leaf_nodes": 0,
        "min_impurity_decrease": 0.0,
        "min_gain": 0.0,
        "max_features": 2,
        "seed": 0,
        "split_forms": [0, 0],
        "missing": (0, 0),
        "unseen": (1, 1),
        "breakpoints": False,
        "fair_categories": True,
        "oblique": None,
        "distance": None,
    }


def test_policies_are_those_of_the_schema():
    schema = bind_training(np.zeros((1, 3)), missing={1: "stop"}, unseen="own_branch").schema
    resolved = plan().resolved(10, schema)
    assert resolved["missing"] == (0, 3, 0)
    assert resolved["unseen"] == (2, 2, 2)


def test_breakpoints():
    assert plan(thresholds="breakpoints").resolved(10, numbers(1))["breakpoints"] is True
    with pytest.raises(PlanError, match="Did you mean 'breakpoints'"):
        plan(thresholds="breakpoint")
    with pytest.raises(PlanError, match="thresholds='breakpoints' needs splitter='best'"):
        plan(thresholds="breakpoints", splitter="random")


def test_gain_ratio_is_for_classes():
    assert plan(criterion="gain_ratio").criterion == "gain_ratio"
    with pytest.raises(PlanError, match="measures classification targets"):
        Plan("regression", "gain_ratio")


def test_log_loss_is_entropy():
    assert plan(criterion="log_loss").criterion == "entropy"
    assert plan(criterion="log_loss") == plan(criterion="entropy")


@pytest.mark.parametrize(
    ("choice", "rows", "expected"),
    [
        ({"min_samples_split": 0.1}, 95, ("min_samples_split", 10)),
        ({"min_samples_split": 0.001}, 95, ("min_samples_split", 2)),
        ({"min_samples_split": 1.0}, 95, ("min_samples_split", 95)),
        ({"min_samples_leaf": 0.1}, 95, ("min_samples_leaf", 10)),
        ({"min_samples_leaf": np.int64(3)}, 95, ("min_samples_leaf", 3)),
        ({"min_samples_leaf": np.float32(0.5)}, 10, ("min_samples_leaf", 5)),
        ({"max_depth": np.int8(4)}, 10, ("max_depth", 4)),
        ({"max_depth": 2, "max_leaf_nodes": 100}, 10, ("max_leaf_nodes", 100)),
        ({"seed": np.uint64(2**64 - 1)}, 10, ("seed", 2**64 - 1)),
    ],
)
def test_resolved(choice, rows, expected):
    name, value = expected
    resolved = plan(**choice).resolved(rows, numbers(4))[name]
    assert resolved == value
    assert type(resolved) is type(value)


@pytest.mark.parametrize(
    ("rule", "columns", "tried"),
    [
        (None, 10, 10),
        (3, 10, 3),
        (30, 10, 10),
        (0.25, 10, 2),
        (0.01, 10, 1),
        (1.0, 10, 10),
        ("sqrt", 10, 3),
        ("log2", 10, 3),
        ("log2", 1, 1),
    ],
)
def test_columns_tried(rule, columns, tried):
    assert plan(max_features=rule).columns_tried(columns) == tried


BAD_NUMBERS = [math.nan, True, "3", [1], np.bool_(True), 1 + 0j]
BAD = [
    *[("max_depth", value) for value in (0, -1, 2.0, *BAD_NUMBERS)],
    *[("max_leaf_nodes", value) for value in (0, 1, 2.5, *BAD_NUMBERS)],
    *[("min_samples_split", value) for value in (0, 1, 0.0, 1.5, None, *BAD_NUMBERS)],
    *[("min_samples_leaf", value) for value in (0, -3, 0.0, 0.6, 1.0, None, *BAD_NUMBERS)],
    *[("min_weight_fraction_leaf", value) for value in (-0.1, 0.51, None, *BAD_NUMBERS)],
    *[("min_impurity_decrease", value) for value in (-1e-9, math.inf, None, *BAD_NUMBERS)],
    *[("min_gain", value) for value in (-1.0, math.inf, None, *BAD_NUMBERS)],
    *[("max_features", value) for value in (0, -1, 0.0, 1.5, "auto", *BAD_NUMBERS)],
    *[("splitter", value) for value in ("bets", None, 1, ["best"])],
    *[("thresholds", value) for value in ("some", None, 1)],
    *[(name, value) for name in ("missing", "unseen") for value in ("drop", None, 1)],
    *[("seed", value) for value in (-1, 2**64, 1.0, None, True, "1")],
]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_bad_values_name_the_parameter_and_what_was_seen(name, value):
    with pytest.raises(PlanError) as caught:
        plan(**{name: value})
    message = str(caught.value)
    assert message.startswith(f"{name}=")
    assert repr(value) in message
    assert "use " in message


@pytest.mark.parametrize(
    ("task", "name", "words"),
    [
        ("classification", "ginni", "Did you mean 'gini'"),
        ("classification", "logloss", "Did you mean 'log_loss'"),
        ("classification", "squared_error", "measures regression targets"),
        ("regression", "gini", "measures classification targets"),
        ("regression", "log_loss", "measures classification targets"),
        ("regression", "mse", "'squared_error' or 'poisson'"),
        ("regression", None, "'squared_error' or 'poisson'"),
        ("regression", ["poisson"], "'squared_error' or 'poisson'"),
    ],
)
def test_wrong_criteria_are_explained(task, name, words):
    with pytest.raises(PlanError, match="criterion=") as caught:
        Plan(task, name)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"min_samples_leaf": 0.6}, "more than half of the rows"),
        ({"min_weight_fraction_leaf": 0.6}, "more than half of the weight"),
        ({"min_samples_split": 1}, "one row cannot be split"),
        ({"splitter": "bests"}, "Did you mean 'best'"),
        ({"max_features": "sqr"}, "Did you mean 'sqrt'"),
    ],
)
def test_the_likely_cause_is_told(choice, words):
    with pytest.raises(PlanError, match=words):
        plan(**choice)


def test_unknown_task():
    with pytest.raises(PlanError, match="task='ranking'"):
        Plan("ranking", "gini")


def test_a_plan_is_frozen():
    with pytest.raises(AttributeError):
        plan().max_depth = 3
