"""Policies for missing and unseen values: part of the schema, and `error` is kept at the door."""

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

from silva.data.bind import bind_prediction, bind_training
from silva.data.by_column import ByColumn
from silva.data.policies import checked_policies
from silva.data.table import Table
from silva.errors import DataError, PlanError

NUMBERS = np.array([[1.0, 2.0], [3.0, np.nan], [5.0, 6.0]])
FRAME = pd.DataFrame(
    {
        "age": [20.0, np.nan, 40.0],
        "town": ["Ulm", "Bonn", None],
        "size": pd.Categorical(["S", "M", "S"], ["S", "M"], ordered=True),
        "paid": [True, False, True],
    }
)


def policies(table: Table) -> list[tuple[str, str]]:
    return [(column.missing, column.unseen) for column in table.schema.columns]


def test_the_defaults() -> None:
    assert policies(bind_training(NUMBERS)) == [("learn", "majority")] * 2
    assert policies(bind_training(FRAME)) == [("learn", "majority")] * 4


def test_one_policy_for_all_columns() -> None:
    table = bind_training(NUMBERS, missing="stop", unseen="own_branch")
    assert policies(table) == [("stop", "own_branch")] * 2
    assert not table.schema.named
    assert all(np.shares_memory(column, NUMBERS) for column in table.columns)


def test_policies_by_name_and_by_index() -> None:
    table = bind_training(FRAME, missing={"town": "own_branch", 0: "stop"}, unseen={-0: "learn"})
    assert policies(table) == [
        ("stop", "learn"),
        ("own_branch", "majority"),
        ("learn", "majority"),
        ("learn", "majority"),
    ]
    assert policies(bind_training(NUMBERS, missing={"x1": "majority"}))[1][0] == "majority"


def test_policies_travel_to_prediction() -> None:
    schema = bind_training(FRAME, missing="stop").schema
    assert bind_prediction(FRAME, schema).schema is schema


@pytest.mark.parametrize("parameter", ["missing", "unseen"])
@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ("majorty", "Did you mean 'majority'"),
        ("drop", "'own_branch', 'stop', 'error'"),
        (None, "NoneType"),
        (3, "=3"),
        ({"town": "Stop"}, r"\['town'\]='Stop'.*Did you mean 'stop'"),
    ],
)
def test_unknown_policies(parameter: str, choice: Any, words: str) -> None:
    with pytest.raises(PlanError, match=words) as caught:
        bind_training(FRAME, **{parameter: choice})
    assert str(caught.value).startswith(parameter)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ("twon", "missing names 'twon'.*did you mean 'town'"),
        (4, "missing has the index 4.*0 to 3"),
        (-1, "index -1"),
        (1.5, "has 1.5 of type float"),
    ],
)
def test_policies_of_unknown_columns(column: Any, words: str) -> None:
    with pytest.raises(PlanError, match=words):
        bind_training(FRAME, missing={column: "stop"})


def test_forbidden_missing_values_in_training() -> None:
    with pytest.raises(DataError, match=r"'x1' is missing in row 1 \(1 such.*missing='error'"):
        bind_training(NUMBERS, missing="error")
    with pytest.raises(DataError, match=r"'town' is missing in row 2.*'town': 'majority'"):
        bind_training(FRAME, missing={"town": "error"})
    complete = bind_training(FRAME, missing={"size": "error", "paid": "error"}, unseen="error")
    assert complete.n_rows == 3


def test_forbidden_values_in_prediction() -> None:
    schema = bind_training(FRAME[:1], missing="error", unseen="error").schema
    assert bind_prediction(FRAME[:1], schema).n_rows == 1
    with pytest.raises(DataError, match="'age' is missing in row 1"):
        bind_prediction(FRAME, schema)
    known = FRAME.assign(age=1.0)
    with pytest.raises(DataError, match=r"'town' is missing in row 2"):
        bind_prediction(known, schema)
    with pytest.raises(DataError, match=r"'town' holds 'Bonn', a value .* in row 1"):
        bind_prediction(known[:2], schema)
    sizes = known[:1].assign(size=pd.Categorical(["XL"], ordered=True))
    with pytest.raises(DataError, match=r"'size' holds 'XL'.*unseen='error'"):
        bind_prediction(sizes, schema)


def test_forbidden_missing_values_in_a_plain_array() -> None:
    schema = bind_training(NUMBERS[:1], missing={1: "error"}).schema
    with pytest.raises(DataError, match="'x1' is missing in row 1"):
        bind_prediction(NUMBERS, schema)
    assert bind_prediction(NUMBERS[::2], schema).n_rows == 2
    assert bind_prediction(np.arange(4).reshape(2, 2), schema).n_rows == 2
    assert bind_prediction(NUMBERS[:0], schema).n_rows == 0


def test_choices_by_column_are_frozen() -> None:
    given = {"town": "stop"}
    kept = checked_policies("missing", given)
    given["town"] = "learn"
    assert isinstance(kept, ByColumn)
    assert kept == {"town": "stop"}
    assert repr(kept) == "{'town': 'stop'}"
    assert copy.deepcopy(kept) == pickle.loads(pickle.dumps(kept)) == kept
    assert hash(kept) == hash(ByColumn({"town": "stop"}))
    assert checked_policies("missing", kept) is kept
