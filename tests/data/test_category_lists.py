"""Category lists given by the user, identifiers, and integers that float64 cannot hold."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from silva.data.bind import bind_prediction, bind_training
from silva.data.table import Table
from silva.errors import DataError

FRAME = pd.DataFrame({"colour": ["red", "blue", None, "red"], "ward": [3, 7, 3, 12]})


def column(table: Table, number: int) -> tuple[Any, ...]:
    found = table.schema.columns[number]
    return found.kind, found.levels, table.columns[number].tolist()


def test_levels_in_the_order_given() -> None:
    table = bind_training(FRAME, {"colour": ["red", "green", "blue"], "ward": None})
    assert column(table, 0) == ("categorical", ("red", "green", "blue"), [0, 2, -1, 0])
    assert column(table, 1) == ("categorical", (3, 7, 12), [0, 1, 0, 2])


def test_levels_of_numbers_by_index() -> None:
    table = bind_training(np.array([[3.0], [7.0], [np.nan]]), {0: np.array([7, 5, 3])})
    assert column(table, 0) == ("categorical", (7, 5, 3), [2, 0, -1])


def test_levels_turn_booleans_and_yes_and_no_into_categories() -> None:
    answers = pd.DataFrame({"paid": [True, False], "sold": ["no", "yes"]})
    table = bind_training(answers, {"paid": [True, False], "sold": ["yes", "no"]})
    assert column(table, 0) == ("categorical", (True, False), [0, 1])
    assert column(table, 1) == ("categorical", ("yes", "no"), [1, 0])


def test_an_empty_mapping_chooses_nothing() -> None:
    assert bind_training(FRAME, {}).schema == bind_training(FRAME).schema


def test_a_value_that_is_not_listed() -> None:
    with pytest.raises(DataError, match=r"'colour' holds 'blue' in row 1.*'red', 'bleu'.*'bleu'\?"):
        bind_training(FRAME, {"colour": ["red", "bleu"]})
    with pytest.raises(DataError, match=r"'ward' holds 12 in row 3.*3, 7.*Add the value"):
        bind_training(FRAME, {"ward": [3, 7]})


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ("red", "is not a list"),
        (3, "is not a list"),
        ([], "nothing"),
        (["red", None], "a missing value"),
        (["red", float("nan")], "a missing value"),
        (["red", "blue", "red"], "'red' more than once"),
    ],
)
def test_lists_that_are_none(levels: Any, words: str) -> None:
    with pytest.raises(DataError, match=rf"categorical_features\['colour'\].*{words}"):
        bind_training(FRAME, {"colour": levels})


def test_levels_of_an_unknown_column() -> None:
    with pytest.raises(DataError, match=r"names 'color'.*did you mean 'colour'"):
        bind_training(FRAME, {"color": ["red"]})


def test_large_integers_are_exact_as_categories() -> None:
    big = 2**53
    wards = np.array([[big], [big + 1], [big]])
    with pytest.raises(DataError, match=r"beyond 2\*\*53"):
        bind_training(wards)
    table = bind_training(wards, [0])
    assert column(table, 0) == ("categorical", (big, big + 1), [0, 1, 0])
    codes = bind_prediction(wards + 1, table.schema).columns[0]
    assert codes.tolist() == [1, -2, 1]


def test_large_integers_are_not_matched_with_rounded_ones() -> None:
    big = 2**53
    schema = bind_training(np.array([[big + 1], [big + 2]]), [0]).schema
    with pytest.raises(DataError, match=r"'x0'.*in row 1.*float64"):
        bind_prediction(np.array([[1.0], [big + 2]]), schema)
    assert bind_prediction(np.array([[1.0], [np.nan]]), schema).columns[0].tolist() == [-2, -1]
