"""Messages: what was given, why it cannot be, and a way out that works."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import silva
from silva import edit

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] > 0).astype(int)
TREE = ["tree_", "grown_tree_", "max_features_", "prune_record_", "summary_"]
FOREST = ["forest_", "trees_", "summary_", "max_features_", "oob_score_", "oob_curve_"]
ALL = ["feature_importances_", "n_features_in_", "n_outputs_", "feature_names_in_"]
CLASSES = ["classes_", "n_classes_"]
MADE_BY_FIT = {
    silva.TreeClassifier: [*TREE, *CLASSES],
    silva.TreeRegressor: TREE,
    silva.StumpClassifier: [*TREE, *CLASSES],
    silva.StumpRegressor: TREE,
    silva.ForestClassifier: [*FOREST, *CLASSES, "oob_decision_function_", "oob_confidence_"],
    silva.ForestRegressor: [*FOREST, "oob_prediction_", "oob_votes_"],
    silva.ExtraTreesClassifier: [*FOREST, *CLASSES],
    silva.ExtraTreesRegressor: FOREST,
    silva.BaggingClassifier: [*FOREST, *CLASSES],
    silva.BaggingRegressor: FOREST,
    silva.AdaBoostClassifier: [
        *("boosted_", "trees_", "estimator_weights_", "estimator_errors_", "margins_"),
        *("stopped_", "summary_", *CLASSES),
    ],
}
PAIRS = [(kind, name) for kind, names in MADE_BY_FIT.items() for name in [*names, *ALL]]


@pytest.mark.parametrize(("kind", "name"), PAIRS)
def test_what_a_fit_makes_is_asked_for_too_early(kind, name):
    model = kind()
    assert not hasattr(model, name)
    with pytest.raises(NotFittedError, match=f"This {kind.__name__} instance is not fitted yet"):
        getattr(model, name)


@pytest.mark.parametrize("kind", MADE_BY_FIT)
def test_other_names_are_no_attributes_fitted_or_not(kind):
    model = kind()
    for _ in range(2):
        with pytest.raises(AttributeError, match="no attribute 'leafs_'") as caught:
            model.leafs_  # noqa: B018
        assert not isinstance(caught.value, NotFittedError)
        model.fit(X, Y)


def test_out_of_bag_and_margins_say_why_they_are_not_there(tmp_path):
    with pytest.raises(AttributeError, match="set oob_score=True before fit"):
        silva.ForestClassifier(2).fit(X, Y).oob_score_  # noqa: B018
    silva.save(silva.AdaBoostClassifier().fit(X, Y), tmp_path / "model.silva")
    with pytest.raises(AttributeError, match=r"loaded from a file.*margin_curve"):
        silva.load(tmp_path / "model.silva").margins_  # noqa: B018


@pytest.mark.parametrize("method", ["get_depth", "get_n_leaves"])
def test_methods_of_an_unfitted_tree(method):
    with pytest.raises(NotFittedError):
        getattr(silva.TreeRegressor(), method)()


@pytest.mark.parametrize("plan", ["ID3", silva.ID3()])
def test_the_advice_for_missing_values_beside_a_plan_works(plan):
    holes = X.copy()
    holes[3, 1] = np.nan
    with pytest.raises(silva.DataError) as caught:
        silva.TreeClassifier(plan=plan).fit(holes, Y)
    advice = "dataclasses.replace(silva.ID3(), missing={'x1': 'majority'})"
    assert f"plan={advice}" in str(caught.value)
    advised = replace(silva.ID3(), missing={"x1": "majority"})
    for kind in (silva.TreeClassifier, silva.ForestClassifier):
        assert kind(plan=advised).fit(holes, Y).predict(holes).shape == (60,)


def test_interval_models_name_the_forest_that_they_take():
    with pytest.raises(silva.PlanError, match=r"such as silva\.ForestRegressor\.$"):
        silva.interval_model(silva.TreeRegressor().fit(X, Y), X, Y)
    with pytest.raises(silva.PlanError, match=r"such as silva\.ForestRegressor\.$"):
        silva.interval_model(silva.AdaBoostClassifier().fit(X, Y), X, Y)


@pytest.mark.parametrize("kind", ["corrected", "drop_column", "permutation"])
def test_importances_without_rows_name_the_kind_that_needs_none(kind):
    model = silva.ForestClassifier(3, random_state=0).fit(X, Y)
    with pytest.raises(silva.DataError, match=r"kind='impurity',? (which )?needs n"):
        silva.importance(model, kind=kind)
    assert len(silva.importance(model, kind="impurity").values) == 3


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"sepal length,sepal width\n5.1,3.5\n", "begins with the text 'sepal length,sepal width'"),
        (b'{"model": "silva", "trees": []}', "as JSON does"),
        (b"PAR1" + bytes(40), "as a Parquet file does"),
        (b"PK\x03\x04" + bytes(40), "a zip archive"),
        (b"\x80\x04\x95" + bytes(40), r"as a pickle does\. pickle.load"),
        (bytes(range(100, 140)), "begins with the"),
        (b"\xff" * 40, "begins with the bytes"),
        (b"", "it is empty"),
        (b"ab", "2 bytes"),
    ],
)
def test_files_of_other_kinds(content, words, tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    with pytest.raises(silva.ModelFormatError, match=rf"x\.csv: is not a silva model.*{words}"):
        silva.load(path)


@pytest.mark.parametrize(
    ("choice", "meant"),
    [
        ({"splits": "one-vs-rest"}, "onevsrest"),
        ({"splits": "one_vs_rest"}, "onevsrest"),
        ({"splits": {"a": "multi-way"}}, "multiway"),
        ({"missing": "own branch"}, "own_branch"),
        ({"unseen": "Majority"}, "majority"),
        ({"criterion": "gain-ratio"}, "gain_ratio"),
        ({"criterion": "log-loss"}, "log_loss"),
        ({"prune": "cost-complexity"}, "cost_complexity"),
        ({"leaf": "m-estimate"}, "m_estimate"),
        ({"thresholds": "break-points"}, "breakpoints"),
        ({"plan": "C4.5"}, "C45"),
        ({"class_weight": "balance"}, "balanced"),
        ({"max_features": "square"}, "sqrt"),
    ],
)
def test_close_spellings_are_recognised(choice, meant):
    with pytest.raises(silva.SilvaError) as caught:
        silva.TreeClassifier(**choice).fit(X, Y)
    assert f"Did you mean {meant!r}?" in str(caught.value)
    assert repr(meant) in str(caught.value).partition("Did you mean")[0] or meant == "log_loss"
    assert "(str)" not in str(caught.value)


@pytest.mark.parametrize(
    ("choice", "meant"),
    [({"bootstrap": "sub-sample"}, "subsample"), ({"vote": "Hard"}, "hard")],
)
def test_close_spellings_in_forests(choice, meant):
    with pytest.raises(silva.PlanError, match=f"Did you mean {meant!r}"):
        silva.ForestClassifier(**choice).fit(X, Y)


FUNCTIONS = {
    "to_text": silva.to_text,
    "bounds": silva.bounds,
    "size_path": lambda model: silva.size_path(model, X, Y),
    "stability": lambda model: silva.stability(model, X, Y, samples=2),
    "importance": lambda model: silva.importance(model, X, Y),
    "impurity": lambda model: silva.importance(model, kind="impurity"),
    "interval_model": lambda model: silva.interval_model(model, X, Y),
    "proximity": lambda model: silva.proximity(model, X),
    "nearest_rows": lambda model: silva.nearest_rows(model, X, X),
    "distil": lambda model: silva.distil(model, X),
    "save": lambda model: silva.save(model, "never.silva"),
    "collapse": lambda model: edit.collapse(model, 0, X, Y),
}
SEARCH = {"treeclassifier__max_depth": [1, 2]}
PIPELINE = make_pipeline(StandardScaler(), silva.TreeClassifier())
HOLDERS = {
    r"last step of the pipeline, model\[-1\]": PIPELINE.fit(X, Y),
    r"model\.best_estimator_\.": GridSearchCV(silva.TreeClassifier(), {"max_depth": [1]}, cv=2).fit(
        X, Y
    ),
    r"model\.best_estimator_\[-1\]": GridSearchCV(PIPELINE, SEARCH, cv=2).fit(X, Y),
}


@pytest.mark.parametrize("words", HOLDERS)
@pytest.mark.parametrize("name", ["size_path", "stability", "interval_model", "distil", "collapse"])
def test_where_a_new_model_is_made_the_model_itself_is_asked_for(name, words):
    with pytest.raises((TypeError, silva.PlanError), match=words):
        FUNCTIONS[name](HOLDERS[words])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_estimators_of_others_are_refused_with_a_sentence(name):
    with pytest.raises((TypeError, silva.PlanError), match="DecisionTreeClassifier"):
        FUNCTIONS[name](DecisionTreeClassifier().fit(X, Y))


@pytest.mark.parametrize("name", ["to_text", "bounds", "impurity", "save", "collapse"])
def test_unfitted_models_are_told_to_fit(name):
    with pytest.raises(NotFittedError, match="call fit first"):
        FUNCTIONS[name](silva.TreeClassifier())


@pytest.mark.parametrize(
    "draw",
    [
        silva.plot_pruning,
        silva.plot_size_path,
        silva.plot_stability,
        silva.plot_margins,
        silva.plot_importance,
    ],
)
def test_drawings_take_what_was_measured_and_not_the_model(draw):
    with pytest.raises(silva.PlanError, match="TreeClassifier is not possible: give"):
        draw(silva.TreeClassifier().fit(X, Y))


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("RandomForestClassifier", "ForestClassifier"),
        ("RandomForestRegressor", "ForestRegressor"),
        ("DecisionTreeClassifier", "TreeClassifier"),
        ("DecisionTreeRegressor", "TreeRegressor"),
        ("ExtraTreeClassifier", "TreeClassifier(splitter='random')"),
        ("ExtraTreeRegressor", "TreeRegressor(splitter='random')"),
        ("export_text", "to_text"),
        ("export_graphviz", "to_svg"),
        ("TreeClasifier", "TreeClassifier"),
    ],
)
def test_names_of_others_lead_to_ours(name, ours):
    with pytest.raises(AttributeError) as caught:
        getattr(silva, name)
    assert str(caught.value).endswith(f"Did you mean silva.{ours}?")
    eval(f"silva.{ours}")


def test_a_name_like_no_other_has_no_hint():
    with pytest.raises(AttributeError, match=r"no attribute 'qqq'$"):
        silva.qqq  # noqa: B018
