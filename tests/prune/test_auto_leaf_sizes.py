"""The automatic choice among leaf sizes: by the same folds or rows, never below what was asked."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import silva
from silva.errors import PlanError
from silva.grow.grow import grow, rows_with_weight
from silva.prune.auto import Auto
from silva.prune.cross_validation import dealt, take
from silva.prune.evidence import Evidence, Rows
from silva.prune.fitting import InternalSplit, grow_and_prune
from silva.prune.record import Pruned
from silva.prune.risks import paths
from silva.tree.collapse import collapse
from silva.tree.tree import Tree, same
from tests.effort import tries
from tests.prune.prune_cases import PruneCase, random_case
from tests.prune.test_auto import lost_by, trees_of, weights_of

SIZES = (2, 4)
RNG = np.random.default_rng(0)
POINTS = RNG.random((400, 3))
NUMBERS = (POINTS[:, 0] > 0.5) + 0.3 * RNG.normal(size=400)
LABELS = ((POINTS[:, 0] > 0.5) ^ (RNG.random(400) < 0.2)).astype(int)


def growing(case: PruneCase, validation: bool = False) -> Evidence:
    rows = Rows(case.evidence.table, case.evidence.target)

    def regrow(chosen: np.ndarray, size: int) -> Tree:
        part = take(rows, chosen)
        plan = case.plan.with_larger_leaves(size, rows_with_weight(part.target))
        return grow(part.table, part.target, plan)

    kept = case.evidence if validation else Evidence(table=rows.table, target=rows.target)
    return replace(kept, grow=lambda chosen: regrow(chosen, 1), regrow=regrow)


def sizes_of(tree: Tree, evidence: Evidence) -> list[int]:
    return [size for size in SIZES if tree.leaf_rows.min() < size and tree.n_leaves > 1]


def grown(tree: Tree, evidence: Evidence) -> dict[int, Tree]:
    every = np.arange(evidence.table.n_rows)
    larger = {size: evidence.regrow(every, size) for size in sizes_of(tree, evidence)}
    return {1: tree, **{size: one for size, one in larger.items() if one.n_leaves > 1}}


def check_choice(pruned: Pruned, trials: list[tuple[float, int, int]], whole: dict) -> None:
    """A trial is (error, leaves, leaf size)."""
    least = min(error for error, *_ in trials)
    ties = [one for one in trials if one[0] <= least * (1 + 1e-8)]
    assert pruned.tree.n_leaves == min(leaves for _, leaves, _ in ties)
    told = pruned.record.evidence
    size = told["min_samples_leaf"] or 1
    assert size in {size for _, leaves, size in ties if leaves == pruned.tree.n_leaves}
    assert {one or 1 for one in told["leaf_sizes"]} == set(whole)
    for one, best in told["leaf_sizes"].items():
        errors = [error for error, _, of in trials if of == (one or 1)]
        assert best["error"] == pytest.approx(min(errors), rel=1e-8, abs=1e-12)
    nodes = [step.node for step in pruned.record.steps]
    assert same(collapse(whole[size], nodes), pruned.tree)
    assert pruned.record.leaves_before == whole[size].n_leaves
    note = f"tree with at least {size} rows in each leaf" if size > 1 else ""
    assert pruned.record.note == note


@pytest.mark.parametrize("seed", tries(6, 12))
def test_the_choice_by_cross_validation(seed):
    case = random_case(seed, n_rows=40)
    evidence, rows = growing(case), Rows(case.evidence.table, case.evidence.target)
    weights, whole, trials = weights_of(rows.target), grown(case.tree, growing(case)), []
    for size, full in whole.items():
        lost = {}
        for fold in dealt(rows.target, 3, 2, seed):
            for number in range(3):
                tree = evidence.regrow(np.flatnonzero(fold != number), size)
                held_out = take(rows, np.flatnonzero(fold == number))
                for risk, path in paths(tree).items():
                    trees = trees_of(tree, path, paths(full)[risk].between)
                    sums = [lost_by(one, held_out) @ weights[fold == number] for one in trees]
                    lost[risk] = lost.get(risk, 0.0) + np.array(sums)
        for risk, found in lost.items():
            trees = trees_of(full, paths(full)[risk], paths(full)[risk].starts)
            errors = found / (2 * weights.sum())
            trials += [(e, t.n_leaves, size) for e, t in zip(errors, trees, strict=True)]
    pruned = Auto(cv=3, repeats=2, seed=seed, leaf_sizes=SIZES)(case.tree, evidence)
    if case.tree.n_leaves > 1:
        check_choice(pruned, trials, whole)


@pytest.mark.parametrize("seed", range(12))
def test_the_choice_by_validation_rows(seed):
    case = random_case(seed)
    evidence = growing(case, validation=True)
    rows = Rows(evidence.validation_table, evidence.validation_target)
    weights, whole = weights_of(rows.target), grown(case.tree, evidence)
    trials = [
        (lost_by(one, rows) @ weights / weights.sum(), one.n_leaves, size)
        for size, tree in whole.items()
        for path in paths(tree).values()
        for one in trees_of(tree, path, path.starts)
    ]
    pruned = Auto(leaf_sizes=SIZES)(case.tree, evidence)
    check_choice(pruned, trials, whole)


@pytest.mark.parametrize("seed", range(10))
def test_evidence_that_cannot_grow_again_prunes_the_given_tree(seed):
    case = random_case(seed)
    for evidence in (case.evidence, replace(growing(case), regrow=None)):
        pruned, alone = (Auto(cv=3, leaf_sizes=sizes)(case.tree, evidence) for sizes in (SIZES, ()))
        assert same(pruned.tree, alone.tree)
        assert pruned.record.evidence["leaf_sizes"].keys() == {None}


def test_a_tree_of_noise_around_steps_gets_larger_leaves():
    model = silva.TreeRegressor(prune=silva.Auto(leaf_sizes=(5, 20))).fit(POINTS, NUMBERS)
    found = model.prune_record_.evidence
    assert found["leaf_sizes"].keys() == {None, 5, 20}
    size = found["min_samples_leaf"]
    assert size is None or model.grown_tree_.leaf_rows.min() >= size


@pytest.mark.parametrize("asked", [30, 0.075])
def test_what_the_user_set_is_never_lowered(asked):
    larger = silva.TreeRegressor(min_samples_leaf=asked, prune=silva.Auto(leaf_sizes=(5, 20, 60)))
    larger.fit(POINTS, NUMBERS)
    assert larger.grown_tree_.leaf_rows.min() >= 30
    assert set(larger.prune_record_.evidence["leaf_sizes"]) <= {None, 60}


def test_other_limits_stay():
    model = silva.TreeClassifier(max_depth=3, prune=silva.Auto(leaf_sizes=(5,))).fit(POINTS, LABELS)
    assert model.get_depth() <= 3
    model = silva.TreeClassifier(max_leaf_nodes=4, prune="auto").fit(POINTS, LABELS)
    assert model.get_n_leaves() <= 4


@pytest.mark.parametrize("weighted", [False, True])
def test_validation_rows_of_an_estimator_choose(weighted):
    weights = RNG.integers(0, 4, 200) * 1.0 if weighted else None
    model = silva.TreeRegressor(prune=silva.Auto(leaf_sizes=(8,)))
    model.fit(POINTS[:200], NUMBERS[:200], weights, X_val=POINTS[200:], y_val=NUMBERS[200:])
    record = model.prune_record_
    assert set(record.evidence["leaf_sizes"]) == {None, 8}
    assert record.note.endswith("chosen by 200 validation rows")
    assert ("at least 8 rows" in record.note) == (record.evidence["min_samples_leaf"] == 8)


def test_trees_of_a_forest():
    """Each tree chooses by its own rows; larger leaves win in a smooth target with noise."""
    smooth = np.sin(6 * POINTS[:200, 0]) + 0.3 * np.random.default_rng(0).normal(size=200)
    found = []
    for sizes in ((4, 8), (4, 8), ()):
        pruner = silva.Auto(cv=3, repeats=1, leaf_sizes=sizes)
        forest = silva.ForestRegressor(3, prune=pruner, random_state=0)
        found.append(forest.fit(POINTS[:200, :2], smooth).predict(POINTS[:, :2]))
    assert np.array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])


def test_notes_of_the_choice_and_of_the_rows_are_joined():
    case = random_case(5)
    rows = Rows(case.evidence.table, case.evidence.target)
    held_out = Rows(case.evidence.validation_table, case.evidence.validation_target)

    def growth(chosen: Rows, min_samples_leaf: int = 1) -> Tree:
        size = max(min_samples_leaf, int(case.plan.min_samples_leaf))
        return grow(chosen.table, chosen.target, replace(case.plan, min_samples_leaf=size))

    split = InternalSplit(0.2, 0)
    notes = {
        grow_and_prune(rows, growth, Auto(leaf_sizes=(size,)), held_out, split).record.note
        for size in range(2, 9)
    }
    assert all(note.endswith("validation rows") for note in notes)


def test_the_setting_survives_a_file(tmp_path):
    model = silva.TreeRegressor(prune=silva.Auto(cv=3, leaf_sizes=[3, 7])).fit(POINTS, NUMBERS)
    silva.save(model, tmp_path / "model.silva")
    assert silva.load(tmp_path / "model.silva").prune == silva.Auto(cv=3, leaf_sizes=(3, 7))


@pytest.mark.parametrize("bad", [5, (1,), (2.5,), ("5",), None, (0,)], ids=str)
def test_bad_leaf_sizes(bad):
    with pytest.raises(PlanError, match="leaf_sizes"):
        Auto(leaf_sizes=bad)


@pytest.mark.parametrize("unit", [1e-270, 1e-285, 1e-300])
def test_tiny_weights_do_not_overflow(unit):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    y = (X[:, 0] + rng.normal(size=100) > 0).astype(int)
    for kind, target in ((silva.TreeClassifier, y), (silva.TreeRegressor, X[:, 0] ** 2)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            kind(prune="auto").fit(X, target, sample_weight=np.full(100, unit))
