"""Attacks on min_cell: no figure of the file depends on hidden cells.

Two tables that differ in hidden counts only give the same file, byte for byte. So whoever has the
file cannot tell which of the two it was made from, whatever is computed from it.
"""

import hashlib
import itertools
import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import silva
from silva.inspect.subject import subject_of
from silva.page.payload.about import model_hash
from silva.page.payload.masking import hidden_of
from silva.page.report import html
from silva.tree import stats
from tests.page.test_report import document_of, everything_in

K = 10
pytestmark = pytest.mark.filterwarnings("ignore::silva.DataWarning")


def table_of(counts):
    """Rows of an eight-level code as three columns, and classes: `counts` is (8, classes)."""
    code, label = np.indices(np.shape(counts))
    rows = np.repeat(np.column_stack((code.ravel(), label.ravel())), np.ravel(counts), axis=0)
    bits = rows[:, :1] >> np.array([2, 1, 0]) & 1
    return pd.DataFrame(bits * 1.0, columns=["a", "b", "c"]), rows[:, 1]


def fitted(counts, **choices):
    X, y = table_of(counts)
    return silva.TreeClassifier(max_depth=3, **choices).fit(X, y), X, y


def model_of(tree):
    """What the page may tell: questions, the class of each node, which child is larger."""
    rows, classes = stats.node_rows(tree), stats.node_class_weight(tree)
    starts = tree.child_start[np.flatnonzero(~tree.is_leaf)]
    first, second = tree.child[starts], tree.child[starts + 1]
    questions = (tree.child, tree.split_kind, tree.thresholds.column, tree.thresholds.threshold)
    missing = tree.thresholds.missing_child
    facts = (*questions, missing, classes.argmax(axis=1), rows[first] < rows[second])
    return [one.tolist() for one in facts]


def told_of(tree):
    """The counts of the nodes that are not hidden."""
    hidden = hidden_of(tree, K)
    rows = np.where(hidden.rows, -1, stats.node_rows(tree))
    classes = np.where(hidden.shares[:, None], -1.0, stats.node_class_weight(tree))
    return rows.tolist(), classes.tolist(), hidden.shares.tolist()


def others(counts):
    """Tables of as many rows: a row in another cell, or two rows with each other's class."""
    for one, two in itertools.permutations(range(len(counts)), 2):
        for steps in (
            [(one, 0, -1), (two, 0, 1)],
            [(one, 1, -1), (two, 1, 1)],
            [(one, 0, -1), (one, 1, 1), (two, 0, 1), (two, 1, -1)],
        ):
            other = np.array(counts)
            for cell, label, step in steps:
                other[cell, label] += step
            if (other >= 0).all() and ((other == 0) == (np.array(counts) == 0)).all():
                yield other


def twins(counts):
    """Fits of other tables of which the page may tell the same: model, X and y."""
    tree = fitted(counts)[0].grown_tree_
    for other in others(counts):
        found = fitted(other)
        again = found[0].grown_tree_
        if model_of(again) == model_of(tree) and told_of(again) == told_of(tree):
            yield found


COUNTS = [
    [[40, 0], [3, 25], [30, 2], [0, 50], [28, 4], [2, 33], [45, 0], [5, 60]],
    [[20, 3], [30, 1], [15, 60], [12, 40], [2, 3], [4, 2], [50, 11], [10, 44]],
    [[31, 2], [3, 47], [52, 5], [4, 39], [35, 3], [2, 61], [44, 4], [5, 38]],
]


@pytest.mark.parametrize("with_rows", [False, True])
@pytest.mark.parametrize("counts", COUNTS)
def test_tables_that_differ_in_hidden_counts_give_the_same_file(counts, with_rows):
    model, X, y = fitted(counts)
    page = html(model, *((X, y) if with_rows else ()), min_cell=K)
    compared = 0
    for again, Z, w in twins(counts):
        assert html(again, *((Z, w) if with_rows else ()), min_cell=K) == page
        compared += 1
    assert compared >= 2


@given(st.lists(st.lists(st.integers(1, 30), min_size=2, max_size=2), min_size=8, max_size=8))
@settings(max_examples=15, deadline=None)
def test_random_tables_have_the_file_of_their_twins(counts):
    model, X, y = fitted(counts)
    page = html(model, X, y, min_cell=K)
    for again, Z, w in itertools.islice(twins(counts), 3):
        assert html(again, Z, w, min_cell=K) == page


@pytest.mark.parametrize("with_rows", [False, True])
def test_hidden_rows_of_regression_leaves(with_rows):
    """Leaves predict the same numbers whatever their rows."""
    told, pages = set(), set()
    for one, two in ((0, 0), (1, 0), (-1, 0), (0, 1), (1, 2)):
        rows = [3 + one, 30 - one, 5 + two, 44 - two, 25, 4, 61, 38]
        X, _ = table_of(np.array(rows)[:, None])
        target = X.to_numpy() @ [40.0, 20.0, 7.0] + 3.0 * X["a"] * X["c"]
        model = silva.TreeRegressor().fit(X, target)
        hidden = hidden_of(model.grown_tree_, K)
        assert hidden.rows.sum() >= 3
        told.add(str(np.where(hidden.rows, -1, stats.node_rows(model.grown_tree_))))
        pages.add(html(model, *((X, target) if with_rows else ()), min_cell=K))
    assert len(told) == len(pages) == 1


def every_number(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from every_number(one)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


@pytest.mark.parametrize("make", [silva.TreeClassifier, silva.ForestClassifier])
def test_the_mean_of_a_column_of_zeros_and_ones_is_not_told(make):
    """Times the rows it is a count: here of 4 rows."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"rare": np.repeat([1.0, 0.0], [4, 196]), "x": rng.normal(size=200)})
    y = (X["x"] > 0).astype(int)
    model = make(max_depth=3, random_state=0).fit(X, y)
    for given_rows in ((), (X,), (X, y)):
        if make is silva.TreeClassifier and len(given_rows) == 1:
            continue
        found = document_of(html(model, *given_rows, min_cell=K))
        for column in found["columns"]:
            assert {**column["facts"], "missing": None} == dict.fromkeys(column["facts"])
        assert not any(abs(one * 200 - 4) < 1e-9 for one in every_number(found["columns"]))
        assert not any(abs(one * 200 - 4) < 1e-9 for one in every_number(found["surface"]))


def test_hidden_counts_are_not_found_by_trying_hashes():
    """The attack: fit every table that agrees with what is told, look for its hash in the file."""
    counts = COUNTS[0]
    model, X, y = fitted(counts)
    page = everything_in(html(model, X, y, min_cell=K))
    guesses = [(model, X, y), *twins(counts)]
    assert len(guesses) > 2
    for guess, Z, w in guesses:
        digest = model_hash(subject_of(guess))
        rows = hashlib.sha256(Z.to_numpy().tobytes() + w.tobytes()).hexdigest()
        assert digest not in page
        assert rows not in page
    assert model_hash(subject_of(model)) in everything_in(html(model, X, y))
    found = document_of(html(model, X, y, min_cell=K))["about"]
    assert found["model_hash"] is found["fingerprint"] is None


def test_no_hash_but_those_of_the_policy_is_in_the_file():
    model, X, y = fitted(COUNTS[1])
    found = json.dumps(document_of(html(model, X, y, min_cell=K)))
    assert not re.search(r'"[0-9a-f]{64}"', found)
    assert len(re.findall(r'"[0-9a-f]{64}"', json.dumps(document_of(html(model, X, y))))) == 2


def test_bins_beside_a_threshold_do_not_tell_the_rows_of_a_hidden_child():
    x = np.r_[np.arange(0, 40), np.full(4, 100.0), np.arange(200, 240)]
    y = np.r_[np.zeros(40), np.ones(4), np.zeros(40)].astype(int)
    model = silva.TreeClassifier().fit(x[:, None], y)
    hidden = hidden_of(model.grown_tree_, K)
    assert hidden.any
    found = document_of(html(model, x[:, None], y, min_cell=K))["given"]
    assert found["histograms"] == {}
    assert found["competing"] == {}
    assert "figures" not in found


def test_bins_end_where_no_few_rows_lie():
    """Edges come from the values with enough rows beyond them, not from the extreme ones."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 20, 400) * 1.0
    y = (x > 9).astype(int)
    pages = []
    for extreme in (25.0, 1e9):
        x[x.argmax()] = extreme
        model = silva.TreeClassifier().fit(x[:, None], y)
        pages.append(html(model, x[:, None], y, min_cell=K))
    assert "histograms" in json.dumps(document_of(pages[0])["given"])
    assert document_of(pages[0])["given"]["histograms"]
    assert pages[0] == pages[1]


def test_figures_come_back_where_nothing_is_hidden():
    model, X, y = fitted([[40, 0], [0, 25], [30, 0], [0, 50], [28, 0], [0, 33], [45, 0], [0, 60]])
    found = document_of(html(model, X, y, min_cell=K))
    assert found["given"]["figures"][0]["name"] == "accuracy"
    assert found["given"]["confusion"] is not None
    assert found["pruning"]["alphas"]
    assert found["exports"]


@pytest.mark.parametrize(
    "model",
    [
        silva.ForestClassifier(3, max_depth=1, bootstrap=False, random_state=0),
        silva.ExtraTreesClassifier(3, max_depth=1, random_state=0),
        silva.BaggingClassifier(n_estimators=3, random_state=0),
        silva.AdaBoostClassifier(n_estimators=3),
    ],
)
def test_trees_of_forests_tell_no_hidden_count(model):
    """The tree that stands for all is counted on rows that are drawn from the given ones."""
    pages = set()
    for n_ill in range(3, K):
        X = (np.arange(300) < n_ill)[:, None] * 1.0
        y = np.where(X[:, 0] == 1, "ill", "well")
        pages.add(html(model.fit(X, y), X, y, min_cell=K))
    assert len(pages) == 1
