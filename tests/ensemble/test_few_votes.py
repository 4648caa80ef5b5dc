"""Votes counted by tree instead of by class tell the same, bit for bit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from silva.ensemble.boosted import FewVotes, Votes


@given(st.integers(1, 6), st.integers(0, 12), st.integers(0, 2**32 - 1))
def test_they_tell_what_votes_by_class_tell(n_trees, n_rows, seed):
    rng = np.random.default_rng(seed)
    n_classes = n_trees + 2 + int(rng.integers(0, 5))
    choices = rng.integers(0, rng.integers(1, n_classes + 1), (n_trees, n_rows))
    alphas = rng.choice([0.1, 0.2, 0.3, 1e-9, 7.0], n_trees)
    truth = rng.integers(-1, n_classes, n_rows)
    by_class = Votes.none(n_rows, n_classes)
    for codes, alpha in zip(choices, alphas.tolist(), strict=True):
        by_class.add(codes, alpha)
    by_tree = FewVotes(choices, alphas)
    assert np.array_equal(by_tree.codes, by_class.codes)
    assert np.array_equal(by_tree.margins(truth), by_class.margins(truth))
