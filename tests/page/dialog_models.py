"""Fitted models for comparing the page with Python: every policy, split and leaf, odd names."""

import numpy as np
import pandas as pd

import silva

HOSTILE = ["</script><img src=x onerror=alert(1)>", "مرحبا بالعالم", "🦊 and 🐻", "x" * 300, " is ",
           "a -> b", "it's \"q\"", "new\nline", "a, b", "or missing"]  # fmt: skip


def table(seed, n_rows=300):
    """Numbers with missing values, hostile levels and names, ordinals, booleans and dates."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "plain": rng.normal(size=n_rows).round(3),
            HOSTILE[0]: rng.choice(HOSTILE, n_rows),
            HOSTILE[3]: rng.integers(0, 5, n_rows).astype(float),
            "yes or no": rng.choice(["no", "yes"], n_rows),
            "grade": pd.Categorical(rng.choice(list("abcd"), n_rows), list("abcd"), ordered=True),
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 1e6, n_rows), "s"),
        }
    )
    for name in ("plain", HOSTILE[0], "grade"):
        frame.loc[rng.random(n_rows) < 0.1, name] = None
    signal = frame["plain"].fillna(0) + (frame[HOSTILE[0]] == HOSTILE[1]) + rng.normal(size=n_rows)
    return frame, signal


MODELS = {
    "classes": lambda X, z: silva.TreeClassifier(max_depth=6).fit(X, pd.cut(z, 3).cat.codes),
    "hostile": lambda X, z: silva.TreeClassifier(max_depth=4).fit(
        X, np.array(HOSTILE[:4])[pd.cut(z, 4).cat.codes]
    ),
    "numbers": lambda X, z: silva.TreeRegressor(min_samples_leaf=5).fit(X, z),
    "weights": lambda X, z: silva.TreeRegressor(max_depth=5).fit(
        X, z, sample_weight=np.random.default_rng(1).exponential(size=len(X))
    ),
    "class weights": lambda X, z: silva.TreeClassifier(max_depth=5).fit(
        X, z > 0, sample_weight=np.random.default_rng(1).exponential(size=len(X))
    ),
    "stop": lambda X, z: silva.TreeClassifier(missing="stop", unseen="stop").fit(X, z > 0),
    "own branch": lambda X, z: silva.TreeRegressor(missing="own_branch", max_depth=6).fit(X, z),
    "majority": lambda X, z: silva.TreeClassifier(missing="majority", max_depth=6).fit(X, z > 0),
    "error": lambda X, z: silva.TreeClassifier(missing="error", unseen="error").fit(
        X.ffill().bfill(), z > 0
    ),
    "multiway": lambda X, z: silva.TreeClassifier(splits="multiway", max_depth=4).fit(X, z > 0),
    "subset": lambda X, z: silva.TreeRegressor(splits="subset", unseen="stop").fit(X, z),
    "oblique": lambda X, z: silva.TreeClassifier(splits="oblique", max_depth=3).fit(X, z > 0),
    "distance": lambda X, z: silva.TreeClassifier(splits="distance", max_depth=3).fit(
        X[["plain", "grade", "yes or no"]], z > 0
    ),
    "linear": lambda X, z: silva.TreeRegressor(leaf="linear", max_depth=3).fit(X, z),
    "logistic": lambda X, z: silva.TreeClassifier(leaf="linear", max_depth=2).fit(X, z > 0),
    "three logistic": lambda X, z: silva.TreeClassifier(leaf="linear", max_depth=2).fit(
        X, pd.cut(z, 3).cat.codes
    ),
    "laplace": lambda X, z: silva.TreeClassifier(leaf="laplace", max_depth=4).fit(X, z > 0),
    "pruned": lambda X, z: silva.TreeClassifier(ccp_alpha=0.01).fit(X, z > 0),
    "one leaf": lambda X, z: silva.TreeClassifier(ccp_alpha=10.0).fit(X, z > 0),
}
