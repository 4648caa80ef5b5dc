"""Why tests of scikit-learn fail on silva's classes: one rule for each kind of failure.

Every reason is a row of the table in docs/scikit_learn.md ("What differs, by reason").
"""

from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True)
class Rule:
    """Explains failures of tests whose name matches, with `error` in what went wrong.

    `file` is "tree", "forest", "bagging", "boosting", or "*"; `test` a pattern (* and ?) of the
    test's name with its parameters.
    """

    reason: str
    error: str
    test: str = "*"
    file: str = "*"

    def covers(self, file: str, test: str) -> bool:
        # fnmatch reads brackets as a set of characters
        pattern = self.test.replace("[", "[[]")
        return self.file in ("*", file) and fnmatchcase(test, pattern)


TEXT = "Regex pattern did not match"

RULES = (
    Rule("criteria", "does not have scikit-learn's 'friedman_mse'"),
    Rule("criteria", "does not have scikit-learn's 'absolute_error'"),
    Rule("criteria", "DID NOT WARN", "test_friedman_mse_deprecation*"),
    Rule("criteria", "(MSE) is not possible", "test_mse_criterion_object_*", "forest"),
    Rule("one-target", "one target a tree is supported"),
    Rule("silva-trees", "PlanError: estimator="),
    Rule("silva-trees", "estimator=NoSampleWeightWrapper", "*_without_sample_weight", "boosting"),
    Rule("threshold-below", "== 149.5", "test_sample_weight", "tree"),
    Rule("exact-numbers", "== 0", "test_almost_constant_feature*", "tree"),
    Rule("exact-numbers", "DID NOT RAISE", "test_big_input", "tree"),
    Rule("equal-children", "(DESIRED)", "test_missing_values_*_on_equal_nodes_*", "tree"),
    Rule("equal-children", "(DESIRED)", "test_missing_values_*_both_classes_has_nan*", "tree"),
    Rule("is-it-missing", "isfinite", "test_random_splitter_missing_values_*", "tree"),
    Rule("sparse-missing", "DID NOT RAISE", "test_missing_value_errors*", "tree"),
    Rule("large-limits", "DID NOT RAISE", "test_huge_allocations", "tree"),
    Rule("mixed-labels", "mixes text and numbers", file="boosting"),
    Rule("row-fractions", "Failed with RandomForest", "test_min_samples_split*", "forest"),
    Rule("weighted-draws", "DID NOT WARN", "test_*sample_weight*", "bagging"),
    Rule("warm-start-oob", "DID NOT RAISE", "test_warm_start_with_oob_score_fails", "bagging"),
    Rule("finite-boosting", "DID NOT WARN", "test_sample_weights_infinite", "boosting"),
    Rule("random-stream", "assert 0.2 > 0.2", "test_distribution", "forest"),
    Rule("own-threads", "MyBackend object", "test_backend_respected", "forest"),
    Rule("private", "expected sklearn.tree._tree.Tree", "test_build_pruned_tree_*", "tree"),
    Rule("private", "no attribute '_validate_y_class_weight'", file="forest"),
    Rule("private", "no attribute '_sample_weight'", file="forest"),
    Rule("private", "no attribute '_set_oob_score_and_attributes'", file="forest"),
    Rule("private", "no attribute '_n_samples_bootstrap'", file="forest"),
    Rule("messages", TEXT, "test_error", "tree"),
    Rule("messages", "all weights are zero", "test_sample_weight_invalid", "tree"),
    Rule("messages", TEXT, "test_min_sample_split_1_error*", "tree"),
    Rule("messages", TEXT, "test_unfitted_feature_importances*", "forest"),
    Rule("messages", TEXT, "test_forest_oob_*", "forest"),
    Rule("messages", TEXT, "test_class*_error*", "forest"),
    Rule("messages", TEXT, "test_warm_start_equal_n_estimators*", "forest"),
    Rule("messages", TEXT, "test_poisson_y_positive_check", "forest"),
    Rule("messages", TEXT, "test_max_samples_bootstrap*", "forest"),
    Rule("messages", TEXT, "test_oob_score_*", "bagging"),
    Rule("messages", TEXT, "test_warm_start_equal_n_estimators", "bagging"),
    Rule("messages", TEXT, "test_adaboost_*_weight_error*", "boosting"),
)
