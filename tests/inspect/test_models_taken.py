"""What the functions of silva are given: each takes it, or says in a sentence what it takes."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import silva
from silva.errors import PlanError, SilvaError

TABLE = np.random.default_rng(0).random((40, 3))
TARGET = (TABLE[:, 0] > 0.5).astype(int)
PIPELINE = make_pipeline(StandardScaler(), silva.TreeClassifier())
MODELS = {
    "tree": silva.TreeClassifier(max_depth=2),
    "numbers": silva.TreeRegressor(max_depth=2),
    "forest": silva.ForestClassifier(15, oob_score=True, random_state=0),
    "forest of numbers": silva.ForestRegressor(15, oob_score=True, random_state=0),
    "bagging": silva.BaggingClassifier(n_estimators=3, random_state=0),
    "boosted": silva.AdaBoostClassifier(n_estimators=3),
    "pipeline": PIPELINE,
    "foreign": DecisionTreeClassifier(),
}
FEW = {"max_depth": [2], "min_samples_split": [4], "min_samples_leaf": [2]}
CALLS = {
    "to_text": lambda model: silva.to_text(model),
    "bounds": lambda model: silva.bounds(model, TABLE, TARGET),
    "size_path": lambda model: silva.size_path(model, TABLE, TARGET, 3),
    "stability": lambda model: silva.stability(model, TABLE, TARGET, 3),
    "plot_pruning": lambda model: silva.plot_pruning(model),
    "plot_size_path": lambda model: silva.plot_size_path(model),
    "plot_stability": lambda model: silva.plot_stability(model),
    "plot_margins": lambda model: silva.plot_margins(model),
    "plot_importance": lambda model: silva.plot_importance(model),
    "decision_regions": lambda model: silva.plot.decision_regions(model, TABLE, TARGET),
    "regression_surface": lambda model: silva.plot.regression_surface(model, TABLE, TARGET),
    "complexity": lambda model: silva.plot.complexity(model, TABLE, TARGET, cv=2, values=FEW),
    "learning_curve": lambda model: silva.plot.learning_curve(
        model, TABLE, TARGET, cv=2, sizes=[9]
    ),
    "leaf_distributions": lambda model: silva.plot.leaf_distributions(model, TABLE, TARGET),
    "confusion_by_leaf": lambda model: silva.plot.confusion_by_leaf(model, TABLE, TARGET),
    "importance": lambda model: silva.importance(model, TABLE, TARGET),
    "impurity": lambda model: silva.importance(model, kind="impurity"),
    "interval_model": lambda model: silva.interval_model(model, TABLE, TARGET),
    "proximity": lambda model: silva.proximity(model, TABLE),
    "nearest_rows": lambda model: silva.nearest_rows(model, TABLE, k=2),
    "distil": lambda model: silva.distil(model, TABLE, 100),
    "collapse": lambda model: silva.edit.collapse(model, 0, TABLE, TARGET),
    "competing_splits": lambda model: silva.edit.competing_splits(model, 0, TABLE, TARGET),
}


def given(name, fitted):
    model = MODELS[name]
    copy = type(model)(**model.get_params(deep=False))
    return copy.fit(TABLE, TARGET) if fitted else copy


def refusal(call, model):
    """The sentence that refuses the model; None if it is taken. An accident fails the test."""
    try:
        call(model)
    except (SilvaError, NotFittedError) as error:
        return str(error)
    except TypeError as error:
        if " takes a " not in str(error) and " shows one tree" not in str(error):
            raise
        return str(error)
    return None


@pytest.mark.parametrize("fitted", [True, False], ids=["fitted", "new"])
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("call", CALLS)
def test_no_function_fails_by_accident(call, name, fitted):
    sentence = refusal(CALLS[call], given(name, fitted))
    assert sentence is None or len(sentence) > 30


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("odd", [None, "tree", silva.TreeClassifier, silva.ForestClassifier, {}])
def test_what_is_no_model_is_refused(call, odd):
    sentence = refusal(CALLS[call], odd)
    assert sentence is not None
    assert len(sentence) > 30


@pytest.mark.parametrize("name", ["forest", "forest of numbers", "bagging", "boosted"])
@pytest.mark.parametrize("fitted", [True, False], ids=["fitted", "new"])
def test_templates_of_one_tree_are_asked_for(name, fitted):
    kind = type(MODELS[name]).__name__
    with pytest.raises(PlanError, match=rf"model={kind} .* grows many trees.*silva\.Tree"):
        CALLS["size_path"](given(name, fitted))


@pytest.mark.parametrize("call", ["size_path", "stability"])
def test_the_last_step_of_a_pipeline_is_asked_for(call):
    with pytest.raises(PlanError, match=r"Give the last step of the pipeline, model\[-1\]"):
        CALLS[call](PIPELINE)
    assert refusal(CALLS[call], PIPELINE[-1]) is None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("plot_pruning", "record=TreeClassifier .* prune_record_"),
        ("plot_size_path", r"path=TreeClassifier .* silva\.size_path\("),
        ("plot_stability", r"found=TreeClassifier .* silva\.stability\("),
        ("plot_margins", r"curve=TreeClassifier .* margin_curve\("),
        ("plot_importance", r"found=TreeClassifier .* silva\.importance\("),
    ],
)
def test_pictures_are_drawn_of_records(call, words):
    with pytest.raises(PlanError, match=words):
        CALLS[call](given("tree", True))


class Scaled:
    """Models behind a step that changes their columns, and the tables that they then see."""

    steps = StandardScaler().set_output(transform="pandas")
    frame = pd.DataFrame(TABLE, columns=["a", "b", "c"])
    seen = steps.fit_transform(frame)

    @classmethod
    def pairs(cls, model):
        """A pipeline and a search with the model at their ends, and the model inside."""
        pipeline = make_pipeline(cls.steps, clone(model)).fit(cls.frame, TARGET)
        yield pipeline, pipeline[-1]
        search = GridSearchCV(pipeline, {f"{pipeline.steps[-1][0]}__min_samples_leaf": [2]}, cv=2)
        search.fit(cls.frame, TARGET)
        yield search, search.best_estimator_[-1]


TAKEN = {
    "to_text": lambda model, X: silva.to_text(model),
    "bounds": lambda model, X: silva.bounds(model, X, TARGET),
    "impurity": lambda model, X: silva.importance(model, kind="impurity"),
    "corrected": lambda model, X: silva.importance(model, X, TARGET, repeats=2),
    "permutation": lambda model, X: silva.importance(
        model, kind="permutation", X_val=X, y_val=TARGET
    ),
    "model_info": lambda model, X: silva.inspect.model_info(model),
    "differences": lambda model, X: silva.inspect.differences(model, model),
}


@pytest.mark.parametrize("call", TAKEN)
def test_pipelines_and_searches_are_the_model_at_their_end(call):
    for outer, inner in Scaled.pairs(silva.TreeClassifier(max_depth=2)):
        assert str(TAKEN[call](outer, Scaled.frame)) == str(TAKEN[call](inner, Scaled.seen))


def test_forests_in_pipelines_are_asked_about_the_rows_that_they_see():
    forest = silva.ForestClassifier(15, oob_score=True, random_state=0)
    for outer, inner in Scaled.pairs(forest):
        for ask in (
            lambda model, X: silva.importance(model, X, TARGET, "permutation").values,
            lambda model, X: silva.proximity(model, X).toarray(),
            lambda model, X: silva.proximity(model, X, out_of_bag=True, y=TARGET).toarray(),
            lambda model, X: silva.nearest_rows(model, X, k=2).rows,
        ):
            assert np.array_equal(ask(outer, Scaled.frame), ask(inner, Scaled.seen))


def test_columns_have_the_names_that_the_steps_put_out():
    model = make_pipeline(StandardScaler(), silva.TreeClassifier(max_depth=2))
    model.fit(Scaled.frame, TARGET)
    assert silva.to_text(model).count("a <") == 1
    assert silva.importance(model, Scaled.frame, TARGET, repeats=2).names == ("a", "b", "c")


def test_a_search_is_saved_as_its_model_and_a_pipeline_not_at_all(tmp_path):
    path = tmp_path / "model.silva"
    search = GridSearchCV(silva.TreeClassifier(), {"max_depth": [1, 2]}, cv=2).fit(TABLE, TARGET)
    silva.save(search, path)
    loaded = silva.load(path)
    assert loaded.get_params() == search.best_estimator_.get_params()
    assert loaded.predict(TABLE).tolist() == search.predict(TABLE).tolist()
    silva.save(make_pipeline(silva.TreeClassifier()).fit(TABLE, TARGET), path)
    assert loaded.predict(TABLE).tolist() == search.predict(TABLE).tolist()
    with pytest.raises(TypeError, match=r"joblib\.dump.*silva\.save\(model\[-1\], path\)"):
        silva.save(make_pipeline(StandardScaler(), silva.TreeClassifier()).fit(TABLE, TARGET), path)
    for outer, _ in list(Scaled.pairs(silva.TreeClassifier()))[1:]:
        with pytest.raises(TypeError, match=r"model\.best_estimator_\[:-1\]\.transform"):
            silva.save(outer, path)
    with pytest.raises(TypeError, match="Give the model that was found"):
        silva.save(GridSearchCV(silva.TreeClassifier(), {"max_depth": [1]}), path)
