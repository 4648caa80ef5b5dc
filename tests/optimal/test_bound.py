"""The least bound of all trees, against all trees."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silva import _core
from silva.data.schema import Column, Schema
from silva.data.table import Table, Target
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.inspect.bounds import bounds
from silva.optimal.bound import BoundSearch, equal_rows_errors, minimise
from silva.optimal.bound_forms import BoundForm, default_form
from silva.optimal.coding import FixedTests, NamedRows
from silva.optimal.search import Limits
from silva.prune.bound import GeneralisationBound
from silva.prune.evidence import Evidence
from tests.optimal.brute_force import BruteForceSearch, Solver, leaf_rows, obeys, value_of
from tests.shared_data import stored

FIXED = [(form, FixedTests) for form in ("textbook", "ln2", "kl")]
NAMED = [(form, NamedRows) for form in ("ln2", "kl")]
ALL = FIXED + NAMED
NO_LIMIT = Limits()
SEARCHES = [BruteForceSearch, _core.OptimalSearch]


class Small:
    """A random table, small enough to try every tree; weights are copies of rows."""

    def __init__(self, seed: int, most_levels: int = 4, most_copies: int = 60) -> None:
        rng = np.random.default_rng(seed)
        n_rows, n_columns = int(rng.integers(1, 12)), int(rng.integers(1, 4))
        n_classes = int(rng.integers(1, 4))
        levels = rng.integers(1, most_levels + 1, n_columns)
        ranks = np.array([dense(rng.integers(0, one, n_rows)) for one in levels], np.int32)
        classes = rng.integers(0, n_classes, n_rows).astype(np.int32)
        weights = rng.integers(1, int(rng.choice([2, 10, most_copies])), n_rows)
        self.hold(ranks, classes, n_classes, weights)

    @classmethod
    def of(cls, ranks: np.ndarray, classes: np.ndarray) -> "Small":
        made = cls.__new__(cls)
        made.hold(ranks, classes, int(classes.max()) + 1, np.ones(len(classes), np.int64))
        return made

    def hold(self, ranks: Any, classes: Any, n_classes: int, weights: Any) -> None:
        self.ranks, self.classes, self.weights = ranks, classes, weights
        self.n_classes, self.n_copies = n_classes, int(weights.sum())
        costs = 1 - np.eye(n_classes, dtype=np.int64)
        self.parts = (ranks, classes, n_classes, weights, costs)

    def form(self, name: str, code: type, delta: float = 0.5) -> BoundForm:
        return BoundForm(name, code(len(self.ranks)), self.n_copies, self.n_classes, delta)

    def search(self, kind: type = BruteForceSearch) -> Any:
        levels = self.ranks.max(axis=1, initial=0).astype(np.int32) + 1
        more = {} if issubclass(kind, BruteForceSearch) else {"memory": 1 << 24, "n_threads": 1}
        return kind(self.ranks, levels, *self.parts[1:], **more)

    def least_errors(self, limits: Limits = NO_LIMIT) -> list[int]:
        """The least errors of trees of at most 0, 1, ... splits."""
        solver = Solver(*self.parts, min_rows=limits.min_rows)
        depth = 99 if limits.max_depth is None else limits.max_depth
        most = len(self.classes) - 1 if limits.max_splits is None else limits.max_splits
        return [solver.solve(solver.all_rows, depth, size)[0] for size in range(most + 1)]


def dense(values: np.ndarray) -> np.ndarray:
    return np.unique(values, return_inverse=True)[1]


def least(form: BoundForm, errors: list[int]) -> float:
    return min(form.value(splits, one) for splits, one in enumerate(errors))


@pytest.mark.parametrize("kind", SEARCHES)
@pytest.mark.parametrize(("name", "code"), ALL)
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), stops=st.integers(0, 2**32))
def test_the_least_bound_of_all_trees(kind, name, code, seed, stops):
    """Whenever it is stopped, the optimum is between the limits; at the end they are equal."""
    small, rng = Small(seed), np.random.default_rng(stops)
    form = small.form(name, code, float(rng.choice([0.05, 0.5, 0.9999])))
    optimum = least(form, small.least_errors())
    floor = equal_rows_errors(small.ranks, small.classes, small.weights) * int(rng.integers(2))
    bound = BoundSearch(
        small.search(kind), form, least_errors=floor, patience=int(rng.integers(1, 300))
    )
    seen = [(bound.lower, bound.upper)]
    while not bound.advance(60.0, int(rng.integers(1, 5))):
        seen.append((bound.lower, bound.upper))
    assert all(lower <= optimum <= upper for lower, upper in seen)
    assert seen == sorted(seen, key=lambda one: (one[0], -one[1]))
    assert bound.proved
    assert bound.lower == bound.upper == optimum
    assert optimum == form.value(bound.splits, bound.errors)
    assert bound.errors == value_of(bound.tree(), *small.parts)
    assert bound.splits == len(leaf_rows(bound.tree(), small.ranks)) - 1
    uppers, lowers = zip(*((step.upper, step.lower) for step in bound.history), strict=True)
    assert list(uppers) == sorted(uppers, reverse=True)
    assert list(lowers) == sorted(lowers)


@pytest.mark.parametrize("kind", SEARCHES)
@pytest.mark.parametrize(("name", "code"), ALL)
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32))
def test_the_least_bound_within_limits(kind, name, code, seed):
    small, rng = Small(seed), np.random.default_rng(seed)
    limits = Limits(
        rng.choice([None, 0, 1, 2, 3]), rng.choice([None, 0, 1, 2, 5]), int(rng.integers(1, 4))
    )
    form = small.form(name, code, 0.9)
    found = minimise(small.search(kind), form, limits)
    assert found.proved
    assert found.value == found.lower == least(form, small.least_errors(limits))
    kept = {name: getattr(limits, name) for name in ("max_depth", "max_splits", "min_rows")}
    assert obeys(found.tree, small.ranks, **kept)


@pytest.mark.parametrize(("name", "code"), ALL)
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32))
def test_the_minimiser_minimises_errors_and_a_penalty(name, code, seed):
    """The theorem: some price of a split makes it the best of all trees."""
    small = Small(seed)
    form, errors = small.form(name, code), small.least_errors()
    values = [form.value(splits, one) for splits, one in enumerate(errors)]
    best = int(np.argmin(values))
    slopes = [(one - errors[best]) / (best - k) for k, one in enumerate(errors) if k != best]
    at_least = max([0.0, *(slopes[best:])])
    at_most = min([math.inf, *slopes[:best]])
    assert at_least <= at_most + 1e-9


GRID = [(30, 3), (200, 3), (1000, 40), (8124, 119)]


@pytest.mark.parametrize(("name", "code"), ALL)
@pytest.mark.parametrize(("n_rows", "n_columns"), GRID)
def test_levels_are_convex(name, code, n_rows, n_columns):
    """c(k), the errors at which a size reaches a value of the bound, is a convex function."""
    form = BoundForm(name, code(n_columns), n_rows, 2)
    for value in (0.05, 0.2, 0.4, 0.7, 0.95):
        step = 1 + n_rows // 30
        reached = [errors_at(form, splits, value) for splits in range(0, n_rows // 2, step)]
        known = np.array([one for one in reached if one is not None])
        assert (np.diff(known) < 0).all()
        assert (np.diff(known, 2) > -1e-6).all()


def errors_at(form: BoundForm, splits: int, value: float) -> float | None:
    """By bisection over real numbers of errors; None where none reaches the value from below."""
    low, high = 0.0, float(form.n_rows - form.coding.named(splits))
    if high <= 0 or form.value(splits, low) >= value:
        return None
    for _ in range(40):
        middle = (low + high) / 2.0
        low, high = (middle, high) if form.value(splits, middle) < value else (low, middle)
    return low


@pytest.mark.parametrize(("name", "code"), FIXED)
@given(data=st.data())
def test_fixed_tests_make_it_concave(name, code, data):
    form = BoundForm(name, code(data.draw(st.integers(1, 300))), 1000, 2)
    point = st.tuples(st.integers(0, 200), st.integers(0, 450))
    (k, e), (l, f) = data.draw(point), data.draw(point)  # noqa: E741
    between = form.value((k + l) / 2, (e + f) / 2)
    assert between >= (form.value(k, e) + form.value(l, f)) / 2 - 1e-9


@pytest.mark.parametrize("code", [FixedTests, NamedRows])
def test_sharper_forms_are_never_larger(code):
    textbook, ln2, kl = (
        BoundForm(form, FixedTests(20), 500, 3) for form in ("textbook", "ln2", "kl")
    )
    if code is NamedRows:
        ln2, kl = (BoundForm(form, code(20), 500, 3) for form in ("ln2", "kl"))
    for splits in range(0, 240, 7):
        for errors in range(0, 400, 13):
            values = [form.value(splits, errors) for form in (kl, ln2)]
            assert values == sorted(values) or values[0] == 1.0
            if code is FixedTests:
                assert values[1] <= textbook.value(splits, errors)


@pytest.mark.parametrize(("name", "code"), ALL)
@settings(max_examples=25)
@given(n_rows=st.integers(1, 90), seed=st.integers(0, 2**32), below=st.floats(0.0, 1.5))
def test_all_sizes_at_once(name, code, n_rows, seed, below):
    form = BoundForm(name, code(7), n_rows, 3)
    errors = np.random.default_rng(seed).integers(0, n_rows + 1, n_rows)
    sizes = form.sizes(n_rows - 1)
    all_most = sizes.most_errors(below)
    assert sizes.values(errors).tolist() == [form.value(k, int(e)) for k, e in enumerate(errors)]
    for splits in range(0, n_rows, 1 + n_rows // 9):
        most = int(all_most[splits])
        assert most == -1 or form.value(splits, most) < below
        assert most >= n_rows or form.value(splits, most + 1) >= below
    last = form.most_splits(0, below)
    assert last == -1 or form.value(last, 0) < below
    assert last >= n_rows - 1 or form.value(last + 1, 0) >= below


@pytest.mark.parametrize("seed", range(40))
def test_calls_of_any_length_ask_the_same(seed):
    small, rng = Small(seed), np.random.default_rng(seed)
    form = small.form("kl", FixedTests, 0.99)
    whole, parts = (BoundSearch(small.search(), form, patience=7) for _ in range(2))
    whole.advance(60.0, 10**9)
    while not parts.advance(60.0, int(rng.integers(1, 9))):
        pass
    assert parts.work == whole.work
    assert [one.tolist() for one in parts.tree()] == [one.tolist() for one in whole.tree()]


class Interrupted(BruteForceSearch):
    """Ctrl-C after every third call."""

    calls = 0

    def advance(self, seconds: float, work: int, on_poll: Any = None) -> bool:
        done = super().advance(seconds, work)
        self.calls += 1
        if self.calls % 3 == 0 and seconds < math.inf:
            raise KeyboardInterrupt
        return done


@pytest.mark.parametrize("seed", range(30))
def test_an_interrupt_keeps_what_was_learnt(seed):
    small = Small(seed)
    form = small.form("kl", FixedTests, 0.99)
    bound = BoundSearch(small.search(Interrupted), form, patience=3)
    for _ in range(10000):
        before = bound.lower, bound.upper, bound.work
        try:
            if bound.advance(60.0, 10**9):
                break
        except KeyboardInterrupt:
            assert bound.lower >= before[0]
            assert bound.upper <= before[1]
            assert bound.work >= before[2]
    assert bound.lower == bound.upper == least(form, small.least_errors())


@pytest.mark.parametrize("seed", range(30))
def test_offered_trees(seed):
    """The best tree is taken over at once; one that breaks a limit is not."""
    small = Small(seed)
    form = small.form("kl", FixedTests, 0.99)
    tree = minimise(small.search(), form).tree
    bound = BoundSearch(small.search(), form)
    assert bound.offer(*tree) == bound.upper == least(form, small.least_errors())
    assert bound.advance(60.0, 10**9)
    assert (bound.tree()[0] == tree[0]).all()
    leaf = BoundSearch(small.search(), form, Limits(max_depth=0))
    assert leaf.offer(*tree) == (math.inf if len(tree[0]) > 1 else leaf.upper)
    assert leaf.proved


def test_no_time_and_no_work():
    small = Small(3)
    form = small.form("textbook", FixedTests)
    bound = BoundSearch(small.search(), form)
    assert not bound.advance(0.0, 10**9) or bound.proved
    assert not bound.advance(60.0, 0) or bound.proved
    assert bound.work == 0
    assert bound.splits == 0
    assert bound.upper == form.value(0, small.least_errors()[0])


def test_steps_are_told():
    small, told = Small(12), []
    found = minimise(small.search(), small.form("kl", FixedTests, 0.99), on_step=told.append)
    assert tuple(told) == found.history
    assert told[-1].upper == told[-1].lower == found.value
    assert found.work == told[-1].work > 0


def grown(small: Small, kind: str) -> tuple:
    """The table with its copies as rows, and a full tree."""
    levels = ("no", "yes") if kind == "binary" else None
    schema = Schema(tuple(Column(f"x{i}", kind, levels) for i in range(len(small.ranks))))
    rows = np.repeat(np.arange(len(small.classes)), small.weights)
    values = np.int32 if kind == "binary" else float
    columns = tuple(column[rows].astype(values) for column in small.ranks)
    table = Table(schema, columns, len(rows))
    target = Target("classification", small.classes[rows], np.arange(small.n_classes), None)
    return table, target, grow(table, target, Plan("classification", "gini"))


@pytest.mark.parametrize("seed", range(60))
def test_pruner_and_report_show_the_same_figure(seed):
    small = Small(seed)
    small.n_classes = max(small.n_classes, 2)
    table, target, full = grown(small, "continuous")
    pruned = GeneralisationBound(0.5)(full, Evidence(table, target)).tree
    for tree in (full, pruned):
        report = bounds(tree, delta=0.5, n_tests=77)
        splits, errors = tree.n_leaves - 1, round(report.training_error * report.rows)
        name = ("textbook", "ln2", "ln2", "kl")
        code = (FixedTests(77), NamedRows(len(small.ranks)), NamedRows(len(small.ranks)))
        forms = [
            BoundForm(one, coding, report.rows, small.n_classes, 0.5)
            for one, coding in zip(name, (*code[:2], *code[1:]), strict=True)
        ]
        shown = (
            GeneralisationBound(0.5, "fixed", 77).value(tree),
            GeneralisationBound(0.5).value(tree),
            report.compression.value,
            report.compression_kl.value,
        )
        assert tuple(form.value(splits, errors) for form in forms) == shown
        assert report.fixed.value == shown[0]


@pytest.mark.parametrize("kind", ["binary", "continuous"])
@pytest.mark.parametrize("seed", range(100))
def test_the_pruner_is_never_better(seed, kind):
    small = Small(seed, 2 if kind == "binary" else 4, 200)
    small.n_classes = max(small.n_classes, 2)
    table, target, full = grown(small, kind)
    rule = GeneralisationBound(0.5, "textbook" if kind == "binary" else "compression")
    name, code = ("textbook", FixedTests) if kind == "binary" else ("ln2", NamedRows)
    form = BoundForm(name, code(len(small.ranks)), small.n_copies, small.n_classes, 0.5)
    assert default_form(form.coding) == name
    found = minimise(small.search(), form)
    assert found.proved
    assert found.value <= rule.value(rule(full, Evidence(table, target)).tree) + 1e-12


PROVED = [
    ("breast-wisconsin", 683, 120, 1, 48, 0.222034),
    ("mushroom", 8124, 119, 4, 48, 0.072936),
    ("vote", 435, 48, 1, 19, 0.217805),
    ("audiology", 216, 148, 2, 11, 0.381187),
    ("hepatitis", 137, 68, 0, 26, 0.431342),
    ("segment", 2310, 235, 1, 41, 0.105121),
    ("soybean", 630, 50, 0, 92, 0.255666),
    ("heart-cleveland", 296, 95, 1, 69, 0.458774),
    ("anneal", 812, 93, 1, 151, 0.321941),
    ("primary-tumor", 336, 31, 0, 82, 0.387681),
]


@pytest.mark.parametrize(("name", "n_rows", "n_tests", "splits", "errors", "value"), PROVED)
def test_public_tables(shared_data, name, n_rows, n_tests, splits, errors, value):
    """The textbook's bound at delta 0.05, proved over all trees."""
    small = binarised(shared_data, name)
    assert (small.n_copies, len(small.ranks)) == (n_rows, n_tests)
    form = small.form("textbook", FixedTests, 0.05)
    floor = equal_rows_errors(small.ranks, small.classes, small.weights)
    found = minimise(small.search(_core.OptimalSearch), form, least_errors=floor)
    assert found.proved
    assert (found.splits, found.errors, round(found.value, 6)) == (splits, errors, value)
    assert found.lower == found.value == form.value(splits, errors)
    assert value_of(found.tree, *small.parts) == errors


def binarised(folder: Path, name: str) -> Small:
    """A stored table of yes/no columns; the last one is the class."""
    columns = pd.read_csv(stored(folder / "binarised", name)).to_numpy(np.int32).T
    return Small.of(np.ascontiguousarray(columns[:-1]), np.ascontiguousarray(columns[-1]))
