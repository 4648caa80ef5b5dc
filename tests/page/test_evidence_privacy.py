"""Small counts are not in the document, and cannot be had from what is."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import silva
from silva.inspect.subject import subject_of
from silva.page.payload.masking import hidden_of
from silva.page.payload.privacy import (
    closed,
    hidden_cells,
    hidden_classes,
    hidden_nodes,
    masked,
)
from silva.tree import stats
from tests.page.evidence_cases import CASES, case, mixed, no_few_rows, numbers, sections

KS = [2, 3, 5, 12]


def children_of(tree, node):
    return tree.child[tree.child_start[node] : tree.child_start[node + 1]].tolist()


def derived(tree, rows, hidden):
    """The hidden nodes whose count follows from all equations: parent = sum of children.

    By linear algebra: an unknown is determined iff no direction of the solutions moves it.
    """
    unknown = np.flatnonzero(hidden).tolist()
    if not unknown:
        return []
    place = {node: number for number, node in enumerate(unknown)}
    lines = []
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        line = np.zeros(len(unknown))
        for one, sign in [(node, 1.0), *((child, -1.0) for child in children_of(tree, node))]:
            if one in place:
                line[place[one]] += sign
        lines.append(line)
    _, size, basis = np.linalg.svd(np.array(lines).reshape(-1, len(unknown)))
    free = basis[int((size > 1e-9).sum()) :]
    return [node for node in unknown if np.abs(free[:, place[node]]).max(initial=0.0) < 1e-9]


def models():
    yield from (case(name)[0] for name in ("classes", "numbers", "weights", "multiway", "stops"))
    for seed in range(6):
        X, y = numbers(seed, 60)
        yield silva.TreeClassifier().fit(X, y)
        yield silva.TreeRegressor(min_samples_leaf=2).fit(X, X[:, 0] + y)


@pytest.mark.parametrize("k", KS)
def test_no_hidden_count_follows_from_the_others(k):
    for model in models():
        tree = model.grown_tree_
        rows, hidden = stats.node_rows(tree), hidden_nodes(tree, k)
        assert not (hidden[0] and rows[0] >= k)
        assert hidden[(rows > 0) & (rows < k)].all()
        assert derived(tree, rows, hidden) == []


@pytest.mark.parametrize("k", KS)
def test_no_hidden_count_follows_from_one_parent_and_its_children(k):
    """Every sum and difference of what is told of a parent and its children."""
    for model in models():
        tree = model.grown_tree_
        rows, hidden = stats.node_rows(tree), hidden_nodes(tree, k)
        for node in np.flatnonzero(~tree.is_leaf).tolist():
            family = [node, *children_of(tree, node)]
            told = [int(rows[one]) for one in family if not hidden[one]]
            found = {
                abs(sum(sign * count for sign, count in zip(signs, told, strict=True)))
                for signs in itertools.product((-1, 0, 1), repeat=min(len(told), 6))
                if len(told) <= 6
            }
            if hidden[node] or not any(hidden[child] for child in family[1:]):
                continue
            rest = rows[node] - sum(rows[child] for child in family[1:] if not hidden[child])
            assert rest >= k
            assert sum(bool(hidden[child]) for child in family[1:]) >= 2
            whole = len(family) == len(told)
            assert whole or not found & {int(rows[one]) for one in family[1:] if rows[one] < k}


@pytest.mark.parametrize("k", KS)
def test_class_counts_are_hidden_as_a_whole(k):
    for model in models():
        tree = model.grown_tree_
        if tree.classes is None:
            assert np.array_equal(hidden_classes(tree, k), hidden_nodes(tree, k))
            continue
        hidden = hidden_classes(tree, k)
        rows = stats.node_rows(tree)
        share = stats.node_class_weight(tree) / stats.node_weight(tree)[:, None]
        counts = share * rows[:, None]
        few = ((counts > 0) & (counts < k - 1e-9)).any(axis=1)
        assert hidden[few | hidden_nodes(tree, k)].all()
        if not hidden[0]:
            assert derived(tree, rows, hidden) == []


@pytest.mark.parametrize("k", KS)
def test_no_hidden_bin_of_targets_follows_from_other_nodes_or_bins(k):
    """Of each bin over the nodes by linear algebra, and of each node by its total."""
    for seed in range(4):
        X, y = numbers(seed, 200)
        signal = X[:, 0] + y
        model = silva.TreeRegressor(min_samples_leaf=4).fit(X, signal)
        tree = model.grown_tree_
        told = sections(model, X, signal, min_cell=k, cv=None)["given"]["targets"] or {"nodes": {}}
        whole = sections(model, X, signal, cv=None)["given"]["targets"]["nodes"]
        counts = np.array([whole[str(node)] for node in range(tree.n_nodes)])
        hidden = np.ones(counts.shape, dtype=bool)
        for node, line in told["nodes"].items():
            hidden[int(node)] = [one is None for one in line]
            shown = [one for one in line if one is not None]
            rest = int(counts[int(node)].sum()) - sum(shown)
            assert all(one == 0 or one >= k for one in shown)
            assert len(shown) == 16 or (rest >= k and len(shown) <= 14)
        for column, unknown in zip(counts.T, hidden.T, strict=True):
            assert derived(tree, column, unknown) == []
        assert ("0" in told["nodes"]) == (not hidden_nodes(tree, k).any())


@pytest.mark.parametrize("k", KS)
def test_means_of_training_rows_are_hidden_where_those_of_the_tree_are(k):
    model, X, y, _ = case("numbers")
    tree = model.grown_tree_
    means = sections(model, X, y, min_cell=k, cv=None)["given"]["nodes"]["mean"]
    for node in np.flatnonzero(hidden_of(tree, k).shares).tolist():
        assert means[node] is None
    assert k < 12 or means[0] is None


def test_without_a_limit_nothing_is_hidden():
    tree = case("classes")[0].grown_tree_
    for k in (None, 1):
        assert not hidden_nodes(tree, k).any()
        assert not hidden_classes(tree, k).any()
    assert masked([1, 2, 0], None) == [1, 2, 0]


def test_a_sibling_is_hidden_down_to_a_leaf():
    X, y = np.arange(40.0)[:, None], np.r_[np.zeros(3), np.ones(17), np.zeros(10), np.ones(10)]
    tree = silva.TreeClassifier().fit(X, y).grown_tree_
    hidden, rows = hidden_nodes(tree, 5), stats.node_rows(tree)
    small = np.flatnonzero(rows == 3)
    assert hidden[small].all()
    plain = (rows > 0) & (rows < 5)
    assert derived(tree, rows, plain) == small.tolist()
    assert derived(tree, rows, hidden) == []


def assignments(total, told, k):
    """All counts that fit to what is told; hidden ones are at least 0."""
    places = [place for place, count in enumerate(told) if count is None]
    rest = total - sum(count for count in told if count is not None)
    for found in itertools.product(range(rest + 1), repeat=len(places)):
        if sum(found) == rest:
            yield dict(zip(places, found, strict=True))


@given(st.lists(st.integers(0, 6), min_size=1, max_size=4), st.integers(2, 4))
@settings(max_examples=150)
def test_masked_counts_leave_more_than_one_possibility(counts, k):
    told = masked(counts, k)
    for count, shown in zip(counts, told, strict=True):
        assert shown is None or (shown == count and not 0 < count < k)
    hidden = [place for place, shown in enumerate(told) if shown is None]
    small = [place for place in hidden if 0 < counts[place] < k]
    if not small:
        assert hidden == []
        return
    if sum(counts) < k or len(counts) < 2:
        return
    for place in small:
        positive = {
            found[place]
            for found in assignments(sum(counts), told, k)
            if 0 in [counts[one] for one in hidden] or min(found.values()) > 0
        }
        all_ones = len(hidden) == len(counts) == sum(counts)
        assert len(positive) > 1 or all_ones


@given(
    st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=2, max_size=4),
    st.integers(2, 5),
)
@settings(max_examples=150)
def test_no_line_of_a_table_has_one_hidden_cell(table, k):
    counts = np.array(table)
    hidden = hidden_cells(counts, k)
    assert hidden[(counts > 0) & (counts < k)].all()
    for lines, these in ((counts, hidden), (counts.T, hidden.T)):
        for line, found in zip(lines, these, strict=True):
            assert found.sum() != 1
            assert not found.any() or found.all() or line[found].sum() >= k


def small_counts(value, k, path=""):
    """Places of whole numbers from 1 to k - 1 among counts."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from small_counts(one, k, f"{path}/{name}")
    elif isinstance(value, list):
        for one in value:
            yield from small_counts(one, k, path)
    elif isinstance(value, int) and not isinstance(value, bool) and 0 < value < k:
        yield path, value


COUNTS = ("nodes/rows", "nodes/counts", "/bins", "/missing", "/unseen", "/others", "confusion/c")
LABELS = ("/low", "/high", "/edges", "/levels", "/cut", "/mean", "/share", "/actual")


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("k", [2, 5, 30])
def test_no_small_count_is_in_the_sections(name, k):
    model, X, y, weights = case(name)
    found = sections(model, X, y, weights, cv=None, min_cell=k)
    if weights is not None:
        found["given"].pop("confusion", None)  # sums of weights
    for path, value in small_counts(found["given"], k, ""):
        assert not any(part in path for part in COUNTS) or path.endswith(LABELS), (path, value)
    assert f"1 to {k - 1} are hidden" in found["about"]["privacy"]


@pytest.mark.parametrize("name", ["classes", "numbers", "stops", "multiway", "forest"])
@pytest.mark.parametrize("k", [3, 8])
def test_given_nodes_do_not_tell_hidden_ones(name, k):
    model, X, y, _ = case(name)
    half = slice(0, 140)
    for rows, targets in ((X, y), (X[half], y[half])):
        found = sections(model, rows, targets, cv=None, min_cell=k)["given"]["nodes"]
        plain = sections(model, rows, targets, cv=None)["given"]["nodes"]
        tree = subject_of(model).tree()
        for node in np.flatnonzero(~tree.is_leaf).tolist():
            if found["rows"][node] is None:
                continue
            children = children_of(tree, node)
            told = [found["rows"][child] for child in children]
            rest = plain["rows"][node] - sum(one for one in told if one is not None)
            assert rest == 0 or rest >= k
            stopped = plain["rows"][node] - sum(plain["rows"][child] for child in children)
            is_one = told.count(None) + (0 < stopped < k) == 1
            assert not is_one or stopped >= k
        pairs = zip(found["rows"], found["counts"] or found["mean"], strict=True)
        assert all(rows is not None or other is None for rows, other in pairs)


def test_figures_do_not_tell_few_wrong_rows():
    X, y = numbers(0, 100)
    model = silva.TreeClassifier(max_depth=2, min_samples_leaf=10).fit(X, y)
    told = model.predict(X)
    truth = told.copy()
    truth[0] = 1 - truth[0]
    assert "figures" not in sections(model, X, truth, min_cell=5)["given"]
    names = [one["name"] for one in sections(model, X, truth)["given"]["figures"]]
    assert "accuracy" in names


def test_losses_of_new_rows_do_not_tell_hidden_shares():
    X, y = no_few_rows()
    model = silva.TreeClassifier().fit(X[:-9], y[:-9])
    assert hidden_classes(model.grown_tree_, 25).any()
    new = np.repeat([[0.0], [1.0]], 60, axis=0), np.repeat([0, 1, 1, 0], 30)
    found = sections(model, *new, min_cell=25)["given"]
    assert [one["name"] for one in found["figures"]] == ["accuracy"]
    assert found["calibration"] is None
    assert all(None not in line for line in found["confusion"]["counts"])


def test_calibration_shares_do_not_tell_few_rows():
    X, y = no_few_rows()
    model = silva.TreeClassifier().fit(X, y)
    for one in sections(model, X, y, cv=None, min_cell=10)["given"]["calibration"]:
        right = []
        for found in one["bins"]:
            if found["rows"] is None:
                assert found["mean"] is found["share"] is None
            elif found["share"] is not None:
                count = round(found["share"] * found["rows"])
                assert count == 0 or count >= 10
                assert count == found["rows"] or found["rows"] - count >= 10
                right.append(count)
        assert right


@pytest.mark.parametrize("name", CASES)
def test_a_table_smaller_than_the_limit_hides_everything(name):
    model, X, y, weights = case(name)
    found = sections(model, X, y, weights, cv=3, min_cell=1000)
    assert found["given"]["rows"] is None
    assert set(found["given"]["nodes"]["rows"]) <= {None, 0}
    assert found["given"]["histograms"] == found["given"]["competing"] == {}
    assert "figures" not in found["given"]
    assert "fewer than 1,000" in found["given"]["note"]
    assert found["exports"] == []
    assert found["about"]["fitted_rows"] is None
    assert "left out" in found["about"]["privacy"]
    assert list(found["pruning"]) == ["note"]


def test_files_are_there_where_nothing_is_hidden():
    X = np.repeat([[0.0], [1.0]], 50, axis=0)
    y = np.repeat([0, 1], 50)
    with pytest.warns(silva.DataWarning):
        model = silva.TreeClassifier().fit(X, y)
    found = sections(model, X, y, min_cell=10)
    assert len(found["exports"]) == 4
    assert "nothing had to be hidden" in found["about"]["privacy"]
    table, labels, _, _ = mixed()
    model = silva.TreeClassifier().fit(table, labels)
    found = sections(model, table, labels, min_cell=10, cv=None)
    assert found["exports"] == []
    assert "(text, rules, rules as JSON, JSON) are left out" in found["about"]["privacy"]


@pytest.mark.parametrize("k", [None, 5])
@pytest.mark.parametrize("place", [0, 57])
def test_no_value_of_a_row_is_in_the_sections(k, place):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.normal(size=201), "z": rng.normal(size=201) * 1e6})
    order = np.argsort(table["x"].to_numpy())
    planted = {"x": float(table["x"].iloc[order[0 if place == 0 else 100]]), "z": 123456.789}
    table.loc[place, "z"] = planted["z"]
    y = (table["x"] + rng.normal(size=201) > 0).astype(int).to_numpy()
    model = silva.TreeClassifier(min_samples_leaf=5).fit(table, y)
    text = json.dumps(sections(model, table, y, min_cell=k, cv=3))
    for value in planted.values():
        assert repr(value)[:9] not in text
    every = {repr(one)[:12] for one in table.to_numpy().ravel().tolist()}
    assert not [one for one in every if one in text]


@pytest.mark.parametrize("bad", [0, -1, 2.5, "5"])
def test_other_limits_are_refused(bad):
    X, y = numbers()
    model = silva.TreeClassifier(max_depth=2).fit(X, y)
    with pytest.raises(silva.PlanError, match="min_cell"):
        sections(model, X, y, min_cell=bad)


def test_closing_twice_changes_nothing():
    for model in models():
        tree = model.grown_tree_
        rows, hidden = stats.node_rows(tree), hidden_nodes(tree, 5)
        assert np.array_equal(closed(tree, hidden, rows, 5), hidden)


def test_steps_of_pruning_do_not_tell_hidden_gains():
    X, y = numbers(0, 120)
    model = silva.TreeClassifier(max_depth=4).fit(X, y)
    found = sections(model, X, y, min_cell=5)["pruning"]
    assert list(found) == ["note"]
    assert "follow from counts that are hidden" in found["note"]


def test_alphas_have_few_digits_and_still_give_the_same_trees():
    X, y = no_few_rows()
    model = silva.TreeClassifier().fit(X, y)
    exact = sections(model, X, y, cv=None)["pruning"]["alphas"]
    told = sections(model, X, y, cv=None, min_cell=10)["pruning"]["alphas"]
    for low, alpha, high in zip(exact, told, [*exact[1:], np.inf], strict=True):
        assert low <= alpha < high
    assert all(float(f"{alpha:.4g}") == alpha for alpha in told)


def test_importances_are_made_of_the_gains_that_are_told():
    X, y = numbers(0, 120)
    model = silva.TreeClassifier(max_depth=4).fit(X, y)
    tree = model.grown_tree_
    secret = hidden_classes(tree, 5)
    told = [
        node
        for node in np.flatnonzero(~tree.is_leaf).tolist()
        if not secret[[node, *children_of(tree, node)]].any()
    ]
    by_column = np.zeros(4)
    weighted = tree.gain * stats.node_rows(tree)
    np.add.at(by_column, tree.thresholds.column[tree.split_index[told]], weighted[told])
    found = sections(model, X, y, min_cell=5)["importances"]
    assert by_column.sum() > 0
    expected = np.round(by_column / by_column.sum(), 2)
    assert np.array(found["values"]) == pytest.approx(expected[found["columns"]])
    assert found["columns"] == np.argsort(-expected, kind="stable").tolist()


def test_competing_splits_are_left_out():
    X, y = no_few_rows()
    model = silva.TreeClassifier(max_depth=1).fit(X, y)
    assert sections(model, X, y)["given"]["competing"]
    assert sections(model, X, y, min_cell=10)["given"]["competing"] == {}
