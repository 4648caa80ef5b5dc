"""At every node of silva's tree, scikit-learn's best gain on exactly those rows is the same."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from tests.effort import tries
from tests.oracle_units import CONTINUOUS, Rules
from tests.properties.cases import Case
from tests.properties.vector_oracle import Vectors, route_all


def continuous_case(seed: int, criterion: str, weighted: bool, n_rows: int = 300) -> Case:
    """Values that float32 holds exactly and that lie further apart than scikit-learn's limit."""
    rng = np.random.default_rng(seed)
    values = np.rint(rng.normal(size=(n_rows, 4)) * 64) / 64
    score = values[:, 0] + np.abs(values[:, 1]) + rng.normal(size=n_rows) / 2
    weights = rng.random(n_rows) + 0.1 if weighted else None
    columns = list(values.T)
    if criterion in ("gini", "entropy"):
        target, n_classes = np.digitize(score, [0.0, 0.8, 1.6]).astype(np.int32), 4
    else:
        target, n_classes = np.rint(np.exp(score)) if criterion == "poisson" else score, 0
    return Case(columns, [CONTINUOUS] * 4, [0] * 4, target, n_classes, weights, Rules(criterion))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "poisson"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", tries(1, 2))
def test_the_best_gain_is_that_of_scikit_learn(seed: int, criterion: str, weighted: bool):
    case = continuous_case(seed, criterion, weighted)
    arrays = case.by_core()
    inner = np.flatnonzero(arrays["split_kind"])
    members = route_all(Vectors.of(case), arrays)
    assert len(inner) > 50
    for node in inner:
        expected = best_gain_of_sklearn(case, members[node])
        assert arrays["gain"][node] == pytest.approx(expected, rel=1e-9, abs=1e-9), node


def best_gain_of_sklearn(case: Case, rows: np.ndarray) -> float:
    """Of three random states: under `poisson` a stump sometimes stops at the first column."""
    values, target = np.stack(case.columns, axis=1)[rows], case.target[rows]
    weights = None if case.weights is None else case.weights[rows]
    model = DecisionTreeClassifier if case.n_classes else DecisionTreeRegressor
    stumps = [model(criterion=case.rules.criterion, max_depth=1, random_state=s) for s in range(3)]
    return max(gain_of_stump(stump.fit(values, target, weights).tree_) for stump in stumps)


def gain_of_stump(tree) -> float:
    if tree.node_count == 1:
        return 0.0
    shares = tree.weighted_n_node_samples[1:] / tree.weighted_n_node_samples[0]
    return tree.impurity[0] - shares @ tree.impurity[1:]
