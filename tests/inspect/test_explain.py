"""Explanations of fitted models: contributions add up to the prediction, for every kind."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import silva
from silva.errors import DataError, PlanError
from silva.inspect.explain import Explanations, explain


def make_table(seed=0, n_rows=90):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "income": rng.normal(3000, 900, n_rows).round(),
            "age": rng.integers(18, 80, n_rows).astype(float),
            "housing": rng.choice(["own", "rent", "parents"], n_rows),
            "size": pd.Categorical(
                rng.choice(["s", "m", "l"], n_rows), categories=["s", "m", "l"], ordered=True
            ),
        }
    )
    table.loc[rng.choice(n_rows, 12), "income"] = np.nan
    table.loc[rng.choice(n_rows, 8), "housing"] = None
    score = table["age"] / 20 + (table["housing"] == "own") + rng.normal(size=n_rows)
    return table, score + table["income"].fillna(2000) / 1000


TABLE, SCORE = make_table()
THREE = np.array(["low", "mid", "high"])[np.digitize(SCORE, [4.5, 6.0])]
TWO = np.where(SCORE > 5.2, "yes", "no")
NUMBERS = TABLE[["income", "age"]].fillna(2500.0)
WORDS = TABLE[["housing", "size"]].astype(str)

TREES = {
    "plain": {},
    "stump": {"max_depth": 1},
    "smoothed": {"leaf": "laplace"},
    "leaning": {"leaf": "m_estimate"},
    "linear": {"leaf": "linear", "max_leaf_nodes": 4},
    "oblique": {"splits": "oblique", "max_leaf_nodes": 6},
    "multiway": {"splits": "multiway", "max_leaf_nodes": 9},
    "own_branch": {"missing": "own_branch", "unseen": "own_branch"},
    "stop": {"missing": "stop", "unseen": "stop"},
    "majority": {"missing": "majority"},
    "weighted": {"class_weight": "balanced"},
}
CLASSIFIERS = {
    **{name: silva.TreeClassifier(**{"max_depth": 5} | given) for name, given in TREES.items()},
    "StumpClassifier": silva.StumpClassifier(),
    "soft forest": silva.ForestClassifier(12, random_state=1),
    "hard forest": silva.ForestClassifier(12, vote="hard", random_state=1),
    "extra trees": silva.ExtraTreesClassifier(12, random_state=1),
    "bagging": silva.BaggingClassifier(n_estimators=8, random_state=1),
    "bagged models": silva.BaggingClassifier(
        silva.TreeClassifier(leaf="linear", max_depth=2), n_estimators=4, random_state=1
    ),
    "AdaBoost": silva.AdaBoostClassifier(n_estimators=12),
    "boosted models": silva.AdaBoostClassifier(
        silva.TreeClassifier(leaf="linear", max_depth=1), n_estimators=4
    ),
}
REGRESSORS = {
    **{
        name: silva.TreeRegressor(**{"max_depth": 5} | given)
        for name, given in TREES.items()
        if not {"class_weight"} & set(given) and given.get("leaf") in (None, "linear")
    },
    "StumpRegressor": silva.StumpRegressor(),
    "forest": silva.ForestRegressor(12, random_state=1),
    "extra trees": silva.ExtraTreesRegressor(12, random_state=1),
    "bagging": silva.BaggingRegressor(n_estimators=8, random_state=1),
    "bagged models": silva.BaggingRegressor(
        silva.TreeRegressor(leaf="linear", max_depth=2), n_estimators=4, random_state=1
    ),
}


def unknown_rows():
    """Rows of the table and some with missing values and levels that training did not see."""
    odd = TABLE[:20].assign(housing="boat", age=np.nan)
    return pd.concat([TABLE, odd], ignore_index=True)


def total(found):
    added = found.baseline + found.contributions.sum(axis=1)
    leaf = found.leaf_contributions
    return added if leaf is None else added + leaf


def share_of_votes(model, rows):
    """The share of the weighted votes of each class, by asking each tree."""
    classes, shares = model.classes_, np.zeros((len(rows), len(model.classes_)))
    for tree, alpha in zip(model.trees_, model.estimator_weights_, strict=True):
        said = explain(tree, rows).prediction
        shares += alpha * (said[:, None] == classes)
    return shares / model.estimator_weights_.sum()


@pytest.mark.parametrize("target", [TWO, THREE], ids=["two classes", "three"])
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_contributions_add_up_to_class_shares(kind, target):
    model = clone(CLASSIFIERS[kind]).fit(TABLE, target)
    rows = unknown_rows()
    found = explain(model, rows)
    boosts = hasattr(model, "estimator_weights_")
    told = share_of_votes(model, rows) if boosts else model.predict_proba(rows)
    assert found.contributions.shape == (len(rows), 4, len(model.classes_))
    assert np.abs(total(found) - told).max() < 1e-12
    assert np.abs(found.shares - told).max() < 1e-12
    assert found.prediction.tolist() == model.predict(rows).tolist()
    assert (found.leaf_contributions is not None) == ("model" in kind or kind == "linear")


@pytest.mark.parametrize("kind", REGRESSORS)
def test_contributions_add_up_to_numbers(kind):
    model = clone(REGRESSORS[kind]).fit(TABLE, SCORE)
    rows = unknown_rows()
    found = explain(model, rows)
    told = model.predict(rows)
    assert found.prediction.tolist() == told.tolist()
    assert total(found) == pytest.approx(told, rel=1e-12)
    assert found.shares is None


@pytest.mark.parametrize("splits", ["distance", "oblique"])
def test_contributions_of_splits_of_several_columns(splits):
    model = silva.TreeClassifier(splits=splits, max_depth=3).fit(NUMBERS, TWO)
    found = explain(model, NUMBERS)
    assert np.abs(total(found) - model.predict_proba(NUMBERS)).max() < 1e-12
    measured = [step for one in found[:20] for step in one.steps if step.measure is not None]
    assert measured
    for step in measured:
        if splits == "oblique":
            parts = [part.product for part in step.measure.parts]
            assert sum(parts) == pytest.approx(step.measure.value)
        assert step.distance == abs(step.measure.value - step.measure.threshold)


@pytest.mark.parametrize("kind", ["plain", "linear", "soft forest", "AdaBoost", "hard forest"])
def test_one_row_is_the_sum_of_its_own_parts(kind):
    model = clone(CLASSIFIERS[kind]).fit(TABLE, THREE)
    for one in explain(model, unknown_rows())[85:95]:
        for label, share in one.shares.items():
            parts = [change[label] for change in one.contributions.values()]
            leaf = 0.0 if one.leaf_contribution is None else one.leaf_contribution[label]
            assert one.baseline[label] + sum(parts) + leaf == pytest.approx(share, abs=1e-12)
        if one.steps:
            steps = [step.contribution[one.prediction] for step in one.steps]
            assert one.steps[0].shares is not None
            assert sum(steps) == pytest.approx(
                sum(change[one.prediction] for change in one.contributions.values()), abs=1e-12
            )
        json.dumps(one.to_dict(), allow_nan=False)


def test_linear_models_list_their_terms():
    model = silva.TreeRegressor(leaf="linear", max_leaf_nodes=2).fit(TABLE, SCORE)
    for one in explain(model, TABLE[:30]):
        [fitted] = one.models
        assert fitted.total == pytest.approx(
            fitted.intercept + sum(term.product for term in fitted.terms)
        )
        assert fitted.answer == one.prediction
        assert fitted.is_clipped == (fitted.answer != fitted.total)


def test_log_odds_of_linear_leaves_give_the_share():
    model = silva.TreeClassifier(leaf="linear", max_leaf_nodes=2).fit(TABLE, TWO)
    one = explain(model, TABLE[:1])[0]
    [fitted] = one.models
    assert fitted.label == "yes"
    assert 1 / (1 + np.exp(-fitted.answer)) == pytest.approx(one.shares["yes"])


def slow_typical(model, row):
    """The tree nearest to the mean, one tree after the other."""
    each = [explain(tree, row).contributions[0] for tree in model.trees_]
    far = [np.square(one - np.mean(each, axis=0)).sum() for one in each]
    return int(np.argmin(far))


@pytest.mark.parametrize("target", [TWO, SCORE], ids=["classes", "numbers"])
def test_the_typical_tree_and_the_agreement(target):
    kind = silva.ForestClassifier if target is TWO else silva.ForestRegressor
    model = kind(15, random_state=2).fit(TABLE, target)
    for row in range(0, 30, 7):
        here = TABLE[row : row + 1]
        one = explain(model, here)[0]
        assert one.typical_tree == slow_typical(model, here)
        alone = explain(model.trees_[one.typical_tree], here)[0]
        assert one.typical.contributions == alone.contributions
        assert one.typical.sentence == alone.sentence
        said = [explain(tree, here).prediction[0] for tree in model.trees_]
        if target is TWO:
            assert one.agreement == pytest.approx(np.mean(np.array(said) == one.prediction))
        else:
            assert one.quantiles == pytest.approx(np.quantile(said, [0.1, 0.5, 0.9]))


def test_pipelines_are_explained_in_their_own_names():
    steps = ColumnTransformer(
        [("words", OneHotEncoder(), ["housing"]), ("n", "passthrough", ["age"])]
    )
    model = make_pipeline(steps, silva.TreeClassifier(max_depth=3)).fit(
        TABLE.fillna({"housing": "none"}), TWO
    )
    rows = TABLE.fillna({"housing": "none"})[:5]
    found = explain(model, rows)
    assert found.columns[-1] == "n__age"
    assert found.prediction.tolist() == model.predict(rows).tolist()
    assert any("n__age" in one.sentence for one in found)
    search = GridSearchCV(model, {"treeclassifier__max_depth": [2]}, cv=2)
    search.fit(TABLE.fillna({"housing": "none"}), TWO)
    assert "n__age" in str(explain(search, rows))


def test_a_forest_in_a_pipeline():
    model = make_pipeline(StandardScaler(), silva.ForestClassifier(5, random_state=0))
    found = explain(model.fit(NUMBERS, TWO), NUMBERS[:3])
    assert found.columns == ("income", "age")
    assert np.abs(total(found) - model.predict_proba(NUMBERS[:3])).max() < 1e-12


def test_rows_come_in_any_form():
    model = silva.TreeClassifier(max_depth=2).fit(NUMBERS.to_numpy(), TWO)
    told = str(explain(model, NUMBERS.to_numpy()[:1]))
    assert told == str(explain(model, NUMBERS.to_numpy()[:1].tolist()))
    assert "x0" in told or "x1" in told


def test_rows_are_explained_when_asked_for():
    model = silva.TreeClassifier(max_depth=3).fit(NUMBERS, TWO)
    many = pd.concat([NUMBERS] * 120, ignore_index=True)
    found = explain(model, many)
    assert isinstance(found, Explanations)
    assert set(vars(found)) == {"_model", "_table", "_rows"}
    assert len(found) == len(many)
    assert str(found).splitlines()[-1] == f"and {len(many) - 5:,} more rows"
    assert found[-1].row == len(many) - 1
    assert [one.row for one in found[3:9:3]] == [3, 6]
    with pytest.raises(IndexError, match="10,800 rows"):
        found[len(many)]


def test_a_frame_has_a_line_for_each_row():
    model = silva.TreeClassifier(max_depth=3).fit(TABLE, TWO)
    found = explain(model, TABLE)
    frame = found.to_frame()
    assert list(frame)[:8] == [
        "prediction", "share", "sentence", "node", "rows", "low", "high", "is_small",
    ]  # fmt: skip
    assert frame["prediction"].tolist() == model.predict(TABLE).tolist()
    assert frame["node"].tolist() == model.apply(TABLE).tolist()
    assert frame["share"].tolist() == model.predict_proba(TABLE).max(axis=1).tolist()
    used = [name for name in frame if name.startswith("contribution of ")]
    assert len(used) == (model.feature_importances_ > 0).sum()
    code = (model.predict(TABLE) == "yes").astype(int)
    start = found.baseline[code]
    assert (frame[used].sum(axis=1) + start).tolist() == pytest.approx(frame["share"].tolist())
    one = found[7]
    line = frame.iloc[7]
    assert (line["sentence"], line["rows"]) == (one.sentence, one.evidence.rows)
    assert (line["low"], line["high"]) == (one.evidence.low, one.evidence.high)


def test_frames_of_several_trees_and_of_numbers():
    model = silva.ForestRegressor(6, random_state=0).fit(TABLE, SCORE)
    frame = explain(model, TABLE[:4]).to_frame()
    assert list(frame)[:6] == ["prediction", "share", "sentence", "low", "median", "high"]
    model = silva.AdaBoostClassifier(n_estimators=4).fit(TABLE, TWO)
    frame = explain(model, TABLE[:4]).to_frame()
    assert list(frame)[:4] == ["prediction", "share", "sentence", "agreement"]
    assert frame["share"].tolist() == pytest.approx(frame["agreement"].tolist())
    model = silva.TreeRegressor(leaf="linear", max_depth=2).fit(TABLE, SCORE)
    assert list(explain(model, TABLE[:4]).to_frame())[-1] == "leaf model contribution"


@pytest.mark.parametrize("kind", ["plain", "soft forest", "AdaBoost"])
def test_no_rows(kind):
    found = explain(clone(CLASSIFIERS[kind]).fit(TABLE, TWO), TABLE[:0])
    assert len(found) == 0
    assert list(found) == []
    assert str(found) == "no rows to explain"
    assert "no rows to explain" in found._repr_html_()
    assert found.contributions.shape == (0, 4, 2)
    assert found.to_dict()["rows"] == []
    assert len(found.to_frame()) == 0


def test_what_is_refused():
    model = silva.TreeClassifier(max_depth=2).fit(TABLE, TWO)
    with pytest.raises((DataError, ValueError), match="income"):
        explain(model, TABLE.drop(columns="income"))
    with pytest.raises(PlanError, match="digits"):
        explain(model, TABLE, digits=0)
    with pytest.raises(PlanError, match="fitted model"):
        explain("model", TABLE)
    strict = silva.TreeClassifier(max_depth=2, missing="error").fit(NUMBERS, TWO)
    with pytest.raises(DataError, match="age"):
        explain(strict, NUMBERS.assign(age=np.nan))


@pytest.mark.parametrize("kind", [silva.TreeRegressor, silva.ForestRegressor])
@pytest.mark.parametrize("leaf", ["mean", "linear"])
def test_numbers_near_the_end_of_the_range(kind, leaf):
    x, y = np.arange(8.0)[:, None], np.array([1.7, -1.7, 1.0, 0.0] * 2) * 1e288
    if kind is silva.ForestRegressor and leaf == "linear":
        model = silva.BaggingRegressor(
            silva.TreeRegressor(leaf=leaf), n_estimators=3, random_state=0
        )
    else:
        model = kind(random_state=0) if leaf == "mean" else kind(leaf=leaf)
    found = explain(model.fit(x, y), x)
    assert found.prediction.tolist() == model.predict(x).tolist()
    assert found.contributions.shape == (8, 1)
    for one in found:
        assert str(one)
        json.dumps(one.to_dict(), allow_nan=False)
    small = explain(model.fit(x, y / 8.0), x)
    assert total(small) == pytest.approx(model.predict(x), abs=1e-12 * 1e288)
