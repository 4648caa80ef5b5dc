"""What `splits=` may say, judged without data and then against the columns of a table."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

import silva
from silva.data.schema import Column, Schema
from silva.errors import PlanError
from silva.grow.plan import Plan
from silva.grow.splits import (
    FORMS,
    DistanceSplits,
    KindForms,
    ObliqueSplits,
    checked_splits,
    resolved_splits,
)

MANY = tuple(f"level {i}" for i in range(11))
SCHEMA = Schema(
    (
        Column("age", "continuous"),
        Column("town", "categorical", ("Bonn", "Kiel", "Ulm")),
        Column("size", "ordinal", ("S", "M", "L")),
        Column("paid", "binary", ("no", "yes")),
        Column("street", "categorical", MANY),
    )
)
THRESHOLD, ONE, SUBSET, MULTIWAY = (
    FORMS[name].number for name in ("threshold", "onevsrest", "subset", "multiway")
)


def told(splits, schema=SCHEMA):
    return resolved_splits(checked_splits(splits), schema)


def forms(splits):
    return told(splits)["split_forms"]


def test_the_default_forms():
    assert told(None) == {
        "split_forms": [THRESHOLD, SUBSET, THRESHOLD, THRESHOLD, SUBSET],
        "oblique": None,
        "distance": None,
    }


@pytest.mark.parametrize(
    ("splits", "town", "size", "paid", "street"),
    [
        ("subset", SUBSET, THRESHOLD, THRESHOLD, SUBSET),
        ("onevsrest", ONE, THRESHOLD, THRESHOLD, ONE),
        ("multiway", MULTIWAY, THRESHOLD, THRESHOLD, MULTIWAY),
        ({"town": "multiway", 4: "onevsrest"}, MULTIWAY, THRESHOLD, THRESHOLD, ONE),
        ({"size": "multiway", "paid": "subset"}, SUBSET, MULTIWAY, SUBSET, SUBSET),
        ({"age": "threshold", "size": "threshold"}, SUBSET, THRESHOLD, THRESHOLD, SUBSET),
        (["multiway", {"street": "subset"}], MULTIWAY, THRESHOLD, THRESHOLD, SUBSET),
        ([{"street": "subset"}, "multiway"], MULTIWAY, THRESHOLD, THRESHOLD, MULTIWAY),
        ([{"size": "multiway"}, "onevsrest"], ONE, MULTIWAY, THRESHOLD, ONE),
        ([{"size": "multiway"}, {2: "threshold"}], SUBSET, THRESHOLD, THRESHOLD, SUBSET),
        (KindForms(ordinal="multiway"), SUBSET, MULTIWAY, THRESHOLD, SUBSET),
        ([], SUBSET, THRESHOLD, THRESHOLD, SUBSET),
    ],
)
def test_forms(splits, town, size, paid, street):
    assert forms(splits) == [THRESHOLD, town, size, paid, street]


def test_oblique_splits():
    assert told("oblique")["oblique"] == {
        "columns": [0, 1, 2, 3],
        "max_columns": 5,
        "margin": 0.1,
        "max_levels": 10,
    }
    chosen = ObliqueSplits(columns=["paid", 0], max_columns=np.int64(2), margin=0)
    assert told(["multiway", chosen])["oblique"]["columns"] == [0, 3]
    assert chosen == ObliqueSplits(columns=("paid", 0), max_columns=2, margin=0.0)


def test_distance_splits():
    assert told("distance")["distance"] == {
        "columns": [0, 2, 3],
        "metrics": [0],
        "prototypes": 4,
        "margin": 0.1,
    }
    several = DistanceSplits(["cosine", "manhattan", "cosine"], columns=["age"], prototypes=9)
    assert told(several)["distance"]["metrics"] == [2, 1]
    assert told(["distance", several])["distance"]["columns"] == [0]
    both = told(["oblique", "distance"])
    assert both["oblique"] is not None
    assert both["distance"] is not None


@pytest.mark.parametrize(
    ("splits", "words"),
    [
        ("subsets", "splits='subsets'.*Did you mean 'subset'"),
        ("obliqe", "Did you mean 'oblique'"),
        ("threshold", "always split by thresholds"),
        (3, "splits=3"),
        (["subset", None], "splits=None"),
        ({"town": "multi"}, r"splits\['town'\]='multi'.*Did you mean 'multiway'"),
        ({"town": "tree"}, "'threshold', 'onevsrest', 'subset' or 'multiway'"),
        ({"age": "oblique"}, r"silva.ObliqueSplits\(columns="),
        ({"age": "distance"}, r"silva.DistanceSplits\(columns="),
        (["subset", ["multiway"]], r"splits=\['multiway'\]"),
    ],
)
def test_unknown_forms_are_refused_without_data(splits, words):
    with pytest.raises(PlanError, match=words):
        Plan("classification", "gini", splits=splits)


@pytest.mark.parametrize(
    ("splits", "words"),
    [
        ({"twon": "subset"}, r"splits names 'twon'.*did you mean 'town'"),
        ({7: "subset"}, r"splits has the index 7.*0 to 4"),
        ({"age": "multiway"}, r"'multiway' of column 'age'.*categorical_features=\['age'\]"),
        ({"town": "threshold"}, r"'threshold' of column 'town'.*no order.*ordered category"),
        (ObliqueSplits(columns=["aeg"]), r"names 'aeg'.*did you mean 'age'"),
        (ObliqueSplits(columns=["street"]), r"'street', which is categorical.*more than 10"),
        (DistanceSplits(columns=["age", "town"]), r"DistanceSplits names the column 'town'"),
    ],
)
def test_columns_are_judged_with_the_table(splits, words):
    plan = Plan("classification", "gini", splits=splits)
    with pytest.raises(PlanError, match=words):
        plan.resolved(10, SCHEMA)


@pytest.mark.parametrize("splits", ["distance", "oblique"])
def test_a_table_without_a_column_to_measure(splits):
    with pytest.raises(PlanError, match=rf"splits='{splits}' finds no column.*'street'"):
        told(splits, Schema(SCHEMA.columns[4:]))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ObliqueSplits(max_columns=1), "max_columns=1"),
        (lambda: ObliqueSplits(max_columns=2.0), "max_columns=2.0"),
        (lambda: ObliqueSplits(margin=-0.1), "margin=-0.1"),
        (lambda: ObliqueSplits(margin=float("nan")), "margin=nan"),
        (lambda: ObliqueSplits(columns="age"), r"columns=\['age'\]"),
        (lambda: ObliqueSplits(columns=[]), "columns="),
        (lambda: ObliqueSplits(columns=[1.5]), "names or indices"),
        (lambda: DistanceSplits(metric="euclid"), "Did you mean 'euclidean'"),
        (lambda: DistanceSplits(metric=["cosine", "mahalonobis"]), "Did you mean 'mahalanobis'"),
        (lambda: DistanceSplits(metric=[]), "metric="),
        (lambda: DistanceSplits(metric=None), "metric=None"),
        (lambda: DistanceSplits(prototypes=0), "prototypes=0"),
        (lambda: DistanceSplits(columns=3), r"columns=\[3\]"),
        (lambda: KindForms(categorical="threshold"), "categorical='threshold'"),
    ],
)
def test_settings_check_themselves(make, words):
    with pytest.raises(PlanError, match=words):
        make()


@pytest.mark.parametrize("splits", ["oblique", "distance", ["multiway", ObliqueSplits()]])
def test_random_thresholds_do_not_go_with_every_part(splits):
    with pytest.raises(PlanError, match=r"splitter='random'.*needs splitter='best'"):
        Plan("classification", "gini", splitter="random", splits=splits)


@pytest.mark.parametrize("splits", ["subset", "onevsrest", "multiway", {"town": "multiway"}])
def test_random_thresholds_go_with_every_form(splits):
    assert Plan("regression", "poisson", splitter="random", splits=splits).is_random


def test_a_plan_with_settings_is_a_value():
    plan = Plan(
        "classification",
        "gini",
        splits=["multiway", {"town": "subset"}, ObliqueSplits(["age"])],
        missing={"town": "stop"},
    )
    assert hash(plan) == hash(replace(plan))
    assert replace(plan) == copy.deepcopy(plan) == pickle.loads(pickle.dumps(plan)) == plan
    assert eval(repr(ObliqueSplits(["age"]))) == silva.ObliqueSplits(("age",))
