"""Two models: McNemar's test against its definition, differences and paired predictions."""

import json
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics

import silva
from silva.inspect import differences, mcnemar, paired
from silva.inspect.model_differences import first_difference

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(80, 3))
LABELS = np.where(X[:, 0] + X[:, 1] ** 2 > 0.5, "yes", "no")
SMALL = silva.TreeClassifier(max_depth=1).fit(X, LABELS)
LARGE = silva.TreeClassifier(max_depth=3).fit(X, LABELS)
FOREST = silva.ForestClassifier(3, random_state=0).fit(X, LABELS)


def slow_mcnemar(a, b):
    """Twice the probability of so few or fewer heads, by counting; at most 1."""
    rows = a + b
    tail = sum(comb(rows, k) for k in range(min(a, b) + 1))
    return min(1.0, 2 * tail / 2**rows)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_a_binomial_test(a, b):
    assert mcnemar(a, b) == pytest.approx(slow_mcnemar(a, b), rel=1e-9)
    assert mcnemar(a, b) == mcnemar(b, a)
    if a + b:
        assert mcnemar(a, b) == pytest.approx(stats.binomtest(a, a + b).pvalue, rel=1e-9)


@given(st.lists(st.tuples(*[st.sampled_from("ab")] * 3), min_size=1))
def test_paired_classes(rows):
    a, b, truth = (np.array(one) for one in zip(*rows, strict=True))
    found = paired("classification", a, b, truth)
    assert found.differ == sum(x != y for x, y, _ in rows)
    assert found.only_a == sum(x == t != y for x, y, t in rows)
    assert found.only_b == sum(y == t != x for x, y, t in rows)
    assert found.score_a == pytest.approx(np.mean([x == t for x, _, t in rows]))
    assert found.p_value == mcnemar(found.only_a, found.only_b)
    json.dumps(found.to_dict(), allow_nan=False)
    assert "McNemar" in str(found)
    more = {one.measure: (one.a, one.b) for one in found.more}
    expected = [
        metrics.precision_recall_fscore_support(truth, told, average="macro", zero_division=0)
        for told in (a, b)
    ]
    for name, *both in zip(("precision", "recall", "F1"), *expected, strict=False):
        assert more[f"macro {name}"] == pytest.approx(both)


def test_paired_probabilities():
    truth = np.array(list("aabbb"))
    one, other = np.array([0.1, 0.6, 0.6, 0.2, 0.9]), np.full(5, 0.5)
    shares = tuple(np.stack((1 - part, part), axis=1) for part in (one, other))
    told = [np.where(part > 0.5, "b", "a") for part in (one, other)]
    found = paired("classification", *told, truth, shares=shares, classes=["a", "b"])
    assert (found.more[0].a, found.more[0].b) == (metrics.roc_auc_score(truth == "b", one), 0.5)
    assert "AUC: A 0.75, B 0.5" in str(found)
    found = paired(
        "classification", *told, truth[:2].repeat(3)[:5], shares=shares, classes=["a", "b"]
    )
    assert "AUC: A not defined" in str(found)


def test_paired_numbers():
    a, b, truth = RANDOM.normal(size=(3, 30))
    found = paired("regression", a, b, truth)
    gain = (b - truth) ** 2 - (a - truth) ** 2
    interval = stats.t.interval(0.95, 29, gain.mean(), stats.sem(gain))
    assert (found.gain_low, found.gain_high) == pytest.approx(interval)
    assert found.distance == pytest.approx(np.sqrt(np.mean((a - b) ** 2)))
    assert "B - A: 95% interval" in str(found)
    absolute, explained = found.more
    assert (absolute.measure, explained.measure) == ("mean absolute error", "R2")
    expected = [metrics.mean_absolute_error(truth, told) for told in (a, b)]
    assert [absolute.a, absolute.b] == pytest.approx(expected)
    expected = [metrics.r2_score(truth, told) for told in (a, b)]
    assert [explained.a, explained.b] == pytest.approx(expected)
    assert paired("regression", a, a).differ == 0
    with pytest.raises(silva.DataError, match="lengths differ"):
        paired("regression", a, b[:5])


def test_a_model_is_the_same_as_itself():
    for model in (LARGE, LARGE.grown_tree_, FOREST):
        found = differences(model, model)
        assert found.same
        assert str(found) == "the models are the same"


def test_what_differs_is_listed():
    found = differences(SMALL, LARGE)
    facts = {one.what: (one.a, one.b) for one in found.facts}
    assert facts == {
        "leaves": (2, LARGE.get_n_leaves()),
        "depth": (1, 3),
    }
    assert {one.what: (one.a, one.b) for one in found.parameters} == {"max_depth": (1, 3)}
    assert {one.what: one.a for one in found.importances} == dict(
        zip(("x0", "x1", "x2"), SMALL.feature_importances_.tolist(), strict=True)
    )
    assert found.split.path == (found.split.path[0],)
    assert found.split.a == "a leaf"
    assert not found.same
    json.dumps(found.to_dict(), allow_nan=False)
    assert "first difference, at x" in str(found)


def test_kinds_columns_and_classes_of_one_only():
    other = silva.TreeClassifier().fit(X[:, :2], np.where(LABELS == "no", "never", LABELS))
    facts = {one.what: (one.a, one.b) for one in differences(LARGE, other).facts}
    assert facts["columns of one only"] == ("'x2'", "none")
    assert facts["classes of one only"] == ("'no'", "'never'")
    facts = {one.what: (one.a, one.b) for one in differences(LARGE, FOREST).facts}
    assert facts["kind"] == ("TreeClassifier", "ForestClassifier")
    assert facts["trees"] == (1, 3)


def slow_first_difference(a, b, node_a=0, node_b=0):
    """Pre-order, by recursion over the views of the nodes."""
    from silva.tree.view import TreeView

    one, other = TreeView(a), TreeView(b)
    if one.edges(node_a) != other.edges(node_b):
        return node_a, node_b
    for pair in zip(one.children(node_a), other.children(node_b), strict=True):
        found = slow_first_difference(a, b, *pair)
        if found is not None:
            return found
    return None


@given(st.integers(0, 400), st.integers(1, 4), st.integers(1, 4))
def test_the_first_difference_is_first_in_pre_order(seed, depth_a, depth_b):
    rows = np.random.default_rng(seed).integers(0, 5, (40, 2)).astype(float)
    y = np.random.default_rng(seed + 1).integers(0, 2, 40)
    a, b = (
        silva.TreeClassifier(max_depth=depth).fit(rows, y).grown_tree_
        for depth in (depth_a, depth_b)
    )
    found, expected = first_difference(a, b), slow_first_difference(a, b)
    assert (found is None) == (expected is None)
    if found is not None:
        depth = int(silva.tree.stats.depth(a)[expected[0]])
        assert len(found.path) == depth


def test_weights_are_repetitions_in_scores():
    truth, a, b = RANDOM.integers(0, 3, (3, 40))
    weights = RANDOM.integers(0, 4, 40)
    shares = tuple(RANDOM.dirichlet(np.ones(3), 40) for _ in range(2))
    how = {"shares": shares, "classes": [0, 1, 2]}
    weighted = paired("classification", a, b, truth, sample_weight=weights, **how)
    rows = np.repeat(np.arange(40), weights)
    how["shares"] = tuple(part[rows] for part in shares)
    plain = paired("classification", a[rows], b[rows], truth[rows], **how)
    assert (weighted.score_a, weighted.score_b) == pytest.approx((plain.score_a, plain.score_b))
    numbers = [one + 0.5 * RANDOM.normal(size=40) for one in (truth, a, b)]
    weighted_numbers = paired("regression", *numbers[1:], numbers[0], sample_weight=weights * 1e300)
    plain_numbers = paired("regression", *(one[rows] for one in numbers[1:]), numbers[0][rows])
    assert weighted_numbers.score_a == pytest.approx(plain_numbers.score_a)
    for ours, theirs in ((weighted, plain), (weighted_numbers, plain_numbers)):
        for one, other in zip(ours.more, theirs.more, strict=True):
            assert one.measure == other.measure
            assert (one.a, one.b) == (pytest.approx(other.a), pytest.approx(other.b))
