"""LeafFeatures: columns against an oracle, names, the linear identity, use in scikit-learn."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LassoCV, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import silva
from silva import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    DataError,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    ForestClassifier,
    ForestRegressor,
    LeafFeatures,
    PlanError,
    StumpClassifier,
    StumpRegressor,
    TreeClassifier,
    TreeRegressor,
)
from silva.data.bind import bind_prediction
from silva.ensemble.boosted import votes
from silva.inspect.node_columns import column_names, node_columns
from silva.inspect.rules.conditions import Regions, is_empty
from silva.inspect.rules.lexicon import Lexicon
from silva.inspect.rules.matching import matching
from silva.tree import stats
from tests.tree.tree_samples import price_tree, trees

RNG = np.random.default_rng(3)
X = RNG.normal(size=(80, 4))
X[RNG.random(X.shape) < 0.1] = np.nan
NUMBERS = np.nansum(X, axis=1) + RNG.normal(size=80)
CLASSES = np.array(["a", "b", "c"])[np.digitize(NUMBERS, [-1, 1])]
LEVELS = ["red", "green", "blue"]
POLICIES = st.sampled_from(["learn", "majority", "own_branch", "stop"])

TREES = [
    TreeRegressor(),
    TreeRegressor(missing="stop", max_depth=4),
    TreeClassifier(max_depth=4),
    TreeClassifier(missing="stop"),
    TreeClassifier(missing="stop", leaf="laplace", max_depth=3),
    TreeClassifier(missing="own_branch", leaf="m_estimate", max_depth=3),
    TreeClassifier(class_weight="balanced", max_depth=3),
    TreeClassifier(splits="oblique", max_depth=3),
    StumpClassifier(),
    StumpRegressor(missing="stop"),
]
FORESTS = [
    ForestRegressor(7, random_state=0),
    ForestRegressor(5, missing="stop", max_depth=4, random_state=0),
    ForestClassifier(7, random_state=0, min_samples_leaf=3),
    ForestClassifier(5, missing="stop", leaf="laplace", max_depth=4, random_state=0),
    ExtraTreesClassifier(3, random_state=0, max_depth=4),
    ExtraTreesRegressor(3, random_state=0, max_depth=4),
    BaggingClassifier(TreeClassifier(max_depth=3), n_estimators=3, random_state=0),
    ForestClassifier(6, vote="hard", random_state=0, max_depth=4),
    BaggingRegressor(TreeRegressor(max_depth=3), n_estimators=6, random_state=0),
]
BOOSTED = [
    AdaBoostClassifier(n_estimators=8),
    AdaBoostClassifier(TreeClassifier(max_depth=2, missing="stop"), n_estimators=5),
]


def target_of(model):
    return NUMBERS if model._task == "regression" else CLASSES


def fitted(model):
    return clone(model).fit(X, target_of(model))


def trees_of(model):
    return [model.grown_tree_] if hasattr(model, "grown_tree_") else list(model.trees_)


def regions_of(tree, features):
    """Nodes and their conditions: those where rows can end, or all but the root."""
    regions = Regions(tree)
    nodes = range(tree.n_nodes) if features == "leaves" else range(1, tree.n_nodes)
    region = regions.of_end if features == "leaves" else regions.of_node
    found = [(node, region(node)) for node in nodes]
    return [(node, told) for node, told in found if not any(is_empty(one) for one in told)]


def oracle(model, table, features):
    """The dense matrix: which rows satisfy the conditions of each node, by comparing values."""
    rows = bind_prediction(table, trees_of(model)[0].schema)
    columns = []
    for tree in trees_of(model):
        for _, conditions in regions_of(tree, features):
            column = np.zeros(rows.n_rows)
            column[matching(conditions, rows, np.arange(rows.n_rows))] = 1.0
            columns.append(column)
    return np.array(columns).reshape(-1, rows.n_rows).T


def exact_mean(columns, values, n_trees):
    """The sum of each row's values as a fraction, divided by the trees, rounded once."""
    values = values.reshape(len(values), -1)
    rows = np.split(columns.indices, columns.indptr[1:-1])
    means = [
        [
            float(sum(map(Fraction, one)) / n_trees)
            for one in zip(*values[row].tolist(), strict=True)
        ]
        for row in rows
    ]
    return np.array(means)


@pytest.mark.parametrize("model", TREES + FORESTS + BOOSTED, ids=str)
@pytest.mark.parametrize("features", ["leaves", "rules"])
def test_columns_are_the_conditions_of_the_nodes(model, features):
    made = LeafFeatures(fitted(model), features)
    columns = made.transform(X)
    assert columns.dtype == np.float64
    assert np.array_equal(columns.toarray(), oracle(made.model, X, features))
    assert columns.has_sorted_indices
    assert set(columns.data) <= {1.0}
    if features == "leaves":
        n_trees = len(trees_of(made.model))
        assert np.array_equal(columns.indptr, np.arange(len(X) + 1) * n_trees)


@pytest.mark.parametrize("model", TREES + FORESTS, ids=str)
def test_columns_are_those_of_decision_path_and_apply(model):
    model = fitted(model)
    path, ends = model.decision_path(X), model.apply(X)
    if not isinstance(path, tuple):
        path, ends = (path, [0, path.shape[1]]), ends[:, np.newaxis]
    path, first = path
    inner = np.setdiff1d(np.arange(first[-1]), first[:-1])
    rules = LeafFeatures(model, "rules").transform(X).toarray()
    passed = path[:, inner].toarray()
    reached = passed.any(axis=0)
    assert np.array_equal(rules[:, rules.any(axis=0)], passed[:, reached])
    leaves = LeafFeatures(model).transform(X)
    places, columns = (ends + first[:-1]).ravel(), leaves.indices
    assert len({*zip(places, columns, strict=True)}) == len({*places}) == len({*columns})


@st.composite
def tables(draw):
    n_rows = draw(st.integers(4, 25))
    several = {"min_size": n_rows, "max_size": n_rows}
    numbers = st.sampled_from([math.nan, 0.0, 1.0, 1.5, 2.0, 5.0])
    words = st.sampled_from([None, *LEVELS])
    return pd.DataFrame(
        {
            "size": draw(st.lists(numbers, **several)),
            "color": pd.Series(draw(st.lists(words, **several)), dtype="category"),
            "width": draw(st.lists(numbers, **several)),
        }
    )


@settings(max_examples=40)
@given(
    table=tables(),
    seed=st.integers(0, 2**31),
    missing=POLICIES,
    unseen=POLICIES,
    splits=st.sampled_from([None, "multiway"]),
    regression=st.booleans(),
    weighted=st.booleans(),
)
def test_random_tables(table, seed, missing, unseen, splits, regression, weighted):
    rng = np.random.default_rng(seed)
    target = rng.integers(0, 3, len(table)) * (1.7 if regression else 1)
    kind = TreeRegressor if regression else TreeClassifier
    model = kind(missing=missing, unseen=unseen, splits=splits, categorical_features=["color"])
    weights = rng.integers(1, 4, len(table)) if weighted else None
    new = table.sample(30, replace=True, random_state=seed % 1000).reset_index(drop=True)
    new["color"] = new["color"].astype(object)
    new.loc[::5, "color"] = "purple"
    new.loc[::7, ["size", "color"]] = [math.nan, None]
    made = LeafFeatures(model).fit(table, target, sample_weight=weights)
    columns, names = made.transform(new), made.get_feature_names_out()
    assert np.array_equal(columns.toarray(), oracle(made.model_, new, "leaves"))
    assert (columns.sum(axis=1) == 1).all()
    assert len(set(names)) == len(names) == columns.shape[1]
    want = made.model_.predict(new) if regression else made.model_.predict_proba(new)
    assert np.array_equal(columns @ made.weights(), want)
    rules = made.set_params(features="rules").transform(new).toarray()
    assert np.array_equal(rules, oracle(made.model_, new, "rules"))


@given(trees())
@settings(max_examples=40)
def test_names_of_any_tree_are_unique(tree):
    lexicon = Lexicon(tree.schema)
    for chosen in ("leaves", "rules"):
        names = column_names([tree], chosen, lexicon, many=False)
        assert len(set(names)) == len(names) == len(node_columns([tree], chosen))


@pytest.mark.parametrize("model", TREES, ids=str)
def test_a_tree_is_its_linear_model_to_the_last_bit(model):
    made = LeafFeatures(model).fit(X, target_of(model))
    one = made.model_
    want = one.predict(X) if one._task == "regression" else one.predict_proba(X)
    assert np.array_equal(made.transform(X) @ made.weights(), want)
    assert np.array_equal(made.values(), made.weights())


@pytest.mark.parametrize("model", FORESTS, ids=str)
def test_a_forest_is_the_exact_mean_of_its_trees_to_the_last_bit(model):
    made = LeafFeatures(model).fit(X, target_of(model))
    forest, columns = made.model_, made.transform(X)
    if forest._task == "regression":
        want = forest.predict(X)[:, np.newaxis]
    else:
        want = forest.predict_proba(X)
    assert np.array_equal(exact_mean(columns, made.values(), len(forest)), want)
    plain = (columns @ made.weights()).reshape(want.shape)
    assert np.allclose(plain, want, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("model", BOOSTED, ids=str)
def test_adaboost_is_the_linear_model_of_its_votes_to_the_last_bit(model):
    made = LeafFeatures(model).fit(X, CLASSES)
    boosted = made.model_
    found = made.transform(X) @ made.weights()
    assert np.array_equal(found, votes(*boosted._asked(X)).by_class)
    assert np.array_equal(boosted.classes_[found.argmax(axis=1)], boosted.predict(X))
    assert set(made.values().ravel()) == {0.0, 1.0}


def test_names_say_the_exact_conditions():
    table = pd.DataFrame({"income": [1.0, 2.0, 4.0, 5.0], "town": list("xyxy")})
    made = LeafFeatures(TreeRegressor(), "rules").fit(table, [0.0, 1.0, 5.0, 9.0])
    assert made.get_feature_names_out().tolist() == [
        "income < 3 or missing",
        "income < 1.5 or missing",
        "1.5 <= income < 3",
        "income >= 3",
        "3 <= income < 4.5",
        "income >= 4.5",
    ]


def test_places_where_rows_stop_have_columns_of_their_own():
    made = LeafFeatures(StumpRegressor(missing="stop")).fit([[1.0], [2.0], [4.0]], [0.0, 1.0, 8.0])
    assert made.get_feature_names_out().tolist() == ["x0 is missing", "x0 < 3", "x0 >= 3"]
    assert made.transform([[math.nan], [3.0]]).toarray().tolist() == [[1, 0, 0], [0, 0, 1]]
    assert made.weights().tolist() == [3.0, 0.5, 8.0]


def test_rows_that_binding_refuses_have_no_column():
    rows = [[1.0], [2.0], [4.0]]
    made = LeafFeatures(StumpRegressor(missing="error")).fit(rows, [0.0, 1.0, 8.0])
    assert made.get_feature_names_out().tolist() == ["x0 < 3", "x0 >= 3"]
    with pytest.raises(DataError, match="missing"):
        made.transform([[math.nan]])


def test_one_leaf():
    made = LeafFeatures(TreeRegressor()).fit([[1.0], [2.0]], [3.0, 3.0])
    assert made.get_feature_names_out().tolist() == ["all rows"]
    assert (made.transform([[9.0]]) @ made.weights()).tolist() == [3.0]
    rules = LeafFeatures(made.model_, "rules")
    assert rules.transform([[9.0]]).shape == (1, 0)
    assert rules.get_feature_names_out().tolist() == []


def test_columns_of_an_ensemble_name_their_tree():
    names = LeafFeatures(ForestRegressor(2, max_depth=1, random_state=0)).fit(X, NUMBERS)
    told = names.get_feature_names_out()
    assert told.dtype == object
    assert [name.partition(": ")[0] for name in told] == ["tree 0", "tree 0", "tree 1", "tree 1"]


def test_names_that_the_step_before_puts_out():
    table = pd.DataFrame(X, columns=["age", "income", "loan", "size"])
    pipeline = make_pipeline(StandardScaler(), LeafFeatures(TreeClassifier(max_depth=1)))
    names = pipeline.fit(table, CLASSES).get_feature_names_out()
    assert all(name.split()[0] in table.columns for name in names)
    made = pipeline[-1]
    with pytest.raises(DataError, match=r"length equal to number of features \(4\), got 1"):
        made.get_feature_names_out(["age"])


def test_a_pipeline_as_model():
    table = pd.DataFrame(X, columns=["age", "income", "loan", "size"])
    inner = make_pipeline(StandardScaler(), TreeClassifier(max_depth=2))
    made = LeafFeatures(inner).fit(table, CLASSES)
    assert np.array_equal(made.transform(table) @ made.weights(), made.model_.predict_proba(table))
    assert all(name.strip("(").split()[0] in table.columns for name in made.get_feature_names_out())
    reduced = LeafFeatures(make_pipeline(PCA(4), TreeClassifier(max_depth=1)))
    reduced.fit(np.nan_to_num(X), CLASSES)
    assert all("pca" in name for name in reduced.get_feature_names_out(["age", "a", "b", "c"]))
    search = LeafFeatures(GridSearchCV(TreeClassifier(), {"max_depth": [1, 2]}, cv=2))
    assert (search.fit_transform(table, CLASSES).sum(axis=1) == 1).all()


@pytest.mark.parametrize("frame", [np.asarray, pd.DataFrame, pl.DataFrame, csr_array])
def test_every_kind_of_table(frame):
    rows = np.nan_to_num(X)
    table = frame(rows) if frame is not pl.DataFrame else pl.DataFrame(rows, schema=list("abcd"))
    made = LeafFeatures(ForestClassifier(2, random_state=0, max_depth=3)).fit(table, CLASSES)
    want = LeafFeatures(ForestClassifier(2, random_state=0, max_depth=3)).fit(rows, CLASSES)
    assert (made.transform(table) != want.transform(rows)).nnz == 0


@pytest.mark.parametrize(("interface", "kind"), [("spmatrix", csr_matrix), ("sparray", csr_array)])
def test_the_result_has_the_configured_kind(interface, kind):
    made = LeafFeatures(fitted(TreeClassifier(max_depth=2)))
    with sklearn.config_context(sparse_interface=interface):
        assert type(made.transform(X)) is kind


def test_a_fitted_model_needs_no_fit_and_fit_fits_a_clone():
    model = TreeClassifier(max_depth=1).fit(X, CLASSES)
    made = LeafFeatures(model)
    assert made.transform(X).shape == (80, 2)
    assert made.n_features_in_ == 4
    assert not hasattr(made, "model_")
    made.fit(X[:40], CLASSES[:40])
    assert made.model is model
    assert made.model_ is not model
    assert np.array_equal(made.model_.predict(X), clone(model).fit(X[:40], CLASSES[:40]).predict(X))


def test_a_frozen_model_is_kept_by_fit_and_clone():
    model = fitted(ForestClassifier(2, max_depth=2, random_state=0))
    made = LeafFeatures(FrozenEstimator(model))
    assert (made.transform(X) != LeafFeatures(model).transform(X)).nnz == 0
    again = clone(made).fit(X[:10])
    assert again.model_.estimator is model
    assert np.array_equal(again.weights(), LeafFeatures(model).weights())
    pipeline = make_pipeline(made, LogisticRegression()).fit(X, CLASSES)
    assert pipeline[0].model_.estimator is model


def test_a_tree_without_estimator():
    made = LeafFeatures(price_tree())
    assert made.n_features_in_ == len(price_tree().schema)
    assert len(made.get_feature_names_out()) == len(made.weights())
    with pytest.raises(PlanError, match=r"a Tree cannot be fitted\. Call transform without fit"):
        made.fit(X, NUMBERS)


def test_a_distilled_tree():
    forest = ForestClassifier(3, random_state=0).fit(np.nan_to_num(X), CLASSES)
    found = silva.distil(forest, np.nan_to_num(X), n_rows=300, max_leaves=4)
    made = LeafFeatures(found)
    assert made.n_features_in_ == 4
    assert np.array_equal(made.transform(X) @ made.weights(), found.model.predict_proba(X))
    with pytest.raises(PlanError, match="a Distilled cannot be fitted"):
        made.fit(X, CLASSES)


def test_requests_for_weights_are_routed():
    weights = np.where(CLASSES == "a", 0.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        leaves = LeafFeatures(TreeClassifier()).set_fit_request(sample_weight=True)
        last = LogisticRegression().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(leaves, last).fit(X, CLASSES, sample_weight=weights)
    assert "a" not in pipeline[0].model_.predict(X)


@pytest.mark.parametrize("features", ["leaves", "rules"])
def test_no_rows(features):
    for model in (TreeClassifier(max_depth=2), ForestClassifier(2, max_depth=2, random_state=0)):
        made = LeafFeatures(model, features).fit(X, CLASSES)
        assert made.transform(X[:0]).shape == (0, len(made.get_feature_names_out()))


def test_values_of_very_different_size_keep_the_exact_mean():
    sizes = 10.0 ** RNG.integers(-12, 12, 80)
    for unit in (1.0, 1e270):
        made = LeafFeatures(ForestRegressor(7, random_state=0)).fit(X, NUMBERS * sizes * unit)
        want = made.model_.predict(X)[:, np.newaxis]
        assert np.array_equal(exact_mean(made.transform(X), made.values(), 7), want)


def test_without_fit_there_is_nothing():
    made = LeafFeatures(TreeClassifier())
    for ask in (made.get_feature_names_out, made.weights, made.values, lambda: made.transform(X)):
        with pytest.raises(NotFittedError, match="call fit, or give a fitted model"):
            ask()


def test_search_clone_and_pickle():
    pipeline = make_pipeline(LeafFeatures(TreeClassifier()), LogisticRegression())
    grid = {"leaffeatures__model__max_depth": [1, 2], "leaffeatures__features": ["leaves", "rules"]}
    found = GridSearchCV(pipeline, grid, cv=2).fit(X, CLASSES).best_estimator_[0]
    assert found.model_.max_depth == found.model.max_depth == found.get_params()["model__max_depth"]
    again = pickle.loads(pickle.dumps(found))
    assert (again.transform(X) != found.transform(X)).nnz == 0
    assert again.get_feature_names_out().tolist() == found.get_feature_names_out().tolist()


def test_weights_of_rows_and_other_arguments_reach_the_model():
    weights = np.where(np.arange(80) < 40, 1.0, 0.0)
    made = LeafFeatures(TreeRegressor(max_depth=2)).fit(
        X, NUMBERS, sample_weight=weights, X_val=X, y_val=NUMBERS
    )
    want = TreeRegressor(max_depth=2).fit(X[:40], NUMBERS[:40])
    assert np.array_equal(made.transform(X) @ made.weights(), want.predict(X))
    assert made.model_.summary_.held_out.rows == 80


def test_rulefit_is_a_pipeline():
    rows = np.nan_to_num(X)
    trees = ForestRegressor(5, max_depth=2, random_state=0)
    rulefit = make_pipeline(LeafFeatures(trees, features="rules"), LassoCV(cv=3)).fit(rows, NUMBERS)
    coefficients = rulefit[-1].coef_
    named = dict(zip(rulefit[:-1].get_feature_names_out(), coefficients, strict=True))
    assert len(named) == len(coefficients) == 5 * 6
    assert any(named.values())
    assert rulefit.score(rows, NUMBERS) > 0.3


def test_tags_are_the_models():
    tags = sklearn.utils.get_tags(LeafFeatures(TreeClassifier()))
    assert tags.estimator_type is None
    assert tags.transformer_tags is not None
    assert tags.input_tags.sparse
    assert tags.input_tags.allow_nan
    assert tags.target_tags.required
    strict = sklearn.utils.get_tags(LeafFeatures(TreeClassifier(missing="error")))
    assert not strict.input_tags.allow_nan
    frozen = LeafFeatures(FrozenEstimator(fitted(TreeClassifier(max_depth=1))))
    assert not sklearn.utils.get_tags(frozen).target_tags.required


def test_frames_are_refused_as_sparse_encoders_do():
    made = LeafFeatures(fitted(TreeClassifier(max_depth=1))).set_output(transform="pandas")
    with pytest.raises(ValueError, match="scipy sparse matrix"):
        made.transform(X)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (TreeClassifier, r"Did you mean silva\.TreeClassifier\(\)\?"),
        (LogisticRegression(), "use an estimator of silva"),
        (None, r"model=None \(NoneType\) is not possible"),
        (make_pipeline(StandardScaler(), LogisticRegression()), "a pipeline that ends in one"),
    ],
)
def test_other_models_are_refused(model, message):
    with pytest.raises(PlanError, match=message):
        LeafFeatures(model).fit(X, CLASSES)
    with pytest.raises(PlanError, match=message):
        LeafFeatures(model).transform(X)


def test_other_features_are_refused():
    made = LeafFeatures(fitted(TreeClassifier(max_depth=1)), "leafs")
    asks = [made.get_feature_names_out, made.weights, made.values]
    asks += [lambda: made.transform(X), lambda: made.fit(X, CLASSES)]
    for ask in asks:
        with pytest.raises(PlanError, match=r"features='leafs' .* 'leaves' or 'rules'\. Did you"):
            ask()


def test_rows_without_a_column_are_refused():
    table = pd.DataFrame(X, columns=["age", "income", "loan", "size"])
    made = LeafFeatures(TreeClassifier(max_depth=2)).fit(table, CLASSES)
    with pytest.raises(DataError, match="income"):
        made.transform(table.drop(columns="income"))
    with pytest.raises(DataError, match="X has 3 features, but LeafFeatures is expecting 4"):
        LeafFeatures(fitted(TreeClassifier())).transform(X[:, :3])


def test_linear_leaves_and_rules_have_no_weights():
    made = LeafFeatures(TreeRegressor(leaf="linear", max_depth=2)).fit(X, NUMBERS)
    assert (made.transform(X).sum(axis=1) == 1).all()
    for ask in (made.weights, made.values):
        with pytest.raises(PlanError, match=r"linear models \(leaf='linear'\). Fit it with leaf="):
            ask()
    with pytest.raises(PlanError, match=r"weights\(\) needs features='leaves'"):
        LeafFeatures(fitted(TreeRegressor()), "rules").weights()


def test_a_file_takes_the_model_inside(tmp_path):
    made = LeafFeatures(TreeClassifier(max_depth=1)).fit(X, CLASSES)
    with pytest.raises(TypeError, match=r"not LeafFeatures.*its attribute model_"):
        silva.save(made, tmp_path / "leaves.silva")
    silva.save(made.model_, tmp_path / "tree.silva")
    again = LeafFeatures(silva.load(tmp_path / "tree.silva"))
    assert (again.transform(X) != made.transform(X)).nnz == 0


def test_node_columns_leave_out_what_no_row_can_reach():
    tree = fitted(TreeRegressor(missing="stop")).grown_tree_
    columns = node_columns([tree], "leaves")
    inner = [node for node in columns.nodes[0].tolist() if not tree.is_leaf[node]]
    assert 0 < len(inner) < tree.n_nodes - tree.n_leaves
    regions = Regions(tree)
    assert not any(is_empty(one) for node in inner for one in regions.of_stop(node))
    assert (stats.node_rows(tree) > 0).all()
