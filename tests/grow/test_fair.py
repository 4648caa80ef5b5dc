"""The charge of many levels: by hand, on identifiers, and beside the core's own choices."""

import math

import numpy as np
import pandas as pd
import pytest

import silva
from silva.data.table import Target
from silva.errors import PlanError
from silva.grow.fair import LONE_CODE, chance, charge, groups_of, lone_levels

RNG = np.random.default_rng(0)


def classes(labels, weights=None) -> Target:
    codes = np.asarray(labels, np.int32)
    return Target("classification", codes, np.arange(codes.max() + 1), weights)


def test_the_charge_by_hand():
    """Eight rows, three levels of 4, 2 and 2 rows: shares of class 1 are 1/4, 1/2, 1.

    B = (9 + 1) / 4 + (1 + 1) / 2 + 4 / 2 - (16 + 16) / 8 = 1.5 and T = 8 - 4 = 4, so R2 = 3/8.
    rho = 1 / 6, sigma = sqrt(2 * 1/6 * 5/6 / 9).
    """
    levels = np.array([0, 0, 0, 0, 1, 1, 2, 2])
    target = classes([0, 0, 0, 1, 0, 1, 1, 1])
    share = 1 / 6 + math.sqrt(2 * (1 / 6) * (5 / 6) / 9)
    assert chance(3, 8) == pytest.approx(share)
    assert charge(0.1, levels, target) == pytest.approx(0.1 * share / (3 / 8))
    alike = np.repeat([0, 1, 2], 2)
    assert charge(0.0, alike, classes([0, 1] * 3)) == pytest.approx(chance(3, 6) / 2)


def test_numbers_are_charged_alike():
    """Means 0, 1 and 3 of two rows each: B = 2 (16/9 + 1/9 + 25/9), T = B + 6 * 0.25."""
    levels = np.repeat([0, 1, 2], 2)
    target = Target("regression", np.array([-0.5, 0.5, 0.5, 1.5, 2.5, 3.5]), None, None)
    between = 2 * (16 + 1 + 25) / 9
    expected = chance(3, 6) * (between + 1.5) / between
    assert charge(1.0, levels, target) == pytest.approx(expected)


def test_two_groups_are_one_question():
    assert charge(0.3, np.array([0, 0, 1]), classes([0, 1, 1])) == 0.0
    assert lone_levels(np.array([5, 7]), None).tolist() == []


def test_lone_levels_are_one_group():
    codes = np.array([0, 0, 1, 2, -1])
    lone = lone_levels(codes, None)
    assert lone.tolist() == [1, 2]
    assert groups_of(codes, lone).tolist() == [0, 0, LONE_CODE, LONE_CODE, -1]
    assert groups_of(codes, lone, with_missing=True).tolist() == [0, 0, -1, -1, -1]
    assert groups_of(codes[:4], lone, True).tolist() == [0, 0, LONE_CODE, LONE_CODE]


def test_rows_without_weight_are_no_evidence():
    codes = np.array([0, 0, 1, 1, 2, 2])
    assert lone_levels(codes, np.array([1.0, 1.0, 1.0, 0.0, 1.0, 1.0])).tolist() == [1]


def test_rows_count_not_weights():
    levels, labels = np.repeat([0, 1, 2], 3), [0, 1, 1, 0, 0, 1, 0, 1, 0]
    heavy = charge(0.1, levels, classes(labels, np.full(9, 100.0)))
    assert heavy == pytest.approx(charge(0.1, levels, classes(labels)))
    padded = np.append(levels, [7, 8]), [*labels, 1, 0]
    zeros = np.append(np.ones(9), [0.0, 0.0])
    assert charge(0.1, padded[0], classes(padded[1], zeros)) == pytest.approx(heavy)


def frame_of(n: int) -> tuple[pd.DataFrame, np.ndarray]:
    labels = RNG.integers(0, 2, n)
    town = RNG.choice(list("abcdefgh"), n)
    number = labels * 0.3 + RNG.normal(size=n)
    return pd.DataFrame({"town": town, "number": number}), labels


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error", "gain_ratio"])
@pytest.mark.parametrize("splits", ["subset", "multiway"])
@pytest.mark.filterwarnings("ignore:.*identifiers")
def test_an_identifier_changes_no_tree(criterion: str, splits: str):
    X, y = frame_of(80)
    model = silva.TreeClassifier(criterion=criterion, splits=splits)
    without = silva.to_text(model.fit(X, y))
    named = X.assign(who=[f"person {i}" for i in range(len(X))])
    assert silva.to_text(model.fit(named, y)) == without
    plain = model.set_params(category_gain="plain").fit(named, y)
    assert "who" in silva.to_text(plain)


@pytest.mark.filterwarnings("ignore:.*identifiers")
def test_identifiers_alone_grow_no_tree():
    names = pd.DataFrame({"who": [f"person {i}" for i in range(50)]})
    for target, kind in ((np.arange(50) % 2, "Classifier"), (np.arange(50.0), "Regressor")):
        tree = getattr(silva, f"Tree{kind}")().fit(names, target).grown_tree_
        assert tree.n_nodes == 1
        forest = getattr(silva, f"Forest{kind}")(5, random_state=0).fit(names, target)
        assert all(one.n_nodes == 1 for one in forest.trees_)


def test_gains_stay_plain():
    """What is stored is the gain; the charge only ranks."""
    X, y = frame_of(300)
    fair = silva.TreeClassifier(max_depth=1).fit(X[["town"]], y)
    plain = silva.TreeClassifier(max_depth=1, category_gain="plain").fit(X[["town"]], y)
    assert silva.to_text(fair) == silva.to_text(plain)
    assert fair.grown_tree_.gain[0] == plain.grown_tree_.gain[0] > 0


@pytest.mark.parametrize("seed", range(30))
def test_competing_scores_are_those_of_growth(seed: int):
    """The split that growth takes is the first by score."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 200))
    X = pd.DataFrame(
        {
            "town": rng.choice(list("abcdefghijkl"), n),
            "code": rng.choice(list("uvw"), n),
            "number": rng.normal(size=n).round(1),
        }
    )
    y = rng.integers(0, 3, n) if seed % 2 else rng.normal(size=n)
    kind = silva.TreeClassifier if seed % 2 else silva.TreeRegressor
    model = kind(max_depth=1).fit(X, y)
    if model.grown_tree_.n_nodes == 1:
        return
    first = silva.edit.competing_splits(model, 0, X, y)[0]
    assert first.is_current
    assert first.gain == model.grown_tree_.gain[0]


def test_a_bad_choice_is_refused():
    with pytest.raises(PlanError, match=r"category_gain='honest'.*'fair' or 'plain'"):
        silva.TreeClassifier(category_gain="honest").fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("plan", [silva.ID3(), silva.C45(), silva.CART()])
def test_presets_keep_the_gain_of_their_authors(plan):
    assert plan.category_gain == "plain"


@pytest.mark.parametrize("unseen", ["majority", "stop"])
def test_of_two_levels_beside_missing_values_one_can_be_lone(unseen: str):
    X = pd.DataFrame({"c": ["a"] * 6 + ["b"] + [None] * 5})
    model = silva.TreeClassifier(unseen=unseen).fit(X, [0] * 6 + [1] * 6)
    assert model.grown_tree_.schema.columns[0].lone_levels == 1
    assert "Levels with a single training row count as unseen (c 1)." in silva.to_text(model)


def test_huge_numbers_do_not_overflow():
    levels, numbers = np.repeat([0, 1, 2], 2), np.array([-0.5, 0.5, 0.5, 1.5, 2.5, 3.5])
    small = Target("regression", numbers, None, None)
    huge = Target("regression", numbers * 1e200, None, None)
    with np.errstate(all="raise"):
        assert charge(1.0, levels, huge) == pytest.approx(charge(1.0, levels, small))
    alike = Target("regression", np.array([1.0, 3.0] * 3), None, None)
    assert charge(0.0, levels, alike) == pytest.approx(chance(3, 6))
