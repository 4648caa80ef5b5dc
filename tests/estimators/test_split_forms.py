"""Every kind of split through the estimators: asked for, grown, routed, kept and explained."""

import pickle

import numpy as np
import pandas as pd
import pytest

import silva
from silva import SplitKindError, StumpClassifier, TreeClassifier, TreeRegressor
from silva.errors import DataWarning
from silva.tree.splits import DISTANCE, MULTIWAY, OBLIQUE, SUBSET, THRESHOLD, Subset, split_of
from silva.tree.tree import same

RNG = np.random.default_rng(3)
FOUR = pd.DataFrame({"town": ["Bonn", "Kiel", "Ulm", "Wien"] * 3})
PRICE = [1.0, 5.0, 1.0, 5.0] * 3
MIXED = pd.DataFrame(
    {
        "a": RNG.normal(size=300),
        "b": RNG.normal(size=300),
        "town": RNG.choice(["Bonn", "Kiel", "Ulm", "Wien"], 300),
        "colour": RNG.choice(["red", "green", "blue"], 300),
        "size": pd.Categorical(RNG.choice(list("SML"), 300), list("SML"), ordered=True),
        "paid": RNG.choice([True, False], 300),
    }
)
MIXED.loc[::7, "a"] = np.nan
MIXED.loc[::11, "town"] = None
LABEL = np.where(
    (MIXED["b"] + MIXED["a"].fillna(0) > 0) ^ MIXED["town"].isin(["Bonn", "Ulm"]), "x", "y"
)
EVERYTHING = [
    "multiway",
    {"town": "subset", "size": "onevsrest"},
    "oblique",
    silva.DistanceSplits(["euclidean", "manhattan", "cosine", "mahalanobis"]),
]
CHOICES = ["subset", "onevsrest", "multiway", ["subset", "oblique"], ["subset", "distance"]]
CHOICES += [EVERYTHING]


def kinds(model):
    return set(model.grown_tree_.split_kind.tolist()) - {0}


def test_a_set_of_values_is_the_default():
    model = TreeRegressor().fit(FOUR, PRICE)
    assert split_of(model.grown_tree_, 0) == Subset(0, (1, 3), (), 0, 0)
    assert model.get_n_leaves() == 2
    assert same(TreeRegressor(splits="subset").fit(FOUR, PRICE).grown_tree_, model.grown_tree_)


def test_one_value_against_the_rest():
    model = TreeRegressor(splits="onevsrest").fit(FOUR, PRICE)
    assert kinds(model) == {SUBSET}
    assert all(
        len(split_of(model.grown_tree_, node).codes) == 1
        for node in np.flatnonzero(~model.grown_tree_.is_leaf)
    )
    assert model.get_n_leaves() == 3
    assert model.predict(FOUR).tolist() == PRICE


def test_a_child_for_each_value():
    model = TreeRegressor(splits="multiway").fit(FOUR, PRICE)
    assert kinds(model) == {MULTIWAY}
    assert (model.get_n_leaves(), model.get_depth()) == (4, 1)
    assert model.predict(FOUR).tolist() == PRICE


def test_forms_by_column():
    model = TreeClassifier(splits={"town": "multiway", "size": "multiway"}).fit(MIXED, LABEL)
    tree = model.grown_tree_
    asked = {"town": set(), "colour": set(), "size": set()}
    for node in np.flatnonzero(~tree.is_leaf):
        name = tree.schema.names[split_of(tree, node).column]
        if name in asked:
            asked[name].add(int(tree.split_kind[node]))
    assert asked["town"] == {MULTIWAY}
    assert asked["size"] <= {MULTIWAY}
    assert asked["colour"] <= {SUBSET}


def test_an_ordinal_column_as_categories():
    sizes = pd.DataFrame({"size": pd.Categorical(list("SMLSML"), list("SML"), ordered=True)})
    good = ["no", "yes", "no"] * 2
    assert TreeClassifier().fit(sizes, good).get_n_leaves() == 3
    chosen = TreeClassifier(splits={"size": "subset"}).fit(sizes, good)
    assert kinds(chosen) == {SUBSET}
    assert chosen.get_n_leaves() == 2
    assert chosen.predict(sizes).tolist() == good


def test_a_binary_column_as_categories():
    paid = pd.DataFrame({"paid": [True, False, True, False], "sold": ["no", "no", "yes", "yes"]})
    for form, kind in (("multiway", MULTIWAY), ("subset", SUBSET), ("threshold", THRESHOLD)):
        model = TreeClassifier(splits={"paid": form, "sold": form}).fit(paid, [0, 0, 1, 1])
        assert kinds(model) == {kind}
        assert model.predict(paid).tolist() == [0, 0, 1, 1]


def test_a_weighted_sum():
    points = RNG.normal(size=(400, 2))
    above = points @ [1.0, 2.0] > 0.3
    axis = StumpClassifier().fit(points, above)
    sloped = StumpClassifier(splits="oblique").fit(points, above)
    assert kinds(sloped) == {OBLIQUE}
    assert sloped.score(points, above) > 0.97 > axis.score(points, above)


def test_a_weighted_sum_must_be_worth_it():
    points = RNG.normal(size=(200, 3))
    model = TreeClassifier(splits="oblique").fit(points, points[:, 1] > 0.2)
    assert kinds(model) == {THRESHOLD}
    greedy = silva.ObliqueSplits(margin=1e9)
    target = points.sum(axis=1) > 0
    assert OBLIQUE not in kinds(TreeClassifier(splits=greedy).fit(points, target))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "mahalanobis"])
def test_a_distance(metric):
    points = RNG.normal(size=(400, 2))
    near = np.hypot(*points.T) < 0.9
    axis = StumpClassifier().fit(points, near)
    round_one = StumpClassifier(splits=silva.DistanceSplits(metric)).fit(points, near)
    assert kinds(round_one) == {DISTANCE}
    assert round_one.score(points, near) > axis.score(points, near) + 0.1


def test_a_distance_in_regression():
    points = RNG.normal(size=(300, 2))
    depth = np.exp(-(points**2).sum(axis=1))
    near, axis = (TreeRegressor(max_depth=1, splits=one) for one in ("distance", None))
    assert near.fit(points, depth).score(points, depth) > axis.fit(points, depth).score(
        points, depth
    )


@pytest.mark.parametrize("splits", CHOICES, ids=str)
def test_any_number_of_threads_grows_the_same(splits):
    one = TreeClassifier(splits=splits, n_jobs=1).fit(MIXED, LABEL)
    two = TreeClassifier(splits=splits, n_jobs=2).fit(MIXED, LABEL)
    assert same(one.grown_tree_, two.grown_tree_)


@pytest.mark.parametrize("splits", CHOICES, ids=str)
def test_everything_works_for_every_kind(splits, tmp_path):
    model = TreeClassifier(splits=splits, min_samples_leaf=3).fit(MIXED, LABEL)
    answers = model.predict_proba(MIXED)
    assert answers.sum(axis=1) == pytest.approx(1.0)
    silva.save(model, tmp_path / "model.silva")
    for copy in (silva.load(tmp_path / "model.silva"), pickle.loads(pickle.dumps(model))):
        assert same(copy.grown_tree_, model.grown_tree_)
        assert np.array_equal(copy.predict_proba(MIXED), answers)
        assert copy.get_params() == model.get_params()
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    path = model.decision_path(MIXED)
    assert np.array_equal(np.asarray(path.argmax(axis=1)).ravel(), np.zeros(len(MIXED)))
    assert path.shape == (len(MIXED), model.grown_tree_.n_nodes)
    assert silva.to_text(model).count("\n") > model.get_n_leaves()
    rows = np.bincount(model.apply(MIXED), minlength=model.grown_tree_.n_nodes)
    assert rows[model.grown_tree_.is_leaf].tolist() == model.grown_tree_.leaf_rows.tolist()
    assert model.cost_complexity_pruning_path(MIXED, LABEL).ccp_alphas[0] == 0.0


@pytest.mark.parametrize(
    ("splits", "columns", "target", "kind"),
    [
        ("subset", ["town"], LABEL, "Subset, column 'town'"),
        ("multiway", ["town"], LABEL, "Multiway, column 'town'"),
        ("oblique", ["a", "b"], MIXED["a"].fillna(0) + MIXED["b"] > 0, "Oblique, columns 'a', 'b'"),
        ("distance", ["a", "b"], np.hypot(MIXED["a"], MIXED["b"]) < 1, "Distance, columns"),
    ],
)
def test_scikit_learns_arrays_show_thresholds_only(splits, columns, target, kind):
    model = StumpClassifier(splits=splits).fit(MIXED[columns], target)
    with pytest.raises(SplitKindError, match=f"node 0 .*split kind {kind}"):
        model.tree_.threshold  # noqa: B018


def test_pruning_counts_all_children():
    model = TreeRegressor(splits="multiway").fit(FOUR, PRICE)
    assert TreeRegressor(splits="multiway", ccp_alpha=1e9).fit(FOUR, PRICE).get_n_leaves() == 1
    path = model.cost_complexity_pruning_path(FOUR, PRICE)
    assert path.ccp_alphas.tolist() == [0.0, 4.0 / 3]


def test_gain_ratio_is_not_taken_in_by_many_values():
    """Twenty values know every row, two values nearly; by plain gains the ratio prefers the two."""
    table = pd.DataFrame(
        {
            "many": [f"v{i % 20:02}" for i in range(40)],
            "good": ["a", "b"] * 20,
            "noise": ["p", "p", "q", "q"] * 10,
            "more": ["s"] * 20 + ["t"] * 20,
        }
    )
    target = [i % 2 if i % 20 > 1 else 1 - i % 2 for i in range(40)]
    plain = {"splits": "multiway", "category_gain": "plain"}
    with pytest.warns(DataWarning, match="identifiers: 'many'"):
        by_gain = StumpClassifier(**plain, criterion="entropy").fit(table, target)
    with pytest.warns(DataWarning, match="identifiers: 'many'"):
        by_ratio = StumpClassifier(**plain, criterion="gain_ratio").fit(table, target)
    assert split_of(by_gain.grown_tree_, 0).column == 0
    assert split_of(by_ratio.grown_tree_, 0).column == 1
    assert by_ratio.grown_tree_.criterion == "gain_ratio"
    assert by_ratio.tree_ is not None


def test_random_thresholds_and_all_forms():
    for form in ("subset", "onevsrest", "multiway"):
        choice = {"splitter": "random", "splits": form, "random_state": 5}
        model = TreeClassifier(**choice).fit(MIXED, LABEL)
        assert same(model.grown_tree_, TreeClassifier(**choice).fit(MIXED, LABEL).grown_tree_)
        assert model.score(MIXED, LABEL) > 0.9


def test_breakpoints_find_the_same_best_gain():
    values = RNG.integers(0, 30, size=(200, 3)).astype(float)
    target = (values[:, 0] + RNG.normal(size=200) * 8 > 15) + 0
    for criterion in ("gini", "entropy"):
        every = StumpClassifier(criterion=criterion).fit(values, target)
        fewer = StumpClassifier(criterion=criterion, thresholds="breakpoints").fit(values, target)
        assert fewer.grown_tree_.gain[0] == every.grown_tree_.gain[0]


def test_a_column_of_identifiers_is_warned_about_and_used():
    people = pd.DataFrame({"id": [f"p{i}" for i in range(30)], "age": np.arange(30.0)})
    for splits in ("subset", "onevsrest", "multiway"):
        with pytest.warns(DataWarning, match="identifiers: 'id'"):
            model = TreeClassifier(splits=splits).fit(people, [0, 1] * 15)
        assert model.score(people, [0, 1] * 15) == 1.0
