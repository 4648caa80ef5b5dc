"""Explanations in words: the exact text of a few, and names that try to break it."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import silva
from silva.data.schema import Column, Schema
from silva.inspect.explain import Explanations, explain
from silva.inspect.explain.single import OneTree
from silva.inspect.intervals import student, wilson
from silva.inspect.subject import subject_of
from silva.tree.builder import TreeBuilder
from silva.tree.splits import Threshold


@pytest.fixture
def loans(examples):
    return pd.read_csv(examples / "loans.csv")


@pytest.fixture
def table(loans):
    return loans.drop(columns="repaid")


@pytest.fixture
def model(loans, table):
    """A tree without its estimator: nobody knows the spreads of its columns."""
    return silva.TreeClassifier(max_depth=4).fit(table, loans["repaid"]).grown_tree_


def facts_of(table):
    """A stand-in for what models know of their training columns."""
    spreads = [
        table[name].std(ddof=0) if table[name].dtype.kind in "fi" else np.nan for name in table
    ]
    return SimpleNamespace(deviation=np.array(spreads))


def explained(tree, rows, facts):
    """As `explain`, with these facts."""
    return Explanations(
        OneTree(tree, facts, None), subject_of(tree).table(rows), np.arange(len(rows))
    )


def test_a_short_path_in_full(model, table):
    assert (
        str(explain(model, table[2:3]))
        == """\
yes, because income >= 3350; 5 of 20 training rows are like this, all of them yes.

                     this row  distance to limit  share of yes  change
  all training rows                                        60%
  income >= 3350         3900                550          100%   +40.0

5 of 20 training rows (25%) end here; 100% of them are yes (95% interval: 56.6% to 100%).
This is a small sample: fewer than 10 rows.
Changes are in percentage points."""
    )


def test_a_long_path_with_a_missing_value_and_spreads(model, table):
    assert (
        str(explained(model, table[1:2], facts_of(table)))
        == """\
yes, because income is missing and (loan >= 2750 or missing) and (age < 37.5 or missing);\
 1 of 20 training rows is like this, which is yes.

                            this row   distance to limit  share of yes  change
  all training rows                                                60%
  income < 3350 or missing   missing                             46.7%   -13.3
    income is missing; missing values follow the larger branch here
  loan >= 2750 or missing       6500  3750 (0.5 spreads)         33.3%   -13.3
  age < 37.5 or missing           31  6.5 (0.56 spreads)         14.3%   -19.0
  income is missing          missing                              100%   +85.7

By column: income +72.4, age -19.0 and loan -13.3.
1 of 20 training rows (5%) ends here; it is yes (95% interval: 20.7% to 100%).
This is a small sample: fewer than 10 rows.
Changes are in percentage points. A spread is the standard deviation of a column in training."""
    )


def test_spreads_are_left_out_where_nobody_knows_them(model, table):
    for facts in (None, SimpleNamespace(deviation=np.full(6, np.nan))):
        [step] = explained(model, table[2:3], facts)[0].steps
        assert (step.distance, step.spreads, step.nearness) == (550.0, None, "550")


def test_distances_are_in_the_units_of_the_column(model, table):
    spread = table["income"].std(ddof=0)
    [step] = explained(model, table[2:3], facts_of(table))[0].steps
    assert step.distance == 550.0
    assert step.spreads == 550.0 / spread


def test_numbers(loans):
    table = loans.drop(columns=["loan", "repaid"])
    model = silva.TreeRegressor(max_leaf_nodes=4).fit(table, loans["loan"])
    assert (
        str(explain(model, table[3:4]))
        == """\
4416.67, because income < 2725 or missing; 12 of 20 training rows are like this, and 4416.67\
 is their mean.

                            this row   distance to limit     mean  change
  all training rows                                          9300
  income < 4150 or missing      1800  2350 (2.2 spreads)  6647.06   -2653
  income < 2725 or missing      1800  925 (0.85 spreads)  4416.67   -2230

By column: income -4883.
12 of 20 training rows (60%) end here; their mean is 4416.67 (95% interval: 3111.5 to 5721.84).
A spread is the standard deviation of a column in training."""
    )


def test_intervals_are_those_of_wilson_and_student(loans, model, table):
    evidence = explain(model, table[2:3])[0].evidence
    low, high = wilson(np.array([5]), np.array([5]))
    assert (evidence.low, evidence.high) == (low[0], high[0])
    assert (evidence.rows, evidence.coverage, evidence.is_small) == (5, 0.25, True)
    numbers = loans.drop(columns=["loan", "repaid"])
    tree = silva.TreeRegressor(max_leaf_nodes=4).fit(numbers, loans["loan"])
    rows = loans["loan"][(loans["income"] < 2725) | loans["income"].isna()]
    evidence = explain(tree, numbers[3:4])[0].evidence
    limits = student(np.array([rows.mean()]), np.array([rows.std(ddof=0)]), np.array([12]))
    assert [evidence.low, evidence.high] == pytest.approx([float(one[0]) for one in limits])
    assert not evidence.is_small


def test_one_leaf(loans, table):
    model = silva.TreeClassifier(min_samples_leaf=20).fit(table, loans["repaid"])
    one = explain(model, table[:1])[0]
    assert one.steps == ()
    assert one.sentence == (
        "yes for every row, because the tree has no split; all 20 training rows end in one leaf,"
        " 12 of them yes."
    )
    assert "all training rows           60%" in str(one)


def test_a_split_that_parts_nothing():
    build = TreeBuilder(
        Schema((Column("x", "continuous"),)), "classification", np.array(["a", "b"])
    )
    root = build.add_split(None, 0, Threshold(0, -np.inf, 1, 1))
    build.add_leaf(root, 0, 2, {0: 2})
    build.add_leaf(root, 1, 3, {1: 3})
    found = explain(build.finish(), [[1.0], [np.nan]])
    assert found[1].sentence == (
        "b for every row; 3 of 5 training rows are like this, all of them b."
    )


def test_three_classes_are_all_told():
    x = np.arange(30.0)[:, None]
    y = ["low"] * 8 + ["mid"] * 12 + ["high"] * 10
    model = silva.TreeClassifier(max_depth=1).fit(x, y)
    assert "All classes: mid 60%, low 40%." in str(explain(model, [[1.0]]))
    forest = silva.ForestClassifier(5, max_depth=1, random_state=0).fit(x, y)
    assert str(explain(forest, [[1.0]])).count("All classes: ") == 2


def test_several_rows_are_told_in_short(model, table):
    lines = str(explain(model, table)).splitlines()
    assert len(lines) == 6
    assert lines[2] == (
        "row 2: yes, because income >= 3350; 5 of 20 training rows are like this, all of them yes."
    )
    assert lines[-1] == "and 15 more rows"
    assert len(str(explain(model, table[:6])).splitlines()) == 6


def test_weights_are_said(loans, table):
    model = silva.TreeClassifier(class_weight={"no": 3, "yes": 1}, max_depth=2)
    one = explain(model.fit(table, loans["repaid"]), table[:1])[0]
    assert one.evidence.is_weighted
    assert "of their weight on no" in one.sentence
    assert "weight" in str(one)
    assert f"for {one.evidence.rows} counted rows" in str(one)
    weights = np.linspace(1, 2, len(table))
    others = table.drop(columns="loan")
    model = silva.TreeRegressor(max_depth=1).fit(others, loans["loan"], sample_weight=weights)
    assert "weighted mean" in str(explain(model, others[:1]))


def test_smoothed_shares_are_said(loans, table):
    model = silva.TreeClassifier(leaf="laplace", max_depth=2).fit(table, loans["repaid"])
    one = explain(model, table[2:3])[0]
    assert "Shares in the table are smoothed." in str(one)
    assert one.shares["yes"] == 6 / 7
    assert one.evidence.estimate == 1.0


def test_several_trees(loans, table):
    model = silva.ForestClassifier(20, random_state=0).fit(table, loans["repaid"])
    one = explain(model, table[1:2])[0]
    told = str(one).splitlines()
    agreeing = round(20 * one.agreement)
    assert told[0].endswith(f"; {agreeing} of 20 trees predict {one.prediction}.")
    assert "points" in told[0]
    at = told.index(
        f"The most typical of the 20 trees is tree {one.typical_tree},"
        " which counts the rows it was grown on:"
    )
    assert told[at + 1 :] == [f"  {line}".rstrip() for line in str(one.typical).splitlines()]
    boosted = silva.AdaBoostClassifier(n_estimators=9).fit(table, loans["repaid"])
    assert "They add up to the share of the weighted votes" in str(explain(boosted, table[:1]))
    others = table.drop(columns="loan")
    numbers = silva.ForestRegressor(9, random_state=0).fit(others, loans["loan"])
    assert "the middle 80% of 9 trees predict" in explain(numbers, others[:1])[0].sentence


def unknown(policy):
    """Two levels with few rows of the first, and what becomes of a row that has neither."""
    x = np.array([1.0] * 4 + [2.0] * 8 + [np.nan] * 3)
    y = ["no"] * 4 + ["yes"] * 8 + ["no"] * 3
    return silva.TreeClassifier(missing=policy, max_depth=1).fit(pd.DataFrame({"x": x}), y)


@pytest.mark.parametrize(
    ("policy", "sent", "words"),
    [
        (
            "learn",
            "learned",
            "x is missing; missing values take this branch, as learned in training",
        ),
        ("majority", "larger branch", "x is missing; missing values follow the larger branch here"),
        (
            "own_branch",
            "own branch",
            "x is missing; missing values have a branch of their own here",
        ),
        (
            "stop",
            "stops",
            "x is missing; missing values stop here, with the prediction of this node",
        ),
    ],
)
def test_where_missing_values_went(policy, sent, words):
    one = explain(unknown(policy), pd.DataFrame({"x": [np.nan]}))[0]
    [step] = one.steps
    assert (step.sent, step.reason) == (sent, words)
    assert (step.values[0].state, step.values[0].value) == ("missing", None)
    assert (step.child is None) == (policy == "stop")
    assert words in str(one)
    if policy == "stop":
        assert "15 of 15 training rows came to the split where this row stops" in one.sentence


def test_rows_that_lack_a_value_of_a_sum(loans):
    table = loans[["income", "age", "housing"]].dropna()
    model = silva.TreeClassifier(splits="oblique", max_leaf_nodes=2)
    model.fit(table, loans["repaid"][table.index])
    [step] = explain(model, pd.DataFrame({"income": [2500.0], "age": 30, "housing": "boat"}))[
        0
    ].steps
    assert step.measure.value is None
    assert step.distance is None
    assert step.reason == (
        "housing is a level that training did not see;"
        " rows that lack a value follow the larger branch here"
    )


def test_levels_that_training_did_not_see():
    town = ["Bonn"] * 6 + ["Kiel"] * 8
    table = pd.DataFrame({"town": town})
    for policy, sent in (("majority", "larger branch"), ("stop", "stops")):
        model = silva.TreeClassifier(unseen=policy).fit(table, town)
        [step] = explain(model, pd.DataFrame({"town": ["Rom"]}))[0].steps
        assert step.sent == sent
        assert step.values[0].state == "unseen"
        assert step.reason.startswith("town is a level that training did not see; unseen values")


def test_dates_are_told_as_dates():
    days = pd.DataFrame({"day": pd.date_range("2024-03-01", periods=10)})
    model = silva.TreeClassifier().fit(days, [False] * 5 + [True] * 5)
    [step] = explain(model.grown_tree_, days[:1])[0].steps
    assert step.condition == "day < 2024-03-05 12:00 or missing"
    assert (step.values[0].words, step.values[0].value) == ("2024-03-01", "2024-03-01")
    assert (step.distance, step.nearness) == (4.5, "4 days 12:00")


def test_linear_models_and_sums_show_their_terms(loans):
    table = loans.drop(columns=["loan", "repaid"])
    model = silva.TreeRegressor(leaf="linear", max_leaf_nodes=2).fit(table, loans["loan"])
    told = str(explain(model, table[1:2]))
    assert "linear model of the leaf" in told
    assert "    income: missing, left out" in told
    model = silva.TreeClassifier(splits="oblique", max_leaf_nodes=3).fit(table, loans["repaid"])
    one = explain(model, table[2:3])[0]
    for part in one.steps[0].measure.parts:
        assert f"    {part.term}: " in str(one)


def test_digits_round_what_is_read():
    x = pd.DataFrame({"x": [0.123456, 0.234567, 0.345678, 0.456789]})
    model = silva.TreeClassifier().fit(x, [0, 0, 1, 1])
    assert "x >= 0.2901225" in explain(model, x[3:])[0].sentence
    told = str(explain(model, x[3:], digits=2))
    assert "x >= 0.29;" in told
    assert "0.46" in told
    assert "0.456789" not in told


def test_hostile_names():
    names = ["<b>bold</b>", "quote \" and ' quote", "line\nbreak", "a and b = c", ""]
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 5)), columns=names)
    target = np.where(table.sum(axis=1) > 0, "yes\n<script>", "no & never")
    models = [
        silva.TreeClassifier().fit(table, target),
        silva.TreeClassifier(splits="oblique", max_depth=2).fit(table, target),
        silva.ForestClassifier(5, random_state=0).fit(table, target),
        silva.TreeRegressor(leaf="linear", max_depth=1).fit(table, table.sum(axis=1)),
    ]
    for model in models:
        for one in explain(model, table[:6]):
            assert one.sentence.isprintable()
            assert all(line.isprintable() for line in str(one).splitlines())
            html = one._repr_html_()
            assert "<script>" not in html
            assert "<b>" not in html
            assert set(one.contributions) <= set(names)
            json.dumps(one.to_dict(), allow_nan=False)
        assert "<script>" not in explain(model, table)._repr_html_()
        frame = explain(model, table).to_frame()
        assert {name for name in frame if name.startswith("contribution of ")} <= {
            f"contribution of {name}" for name in names
        }


def test_long_lists_of_levels_are_cut_in_print_only():
    towns = [f"town {number:02}" for number in range(40)] * 5
    table = pd.DataFrame({"town": towns})
    model = silva.TreeClassifier().fit(table, [town < "town 15" for town in towns])
    one = explain(model, table[:1])[0]
    assert "and 5 more" in one.sentence
    assert "and 5 more" in str(one)
    assert "town 14" in one.steps[0].condition
    assert "town 14" not in one.steps[0].short_condition


def test_records_name_themselves(model, table):
    found = explain(model, table)
    assert repr(found) == "Explanations(20 rows)"
    assert repr(found[2]).startswith("Explanation('yes, because income >= 3350")
    with pytest.raises(AttributeError):
        found[2].prediction = "no"
    with pytest.raises(AttributeError):
        found._rows = None
