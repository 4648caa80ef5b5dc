"""All of scikit-learn's own checks, with no expected failure."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from silva import StumpClassifier, StumpRegressor, TreeClassifier, TreeRegressor

ESTIMATORS = [TreeClassifier(), TreeRegressor(), StumpClassifier(), StumpRegressor()]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    check(estimator)
