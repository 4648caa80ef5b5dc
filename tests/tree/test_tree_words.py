"""Splits in words: exact, short, and safe in one line."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silva.data.schema import Column
from silva.tree import words
from silva.tree.splits import STOP, VALUE, Distance, Multiway, Oblique, Subset, Threshold

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
        (Threshold(0, 0.8, 0, 0), WIDTH, "petal_width < 0.8", "petal_width >= 0.8"),
        (Threshold(0, math.inf, 0, 0), WIDTH, "petal_width < inf", "petal_width >= inf"),
        (Threshold(0, -math.inf, 0, 0), WIDTH, "petal_width is missing", "petal_width is known"),
        (Threshold(0, -math.inf, 1, 1), WIDTH, "petal_width < -inf", "petal_width >= -inf"),
        (Threshold(0, 1.0, 0, 0), AI, "AI = no", "AI = yes"),
        (Threshold(0, 0.25, 0, 0), AI, "AI = no", "AI = yes"),
        (Threshold(0, 0.0, 0, 0), AI, "AI < no", "AI >= no"),
        (Threshold(0, 2.0, 0, 0), AI, "AI is any level", "AI is no level"),
        (Threshold(0, 1.0, 0, 0), SIZE, "size < medium", "size >= medium"),
        (Threshold(0, 1.5, 0, 0), SIZE, "size < large", "size >= large"),
        (Threshold(0, -math.inf, 0, 0), SIZE, "size is missing or unseen", "size is known"),
        (Subset(0, (0,), (), 0, 0), COLOR, "color != red", "color = red"),
        (Subset(0, (2,), (), 0, 0), COLOR, "color != 'light, green'", "color = 'light, green'"),
        (Subset(0, (0, 1), (), 0, 0), COLOR, "color not in {red, blue}", "color in {red, blue}"),
        (Subset(0, (), (), 0, 0), COLOR, "color not in {}", "color in {}"),
        (Subset(0, (), (), 1, 0), COLOR, "color is known or unseen", "color is missing"),
        (Subset(0, (), (), 1, 1), COLOR, "color is known", "color is missing or unseen"),
    ],
)
def test_conditions(split, column, left, right):
    assert words.conditions(split, [column]) == (left, right)


@pytest.mark.parametrize(
    ("split", "column", "heavier", "left", "right"),
    [
        (Threshold(0, 0.8, 0, 0), WIDTH, 0, "petal_width < 0.8", "petal_width >= 0.8"),
        (Threshold(0, 0.8, 0, 0), WIDTH, 1, "petal_width < 0.8 or missing", "petal_width >= 0.8"),
        (Threshold(0, 0.8, 1, 1), WIDTH, 0, "petal_width < 0.8", "petal_width >= 0.8 or missing"),
        (Threshold(0, 1.0, 1, 1), AI, 0, "AI = no", "AI = yes or missing or unseen"),
        (Threshold(0, -math.inf, 0, 0), WIDTH, 1, "petal_width is missing", "petal_width is known"),
        (Subset(0, (0,), (), 1, 0), COLOR, 0, "color != red", "color = red or missing"),
        (Subset(0, (0,), (), 1, 0), COLOR, 1, "color != red or unseen", "color = red"),
        (Subset(0, (0,), (), 0, 0), COLOR, 1, "color != red or missing or unseen", "color = red"),
        (Subset(0, (), (), 1, 0), COLOR, 1, "color is known or unseen", "color is missing"),
    ],
)
def test_missing_values_are_mentioned_where_they_leave_the_heavier_child(
    split, column, heavier, left, right
):
    assert words.edges(split, [column], heavier) == (left, right)


AGE = Column("age", "continuous")
SEX = Column("sex", "binary", ("female", "male"))
TABLE = (AGE, Column("bmi", "continuous"), SEX, SIZE, COLOR)


@pytest.mark.parametrize(
    ("split", "told"),
    [
        (Threshold(0, 3.0, 2, 2), ("age < 3", "age >= 3", "age is missing")),
        (Threshold(3, 1.0, 2, 2), ("size < medium", "size >= medium", "size is missing or unseen")),
        (Threshold(3, 1.0, 2, 0), ("size < medium", "size >= medium", "size is missing")),
        (Threshold(3, 1.0, 0, 1), ("size < medium", "size >= medium or unseen")),
        (Threshold(3, 1.0, STOP, STOP), ("size < medium", "size >= medium")),
        (Threshold(3, -math.inf, 0, STOP), ("size is missing", "size is known")),
        (Threshold(3, -math.inf, 0, 1), ("size is missing", "size is known or unseen")),
        (Subset(4, (0,), (1,), 0, 0), ("color = blue", "color = red")),
        (Subset(4, (0,), (1, 2), 0, 0), ("color in {blue, 'light, green'}", "color = red")),
        (Subset(4, (0,), (1,), 1, 1), ("color = blue", "color = red or missing or unseen")),
        (Subset(4, (0,), (), 2, 2), ("color != red", "color = red", "color is missing or unseen")),
        (Subset(4, (0,), (), 2, 1), ("color != red", "color = red or unseen", "color is missing")),
        (Subset(4, (), (0, 1), 1, STOP), ("color in {red, blue}", "color is missing")),
        (Subset(4, (), (0, 1), 1, 0), ("color in {red, blue} or unseen", "color is missing")),
        (Subset(3, (1,), (), 0, 0), ("size != medium", "size = medium")),
        (Multiway(4, (0, 1), 0, 0), ("color = red", "color = blue")),
        (Multiway(4, (0, 1), 1, STOP), ("color = red", "color = blue or missing")),
        (Multiway(4, (0, 1), 2, 2), ("color = red", "color = blue", "color is missing or unseen")),
        (Multiway(4, (1,), 1, 0), ("color = blue", "color is missing")),
    ],
)
def test_edges_of_one_column(split, told):
    assert words.edges(split, TABLE, heavier=0) == told


OBLIQUE = Oblique((0, 1, 2), (VALUE, VALUE, 1), (0.5, 1.2, 3.0), 12.25, 0)


@pytest.mark.parametrize(
    ("split", "rule"),
    [
        (OBLIQUE, "0.5*age + 1.2*bmi + 3*[sex = male] < 12.25"),
        (Oblique((0, 1), (-1, -1), (-0.5, -1.0), -3.0, 0), "-0.5*age - bmi < -3"),
        (Oblique((2, 0), (-1, -1), (1.0, 1e-7), 0.1, 0), "[sex = male] + 1e-07*age < 0.1"),
        (Oblique((2,), (0,), (2.0,), 1.0, 0), "2*[sex = female] < 1"),
        (Oblique((3, 3), (-1, 2), (2.0, -4.0), 1.0, 0), "2*position(size) - 4*[size = large] < 1"),
        (Oblique((4,), (2,), (2.0,), 1.0, 0), "2*[color = 'light, green'] < 1"),
    ],
)
def test_sums_in_words(split, rule):
    below, above = words.edges(split, TABLE, heavier=0)
    assert below == rule
    assert above == rule.replace(" < ", " >= ")


def test_names_in_sums_cannot_be_taken_for_signs():
    columns = [Column(name, "continuous") for name in ("a + b", "2*x", "petal width (cm)", "x.y")]
    split = Oblique((0, 1, 2, 3), (VALUE,) * 4, (1.0, 2.0, 3.0, 4.0), 0.0, 0)
    told = words.edges(split, columns, 0)[0]
    assert told == "'a + b' + 2*'2*x' + 3*'petal width (cm)' + 4*x.y < 0"


@pytest.mark.parametrize(
    ("split", "rule"),
    [
        (
            Distance("euclidean", (0, 1), (40.0, 22.5), (1.0, 1.0), (), 3.2, 0),
            "euclidean distance to (age 40, bmi 22.5) < 3.2",
        ),
        (
            Distance("manhattan", (0, 1), (40.0, 22.5), (0.0763, 0.25), (), 3.2, 0),
            "manhattan distance to (age 40, bmi 22.5) scaled by (0.0763, 0.25) < 3.2",
        ),
        (
            Distance("cosine", (3, 2), (2.0, 1.0), (1.0, 1.0), (), 0.5, 0),
            "cosine distance to (position(size) 2, [sex = male] 1) < 0.5",
        ),
        (
            Distance("mahalanobis", (0, 1), (1.0, 2.0), (1.0, 1.0), (1.0, 0.5, 0.5, 2.0), 3.0, 0),
            "mahalanobis distance to (age 1, bmi 2) with matrix ((1, 0.5), (0.5, 2)) < 3",
        ),
    ],
)
def test_distances_in_words(split, rule):
    assert words.edges(split, TABLE, heavier=0) == (rule, rule.replace(" < ", " >= "))


def test_rows_that_lack_a_value_of_many_columns():
    split = dataclasses.replace(OBLIQUE, missing_child=2)
    assert words.edges(split, TABLE, 0)[2] == "age or bmi or sex is missing or unseen"
    split = Oblique((0, 1), (-1, -1), (1.0, 1.0), 0.0, 2)
    assert words.edges(split, TABLE, 0)[2] == "age or bmi is missing"
    split = Oblique((0, 1), (-1, -1), (1.0, 1.0), 0.0, 1)
    assert words.edges(split, TABLE, 0)[1] == "age + bmi >= 0 or missing"


@pytest.mark.parametrize(
    ("split", "told"),
    [
        (Threshold(0, 3.0, STOP, STOP), "missing"),
        (Threshold(0, 3.0, 0, STOP), ""),
        (Threshold(3, 3.0, STOP, STOP), "missing or unseen"),
        (Subset(4, (0,), (), 1, STOP), "unseen"),
        (Multiway(4, (0, 1), STOP, 1), "missing"),
        (dataclasses.replace(OBLIQUE, missing_child=STOP), "missing or unseen"),
        (Distance("cosine", (0,), (1.0,), (1.0,), (), 1.0, STOP), "missing"),
    ],
)
def test_what_stops(split, told):
    assert words.stops(split, TABLE) == told


def test_long_lists_are_shortened_on_request():
    column = Column("zip", "categorical", tuple(f"z{i}" for i in range(20)))
    split = Subset(0, tuple(range(15)), (), 0, 0)
    short = words.edges(split, [column], 0, most=3)
    assert short == (
        "zip not in {z0, z1, z2 and 12 more}",
        "zip in {z0, z1, z2 and 12 more}",
    )
    assert words.edges(split, [column], 0)[1].count("z") == 16
    assert words.edges(Subset(0, (0, 1, 2, 3), (), 0, 0), [column], 0, most=3)[1].endswith("z3}")
    sum_of_many = Oblique((0,) * 9, tuple(range(9)), (1.0,) * 9, 2.0, 0)
    assert words.edges(sum_of_many, [column], 0, most=2)[0] == (
        "[zip = z0] + [zip = z1] + 7 more terms < 2"
    )


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


def test_levels_that_read_like_a_rule_are_quoted():
    for level in (
        "x or missing",
        "x or unseen",
        "known or is missing",
        "a → b",
        "a -> b",
        "a] + [b",
    ):
        assert words.value(level) == repr(level)
    assert words.value("missing") == "missing"
    assert words.value("this or that") == "this or that"
    town = Column("town", "categorical", ("Ulm", "Ulm or missing"))
    assert words.edges(Subset(0, (1,), (), 1, 0), [town], 0)[1] == (
        "town = 'Ulm or missing' or missing"
    )
