"""The examples in the docstrings run, and every parameter and attribute is described."""

import doctest
import inspect
import re

import pytest

from silva import (
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
from silva.estimators import (
    bagging,
    classifier,
    forest,
    leaf_features,
    optimal,
    regressor,
)
from silva.inspect.facades import interval_model

ALL = [TreeClassifier, TreeRegressor, StumpClassifier, StumpRegressor, OptimalTreeClassifier]
SEARCHED = {"objective_", "lower_bound_", "gap_", "proved_", "n_work_"}
FORESTS = [
    ForestClassifier,
    ForestRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    BaggingClassifier,
    BaggingRegressor,
]


EXAMPLES = [classifier, regressor, optimal, forest, bagging, leaf_features, interval_model]


@pytest.mark.parametrize("module", EXAMPLES)
def test_examples_run(module):
    failed, attempted = doctest.testmod(module)
    assert attempted > 0
    assert failed == 0


@pytest.mark.parametrize("kind", ALL)
def test_parameters_and_attributes_are_described(kind):
    parameters, attributes = re.split(r"Attributes\n +-+\n", kind.__doc__)
    described = re.findall(r"^    (\w+) : ", parameters, re.MULTILINE)
    assert sorted(described) == sorted(kind().get_params())
    model = kind().fit([[0.0], [1.0]], [0, 1])
    told = set(re.findall(r"^    (\w+_) : ", attributes, re.MULTILINE))
    public = {name for name in vars(model) if name.endswith("_") and not name.startswith("_")}
    made = {"feature_names_in_", "feature_importances_", "summary_", "column_facts_"}
    made |= SEARCHED if kind is OptimalTreeClassifier else set()
    assert public | made == told


@pytest.mark.parametrize("kind", FORESTS)
def test_parameters_and_attributes_of_forests_are_described(kind):
    parameters, attributes = re.split(r"Attributes\n-+\n", kind.__doc__)
    described = re.findall(r"^(\w+) : .*, default=", parameters, re.MULTILINE)
    assert described == list(inspect.signature(kind).parameters)
    model = kind(n_estimators=40, bootstrap=True, oob_score=True)
    model.fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    told = set(re.findall(r"^(\w+_) : ", attributes, re.MULTILINE))
    public = {name for name in vars(model) if name.endswith("_") and not name.startswith("_")}
    assert public <= told
    assert all(hasattr(model, name) for name in told - {"feature_names_in_"})


def test_an_unfitted_model_has_a_page():
    assert "TreeClassifier" in TreeClassifier()._repr_html_()
