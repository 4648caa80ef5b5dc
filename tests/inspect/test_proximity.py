"""Proximities and nearest rows, against plain loops over pairs and trees."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

import silva
from silva.inspect import proximity as inspector
from tests.inspect.insight_cases import draws, forests, mixed_table


def slow(model, X, other, out=None):
    """The share of trees in which two rows end alike; `out` (trees, rows) limits the trees."""
    here, there = model.apply(X), model.apply(other)
    found = np.zeros((len(here), len(there)))
    for i in range(len(here)):
        for j in range(len(there)):
            trees = range(here.shape[1])
            if out is not None:
                trees = [t for t in trees if out[t, i] and out[t, j]]
            met = sum(here[i, t] == there[j, t] for t in trees)
            found[i, j] = met / len(trees) if len(trees) else 0.0
    return found


@pytest.mark.parametrize("case", [0, 1])
@pytest.mark.parametrize("block", [1, 200, 10**7])
def test_all_rows_against_each_other_and_against_others(case, block, monkeypatch):
    monkeypatch.setattr(inspector, "BLOCK_ENTRIES", block)
    model, table, _, _ = forests(min_samples_leaf=3)[case]
    new = mixed_table(10, seed=4)[0]
    found = silva.proximity(model, table)
    assert found.toarray() == pytest.approx(slow(model, table, table))
    assert (found.diagonal() == 1.0).all()
    assert silva.proximity(model, new, table).toarray() == pytest.approx(slow(model, new, table))


@pytest.mark.parametrize("case", [0, 1])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bootstrap", [True, "subsample"])
def test_out_of_bag(case, weighted, bootstrap):
    model, table, target, weights = forests(weighted=weighted, bootstrap=bootstrap)[case]
    out = draws(model, len(target), weights) == 0
    wanted = slow(model, table, table, out)
    arguments = {"out_of_bag": True, "sample_weight": weights}
    assert silva.proximity(model, table, **arguments).toarray() == pytest.approx(wanted)
    assert silva.proximity(model, table, y=target, **arguments).toarray() == pytest.approx(wanted)


@settings(max_examples=40)
@given(
    rows=st.lists(st.sampled_from([0.0, 1.0, 2.0, np.nan]), min_size=2, max_size=10),
    seed=st.integers(0, 1000),
)
def test_tiny_forests(rows, seed):
    X = np.array(rows).reshape(-1, 1)
    model = silva.ForestRegressor(5, random_state=seed).fit(X, np.arange(len(rows)))
    assert silva.proximity(model, X).toarray() == pytest.approx(slow(model, X, X))
    out = draws(model, len(X)) == 0
    found = silva.proximity(model, X, out_of_bag=True).toarray()
    assert found == pytest.approx(slow(model, X, X, out))


@pytest.mark.parametrize("itself", [True, False])
@pytest.mark.parametrize("block", [1, 10**7])
def test_nearest_rows(itself, block, monkeypatch):
    monkeypatch.setattr(inspector, "BLOCK_ENTRIES", block)
    model, table, _, _ = forests()[1]
    rows = table if itself else mixed_table(10, seed=4)[0]
    found = silva.nearest_rows(model, rows, None if itself else table, k=7)
    shares = slow(model, rows, table)
    for i in range(len(rows)):
        others = [j for j in range(len(table)) if not (itself and i == j) and shares[i, j] > 0]
        wanted = sorted(others, key=lambda j: (-shares[i, j], j))[:7]
        assert found.rows[i].tolist() == wanted + [-1] * (7 - len(wanted))
        assert found.shares[i, : len(wanted)].tolist() == pytest.approx(shares[i, wanted].tolist())


def test_nearest_rows_out_of_bag_and_printed():
    model, table, _, _ = forests()[0]
    found = silva.nearest_rows(model, table, k=2, out_of_bag=True)
    assert (found.rows != np.arange(len(table))[:, None]).all()
    assert str(found).startswith("row 0: ")
    lonely = silva.ForestRegressor(3, bootstrap=False).fit([[0.0], [1.0]], [0.0, 1.0])
    assert str(silva.nearest_rows(lonely, [[0.0], [1.0]], k=1)) == (
        "row 0: meets no other row\nrow 1: meets no other row"
    )


def test_other_containers():
    model, table, _, _ = forests()[0]
    other = pl.from_pandas(table.assign(kind=table["kind"].astype(object)))
    assert (silva.proximity(model, other) != silva.proximity(model, table)).nnz == 0


def test_refused():
    model, table, target, _ = forests()[0]
    with pytest.raises(silva.PlanError, match="a TreeClassifier is one"):
        silva.proximity(silva.TreeClassifier().fit(table, target), table)
    with pytest.raises(NotFittedError, match="not fitted"):
        silva.nearest_rows(silva.ForestClassifier(), table)
    with pytest.raises(silva.PlanError, match=r"more than 5 pairs.*nearest_rows"):
        silva.proximity(model, table, most_pairs=5)
    with pytest.raises(silva.PlanError, match="leave X_other out"):
        silva.proximity(model, table, table, out_of_bag=True)
    with pytest.raises(silva.DataError, match="not the rows"):
        silva.proximity(model, table[::-1], out_of_bag=True)
    whole = silva.ForestClassifier(3, bootstrap=False).fit(table, target)
    with pytest.raises(silva.PlanError, match="bootstrap=False"):
        silva.proximity(whole, table, out_of_bag=True)
    with pytest.raises(silva.PlanError, match="k=60"):
        silva.nearest_rows(model, table, k=60)
    with pytest.raises(silva.PlanError, match="k=0"):
        silva.nearest_rows(model, table, k=0)
    with pytest.raises(silva.DataError, match="X_other has no rows"):
        silva.proximity(model, table, table[:0])
    with pytest.raises(silva.DataError, match="rooms"):
        silva.proximity(model, table.drop(columns="rooms"))
