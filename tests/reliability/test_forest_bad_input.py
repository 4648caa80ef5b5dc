"""Forests and boosted trees meet what users give them: odd tables, targets and weights."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from silva import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    DataError,
    DataTypeError,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    ForestClassifier,
    ForestRegressor,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
LABELS = np.where(X[:, 0] > 0, "a", "b")
NUMBERS = X[:, 0] + 0.1 * RNG.normal(size=60)
FRAME = pd.DataFrame(
    {
        "size": X[:, 0],
        "kind": pd.Categorical(RNG.choice(list("xyz"), 60)),
        "new": X[:, 1] > 0,
        "rooms": RNG.integers(0, 9, 60),
    }
)
CLASSIFIERS = [ForestClassifier, ExtraTreesClassifier, BaggingClassifier, AdaBoostClassifier]
REGRESSORS = [ForestRegressor, ExtraTreesRegressor, BaggingRegressor]


def made(kind, **choices):
    return kind(n_estimators=5, random_state=0, **choices)


@pytest.mark.parametrize("kind", [*CLASSIFIERS, *REGRESSORS])
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"y": None}, "no target was given"),
        ({"y": np.ones(59)}, "60 rows and 59 values"),
        ({"y": np.where(np.arange(60) == 3, np.nan, 1.0)}, "target contains NaN .* row 3"),
        ({"y": np.column_stack([NUMBERS, NUMBERS])}, r"y has shape \(60, 2\)"),
        ({"sample_weight": np.full(60, -1.0)}, "weight of row 0 is negative"),
        ({"sample_weight": np.zeros(60)}, "all weights are zero"),
        ({"sample_weight": np.full(60, np.nan)}, "weight of row 0 is missing"),
        ({"sample_weight": np.ones(59)}, "60 rows and 59 weights"),
        ({"sample_weight": "heavy"}, "'heavy' is not a number"),
        ({"X": X[:0], "y": np.ones(0)}, "0 sample"),
        ({"X": X[:, :0]}, "0 feature"),
        ({"X": X[:, 0]}, "1 dimension"),
        ({"X": pd.Series(X[:, 0])}, r"got a Series.*to_frame\(\)"),
        ({"X": FRAME.iloc[0]}, r"got a Series.*iloc\[\[0\]\]"),
        ({"X": pl.Series(X[:, 0])}, "got a Series"),
        ({"X": pa.array(X[:, 0])}, "got a DoubleArray"),
    ],
)
def test_rows_that_no_model_grows_from(kind, changes, words):
    y = LABELS if kind in CLASSIFIERS else NUMBERS
    with pytest.raises(DataError, match=words):
        made(kind).fit(**({"X": X, "y": y} | changes))


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize(
    "labels",
    [
        NUMBERS > 0,
        pd.Series(LABELS, dtype="category"),
        pl.Series(LABELS),
        np.where(X[:, 0] > 0, 1, 2).astype(object),
        LABELS.tolist(),
    ],
)
def test_labels_of_any_kind(kind, labels):
    model = made(kind).fit(X, labels)
    told = model.predict(X)
    assert told.tolist() == [model.classes_.tolist()[i] for i in model.predict_proba(X).argmax(1)]
    assert np.mean([a == b for a, b in zip(told.tolist(), list(labels), strict=True)]) > 0.9


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_labels_that_are_no_classes(kind):
    with pytest.raises(DataError, match="Unknown label type: continuous"):
        made(kind).fit(X, NUMBERS)
    with pytest.raises(DataError, match="mixes text and numbers"):
        made(kind).fit(X, np.array([1, "a"] * 30, dtype=object))


@pytest.mark.parametrize("kind", REGRESSORS)
def test_targets_that_are_no_numbers(kind):
    with pytest.raises(DataError, match="holds text such as"):
        made(kind).fit(X, LABELS)
    with pytest.raises(DataError, match="contains infinity in row 0"):
        made(kind).fit(X, np.full(60, np.inf))


@pytest.mark.parametrize("kind", [*CLASSIFIERS, *REGRESSORS])
def test_rows_at_predict(kind):
    model = made(kind).fit(FRAME, LABELS if kind in CLASSIFIERS else NUMBERS)
    told = model.predict(FRAME).tolist()
    levels = pd.Categorical(FRAME["kind"].astype(str), categories=list("wzyx"))
    same = (
        FRAME[list(FRAME)[::-1]],
        FRAME.assign(kind=levels),
        FRAME.assign(new=FRAME["new"].astype(int)),
        pl.from_pandas(FRAME),
        pl.from_pandas(FRAME).lazy(),
        FRAME.to_numpy(),
    )
    for rows in same:
        assert model.predict(rows).tolist() == told
    unseen = model.predict(FRAME.assign(kind="new")).tolist()
    missing = model.predict(FRAME.assign(kind=None)).tolist()
    assert unseen == model.predict(FRAME.assign(kind=pd.Categorical(["new"] * 60))).tolist()
    assert len(unseen) == len(missing) == 60
    assert model.predict(FRAME[:0]).shape == (0,)


@pytest.mark.parametrize("kind", [*CLASSIFIERS, *REGRESSORS])
@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (FRAME.drop(columns="rooms"), "lacks the column 'rooms'"),
        (FRAME.rename(columns={"size": "Size"}), "'Size' meant to be 'size'"),
        (FRAME.assign(size="big"), "'size' held numbers in training but holds text now"),
        (FRAME.assign(kind=1.5), "'kind' held text in training .* but holds numbers now"),
        (FRAME.assign(new="yes"), "'new' held numbers in training but holds text"),
        (FRAME.iloc[0].drop("rooms"), "got a Series"),
        (X[:, :3], "3 features, but .* expecting 4"),
        (X[0], "1 dimension"),
        ({"size": [1.0]}, "cannot read dict as a table"),
    ],
)
def test_rows_that_cannot_be_answered(kind, rows, words):
    model = made(kind).fit(FRAME, LABELS if kind in CLASSIFIERS else NUMBERS)
    with pytest.raises((DataError, DataTypeError), match=words):
        model.predict(rows)


def test_an_unused_column_is_told():
    model = made(ForestClassifier).fit(FRAME, LABELS)
    with pytest.warns(match="the column 'more' was not there in training and will not be used"):
        model.predict(FRAME.assign(more=1))
