"""scikit-learn's own checks over many settings of every estimator.

Every setting runs every check; SLOW ones, which grow trees for folds or prune many trees, do so
where SILVA_THOROUGH is set. Checks that fail are those listed here, each with its reason, and no
others: a check that is listed and passes fails the test too.
"""

import os

import pytest
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

import silva
from silva import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    ForestClassifier,
    ForestRegressor,
    OptimalTreeClassifier,
    StumpClassifier,
    StumpRegressor,
    TreeClassifier,
    TreeRegressor,
)

WEIGHTS = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)
DRAWN = dict.fromkeys(WEIGHTS, "a row of weight 2 is drawn once, two copies of it twice")
FOLDS = dict.fromkeys(WEIGHTS, "folds and held-out rows are drawn among rows, not copies")
C45_ROWS = dict.fromkeys(WEIGHTS, "C4.5 asks for children of 2 rows, whatever their weight")
IN_PLAN = {"check_class_weight_classifiers": "min_weight_fraction_leaf belongs to the plan"}
INFINITE = {"check_estimators_nan_inf": "infinity is a number, with missing='error' too"}
LIGHT_LEAVES = {"check_class_weight_classifiers": "there is no min_weight_fraction_leaf"}
BALANCED = {"check_class_weight_classifiers": "balanced classes take no other weights"}
COUNTED = {"check_class_weight_classifiers": "the bound counts rows, and refuses other weights"}
UNWEIGHTED = dict.fromkeys(
    (
        *WEIGHTS,
        "check_sample_weights_list",
        "check_sample_weights_not_overwritten",
        "check_class_weight_classifiers",
    ),
    "the bound counts rows and refuses weights",
)

TREES = [
    *(TreeClassifier(criterion=name) for name in ("entropy", "log_loss", "error", "gain_ratio")),
    TreeRegressor(criterion="poisson"),
    StumpClassifier(criterion="entropy"),
    StumpRegressor(criterion="poisson"),
    TreeClassifier(splitter="random", max_features="sqrt", random_state=3),
    TreeRegressor(splitter="random", max_features=0.5, random_state=3),
    TreeClassifier(max_leaf_nodes=4),
    TreeRegressor(max_leaf_nodes=4, min_samples_split=0.2),
    TreeClassifier(min_gain=0.01, class_weight="balanced"),
    TreeClassifier(min_samples_leaf=0.1, min_weight_fraction_leaf=0.05),
    TreeClassifier(thresholds="breakpoints", min_impurity_decrease=0.01),
    TreeClassifier(ccp_alpha=0.01),
    TreeRegressor(ccp_alpha=0.01),
    *(TreeClassifier(splits=kind) for kind in ("onevsrest", "oblique", "distance")),
    TreeRegressor(splits=["oblique", "distance"]),
    TreeClassifier(categorical_features=[0], splits="multiway"),
    *(TreeClassifier(missing=kind, unseen=kind) for kind in ("majority", "own_branch", "stop")),
    *(TreeRegressor(missing=kind) for kind in ("own_branch", "stop")),
    *(TreeClassifier(leaf=kind) for kind in ("laplace", "m_estimate", "linear")),
    TreeRegressor(leaf="linear", max_depth=2),
    TreeClassifier(n_jobs=2),
]
PRUNED = [
    *(TreeClassifier(prune=kind) for kind in ("accuracy_threshold", "minimum_error")),
    *(TreeClassifier(prune=kind) for kind in (silva.MaxLeaves(4), silva.CriticalValue(0.05))),
    *(kind(prune="pessimistic") for kind in (TreeClassifier, TreeRegressor)),
]
PRUNED_BY_DRAWN_ROWS = [
    *(kind(prune="reduced_error") for kind in (TreeClassifier, TreeRegressor)),
    TreeRegressor(prune="cost_complexity"),
]
DRAWING = [
    ForestClassifier(5, bootstrap="subsample", vote="hard"),
    ForestClassifier(5, oob_score=True, criterion="entropy"),
    ForestClassifier(5, early_stopping=True, n_iter_no_change=2),
    ForestRegressor(5, early_stopping=True, n_iter_no_change=2, bootstrap="subsample"),
    ForestClassifier(5, criterion="gain_ratio", class_weight="balanced"),
    ForestClassifier(5, criterion="error", max_samples=0.5),
    ForestRegressor(5, criterion="poisson", oob_score=True),
    ForestRegressor(5, ccp_alpha=0.01),
    ForestClassifier(5, leaf="laplace", max_leaf_nodes=4),
    ForestRegressor(5, leaf="linear"),
    ForestClassifier(5, splits="oblique"),
    ForestClassifier(5, missing="own_branch"),
    ForestRegressor(5, missing="stop"),
    ForestClassifier(5, warm_start=True, n_jobs=2),
    ExtraTreesClassifier(5, bootstrap=True, oob_score=True),
    BaggingClassifier(TreeClassifier(leaf="m_estimate", max_depth=3), 5),
    BaggingRegressor(TreeRegressor(criterion="poisson"), 5),
    BaggingClassifier(n_estimators=5, max_features=0.5),
    BaggingClassifier(n_estimators=5, bootstrap="subsample", max_samples=0.7, vote="hard"),
    BaggingRegressor(n_estimators=5, oob_score=True),
]
NOT_DRAWING = [
    ForestClassifier(5, bootstrap=False),
    ExtraTreesClassifier(5, vote="hard", criterion="entropy"),
    ExtraTreesRegressor(5, criterion="poisson"),
    BaggingRegressor(n_estimators=5, bootstrap=False, max_features=0.5),
    AdaBoostClassifier(n_estimators=5, learning_rate=0.3, n_jobs=2),
    AdaBoostClassifier(TreeClassifier(criterion="entropy", max_depth=2), n_estimators=5),
    AdaBoostClassifier(TreeClassifier(leaf="laplace", max_depth=2), n_estimators=5),
    AdaBoostClassifier(TreeClassifier(prune="minimum_error"), n_estimators=5),
    AdaBoostClassifier(TreeClassifier(splitter="random", max_depth=3), n_estimators=9),
]
SETTINGS = [
    *((model, {}) for model in (*TREES, *PRUNED, *NOT_DRAWING)),
    *((model, FOLDS) for model in PRUNED_BY_DRAWN_ROWS),
    *((model, DRAWN) for model in DRAWING),
    (TreeClassifier(prune="generalisation_bound"), UNWEIGHTED),
    (TreeClassifier(missing="error", unseen="error"), INFINITE),
    (OptimalTreeClassifier(max_depth=2, time_limit=1), LIGHT_LEAVES),
    (OptimalTreeClassifier(max_depth=2, objective="balanced"), BALANCED),
    (OptimalTreeClassifier(objective="bound", time_limit=1), COUNTED),
    (OptimalTreeClassifier(max_depth=2, leaf_penalty=0.05, missing="error"), INFINITE),
    (OptimalTreeClassifier(time_limit=0, max_bins=5), LIGHT_LEAVES),
    (TreeClassifier(plan="ID3"), INFINITE | IN_PLAN),
    (TreeClassifier(plan="C45"), C45_ROWS | IN_PLAN),
]
SLOW = [
    *((kind(prune="auto"), FOLDS) for kind in (TreeClassifier, TreeRegressor)),
    (TreeClassifier(prune="cost_complexity"), FOLDS),
    (TreeClassifier(plan="CART"), FOLDS | IN_PLAN),
    (TreeRegressor(plan="CART"), FOLDS),
    (ForestClassifier(5, prune="reduced_error"), DRAWN),
    (ForestClassifier(5, plan="C45"), DRAWN | IN_PLAN),
    (ForestClassifier(5, plan="ID3"), DRAWN | IN_PLAN | INFINITE),
    (BaggingClassifier(TreeClassifier(leaf="linear"), 5), DRAWN),
    (AdaBoostClassifier(TreeClassifier(plan="C45"), n_estimators=5), C45_ROWS),
    (AdaBoostClassifier(TreeClassifier(prune="pessimistic"), n_estimators=5), {}),
]


def failures(model):
    """The checks that fail, with the first line of what they say."""
    seeded = model.set_params(random_state=0)
    results = check_estimator(seeded, on_skip=None, on_fail=None)
    return {
        one["check_name"]: str(one["exception"]).strip().split("\n")[0]
        for one in results
        if one["status"] == "failed"
    }


def test_there_are_settings_of_every_estimator():
    assert len(SETTINGS) >= 30
    assert {type(model) for model, _ in SETTINGS} == {
        value
        for name, value in vars(silva).items()
        if isinstance(value, type) and name.endswith(("Classifier", "Regressor"))
    }


def named(settings):
    return [pytest.param(*one, id=" ".join(str(one[0]).split())) for one in settings]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("model", "expected"), named(SETTINGS))
def test_scikit_learns_checks(model, expected):
    found = failures(model)
    assert {name: text for name, text in found.items() if name not in expected} == {}
    assert set(found) == set(expected)


@pytest.mark.skipif("SILVA_THOROUGH" not in os.environ, reason="takes seconds: SILVA_THOROUGH=1")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("model", "expected"), named(SLOW))
def test_scikit_learns_checks_of_slow_settings(model, expected):
    test_scikit_learns_checks(model, expected)


@pytest.mark.parametrize(
    ("model", "allows"),
    [
        (TreeClassifier(), True),
        (TreeClassifier(missing="error"), False),
        (OptimalTreeClassifier(), True),
        (OptimalTreeClassifier(missing="error"), False),
        (TreeClassifier(missing={"a": "error"}), True),
        (TreeClassifier(plan="ID3"), False),
        (TreeClassifier(plan=silva.C45()), True),
        (TreeRegressor(plan="ID3"), True),
        (StumpRegressor(missing="error"), False),
        (ForestClassifier(missing="error"), False),
        (ForestClassifier(missing="stop"), True),
        (BaggingRegressor(TreeRegressor(missing="error")), False),
        (BaggingRegressor(), True),
        (AdaBoostClassifier(TreeClassifier(plan="ID3")), False),
        (AdaBoostClassifier(), True),
    ],
    ids=str,
)
def test_the_tag_of_missing_values_follows_the_policy(model, allows):
    assert get_tags(model).input_tags.allow_nan is allows


@pytest.mark.parametrize(
    ("model", "positive"),
    [
        (TreeRegressor(criterion="poisson"), True),
        (TreeRegressor(plan=silva.Plan("regression", "poisson")), True),
        (TreeRegressor(), False),
        (StumpRegressor(criterion="poisson"), True),
        (ForestRegressor(criterion="poisson"), True),
        (ExtraTreesRegressor(), False),
        (BaggingRegressor(TreeRegressor(criterion="poisson")), True),
        (BaggingRegressor(), False),
        (TreeRegressor(criterion="poisson", max_depth=-1), False),
    ],
    ids=str,
)
def test_the_tag_of_positive_targets_follows_the_criterion(model, positive):
    assert get_tags(model).target_tags.positive_only is positive
