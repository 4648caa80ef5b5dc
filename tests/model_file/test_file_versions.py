"""Versions of model files: newer minor ones are read, other major ones are refused."""

import json

import numpy as np
import pytest
from sklearn.base import clone

import silva
from silva.errors import ModelFormatError
from silva.model_file.estimators.save_load import KEY
from tests.tree.model_bytes import put_together, taken_apart

ROWS = np.random.default_rng(0).random((30, 2))
TARGET = (ROWS[:, 0] > 0.5).astype(int)
ESTIMATORS = [
    silva.TreeClassifier(),
    silva.StumpRegressor(),
    silva.ForestClassifier(3, random_state=0),
    silva.ExtraTreesRegressor(3, random_state=0),
    silva.BaggingClassifier(silva.TreeClassifier(), n_estimators=3, random_state=0),
    silva.AdaBoostClassifier(n_estimators=3),
]


@pytest.fixture(params=ESTIMATORS, ids=lambda one: type(one).__name__)
def saved(request, tmp_path):
    model = clone(request.param).fit(ROWS, TARGET, X_val=ROWS, y_val=TARGET)
    silva.save(model, tmp_path / "model.silva")
    return model, tmp_path / "model.silva"


def rewritten(path, version, additions):
    """The file with another version; `additions` are made to each object that may grow."""
    header, section = taken_apart(path.read_bytes())
    metadata = header["__metadata__"]
    meta = json.loads(metadata["meta"])
    facts = json.loads(meta["extra"][KEY])
    for one in (metadata, meta, facts):
        one.update(additions)
    meta["extra"][KEY] = json.dumps(facts)
    meta["facts"] = [json.dumps(json.loads(one) | additions) for one in meta.get("facts", [])]
    if not meta["facts"]:
        del meta["facts"]
    metadata["meta"] = json.dumps(meta)
    metadata["format_version"] = version
    path.write_bytes(put_together(header, section))
    return path


def test_the_version_is_written(saved):
    header, _ = taken_apart(saved[1].read_bytes())
    assert header["__metadata__"]["format_version"] == "1.0"


@pytest.mark.parametrize("version", ["1.0", "1.1", "1.99", "1.999999999"])
def test_newer_minor_versions_are_read(saved, version):
    model, path = saved
    loaded = silva.load(rewritten(path, version, {}))
    np.testing.assert_array_equal(loaded.predict(ROWS), model.predict(ROWS))
    assert str(loaded.summary_) == str(model.summary_)


def test_what_a_newer_minor_version_adds_is_ignored(saved):
    model, path = saved
    with pytest.raises(ModelFormatError):
        silva.load(rewritten(path, "1.0", {"signed_by": "nobody"}))
    loaded = silva.load(rewritten(path, "1.7", {"signed_by": "nobody"}))
    np.testing.assert_array_equal(loaded.predict(ROWS), model.predict(ROWS))
    assert loaded.get_params(deep=False).keys() == model.get_params(deep=False).keys()


@pytest.mark.parametrize("version", ["0.9", "2.0", "10.1"])
def test_other_major_versions_are_refused(saved, version):
    words = rf"has version {version}, this silva reads 1\.x; use the silva that wrote it \(0\.1"
    with pytest.raises(ModelFormatError, match=words):
        silva.load(rewritten(saved[1], version, {}))


@pytest.mark.parametrize("version", ["", "one", "1.0.0", "1.", "-1.0", "1.9999999999"])
def test_what_is_no_version_is_refused(saved, version):
    with pytest.raises(ModelFormatError, match="format_version: must be like"):
        silva.load(rewritten(saved[1], version, {}))


def test_the_first_files_of_forests_are_read(saved):
    model, path = saved
    if not hasattr(model, "trees_"):
        pytest.skip("files of one tree always had a minor version")
    loaded = silva.load(rewritten(path, "1", {}))
    np.testing.assert_array_equal(loaded.predict(ROWS), model.predict(ROWS))


@pytest.mark.parametrize("change", [{"tree": 1e300}, {"baseline": -0.5}, {"rows": 0}, {"rows": -1}])
def test_figures_that_no_rows_can_have_are_refused(saved, change):
    model, path = saved
    if "tree" in change and not hasattr(model, "classes_"):
        pytest.skip("an error may be as large as it likes")
    header, section = taken_apart(path.read_bytes())
    meta = json.loads(header["__metadata__"]["meta"])
    facts = json.loads(meta["extra"][KEY])
    facts["held_out"] |= change
    meta["extra"][KEY] = json.dumps(facts)
    header["__metadata__"]["meta"] = json.dumps(meta)
    path.write_bytes(put_together(header, section))
    with pytest.raises(ModelFormatError, match=rf"estimator\.held_out\.{next(iter(change))}"):
        silva.load(path)
