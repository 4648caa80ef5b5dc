"""The splits that a node might have had."""

import numpy as np
import pandas as pd
import pytest

import silva
from silva import edit
from silva.errors import PlanError
from silva.grow.criteria import gain
from silva.grow.splits import KindForms
from silva.tree.splits import Distance, Multiway, Oblique, columns_of, split_of
from tests.edit.edit_samples import LIKED, PEOPLE, PRICE, fitted, random_model


def test_every_column_has_its_best_split():
    found = edit.competing_splits(fitted(), 0, PEOPLE, LIKED, most=None)
    assert [columns_of(one.split)[0] for one in found if one.is_current] == [
        columns_of(split_of(fitted().grown_tree_, 0))[0]
    ]
    assert sorted(columns_of(one.split)[0] for one in found) == [0, 1, 2]
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    rich = next(one for one in found if columns_of(one.split) == (2,))
    assert rich.words == "rich = no"
    assert rich.rows == (4, 4)
    assert rich.gain == pytest.approx(gain([[2, 2], [2, 2]]))


def test_a_line_tells_all():
    model = silva.TreeRegressor(max_depth=1).fit([[1.0], [2.0], [3.0]], [0.0, 0.0, 3.0])
    (only,) = edit.competing_splits(model, 0, [[1.0], [2.0], [3.0]], [0.0, 0.0, 3.0])
    assert str(only) == "x0 < 2.5 (gain 2, 2 + 1 rows, the split of the node)"


@pytest.mark.parametrize("seed", range(80))
def test_the_grown_split_leads(seed: int):
    """Growth took the best split, so nothing beats it but for rounding and its own constraints."""
    tree, X, y, weights, plan = random_model(seed)
    inner = np.flatnonzero(~tree.is_leaf)
    if not len(inner) or plan.criterion == "gain_ratio" or plan.min_samples_leaf > 1:
        return
    node = int(inner[seed % len(inner)])
    forms = [one.categorical for one in plan.splits if isinstance(one, KindForms)]
    found = edit.competing_splits(
        tree, node, X, y, most=None, splits=forms[0] if forms else None, sample_weight=weights
    )
    current = next(one for one in found if one.is_current)
    assert current.split == split_of(tree, node)
    assert current.gain == pytest.approx(tree.gain[node], rel=1e-9)
    if not isinstance(current.split, Oblique):
        assert found[0].score <= current.score + 1e-9 * current.gain


def test_one_can_be_put_in():
    model = fitted(max_depth=1)
    found = edit.competing_splits(model, 0, PEOPLE, LIKED, most=None)
    other = next(one for one in found if not one.is_current)
    changed = edit.replace(model, 0, other.split, PEOPLE, LIKED)
    assert changed.grown_tree_.gain[0] == other.gain
    assert changed.grown_tree_.leaf_rows.tolist() == list(other.rows)
    again = edit.competing_splits(changed, 0, PEOPLE, LIKED, most=1)
    assert [one.is_current for one in again] == [False, True]


def test_leaves_have_competing_splits_too():
    model = edit.collapse(fitted(), 0, PEOPLE, LIKED)
    found = edit.competing_splits(model, 0, PEOPLE, LIKED, most=2)
    assert len(found) == 2
    assert not any(one.is_current for one in found)
    pure = silva.TreeClassifier().fit(PEOPLE, LIKED)
    leaf = int(np.argmax(pure.grown_tree_.is_leaf))
    assert edit.competing_splits(pure, leaf, PEOPLE, LIKED) == []


def test_forms_of_categories_can_be_chosen():
    model = silva.TreeRegressor(max_depth=1).fit(PEOPLE, PRICE)
    for splits in ("multiway", {"town": "multiway"}, {1: "multiway"}):
        found = edit.competing_splits(model, 0, PEOPLE, PRICE, None, splits=splits)
        town = next(one for one in found if columns_of(one.split) == (1,))
        assert town.words == "town = Bergen | town = Oslo | town = Rome"
        assert town.rows == (2, 3, 3)
    with pytest.raises(PlanError, match="splits names 'city'"):
        edit.competing_splits(model, 0, PEOPLE, PRICE, splits={"city": "multiway"})
    with pytest.raises(PlanError, match="splits=3"):
        edit.competing_splits(model, 0, PEOPLE, PRICE, splits=3)
    with pytest.raises(PlanError, match="most=0"):
        edit.competing_splits(model, 0, PEOPLE, PRICE, most=0)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({}, "town = Bergen"),
        ({"splits": "onevsrest"}, "town = Bergen"),
        ({"splits": "multiway"}, "town = Bergen | town = Oslo | town = Rome"),
        ({"splits": {"town": "multiway"}}, "town = Bergen | town = Oslo | town = Rome"),
        ({"plan": "CART"}, "town = Bergen"),
        ({"plan": silva.Plan("regression", "squared_error", splits="multiway")}, "town = Bergen |"),
    ],
    ids=str,
)
def test_forms_are_those_of_the_model(params, words):
    model = silva.TreeRegressor(max_depth=None, **params).fit(PEOPLE, PRICE)
    found = edit.competing_splits(model, 0, PEOPLE, PRICE, None)
    town = next(one for one in found if columns_of(one.split) == (1,))
    assert town.words.startswith(words)
    again = edit.competing_splits(model, 0, PEOPLE, PRICE, None, splits="multiway")
    town = next(one for one in again if columns_of(one.split) == (1,))
    assert " | " in town.words


def test_presets_of_classes_bring_their_forms():
    model = silva.TreeClassifier(plan="ID3").fit(PEOPLE, LIKED)
    found = edit.competing_splits(model, 0, PEOPLE, LIKED, None)
    town = next(one for one in found if columns_of(one.split) == (1,))
    assert isinstance(town.split, Multiway)


@pytest.mark.parametrize(("splits", "kind"), [("oblique", Oblique), ("distance", Distance)])
def test_splits_of_several_columns_are_listed_where_they_win(splits, kind):
    points = np.random.default_rng(0).normal(size=(200, 2))
    inside = points.sum(axis=1) > 0 if splits == "oblique" else (points**2).sum(axis=1) < 1
    model = silva.TreeClassifier(splits=splits, max_depth=2).fit(points, inside)
    collapsed = edit.collapse(model, 0, points, inside)
    for one in (model, collapsed):
        found = edit.competing_splits(one, 0, points, inside, None)
        assert isinstance(found[0].split, kind)
        assert sorted(columns_of(other.split) for other in found[1:]) == [(0,), (1,)]
    axis = (points[:, 0] > 0.3).astype(int)
    model = silva.TreeClassifier(splits=splits).fit(points, axis)
    found = edit.competing_splits(model, 0, points, axis, None)
    assert [columns_of(one.split) for one in found] == [(0,), (1,)]


@pytest.mark.parametrize("unseen", ["majority", "learn"])
@pytest.mark.parametrize("form", ["subset", "multiway"])
def test_scores_below_the_root_are_those_of_growth(form: str, unseen: str):
    """Lone levels are those of all training rows, not of the rows of the node."""
    rng = np.random.default_rng(5)
    n_rows = 300
    X = pd.DataFrame({"code": [f"c{i}" for i in rng.integers(0, 120, n_rows)]})
    X["number"] = rng.normal(size=n_rows)
    X["other"] = rng.normal(size=n_rows)
    X.loc[rng.random(n_rows) < 0.2, "code"] = None
    y = (X["number"] + rng.normal(size=n_rows) > 0).astype(int)
    weights = rng.integers(0, 3, n_rows).astype(float)
    model = silva.TreeClassifier(splits=form, unseen=unseen).fit(X, y, sample_weight=weights)
    charged = 0
    for node in np.flatnonzero(~model.grown_tree_.is_leaf).tolist():
        found = edit.competing_splits(model, node, X, y, None, sample_weight=weights)
        current = next(one for one in found if one.is_current)
        assert found[0].score <= current.score + 1e-9, node
        charged += current.score < current.gain
    assert charged > 0
