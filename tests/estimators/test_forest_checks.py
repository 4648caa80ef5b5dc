"""scikit-learn's own checks of the forests.

Expected failures are those that scikit-learn grants its own bootstrap forests and bagging: a row
of weight 2 is drawn once, two copies of it twice, so the two give different forests. Without
bootstrap (the extra-trees) nothing is expected to fail.
"""

from sklearn.utils.estimator_checks import parametrize_with_checks

from silva import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    ForestClassifier,
    ForestRegressor,
)

DRAWN = "sample_weight is not equivalent to removing or repeating rows that are drawn"
ESTIMATORS = [
    ForestClassifier(5),
    ForestRegressor(5),
    ExtraTreesClassifier(5),
    ExtraTreesRegressor(5),
    BaggingClassifier(n_estimators=5),
    BaggingRegressor(n_estimators=5),
]


def expected_failures(estimator):
    if not estimator.bootstrap:
        return {}
    return {
        "check_sample_weight_equivalence_on_dense_data": DRAWN,
        "check_sample_weight_equivalence_on_sparse_data": DRAWN,
    }


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator, check):
    check(estimator)
