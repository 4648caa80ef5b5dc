"""Objectives as integers, and the driver: limits, gaps, history, interrupts, resuming."""

import os
import signal
import threading
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from silva import _core
from silva.data.bind import bind_classes, bind_training
from silva.errors import PlanError
from silva.optimal.incumbent import useless_splits
from silva.optimal.objective import (
    MOST,
    checked_costs,
    memory_bytes,
    objective_of,
    row_units,
)
from silva.optimal.path import pareto_path
from silva.optimal.search import Budget, Limits
from silva.optimal.study import Settings, Study

LABELS = ["a", "b", "b", "c", "c", "c"]


def target_of(labels=LABELS, weights=None, class_weight=None):
    return bind_classes(np.array(labels), weights, class_weight, len(labels))


def study_of(rows, labels, depth=2, max_splits=None, leaf_penalty=0.0, min_rows=1, **settings):
    table, target = bind_training(np.asarray(rows, float)), target_of(labels)
    objective = objective_of(target, None, None, leaf_penalty, False)
    chosen = {"max_bins": None, "max_subset_levels": 6, "memory": 10**8, "n_threads": 1} | settings
    return Study(table, target, objective, Limits(depth, max_splits, min_rows), Settings(**chosen))


@pytest.fixture
def hard():
    """A table that is not solved at once."""
    rng = np.random.default_rng(0)
    rows = rng.random((2000, 20))
    return rows, (rows[:, 0] + rows[:, 1] * rows[:, 2] + 0.4 * rng.random(2000) > 1).astype(int)


def test_rows_of_weight_one_stay_so():
    objective = objective_of(target_of(), None, None, 0.0, False)
    assert objective.weights.tolist() == [1] * 6
    assert objective.costs.tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert (objective.unit, objective.penalty, objective.tolerance) == (1, 0, 0.0)
    assert objective.rate(3) == 0.5


def test_weights_are_those_of_growth_without_a_common_divisor():
    assert row_units(np.array([0.5, 1.5, 1.0]), 3).tolist() == [1, 3, 2]
    assert row_units(np.array([30.0, 20.0]), 2).tolist() == [3, 2]
    assert row_units(None, 2).tolist() == [1, 1]


def test_rows_without_weight_are_left_out():
    weights = np.array([0.0, 1, 1, 1, 0, 1])
    objective = objective_of(target_of(weights=weights), weights, None, 0.0, False)
    assert objective.rows.tolist() == [1, 2, 3, 5]
    assert objective.rate(1) == 0.25


@pytest.mark.parametrize("balanced", [False, True])
def test_a_class_may_have_no_weight(balanced):
    weights = np.array([1.0, 1, 1, 0, 0, 0])
    target = target_of(weights=weights, class_weight="balanced" if balanced else None)
    objective = objective_of(target, weights, None, 0.0, balanced)
    assert objective.costs.shape == (3, 3)
    assert objective.rate(int(objective.costs[1].max()) * 2) == (0.5 if balanced else 2 / 3)


def test_real_weights_and_class_weights_are_multiplied_where_costs_would_be_rounded():
    weights = np.random.default_rng(0).random(6)
    chosen = {"a": 0.3, "b": 1.7, "c": 1.0}
    target = target_of(weights=weights, class_weight=chosen)
    objective = objective_of(target, weights, None, 0.0, False)
    assert objective.tolerance == 0.0
    assert objective.costs.max() == 1
    products = weights * np.array([chosen[label] for label in LABELS])
    for row, weight in enumerate(objective.weights.tolist()):
        share = products[row] / products.sum()
        assert objective.rate(weight) == pytest.approx(share, abs=1e-11)


def test_what_rounding_changes_is_declared():
    costs = np.array([[0, np.pi, 1e-9], [np.e * 1e6, 0, 1], [1, 1 / 3, 0]])
    weights = np.random.default_rng(0).random(6)
    objective = objective_of(target_of(weights=weights), weights, costs, 0.0, False)
    assert objective.tolerance > 0
    for code, label in enumerate("abc"):
        members = np.array(LABELS) == label
        for told in range(3):
            mean = costs[code, told] * weights[members].sum() / weights.sum()
            value = int(objective.costs[code, told]) * int(objective.weights[members].sum())
            assert abs(objective.rate(value) - mean) <= objective.tolerance + 1e-9 * mean


def test_balanced_classes_have_the_same_cost_in_all():
    target = target_of(class_weight="balanced")
    objective = objective_of(target, None, None, 0.0, True)
    assert objective.costs.max(axis=1).tolist() == [6, 3, 2]
    assert objective.weights.tolist() == [1] * 6
    assert objective.rate(6) == pytest.approx(1 / 3, abs=1e-15)


def test_class_weights_become_costs():
    target = target_of(class_weight={"a": 2.0, "b": 1.0, "c": 0.5})
    objective = objective_of(target, None, None, 0.0, False)
    assert objective.costs.max(axis=1).tolist() == [4, 2, 1]
    assert objective.scale == 4 + 2 * 2 + 3


@pytest.mark.parametrize("penalty", [0.01, 0.1, 1 / 3, 1e-9, 0.005, 5.0])
def test_penalties_are_taken_as_written(penalty):
    objective = objective_of(target_of(), None, None, penalty, False)
    exact = Fraction(repr(penalty))
    assert (
        abs(Fraction(objective.penalty) / objective.scale - exact)
        <= objective.split_tolerance + 1e-17
    )
    assert objective.rate(0) == float(exact)
    assert objective.unit * 6 + objective.penalty * 6 < 2 * MOST
    if penalty in (0.01, 0.1, 0.005):
        assert objective.tolerance == objective.split_tolerance == 0.0
        assert objective.rate(objective.penalty * 2) == pytest.approx(3 * penalty, abs=1e-16)


def test_costs_are_integers_with_a_scale():
    costs = np.array([[0, 0.1, 0.25], [1, 0, 1], [0.5, 2, 0]])
    objective = objective_of(target_of(), None, costs, 0.0, False)
    assert objective.costs.tolist() == [[0, 2, 5], [20, 0, 20], [10, 40, 0]]
    assert objective.rate(20) == 20 / 120


def test_many_classes_are_refused():
    labels = np.arange(3000)
    with pytest.raises(PlanError, match="3,000 classes, and the exact search takes at most 2,048"):
        objective_of(target_of(labels), None, None, 0.0, False)
    assert objective_of(target_of(labels[:500]), None, None, 0.0, False).costs.sum() == 500 * 499


def test_huge_ranges_are_rounded_and_stay_in_bounds():
    costs = np.array([[0, 1e-12], [3e11, 0]])
    weights = np.array([1e-9, 1.0, 1e9])
    target = bind_classes(np.array([0, 1, 1]), weights, None, 3)
    objective = objective_of(target, weights, costs, 1e-7, False)
    worst = sum(int(w) * int(c) for w, c in zip(objective.weights, [0, 10**9, 10**9], strict=True))
    assert worst > 0
    total = objective.unit * int(objective.costs.max()) * int(objective.weights.sum())
    assert total + objective.penalty * 3 < 2**61


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([[0, 1]], "square matrix"),
        ([0, 1], "square matrix"),
        ("costs", "square matrix of numbers"),
        ([[0, -1], [1, 0]], r"costs\[0\]\[1\]=-1.0"),
        ([[0, np.nan], [1, 0]], r"costs\[0\]\[1\]=nan"),
        ([[0, 1], [1, 2]], r"costs\[1\]\[1\]=2.0 .* the right class costs 0"),
        ([[0, 0], [0, 0]], "one cost must be above 0"),
        ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], "3 rows and columns, and the target has 2 classes"),
    ],
)
def test_cost_matrices_that_are_refused(costs, message):
    with pytest.raises(PlanError, match=message):
        checked_costs(costs, 2)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1GB", 10**9),
        ("512MiB", 2**29),
        ("1.5 kb", 1500),
        ("100", 100),
        (4096, 4096),
        ("2TiB", 2**41),
    ],
)
def test_memory_limits(text, size):
    assert memory_bytes(text) == size


@pytest.mark.parametrize("wrong", ["", "GB", "1 parsec", "-1GB", 0, -5, 1.5, True, None, "nan"])
def test_memory_limits_that_are_none(wrong):
    with pytest.raises(PlanError, match="memory_limit"):
        memory_bytes(wrong)


def test_no_time_gives_the_greedy_tree_and_a_bound(hard):
    study = study_of(*hard, depth=3)
    report = study.run(Budget(0.0))
    assert (report.stopped, report.proved, report.work) == ("time", False, 0)
    assert report.gap == report.objective - report.lower_bound > 0
    assert len(study.history) == 1
    assert study.tree().n_leaves > 1


def test_work_limits_give_the_same_tree_and_can_be_resumed(hard):
    found = []
    for threads in (1, 2):
        study = study_of(*hard, depth=3, n_threads=threads)
        report = study.run(Budget(work=200_000))
        assert report.stopped == "work"
        found.append((str(study.tree()), report.objective, report.lower_bound))
    assert found[0] == found[1]
    before = report.work
    again = study.run(Budget(work=200_000))
    assert again.work > before
    assert again.objective <= report.objective
    assert again.lower_bound >= report.lower_bound


@pytest.mark.parametrize("choices", [{}, {"leaf_penalty": 0.02}, {"max_bins": 9}])
def test_bounds_only_get_tighter(hard, choices):
    study, told = study_of(*hard, depth=3, **choices), []
    study.run(Budget(seconds=0.5), told.append)
    assert len(told) >= 3
    for before, after in pairwise(told):
        assert after.seconds >= before.seconds
        assert after.work >= before.work
        assert after.objective <= before.objective
        assert after.lower_bound >= before.lower_bound
        assert after.lower_bound <= after.objective
    assert [tuple(one) for one in study.history[:1]] == [tuple(told[0])]
    assert len({one[2:] for one in study.history}) == len(study.history)


@pytest.mark.parametrize("choices", [{}, {"leaf_penalty": 0.02}, {"max_bins": 9}])
def test_a_search_that_hardly_began_is_not_worse_than_the_greedy_tree(hard, choices):
    study = study_of(*hard, depth=4, **choices)
    greedy = study.run(Budget(0.0))
    found = study.run(Budget(work=1))
    assert found.objective <= greedy.objective
    assert useless_splits(study.tree(), study.table, study.objective)[0] == []


def test_greedy_growth_counts_as_time(monkeypatch, hard):
    study = study_of(*hard, depth=3)
    report = study.run(Budget(seconds=1e-6))
    assert (report.stopped, report.work) == ("time", 0)


def test_the_path_with_bins_is_about_their_thresholds(hard):
    study = study_of(*hard, depth=2, max_bins=3)
    study.run(Budget())
    path = pareto_path(study, None, Budget())
    assert path.proved.all()
    for others in (path.greedy, path.pruned):
        assert (path.errors[others.leaves - 1] <= others.errors).all()


def test_a_gap_that_is_reached_ends_the_search(hard):
    study = study_of(*hard, depth=3)
    report = study.run(Budget(gap=1.0))
    assert report.stopped == "gap"
    assert not report.proved
    assert "stopped at the gap that was asked for" in str(report)


@pytest.fixture
def listens_to_interrupts():
    """Handle SIGINT as in a terminal: background processes start with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("listens_to_interrupts")
@pytest.mark.parametrize("sender", ["function", "signal"])
def test_an_interrupt_keeps_the_best_tree_and_the_search_goes_on(hard, sender):
    study = study_of(*hard, depth=4)
    ends = []

    def stop(progress):
        if progress.work and not ends:
            ends.append(progress)
            if sender == "function":
                raise KeyboardInterrupt
            threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()

    report = study.run(Budget(seconds=20), stop)
    assert report.stopped == "interrupted"
    assert "interrupted" in str(report)
    assert study.tree().n_leaves > 1
    assert study.run(Budget(work=1000)).work > report.work


def test_an_interrupt_before_the_first_tree_is_passed_on(monkeypatch, hard):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("silva.optimal.study.greedy_plans", interrupted)
    with pytest.raises(KeyboardInterrupt):
        study_of(*hard).run(Budget(1.0))


@pytest.mark.parametrize(
    ("rows", "labels", "choices"),
    [
        ([[0.0], [1.0]], ["a", "b"], {"depth": 0}),
        ([[0.0], [1.0]], ["a", "b"], {"max_splits": 0}),
        ([[0.0], [1.0]], ["a", "b"], {"min_rows": 2}),
        ([[0.0], [0.0]], ["a", "b"], {}),
        ([[0.0], [1.0]], ["a", "a"], {}),
        ([[0.0]], ["a"], {}),
        ([[0.0], [1.0]], ["a", "b"], {"leaf_penalty": 2.0}),
        ([[0.0], [1.0]], ["a", "b"], {"leaf_penalty": 1e30}),
    ],
)
def test_where_no_split_is_possible_a_leaf_is_proved(rows, labels, choices):
    study = study_of(rows, labels, **choices)
    report = study.run(Budget())
    assert report.proved
    assert study.tree().n_leaves == 1
    wrong = 0.5 if len(set(labels)) == 2 else 0.0
    assert report.objective == report.lower_bound == wrong + choices.get("leaf_penalty", 0.0)


def test_a_proved_search_gives_its_memory_back_and_keeps_its_result(hard):
    rows, labels = hard
    study = study_of(rows[:200], labels[:200], depth=2)
    report = study.run(Budget())
    assert report.proved
    assert not isinstance(study._search._asked, _core.OptimalSearch)
    again = study.run(Budget())
    assert (again.objective, again.work) == (report.objective, report.work)
    assert study.tree().n_leaves > 1


def test_large_tables_get_one_greedy_tree(monkeypatch, hard):
    study = study_of(*hard)
    study.run(Budget(0.0))
    assert len(study._greedy) == 2
    monkeypatch.setattr("silva.optimal.incumbent.FEW_CELLS", 10)
    study = study_of(*hard)
    study.run(Budget(0.0))
    assert len(study._greedy) == 1


def test_the_path_is_proved_at_every_size_and_never_above_greedy_trees():
    rng = np.random.default_rng(4)
    rows = rng.integers(0, 3, (60, 3)).astype(float)
    labels = np.where(rows[:, 0] == rows[:, 1], "x", np.where(rows[:, 2] > 0, "y", "z")).tolist()
    study = study_of(rows, labels, depth=3)
    study.run(Budget())
    path = pareto_path(study, None, Budget())
    assert path.leaves.tolist() == list(range(1, 9))
    assert path.proved.all()
    assert (np.diff(path.errors) <= 0).all()
    for leaves, error, tree in zip(path.leaves, path.errors, path.trees, strict=True):
        assert tree.n_leaves <= leaves
        alone = study_of(rows, labels, depth=3, max_splits=int(leaves) - 1)
        assert alone.run(Budget()).objective == error
    for others in (path.greedy, path.pruned):
        assert (others.errors >= path.errors[others.leaves - 1]).all()
    assert str(path).splitlines()[0].split() == [
        "leaves",
        "error",
        "at",
        "least",
        "greedy",
        "pruned",
    ]


def test_a_path_without_time_has_bounds(hard):
    study = study_of(*hard, depth=3)
    study.run(Budget(0.0))
    path = pareto_path(study, 4, Budget(0.0))
    assert len(path.leaves) == 4
    assert not path.proved[2:].any()
    assert (path.lower_bounds <= path.errors).all()
    for others in (path.greedy, path.pruned):
        assert (path.errors[others.leaves - 1] <= others.errors).all()


def test_a_path_needs_a_largest_size():
    study = study_of([[0.0], [1.0]], ["a", "b"], depth=None)
    study.run(Budget())
    with pytest.raises(PlanError, match=r"pareto_path\(max_leaves=16\)"):
        pareto_path(study, None, Budget())
    assert pareto_path(study, 2, Budget()).errors.tolist() == [0.5, 0.0]


def test_the_path_of_a_table_without_questions():
    study = study_of([[0.0], [0.0]], ["a", "b"])
    study.run(Budget())
    path = pareto_path(study, None, Budget())
    assert path.errors.tolist() == [0.5] * len(path.leaves)
    assert path.proved.all()
