"""Numbers in few digits, against the rows that the thresholds separate."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import silva
from silva.data.column_facts import ColumnFacts
from silva.data.schema import Column, Schema
from silva.inspect.dialog import Dialog
from silva.inspect.rules.parse import parse_rule
from silva.tree.builder import TreeBuilder
from silva.tree.numerals import ROUNDED
from silva.tree.short_numbers import short_numbers
from silva.tree.splits import Threshold
from silva.tree.words import number


@st.composite
def columns(draw, n_rows):
    """Numbers as tables have them: decimals, offsets, whole numbers, full precision."""
    seed = draw(st.integers(0, 2**31))
    random = np.random.default_rng(seed)
    kind = draw(st.sampled_from(("decimals", "real", "integers", "money", "halves", "moments")))
    scale = 10.0 ** draw(st.integers(-6, 6))
    if kind == "decimals":
        return np.round(random.integers(0, 2000, n_rows) / 1000.0 * scale, 12)
    if kind == "real":
        return random.normal(draw(st.sampled_from((0.0, 100.0, 1e6))), 1.0, n_rows) * scale
    if kind == "integers":
        return (draw(st.sampled_from((0, 10**9, 10**14))) + random.integers(0, 30, n_rows)) * 1.0
    if kind == "money":
        return np.round(1.7e9 + random.integers(0, 500, n_rows) / 100.0, 2)
    if kind == "moments":
        return 1.7e9 + random.integers(0, 2000, n_rows) / 1000.0 + random.integers(0, 2) * 1e6
    return random.integers(-9, 9, n_rows) / 2.0


@st.composite
def tables(draw):
    n_rows = draw(st.integers(2, 40))
    parts = draw(st.lists(columns(n_rows), min_size=1, max_size=3))
    return np.stack(parts, axis=1), draw(st.integers(0, 2**31))


@settings(max_examples=150)
@given(tables(), st.booleans(), st.sampled_from(("model", "tree", "forest")))
def test_the_default_text_reads_back_and_predicts_the_same(table, is_class, what):
    X, seed = table
    random = np.random.default_rng([seed, 1])
    if is_class:
        y = random.integers(0, 3, len(X))
        model = silva.ForestClassifier if what == "forest" else silva.TreeClassifier
    else:
        y = random.normal(size=len(X)) * 1000.0
        model = silva.ForestRegressor if what == "forest" else silva.TreeRegressor
    choices = {"n_estimators": 3, "random_state": 0} if what == "forest" else {}
    model = model(**choices).fit(X, y)
    shown = model.grown_tree_ if what == "tree" else model
    for rule in silva.rules(shown):
        read = parse_rule(str(rule), shown)
        assert (read.covers(X) == rule.covers(X)).all()
        assert read.prediction == pytest.approx(rule.prediction, rel=1e-5)
        exact = parse_rule(rule.to_dict()["rule"], shown)
        assert exact.conditions == rule.conditions
        assert exact.prediction == rule.prediction
    for rule in silva.rules(shown, simplify=True) if what != "forest" else ():
        assert (parse_rule(str(rule), shown).covers(X) == rule.covers(X)).all()


def tree_of(*thresholds):
    """A chain of thresholds of one column."""
    builder = TreeBuilder(Schema((Column("x", "continuous"),)), "classification", np.array([0, 1]))
    parent, child = None, 0
    for limit in sorted(thresholds, reverse=True):
        node = builder.add_split(parent, child, Threshold(0, limit, 0, 0), gain=0.1)
        builder.add_leaf(node, 1, 2, {0: 2})
        parent, child = node, 0
    builder.add_leaf(parent, 0, 1, {1: 1})
    return builder.finish()


def facts(low, high):
    return ColumnFacts(*(np.array([one]) for one in (low, high, 0.0, 1.0)), np.array([0]))


@pytest.mark.parametrize(
    ("threshold", "span", "expected"),
    [
        (0.7304999999999999, (0.0, 1.0), "0.7305"),
        (41508.764999999998, (0.0, 9e4), "41508.765"),
        (0.1234567890123456, (0.0, 1.0), "0.123456789"),
        (1700000000.5, (1.6e9, 1.8e9), "1700000000.5"),
        (1700000000.1249998, (0.0, 1.8e9), "1700000000.125"),
        (1234567890123456.0, (0.0, 2e15), "1234567890123456"),
        (5.000000000000001, (5.0, 6.0), "5.000000000000001"),
        (0.3, (0.0, 1.0), "0.3"),
        (1e-300 / 3, (0.0, 1.0), "3.333333333e-301"),
        (1700000000.1235, (1.6e9, 1.8e9), "1700000000.1235"),
        (0.0061888847138220964, (-0.1, 0.2), "0.00618888471"),
    ],
)
def test_thresholds(threshold, span, expected):
    tree = tree_of(threshold)
    short = short_numbers(tree, facts(*span)).threshold("x", threshold)
    assert number(short) == expected


def test_thresholds_stay_apart_and_in_order():
    one = 0.123456789012345678
    near = [one, math.nextafter(one, 1), one + 3e-11, one + 5e-9]
    short = short_numbers(tree_of(*near), facts(0.0, 1.0))
    shown = [short.threshold("x", limit) for limit in near]
    assert sorted(set(shown)) == shown


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8, unique=True)
)
def test_any_thresholds_stay_apart_in_order_and_near(found):
    limits = sorted({one + 0.0 for one in found})
    short = short_numbers(tree_of(*limits), None)
    shown = [short.threshold("x", limit) for limit in limits]
    assert sorted(set(shown)) == shown
    for exact, told in zip(limits, shown, strict=True):
        assert abs(told - exact) <= 1e-9 * abs(exact)


def test_the_note_stands_only_where_something_is_rounded():
    assert ROUNDED not in silva.to_text(tree_of(0.5))
    assert ROUNDED in silva.to_text(tree_of(0.7304999999999999))
    assert ROUNDED not in silva.to_text(tree_of(0.7304999999999999), digits=None)
    assert "x < 0.7304999999999999" in silva.to_text(tree_of(0.7304999999999999), digits=None)
    assert "x < 0.73 " in silva.to_text(tree_of(0.7304999999999999), digits=2)
    hidden = silva.to_text(tree_of(0.7304999999999999), max_depth=0)
    assert ROUNDED not in hidden
    for digits, has_note in (("short", True), (None, False), (2, True)):
        text = str(silva.rules(tree_of(0.7304999999999999), digits=digits))
        assert (ROUNDED in text) == has_note


@pytest.mark.parametrize("digits", [0, -1, 1.5, True, "exact", "3"])
def test_digits_that_are_refused(digits):
    for ask in (silva.to_text, silva.rules):
        with pytest.raises(silva.PlanError, match="digits="):
            ask(tree_of(0.5), digits=digits)


def test_a_whole_prediction_is_the_same_wherever_it_is_shown():
    X, y = [[0.0], [1.0]], [1234567.0, 7654321.0]
    model = silva.TreeRegressor().fit(X, y)
    state = Dialog(model).answer(0.0)
    shown = (
        silva.to_text(model),
        str(silva.rules(model)[0]),
        silva.explain(model, X[:1])[0].sentence,
        str(silva.inspect.flips(model, X[:1])),
        str(state.result),
    )
    assert all("1234567" in text for text in shown)
