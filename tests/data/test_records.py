"""Rows that name their own columns, wherever a fitted model takes rows."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import silva
from silva.inspect import flips

RNG = np.random.default_rng(0)
N = 80
TABLE = pd.DataFrame(
    {
        "age": RNG.integers(20, 60, N),
        "town": RNG.choice(["a", "b", "c"], N),
        "ok": RNG.random(N) > 0.5,
        "when": pd.Timestamp("2020-01-01") + pd.to_timedelta(RNG.integers(0, 900, N), unit="D"),
        "size": np.where(RNG.random(N) < 0.2, np.nan, RNG.normal(size=N)),
    }
)
LABELS = np.where((TABLE["age"] > 40) ^ (TABLE["town"] == "a"), "p", "q")
NUMBERS = TABLE["age"] * 2.0 + (TABLE["town"] == "b")
MODELS = {
    "tree": silva.TreeClassifier(max_depth=4).fit(TABLE, LABELS),
    "numbers": silva.TreeRegressor(max_depth=4).fit(TABLE, NUMBERS),
    "stump": silva.StumpClassifier().fit(TABLE, LABELS),
    "optimal": silva.OptimalTreeClassifier(max_depth=1).fit(TABLE, LABELS),
    "forest": silva.ForestClassifier(5, random_state=0).fit(TABLE, LABELS),
    "extra": silva.ExtraTreesRegressor(5, random_state=0).fit(TABLE, NUMBERS),
    "bagging": silva.BaggingClassifier(n_estimators=3, random_state=0).fit(TABLE, LABELS),
    "boosted": silva.AdaBoostClassifier(n_estimators=3).fit(TABLE, LABELS),
}
MISSING = int(np.flatnonzero(TABLE["size"].isna())[0])


def rows_of(place):
    """The row as users have it at hand, each naming its columns."""
    row = TABLE.iloc[place]
    return {
        "series": row,
        "dict": row.to_dict(),
        "other order": dict(reversed(row.to_dict().items())),
        "list of dicts": [row.to_dict()],
        "list of series": [row],
        "polars row": pl.from_pandas(TABLE).row(place, named=True),
        "polars slice": pl.from_pandas(TABLE)[place],
        "named tuple": next(TABLE.iloc[[place]].itertuples(index=False)),
    }


def ends_of(model, rows):
    """Where the rows end, of models that say so."""
    return model.apply(rows) if hasattr(model, "apply") else None


@pytest.mark.parametrize("form", rows_of(0))
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("place", [0, MISSING])
def test_a_row_by_itself_is_what_it_is_in_its_table(model, form, place):
    row, table = rows_of(place)[form], TABLE.iloc[[place]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.predict(row).tolist() == model.predict(table).tolist()
        assert str(ends_of(model, row)) == str(ends_of(model, table))
        told = silva.explain(model, row)
        assert (len(told), str(told)) == (1, str(silva.explain(model, table)))
        if hasattr(model, "grown_tree_"):
            assert (model.decision_path(row) != model.decision_path(table)).nnz == 0
            assert str(flips(model, row)) == str(flips(model, table))


def test_many_dicts_are_a_table_and_what_they_lack_is_missing():
    model = MODELS["tree"]
    assert model.predict(TABLE.to_dict("records")).tolist() == model.predict(TABLE).tolist()
    known, lacking = TABLE.iloc[0].to_dict(), TABLE.iloc[0].to_dict()
    del lacking["size"]
    table = TABLE.iloc[[0, 0]].assign(size=[known["size"], None])
    assert np.array_equal(model.predict_proba([known, lacking]), model.predict_proba(table))


@pytest.mark.parametrize(
    "row", [TABLE.iloc[0].tolist(), TABLE.iloc[0].to_numpy(), pl.from_pandas(TABLE).row(0)]
)
def test_one_row_of_values_is_explained_but_not_predicted(row):
    model = MODELS["tree"]
    wanted = silva.explain(model, TABLE.iloc[[0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert str(silva.explain(model, row)) == str(wanted)
        assert str(flips(model, row)) == str(flips(model, TABLE.iloc[[0]]))
        with pytest.raises(ValueError, match="1 dimension"):
            model.predict(row)


def test_rows_of_pipelines_go_through_their_steps():
    numbers = TABLE[["age", "size"]].fillna(0.0)
    model = make_pipeline(StandardScaler(), silva.TreeClassifier(max_depth=3)).fit(numbers, LABELS)
    wanted = str(silva.explain(model, numbers.iloc[[0]]))
    row = numbers.iloc[0]
    for form in (row, row.to_dict(), [row.to_dict()]):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert str(silva.explain(model, form)) == wanted
            assert flips(model, form).prediction == silva.explain(model, form)[0].prediction


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (TABLE["age"], "got a Series"),
        ({"age": [1, 2]}, r"pandas\.DataFrame\(data\)"),
        ({"agee": 1, "town": "a"}, "lacks the column"),
        ({**TABLE.iloc[0].to_dict(), "age": "old"}, "column 'age' held numbers"),
        ([TABLE.iloc[0].to_dict(), 3], "as a table"),
        (TABLE["age"].to_numpy(float), "1 dimension"),
        (TABLE[["age"]].to_numpy(float), "X has 1 features"),
    ],
)
def test_an_error_comes_without_a_warning_before_it(rows, told):
    for ask in (MODELS["tree"].predict, MODELS["forest"].predict, MODELS["boosted"].predict):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            with pytest.raises((silva.DataError, TypeError), match=told):
                ask(rows)
            assert not seen


def test_held_out_rows_with_an_error_give_no_warning_before_it():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        numbers = TABLE[["age"]]
        with pytest.raises(silva.DataError, match="5 labels"):
            silva.TreeClassifier().fit(
                numbers, LABELS, X_val=numbers.to_numpy(float), y_val=LABELS[:5]
            )
    assert not seen


def test_a_series_is_a_row_only_by_the_names_of_the_columns():
    model = silva.TreeClassifier().fit(TABLE[["age", "size"]].to_numpy(), LABELS)
    row = TABLE[["age", "size"]].iloc[0]
    with pytest.raises(silva.DataError, match="got a Series"):
        model.predict(row)
    assert len(silva.explain(model, row)) == 1
    with pytest.raises(silva.DataError, match="got a Series"):
        silva.explain(model, TABLE["age"])


def test_a_matrix_by_keys_stays_a_matrix():
    X = np.eye(6)
    model = silva.TreeClassifier().fit(X, [0, 1, 0, 1, 0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.predict(sp.dok_matrix(X)).tolist() == model.predict(X).tolist()
