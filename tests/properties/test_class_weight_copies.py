"""Weight k equals k copies under class weights too, to the last bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silva import TreeClassifier
from silva.tree.tree import same

CLASS_WEIGHTS = ["balanced", {0: 0.1, 1: 1 / 3, 2: 0.7}, {0: 1e-9, 1: 1e9}]


@pytest.mark.parametrize("class_weight", CLASS_WEIGHTS, ids=str)
@given(seed=st.integers(0, 10_000), n_rows=st.integers(2, 64))
def test_a_weight_equals_copies(class_weight, seed, n_rows):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(n_rows, 5)).astype(float)
    y = rng.integers(0, 3, n_rows)
    y[:2] = [0, 1]
    weights = rng.integers(0, 4, n_rows)
    weights[:2] = 1
    model = TreeClassifier(class_weight=class_weight)
    weighted = model.fit(X, y, sample_weight=weights).grown_tree_
    kept = np.repeat(np.arange(n_rows), weights)
    copied = model.fit(X[kept], y[kept]).grown_tree_
    assert weighted.gain.tolist() == copied.gain.tolist()
    assert weighted.thresholds.threshold.tolist() == copied.thresholds.threshold.tolist()
    assert weighted.leaf_stats.weight.tolist() == copied.leaf_stats.weight.tolist()
    assert same(weighted, copied) == (weighted.leaf_rows.tolist() == copied.leaf_rows.tolist())
