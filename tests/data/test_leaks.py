"""Columns that are the target under another name, found by early exits as by brute force."""

import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silva.data.bind import bind_classes, bind_numbers, bind_training
from silva.data.leaks import warn_of_leaks
from silva.errors import DataWarning

RNG = np.random.default_rng(5)
CLASSES = RNG.permutation(np.repeat(["good", "bad", "ugly"], 20))
PRICES = RNG.integers(0, 30, 60) + 0.5
OTHER = RNG.normal(size=60)


def told(column: Any, target: Any, weights: Any = None, classes: bool = True) -> list[str]:
    """The warnings about a column called c beside a column of noise."""
    frame = pd.DataFrame({"noise": RNG.normal(size=len(column)), "c": column})
    table = bind_training(frame)
    if classes:
        bound = bind_classes(target, weights, None, len(column))
    else:
        bound = bind_numbers(target, weights, len(column))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        warn_of_leaks(table, bound)
    assert all(one.category is DataWarning for one in found)
    return [str(one.message) for one in found]


def renamed(names: dict[str, Any]) -> list[Any]:
    return [names[one] for one in CLASSES]


@pytest.mark.parametrize(
    "column",
    [
        CLASSES,
        renamed({"good": "A", "bad": "B", "ugly": "C"}),
        renamed({"good": 3, "bad": 1, "ugly": 2}),
        renamed({"good": 0.5, "bad": -7.25, "ugly": float("inf")}),
        pd.Categorical(renamed({"good": "A", "bad": "B", "ugly": "C"}), list("DCBA"), ordered=True),
    ],
)
def test_a_renaming_of_the_classes(column: Any) -> None:
    (message,) = told(column, CLASSES)
    assert message.startswith("columns that are a copy or a renaming of the target (a leak): 'c' (")
    assert "where the target is 'bad'" in message
    assert message.endswith("Drop the column if it is not known when predictions are made")


def test_the_words_give_examples() -> None:
    (message,) = told(np.array(["no", "yes"] * 15), [0, 1] * 15)
    assert "'c' (one to one: 'no' where the target is 0, 'yes' where the target is 1)" in message
    (message,) = told(renamed({"good": 3, "bad": 1, "ugly": 2}), CLASSES)
    assert "(one to one: 1 where the target is 'bad', 3 where the target is 'good' ...)" in message


def test_missing_values_are_left_aside() -> None:
    column = pd.Series(CLASSES).where(np.arange(60) % 3 > 0)
    assert told(column, CLASSES)
    assert told(column.map({"good": 1.0, "bad": 2.0, "ugly": 3.0}), CLASSES)
    assert not told(column.where(np.arange(60) % 3 > 1), CLASSES)


def test_what_is_no_leak() -> None:
    finer = [f"{one}{i % 2}" for i, one in enumerate(CLASSES)]
    coarser = ["good" if one == "good" else "not" for one in CLASSES]
    one_off = ["bad" if i == 41 else one for i, one in enumerate(CLASSES)]
    assert CLASSES[41] != "bad"
    for column in (finer, coarser, one_off, ["same"] * 60, [None] * 60, OTHER):
        assert told(column, CLASSES) == []


def test_too_little_evidence() -> None:
    assert told([0, 1] * 9, ["a", "b"] * 9) == []
    assert told(np.arange(40), np.arange(40)) == []
    assert told(OTHER, [f"k{i}" for i in range(60)]) == []
    assert told([1, 1, *[0] * 58], ["yes", "yes", *["no"] * 58]) == []
    assert told([1] * 5 + [0] * 55, ["yes"] * 5 + ["no"] * 55)
    assert told([1] * 60, ["yes"] * 60) == []


def test_rows_of_weight_zero_are_left_aside() -> None:
    column = CLASSES.copy()
    column[:30] = CLASSES[:30][::-1]
    assert told(column, CLASSES, np.arange(60) >= 30)
    assert told(column, CLASSES, np.arange(60) >= 29) == []
    assert told(column, CLASSES) == []
    assert told(CLASSES, CLASSES, np.arange(60) >= 45) == []


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (PRICES, "'c' (equal to the target)"),
        (PRICES * 0.453592 + 3.0, "'c' (the target is 2.20462 times the column - 6.61387)"),
        (-PRICES, "'c' (the target is -1 times the column)"),
        ((PRICES * 2).astype(np.int8), "'c' (the target is 0.5 times the column)"),
        ([f"{one} EUR" for one in PRICES], "EUR' where the target is "),
    ],
)
def test_a_copy_of_a_number(column: Any, words: str) -> None:
    (message,) = told(column, PRICES, classes=False)
    assert words in message


def test_what_is_no_copy_of_a_number() -> None:
    nearly = PRICES.copy()
    nearly[17] += 1e-6
    for column in (OTHER, PRICES**2, PRICES + OTHER * 1e-3, nearly, PRICES > 10, ["same"] * 60):
        assert told(column, PRICES, classes=False) == []
    assert told(np.full(60, 2.0), PRICES, classes=False) == []
    assert told(OTHER, np.full(60, 2.0), classes=False) == []
    assert told(np.full(60, 2.0), np.full(60, 3.0), classes=False) == []
    assert told([*[0.0] * 58, 1.0, 2.0], [*[0.0] * 58, 1.0, 2.0], classes=False) == []


def test_numbers_at_the_ends_of_float64() -> None:
    huge = OTHER / np.abs(OTHER).max() * 1e288
    assert told(huge, huge, classes=False)
    assert told(np.where(OTHER > 0, np.inf, OTHER), OTHER, classes=False) == []
    assert told(OTHER, huge / 4, classes=False)
    assert told(1e9 + 1e-3 * OTHER, 1e9 + 1e-3 * RNG.normal(size=60), classes=False) == []
    assert told(OTHER * 5e-324, OTHER, classes=False) == []


def test_columns_are_listed_together() -> None:
    frame = pd.DataFrame({f"c{i}": CLASSES for i in range(12)})
    with pytest.warns(DataWarning, match=r"'c9' \([^)]*\) and 2 more\. Drop") as found:
        warn_of_leaks(bind_training(frame), bind_classes(CLASSES, None, None, 60))
    assert len(found) == 1


@given(st.integers(0, 10**6))
def test_early_exits_miss_no_leak_of_classes(seed: int) -> None:
    """Random small columns, often one to one but for a few rows, against the slow definition."""
    rng = np.random.default_rng(seed)
    n_rows, n_values = int(rng.integers(20, 90)), int(rng.integers(1, 5))
    target = rng.integers(0, int(rng.integers(1, 5)), n_rows)
    column = rng.permutation(9)[target].astype(float)
    spoilt = rng.random(n_rows) < rng.choice([0.0, 0.0, 0.02])
    column[spoilt] = rng.integers(0, n_values, spoilt.sum())
    column[rng.random(n_rows) < rng.choice([0.0, 0.2])] = np.nan
    weights = None if rng.random() < 0.5 else (rng.random(n_rows) < 0.8) + 0.0
    kept = np.ones(n_rows, bool) if weights is None else weights > 0
    expected = kept.any() and is_leak(column[kept], target[kept])
    if kept.any():
        assert bool(told(column, target, weights)) == expected


def is_leak(column: np.ndarray, target: np.ndarray) -> bool:
    known = [pair for pair in zip(column, target, strict=True) if pair[0] == pair[0]]
    pairs, values, labels = set(known), {one for one, _ in known}, {one for _, one in known}
    most = max((sum(label == one for _, label in known) for one in labels), default=0)
    return (
        len(pairs) == len(values) == len(labels) >= 2
        and len(known) >= max(20, len(column) / 2)
        and len(known) - len(labels) >= 10
        and len(known) - most >= 5
    )


@given(st.integers(0, 10**6))
def test_many_columns_are_looked_at_side_by_side(seed: int) -> None:
    """Lines of the target among noise, level columns, holes, infinities and lines with one flaw."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(20, 90))
    target = rng.integers(0, int(rng.integers(2, 40)), n_rows) * rng.choice([1.0, 1e-9, 1e15])
    target += rng.choice([0.0, 1e9])
    X = rng.choice([0.0, 1.0, np.nan, np.inf, -np.inf], (n_rows, 120))
    X[:, :60] = rng.normal(size=(n_rows, 60))
    X[:, 1::20] = target[:, np.newaxis] * rng.choice([1.0, -3.0, 1e-3], 6) + rng.choice([0, 7.0])
    X[rng.integers(n_rows), 1::40] += rng.choice([1.0, np.inf])
    X[rng.random(n_rows) < 0.2, 41] = np.nan
    X = X.astype(rng.choice([np.float32, np.float64]))
    weights = None if rng.random() < 0.5 else (rng.random(n_rows) < 0.8) + 0.0
    by_column = np.array([told(column, target, weights, classes=False) != [] for column in X.T])
    table, bound = bind_training(X), bind_numbers(target, weights, n_rows)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        warn_of_leaks(table, bound)
    expected = [f"x{i}" for i in np.flatnonzero(by_column)]
    listed = [re.findall(r"'(x\d+)' \(", str(one.message)) for one in found]
    assert listed == ([expected] if expected else [])
