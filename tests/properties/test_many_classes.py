"""Tables with hundreds of classes, where nodes number their own, and with as many as rows."""

import numpy as np
import pytest

from silva import TreeClassifier
from silva.tree.tree import same
from tests.oracle_compare import assert_same_tree
from tests.oracle_policies import Ask
from tests.oracle_units import Rules
from tests.properties.cases import Case

N_CLASSES = 257


def crowded_case(seed: int, criterion: str, form: str, weights: str) -> Case:
    """More classes than a byte counts, most of them with a row of their own."""
    rng = np.random.default_rng(seed)
    n_rows = N_CLASSES + 10
    target = rng.permutation(np.arange(n_rows) % N_CLASSES).astype(np.int32)
    column = rng.normal(size=n_rows) + target / 100
    column[rng.random(n_rows) < 0.1] = np.nan
    coded = rng.integers(0, 20, n_rows).astype(np.float64)
    codes = rng.integers(0, 6, n_rows).astype(np.int32)
    given = {"none": None, "whole": rng.integers(1, 4, n_rows) * 1.0, "any": rng.random(n_rows)}
    asks = [Ask(), Ask(), Ask(form)]
    data = ([column, coded, codes], [0, 0, 2], [0, 0, 6], target, N_CLASSES)
    gain = "plain" if weights == "whole" else "fair"
    return Case(*data, given[weights], Rules(criterion, category_gain=gain), asks)


@pytest.mark.parametrize("weights", ["none", "whole", "any"])
@pytest.mark.parametrize(
    ("criterion", "form"), [("gini", "onevsrest"), ("error", "subset"), ("entropy", "multiway")]
)
def test_hundreds_of_classes_grow_as_the_oracle_says(criterion, form, weights):
    case = crowded_case(7, criterion, form, weights)
    arrays = case.by_core()
    assert_same_tree(case.by_oracle(follow=arrays), arrays)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error"])
def test_as_many_classes_as_rows(criterion):
    """Depth-first growth hands small nodes over to other memory, best-first growth does not."""
    rng = np.random.default_rng(0)
    table, target = rng.normal(size=(40_000, 2)), rng.permutation(40_000)
    model = TreeClassifier(criterion=criterion, n_jobs=2).fit(table, target)
    assert model.score(table, target) == 1.0
    few, labels = table[:9_000], target[:9_000]
    first = TreeClassifier(criterion=criterion).fit(few, labels)
    other = TreeClassifier(criterion=criterion, max_leaf_nodes=9_000).fit(few, labels)
    assert same(first.grown_tree_, other.grown_tree_)
