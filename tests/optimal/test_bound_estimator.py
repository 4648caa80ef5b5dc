"""OptimalTreeClassifier(objective="bound"): the least bound of all trees on raw tables."""

import copy
import dataclasses
import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import silva
from silva import ModelFormatError, OptimalTreeClassifier, PlanError, TreeClassifier
from silva.model_file.estimators.search import check_search
from silva.optimal.bound_forms import BoundForm
from silva.optimal.coding import NamedRows
from silva.prune.bound import GeneralisationBound
from tests.optimal.raw_oracle import all_sides, least_errors
from tests.shared_data import stored

GRID = (0.35, 0.6, 2.0)
LEVELS = ("a", "b", "c", "never seen")


def bounded(**choices):
    return OptimalTreeClassifier(objective="bound", **choices)


def textbook(splits, errors, n_rows, n_classes, n_tests, delta):
    bits = (2 * splits + 2) * math.log2(n_tests + n_classes + 1)
    return errors / n_rows + math.sqrt((bits + math.log(2 / delta)) / (2 * n_rows))


def one_sided(form, splits, errors, n_rows, nats, named, delta):
    """The "ln2" and "kl" forms."""
    others = n_rows - named
    nats += math.log(1 / delta)
    if form == "ln2":
        return errors / others + math.sqrt(nats / (2 * others)) if others > 0 else math.inf
    if errors >= others:
        return 1.0
    q, c = errors / others, nats / others
    return brentq(lambda p: kl(q, p) - c, q, 1 - 1e-15) if kl(q, 1 - 1e-15) > c else 1.0


def kl(q, p):
    return (q * math.log(q / p) if q else 0.0) + (1 - q) * math.log((1 - q) / (1 - p))


def named_nats(splits, n_rows, n_classes, n_columns):
    """Two rows name a threshold; leaf or split, kind, column, missing and unseen, and a bit."""
    bits = splits * (1 + math.log2(3) + math.log2(n_columns) + 2 + 1)
    bits += (splits + 1) * (1 + math.log2(n_classes))
    return bits * math.log(2) + 2 * splits * math.log(n_rows)


class Small:
    """A random raw table, small enough to try every tree; weights are copies of rows."""

    def __init__(self, rng, missing):
        n_rows = int(rng.integers(1, 9))
        self.frame = pd.DataFrame(
            {
                "x": rng.integers(0, 10, n_rows) / 10,
                "word": pd.Series(rng.choice(LEVELS[:3], n_rows)).astype(object),
                "flag": pd.Series(rng.random(n_rows) < 0.5).astype("boolean"),
            }
        )
        if missing:
            for name in self.frame:
                self.frame.loc[rng.random(n_rows) < 0.3, name] = None
        cells = self.frame.astype(object).to_numpy(dtype=object)
        self.rows = [tuple(None if pd.isna(v) else v for v in row) for row in cells]
        self.labels = rng.choice(["no", "yes"], n_rows)
        self.weights = rng.integers(0, int(rng.choice([2, 10, 200])), n_rows)
        self.weights[0] += 1
        self.used = self.weights > 0
        self.n_rows = int(self.weights.sum())
        self.n_classes = len(set(self.labels))

    def least(self, kinds, most, value):
        """The least bound: `value` of a number of splits and one of errors."""
        used = np.flatnonzero(self.used).tolist()
        rows = [self.rows[i] for i in used]
        labels, weights = self.labels[used].tolist(), self.weights[used].tolist()
        errors = least_errors(rows, labels, weights, all_sides(rows, kinds, most), len(used) - 1)
        return min(value(splits, one) for splits, one in enumerate(errors))

    def has_missing(self, name):
        return bool(self.frame[name][self.used].isna().any())


def fitted(small, **choices):
    found = bounded(**choices).fit(small.frame, small.labels, small.weights)
    assert found.proved_
    assert found.gap_ == 0.0
    assert found.lower_bound_ == found.objective_
    return found


def errors_of(model, small):
    return int(small.weights @ (model.predict(small.frame) != small.labels))


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32), missing=st.booleans(), form=st.sampled_from([None, "ln2", "kl"]))
def test_no_tree_of_fixed_tests_has_a_smaller_bound(seed, missing, form):
    rng = np.random.default_rng(seed)
    small, most, delta = Small(rng, missing), int(rng.choice([3, 6])), 0.9999
    levels = {"word": list(LEVELS)}
    found = fitted(
        small,
        grid={"x": GRID},
        categorical_features=levels,
        bound=form,
        delta=delta,
        max_subset_levels=most,
    )
    lacks = [small.has_missing(name) for name in small.frame]
    n_tests = 2 * len(GRID) + 1 if lacks[0] else len(GRID)
    if 4 + lacks[1] <= most:
        n_tests += 2 ** (3 + lacks[1]) - 1
    else:
        n_tests += 9 if lacks[1] else 4
    n_tests += 3 if lacks[2] else 1

    def value(splits, errors):
        if form is None:
            return textbook(splits, errors, small.n_rows, small.n_classes, n_tests, delta)
        nats = (2 * splits + 2) * math.log(n_tests + small.n_classes + 1)
        return one_sided(form, splits, errors, small.n_rows, nats, 0, delta)

    # few levels that occur are not split by sets where the list has more
    least = small.least([GRID, "set", "ordered"], most if 4 + lacks[1] <= most else 0, value)
    assert found.objective_ == pytest.approx(least, abs=1e-9)
    splits = found.get_n_leaves() - 1
    assert found.objective_ == pytest.approx(value(splits, errors_of(found, small)), abs=1e-9)
    for node in range(found.grown_tree_.n_nodes):
        split = silva.tree.splits.split_of(found.grown_tree_, node)
        if split is not None and split.column == 0:
            assert split.threshold in (*GRID, -math.inf)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32), missing=st.booleans(), form=st.sampled_from([None, "kl"]))
def test_no_tree_of_named_rows_has_a_smaller_bound(seed, missing, form):
    rng = np.random.default_rng(seed)
    small, delta = Small(rng, missing), 0.9999
    found = fitted(small, bound=form, delta=delta)

    def value(splits, errors):
        nats = named_nats(splits, small.n_rows, small.n_classes, 3)
        named = 2 * splits
        return one_sided(form or "ln2", splits, errors, small.n_rows, nats, named, delta)

    least = small.least(["ordered", "set", "ordered"], 6, value)
    assert found.objective_ == pytest.approx(least, abs=1e-5)
    splits = found.get_n_leaves() - 1
    assert found.objective_ == pytest.approx(value(splits, errors_of(found, small)), abs=1e-5)


@pytest.mark.parametrize("n_levels", [5, 6])
def test_sets_of_levels_that_are_not_listed_are_named_by_two_rows(n_levels):
    """Three of six levels cannot be named by two rows, so they are no question."""
    words = np.repeat(list("abcdef")[:n_levels], 100)
    target = np.isin(words, ["a", "c", "e"])
    model = bounded().fit(pd.DataFrame({"word": words}), target)
    assert model.get_n_leaves() == (2 if n_levels == 5 else 4)


def test_levels_that_a_type_has_may_come_from_the_rows():
    words = pd.Series(np.repeat(list("abc"), 50))
    listed = bounded(categorical_features={"word": ["a", "b", "c", "d"]})
    by_type, by_list = (
        model.fit(pd.DataFrame({"word": column}), words == "b")
        for model, column in ((bounded(), words.astype("category")), (listed, words))
    )
    assert "sample compression" in by_type.search_report_.measure
    assert "7 fixed tests" in by_list.search_report_.measure
    assert by_list.objective_ < by_type.objective_


def yes_no(seed=0, n_rows=400, noise=0.1):
    rng = np.random.default_rng(seed)
    table = rng.random((n_rows, 8)) < 0.5
    return pd.DataFrame(table).add_prefix("q"), table[:, 0] ^ table[:, 1] ^ (
        rng.random(n_rows) < noise
    )


def numbers(seed=0, n_rows=300, noise=0.05):
    rng = np.random.default_rng(seed)
    table = rng.random((n_rows, 3))
    return table, ((table[:, 0] > 0.4) & (table[:, 1] < 0.7)) ^ (rng.random(n_rows) < noise)


def test_reports_show_the_same_figures():
    model = bounded(delta=0.1).fit(*yes_no())
    assert model.objective_ == silva.bounds(model, delta=0.1).textbook.value
    assert model.objective_ == GeneralisationBound(0.1, "textbook").value(model.grown_tree_)
    model = bounded().fit(*numbers())
    assert model.objective_ == silva.bounds(model).compression.value
    assert model.objective_ == GeneralisationBound().value(model.grown_tree_)
    model = bounded(bound="kl", gap=0.05).fit(*numbers())
    assert model.objective_ == silva.bounds(model).compression_kl.value


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", ["yes/no", "numbers"])
def test_never_worse_than_the_pruned_tree(kind, seed):
    """Not even without any time."""
    table, target = (yes_no if kind == "yes/no" else numbers)(seed, 150)
    rule = GeneralisationBound(form="textbook" if kind == "yes/no" else "compression")
    pruned = TreeClassifier(prune=rule, random_state=0).fit(table, target)
    quick = bounded(time_limit=0).fit(table, target)
    assert quick.objective_ == pytest.approx(rule.value(quick.grown_tree_), abs=1e-12)
    assert quick.objective_ <= rule.value(pruned.grown_tree_) + 1e-12
    assert quick.lower_bound_ <= quick.objective_
    assert quick.proved_ == (quick.gap_ == 0.0)


PROVED = [
    ("breast-wisconsin", 120, 1, 48, 0.222034),
    ("vote", 48, 1, 19, 0.217805),
    ("audiology", 148, 2, 11, 0.381187),
    ("hepatitis", 68, 0, 26, 0.431342),
    ("segment", 235, 1, 41, 0.105121),
    ("soybean", 50, 0, 92, 0.255666),
    ("heart-cleveland", 95, 1, 69, 0.458774),
    ("primary-tumor", 31, 0, 82, 0.387681),
]


@pytest.mark.parametrize(("name", "n_tests", "splits", "errors", "value"), PROVED)
def test_public_tables(shared_data, name, n_tests, splits, errors, value):
    cells = pd.read_csv(stored(shared_data / "binarised", name))
    table, target = cells.iloc[:, :-1].astype(bool), cells.iloc[:, -1]
    model = bounded().fit(table, target)
    assert model.proved_
    assert f"textbook, {n_tests} fixed tests" in str(model.search_report_)
    assert (model.get_n_leaves() - 1, round(model.objective_, 6)) == (splits, value)
    assert int((model.predict(table) != target).sum()) == errors


def test_depth_has_no_limit_unless_it_is_given():
    table = np.repeat(np.arange(32.0), 60)[:, None]
    target = np.repeat(np.arange(32) % 2, 60)
    found = bounded(grid={0: np.arange(0.5, 31).tolist()}).fit(table, target)
    assert found.get_depth() > 3
    assert found.proved_
    limited = bounded(max_depth=2).fit(table, target)
    assert limited.get_depth() <= 2
    assert OptimalTreeClassifier().fit(table, target).get_depth() == 3


def test_weights_are_copies():
    """Also with a common divisor, and not where a weight is 0."""
    table, target = numbers(1, 60)
    weights = 2 * np.random.default_rng(0).integers(0, 4, 60)
    by_weight = bounded().fit(table, target, weights)
    repeated = bounded().fit(np.repeat(table, weights, axis=0), np.repeat(target, weights))
    assert by_weight.objective_ == repeated.objective_
    assert by_weight.get_n_leaves() == repeated.get_n_leaves()


@pytest.mark.parametrize("n_threads", [1, 2])
def test_work_limits_give_the_same_tree(n_threads):
    table, target = numbers(2, 400, 0.2)

    def found(work, n_jobs):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return bounded(work_limit=work, bound="kl", n_jobs=n_jobs).fit(table, target)

    for work in (1, 10**5):
        first, second = found(work, 1), found(work, n_threads)
        assert silva.to_text(first) == silva.to_text(second)
        assert first.n_work_ == second.n_work_
        assert first.lower_bound_ == second.lower_bound_


def test_resume_goes_on_and_history_closes_in():
    table, target = numbers(3)
    with pytest.warns(ConvergenceWarning, match=r"work limit.*generalisation bound \(ln2"):
        model = bounded(work_limit=1000).fit(table, target)
    assert model.lower_bound_ < model.objective_
    assert model.search_report_.stopped == "work"
    first = model.objective_, model.lower_bound_
    model.resume(time_limit=None)
    assert model.proved_
    assert first[1] <= model.objective_ <= first[0]
    assert model.objective_ == bounded().fit(table, target).objective_
    objectives = [point.objective for point in model.history_]
    lowers = [point.lower_bound for point in model.history_]
    assert objectives == sorted(objectives, reverse=True)
    assert lowers == sorted(lowers)
    assert objectives[-1] == lowers[-1]


@pytest.mark.parametrize("seed", range(12))
def test_a_stopped_search_reports_the_bound_of_its_tree(seed):
    table, target = numbers(seed, 200, 0.2)
    form = BoundForm("kl", NamedRows(3), 200, 2)
    model = bounded(bound="kl", time_limit=0).fit(table, target)
    for work in (1, 300, 10**4, 10**5):
        errors = int((model.predict(table) != target).sum())
        assert model.objective_ == form.value(model.get_n_leaves() - 1, errors)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.resume(work_limit=work)


def test_an_interrupt_and_a_gap_keep_the_best_tree():
    table, target = numbers(4, 400, 0.2)
    seen = []

    def watch(progress):
        seen.append(progress)
        if len(seen) == 3:
            raise KeyboardInterrupt

    model = bounded(bound="kl", on_progress=watch, on_interrupt="keep")
    with pytest.warns(ConvergenceWarning, match="was interrupted"):
        model.fit(table, target)
    assert model.search_report_.stopped == "interrupted"
    assert model.objective_ == seen[-1].objective
    close = bounded(bound="kl", gap=0.3).fit(table, target)
    assert close.search_report_.stopped == "gap" or close.proved_
    assert close.gap_ <= 0.3


@pytest.mark.parametrize("choices", [{"max_depth": 0}, {"max_leaf_nodes": 1}, {}])
def test_a_single_leaf(choices):
    table, target = pd.DataFrame({"a": [True, False] * 3, "b": [False] * 6}), [0, 0, 0, 0, 1, 1]
    model = bounded(**choices).fit(table, target)
    assert model.get_n_leaves() == 1
    assert model.objective_ == pytest.approx(textbook(0, 2, 6, 2, 2, 0.05))
    assert model.proved_


def test_one_class_and_constant_columns():
    constant = bounded().fit(np.ones((10, 2)), np.arange(10) % 2)
    single = bounded().fit(np.arange(10.0)[:, None], ["only"] * 10)
    for model in (constant, single):
        assert model.proved_
        assert model.get_n_leaves() == 1
    assert single.objective_ == BoundForm("ln2", NamedRows(1), 10, 1).value(0, 0)


def test_the_path_is_about_errors():
    table, target = numbers(5, 80)
    model = bounded().fit(table, target)
    path = model.pareto_path(max_leaves=4)
    other = OptimalTreeClassifier().fit(table, target).pareto_path(max_leaves=4)
    assert path.errors.tolist() == other.errors.tolist()
    assert path.proved.all()


def test_a_grid_is_for_every_objective():
    table, target = numbers(6, 80)
    model = OptimalTreeClassifier(max_depth=2, grid={0: [0.4], 1: [0.7], 2: [0.5]})
    model.fit(table, target)
    assert model.proved_
    assert model.search_report_.left_out == 0
    bins = np.column_stack([table[:, 0] >= 0.4, table[:, 1] >= 0.7, table[:, 2] >= 0.5])
    same = OptimalTreeClassifier(max_depth=2).fit(bins, target)
    assert model.objective_ == same.objective_


@pytest.mark.parametrize("way", ["pickle", "copy", "file"])
def test_copies_keep_the_report(way, tmp_path):
    model = bounded(grid={0: [0.4], 1: (0.7,), 2: np.array([0.5])}).fit(*numbers())
    if way == "file":
        silva.save(model, tmp_path / "model.silva")
        again = silva.load(tmp_path / "model.silva")
    else:
        again = pickle.loads(pickle.dumps(model)) if way == "pickle" else copy.deepcopy(model)
    assert again.search_report_ == model.search_report_
    assert "textbook, 3 fixed tests, delta=0.05" in again.search_report_.measure
    assert clone(again).get_params().keys() == model.get_params().keys()


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"leaf_penalty": 0.1}, r"leaf_penalty=0\.1.*leave it out beside objective='bound'"),
        ({"costs": [[0, 1], [1, 0]]}, "costs=.*beside objective='bound'"),
        ({"class_weight": "balanced"}, "class_weight='balanced'.*beside objective='bound'"),
        ({"bound": "hoeffding"}, "bound='hoeffding'"),
        ({"bound": "textbook"}, "bound='textbook'.*'ln2' or 'kl'"),
        ({"bound": "kl", "objective": "error"}, "bound='kl'.*objective='bound'"),
        ({"delta": 0}, "delta=0"),
        ({"delta": "0.05"}, "delta='0.05'"),
        ({"delta": 1.0, "objective": "error"}, r"delta=1\.0.*above 0 and below 1"),
        ({"delta": 0.1, "objective": "error"}, r"delta=0\.1.*objective='bound'"),
        ({"grid": [0.5]}, "grid=.*mapping from columns"),
        ({"grid": {"y": [0.5]}}, "grid names 'y'"),
        ({"grid": {7: [0.5]}}, "grid has the index 7"),
        ({"grid": {"x": []}}, "the grid of column 'x'"),
        ({"grid": {"x": 0.5}}, "the grid of column 'x'"),
        ({"grid": {"word": [0.5]}}, "grid names the column 'word', which is categorical"),
        ({"grid": {"day": [0.5]}}, "grid names the column 'day', which is one of dates"),
        ({"unseen": "stop"}, "unseen='stop'.*column 'word'"),
        ({"max_depth": "three"}, "max_depth='three'.*'auto'"),
    ],
)
def test_bad_choices(choices, message):
    days = pd.to_datetime(["2024-01-01", "2024-01-02"] * 2)
    table = pd.DataFrame({"x": [0.1, 0.2, 0.7, 0.9], "word": list("abcd"), "day": days})
    with pytest.raises(PlanError, match=message):
        OptimalTreeClassifier(**({"objective": "bound"} | choices)).fit(table, [0, 1, 1, 0])


@pytest.mark.parametrize(("weight", "message"), [(0.5, "whole numbers of copies"), (1e300, "1e")])
def test_weights_that_are_no_copies(weight, message):
    with pytest.raises(PlanError, match=f"sample_weight.*{message}"):
        bounded().fit([[0.0], [1.0]], [0, 1], [1.0, weight])


def test_a_measure_that_is_no_text_is_refused():
    model = bounded().fit(*yes_no())
    report = dataclasses.replace(model.search_report_, measure=5)
    facts = dataclasses.replace(model._figures.search, report=report)
    with pytest.raises(ModelFormatError, match=r"report\.measure: must be text"):
        check_search("search", facts)
