"""Splits in words: exact, short, and safe in one line."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silva.data.schema import Column
from silva.tree import words
from silva.tree.splits import Subset, Threshold

WIDTH = Column("petal_width", "continuous")
AI = Column("AI", "binary", ("no", "yes"))
SIZE = Column("size", "ordinal", ("small", "medium", "large"))
COLOR = Column("color", "categorical", ("red", "blue", "light, green"))


@given(st.floats(allow_nan=False))
def test_numbers_read_back_exactly(number):
    assert float(words.number(number)) == number
    assert not words.number(number).endswith(".0")


def test_numbers_are_short():
    told = [words.number(number) for number in (0.8, 3.0, -0.0, 1e22, 5e-324, -math.inf)]
    assert told == ["0.8", "3", "0", "1e+22", "5e-324", "-inf"]
    middle = (float(np.float32(0.1)) + float(np.float32(0.2))) / 2
    assert words.number(middle) == "0.15000000223517418"


@pytest.mark.parametrize(
    ("split", "column", "left", "right"),
    [
        (Threshold(0, 0.8, 0), WIDTH, "petal_width < 0.8", "petal_width >= 0.8"),
        (Threshold(0, math.inf, 0), WIDTH, "petal_width < inf", "petal_width >= inf"),
        (Threshold(0, -math.inf, 0), WIDTH, "petal_width is missing", "petal_width is known"),
        (Threshold(0, -math.inf, 1), WIDTH, "petal_width < -inf", "petal_width >= -inf"),
        (Threshold(0, 1.0, 0), AI, "AI = no", "AI = yes"),
        (Threshold(0, 0.25, 0), AI, "AI = no", "AI = yes"),
        (Threshold(0, 0.0, 0), AI, "AI < no", "AI >= no"),
        (Threshold(0, 2.0, 0), AI, "AI is any level", "AI is no level"),
        (Threshold(0, 1.0, 0), SIZE, "size < medium", "size >= medium"),
        (Threshold(0, 1.5, 0), SIZE, "size < large", "size >= large"),
        (Threshold(0, -math.inf, 0), SIZE, "size is missing or unseen", "size is known"),
        (Subset(0, (0,), 0, 0), COLOR, "color != red", "color = red"),
        (Subset(0, (2,), 0, 0), COLOR, "color != 'light, green'", "color = 'light, green'"),
        (Subset(0, (0, 1), 0, 0), COLOR, "color not in (red, blue)", "color in (red, blue)"),
        (Subset(0, (), 0, 0), COLOR, "color not in ()", "color in ()"),
        (Subset(0, (), 1, 0), COLOR, "color is known or unseen", "color is missing"),
        (Subset(0, (), 1, 1), COLOR, "color is known", "color is missing or unseen"),
    ],
)
def test_conditions(split, column, left, right):
    assert words.conditions(split, column) == (left, right)


@pytest.mark.parametrize(
    ("split", "column", "heavier", "left", "right"),
    [
        (Threshold(0, 0.8, 0), WIDTH, 0, "petal_width < 0.8", "petal_width >= 0.8"),
        (Threshold(0, 0.8, 0), WIDTH, 1, "petal_width < 0.8 or missing", "petal_width >= 0.8"),
        (Threshold(0, 0.8, 1), WIDTH, 0, "petal_width < 0.8", "petal_width >= 0.8 or missing"),
        (Threshold(0, 1.0, 1), AI, 0, "AI = no", "AI = yes or missing or unseen"),
        (Threshold(0, -math.inf, 0), WIDTH, 1, "petal_width is missing", "petal_width is known"),
        (Subset(0, (0,), 1, 0), COLOR, 0, "color != red", "color = red or missing"),
        (Subset(0, (0,), 1, 0), COLOR, 1, "color != red or unseen", "color = red"),
        (Subset(0, (0,), 0, 0), COLOR, 1, "color != red or missing or unseen", "color = red"),
        (Subset(0, (), 1, 0), COLOR, 1, "color is known or unseen", "color is missing"),
    ],
)
def test_missing_values_are_mentioned_where_they_leave_the_heavier_child(
    split, column, heavier, left, right
):
    assert words.edges(split, column, heavier) == (left, right)


@given(st.text())
def test_names_never_break_the_line(text):
    for told in (words.name(text), words.value(text)):
        assert told
        assert told.isprintable()
        assert told == told.strip()


def test_plain_names_stay_as_they_are():
    for name in ("petal width (cm)", "Größe", "x1", "driver's age"):
        assert words.name(name) == name
    assert words.name("a < b") == "'a < b'"
    assert words.name("") == "''"
    assert words.name("\x1b[31mred") == r"'\x1b[31mred'"


def test_levels_of_every_type():
    told = [words.value(level) for level in ("red", True, 3, 2.0, 0.5, np.int64(4), np.True_)]
    assert told == ["red", "True", "3", "2", "0.5", "4", "True"]
