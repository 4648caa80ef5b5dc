"""A row of weight k counts as k copies of it: for every option that promises it, and no others.

docs/growing.md lists the options that do not: `COUNTS_ROWS` here.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import silva
from silva import TreeClassifier, TreeRegressor
from silva.prune.accuracy_threshold import AccuracyThreshold
from silva.prune.reduced_error import ReducedError

N_ROWS = 40
GROWING = Path(__file__).parents[2] / "docs" / "growing.md"


def cost_of(summary) -> float:
    return summary.errors + 0.01 * summary.leaves


CLASSES = {
    "gini": {},
    "entropy": {"criterion": "entropy"},
    "error": {"criterion": "error"},
    "gain_ratio": {"criterion": "gain_ratio"},
    "max_depth": {"max_depth": 3},
    "max_leaf_nodes": {"max_leaf_nodes": 6},
    "min_weight_fraction_leaf": {"min_weight_fraction_leaf": 0.1},
    "min_impurity_decrease": {"min_impurity_decrease": 0.01},
    "min_gain": {"min_gain": 0.05},
    "ccp_alpha": {"ccp_alpha": 0.01},
    "class_weight": {"class_weight": {0: 1.0, 1: 2.0, 2: 1.0}},
    "laplace": {"leaf": "laplace"},
    "m-estimate": {"leaf": silva.MEstimate(3.0)},
    "random columns": {"max_features": 2, "random_state": 0},
    **{f"splits {form}": {"splits": form} for form in ("subset", "onevsrest", "multiway")},
    **{f"missing {one}": {"missing": one} for one in ("learn", "majority", "own_branch", "stop")},
    "plan ID3": {"plan": silva.ID3(), "missing": None},
    "plan C45 by weight": {"plan": silva.C45(min_samples_split=2, min_samples_leaf=1)},
    "plan CART, whole": {"plan": silva.CART(), "prune": "none"},
    "pessimistic": {"prune": "pessimistic"},
    "pessimistic, no raising": {"prune": silva.Pessimistic(raising=False)},
    "minimum_error": {"prune": "minimum_error"},
    "accuracy_threshold": {"prune": AccuracyThreshold(0.05)},
    "critical value": {"prune": silva.CriticalValue(0.05)},
    "max leaves": {"prune": silva.MaxLeaves(5)},
    "bottom up": {"prune": silva.BottomUp(cost_of)},
    "cost_complexity, alpha": {"prune": silva.CostComplexity(0.01)},
    "error complexity, alpha": {"prune": silva.CostComplexity(0.01, risk="error")},
}
NUMBERS = {
    "squared_error": {},
    "poisson": {"criterion": "poisson"},
    "max_leaf_nodes": {"max_leaf_nodes": 6},
    "splits multiway": {"splits": "multiway"},
    "missing own_branch": {"missing": "own_branch"},
    "linear": {"leaf": "linear", "max_depth": 2},
    "plan CART, whole": {"plan": silva.CART("regression"), "prune": "none"},
    "pessimistic": {"prune": "pessimistic"},
    "minimum_error": {"prune": "minimum_error"},
    "accuracy_threshold": {"prune": AccuracyThreshold(0.05)},
    "max leaves": {"prune": silva.MaxLeaves(5)},
    "cost_complexity, alpha": {"prune": silva.CostComplexity(0.05)},
    "poisson, error complexity": {
        "criterion": "poisson",
        "prune": silva.CostComplexity(0.05, risk="error"),
    },
}
BY_VALIDATION_ROWS = {
    "reduced_error": ReducedError(),
    "reduced_error, bottom up": ReducedError("bottom_up"),
    "accuracy_threshold": AccuracyThreshold(on="validation"),
    "auto": silva.Auto(leaf_sizes=()),
}
COUNTS_ROWS = {
    "`min_samples_split`": {"min_samples_split": 8},
    "`min_samples_leaf`": {"min_samples_leaf": 4},
    "`C45()`": {"plan": silva.C45(), "prune": "none"},
    '`prune="cost_complexity"`': {"prune": silva.CostComplexity(cv=4, rule="min")},
    '`prune="auto"`': {"prune": silva.Auto(cv=4, repeats=1)},
    '`prune="reduced_error"`': {"prune": "reduced_error"},
    '`AccuracyThreshold(on="validation")`': {"prune": AccuracyThreshold(on="validation")},
    '`splits="oblique"`': {"splits": "oblique"},
    '`splits="distance"`': {"splits": "distance"},
    '`category_gain="fair"`': {"category_gain": "fair"},
}


def drawn(seed: int, missing: bool = True) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Columns of numbers and categories, a signal of whole numbers, and weights from 0 to 3."""
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 7, (N_ROWS, 2)).astype(float)
    if missing:
        points[rng.random(N_ROWS) < 0.15, 0] = np.nan
    frame = pd.DataFrame(points, columns=["a", "b"])
    frame["c"] = pd.Categorical(rng.choice(list("uvwx"), N_ROWS), categories=list("uvwx"))
    signal = np.nan_to_num(points[:, 0]) + (frame["c"] == "u") + rng.integers(0, 3, N_ROWS)
    weights = rng.integers(0, 4, N_ROWS)
    weights[:3] = 1
    return frame, signal.to_numpy().astype(int), weights


def both(model, seed: int, numbers: bool, **held_out) -> tuple:
    """The model of weighted rows and that of copies, and the rows."""
    is_id3 = isinstance(model.plan, silva.Plan) and model.plan.missing == "error"
    frame, signal, weights = drawn(seed, missing=not is_id3)
    target = signal * 1.0 + 0.5 if numbers else signal % 3
    target[:3] = [0, 1, 2]
    weighted = clone(model).fit(frame, target, sample_weight=weights, **held_out)
    rows = np.repeat(np.arange(N_ROWS), weights)
    copied = clone(model).fit(frame.iloc[rows], target[rows], **held_out)
    return weighted, copied, frame


def is_same(weighted, copied, frame) -> bool:
    answer = "predict_proba" if hasattr(weighted, "predict_proba") else "predict"
    found, expected = (getattr(one, answer)(frame) for one in (weighted, copied))
    same_size = weighted.get_n_leaves() == copied.get_n_leaves()
    if weighted.leaf == "linear":
        return same_size and np.allclose(found, expected, rtol=1e-9, atol=1e-9)
    return same_size and np.array_equal(found, expected)


def model_of(options: dict, numbers: bool = False):
    """By plain gains, unless a plan or the options choose: fair ones count rows as evidence."""
    gain = {} if "plan" in options else {"category_gain": "plain"}
    given = gain | {name: value for name, value in options.items() if value is not None}
    return (TreeRegressor if numbers else TreeClassifier)(**given)


@pytest.mark.parametrize("name", CLASSES)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_classes(name, seed):
    assert is_same(*both(model_of(CLASSES[name]), seed, numbers=False))


@pytest.mark.parametrize("name", NUMBERS)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_numbers(name, seed):
    assert is_same(*both(model_of(NUMBERS[name], numbers=True), seed, numbers=True))


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("name", BY_VALIDATION_ROWS)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_validation_rows(name, numbers, seed):
    """Rows that are given to prune by count as copies too."""
    frame, signal, weights = drawn(seed + 1)
    target = signal * 1.0 + 0.5 if numbers else signal % 3
    model = model_of({"prune": BY_VALIDATION_ROWS[name]}, numbers)
    rows = np.repeat(np.arange(N_ROWS), weights)
    weighted = {"X_val": frame, "y_val": target, "sample_weight_val": weights}
    copied = {"X_val": frame.iloc[rows], "y_val": target[rows]}
    first, _, probes = both(model, seed, numbers, **weighted)
    _, second, _ = both(model, seed, numbers, **copied)
    assert is_same(first, second, probes)


@pytest.mark.parametrize("name", COUNTS_ROWS)
def test_what_counts_rows_is_documented(name):
    """These differ, at least on some of the tables, and the page says why."""
    model = model_of(COUNTS_ROWS[name])
    assert not all(is_same(*both(model, seed, numbers=False)) for seed in range(10))
    assert name in GROWING.read_text()


def test_the_bound_refuses_weights():
    with pytest.raises(silva.SilvaError, match="weight"):
        both(TreeClassifier(prune="generalisation_bound"), 0, numbers=False)
