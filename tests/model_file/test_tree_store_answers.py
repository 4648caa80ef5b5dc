"""Smoothing, linear leaves and policies of columns in the model file."""

import numpy as np
import pytest

from silva.errors import ModelFormatError
from silva.model_file.store import dumps, loads
from tests.tree.model_bytes import put_together, taken_apart, with_meta
from tests.tree.tree_samples import animal_tree, linear_tree, patient_tree, smoothed_tree


def test_policies_smoothing_and_linear_leaves_are_kept():
    assert loads(dumps(patient_tree())).schema == patient_tree().schema
    assert loads(dumps(smoothed_tree())).smoothing == smoothed_tree().smoothing
    assert loads(dumps(linear_tree())).linear.low.tolist() == [9.0, 10.5, -np.inf]


def test_arrays_of_linear_leaves_come_all_or_none():
    for name in linear_tree().linear.arrays():
        header, section = taken_apart(dumps(linear_tree()))
        del header[name]
        with pytest.raises(ModelFormatError, match=f"^{name}: is missing"):
            loads(put_together(header, section))


@pytest.mark.parametrize(
    "smoothing",
    [
        None,
        [],
        {},
        {"m": 1.0},
        {"m": 1.0, "prior": "leaf"},
        {"m": 1.0, "prior": ["root"]},
        {"m": -1.0, "prior": "root"},
        {"m": "1", "prior": "root"},
        {"m": True, "prior": "root"},
        {"m": 10**400, "prior": "root"},
        {"m": 1.0, "prior": "root", "more": 1},
    ],
)
def test_wrong_smoothing_is_refused(smoothing):
    data = with_meta(dumps(animal_tree()), lambda meta: meta.update(smoothing=smoothing))
    with pytest.raises(ModelFormatError, match="smoothing"):
        loads(data)
