"""C4.5's lossy rules beside a slow version of each step, written from the book's description."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import silva
from silva.errors import DataError, PlanError
from silva.inspect.rules import rules
from silva.inspect.rules.c45_drafts import Rows, generalised
from silva.inspect.rules.c45_order import first_match, ordered, polished, shortest
from silva.inspect.rules.conditions import Interval, merged
from silva.inspect.rules.matching import matching
from silva.inspect.rules.source import Ends
from silva.inspect.subject import subject_of
from silva.prune.pessimistic import expected_errors

LOANS = pd.read_csv(Path(__file__).parents[2] / "examples" / "loans.csv")
TABLE, REPAID = LOANS.drop(columns="repaid"), LOANS["repaid"]


def split_limits(conditions):
    for one in conditions:
        if isinstance(one, Interval) and one.low is not None and one.high is not None:
            yield Interval(one.column, one.low, None, True, one.missing)
            yield Interval(one.column, None, one.high, True, one.missing)
        else:
            yield one


def slow_rate(conditions, code, rows):
    covered = matching(conditions, rows.table, np.arange(rows.table.n_rows))
    weight = rows.weights[covered].sum()
    wrong = rows.weights[covered][rows.codes[covered] != code].sum()
    return expected_errors(np.array([weight]), np.array([wrong]), 0.25)[0] / weight


def slow_generalised(conditions, code, rows):
    """Leave out one test after the other, each time the best, while the rate does not rise."""
    tests = list(split_limits(conditions))
    rate = slow_rate(tests, code, rows)
    while tests:
        rates = [slow_rate(tests[:i] + tests[i + 1 :], code, rows) for i in range(len(tests))]
        best = min(range(len(tests)), key=lambda i: rates[i])
        if rates[best] > rate + 1e-12:
            break
        rate = rates[best]
        del tests[best]
    return tests, rate


def slow_bits(n, k):
    ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return ways / math.log(2)


def slow_description(kept, code, rows):
    covered = np.any([one.covered for one in kept], axis=0) if kept else rows.codes < -1
    inside, w = rows.weights[covered].sum(), rows.weights
    wrong = w[covered & (rows.codes != code)].sum()
    lacking = w[~covered & (rows.codes == code)].sum()
    each = math.log2(len(rows.table.schema)) + math.log2(max(2, len(rows.codes)))
    theory = sum(
        max(
            0.0,
            len(one.conditions) * each
            - slow_bits(len(one.conditions), 0)
            - math.lgamma(len(one.conditions) + 1) / math.log(2),
        )
        for one in kept
    )
    theory = max(0.0, theory - math.lgamma(len(kept) + 1) / math.log(2))
    return slow_bits(inside, wrong) + slow_bits(w.sum() - inside, lacking) + 0.5 * theory


@st.composite
def problems(draw):
    n_rows = draw(st.integers(4, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 5, n_rows).astype(float),
            "b": rng.normal(size=n_rows).round(1),
            "c": rng.choice(["x", "y", "z"], n_rows),
        }
    )
    X.loc[rng.random(n_rows) < 0.15, "a"] = np.nan
    y = rng.choice(["p", "q", "r"][: draw(st.integers(2, 3))], n_rows)
    weights = rng.integers(1, 4, n_rows).astype(float) if draw(st.booleans()) else None
    return X, y, weights


@settings(max_examples=40)
@given(problems())
def test_rules_are_generalised_as_the_book_says(problem):
    X, y, weights = problem
    model = silva.TreeClassifier(plan="C45").fit(X, y, sample_weight=weights)
    subject = subject_of(model)
    ends = Ends(subject.tree())
    codes = np.searchsorted(model.classes_, y)
    rows = Rows(subject.table(X), codes, np.ones(len(y)) if weights is None else weights)
    drafts = generalised(ends, rows)
    for draft in drafts:
        tests, rate = slow_generalised(ends.conditions(draft.node), draft.code, rows)
        assert draft.rate == pytest.approx(rate)
        covered = matching(draft.conditions, rows.table, np.arange(len(y)))
        assert np.flatnonzero(draft.covered).tolist() == covered.tolist()
        slow = merged(tests, rows.table.schema.columns)
        assert slow_rate(slow, draft.code, rows) == pytest.approx(draft.rate)
    kept, default = ordered(drafts, rows, len(model.classes_))
    told = first_match(kept, default, rows)
    found = rules(model, X, y, sample_weight=weights, simplify="c45rules")
    assert found.predict(X).tolist() == model.classes_[told].tolist()
    w = rows.weights
    assert found.loss.rules == pytest.approx(w[codes == told].sum() / w.sum())
    assert found.loss.same == pytest.approx(w[model.predict(X) == found.predict(X)].sum() / w.sum())


@settings(max_examples=40)
@given(problems())
def test_each_class_keeps_rules_that_no_single_removal_shortens(problem):
    X, y, weights = problem
    model = silva.TreeClassifier().fit(X, y, sample_weight=weights)
    subject = subject_of(model)
    codes = np.searchsorted(model.classes_, y)
    rows = Rows(subject.table(X), codes, np.ones(len(y)) if weights is None else weights)
    drafts = generalised(Ends(subject.tree()), rows)
    for code in range(len(model.classes_)):
        own = [one for one in drafts if one.code == code]
        kept = shortest(own, code, rows)
        cost = slow_description(kept, code, rows)
        assert cost <= slow_description(own, code, rows) + 1e-6
        for draft in kept:
            without = [one for one in kept if one is not draft]
            assert slow_description(without, code, rows) >= cost - 1e-6


def slow_first(kept, default, row):
    return next((one.code for one in kept if one.covered[row]), default)


def slow_errors(kept, default, rows):
    wrong = [i for i in range(len(rows.codes)) if slow_first(kept, default, i) != rows.codes[i]]
    return rows.weights[wrong].sum()


@settings(max_examples=30)
@given(problems(), st.integers(0, 1))
def test_rules_that_spare_no_errors_are_left_out(problem, default):
    X, y, _ = problem
    model = silva.TreeClassifier().fit(X, y)
    subject = subject_of(model)
    rows = Rows(subject.table(X), np.searchsorted(model.classes_, y), np.ones(len(y)))
    drafts = kept = generalised(Ends(subject.tree()), rows)
    for draft in reversed(drafts):
        without = [one for one in kept if one is not draft]
        if slow_errors(without, default, rows) <= slow_errors(kept, default, rows):
            kept = without
    assert [one.node for one in polished(drafts, default, rows)] == [one.node for one in kept]


def test_the_loss_and_the_default_class_are_said():
    model = silva.TreeClassifier(max_depth=4).fit(TABLE, REPAID)
    found = rules(model, TABLE, REPAID, simplify="c45rules")
    text = str(found)
    assert "simplified with loss as by C4.5" in text
    assert "The first rule that a row satisfies decides." in text
    assert "on 20 rows: 100% of the rows get the tree's class" in text
    assert text.endswith("otherwise -> yes")
    assert found.default == "yes"
    assert found.to_dict()["loss"]["tree"] == 1.0
    assert len(found) < len(rules(model))


def test_what_cannot_be_simplified_so():
    model = silva.TreeClassifier().fit(TABLE, REPAID)
    with pytest.raises(DataError, match="give the training rows"):
        rules(model, simplify="c45rules")
    regression = silva.TreeRegressor().fit(TABLE.drop(columns="loan"), TABLE["loan"])
    with pytest.raises(PlanError, match="this is a regression tree"):
        rules(regression, simplify="c45rules")
    linear = silva.TreeClassifier(leaf="linear", max_depth=1).fit(TABLE, REPAID)
    with pytest.raises(PlanError, match="linear"):
        rules(linear, TABLE, REPAID, simplify="c45rules")
    forest = silva.ForestClassifier(3).fit(TABLE, REPAID)
    with pytest.raises(PlanError, match=r"silva\.distil"):
        rules(forest, TABLE, REPAID, simplify="c45rules")
