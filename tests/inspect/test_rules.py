"""Rules of trees: their text reads back, and predicts as the tree does."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import silva
from silva.data.table import Table
from silva.errors import DataError, PlanError
from silva.inspect.intervals import wilson
from silva.inspect.rules import parse_rule, rules
from silva.inspect.rules.formulas import Formula
from silva.inspect.rules.matching import matching
from silva.leaf import answers
from silva.tree import route
from tests.inspect.reason_cases import fuzzed_table, possible_values
from tests.tree.tree_samples import trees


def told_by(tree, table):
    """What the tree itself predicts for each row."""
    nodes = route.leaves(tree, table)
    if tree.classes is None:
        return answers.predict_values(tree, nodes, table)
    return tree.classes[answers.predict_codes(tree, nodes, table)]


def predicted_by(found, table):
    """What rules predict, each row by the one rule that it satisfies."""
    predictions, times = [None] * table.n_rows, np.zeros(table.n_rows, dtype=int)
    for rule in found:
        covered = matching(rule.conditions, table, np.arange(table.n_rows))
        times[covered] += 1
        values = [rule.prediction] * len(covered)
        if isinstance(rule.prediction, Formula):
            values = rule.prediction.predict(table.take(covered)).tolist()
        for row, value in zip(covered.tolist(), values, strict=True):
            predictions[row] = value
    assert (times == 1).all()
    return predictions


@given(trees(), st.integers(0, 2**31))
def test_the_printed_text_reads_back_and_predicts_as_the_tree(tree, seed):
    table = fuzzed_table(tree, seed)
    parsed = [parse_rule(str(rule), tree) for rule in rules(tree, digits=None)]
    assert predicted_by(parsed, table) == told_by(tree, table).tolist()


def n_corners(tree):
    return math.prod(len(possible_values(tree, i)) for i in range(len(tree.schema)))


def all_corners(tree, most=1500):
    """Every combination of values that the tree tells apart; fuzzed rows where there are many."""
    values = [possible_values(tree, i) for i in range(len(tree.schema))]
    if n_corners(tree) > most:
        return fuzzed_table(tree, 1, most)
    grid = [one.ravel() for one in np.meshgrid(*values, indexing="ij")]
    kinds = [np.float64 if c.levels is None else np.int32 for c in tree.schema.columns]
    columns = tuple(one.astype(kind) for one, kind in zip(grid, kinds, strict=True))
    return Table(tree.schema, columns, len(grid[0]))


@given(trees(max_inner=5))
def test_simplified_rules_agree_with_the_tree_over_all_boxes(tree):
    table = all_corners(tree)
    found = rules(tree, simplify=True, digits=None)
    told = told_by(tree, table).tolist()
    covered = np.zeros(table.n_rows, dtype=bool)
    for rule in found:
        rows = matching(rule.conditions, table, np.arange(table.n_rows))
        covered[rows] = True
        if isinstance(rule.prediction, Formula):
            assert rule.prediction.predict(table.take(rows)).tolist() == [told[i] for i in rows]
        else:
            assert all(told[i] == rule.prediction for i in rows)
    assert covered.all()
    assert found.predict_table(table).tolist() == told
    for rule in found:
        again = matching(parse_rule(str(rule), tree).conditions, table, np.arange(table.n_rows))
        assert again.tolist() == matching(rule.conditions, table, np.arange(table.n_rows)).tolist()


@given(trees(task="classification", max_inner=4))
def test_no_single_condition_of_a_simplified_rule_can_be_left_out(tree):
    """Minimal on trees of single columns: every wider region holds another prediction."""
    assume(not len(tree.obliques.threshold) and not len(tree.distances.threshold))
    assume(tree.linear is None and n_corners(tree) <= 20_000)
    table = all_corners(tree, 20_000)
    told, every = told_by(tree, table), np.arange(table.n_rows)
    for rule in rules(tree, simplify=True):
        for left_out in rule.conditions:
            wider = [one for one in rule.conditions if one != left_out]
            rows = matching(wider, table, every)
            assert (told[rows] != rule.prediction).any()


LOANS = pd.read_csv(Path(__file__).parents[2] / "examples" / "loans.csv")
TABLE, REPAID = LOANS.drop(columns="repaid"), LOANS["repaid"]
ODD = pd.DataFrame(
    {
        "income": [None, 5e6, 1925.0, 3350.0, 10.0],
        "age": [23, 37, 38, 100, 1],
        "housing": ["rent", "castle", None, "own", "parents"],
        "education": ["school", "none", "master", None, "bachelor"],
        "employed": ["yes", "no", None, "no", "yes"],
        "loan": [1.0, 2750.0, 2749.0, 9e9, 4.0],
    }
)
MODELS = [
    silva.TreeClassifier(),
    silva.TreeClassifier(max_depth=2, leaf="laplace", class_weight="balanced"),
    silva.TreeClassifier(splits="multiway", missing="own_branch", unseen="stop"),
    silva.TreeClassifier(splits=["subset", "oblique"]),
    silva.TreeClassifier(splits=silva.DistanceSplits("manhattan", ["age", "income"])),
    silva.TreeClassifier(plan="C45"),
    silva.TreeClassifier(leaf="linear", max_depth=2),
    silva.StumpClassifier(),
    silva.ForestClassifier(7, random_state=0),
    silva.ForestClassifier(7, random_state=0, vote="hard"),
    silva.ExtraTreesClassifier(5, random_state=0),
    silva.BaggingClassifier(silva.TreeClassifier(max_depth=2), 4, random_state=0),
    silva.AdaBoostClassifier(n_estimators=6),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda one: repr(one)[:60])
def test_rules_predict_as_every_classifier(model):
    model = clone(model).fit(TABLE, REPAID)
    found = rules(model)
    for rows in (TABLE, ODD, TABLE[:0]):
        assert found.predict(rows).tolist() == model.predict(rows).tolist()
        if not isinstance(model, silva.AdaBoostClassifier):
            assert found.predict_proba(rows).tobytes() == model.predict_proba(rows).tobytes()
    json.dumps(found.to_dict())
    assert len(found.to_frame()) == len(found)
    assert str(len(found)) in found._repr_html_() or len(found) < 100


@pytest.mark.parametrize(
    "model",
    [
        silva.TreeRegressor(),
        silva.TreeRegressor(leaf="linear", max_leaf_nodes=3),
        silva.TreeRegressor(criterion="poisson"),
        silva.ForestRegressor(7, random_state=0),
        silva.ExtraTreesRegressor(5, random_state=0),
        silva.BaggingRegressor(silva.StumpRegressor(), 5, random_state=0),
    ],
    ids=lambda one: repr(one)[:60],
)
def test_rules_predict_as_every_regressor(model):
    rows, target = TABLE.drop(columns="loan"), TABLE["loan"]
    model = clone(model).fit(rows, target)
    odd = ODD.drop(columns="loan")
    for some in (rows, odd, rows[:0]):
        assert rules(model).predict(some).tobytes() == model.predict(some).tobytes()
    json.dumps(rules(model, rows, target).to_dict())
    with pytest.raises(PlanError, match=r"order='lift' is not possible for regression"):
        rules(model, order="lift")


def loan_tree(**choices):
    return silva.TreeClassifier(max_depth=4, **choices).fit(TABLE, REPAID)


def test_the_text_of_a_rule_and_its_figures():
    found = rules(loan_tree(), target="repaid")
    first = found[0]
    assert str(first) == (
        "income < 3350 and (loan >= 2750 or missing) and (age < 37.5 or missing)"
        " -> repaid no (6 rows)"
    )
    figures = first.training
    assert (figures.rows, figures.coverage, figures.precision) == (6, 0.3, 1.0)
    assert figures.lift == pytest.approx(2.5)
    assert not figures.weighted
    assert figures.counted_precision == 1.0
    low, high = wilson(np.array([6]), np.array([6]))
    assert (figures.low, figures.high) == (low[0], high[0])
    assert [rule.training.rows for rule in found] == [6, 5, 3, 3, 2, 1]
    text = str(found)
    assert text.startswith("6 rules of a classification tree\nOrdered by support.")
    assert (
        "training: 6 rows (30% of all), precision 100% (95% interval 61% to 100%), lift 2.5" in text
    )


def test_merged_intervals_and_sets_of_ordered_levels():
    floors = np.repeat(np.arange(1, 7), 40)
    areas = np.tile(np.arange(20.0, 60.0), 6)
    price = np.where((areas >= 30) & (areas < 50) & (floors >= 2) & (floors <= 4), 410.0, 100.0)
    floor = pd.Categorical(floors, ordered=True)
    model = silva.TreeRegressor().fit(pd.DataFrame({"area": areas, "floor": floor}), price)
    best = max(rules(model, target="price"), key=lambda rule: rule.prediction)
    assert str(best) == (
        "(2 <= floor < 5 or missing or unseen) and (29.5 <= area < 49.5 or missing)"
        " -> price 410 (60 rows)"
    )


def test_given_rows_are_measured_by_count_and_by_weight():
    model = loan_tree()
    weights = np.arange(1.0, 21.0)
    found = rules(model, TABLE, REPAID, sample_weight=weights, order="precision")
    nodes = model.apply(TABLE)
    for rule in found:
        rows = nodes == rule.nodes[0]
        right = rows & (rule.prediction == REPAID)
        assert rule.given.rows == rows.sum()
        assert rule.given.weighted
        assert rule.given.weight == weights[rows].sum()
        assert rule.given.precision == pytest.approx(weights[right].sum() / weights[rows].sum())
        assert rule.given.counted_precision == pytest.approx(right.sum() / rows.sum())
        assert rule.covers(TABLE).tolist() == rows.tolist()
        assert "weighted precision" in str(rule.given)


def test_training_figures_under_class_weight_say_that_they_are_weighted():
    model = silva.StumpClassifier(class_weight={"yes": 3.0, "no": 1.0}).fit(TABLE, REPAID)
    for rule in rules(model):
        assert rule.training.weighted
        assert rule.training.counted_precision is None
        rows = model.apply(TABLE) == rule.nodes[0]
        weights = np.where(REPAID == "yes", 3.0, 1.0)
        right = rows & (rule.prediction == REPAID)
        share = weights[right].sum() / weights[rows].sum()
        assert rule.training.precision == pytest.approx(share)
        assert rule.training.rows == rows.sum()
        assert rule.training.lift == pytest.approx(
            share / (weights[rule.prediction == REPAID].sum() / weights.sum())
        )


@pytest.mark.parametrize("order", ["support", "precision", "lift"])
def test_orders(order):
    model = silva.TreeClassifier(max_depth=2).fit(TABLE, REPAID)
    key = {"support": "rows"}.get(order, order)
    figures = [getattr(rule.training, key) for rule in rules(model, order=order)]
    assert figures == sorted(figures, reverse=True)


def test_a_pipeline_is_unwrapped_with_the_names_that_its_steps_put_out():
    steps = make_column_transformer(
        (OneHotEncoder(), ["housing"]), (StandardScaler(), ["age", "loan"])
    )
    model = make_pipeline(steps, silva.TreeClassifier(max_depth=2)).fit(TABLE, REPAID)
    found = rules(model, TABLE, REPAID)
    used = {column.name for column in found.schema.columns}
    assert "standardscaler__age" in used
    assert found.predict(TABLE).tolist() == model.predict(TABLE).tolist()
    nested = make_pipeline("passthrough", model)
    assert [str(rule) for rule in rules(nested)] == [str(rule) for rule in rules(model)]
    search = GridSearchCV(model, {"treeclassifier__max_depth": [2]}, cv=2).fit(TABLE, REPAID)
    assert str(rules(search)[0]) == str(rules(model)[0])


def test_names_and_levels_with_quotes_and_line_breaks():
    names = ["it's", 'say "x"', "two\nlines", "a and b", "x < 3", "(a)", "is in", "√", " pad "]
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.integers(0, 4, 60).astype(float) for name in names})
    frame["kind -> of"] = rng.choice(["salt and pepper", "a, b", "{c}", "or missing", "é"], 60)
    y = np.where(frame["a and b"] + frame["it's"] > 3, "yes -> no", "don't (know)")
    y = np.where(frame["kind -> of"] == "{c}", "new\nline", y)
    model = silva.TreeClassifier(splits=["subset", "oblique"]).fit(frame, y)
    found = rules(model)
    parsed = [parse_rule(str(rule), model) for rule in found]
    assert [one.conditions for one in parsed] == [one.conditions for one in found]
    assert [one.prediction for one in parsed] == [one.prediction for one in found]
    assert all("\n" not in str(rule) for rule in found)
    assert (
        "<script"
        not in rules(
            silva.TreeClassifier().fit(
                frame[["it's"]], np.where(frame["it's"] > 1, "<script>", "b")
            )
        )._repr_html_()
    )


def test_dates_and_durations_read_back():
    days = pd.date_range("2024-01-01", periods=40, freq="D")
    frame = pd.DataFrame({"admitted": days, "stay": pd.to_timedelta(np.arange(40) * 7, "h")})
    y = np.where((days >= "2024-01-10") & (days < "2024-01-25"), 1.5, 0.25)
    y = y + (np.arange(40) % 7 > 3) * (np.arange(40) > 30)
    model = silva.TreeRegressor().fit(frame, y)
    found = rules(model)
    assert any("2024-01-09 12:00 <= admitted < 2024-01-24 12:00" in str(one) for one in found)
    for rule in found:
        again = parse_rule(str(rule), found)
        assert again.covers(frame).tolist() == rule.covers(frame).tolist()
        assert again.prediction == rule.prediction


def test_one_leaf_and_ten_thousand_rules():
    constant = silva.TreeClassifier().fit(TABLE, ["same"] * len(TABLE))
    assert [str(rule) for rule in rules(constant)] == ["all rows -> same (20 rows)"]
    assert parse_rule("all rows -> same", constant).covers(TABLE).all()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10_000, 3))
    model = silva.TreeRegressor().fit(X, rng.normal(size=10_000))
    found = rules(model)
    assert len(found) == 10_000
    assert str(found).count(" -> ") == 100
    assert "... and 9,900 more rules" in str(found)
    exact = found[-1].rounded(None)
    assert parse_rule(str(exact), found).conditions == exact.conditions


def test_digits_round_for_reading():
    found = rules(
        silva.TreeRegressor(max_depth=1).fit([[1 / 3], [2 / 3]], [1 / 7, 2 / 7]), digits=2
    )
    assert str(found[0]) == "x0 < 0.5 or missing -> 0.14 (1 row)"
    assert "0.14285714285714285" in str(found[0].rounded(None))


def test_forest_rules_have_their_share_of_the_vote():
    model = silva.AdaBoostClassifier(n_estimators=5).fit(TABLE, REPAID)
    shares = model.estimator_weights_ / model.estimator_weights_.sum()
    for rule in rules(model):
        assert rule.vote == pytest.approx(shares[rule.tree])
        assert "of the vote" in str(rules(model))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"order": "size"}, "order='size' is not possible"),
        ({"simplify": "c5"}, "simplify='c5' is not possible"),
        ({"digits": 0}, "digits=0 .* a whole number of at least 1"),
    ],
)
def test_choices_that_are_none(arguments, message):
    with pytest.raises(PlanError, match=message):
        rules(loan_tree(), **arguments)


def test_rows_that_are_none():
    model = loan_tree()
    with pytest.raises(DataError, match="y is missing"):
        rules(model, TABLE)
    with pytest.raises(DataError, match="sample_weight is given without rows"):
        rules(model, sample_weight=[1.0])
    with pytest.raises(DataError, match="3 labels and X 20 rows"):
        rules(model, TABLE, ["yes", "no", "yes"])
    with pytest.raises(DataError, match="age"):
        rules(model).predict(TABLE.drop(columns="age"))
    with pytest.raises(NotFittedError):
        rules(silva.TreeClassifier())
    with pytest.raises(PlanError, match="a fitted model of silva"):
        rules("model")
    forest = silva.ForestClassifier(3, random_state=0).fit(TABLE, REPAID)
    with pytest.raises(PlanError, match=r"silva\.distil"):
        rules(forest, simplify=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("income <", "character 7: expected ' >= ', seen ' <'"),
        ("income < abc -> yes", "character 10: expected a number, seen 'abc -> yes'"),
        ("salary < 3 -> yes", "character 1: expected a column"),
        ("housing in {own, castle} -> yes", "expected a level of housing"),
        ("income < 3 -> maybe", "expected one of the classes no, yes"),
        ("income < 3", "expected ' -> '"),
        ("(income < 3 -> yes", r"expected '\)'"),
        ("income < 3 or unseen -> yes", "no 'or unseen' after a condition on numbers"),
        ("", "expected a column, seen the end of the text"),
    ],
)
def test_texts_that_are_no_rules(text, message):
    with pytest.raises(DataError, match=message):
        parse_rule(text, loan_tree())
    with pytest.raises(DataError, match="give the text of a rule"):
        parse_rule(3, loan_tree())
