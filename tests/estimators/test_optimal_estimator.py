"""OptimalTreeClassifier: the least error of all trees on raw tables, and everything around it."""

import copy
import pickle
import warnings
from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.callback import ScoringMonitor
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

import silva
from silva import DataError, ModelFormatError, OptimalTreeClassifier, PlanError, TreeClassifier
from silva.tree.check import check
from tests.optimal.raw_oracle import least_error

RNG = np.random.default_rng(0)
HARD = RNG.random((1500, 15))
HARD_LABELS = (HARD[:, 0] + HARD[:, 1] * HARD[:, 2] + 0.4 * RNG.random(1500) > 1).astype(int)


def raw_table(rng, n_rows, missing):
    """Rows as the oracle takes them, and the same as a frame."""
    frame = pd.DataFrame(
        {
            "x": rng.integers(0, 4, n_rows).astype(float),
            "word": pd.Series(rng.choice(list("abc"), n_rows)).astype(object),
            "z": rng.random(n_rows).round(1),
            "town": pd.Series(rng.choice(["t1", "t2", "t3", "t4"], n_rows)).astype(object),
        }
    )
    if missing:
        for name in ("x", "word", "town"):
            frame.loc[rng.random(n_rows) < 0.25, name] = None
    frame = frame.astype({"word": "category", "town": "category"})
    cells = frame.astype(object).to_numpy(dtype=object)
    return [tuple(None if pd.isna(v) else v for v in row) for row in cells], frame


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(3)
    _, frame = raw_table(rng, 60, True)
    noise = rng.random(60) < 0.15
    is_yes = (frame["x"].fillna(3) < 2) ^ (frame["word"] == "a") ^ noise
    labels = np.where(is_yes, "yes", "no").astype("U7")
    labels[frame["z"] > 0.85] = "perhaps"
    return frame, labels


@pytest.fixture(scope="module")
def model(mixed):
    return OptimalTreeClassifier(max_depth=3).fit(*mixed)


def with_limit(**choices):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return OptimalTreeClassifier(**choices).fit(HARD, HARD_LABELS)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_tree_on_raw_values_has_fewer_errors(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    n_rows, depth = data.draw(st.integers(1, 12)), data.draw(st.integers(0, 2))
    most, min_rows = data.draw(st.sampled_from([0, 3, 6])), data.draw(st.integers(1, 3))
    rows, frame = raw_table(rng, n_rows, data.draw(st.booleans()))
    labels = rng.choice(["a", "b", "c"][: data.draw(st.integers(1, 3))], n_rows)
    weights = rng.integers(0, 3, n_rows) if data.draw(st.booleans()) else np.ones(n_rows, int)
    weights[0] = 1
    found = OptimalTreeClassifier(
        max_depth=depth, max_subset_levels=most, min_samples_leaf=min_rows
    ).fit(frame, labels, weights)
    kinds = ["ordered", "set", "ordered", "set"]
    used = weights > 0
    least = least_error(
        [row for row, use in zip(rows, used, strict=True) if use],
        labels[used].tolist(),
        weights[used].tolist(),
        kinds,
        depth,
        most,
        min_rows,
    )
    assert found.proved_
    assert found.objective_ == pytest.approx(least / weights.sum(), abs=1e-15)
    wrong = weights @ (found.predict(frame) != labels)
    assert wrong == least
    assert found.grown_tree_.leaf_rows.min() >= min(min_rows, used.sum())
    assert found.get_depth() <= depth


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_objective_is_what_predictions_cost(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    n_rows = data.draw(st.integers(1, 25))
    _, frame = raw_table(rng, n_rows, data.draw(st.booleans()))
    labels = rng.choice(["a", "b", "c"], n_rows)
    n_classes = len(set(labels))
    choices = {
        "max_depth": data.draw(st.sampled_from([0, 1, 2])),
        "max_leaf_nodes": data.draw(st.sampled_from([None, 3])),
        "leaf_penalty": data.draw(st.sampled_from([0.0, 0.01, 1 / 3])),
        "max_bins": data.draw(st.sampled_from([None, 2])),
    }
    costs = 1.0 - np.eye(n_classes)
    if data.draw(st.booleans()) and n_classes > 1:
        costs *= rng.integers(1, 100, (n_classes, n_classes))
        costs /= 100
        choices["costs"] = costs
    weights = rng.random(n_rows) if data.draw(st.booleans()) else None
    counted = np.ones(n_rows) if weights is None else weights.copy()
    if data.draw(st.booleans()):
        choices["class_weight"] = {"a": 0.3, "b": 2.0, "c": 1.0}
        counted *= [choices["class_weight"][label] for label in labels]
    elif data.draw(st.booleans()):
        choices["objective"] = "balanced"
        counted /= [counted[labels == label].sum() for label in labels]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = OptimalTreeClassifier(**choices).fit(frame, labels, weights)
    true, told = (np.searchsorted(found.classes_, one) for one in (labels, found.predict(frame)))
    cost = counted @ costs[true, told] / counted.sum()
    expected = cost + choices["leaf_penalty"] * found.get_n_leaves()
    assert found.search_report_.tolerance < 1e-9
    assert found.objective_ == pytest.approx(expected, abs=1e-9)
    assert found.proved_


def test_exclusive_or_needs_no_gain_at_the_root():
    rows = [[a, b] for a in (0, 1) for b in (0, 1)] * 5
    labels = [a ^ b for a, b in rows]
    assert TreeClassifier(max_depth=2, min_gain=1e-9).fit(rows, labels).score(rows, labels) == 0.5
    found = OptimalTreeClassifier(max_depth=2).fit(rows, labels)
    assert (found.objective_, found.proved_, found.get_n_leaves()) == (0.0, True, 4)


def test_float64_values_are_told_apart():
    x = 1.7e9 + np.arange(200)
    found = OptimalTreeClassifier(max_depth=1).fit(x[:, None], np.arange(200) >= 77)
    assert found.objective_ == 0.0
    assert found.proved_


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_it_is_never_worse_than_the_greedy_tree(depth):
    greedy = TreeClassifier(max_depth=depth).fit(HARD, HARD_LABELS)
    error = 1 - greedy.score(HARD, HARD_LABELS)
    for limit in (0, 0.2):
        found = with_limit(max_depth=depth, time_limit=limit)
        assert found.objective_ <= error + 1e-12
        assert found.objective_ == pytest.approx(1 - found.score(HARD, HARD_LABELS), abs=1e-12)


@pytest.mark.parametrize(
    "frame",
    ["pandas", "polars", "pyarrow", "duckdb", "numpy", "list", "sparse"],
)
def test_every_frame(frame):
    base = pd.DataFrame({"a": [0.0, 0, 1, 1, 2, 2], "b": [0.0, 1, 0, 1, 0, 1]})
    labels = ["x", "y", "y", "x", "x", "x"]
    table = {
        "pandas": lambda: base,
        "polars": lambda: pl.from_pandas(base),
        "pyarrow": lambda: pa.Table.from_pandas(base),
        "duckdb": lambda: duckdb.from_df(base),
        "numpy": base.to_numpy,
        "list": lambda: base.to_numpy().tolist(),
        "sparse": lambda: csr_array(base.to_numpy()),
    }[frame]()
    found = OptimalTreeClassifier().fit(table, labels)
    assert found.objective_ == 0.0
    assert found.predict(table).tolist() == labels


@pytest.mark.parametrize(
    "labels",
    [[True, False, True, False], [7, -2, 7, -2], ["é", "b", "é", "b"], [1.0, 3.0, 1.0, 3.0]],
)
def test_every_kind_of_label(labels):
    found = OptimalTreeClassifier().fit([[1], [2], [1], [2]], labels)
    assert found.predict([[1], [2]]).tolist() == labels[:2]
    assert found.classes_.tolist() == sorted(set(labels))


def test_weights_are_copies(mixed):
    frame, labels = mixed
    weights = np.random.default_rng(0).integers(0, 4, len(labels))
    weighted = OptimalTreeClassifier(max_depth=2).fit(frame, labels, weights)
    rows = np.repeat(np.arange(len(labels)), weights)
    copied = OptimalTreeClassifier(max_depth=2).fit(frame.iloc[rows], labels[rows])
    assert weighted.objective_ == pytest.approx(copied.objective_, abs=1e-15)


def test_a_penalty_without_a_limit_of_depth(mixed):
    frame, labels = mixed
    found = OptimalTreeClassifier(max_depth=None, leaf_penalty=0.03).fit(frame, labels)
    assert found.proved_
    error = np.mean(found.predict(frame) != labels)
    assert found.objective_ == pytest.approx(error + 0.03 * found.get_n_leaves(), abs=1e-12)
    for depth in (1, 2, 3):
        limited = OptimalTreeClassifier(max_depth=depth, leaf_penalty=0.03).fit(frame, labels)
        assert limited.objective_ >= found.objective_
    for leaves in range(1, 8):
        sized = OptimalTreeClassifier(max_depth=None, max_leaf_nodes=leaves).fit(frame, labels)
        assert sized.get_n_leaves() <= leaves
        assert sized.objective_ + 0.03 * leaves >= found.objective_ - 1e-12


def test_balanced_objective_is_the_mean_error_of_the_classes(mixed):
    frame, labels = mixed
    found = OptimalTreeClassifier(max_depth=2, objective="balanced").fit(frame, labels)
    other = OptimalTreeClassifier(max_depth=2, class_weight="balanced").fit(frame, labels)
    wrong = found.predict(frame) != labels
    by_class = [wrong[labels == label].mean() for label in found.classes_]
    assert found.objective_ == pytest.approx(np.mean(by_class), abs=1e-12)
    assert other.objective_ == pytest.approx(found.objective_, abs=1e-9)
    plain = OptimalTreeClassifier(max_depth=2).fit(frame, labels)
    by_class = [(plain.predict(frame) != labels)[labels == one].mean() for one in plain.classes_]
    assert found.objective_ <= np.mean(by_class) + 1e-12


def test_costs_are_minimised_and_followed(mixed, tmp_path):
    frame, labels = mixed
    costs = np.array([[0, 9, 9], [1, 0, 1], [1, 1, 0]])
    found = OptimalTreeClassifier(max_depth=1, costs=costs).fit(frame, labels)
    code = np.searchsorted(found.classes_, labels)

    def mean_cost(told):
        return costs[code, np.searchsorted(found.classes_, told)].mean()

    told = found.predict(frame)
    assert found.objective_ == pytest.approx(mean_cost(told), abs=1e-12)
    shares = found.predict_proba(frame)
    assert np.array_equal(told, found.classes_[(shares @ costs).argmin(axis=1)])
    assert (told != found.classes_[shares.argmax(axis=1)]).any()
    plain = OptimalTreeClassifier(max_depth=1).fit(frame, labels)
    assert mean_cost(told) <= mean_cost(plain.predict(frame))
    assert found.summary_.train.tree == pytest.approx(found.score(frame, labels))
    silva.save(found, tmp_path / "model.silva")
    copies = [silva.load(tmp_path / "model.silva"), pickle.loads(pickle.dumps(found))]
    found.set_params(costs=None)
    copies.append(found)
    for one in copies:
        assert np.array_equal(one.predict(frame), told)


def test_costs_where_rows_stop():
    found = OptimalTreeClassifier(missing="stop", costs=[[0, 1], [9, 0]]).fit(
        [[0.0], [1.0], [1.0], [1.0], [1.0], [1.0]], ["b", "a", "a", "a", "a", "a"]
    )
    assert found.predict([[np.nan], [0.0], [1.0]]).tolist() == ["b", "b", "a"]


@pytest.mark.parametrize("costs", [[[0, 1], [3, 0]], [[0, 0.1], [0.3, 0]]])
def test_costs_of_two_classes_are_class_weights(costs):
    weights = {0: costs[0][1], 1: costs[1][0]}
    one = OptimalTreeClassifier(max_depth=1, costs=costs).fit(HARD, HARD_LABELS)
    other = OptimalTreeClassifier(max_depth=1, class_weight=weights).fit(HARD, HARD_LABELS)
    share = np.mean([weights[label] for label in HARD_LABELS])
    assert one.objective_ == pytest.approx(other.objective_ * share, rel=1e-9)


def test_the_result_is_an_ordinary_tree(model, mixed, tmp_path):
    frame, labels = mixed
    text = silva.to_text(model)
    assert text.startswith("classification tree (error)")
    assert str(model.grown_tree_) == text
    rules = silva.rules(model)
    assert len(rules) == model.get_n_leaves()
    assert np.array_equal(rules.predict(frame), model.predict(frame))
    assert str(silva.explain(model, frame[:1])).startswith(model.predict(frame[:1])[0])
    assert silva.to_svg(model).startswith("<svg")
    assert "OptimalTreeClassifier" in model._repr_html_()
    assert silva.bounds(model) is not None
    assert model.tree_.node_count == model.grown_tree_.n_nodes
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.decision_path(frame).shape == (len(frame), model.grown_tree_.n_nodes)
    assert model.summary_.train.tree == pytest.approx(1 - model.objective_)
    assert model.score(frame, labels) == pytest.approx(1 - model.objective_)


def test_edits_keep_the_model_and_lose_the_proof(model, mixed):
    frame, labels = mixed
    edited = silva.edit.collapse(model, 1, frame, labels)
    assert isinstance(edited, OptimalTreeClassifier)
    assert edited.search_report_ is None
    assert edited.history_ == ()
    with pytest.raises(AttributeError, match="proved_: the tree of this OptimalTreeClassifier was"):
        _ = edited.proved_
    with pytest.raises(PlanError, match="resume: this OptimalTreeClassifier comes from"):
        edited.resume()
    competing = silva.edit.competing_splits(model, 0, frame, labels)
    assert any(one.is_current for one in competing)


@pytest.mark.parametrize("way", ["file", "pickle", "copy"])
def test_copies_keep_the_report_and_not_the_search(way, model, mixed, tmp_path):
    frame, _ = mixed
    if way == "file":
        silva.save(model, tmp_path / "model.silva")
        again = silva.load(tmp_path / "model.silva")
        assert again.history_[-1].objective == model.objective_
    else:
        again = pickle.loads(pickle.dumps(model)) if way == "pickle" else copy.deepcopy(model)
        assert again.history_ == model.history_
    assert again.search_report_ == model.search_report_
    assert again.get_params() == model.get_params()
    assert np.array_equal(again.predict_proba(frame), model.predict_proba(frame))
    with pytest.raises(PlanError, match="fit again"):
        again.pareto_path()


def test_a_function_is_not_kept_in_a_file(mixed, tmp_path):
    told = []
    found = OptimalTreeClassifier(on_progress=told.append).fit(*mixed)
    assert told[-1].objective == found.objective_
    with pytest.warns(UserWarning, match="on_progress=.* cannot be kept in a model file"):
        silva.save(found, tmp_path / "model.silva")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("objective", "small", "report.objective: must be a finite number"),
        ("lower_bound", 2.0, "report.lower_bound: must not exceed"),
        ("work", -1, "report.work: must be a whole number"),
        ("proved", 1, "report.proved: must be true or false"),
        ("stopped", "never", "report.stopped: must be one of"),
    ],
)
def test_reports_that_no_search_writes_are_refused(field, value, message, model):
    from silva.model_file.estimators.search import decode_search, encode_search

    facts = encode_search(model._figures.search)
    facts["report"][field] = value
    with pytest.raises(ModelFormatError, match=message):
        decode_search("search", facts)


def test_costs_of_other_classes_are_refused_in_files(model):
    from silva.model_file.estimators.search import with_costs

    with pytest.raises(ModelFormatError, match=r"search\.costs: costs has 2 rows"):
        with_costs("search", {"report": None, "costs": [[0, 1], [1, 0]]}, model.grown_tree_)
    with pytest.raises(ModelFormatError, match="costs: must have 3 rows and columns"):
        check(replace(model.grown_tree_, costs=((0.0, 1.0), (1.0, 0.0))))


def test_files_that_keep_costs_beside_the_tree_are_read(model):
    from silva.model_file.estimators.search import with_costs

    costs = [[0, 1, 1], [20, 0, 1], [1, 1, 0]]
    tree = with_costs("search", {"report": None, "costs": costs}, model.grown_tree_)
    assert tree.costs == tuple(map(tuple, costs))


def test_limits_warn_with_the_gap_and_resume_goes_on():
    found = OptimalTreeClassifier(max_depth=3, work_limit=1000)
    with pytest.warns(
        ConvergenceWarning, match=r"reached its work limit before the proof.*gap 0\."
    ):
        found.fit(HARD, HARD_LABELS)
    first = found.objective_, found.lower_bound_, found.n_work_
    assert found.gap_ == found.objective_ - found.lower_bound_ > 0
    assert not found.proved_
    with pytest.warns(ConvergenceWarning):
        assert found.resume(work_limit=100_000) is found
    assert found.objective_ <= first[0]
    assert found.lower_bound_ >= first[1]
    assert found.n_work_ > first[2]
    assert found.objective_ == pytest.approx(1 - found.score(HARD, HARD_LABELS))


def test_resuming_a_proved_search_changes_nothing(mixed):
    found = OptimalTreeClassifier(max_depth=2).fit(*mixed)
    before = str(found.grown_tree_), found.n_work_
    found.resume()
    assert (str(found.grown_tree_), found.n_work_) == before


def test_no_time_is_the_greedy_tree_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = OptimalTreeClassifier(time_limit=0).fit(HARD, HARD_LABELS)
    assert found.gap_ == found.objective_ > 0
    assert found.search_report_.stopped == "time"


def test_a_gap_that_is_asked_for_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = OptimalTreeClassifier(gap=0.5).fit(HARD, HARD_LABELS)
    assert 0 < found.gap_ <= 0.5


def test_an_interrupt_keeps_the_best_tree():
    def stop(progress):
        if progress.work:
            raise KeyboardInterrupt

    found = OptimalTreeClassifier(max_depth=4, on_progress=stop)
    with pytest.raises(KeyboardInterrupt, match=r"no tree has less than .* partial_"):
        found.fit(HARD, HARD_LABELS)
    assert not hasattr(found, "grown_tree_")
    assert found.partial_.search_report_.stopped == "interrupted"
    found.set_params(on_interrupt="keep")
    with pytest.warns(ConvergenceWarning, match="was interrupted before the proof"):
        found.fit(HARD, HARD_LABELS)
    assert found.get_n_leaves() > 1
    assert not hasattr(found, "partial_")


def test_held_out_rows_are_measured_again_after_resuming():
    half = slice(750), slice(750, None)
    found = OptimalTreeClassifier(max_depth=2, time_limit=0)
    found.fit(HARD[half[0]], HARD_LABELS[half[0]], X_val=HARD[half[1]], y_val=HARD_LABELS[half[1]])
    found.resume()
    score = found.score(HARD[half[1]], HARD_LABELS[half[1]])
    assert found.summary_.held_out.tree == pytest.approx(score)


def test_bins_say_what_they_leave_out():
    with pytest.warns(UserWarning, match=r"max_bins=3 leaves out 22,4\d\d thresholds"):
        found = OptimalTreeClassifier(max_depth=2, max_bins=3).fit(HARD, HARD_LABELS)
    assert found.proved_
    assert "max_bins left out" in str(found.search_report_)
    exact = OptimalTreeClassifier(max_depth=2).fit(HARD, HARD_LABELS)
    assert exact.objective_ < found.objective_
    assert found.objective_ == pytest.approx(1 - found.score(HARD, HARD_LABELS))


def test_threads_do_not_change_a_proved_tree(mixed):
    trees = [OptimalTreeClassifier(n_jobs=jobs).fit(*mixed).grown_tree_ for jobs in (1, 2, -1)]
    assert len({str(tree) for tree in trees}) == 1


def test_the_path_of_a_model(model, mixed):
    path = model.pareto_path()
    assert path.proved.all()
    assert path.errors[-1] == pytest.approx(model.objective_)
    assert len(model.pareto_path(max_leaves=3).leaves) == 3
    with pytest.raises(PlanError, match="max_leaves=0"):
        model.pareto_path(max_leaves=0)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"max_depth": -1}, "max_depth=-1"),
        ({"max_depth": 1.5}, "max_depth=1.5"),
        ({"max_leaf_nodes": 0}, "max_leaf_nodes=0"),
        ({"leaf_penalty": -0.1}, "leaf_penalty=-0.1"),
        ({"leaf_penalty": np.nan}, "leaf_penalty=nan"),
        ({"objective": "eror"}, "Did you mean 'error'"),
        ({"costs": [[0, 1], [1, 0]]}, "costs has 2 rows and columns, and the target has 3 classes"),
        ({"costs": [[0, -1], [1, 0]]}, r"costs\[0\]\[1\]=-1.0"),
        ({"costs": [[1, 1], [1, 0]]}, "the right class costs 0"),
        ({"min_samples_leaf": 0}, "min_samples_leaf=0"),
        ({"time_limit": -1}, "time_limit=-1"),
        ({"time_limit": "long"}, "time_limit='long'"),
        ({"work_limit": -1}, "work_limit=-1"),
        ({"memory_limit": "much"}, "memory_limit='much'"),
        ({"memory_limit": 10}, "memory_limit=10 bytes is too small"),
        ({"gap": -1}, "gap=-1"),
        ({"max_bins": 0}, "max_bins=0"),
        ({"max_subset_levels": 40}, "max_subset_levels=40"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"verbose": -1}, "verbose=-1"),
        ({"on_progress": "yes"}, "on_progress='yes'"),
        ({"random_state": "x"}, "random_state='x'"),
        ({"missing": "majority"}, "missing='majority' is not possible for column 'x'"),
        ({"objective": "balanced", "class_weight": {"yes": 2}}, "class_weight="),
    ],
)
def test_parameters_that_are_refused(choices, message, mixed):
    with pytest.raises(PlanError, match=message):
        OptimalTreeClassifier(**choices).fit(*mixed)


def test_weights_that_are_refused():
    with pytest.raises(DataError, match="weight"):
        OptimalTreeClassifier().fit([[0], [1]], [0, 1], [1.0, np.nan])


@pytest.mark.parametrize(
    "choices",
    [{"max_depth": 0}, {"max_leaf_nodes": 1}, {"min_samples_leaf": 60}, {"leaf_penalty": 1}],
)
def test_limits_without_a_split_give_a_leaf(choices, mixed):
    found = OptimalTreeClassifier(**choices).fit(*mixed)
    assert (found.get_n_leaves(), found.proved_) == (1, True)


def test_one_class_and_constant_columns():
    assert OptimalTreeClassifier().fit([[0], [1]], ["a", "a"]).objective_ == 0.0
    found = OptimalTreeClassifier().fit([[0], [0], [0]], ["a", "a", "b"])
    assert (found.objective_, found.proved_) == (pytest.approx(1 / 3), True)


def test_before_a_fit():
    for name in ("objective_", "history_", "search_report_", "proved_", "grown_tree_"):
        with pytest.raises(NotFittedError, match=name):
            getattr(OptimalTreeClassifier(), name)
    for method in ("resume", "pareto_path"):
        with pytest.raises(NotFittedError):
            getattr(OptimalTreeClassifier(), method)()


@pytest.mark.parametrize(
    "make",
    [
        lambda tree: silva.BaggingClassifier(tree),
        lambda tree: silva.AdaBoostClassifier(tree),
    ],
)
def test_ensembles_refuse_trees_that_do_not_grow(make, mixed):
    with pytest.raises(PlanError, match="searches for its tree and has no plan of growth"):
        make(OptimalTreeClassifier()).fit(*mixed)


def test_inside_searches_and_folds(mixed):
    frame, labels = mixed
    search = GridSearchCV(OptimalTreeClassifier(), {"max_depth": [1, 2]}, cv=3).fit(frame, labels)
    assert search.best_estimator_.proved_
    assert len(cross_val_score(OptimalTreeClassifier(max_depth=1), frame, labels, cv=3)) == 3
    assert clone(search.best_estimator_).get_params() == search.best_estimator_.get_params()


def test_callbacks_of_scikit_learn(mixed):
    monitor = ScoringMonitor(scoring="accuracy")
    found = OptimalTreeClassifier(max_depth=1).set_callbacks(monitor).fit(*mixed)
    assert monitor.get_logs().data[0]["accuracy"] == found.score(*mixed)


def test_verbose_is_quiet_where_nobody_watches(mixed, capsys):
    OptimalTreeClassifier(verbose=1).fit(*mixed)
    assert capsys.readouterr().out == ""
