"""Stability, every quantity recomputed the slow way from fits on the rows themselves."""

from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

import silva
from silva.errors import PlanError
from silva.inspect.bias_variance import ancestors_at, n_leaves_at
from silva.inspect.subsamples import drawn
from silva.inspect.summary import depth
from silva.inspect.tree_distance import answer_distances, structure_distances
from silva.page.payload.stability import stability as page_stability
from silva.tree.collapse import collapse
from silva.tree.splits import Threshold, columns_of, split_of
from silva.tree.stats import depth as levels_of
from silva.tree.tree import same
from silva.tree.view import TreeView

SAMPLES = 8


def rows(seed=0, n_rows=90):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"x": rng.integers(0, 9, n_rows) * 1.0, "z": rng.normal(size=n_rows)})
    table["kind"] = rng.choice(["a", "b", "c"], n_rows)
    table.loc[rng.random(n_rows) < 0.1, "x"] = None
    signal = table["x"].fillna(4).to_numpy() + 4 * (table["kind"] == "a") + rng.normal(size=n_rows)
    return table, signal.to_numpy(), np.array(["lo", "mid", "hi"])[np.digitize(signal, [4, 8])]


def classifier():
    return silva.TreeClassifier(min_samples_leaf=3, leaf="laplace")


def regressor():
    return silva.TreeRegressor(max_leaf_nodes=9)


@pytest.fixture(scope="module", params=["classes", "numbers", "stops"])
def case(request):
    table, signal, labels = rows()
    model = {
        "classes": classifier(),
        "numbers": regressor(),
        "stops": silva.TreeClassifier(max_depth=4, missing="stop", splits="multiway"),
    }[request.param]
    target = signal if request.param == "numbers" else labels
    found = silva.stability(model, table, target, samples=SAMPLES, share=0.7, seed=3)
    kept = [drawn(len(table), found.n_kept, 3, number) for number in range(SAMPLES)]
    fits = [clone(model).fit(table[mask], target[mask]) for mask in kept]
    return table, target, found, kept, fits


def is_numbers(case):
    return case[2].task == "regression"


def told(case):
    table, _, _, _, fits = case
    return np.array([fit.predict(table) for fit in fits])


def test_trees_are_those_of_the_rows(case):
    _, _, found, kept, fits = case
    assert {mask.sum() for mask in kept} == {63} == {found.n_kept}
    assert found.samples == SAMPLES
    assert found.leaves.tolist() == [fit.get_n_leaves() for fit in fits]
    assert found.depths.tolist() == [fit.get_depth() for fit in fits]


def test_variance_of_each_row(case):
    table, _, found, _, fits = case
    if is_numbers(case):
        wanted = told(case).var(axis=0)
    else:
        wanted = np.var([fit.predict_proba(table) for fit in fits], axis=0).sum(axis=1)
    assert found.variance == pytest.approx(wanted, abs=1e-12)


def test_disagreement_of_each_row(case):
    pairs = list(combinations(told(case), 2))
    if is_numbers(case):
        wanted = np.mean([np.abs(one - other) for one, other in pairs], axis=0)
    else:
        wanted = np.mean([one != other for one, other in pairs], axis=0)
    assert case[2].disagreement == pytest.approx(wanted, abs=1e-12)


def test_answer_distances(case):
    found, answers = case[2].answer_distance, told(case)
    for one in range(SAMPLES):
        for other in range(SAMPLES):
            if is_numbers(case):
                wanted = np.sqrt(np.mean((answers[one] - answers[other]) ** 2))
            else:
                wanted = np.mean(answers[one] != answers[other])
            assert found[one, other] == pytest.approx(wanted)


def questions(tree):
    """{way from the root: columns}, walked child by child."""
    asked, ways = {}, {0: ()}
    for node in TreeView(tree):
        if node.split is not None:
            asked[ways[node.number]] = frozenset(columns_of(node.split))
            ways |= {child: (*ways[node.number], no) for no, child in enumerate(node.children)}
    return asked


def test_structure_distances(case):
    _, _, found, _, fits = case
    asked = [set(questions(fit.grown_tree_).items()) for fit in fits]
    for one in range(SAMPLES):
        for other in range(SAMPLES):
            common = sum(0.5 ** len(way) for way, _ in asked[one] & asked[other])
            every = sum(0.5 ** len(way) for way, _ in asked[one] | asked[other])
            wanted = 1 - common / every
            assert found.structure_distance[one, other] == pytest.approx(wanted, abs=1e-12)


def test_the_most_central_tree(case):
    table, _, found, _, fits = case
    means = found.answer_distance.mean(axis=1)
    assert means[found.central] == means.min()
    tree = found.model.grown_tree_
    assert same(tree, fits[found.central].grown_tree_)
    assert (found.model.predict(table) == fits[found.central].predict(table)).all()
    assert not found.model.summary_.train.weighted
    assert "not a guarantee" in str(silva.bounds(found.model)) or is_numbers(case)


def test_columns_and_cuts_by_level(case):
    _, _, found, _, fits = case
    trees = [fit.grown_tree_ for fit in fits]
    share, cuts, points = np.zeros((5, 3)), {}, {}
    for tree in trees:
        seen = set()
        for node in range(tree.n_nodes):
            level, split = int(levels_of(tree)[node]), split_of(tree, node)
            if split is None or level >= 5:
                continue
            seen |= {(level, column) for column in columns_of(split)}
            words = TreeView(tree)[node].edges[0].removesuffix(" or missing")
            cuts.setdefault((level, words), set()).add(id(tree))
            if isinstance(split, Threshold) and split.column < 2 and split.threshold > -np.inf:
                points.setdefault((level, split.column), []).append(split.threshold)
        for level, column in seen:
            share[level, column] += 1 / SAMPLES
    assert found.cuts.columns == ("x", "z", "kind")
    assert found.cuts.column_share == pytest.approx(share)
    counted = {
        (cut.level, cut.words.removesuffix(" or unseen")): cut.trees for cut in found.cuts.cuts
    }
    wanted = {(level, cut_words(words)): len(ids) for (level, words), ids in cuts.items()}
    assert counted == wanted
    levels = [(cut.level, -cut.trees) for cut in found.cuts.cuts]
    assert levels == sorted(levels)
    for one in found.cuts.points:
        values = sorted(points.pop((one.level, ["x", "z"].index(one.column))))
        assert one.values.tolist() == values
        assert (one.median, one.deviation) == (np.median(values), np.std(values))
        assert one.quartiles == (np.quantile(values, 0.25), np.quantile(values, 0.75))
    assert not points


def cut_words(words):
    return words.removesuffix(" or missing").removesuffix(" or unseen").removesuffix(" or missing")


def test_bias_and_variance_by_depth(case):
    table, target, found, kept, fits = case
    parts = found.bias_variance
    deepest = max(found.depths)
    assert parts.depths[-1] == deepest
    assert parts.squared == pytest.approx(parts.bias + parts.variance)
    labels = None if is_numbers(case) else fits[0].classes_
    for place, cut in enumerate(parts.depths.tolist()):
        small = [cut_model(fit, cut) for fit in fits]
        assert parts.leaves[place] == pytest.approx(np.mean([m.get_n_leaves() for m in small]))
        squared, variance, error = [], [], []
        for row in range(len(table)):
            unseen = [m for m, mask in zip(small, kept, strict=True) if not mask[row]]
            if len(unseen) < 2:
                continue
            one = table.iloc[[row]]
            if labels is None:
                answers, truth = np.array([m.predict(one) for m in unseen]), target[row]
                error.append(np.mean((answers - truth) ** 2))
            else:
                answers = np.array([m.predict_proba(one)[0] for m in unseen])
                truth = (labels == target[row]).astype(float)
                error.append(np.mean([m.predict(one)[0] != target[row] for m in unseen]))
            squared.append(np.square(answers - truth).sum(axis=1).mean())
            variance.append(answers.var(axis=0, ddof=1).sum())
        assert parts.rows == len(squared)
        assert parts.squared[place] == pytest.approx(np.mean(squared))
        assert parts.variance[place] == pytest.approx(np.mean(variance), abs=1e-12)
        assert parts.error[place] == pytest.approx(np.mean(error))


def cut_model(fit, cut):
    """The model whose tree ends at this depth."""
    tree = fit.grown_tree_
    smaller = clone(fit)
    state = fit.__getstate__() | {"grown_tree_": collapse(tree, levels_of(tree) == cut)}
    smaller.__setstate__(state)
    return smaller


def test_cutting_off_is_collapsing(case):
    table, _, _, _, fits = case
    tree = fits[0].grown_tree_
    for cut in range(depth(tree) + 1):
        smaller = collapse(tree, levels_of(tree) == cut)
        assert n_leaves_at(tree, cut) == smaller.n_leaves
        kept = ancestors_at(tree, fits[0].apply(table), cut)
        assert (levels_of(tree)[kept] <= cut).all()


def test_a_sample_does_not_depend_on_how_many_follow():
    table, _, labels = rows()
    few = silva.stability(classifier(), table, labels, samples=3, seed=9)
    many = silva.stability(classifier(), table, labels, samples=6, seed=9)
    assert few.leaves.tolist() == many.leaves[:3].tolist()
    assert np.array_equal(few.answer_distance, many.answer_distance[:3, :3])
    again = silva.stability(classifier(), pl.from_pandas(table), list(labels), 3, seed=9)
    assert str(again) == str(few)
    other = silva.stability(classifier(), table, labels, samples=3, seed=10)
    assert not np.array_equal(other.answer_distance, few.answer_distance)


def test_draws_are_even():
    counts = sum(
        drawn(20, 5, seed, number).astype(int) for seed in range(4) for number in range(500)
    )
    assert counts.sum() == 2000 * 5
    assert (abs(counts - 500) < 100).all()


def test_weights_are_those_of_the_rows():
    table, signal, _ = rows(4)
    weights = np.random.default_rng(0).integers(0, 3, len(table)) * 1.5
    found = silva.stability(regressor(), table, signal, samples=2, share=0.5, sample_weight=weights)
    mask = drawn(len(table), found.n_kept, 0, found.central)
    fit = regressor().fit(table[mask], signal[mask], weights[mask])
    assert same(fit.grown_tree_, found.model.grown_tree_)


def test_pruning_is_part_of_the_model():
    table, signal, _ = rows(5)
    pruned = silva.stability(silva.TreeRegressor(ccp_alpha=1e9), table, signal, samples=3)
    assert pruned.leaves.tolist() == [1, 1, 1]
    assert pruned.structure_distance.tolist() == np.zeros((3, 3)).tolist()
    assert pruned.cuts.cuts == ()
    assert "level 0" not in str(pruned)


def test_distances_of_a_tree_from_itself():
    table, _, labels = rows(6)
    tree = classifier().fit(table, labels).grown_tree_
    stump = silva.StumpClassifier().fit(table, labels).grown_tree_
    leaf = collapse(tree, [0])
    found = structure_distances([tree, tree, stump, leaf, leaf])
    assert (found[0, 1], found[3, 4], found[2, 3]) == (0.0, 0.0, 1.0)
    assert 0 < found[0, 2] < 1
    assert answer_distances(np.array([[0, 1], [0, 2]]), True)[0, 1] == 0.5


def test_linear_leaves_have_no_table_by_depth():
    table, signal, _ = rows(7)
    model = silva.TreeRegressor(max_depth=2, leaf="linear")
    found = silva.stability(model, table, signal, samples=3)
    assert found.bias_variance is None
    assert "cut off" not in str(found)


def test_large_offsets_do_no_harm():
    table, signal, _ = rows(8)
    near, far = (
        silva.stability(regressor(), table, np.round(signal, 3) + offset, samples=4, share=0.6)
        for offset in (0.0, 2.0**30)
    )
    assert far.bias_variance.variance == pytest.approx(near.bias_variance.variance, rel=1e-5)
    assert far.variance == pytest.approx(near.variance, rel=1e-4, abs=1e-8)


def test_text():
    table, _, labels = rows()
    text = str(silva.stability(classifier(), table, labels, samples=5))
    lines = text.splitlines()
    assert lines[0].startswith("5 trees, each on 81 of 90 rows:")
    assert lines[1].startswith("two trees: different answers for")
    assert lines[2].startswith("level 0: ")
    assert "most central: tree" in text
    assert len(lines) < 30


@pytest.mark.parametrize(
    ("choice", "name"),
    [
        ({"samples": 1}, "samples=1"),
        ({"samples": 2.5}, "samples=2.5"),
        ({"share": 0.0}, "share=0.0"),
        ({"share": 1.0}, "share=1.0"),
        ({"share": "x"}, "share='x'"),
        ({"levels": 0}, "levels=0"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_bad_choices(choice, name):
    with pytest.raises(PlanError, match=name):
        silva.stability(classifier(), [[0.0], [1.0]] * 4, [0, 1] * 4, **choice)


def test_one_row_cannot_be_sampled():
    with pytest.raises(PlanError, match="1 row"):
        silva.stability(classifier(), [[0.0]], [0])


ENSEMBLES = {
    "forest": (silva.ForestClassifier(n_estimators=4), False),
    "extra": (silva.ExtraTreesRegressor(n_estimators=4, random_state=7), True),
    "bagging": (silva.BaggingClassifier(n_estimators=4, max_features=0.7, random_state=1), False),
    "boosted": (silva.AdaBoostClassifier(n_estimators=4), False),
    "numbers": (silva.ForestRegressor(n_estimators=4, max_depth=3), True),
}


@pytest.fixture(scope="module", params=ENSEMBLES)
def ensembles(request):
    table, signal, labels = rows()
    model, is_number = ENSEMBLES[request.param]
    target = signal if is_number else labels
    weights = np.arange(len(table)) % 3 + 1.0
    how = {"samples": 4, "share": 0.8, "seed": 5}
    found = silva.stability(model, table, target, sample_weight=weights, **how)
    seed = 5 if model.random_state is None else model.random_state
    kept = [drawn(len(table), found.n_kept, 5, number) for number in range(4)]
    fits = [
        clone(model).set_params(random_state=seed).fit(table, target, weights * k) for k in kept
    ]
    return table, found, fits


def test_refits_of_ensembles(ensembles):
    table, found, fits = ensembles
    assert found.trees.tolist() == [len(fit.trees_) for fit in fits]
    assert found.leaves.tolist() == [sum(tree.n_leaves for tree in fit.trees_) for fit in fits]
    assert found.depths.tolist() == [max(map(depth, fit.trees_)) for fit in fits]
    told = np.array([fit.predict(table) for fit in fits])
    pairs = list(combinations(told, 2))
    if found.task == "regression":
        spread = told.var(axis=0)
        differ = np.mean([np.abs(one - other) for one, other in pairs], axis=0)
        apart = [np.sqrt(np.mean((one - other) ** 2)) for one, other in pairs]
    else:
        spread = np.var([fit.predict_proba(table) for fit in fits], axis=0).sum(axis=1)
        differ = np.mean([one != other for one, other in pairs], axis=0)
        apart = [np.mean(one != other) for one, other in pairs]
    assert found.variance == pytest.approx(spread, abs=1e-12)
    assert found.disagreement == pytest.approx(differ, abs=1e-12)
    upper = np.triu_indices(len(fits), 1)
    assert found.answer_distance[upper] == pytest.approx(apart)
    assert (found.model.predict(table) == fits[found.central].predict(table)).all()


def shares_of_columns(fit):
    """How often an ensemble asks about each column, walked node by node."""
    votes = getattr(fit, "estimator_weights_", np.ones(len(fit.trees_)))
    share = {}
    for tree, vote in zip(fit.trees_, votes, strict=True):
        for node in TreeView(tree):
            for column in set(() if node.split is None else columns_of(node.split)):
                share[column] = share.get(column, 0.0) + vote * 0.5**node.depth
    total = sum(share.values())
    return {column: one / total for column, one in share.items()}


def test_structure_of_ensembles(ensembles):
    _, found, fits = ensembles
    shares = [shares_of_columns(fit) for fit in fits]
    for one, first in enumerate(shares):
        for other, second in enumerate(shares):
            common = sum(min(first.get(key, 0.0), second.get(key, 0.0)) for key in range(3))
            assert found.structure_distance[one, other] == pytest.approx(1 - common, abs=1e-12)
    trees = [tree for fit in fits for tree in fit.trees_]
    roots = [columns_of(split)[0] for tree in trees if (split := split_of(tree, 0)) is not None]
    expected = np.bincount(roots, minlength=3) / len(trees)
    assert found.cuts.column_share[0] == pytest.approx(expected)


def test_words_and_page_of_ensembles(ensembles):
    found = ensembles[1]
    assert str(found).startswith("4 refits, each on 72 of 90 rows: 4 trees with ")
    assert "no column in common" in str(found)
    assert found.bias_variance is None
    assert "refits were grown" in page_stability(found)["summary"]


def test_an_ensemble_without_splits_is_stable():
    table, _, _ = rows()
    model = silva.ForestClassifier(n_estimators=2, min_samples_leaf=80)
    found = silva.stability(model, table, np.repeat(["a", "b"], 45), samples=3)
    assert not found.structure_distance.any()
