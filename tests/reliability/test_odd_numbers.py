"""Numbers that are no ordinary float64: every parameter takes them or refuses them by its name."""

import json
import math
import warnings
from decimal import Decimal
from fractions import Fraction
from inspect import signature

import numpy as np
import pytest

import silva
from silva.errors import ModelFormatError, PlanError, SilvaError
from silva.model_file import store
from silva.model_file.estimators.save_load import KEY

RANDOM = np.random.default_rng(0)
TABLE = RANDOM.random((30, 3))
TARGET = (TABLE[:, 0] + 0.3 * RANDOM.random(30) > 0.6).astype(int)
HUGE = 10**400
UNPRINTABLE = 10**5000
ODD = [
    *(HUGE, -HUGE, UNPRINTABLE, -UNPRINTABLE, 2**63, 2**64),
    *(math.nan, math.inf, -math.inf, -0.0, 5e-324, 1e308),
    *(Fraction(1, 3), Fraction(HUGE, 3), Fraction(1, HUGE), Decimal("0.5"), Decimal("NaN")),
    *(np.float32(0.5), np.float16(0.25), np.int8(2), np.uint64(2**63), np.longdouble("1e4000")),
    *(True, np.bool_(True), np.float64("nan"), 1j, "1", b"1", [1], np.array(1), np.array([1, 2])),
    *(None, object(), {}, ()),
]
ESTIMATORS = [
    silva.TreeClassifier,
    silva.TreeRegressor,
    silva.StumpRegressor,
    silva.ForestClassifier,
    silva.ForestRegressor,
    silva.ExtraTreesClassifier,
    silva.BaggingClassifier,
    silva.BaggingRegressor,
    silva.AdaBoostClassifier,
]
PRUNERS = [
    silva.ReducedError,
    silva.AccuracyThreshold,
    silva.CriticalValue,
    silva.MinimumError,
    silva.Pessimistic,
    silva.GeneralisationBound,
    silva.CostComplexity,
    silva.MaxLeaves,
    silva.Auto,
]


def label(value):
    return "unprintable" if value in (UNPRINTABLE, -UNPRINTABLE) else repr(value)[:25]


def is_taken(make, **params):
    """Whether these parameters are taken; any error but one of silva's own fails the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            make(**params)
        except SilvaError:
            return False
    return True


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_parameter_of_an_estimator(estimator):
    def fitted(**params):
        return estimator(**few | params).fit(TABLE, TARGET)

    few = {"n_estimators": 2} if "n_estimators" in signature(estimator).parameters else {}
    names = set(estimator().get_params(deep=False)) - {"verbose"}
    assert sum(not is_taken(fitted, **{name: value}) for name in names for value in ODD) > 100


@pytest.mark.parametrize("setting", [*PRUNERS, silva.MEstimate, silva.LinearLeaf])
def test_every_field_of_a_setting(setting):
    def fitted(**fields):
        fields |= {"form": "fixed"} if "n_tests" in fields else {}
        return silva.TreeClassifier(**{keyword: setting(**fields)}).fit(TABLE, TARGET)

    keyword = "prune" if setting in PRUNERS else "leaf"
    for name in set(signature(setting).parameters) - {"repeats"}:
        for value in ODD:
            is_taken(fitted, **{name: value})


@pytest.mark.parametrize(
    "make",
    [
        *(silva.ID3, silva.C45, silva.CART, silva.greedy_accuracy),
        *(silva.ObliqueSplits, silva.DistanceSplits),
    ],
)
def test_every_choice_of_a_preset_and_of_splits(make):
    for name in signature(make).parameters:
        for value in ODD:
            is_taken(make, **{name: value})


@pytest.mark.parametrize(
    "name", ["min_gain", "min_impurity_decrease", "ccp_alpha", "min_weight_fraction_leaf"]
)
@pytest.mark.parametrize("value", [HUGE, UNPRINTABLE, Fraction(HUGE)], ids=label)
def test_numbers_beyond_float64_are_refused_by_name(name, value):
    with pytest.raises(PlanError, match=f"^{name}="):
        silva.TreeClassifier(**{name: value}).fit(TABLE, TARGET)


@pytest.mark.parametrize("name", ["max_depth", "max_leaf_nodes", "min_samples_leaf"])
def test_whole_numbers_may_be_as_large_as_one_likes(name, tmp_path):
    model = silva.TreeClassifier(**{name: HUGE}).fit(TABLE, TARGET)
    silva.save(model, tmp_path / "model.silva")
    assert getattr(silva.load(tmp_path / "model.silva"), name) == HUGE
    model.set_params(**{name: UNPRINTABLE})
    with pytest.warns(UserWarning, match=f"{name}=a value of type int that is too long"):
        silva.save(model, tmp_path / "model.silva")


def test_exact_fractions_are_numbers():
    for third in (Fraction(1, 3), np.float64(1 / 3)):
        model = silva.TreeClassifier(ccp_alpha=third).fit(TABLE, TARGET)
        assert (
            model.get_n_leaves()
            == silva.TreeClassifier(ccp_alpha=1 / 3).fit(TABLE, TARGET).get_n_leaves()
        )
    assert silva.MEstimate(Fraction(1, 2)) == silva.MEstimate(0.5)
    smoothed = silva.TreeClassifier(max_depth=1, leaf=silva.MEstimate(Fraction(1, 2)))
    plain = silva.TreeClassifier(max_depth=1, leaf=silva.MEstimate(0.5))
    shares = [one.fit(TABLE, TARGET).predict_proba(TABLE) for one in (smoothed, plain)]
    np.testing.assert_array_equal(*shares)


@pytest.mark.parametrize("number", [HUGE, -1, "1", 1e308])
def test_numbers_in_a_model_file_are_judged_as_in_fit(number, tmp_path):
    path = tmp_path / "model.silva"
    silva.save(silva.TreeClassifier().fit(TABLE, TARGET), path)
    stored = store.read(path)
    facts = json.loads(stored.extra[KEY])
    facts["params"]["min_gain"] = number
    store.save(stored.tree, path, {KEY: json.dumps(facts)})
    if number == 1e308:
        assert silva.load(path).min_gain == number
        return
    with pytest.raises(ModelFormatError, match=r"estimator\.params: min_gain="):
        silva.load(path)


@pytest.mark.parametrize("value", [HUGE, UNPRINTABLE, Fraction(HUGE), math.nan, -1], ids=label)
def test_numbers_that_inspectors_take(value):
    model = silva.TreeClassifier(max_depth=2).fit(TABLE, TARGET)
    calls = {
        "share": lambda: silva.stability(model, TABLE, TARGET, 2, share=value),
        "levels": lambda: silva.stability(model, TABLE, TARGET, 2, levels=value),
        "seed": lambda: silva.stability(model, TABLE, TARGET, 2, seed=value),
        "seed of a path": lambda: silva.size_path(model, TABLE, TARGET, 3, seed=value),
        "cv": lambda: silva.size_path(model, TABLE, TARGET, value),
        "delta": lambda: silva.bounds(model, delta=value),
        "n_tests": lambda: silva.bounds(model, n_tests=value),
        "max_depth": lambda: silva.to_text(model, max_depth=value),
    }
    for name, work in calls.items():
        if name == "max_depth" and isinstance(value, int) and value > 0:
            continue
        with pytest.raises(PlanError, match=f"{name.split()[0]}="):
            work()
