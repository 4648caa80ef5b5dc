"""Names on one side only: columns are matched by position, with scikit-learn's warning."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import silva
from silva.cli.main import run

ROWS = np.random.default_rng(0).random((20, 2))
TARGET = (ROWS[:, 0] > 0.5).astype(int)
NAMES = ["age", "income"]
NAMED = {
    "pandas": lambda: pd.DataFrame(ROWS, columns=NAMES),
    "polars": lambda: pl.DataFrame(ROWS, schema=NAMES),
    "lazy": lambda: pl.DataFrame(ROWS, schema=NAMES).lazy(),
    "pyarrow": lambda: pl.DataFrame(ROWS, schema=NAMES).to_arrow(),
    "batch": lambda: pl.DataFrame(ROWS, schema=NAMES).to_arrow().to_batches()[0],
    "duckdb": lambda: pytest.importorskip("duckdb").from_arrow(NAMED["pyarrow"]()),
    "records": lambda: np.rec.fromarrays(ROWS.T, names=NAMES),
}
NAMELESS = {
    "array": lambda: ROWS,
    "integers": lambda: (ROWS * 10).astype(int),
    "fortran": lambda: np.asfortranarray(ROWS),
    "list": lambda: ROWS.tolist(),
    "sparse": lambda: sparse.csr_array(ROWS),
    "pandas": lambda: pd.DataFrame(ROWS),
}
ESTIMATORS = [
    silva.TreeClassifier(),
    silva.TreeRegressor(leaf="linear", max_depth=2),
    silva.StumpClassifier(),
    silva.ForestClassifier(3, random_state=0),
    silva.ExtraTreesRegressor(3, random_state=0),
    silva.BaggingClassifier(n_estimators=3, random_state=0),
    silva.AdaBoostClassifier(n_estimators=3),
]
METHODS = ["predict", "predict_proba", "predict_log_proba", "decision_function", "apply"]
METHODS += ["decision_path", "staged_predict"]
WITHOUT = "X does not have valid feature names, but {} was fitted with feature names"
WITH = "X has feature names, but {} was fitted without feature names"


def warned(work):
    """The warnings that a call raises, each with the file that it blames."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
    return [(str(one.message), one.category, one.filename) for one in caught]


def methods(model):
    found = [getattr(model, name) for name in METHODS if hasattr(model, name)]
    assert len(found) >= 3
    return found


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("container", NAMELESS)
def test_rows_without_names_after_a_fit_with_names(estimator, container):
    model = clone(estimator).fit(NAMED["pandas"](), TARGET)
    expected = [(WITHOUT.format(type(model).__name__), UserWarning, __file__)]
    if container == "pandas":
        with pytest.raises(silva.DataError, match="lacks the columns 'age', 'income'"):
            model.predict(NAMELESS[container]())
        return
    for method in methods(model):
        assert warned(lambda method=method: method(NAMELESS[container]())) == expected


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("container", NAMED)
def test_rows_with_names_after_a_fit_without_names(estimator, container):
    model = clone(estimator).fit(ROWS, TARGET)
    expected = [(WITH.format(type(model).__name__), UserWarning, __file__)]
    for method in methods(model):
        assert warned(lambda method=method: method(NAMED[container]())) == expected


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
def test_equal_sides_raise_no_warning(estimator, tmp_path):
    for fitted, asked in ((NAMED, NAMED), (NAMELESS, NAMELESS)):
        for make in fitted.values():
            model = clone(estimator).fit(make(), TARGET)
            silva.save(model, tmp_path / "model.silva")
            for one in (model, silva.load(tmp_path / "model.silva")):
                for other in asked.values():
                    assert warned(lambda one=one, other=other: one.predict(other())) == []


def test_the_words_are_those_of_scikit_learn():
    def words(model, fitted, asked):
        model.fit(fitted, TARGET)
        told = warned(lambda: model.predict(asked))
        return [text.replace(type(model).__name__, "it") for text, _, _ in told]

    named = NAMED["pandas"]()
    for rows in ((named, ROWS), (ROWS.tolist(), named)):
        theirs = words(DecisionTreeClassifier(), *rows)
        assert words(silva.TreeClassifier(), *rows) == theirs != []


def test_held_out_rows_are_compared_too():
    for fitted, held_out, words in (
        (NAMED["pandas"](), ROWS, "X_val does not have valid feature names"),
        (ROWS, NAMED["polars"](), "X_val has feature names"),
    ):
        for estimator in (silva.TreeClassifier(), silva.ForestClassifier(2, random_state=0)):
            with pytest.warns(UserWarning, match=words):
                estimator.fit(fitted, TARGET, X_val=held_out, y_val=TARGET)


def test_silva_itself_warns_of_nothing(tmp_path, capsys):
    table = NAMED["pandas"]()
    tree = silva.TreeClassifier(max_depth=2)
    forest = silva.ForestClassifier(20, random_state=0, oob_score=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        forest.fit(table, TARGET, X_val=table, y_val=TARGET)
        silva.size_path(tree, table, TARGET, 3)
        silva.stability(tree, table, TARGET, 3)
        silva.importance(forest, table, TARGET, "permutation")
        silva.proximity(forest, table)
        silva.distil(forest, table, 100)
        silva.TreeClassifier(prune="auto").fit(table, TARGET).score(table, TARGET)
        scaled = make_pipeline(StandardScaler(), silva.TreeClassifier()).fit(table, TARGET)
        scaled.predict(table)
    silva.save(silva.TreeClassifier().fit(ROWS, TARGET), tmp_path / "model.silva")
    table.to_csv(tmp_path / "rows.csv", index=False)
    assert run(["predict", str(tmp_path / "model.silva"), str(tmp_path / "rows.csv")]) == 0
    assert "Warning" not in capsys.readouterr().err
