"""Categorical columns that are hardly columns, in every container that can hold them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import silva
from silva.data.bind import bind_training
from silva.errors import DataError, DataWarning

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

Container = Callable[[list[Any]], Any]
OBJECTS: dict[str, Container] = {
    "pandas objects": lambda values: pd.DataFrame({"c": pd.Series(values, dtype=object)}),
    "polars objects": lambda values: pl.DataFrame({"c": pl.Series(values, dtype=pl.Object)}),
    "array of objects": lambda values: np.array([*values, None], dtype=object)[:-1, None],
    "list of rows": lambda values: [[value] for value in values],
}
TEXTS: dict[str, Container] = {
    **OBJECTS,
    "pandas": lambda values: pd.DataFrame({"c": values}),
    "pandas categories": lambda values: pd.DataFrame({"c": pd.Categorical(values)}),
    "pandas arrow": lambda values: pd.DataFrame({"c": pd.Series(values, dtype="string[pyarrow]")}),
    "polars": lambda values: pl.DataFrame({"c": values}),
    "polars lazy": lambda values: pl.LazyFrame({"c": values}),
    "polars categories": lambda values: pl.DataFrame(
        {"c": pl.Series(values, dtype=pl.Categorical)}
    ),
    "arrow": lambda values: pa.table({"c": values}),
    "arrow dictionary": lambda values: pa.table({"c": pa.array(values).dictionary_encode()}),
    "array of text": lambda values: np.array(values)[:, None],
}
every_text = pytest.mark.parametrize("container", TEXTS.values(), ids=TEXTS)
every_object = pytest.mark.parametrize("container", OBJECTS.values(), ids=OBJECTS)


@every_text
def test_levels_that_all_differ(container: Container) -> None:
    texts = [f"person {i}" for i in range(40)]
    with pytest.warns(
        DataWarning, match="identifiers: '(c|x0)' .40 different values in 40 rows"
    ) as found:
        model = silva.TreeClassifier().fit(container(texts), [0, 1] * 20)
    assert len(found) == 1
    assert found[0].filename == __file__
    assert model.get_n_leaves() == 1


@every_text
def test_text_as_dates_and_spellings(container: Container) -> None:
    days = [f"2024-01-{1 + i % 20:02}" for i in range(40)]
    with pytest.warns(DataWarning, match="dates stored as text: '(c|x0)' .20 different") as found:
        silva.TreeRegressor().fit(container(days), np.arange(40) % 7)
    assert len(found) == 1
    towns = ["Paris", "paris ", "Ulm", "ULM"] * 10
    with pytest.warns(DataWarning, match="or case: '(c|x0)' .*'Paris', 'paris '") as found:
        silva.TreeRegressor().fit(container(towns), np.arange(40) % 7)
    assert len(found) == 1


@every_text
def test_a_single_level(container: Container) -> None:
    model = silva.TreeClassifier().fit(container(["only"] * 30), [0, 1, 1] * 10)
    assert model.grown_tree_.schema.columns[0].levels == ("only",)
    assert model.get_n_leaves() == 1
    assert model.predict(container(["only", "other"])).tolist() == [1, 1]


@every_text
def test_a_hundred_thousand_levels(container: Container) -> None:
    texts = [f"v{i}" for i in range(100_000)]
    with pytest.warns(DataWarning, match="100,000 different values in 100,000 rows"):
        model = silva.TreeClassifier(max_depth=1, category_gain="plain").fit(
            container(texts), np.arange(100_000) % 2
        )
    assert model.grown_tree_.schema.columns[0].n_levels == 100_000
    assert model.predict(container(texts[:4])).tolist() == [0, 1, 0, 1]
    assert len(silva.to_text(model)) < 1000


@every_object
@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1, "a", 2, "b"], r"mixes text and numbers \(first text: 'a' in row 1\).*'a' and 1"),
        ([None, "a", 2.5], r"mixes text and numbers \(first text: 'a' in row 1\).*'a' and 2.5"),
        (["a", True, "b"], r"mixes text and booleans \(first text: 'a' in row 0\).*'a' and True"),
        (["1", 1, "2", 2], "mixes text and numbers"),
    ],
)
def test_text_and_other_values_are_refused(container: Container, values: Any, words: str) -> None:
    for categorical_features in ("from_dtype", [0], None):
        with pytest.raises(DataError, match=rf"column '(c|x0)' {words}.*astype\(str\)"):
            bind_training(container(values), categorical_features)


@every_object
@pytest.mark.parametrize(
    ("values", "kind", "levels"),
    [
        ([None, "a", None, "b"], "categorical", ("a", "b")),
        ([float("nan"), "a", "b"], "categorical", ("a", "b")),
        ([b"a", "b", "a"], "categorical", ("a", "b")),
        ([1, 2.5, None], "continuous", None),
        ([True, 2, 0], "continuous", None),
        ([True, None, False], "binary", (False, True)),
        ([None, None], "categorical", ()),
    ],
)
def test_mixtures_with_a_common_reading(
    container: Container, values: Any, kind: str, levels: Any
) -> None:
    column = bind_training(container(values)).schema.columns[0]
    assert (column.kind, column.levels) == (kind, levels)


@every_object
def test_numbers_and_booleans_as_categories_are_numbers(container: Container) -> None:
    assert bind_training(container([1, 2.5, 2]), [0]).schema.columns[0].levels == (1.0, 2.0, 2.5)
    assert bind_training(container([True, 2, 0]), [0]).schema.columns[0].levels == (0, 1, 2)


def test_declared_categories_may_mix() -> None:
    mixed = pd.DataFrame({"c": pd.Categorical([1, "1", 2, "2"] * 5)})
    model = silva.TreeClassifier().fit(mixed, ["n", "t", "n", "t"] * 5)
    assert model.grown_tree_.schema.columns[0].levels == (1, 2, "1", "2")
    assert model.predict(mixed[:4]).tolist() == ["n", "t", "n", "t"]
