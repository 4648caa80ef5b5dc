"""How near the search for subsets comes to the best of all, beyond what it tries exhaustively."""

from itertools import product

import numpy as np
import pytest

from tests.oracle_policies import Ask
from tests.oracle_units import CATEGORICAL, Rules
from tests.oracle_walk import check_tree
from tests.properties.cases import Case

N_LEVELS = (11, 12, 13)
N_CLASSES = (3, 4, 5)


def noisy_levels(rng: np.random.Generator, n_levels: int, n_classes: int) -> Case:
    """A column whose levels differ in their class shares, some strongly, some by chance."""
    n_rows = int(rng.choice([60, 200, 1000]))
    codes = rng.permutation(np.arange(n_rows) % n_levels).astype(np.int32)
    shares = rng.dirichlet(np.full(n_classes, rng.choice([0.3, 1.0, 5.0])), n_levels)
    drawn = (shares[codes].cumsum(axis=1) > rng.random(n_rows)[:, None]).argmax(axis=1)
    rules = Rules(str(rng.choice(["gini", "entropy", "error"])), max_depth=1)
    asks = [Ask("subset")]
    target = drawn.astype(np.int32)
    return Case([codes], [CATEGORICAL], [n_levels], target, n_classes, None, rules, asks)


def counts_of(case: Case) -> np.ndarray:
    """Rows of each class (columns) in each level (rows)."""
    counts = np.zeros((case.n_levels[0], case.n_classes))
    np.add.at(counts, (case.columns[0], case.target), 1)
    return counts


def best_of_all_subsets(counts: np.ndarray, criterion: str) -> float:
    """By brute force, in floating point."""
    n_levels = len(counts)
    masks = np.arange(1, 2 ** (n_levels - 1))[:, None] >> np.arange(n_levels) & 1
    left, node = masks @ counts, counts.sum(axis=0)
    below = sum(weighted_impurity(side, criterion) for side in (left, node - left))
    return float((weighted_impurity(node[None], criterion) - below).max() / node.sum())


def weighted_impurity(counts: np.ndarray, criterion: str) -> np.ndarray:
    """Rows times impurity, of each row of `counts`."""
    weight = counts.sum(axis=1)
    if criterion == "error":
        return weight - counts.max(axis=1)
    if criterion == "gini":
        return weight - (counts**2).sum(axis=1) / weight
    parts = np.where(counts > 0, counts, 1.0)
    return weight * np.log2(weight) - (parts * np.log2(parts)).sum(axis=1)


@pytest.mark.parametrize(("n_levels", "n_classes"), list(product(N_LEVELS, N_CLASSES)))
def test_the_search_comes_near_the_best_of_all_subsets(n_levels: int, n_classes: int):
    ratios = []
    for number in range(25):
        rng = np.random.default_rng([n_levels, n_classes, number])
        case = noisy_levels(rng, n_levels, n_classes)
        arrays = case.by_core()
        check_tree(case.bound(), arrays)
        best = best_of_all_subsets(counts_of(case), case.rules.criterion)
        if best > 1e-12:
            ratios.append(float(arrays["gain"][0]) / best)
    assert max(ratios) <= 1 + 1e-9
    assert np.mean(ratios) > 0.98
    assert min(ratios) > 0.8


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_up_to_ten_levels_the_best_of_all_subsets_is_found(n_classes: int):
    for number in range(40):
        rng = np.random.default_rng([n_classes, number, 66])
        case = noisy_levels(rng, int(rng.integers(2, 11)), n_classes)
        best = best_of_all_subsets(counts_of(case), case.rules.criterion)
        assert float(case.by_core()["gain"][0]) == pytest.approx(best, rel=1e-9, abs=1e-12)
