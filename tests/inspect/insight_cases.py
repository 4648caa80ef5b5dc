"""Small tables of every kind, and forests on them, for the tests of what forests tell."""

import numpy as np
import pandas as pd

import silva
from silva.data.bind import bind_numbers
from silva.ensemble import sampling
from silva.ensemble.plan import ForestPlan


def mixed_table(n_rows=60, seed=0):
    """Numbers, whole numbers, categories and yes/no, with missing values in two columns."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "size": rng.normal(size=n_rows),
            "rooms": rng.integers(1, 6, n_rows),
            "kind": pd.Categorical(rng.choice(["flat", "house", "barn"], n_rows)),
            "new": rng.random(n_rows) < 0.4,
        }
    )
    table.loc[rng.random(n_rows) < 0.2, "size"] = np.nan
    table.loc[rng.random(n_rows) < 0.2, "kind"] = np.nan
    signal = table["size"].fillna(0.5) + (table["kind"] == "barn") + 0.3 * rng.normal(size=n_rows)
    return table, signal.to_numpy()


def weights_of(n_rows, seed=1):
    """Weights of 0, 1 and fractions."""
    return np.random.default_rng(seed).choice([0.0, 1.0, 0.5, 2.25], n_rows)


def forests(n_rows=60, weighted=False, **settings):
    """A forest for each task: (model, table, target, weights)."""
    table, signal = mixed_table(n_rows)
    weights = weights_of(n_rows) if weighted else None
    settings = {"n_estimators": 12, "random_state": 3, **settings}
    classes = np.where(signal > 0.6, "high", np.where(signal > 0, "mid", "low"))
    number = silva.ForestRegressor(max_features=2, **settings)
    return [
        (silva.ForestClassifier(**settings).fit(table, classes, weights), table, classes, weights),
        (number.fit(table, signal, weights), table, signal, weights),
    ]


def draws(model, n_rows, weights=None):
    """How often each tree saw each row, from the documented hashes."""
    plan = ForestPlan(bootstrap=model.bootstrap, max_samples=model.max_samples)
    positive = n_rows if weights is None else int((weights > 0).sum())
    target = bind_numbers(np.zeros(n_rows), weights, n_rows)
    seeds = sampling.tree_seeds(model.random_state, 0, len(model.trees_))
    return np.array(
        [sampling.row_counts(seed, target, plan.draws(positive), plan.sampling) for seed in seeds]
    )
