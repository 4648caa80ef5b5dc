"""Bad tables, targets, weights and choices through the public estimators.

Every error names the column or the parameter, says what was seen and what to do, and leaves the
estimator as it was: unfitted, or with the model it had.
"""

import datetime
import warnings
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

import silva
from silva import (
    DataError,
    DataTypeError,
    DataWarning,
    PlanError,
    StumpClassifier,
    StumpRegressor,
    TreeClassifier,
    TreeRegressor,
)
from silva.tree.tree import same

CLASSIFIERS = [TreeClassifier, StumpClassifier]
REGRESSORS = [TreeRegressor, StumpRegressor]
ESTIMATORS = CLASSIFIERS + REGRESSORS

TABLE = np.arange(12.0).reshape(6, 2)
TARGET = np.array([0, 1, 0, 1, 1, 0])
FRAME = pd.DataFrame(
    {
        "age": [20.0, 31.0, np.nan, 40.0, 55.0, 61.0],
        "town": ["Ulm", "Bonn", "Ulm", None, "Kiel", "Bonn"],
        "paid": [True, False, True, True, False, False],
        "size": pd.Categorical(list("SMLSML"), list("SML"), ordered=True),
    }
)
DAY = datetime.date(2026, 1, 1)
ZONED = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)


@contextmanager
def refused(*words, kind=DataError):
    """The work inside must raise an error of this kind that holds all these words."""
    with pytest.raises(kind) as caught:
        yield
    message = str(caught.value)
    assert [word for word in words if word not in message] == [], message


def assert_unfitted(model):
    assert sorted(vars(model)) == sorted(vars(type(model)()))


def huge(rows):
    return np.broadcast_to(np.zeros((1, 2)), (rows, 2))


TABLES = {
    "no rows": (np.empty((0, 2)), ["0 sample(s)", "filter or the file"]),
    "no rows in a frame": (FRAME[:0], ["0 sample(s) (shape=(0, 4))"]),
    "no columns": (np.empty((6, 0)), ["0 feature(s)", "at least one column"]),
    "an empty list": ([], ["an empty list", "rows and columns"]),
    "one dimension": (TABLE[:, 0], ["1 dimension", "reshape(-1, 1)"]),
    "three dimensions": (TABLE.reshape(3, 2, 2), ["3 dimensions", "two dimensions"]),
    "ragged": ([[1, 2], [3]], ["row 1 has 1 values", "have 2"]),
    "no table": (None, ["cannot read NoneType as a table", "NumPy array"]),
    "complex numbers": (TABLE + 1j, ["'x0'", "complex numbers", "apart"]),
    "months as durations": (TABLE.astype("m8[M]"), ["'x0'", "no fixed length", "astype('int64')"]),
    "periods in pandas": (
        FRAME.assign(day=pd.period_range("2026", periods=6, freq="D")),
        ["'day'", "periods", "to_timestamp()"],
    ),
    "dates among text": ([[DAY], ["today"]] * 3, ["'x0'", "row 0", "'today' in row 1", "Convert"]),
    "time zones in some rows": (
        [[ZONED], [ZONED.replace(tzinfo=None)]] * 3,
        ["'x0'", "row 0", "row 1", "time zone", "Give all"],
    ),
    "nanoseconds of centuries": (
        pl.DataFrame({"at": [DAY] * 5 + [datetime.date(1901, 1, 1)]}).select(
            pl.col("at").cast(pl.Datetime("ns")) + pl.duration(nanoseconds=1)
        ),
        ["'at'", "1901-01-01", "nanoseconds", "2**53", "Round it to microseconds"],
    ),
    "equal names": (
        pd.concat([FRAME, FRAME[["town"]]], axis=1),
        ["'town'", "more than once", "Rename or drop"],
    ),
    "text among numbers": ([[1.0], ["two"]], ["'x0'", "'two' in row 1", "Convert"]),
    "cells that are lists": ([[[1]], [[2]]], ["'x0'", "row 0", "list", "drop it"]),
    "integers beyond 2**53": ([[2**53 + 1], [1]], ["'x0'", "row 0", "2**53", "Subtract"]),
    "2**31 rows": (huge(2**31), ["2,147,483,648 rows", "2,147,483,647", "sample"]),
    "2**40 rows": (huge(2**40), ["1,099,511,627,776 rows", "sample"]),
}


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("name", TABLES)
def test_tables(name, estimator):
    data, words = TABLES[name]
    model = estimator()
    with refused(*words):
        model.fit(data, TARGET)
    assert_unfitted(model)


TARGETS = {
    "none": (None, ["no target", "one label or number per row"]),
    "too short": (TARGET[:5], ["6 rows and 5 values", "per row"]),
    "too long": (np.tile(TARGET, 2), ["6 rows and 12 values", "per row"]),
    "two columns": (np.c_[TARGET, TARGET], ["(6, 2)", "one target", "sklearn.multioutput"]),
    "one word": ("yesnoy", ["'yesnoy'", "the target", "one-dimensional"]),
    "one number": (3, ["3 of type int", "the target", "one-dimensional"]),
    "NaN": ([0, 1, np.nan, 0, 1, np.nan], ["NaN", "row 2", "2 such rows", "Drop"]),
    "infinity": ([0, 1, 0, np.inf, 1, 0], ["infinity", "row 3", "1 such row in all", "Drop"]),
    "minus infinity": ([0, 1, 0, 1, -np.inf, 0], ["infinity", "row 4", "Drop"]),
    "a missing boolean": ([True, False, None, True, True, False], ["missing in row 2", "Drop"]),
    "complex numbers": (TARGET + 1j, ["'target'", "complex numbers", "apart"]),
    "dates": ([DAY] * 6, ["'target'", "dates", "Convert"]),
    "text and numbers": (["a", 1, "a", 1, "a", 1], ["'target'", "text and numbers", "Convert"]),
}


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("name", TARGETS)
def test_targets(name, estimator):
    target, words = TARGETS[name]
    model = estimator()
    with refused(*words):
        model.fit(TABLE, target)
    assert_unfitted(model)


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_targets_that_are_no_classes(estimator):
    with refused("continuous", "0.5 in row 0", "Use a regression tree"):
        estimator().fit(TABLE, [0.5, 1.0, 2.0, 1.5, 0.0, 1.0])
    with refused("'b\\x00'", "NUL", "remove"):
        estimator().fit(TABLE, ["a", "b\0", "a", "a", "b\0", "a"])


@pytest.mark.parametrize("estimator", REGRESSORS)
def test_targets_that_are_no_numbers(estimator):
    with refused("text such as '1'", "must be numbers", "classification", "astype(float)"):
        estimator().fit(TABLE, ["1", "2", "3", "4", "5", "6"])
    poisson = estimator(criterion="poisson")
    with refused("criterion='poisson'", "saw -1.0", "'squared_error'"):
        poisson.fit(TABLE, TARGET - 1.0)
    with refused("criterion='poisson'", "all are 0", "'squared_error'"):
        poisson.fit(TABLE, TARGET * 0.0)
    assert_unfitted(poisson)


@pytest.mark.parametrize("estimator", REGRESSORS)
def test_poisson_looks_at_rows_with_a_weight_only(estimator):
    """Rows of weight 0 are absent, whatever they hold."""
    counts, weights = [1.0, 2.0, 0.0, 5.0, 3.0, -7.0], [1, 1, 1, 1, 1, 0]
    poisson = estimator(criterion="poisson")
    without = estimator(criterion="poisson").fit(TABLE[:5], counts[:5])
    assert same(poisson.fit(TABLE, counts, weights).grown_tree_, without.grown_tree_)
    with refused("all are 0"):
        poisson.fit(TABLE, [0.0] * 5 + [3.0], weights)


WEIGHTS = {
    "all zero": (np.zeros(6), ["all weights are zero", "positive weight"]),
    "negative": ([1, 1, -0.5, 1, 1, 1], ["row 2", "negative (-0.5)", "zero or more", "weight 0"]),
    "NaN": ([1, 1, 1, np.nan, 1, 1], ["row 3", "missing", "finite"]),
    "infinite": ([np.inf, 1, 1, 1, 1, 1], ["row 0", "infinite", "finite"]),
    "None among them": ([1, None, 1, 1, 1, 1], ["row 1", "missing"]),
    "text": (list("abcdef"), ["weights", "'a'", "numbers"]),
    "too short": ([1, 1], ["6 rows and 2 weights", "one weight per row"]),
    "two dimensions": (np.ones((6, 2)), ["(6, 2)", "weights", "ravel()"]),
    "too large together": (np.full(6, 1.7e308), ["weights add up", "divide all of them"]),
}


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("name", WEIGHTS)
def test_weights(name, estimator):
    weights, words = WEIGHTS[name]
    model = estimator()
    with refused(*words):
        model.fit(TABLE, TARGET, sample_weight=weights)
    assert_unfitted(model)


CHOICES = {
    "criterion": ("ginny", "use "),
    "splitter": ("worst", "'best' or 'random'"),
    "max_features": ("auto", "'sqrt' or 'log2'"),
    "min_samples_split": (1, "at least 2"),
    "min_samples_leaf": (0.7, "more than half of the rows"),
    "min_weight_fraction_leaf": (0.6, "more than half of the weight"),
    "min_impurity_decrease": (-1.0, "at least 0"),
    "min_gain": (np.nan, "at least 0"),
    "ccp_alpha": (np.inf, "finite number"),
    "prune": ("pesimistic", "Did you mean 'pessimistic'"),
    "validation_fraction": (1.5, "above 0 and below 1"),
    "splits": ("subst", "Did you mean 'subset'"),
    "missing": ("ignore", "'own_branch'"),
    "unseen": (["stop"], "a mapping from columns"),
    "thresholds": ("few", "'all' or 'breakpoints'"),
    "category_gain": ("honest", "'fair' or 'plain'"),
    "leaf": ("lineer", "Did you mean 'linear'"),
    "random_state": ("today", "RandomState"),
    "n_jobs": (0, "-1 for all CPUs"),
}


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("name", CHOICES)
def test_choices(name, estimator):
    value, words = CHOICES[name]
    model = estimator(**{name: value})
    with refused(f"{name}={value!r}", words, kind=PlanError):
        model.fit(TABLE, TARGET)
    assert sorted(vars(model)) == sorted(vars(estimator()))


@pytest.mark.parametrize("estimator", [TreeClassifier, TreeRegressor])
@pytest.mark.parametrize("name", ["max_depth", "max_leaf_nodes"])
@pytest.mark.parametrize("value", [0, -3, 1.5, "3", True])
def test_limits(name, value, estimator):
    model = estimator(**{name: value})
    with refused(f"{name}={value!r}", "None for no limit", kind=PlanError):
        model.fit(TABLE, TARGET)


@pytest.mark.parametrize("name", ["absolute_error", "friedman_mse"])
def test_criteria_of_scikit_learn_that_are_not_here_say_so(name):
    own = "'squared_error' or 'poisson'"
    with refused(f"criterion={name!r}", own, f"scikit-learn's {name!r}", kind=PlanError):
        TreeRegressor(criterion=name).fit(TABLE, TARGET)


CLASS_WEIGHTS = {
    "a wrong word": ("balance", ["class_weight='balance'", "'balanced'"]),
    "a list": ([1, 2], ["class_weight=[1, 2]", "dictionary"]),
    "negative": ({0: -1.0}, ["class 0", "-1.0", "zero or more"]),
    "NaN": ({1: np.nan}, ["class 1", "nan", "finite"]),
    "text": ({1: "much"}, ["'much'", "not a number"]),
    "other labels": ({"no": 1, "yes": 2}, ["[0, 1]", "['no', 'yes']", "as they are"]),
    "all zero": ({0: 0, 1: 0}, ["all weights are zero"]),
}


@pytest.mark.parametrize("name", CLASS_WEIGHTS)
def test_class_weights(name):
    choice, words = CLASS_WEIGHTS[name]
    model = TreeClassifier(class_weight=choice)
    with refused(*words):
        model.fit(TABLE, TARGET)
    assert_unfitted(model)


def test_class_weights_of_thousands_of_classes_name_a_few():
    with refused("and 4990 more"):
        TreeClassifier(class_weight={"a": 1}).fit(np.zeros((5_000, 1)), np.arange(5_000))


CATEGORICAL = {
    "a column that is not there": (["twon"], ["'twon'", "did you mean 'town'"]),
    "an index beyond": ([4], ["index 4", "0 to 3"]),
    "a short mask": ([True, False], ["2 booleans", "4 columns"]),
    "a name alone": ("town", ["'town'", "['town']"]),
    "a number alone": (1, ["=1", "[1]"]),
    "half a column": ([0.5], ["0.5", "names or indices"]),
    "levels of no column": ({"twon": ["Ulm"]}, ["'twon'", "did you mean 'town'"]),
    "levels that are no list": ({"town": "Ulm"}, ["['town']='Ulm'", "list of category values"]),
    "levels listed twice": ({"town": ["Ulm", "Ulm"]}, ["['town']", "'Ulm' more than once"]),
    "levels that lack a value": (
        {"town": ["Ulm", "Bohn", "Kiel"]},
        ["'town' holds 'Bonn' in row 1", "'Ulm', 'Bohn', 'Kiel'", "did you mean 'Bohn'", "Add"],
    ),
}


@pytest.mark.parametrize("name", CATEGORICAL)
def test_categorical_features(name):
    choice, words = CATEGORICAL[name]
    with refused("categorical_features", *words):
        TreeClassifier(categorical_features=choice).fit(FRAME, TARGET)


COLUMN_CHOICES = {
    "a form of no column": ({"splits": {"twon": "subset"}}, ["splits", "did you mean 'town'"]),
    "a form beyond": ({"splits": {9: "subset"}}, ["index 9", "0 to 3"]),
    "categories of numbers": (
        {"splits": {"age": "multiway"}},
        ["'multiway' of column 'age'", "thresholds", "categorical_features=['age']"],
    ),
    "thresholds of categories": ({"splits": {"town": "threshold"}}, ["'town'", "ordered category"]),
    "sums of no column": ({"splits": silva.ObliqueSplits(["Age"])}, ["'Age'", "'age'"]),
    "distances of categories": (
        {"splits": silva.DistanceSplits(columns=["age", "town"])},
        ["DistanceSplits names the column 'town'", "no distance", "Leave it out"],
    ),
    "a policy of no column": ({"missing": {"sise": "stop"}}, ["missing", "did you mean 'size'"]),
    "unseen values of no column": ({"unseen": {"pay": "stop"}}, ["unseen names 'pay'"]),
}


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("name", COLUMN_CHOICES)
def test_choices_for_columns(name, estimator):
    choice, words = COLUMN_CHOICES[name]
    model = estimator(**choice)
    with refused(*words, kind=PlanError):
        model.fit(FRAME, TARGET)
    assert sorted(vars(model)) == sorted(vars(estimator()))


def test_distances_need_a_column_to_measure():
    with refused("splits='distance'", "are categorical", "'town'", kind=PlanError):
        TreeClassifier(splits="distance").fit(FRAME[["town"]], TARGET)


ARRAY = np.zeros((3, 2))


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"plan": ARRAY}, ("plan=array", "'greedy_accuracy', or a silva.Plan")),
        ({"plan": silva.ID3}, ("plan=", "Did you mean plan=silva.ID3()?")),
        ({"plan": silva.CART("regression")}, ("plan=Plan(task='regression'", "'classification'")),
        ({"plan": "C45", "max_depth": 3}, ("max_depth=3", "plan=silva.C45(max_depth=...)")),
        (
            {"plan": "C45", "missing": "stop"},
            ("missing='stop'", "C45 decides that", "dataclasses.replace(silva.C45(), missing=...)"),
        ),
        ({"plan": silva.C45(), "missing": "stop"}, ("missing='stop'", "Give missing to the plan")),
        ({"leaf": ARRAY}, ("leaf=array", "None, 'probability'")),
        ({"leaf": silva.MEstimate}, ("leaf=", "Did you mean leaf=silva.MEstimate()?")),
        ({"splits": ARRAY}, ("splits=array", "'multiway'", "a mapping from columns to forms")),
        ({"splits": silva.ObliqueSplits}, ("Did you mean splits=silva.ObliqueSplits()?",)),
        ({"splits": {"town": "subset", 1: "multiway"}}, ("splits", "'town' twice", "index (1)")),
        ({"missing": {0: "stop", "age": "learn"}}, ("missing", "'age' twice", "one choice")),
        ({"unseen": {0: "stop", "age": "stop"}}, ("unseen", "'age' twice")),
        (
            {"splits": silva.DistanceSplits(columns=["agee"])},
            ("columns of DistanceSplits", "'age'"),
        ),
    ],
)
def test_choices_that_cannot_be(choices, words):
    model = TreeClassifier(**choices)
    with refused(*words, kind=PlanError):
        model.fit(FRAME, TARGET)
    assert_unfitted(model)


@pytest.mark.parametrize("levels", [{"Ulm", "Bonn", "Kiel"}, {"Ulm": 1, "Bonn": 2}])
def test_levels_have_an_order(levels):
    """That of a set changes from run to run, and with it the codes."""
    with refused("categorical_features['town']=", "is not a list", "such as ['red', 'green']"):
        TreeClassifier(categorical_features={"town": levels}).fit(FRAME, TARGET)
    with refused("categorical_features", "'town' twice"):
        TreeClassifier(categorical_features={"town": None, 1: None}).fit(FRAME, TARGET)


def test_immense_settings():
    with refused("prototypes=", "from 1 to 10000", kind=PlanError):
        silva.DistanceSplits(prototypes=10**30)
    model = TreeClassifier(splits=silva.ObliqueSplits(max_columns=10**30, margin=0.0))
    assert model.fit(FRAME, TARGET).get_n_leaves() > 1


def test_what_a_preset_decides():
    with refused(
        "ID3 has no stopping rule 'missing'", "replace(silva.ID3(), missing=...)", kind=PlanError
    ):
        silva.ID3(missing="learn")
    plan = replace(silva.ID3(), missing="own_branch")
    assert TreeClassifier(plan=plan, min_samples_leaf=np.int64(1)).fit(FRAME, TARGET).get_depth()
    with refused("'age' is missing in row 2", "missing='error'", "replace(silva.ID3(), missing={"):
        TreeClassifier(plan="ID3").fit(FRAME, TARGET)


@pytest.mark.parametrize("missing", ["learn", "majority", "own_branch", "stop"])
def test_distances_and_sums_with_missing_values(missing):
    """They are no error: rows that lack a value follow the policy."""
    for splits in ("distance", "oblique"):
        model = TreeClassifier(splits=["subset", splits], missing=missing).fit(FRAME, TARGET)
        assert np.isfinite(model.predict_proba(FRAME)).all()


def test_a_preset_and_a_column_that_it_cannot_use():
    with refused("column 'size' is ordinal", "binary columns only", "Drop", kind=PlanError):
        TreeClassifier(plan="greedy_accuracy").fit(FRAME[["paid", "size"]], TARGET)
    with refused("column 'age' is missing in row 2", "missing='error'"):
        TreeClassifier(plan="ID3").fit(FRAME, TARGET)
    with refused("plan='C45'", "classification trees", "'CART'", kind=PlanError):
        TreeRegressor(plan="C45").fit(FRAME, TARGET)


def test_identifiers_are_warned_about_once():
    ids = pd.DataFrame({"id": [f"{i:03}" for i in range(40)], "key": [f"k{i}" for i in range(40)]})
    with pytest.warns(DataWarning, match=r"identifiers: 'id' \(40 .*'key' \(40") as found:
        model = TreeClassifier().fit(ids, [0, 1] * 20)
    assert len(found) == 1
    assert len(model.predict(ids)) == 40


def test_values_that_a_policy_forbids_at_predict():
    known = FRAME[[False] * 4 + [True] * 2]
    model = TreeClassifier(missing="error", unseen="error").fit(known, TARGET[4:])
    with refused("column 'age' is missing in row 2", "missing='error'", "Correct or drop"):
        model.predict(FRAME)
    with refused("a value that training did not see, in row 0", "unseen"):
        model.predict(FRAME[:1])


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_linear_leaves_on_constant_and_singular_columns(estimator):
    table = np.c_[TABLE, TABLE[:, 0], np.ones(6), np.full(6, np.nan)]
    model = estimator(leaf="linear", min_samples_leaf=3).fit(table, TARGET)
    assert np.isfinite(model.predict(table).astype(float)).all()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_failed_fit_keeps_the_model(estimator):
    model = estimator().fit(TABLE, TARGET)
    tree, state = model.grown_tree_, dict(vars(model))
    for data, target in ((TABLE[:0], TARGET), (TABLE, [np.nan] * 6), (TABLE + 1j, TARGET)):
        with refused():
            model.fit(data, target)
    assert vars(model) == state
    assert same(model.grown_tree_, tree)


def test_held_out_rows():
    model = TreeClassifier()
    with refused("y_val is missing"):
        model.fit(TABLE, TARGET, X_val=TABLE)
    with refused("X_val is missing"):
        model.fit(TABLE, TARGET, y_val=TARGET)
    with refused("X_val has no rows"):
        model.fit(TABLE, TARGET, X_val=TABLE[:0], y_val=TARGET[:0])
    with refused("y_val has 2 labels and X_val 6 rows"):
        model.fit(TABLE, TARGET, X_val=TABLE, y_val=TARGET[:2])
    with refused("3 columns", "trained on 2"):
        model.fit(TABLE, TARGET, X_val=np.ones((6, 3)), y_val=TARGET)
    assert_unfitted(model)


PREDICTIONS = {
    "text for numbers": ({"age": "old"}, ["'age'", "held numbers", "'old'", "astype(float)"]),
    "numbers for text": ({"town": 3}, ["'town'", "held text", "3", "astype(str)"]),
    "text for booleans": ({"paid": "yes"}, ["'paid'", "text now", "column == 'yes'"]),
    "numbers for ordered text": ({"size": 2.0}, ["'size'", "held text", "2.0"]),
    "dates": ({"age": pd.Timestamp("2026-01-01")}, ["'age'", "dates", "Convert"]),
    "complex numbers": ({"age": 1j}, ["'age'", "complex"]),
}


@pytest.mark.parametrize("name", PREDICTIONS)
@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply", "decision_path"])
def test_a_column_that_changes_its_sort(name, method):
    changed, words = PREDICTIONS[name]
    model = TreeClassifier().fit(FRAME, TARGET)
    with refused(*words):
        getattr(model, method)(FRAME.assign(**changed))


def test_other_columns_at_predict():
    model = TreeClassifier().fit(FRAME, TARGET)
    with refused("lacks the columns 'age', 'town'"):
        model.predict(FRAME[["paid", "size"]])
    with refused("'Town' meant to be 'town'"):
        model.predict(FRAME.rename(columns={"town": "Town"}))
    with refused("3 features", "4 features", "fitted on"):
        model.predict(FRAME.to_numpy()[:, :3])
    with refused("reshape(1, -1)"):
        model.predict(TABLE[0])
    with refused("cannot read NoneType", kind=DataTypeError):
        model.predict(None)
    with pytest.warns(DataWarning, match="the column 'new' was not there in training"):
        model.predict(FRAME.assign(new=1))


def test_a_warning_points_at_the_line_of_the_user():
    model = TreeClassifier().fit(FRAME, TARGET)
    more = FRAME.assign(new=1)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        model.predict(more)
        model.predict_proba(more)
        model.score(more, TARGET)
        TreeClassifier().fit(TABLE, TARGET[:, None])
        TreeClassifier().fit(FRAME, TARGET, X_val=more, y_val=TARGET)
    assert [one.filename for one in found] == [__file__] * 5


def test_an_unfitted_model(tmp_path):
    for model in (estimator() for estimator in ESTIMATORS):
        for work in (model.predict, model.apply, model.decision_path):
            with refused(f"This {type(model).__name__}", "not fitted", "call fit", kind=ValueError):
                work(TABLE)
        with refused(f"This {type(model).__name__}", "call fit first", kind=ValueError):
            silva.to_text(model)
        with refused("not fitted", kind=ValueError):
            silva.save(model, tmp_path / "model.silva")
    assert list(tmp_path.iterdir()) == []


def test_files_that_cannot_be_written_or_read(tmp_path):
    model = TreeClassifier().fit(TABLE, TARGET)
    absent = tmp_path / "no" / "folder" / "model.silva"
    for path, kind in ((absent, FileNotFoundError), (tmp_path, IsADirectoryError)):
        with pytest.raises(kind) as caught:
            silva.save(model, path)
        assert caught.value.filename == str(path)
    with refused(str(absent), kind=FileNotFoundError):
        silva.load(absent)
    other = tmp_path / "table.csv"
    other.write_text("a,b,c\n1,2,3\n" * 9)
    with refused(str(other), "not a silva model file", "'a,b,c'", kind=silva.ModelFormatError):
        silva.load(other)
    with refused(str(tmp_path), "not a regular file", kind=silva.ModelFormatError):
        silva.load(tmp_path)
    with refused("a silva estimator or a Tree", "dict", kind=TypeError):
        silva.save({}, tmp_path / "model.silva")
    assert list(tmp_path.iterdir()) == [other]


IMMENSE = [2**62, 2**63, 2**64, 10**400]


@pytest.mark.parametrize("limit", IMMENSE, ids=lambda limit: f"{len(str(limit))} digits")
@pytest.mark.parametrize(
    "name", ["max_depth", "max_leaf_nodes", "work_limit", "max_bins", "memory_limit"]
)
def test_immense_limits_of_the_exact_search(name, limit):
    rows, target = np.arange(4.0)[:, None], [0, 1, 0, 1]
    plain = silva.OptimalTreeClassifier(max_depth=2).fit(rows, target)
    found = silva.OptimalTreeClassifier(**{"max_depth": 2, name: limit}).fit(rows, target)
    assert found.predict(rows).tolist() == plain.predict(rows).tolist()


def test_immense_numbers_of_the_exact_search():
    for text in ("1e400GB", "1e999999999", "9" * 5000):
        silva.OptimalTreeClassifier(max_depth=1, memory_limit=text).fit(TABLE, TARGET)
    with refused("costs=", "numbers", kind=PlanError):
        silva.OptimalTreeClassifier(costs=[[0, 10**400], [1, 0]]).fit(TABLE, TARGET)


@pytest.mark.parametrize("threads", ["x", 0, -3, 1.5, None, [1], True])
def test_threads_of_edits(threads):
    tree = silva.TreeClassifier().fit(TABLE, TARGET)
    actions = [
        lambda **choice: silva.edit.collapse(tree, 0, TABLE, TARGET, **choice),
        lambda **choice: silva.edit.competing_splits(tree, 0, TABLE, TARGET, **choice),
        lambda **choice: silva.edit.replace(tree, 0, ("x0", 4.0), TABLE, TARGET, **choice),
    ]
    for action in actions:
        with refused("threads=", "whole number of at least 1", kind=PlanError):
            action(threads=threads)
    assert silva.edit.collapse(tree, 0, TABLE, TARGET, threads=10**30).get_n_leaves() == 1


@pytest.mark.parametrize(
    ("cv", "words"),
    [
        ([], "no folds"),
        ([([0, 1, 2], [100])], "out of bounds"),
        ([([], [])], "no rows"),
        ([([0, 1], [])], "no rows"),
        ([([0.5], [1.5])], "cv="),
        ([(1,)], "cv="),
    ],
    ids=repr,
)
def test_folds(tmp_path, cv, words):
    tree = silva.TreeClassifier().fit(TABLE, TARGET)
    with refused("cv=", words, kind=PlanError):
        silva.report(tree, TABLE, TARGET, path=tmp_path / "page.html", cv=cv)


@pytest.mark.parametrize("name", [3, None, b"y", ["y"]], ids=repr)
def test_the_name_of_the_target_in_a_checkup(name):
    with refused("target=", "as text", kind=PlanError):
        silva.inspect.checkup(TABLE, TARGET, "classification", target=name)
    with refused("task=", "'classification' or 'regression'", kind=PlanError):
        silva.inspect.checkup(TABLE, TARGET, name)


@pytest.mark.parametrize("fill", [0, 1])
@pytest.mark.parametrize("dtype", [np.int64, np.float64, bool])
def test_sparse_targets_and_weights_of_pandas(dtype, fill):
    target = TARGET.astype(dtype)
    series = pd.Series(pd.arrays.SparseArray(target, fill_value=dtype(fill)))
    for kind in (TreeClassifier, silva.ForestRegressor):
        model = kind(random_state=0)
        told = model.fit(TABLE, target).predict(TABLE)
        assert model.fit(TABLE, series).predict(TABLE).tolist() == told.tolist()
    weighted = TreeClassifier().fit(TABLE, target, sample_weight=target.astype(float))
    sparse = TreeClassifier().fit(TABLE, target, sample_weight=series.astype("Sparse[float]"))
    assert same(sparse.grown_tree_, weighted.grown_tree_)


def test_streams_that_can_be_read_once(tmp_path):
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"a": TABLE[:, 0], "b": TABLE[:, 1]})
    model = TreeClassifier(max_depth=1).fit(table.to_reader(), TARGET)
    forest = silva.ForestClassifier(2, random_state=0).fit(table, TARGET)
    for one in (model, forest, model.grown_tree_):
        whole = silva.inspect.evaluate(one, table, TARGET)
        assert str(silva.inspect.evaluate(one, table.to_reader(), TARGET)) == str(whole)
    silva.report(model, table.to_reader(), TARGET, tmp_path / "page.html")
    path = silva.size_path(TreeClassifier(), table.to_reader(), TARGET, cv=2)
    assert str(path) == str(silva.size_path(TreeClassifier(), table, TARGET, cv=2))
    report = silva.stability(TreeClassifier(max_depth=1), table.to_reader(), TARGET, samples=3)
    whole = silva.stability(TreeClassifier(max_depth=1), table, TARGET, samples=3)
    assert str(report) == str(whole)


@pytest.mark.parametrize("low", [0.0, -5e-324, 5e-324, -1e288])
@pytest.mark.parametrize("high", [5e-324, 1e-323, 1e-310, 9e288])
def test_pictures_of_targets_at_the_ends_of_float64(low, high, tmp_path):
    target = np.where(TABLE[:, 0] < 5, low, high)
    for model in (TreeRegressor(max_depth=1), silva.ForestRegressor(2, random_state=0)):
        fitted = model.fit(TABLE, target)
        tree = fitted.grown_tree_ if isinstance(model, TreeRegressor) else fitted.trees_[0]
        assert silva.to_svg(tree).startswith("<svg")
        silva.report(fitted, TABLE, target, tmp_path / "page.html", cv=None)


ODD = [None, True, 1.5, 10**400, float("nan"), "", b"a", [], {}, object(), len, np.array(1), FRAME]


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: type(odd).__name__)
def test_odd_values_are_refused_in_words(odd):
    tree = TreeClassifier().fit(TABLE, TARGET)
    forest = silva.ForestClassifier(2, random_state=0).fit(TABLE, TARGET)
    calls = {
        "y": lambda: silva.inspect.checkup(TABLE, odd, "classification"),
        "told_a": lambda: silva.inspect.paired("classification", odd, TARGET),
        "truth": lambda: silva.inspect.paired("regression", TARGET, TARGET, odd),
        "task": lambda: silva.inspect.paired(odd, TARGET, TARGET),
        "simplify": lambda: silva.rules(tree, simplify=odd),
        "ascii_only": lambda: silva.to_text(tree, ascii_only=odd),
        "numbers": lambda: silva.to_text(tree, numbers=odd),
        "digits": lambda: silva.inspect.Dialog(tree, digits=odd),
        "n_rows": lambda: silva.distil(forest, TABLE, n_rows=odd),
    }
    allowed = {type(None): ("truth", "digits"), int: ("digits",)}
    allowed[bool] = ("simplify", "ascii_only", "numbers")
    for name in calls.keys() - set(allowed.get(type(odd), ())):
        with pytest.raises(silva.SilvaError, match=name):
            calls[name]()
