"""Every fact about an estimator in a model file, replaced: refused, or the model predicts."""

import json

import numpy as np
import pytest
from sklearn.base import clone

import silva
from silva.errors import ModelFormatError
from silva.model_file.estimators.save_load import KEY
from tests.tree.model_bytes import put_together, taken_apart

ROWS = np.random.default_rng(0).random((40, 2))
TARGET = (ROWS[:, 0] + ROWS[:, 1] > 1.0).astype(int)
ESTIMATORS = [
    silva.TreeClassifier(prune=silva.Auto(repeats=1), class_weight={0: 1.0, 1: 2.0}),
    silva.TreeRegressor(leaf=silva.LinearLeaf(), plan=silva.Plan("regression", "squared_error")),
    silva.ForestClassifier(2, oob_score=True, random_state=0, max_depth=1),
    silva.ForestRegressor(1, random_state=0, max_depth=1, splits="oblique"),
    silva.BaggingClassifier(silva.StumpClassifier(leaf="laplace"), 2, random_state=0),
    silva.AdaBoostClassifier(n_estimators=3),
]
ODD = [None, True, 0, -1, 2**70, 10**400, 1.5, 1e308, "", "x", [], [[]], {}, {"setting": "Plan"}]


def places(value):
    """The path to every value inside a JSON value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in pairs:
        yield (key,)
        if isinstance(part, dict | list):
            yield from ((key, *rest) for rest in places(part))


def replaced(text, path, other):
    value = json.loads(text)
    part = value
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = other
    return json.dumps(value)


def check_summary(model):
    """A model without training figures is taken for a member of an ensemble, which has none."""
    summary = getattr(model, "summary_", None)
    if summary is not None:
        assert str(summary)
    else:
        with pytest.raises(AttributeError, match="it is a member of an ensemble"):
            _ = model.summary_


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
def test_every_fact_is_judged(estimator, tmp_path):
    path = tmp_path / "model.silva"
    silva.save(clone(estimator).fit(ROWS, TARGET, X_val=ROWS, y_val=TARGET), path)
    header, section = taken_apart(path.read_bytes())
    meta = json.loads(header["__metadata__"]["meta"])
    text, refused = meta["extra"][KEY], 0
    for place in places(json.loads(text)):
        for other in ODD:
            meta["extra"][KEY] = replaced(text, place, other)
            header["__metadata__"]["meta"] = json.dumps(meta)
            path.write_bytes(put_together(header, section))
            try:
                model = silva.load(path)
            except ModelFormatError:
                refused += 1
                continue
            assert model.predict(ROWS).shape == TARGET.shape
            check_summary(model)
    assert refused > 100
