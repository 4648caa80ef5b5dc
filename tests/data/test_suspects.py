"""Columns that look like identifiers, text, dates or numbers, and levels spelt in two ways."""

import datetime
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from silva.data.bind import bind_training
from silva.data.look import is_date
from silva.data.notation import is_amount
from silva.data.suspects import warn_of_suspects
from silva.errors import DataWarning

RNG = np.random.default_rng(3)
WORDS = ["the", "engine", "rattles", "when", "cold", "since", "last", "service", "again", "loudly"]
NOTES = [" ".join(RNG.choice(WORDS, 8)) + f" {i}" for i in range(60)]
DAYS = [str(datetime.date(2024, 1, 1) + datetime.timedelta(i)) for i in range(60)]


def told(column: Any, **bound: Any) -> list[str]:
    """The warnings about a table of this column, which is called c."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        warn_of_suspects(bind_training(pd.DataFrame({"c": column}), **bound))
    assert all(one.category is DataWarning for one in found)
    return [str(one.message) for one in found]


def is_told(sort: str, seen: str, column: Any, **bound: Any) -> bool:
    """Whether there is one warning, of this sort, that says what was seen."""
    messages = told(column, **bound)
    return len(messages) == 1 and messages[0].startswith(f"{sort}: 'c' (") and seen in messages[0]


IDENTIFIERS = "columns that look like identifiers"
TEXT = "columns of free text"
DATES = "dates stored as text"
NUMBERS = "numbers stored as text"
SPELLING = "levels that differ only in spaces or case"


@pytest.mark.parametrize(
    ("column", "seen"),
    [
        ([f"p{i}" for i in range(20)], "20 different values in 20 rows, such as 'p0'"),
        ([f"p{i // 2}" for i in range(60)], "30 different values in 60 rows"),
        ([*(f"p{i}" for i in range(25)), None, None], "25 different values in 25 rows"),
        ([f"{i:04}" for i in range(40)], "such as '0000'"),
        ([f"Smith, Mr. John {i}" for i in range(40)], "such as 'Smith, Mr. John 0'"),
    ],
)
def test_identifiers(column: Any, seen: str) -> None:
    assert is_told(IDENTIFIERS, seen, column)


def test_identifiers_that_are_numbers_or_declared_categories() -> None:
    assert is_told(IDENTIFIERS, "such as 0.0", np.arange(30.0), categorical_features=["c"])
    assert is_told(IDENTIFIERS, "30 different", pd.Categorical([f"p{i}" for i in range(30)]))
    texts = [f"p{i}" for i in range(30)]
    assert is_told(IDENTIFIERS, "30 different", texts, categorical_features={"c": texts})


@pytest.mark.parametrize(
    "column",
    [
        [f"p{i}" for i in range(19)],
        [f"p{i // 3}" for i in range(90)],
        [f"p{i % 19}" for i in range(30)],
        pd.Categorical(["a", "b"] * 20, [f"p{i}" for i in range(50)] + ["a", "b"]),
        pd.Categorical(range(30), ordered=True),
        np.arange(30.0),
        ["same"] * 40,
        [None] * 40,
    ],
)
def test_what_is_no_identifier(column: Any) -> None:
    assert told(column) == []


def test_free_text() -> None:
    assert is_told(TEXT, "60 different values in 60 rows, such as '", NOTES)
    assert is_told(TEXT, "9 words on average", NOTES)
    often = [*NOTES, *["none"] * 100]
    assert is_told(TEXT, "61 different values in 160 rows", often)
    assert told([*NOTES[:6]] * 30) == []
    long = max(told([f"{'word ' * 100}{i}" for i in range(30)]), key=len)
    assert len(long) < 400


@pytest.mark.parametrize(
    "layout",
    [
        "%Y-%m-%d",
        "%Y/%m/%d",
        "%Y.%m.%d",
        "%Y-%m-%d %H:%M",
        "%Y-%m-%dT%H:%M:%S",
        "%Y-%m-%dT%H:%M:%S.%fZ",
        "%Y-%m-%d %H:%M:%S+01:00",
        "%Y%m%d",
        "%Y%m%dT%H%M%S",
        "%d/%m/%Y",
        "%m/%d/%Y",
        "%d.%m.%Y",
        "%d-%m-%Y",
        "%m/%d/%y",
        "%m/%d/%Y %I:%M %p",
        "%d-%b-%Y",
        "%d %b %y",
        "%d %B %Y",
        "%B %d, %Y",
        "%b %d %Y",
        "%a, %d %b %Y %H:%M:%S GMT",
    ],
)
def test_dates(layout: str) -> None:
    start = datetime.datetime(2019, 5, 28, 7, 5, 9, 120)
    column = [(start + datetime.timedelta(days=17 * i)).strftime(layout) for i in range(200)]
    assert is_told(
        DATES, f"200 different values in 200 rows, such as {sorted(column)[0]!r}", column
    )
    assert is_told(DATES, "but not '?'", [*column[:12], "?", None])


@pytest.mark.parametrize(
    "text",
    [
        *("", "2024", "2024-13-01", "2024-01-32", "31/13/2024", "1.2.10", "10-20", "12:30", "jan"),
        *("2024-01", "123-45-6789", "192.168.0.1", "20241301", "555-1234", "3/4", "Ulm 12"),
    ],
)
def test_what_is_no_date(text: str) -> None:
    assert not is_date(text)


@pytest.mark.parametrize(
    "text",
    [
        *("1", "-1.5", "+.5", "5.", "1e9", "1,5", "1,234,567.8", "0", "0.5", " 12 ", "0,5"),
        *("$41,508.76", "1\u202f234,5 €", "12%", "(300)", "CHF 1'234", "-$5", "\u22125", "EUR 7"),
    ],
)
def test_numbers_as_text(text: str) -> None:
    assert is_amount(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", ".", "-", "02134", "-01", "1 2", "1.2.3", "12a", "nan", "?"),
        *("5k", "$", "$5€", "12 kg", "555-1234", "2024-01-02"),
    ],
)
def test_what_is_no_number(text: str) -> None:
    assert not is_amount(text)


def test_columns_of_numbers_as_text() -> None:
    column = [f"{i / 4}" for i in range(40)]
    assert is_told(NUMBERS, "40 different values in 41 rows, such as '0.0'", [*column, "0.25"])
    assert is_told(NUMBERS, "such as '0.0', but not '?'", [*column, "?"])
    assert told([str(i % 9) for i in range(50)]) == []
    assert told([f"{i:05}" for i in range(0, 90_000, 5000)] * 4) == []


def test_one_other_value_or_a_few_of_many_do_not_hide_dates() -> None:
    assert is_told(DATES, "but not 'n/a'", [*DAYS[:10], "n/a"])
    assert is_told(DATES, "but not 'later'", [*DAYS, "n/a", "soon", "later"])
    assert told([*DAYS[:10], "n/a", "soon"] * 4) == []
    assert told(DAYS[:9] * 4) == []


def test_levels_that_differ_in_spaces_or_case() -> None:
    column = ["Paris", "paris ", "PARIS", "Rome", "Ulm", "New York", "New  York"] * 5
    (message,) = told(column)
    groups = "'New  York', 'New York'; 'PARIS', 'Paris', 'paris '"
    assert message.startswith(f"{SPELLING}: 'c' ({groups}). They are kept apart")
    assert "column.str.strip().str.lower()" in message
    levels = bind_training(pd.DataFrame({"c": column})).schema.columns[0].levels
    assert levels == ("New  York", "New York", "PARIS", "Paris", "Rome", "Ulm", "paris ")


def test_only_levels_that_occur_are_spelt_in_two_ways() -> None:
    declared = ["low", "Low", "high"]
    assert told(pd.Categorical(["low", "high"] * 5, declared)) == []
    assert is_told(SPELLING, "'low', 'Low'", pd.Categorical(declared * 5, declared, ordered=True))
    assert told(["Yes", "no", "Yes", None]) == []


def test_many_groups_of_spellings_are_counted() -> None:
    towns = [f"{town}{i % 8}" for i in range(64) for town in ("town", "Town")]
    assert is_told(SPELLING, "('Town0', 'town0'; 'Town1', 'town1' and 6 more)", towns)


def test_a_column_is_told_about_once_and_columns_of_a_sort_together() -> None:
    frame = pd.DataFrame(
        {
            "day": DAYS,
            "note": NOTES,
            "id": [f"{'a' if i % 2 else 'A'}{i // 2}" for i in range(60)],
            "key": [f"k{i}" for i in range(60)],
            "town": ["Ulm", "ulm"] * 30,
            "size": [1.5, 2.5] * 30,
        }
    )
    with pytest.warns(DataWarning) as found:
        warn_of_suspects(bind_training(frame))
    starts = [str(one.message).split(" (")[0] for one in found]
    assert starts == [
        f"{DATES}: 'day'",
        f"{TEXT}: 'note'",
        f"{IDENTIFIERS}: 'id'",
        f"{SPELLING}: 'town'",
    ]
    assert "'key' (60 different values" in str(found[2].message)


def test_of_many_columns_the_first_are_listed() -> None:
    frame = pd.DataFrame({f"id{i}": [f"p{j}" for j in range(30)] for i in range(13)})
    with pytest.warns(DataWarning, match=r"'id9' \([^)]*\) and 3 more\. Such values") as found:
        warn_of_suspects(bind_training(frame))
    assert len(found) == 1


NUMBERS_OF_A_FEW = np.array([41508.76, 9.5, -3.0, 1234.0, 0.25, *np.arange(2000.0, 2010.5)])
SPELLINGS = {
    "$": lambda number: f"${number:,.2f}".replace("$-", "-$"),
    "euros": lambda number: f"{number:_.2f} €".replace(".", ",").replace("_", "\u202f"),
    "percent": lambda number: f"{number}%",
    "parentheses": lambda number: f"({-number:,.2f})" if number < 0 else f"{number:,.2f}",
    "francs": lambda number: f"CHF {number:_.2f}".replace("_", "\u2019"),
    "commas": lambda number: f"{number:.2f}".replace(".", ","),
    "points": lambda number: f"EUR {number:_.2f}".replace(".", ",").replace("_", "."),
    "minus": lambda number: f"{number:.2f}".replace("-", "\u2212"),
    "plain": lambda number: f"{number:.2f}",
}


@pytest.mark.parametrize("sort", SPELLINGS)
@pytest.mark.parametrize("strangers", [[], ["unknown"]])
def test_the_line_that_converts(sort: str, strangers: list[str]) -> None:
    column = [*map(SPELLINGS[sort], NUMBERS_OF_A_FEW), *strangers]
    (message,) = told(column)
    assert message.startswith(f"{NUMBERS}: 'c' (")
    line = message.split("; ")[1].split("). They are read")[0]
    X = pd.DataFrame({"c": column})
    exec(line.partition(", if its")[0], {"pandas": pd, "X": X})
    assert X["c"].to_numpy()[: len(NUMBERS_OF_A_FEW)].tolist() == NUMBERS_OF_A_FEW.tolist()
    assert X["c"].isna().sum() == len(strangers)


def test_commas_that_may_be_either_are_said() -> None:
    column = [f"{i},{i:03}" for i in range(1, 60)]
    assert is_told(NUMBERS, ", if its commas stand between thousands)", column)
    assert not any("commas" in one for one in told([str(i) for i in range(60)]))


def test_units_that_differ_are_said() -> None:
    column = [f"{i}%" for i in range(20)] + [f"0.{i}" for i in range(20)]
    assert is_told(NUMBERS, "; in different units, such as '0%' and '0.0')", column)
