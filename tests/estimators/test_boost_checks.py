"""scikit-learn's own checks of AdaBoost, with none expected to fail.

scikit-learn grants its AdaBoost that a row of weight 2 may differ from two rows; here it may not.
"""

from sklearn.utils.estimator_checks import parametrize_with_checks

from silva import AdaBoostClassifier, TreeClassifier

ESTIMATORS = [
    AdaBoostClassifier(n_estimators=5),
    AdaBoostClassifier(TreeClassifier(max_depth=2), n_estimators=5, learning_rate=0.5),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    check(estimator)
