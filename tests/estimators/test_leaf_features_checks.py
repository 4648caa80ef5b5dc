"""scikit-learn's own checks of LeafFeatures, over one tree and over a forest."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from silva import ForestClassifier, LeafFeatures, TreeClassifier, TreeRegressor

DRAWN = "sample_weight is not equivalent to removing or repeating rows that are drawn"
TRANSFORMERS = [
    LeafFeatures(TreeClassifier()),
    LeafFeatures(TreeRegressor(), features="rules"),
    LeafFeatures(ForestClassifier(3, random_state=0)),
]


def expected_failures(transformer):
    """What is expected of the forest itself."""
    if not getattr(transformer.model, "bootstrap", False):
        return {}
    return {
        "check_sample_weight_equivalence_on_dense_data": DRAWN,
        "check_sample_weight_equivalence_on_sparse_data": DRAWN,
    }


@parametrize_with_checks(TRANSFORMERS, expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator, check):
    check(estimator)
