"""One tree out of a forest: fresh rows, what they learn, and the fidelity that is told."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

import silva
from silva.data.bind import bind_prediction
from silva.inspect.fresh_rows import Source, is_whole_valued, mixed, regions
from silva.tree import route
from tests.inspect.insight_cases import forests, mixed_table


def source_of(case, region=5, **settings):
    model, table, _, weights = forests(**settings)[case]
    bound = bind_prediction(table, model.forest_.schema)
    return Source(model.forest_, bound, weights, region), table


@pytest.mark.parametrize("case", [0, 1])
def test_fresh_rows_keep_categories_whole_numbers_and_missing_values(case):
    source, table = source_of(case)
    fresh = source.fresh(4000, (0, 0))
    size, rooms, kind, new = fresh.columns
    real = source.table.columns
    assert {*rooms.tolist()} <= {*real[1].tolist()}
    assert {*kind.tolist()} <= {*real[2].tolist()}
    assert {*new.tolist()} <= {*real[3].tolist()}
    assert np.nanmin(size) >= np.nanmin(real[0])
    assert np.nanmax(size) <= np.nanmax(real[0])
    assert len(np.unique(size)) > len(table)
    assert np.isnan(size).mean() == pytest.approx(np.isnan(real[0]).mean(), abs=0.08)
    assert (kind == -1).mean() == pytest.approx((real[2] == -1).mean(), abs=0.08)


def test_a_row_mixes_two_rows_of_one_region():
    """Every cell lies between those of two rows that a node of some tree holds together."""
    source, table = source_of(1, region=4, n_estimators=1)
    plain = Source(source.forest, source.table, None, 4)
    tree = source.forest.trees[0]
    ends = route.leaves(tree, source.table)
    for row in range(60):
        fresh = plain.fresh(1, (row, 7))
        cells = [column[0] for column in fresh.columns]
        columns = [*zip(cells, source.table.columns, strict=True)]
        assert any(
            all(fits(cell, column[i], column[j]) for cell, column in columns)
            for i in range(len(table))
            for j in slow_region(tree, ends, ends[i], 4)
        )


def fits(cell, one, other):
    if cell != cell or one != one or other != other or isinstance(cell, np.integer | np.bool_):
        return any(cell == value or (cell != cell and value != value) for value in (one, other))
    return min(one, other) - 1e-12 <= cell <= max(one, other) + 1e-12


def slow_region(tree, ends, node, least):
    """The rows of the smallest node around `node` with at least `least` of them, or the root."""
    around = [v for v in range(tree.n_nodes) if v <= node < tree.subtree_end[v]]
    for v in reversed(around):
        inside = [i for i, end in enumerate(ends) if v <= end < tree.subtree_end[v]]
        if len(inside) >= least or v == 0:
            return inside
    raise AssertionError("the root is around every node")


@pytest.mark.parametrize("least", [1, 3, 10, 1000])
def test_regions_by_plain_loops(least):
    source, table = source_of(0)
    tree = source.forest.trees[0]
    ends = route.leaves(tree, source.table)
    order = np.argsort(ends, kind="stable")
    begin, stop = regions(tree, ends[order], ends, least)
    for row in range(len(table)):
        wanted = slow_region(tree, ends, ends[row], least)
        assert sorted(order[begin[row] : stop[row]].tolist()) == wanted


def test_mixing_numbers_that_cannot_be_smeared():
    generator = np.random.default_rng(0)
    column = np.array([0.5, np.inf, np.nan, -np.inf, 1e308, -1e308])
    first, second = generator.integers(6, size=(2, 500))
    found = mixed(column, first, second, generator)
    known = {0.5, np.inf, -np.inf}
    for value, one, other in zip(found, column[first], column[second], strict=True):
        if not (np.isfinite(one) and np.isfinite(other)):
            assert value in known | {1e308, -1e308} or np.isnan(value)
        else:
            assert min(one, other) <= value <= max(one, other)
    assert is_whole_valued(np.array([1.0, np.nan, np.inf]))
    assert not is_whole_valued(np.array([1.0, 1.5]))


def test_rows_of_weight_0_give_no_fresh_ones():
    model, table, _, _ = forests()[0]
    weights = np.zeros(len(table))
    weights[7] = 2.0
    source = Source(model.forest_, bind_prediction(table, model.forest_.schema), weights, 1)
    assert (source._drawn(50, np.random.default_rng(0)) == 7).all()


@pytest.mark.parametrize("labels", ["hard", "soft"])
@pytest.mark.parametrize("case", [0, 1])
def test_fidelity_is_what_a_plain_count_says(case, labels):
    model, table, target, _ = forests(n_rows=150)[case]
    rows = {"X_val": table[:50], "y_val": target[:50]}
    found = silva.distil(model, table, 3000, max_leaves=12, labels=labels, **rows)
    single = found.model
    assert found.tree.n_leaves == found.leaves <= 12
    wanted, told = model.predict(table), single.predict(table)
    if case == 0:
        agreement = np.mean([one == other for one, other in zip(wanted, told, strict=True)])
        figures = [np.mean(one.predict(table[:50]) == target[:50]) for one in (model, single)]
        assert single.predict_proba(table).sum(axis=1) == pytest.approx(np.ones(150))
    else:
        agreement = 1 - np.sum((wanted - told) ** 2) / np.sum((wanted - wanted.mean()) ** 2)
        figures = [np.mean((one.predict(table[:50]) - target[:50]) ** 2) for one in (model, single)]
    assert found.real.figure == pytest.approx(agreement)
    assert found.held_out == pytest.approx(figures)
    assert (found.real.rows, found.fresh.rows, found.fitted_rows) == (150, 750, 3000)
    assert found.fresh.figure > 0.75
    assert found.real.figure > 0.7
    silva.to_text(found.tree)


def test_soft_labels_carry_the_probabilities():
    model, table, _, _ = forests(n_rows=150)[0]
    found = silva.distil(model, table, 4000, max_leaves=2, labels="soft")
    source = Source(model.forest_, bind_prediction(table, model.forest_.schema), None, 5)
    fresh = source.fresh(4000, (0, 0))
    from silva.ensemble import combine

    shares = combine.shares(model.forest_, fresh)
    ends = route.leaves(found.tree, fresh)
    for leaf in (1, 2):
        told = found.model.predict_proba(table)[found.model.apply(table) == leaf][0]
        assert told == pytest.approx(shares[ends == leaf].mean(axis=0))


def test_more_leaves_are_more_faithful():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    model = silva.ForestRegressor(20, random_state=0).fit(X, X[:, 0] * X[:, 1])
    figures = [silva.distil(model, X, 3000, max_leaves=n).fresh.figure for n in (2, 8, 64)]
    assert figures == sorted(figures)
    assert figures[-1] > 0.8


def test_the_same_seed_gives_the_same_tree_and_containers_do_not_matter():
    model, table, _, _ = forests(n_jobs=2)[0]
    other = pl.from_pandas(table.assign(kind=table["kind"].astype(object)))
    one, two = silva.distil(model, table, 500), silva.distil(model, other, 500)
    assert str(one) == str(two)
    assert str(one.tree) == str(two.tree)
    assert str(silva.distil(model, table, 500, seed=1).tree) != str(one.tree)


def test_printed():
    table, signal = mixed_table(100)
    model = silva.ForestRegressor(7, random_state=0).fit(table, signal)
    lines = str(silva.distil(model, table, 400, X_val=table, y_val=signal)).splitlines()
    assert lines[0].endswith("400 fresh rows; R² against the forest's answers:")
    assert lines[1].split()[:5] == ["fresh", "rows,", "not", "fitted", "100"]
    assert lines[3].startswith("mean squared error on held-out rows: forest ")


def test_refused():
    model, table, target, _ = forests()[0]
    with pytest.raises(silva.PlanError, match="a TreeClassifier is one"):
        silva.distil(silva.TreeClassifier().fit(table, target), table)
    with pytest.raises(NotFittedError, match="not fitted"):
        silva.distil(silva.ForestClassifier(), table)
    for name, value in [
        *(("n_rows", 1), ("max_leaves", 1), ("region", 0), ("seed", -1), ("labels", "warm")),
        *(("n_rows", 10.5), ("max_leaves", None)),
    ]:
        with pytest.raises(silva.PlanError, match=f"{name}="):
            silva.distil(model, table, **{name: value})
    with pytest.raises(silva.DataError, match="no rows"):
        silva.distil(model, table[:0])
    with pytest.raises(silva.DataError, match="rooms"):
        silva.distil(model, table.drop(columns="rooms"))
    strange = pd.concat([table, table.assign(kind="castle")])
    with pytest.raises(silva.DataError, match="column 'kind' holds a value in row 60"):
        silva.distil(model, strange)
    with pytest.raises(silva.DataError, match="y_val is missing"):
        silva.distil(model, table, 100, X_val=table)


def test_the_tree_asks_only_about_columns_of_the_forest():
    """A column of names stands for rows, and would be the best split of the fresh ones."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 2))
    table = pd.DataFrame({"a": x[:, 0], "b": x[:, 1]}).assign(
        name=[f"n{row}" for row in range(120)]
    )
    with pytest.warns(silva.DataWarning):
        forest = silva.ForestClassifier(n_estimators=5, max_depth=2, random_state=0).fit(
            table, x.sum(axis=1) > 0
        )
    assert forest.feature_importances_[2] == 0.0
    tree = silva.distil(forest, table).tree
    assert tree.n_leaves > 2
    assert "name" not in silva.to_text(tree)
