"""A target of one column in two dimensions: one warning and one model for every container."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

import silva
from silva.errors import DataError

TABLE = np.arange(12.0).reshape(6, 2)
TARGET = [0, 0, 1, 1, 0, 1]
COLUMNS = {
    "array": np.array(TARGET)[:, None],
    "list of rows": [[one] for one in TARGET],
    "tuples": tuple((one,) for one in TARGET),
    "arrays": [np.array([one]) for one in TARGET],
    "pandas": pd.DataFrame({"y": TARGET}),
    "nullable": pd.DataFrame({"y": pd.array(TARGET, dtype="Int64")}),
    "polars": pl.DataFrame({"y": TARGET}),
    "pyarrow": pl.DataFrame({"y": TARGET}).to_arrow(),
    "sparse": sparse.csr_array(np.array(TARGET)[:, None]),
}
ESTIMATORS = [
    silva.TreeClassifier,
    silva.TreeRegressor,
    silva.ForestClassifier,
    silva.BaggingRegressor,
    silva.AdaBoostClassifier,
]


@pytest.mark.parametrize("container", COLUMNS)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_one_column_is_taken_with_a_warning(container, estimator):
    expected = estimator(random_state=0).fit(TABLE, TARGET).predict(TABLE)
    with pytest.warns(DataConversionWarning, match="column-vector y") as caught:
        model = estimator(random_state=0).fit(TABLE, COLUMNS[container])
    assert [one.filename for one in caught] == [__file__]
    np.testing.assert_array_equal(model.predict(TABLE), expected)


@pytest.mark.parametrize("container", ["array", "list of rows", "pandas", "polars"])
def test_two_columns_are_refused(container):
    column = COLUMNS[container]
    two = [[one, one] for one in TARGET]
    two = pd.DataFrame(two) if container == "pandas" else two
    two = pl.DataFrame(two, orient="row") if container == "polars" else two
    two = np.array(two) if isinstance(column, np.ndarray) else two
    with pytest.raises(DataError, match=r"y has shape \(6, 2\)"):
        silva.TreeClassifier().fit(TABLE, two)


def test_flat_targets_raise_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for flat in (TARGET, tuple(TARGET), np.array(TARGET), pd.Series(TARGET), pl.Series(TARGET)):
            silva.TreeClassifier().fit(TABLE, flat)


def test_text_and_numbers_are_not_mixed():
    for mixed in (["foo", "foo", 1, 1, 1, 1], np.array(["foo", 1, 1, 1, 1, 1], object)):
        with pytest.raises(DataError, match="mixes text and numbers"):
            silva.TreeClassifier().fit(TABLE, mixed)
