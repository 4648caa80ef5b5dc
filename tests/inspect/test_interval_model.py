"""Quantiles and intervals: weights by plain loops, coverage by simulation."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

import silva
from silva.data.bind import bind_prediction
from tests.inspect.insight_cases import draws, forests, mixed_table


def slow_weights(model, table, weights, X):
    """Meinshausen's weights, row by row and tree by tree: (rows, training rows)."""
    seen = draws(model, len(table), weights).astype(float)
    if weights is not None:
        seen *= weights
    here, there = model.apply(X), model.apply(table)
    found = np.zeros((len(X), len(table)))
    for row in range(len(X)):
        for number, tree in enumerate(model.trees_):
            node = here[row, number]
            below = [
                i
                for i in range(len(table))
                if node <= there[i, number] < tree.subtree_end[node] and seen[number, i] > 0
            ]
            total = sum(seen[number, i] for i in below)
            for i in below:
                found[row, i] += seen[number, i] / total
        found[row] /= found[row].sum()
    return found


def slow_quantile(values, weights, q):
    """The least value whose share of the weight, with all below it, reaches q."""
    order = np.argsort(values, kind="stable")
    running = 0.0
    for i in order:
        running += weights[i]
        if weights[i] > 0 and running >= q * weights.sum() - 1e-9:
            return values[i]
    return values[[i for i in order if weights[i] > 0][-1]]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "choice",
    [
        {},
        {"bootstrap": "subsample", "min_samples_leaf": 4},
        {"bootstrap": False, "max_depth": 3},
        {"missing": "stop", "unseen": "stop"},
    ],
)
def test_weights_and_quantiles_by_plain_loops(weighted, choice):
    model, table, target, weights = forests(weighted=weighted, **choice)[1]
    new = mixed_table(25, seed=9)[0]
    found = silva.interval_model(model, table, target, weights)
    wanted = slow_weights(model, table, weights, new)
    order = np.argsort(target, kind="stable")
    (part, got), *rest = found.leaf_rows.blocks(bind_prediction(new, model.forest_.schema))
    assert not rest
    assert part == slice(0, 25)
    assert got.toarray() == pytest.approx(wanted[:, order], abs=1e-12)
    shares = [0.0, 0.05, 0.5, 0.9, 1.0]
    quantiles = found.predict_quantiles(new, shares)
    for row in range(25):
        for number, share in enumerate(shares):
            assert quantiles[row, number] == slow_quantile(target, wanted[row], share)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_weighted_mean_is_the_forests_answer(weighted):
    model, table, target, weights = forests(weighted=weighted, min_samples_leaf=2)[1]
    found = silva.interval_model(model, table, target, weights)
    for part, block in found.leaf_rows.blocks(bind_prediction(table, model.forest_.schema)):
        assert block @ np.sort(target) == pytest.approx(model.predict(table)[part])


@settings(max_examples=40)
@given(
    data=st.data(),
    rows=st.integers(2, 12),
    seed=st.integers(0, 1000),
    leaf=st.integers(1, 3),
)
def test_tiny_forests(data, rows, seed, leaf):
    """Ties in columns and targets, missing values, weights of 0, leaves of several rows."""
    cells = data.draw(
        st.lists(st.sampled_from([0.0, 1.0, 2.0, np.nan]), min_size=rows, max_size=rows)
    )
    y = np.array(
        data.draw(st.lists(st.sampled_from([0.0, 1.0, 5.0]), min_size=rows, max_size=rows))
    )
    weights = np.array(
        data.draw(st.lists(st.sampled_from([0.0, 1.0, 0.5]), min_size=rows, max_size=rows))
    )
    weights[0] = 1.0
    X = np.array(cells).reshape(-1, 1)
    model = silva.ForestRegressor(4, min_samples_leaf=leaf, random_state=seed).fit(X, y, weights)
    found = silva.interval_model(model, X, y, weights)
    wanted = slow_weights(model, X, weights, X)
    for share in (0.1, 0.5, 0.8):
        told = found.predict_quantiles(X, share)[:, 0]
        assert told.tolist() == [slow_quantile(y, line, share) for line in wanted]


@pytest.mark.parametrize("weighted", [False, True])
def test_out_of_bag_interval_by_plain_loops(weighted):
    model, table, target, weights = forests(weighted=weighted, n_estimators=30)[1]
    seen = draws(model, len(target), weights)
    answers = np.stack([tree_answers(model, number, table) for number in range(30)])
    errors, counted = [], []
    for i in range(len(target)):
        out = [number for number in range(30) if seen[number, i] == 0]
        if out and (weights is None or weights[i] > 0):
            errors.append(target[i] - np.mean([answers[number, i] for number in out]))
            counted.append(1.0 if weights is None else weights[i])
    errors, counted = np.array(errors), np.array(counted)
    ends = [slow_quantile(errors, counted, q) for q in (0.1, 0.9)]
    found = silva.interval_model(model, table, target, weights)
    told = found.predict_interval(table[:9], coverage=0.8)
    assert told == pytest.approx(model.predict(table[:9])[:, None] + ends)


def tree_answers(model, number, table):
    from silva.leaf.answers import predict_values
    from silva.tree import route

    tree, bound = model.trees_[number], bind_prediction(table, model.forest_.schema)
    return predict_values(tree, route.leaves(tree, bound), bound)


def simulated(rng, n_rows, spread):
    X = rng.normal(size=(n_rows, 4))
    noise = 0.5 if spread == "even" else 0.2 + np.abs(X[:, 0])
    return X, X[:, 0] + np.sin(2 * X[:, 1]) + noise * rng.normal(size=n_rows)


@pytest.mark.parametrize("spread", ["even", "uneven"])
@pytest.mark.parametrize("coverage", [0.8, 0.95])
def test_simulated_coverage(spread, coverage):
    covered = {"oob": [], "quantile": []}
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, y = simulated(rng, 400, spread)
        new, truth = simulated(rng, 1000, spread)
        model = silva.ForestRegressor(60, max_features=2, min_samples_leaf=2, random_state=seed)
        found = silva.interval_model(model.fit(X, y), X, y)
        for method, shares in covered.items():
            low, high = found.predict_interval(new, coverage, method).T
            shares.append(np.mean((low <= truth) & (truth <= high)))
    assert np.mean(covered["oob"]) == pytest.approx(coverage, abs=0.035)
    assert coverage - 0.035 < np.mean(covered["quantile"]) < coverage + 0.09


def test_quantile_intervals_follow_the_noise_and_oob_intervals_do_not():
    rng = np.random.default_rng(0)
    X, y = simulated(rng, 1500, "uneven")
    model = silva.ForestRegressor(60, max_features=2, min_samples_leaf=5, random_state=0).fit(X, y)
    found = silva.interval_model(model, X, y)
    quiet, noisy = np.zeros((1, 4)), np.array([[2.0, 0.0, 0.0, 0.0]])
    width = {
        method: [float(np.ptp(found.predict_interval(row, 0.9, method))) for row in (quiet, noisy)]
        for method in ("oob", "quantile")
    }
    assert width["quantile"][1] > 2 * width["quantile"][0]
    assert width["oob"][0] == pytest.approx(width["oob"][1])


def test_blocks_do_not_change_the_answers(monkeypatch):
    model, table, target, _ = forests()[1]
    found = silva.interval_model(model, table, target)
    whole = found.predict_quantiles(table, [0.1, 0.5])
    monkeypatch.setattr("silva.inspect.leaf_rows.BLOCK_ENTRIES", 50)
    assert len(list(found.leaf_rows.blocks(bind_prediction(table, model.forest_.schema)))) > 5
    assert found.predict_quantiles(table, [0.1, 0.5]).tolist() == whole.tolist()
    assert found.predict_quantiles(table[:0], 0.5).shape == (0, 1)


def test_memory_is_a_few_bytes_for_a_row_and_a_tree():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    model = silva.ForestRegressor(20, random_state=0).fit(X, X[:, 0] ** 2)
    found = silva.interval_model(model, X, X[:, 0] ** 2)
    assert found.leaf_rows.nbytes < 16 * 20 * 3000
    assert repr(found) == "IntervalModel(20 trees, 3,000 training rows)"


def test_other_containers():
    model, table, target, _ = forests()[1]
    other = pl.from_pandas(table.assign(kind=table["kind"].astype(object)))
    one, two = (silva.interval_model(model, rows, target) for rows in (table, other))
    for method in ("oob", "quantile"):
        told = two.predict_interval(other, 0.7, method)
        assert told.tolist() == one.predict_interval(table, 0.7, method).tolist()


def test_refused():
    classes, table, labels, _ = forests()[0]
    model, _, target, _ = forests()[1]
    single = silva.TreeRegressor().fit(table, target)
    with pytest.raises(silva.PlanError, match="answers with classes"):
        silva.interval_model(classes, table, labels)
    with pytest.raises(silva.PlanError, match="a TreeRegressor is one"):
        silva.interval_model(single, table, target)
    with pytest.raises(NotFittedError, match="not fitted"):
        silva.interval_model(silva.ForestRegressor(), table, target)
    with pytest.raises(silva.PlanError, match="needs a fitted forest of silva"):
        silva.interval_model("forest", table, target)
    with pytest.raises(silva.DataError, match="y is missing"):
        silva.interval_model(model, table, None)
    with pytest.raises(silva.DataError, match="not the rows"):
        silva.interval_model(model, table[::-1], target[::-1])
    with pytest.raises(silva.DataError, match="no rows"):
        silva.interval_model(model, table[:0], target[:0])
    found = silva.interval_model(model, table, target)
    for coverage in (0, 1, 1.5, -0.1, "0.9", np.nan):
        with pytest.raises(silva.PlanError, match="coverage="):
            found.predict_interval(table, coverage)
    with pytest.raises(silva.PlanError, match="method='normal'"):
        found.predict_interval(table, method="normal")
    for q in ([0.5, 1.5], "0.5", []):
        with pytest.raises(silva.PlanError, match="q="):
            found.predict_quantiles(table, q)
    with pytest.raises(silva.DataError, match="rooms"):
        found.predict_interval(table.drop(columns="rooms"))
    whole = silva.ForestRegressor(4, bootstrap=False).fit(table, target)
    with pytest.raises(silva.PlanError, match="bootstrap=False"):
        silva.interval_model(whole, table, target).predict_interval(table)
    one = silva.ForestRegressor(1, random_state=0).fit([[1.0]], [2.0])
    with pytest.raises(silva.DataError, match="every tree has seen every row"):
        silva.interval_model(one, [[1.0]], [2.0]).predict_interval([[1.0]])
