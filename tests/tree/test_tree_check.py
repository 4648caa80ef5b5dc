"""Every invariant of a tree: a tree that breaks it is refused, by array and index."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from tree_samples import ANIMALS, animal_tree, price_tree, trees

from silva.data.schema import Column, Schema
from silva.errors import ModelFormatError
from silva.tree.check import check
from silva.tree.tree import MomentStats, from_arrays, to_arrays


def rebuilt(tree, **changes):
    """The tree with some of its flat arrays or numbers replaced, unchecked."""
    arrays = {**to_arrays(tree), "weight_unit": tree.weight_unit}
    if isinstance(tree.leaf_stats, MomentStats):
        arrays |= {name: getattr(tree.leaf_stats, name) for name in ("center", "target_unit")}
    return from_arrays(tree.schema, tree.task, tree.classes, tree.criterion, arrays | changes)


def edited(tree, name, index, value):
    array = np.array(to_arrays(tree)[name])
    array[index] = value
    return rebuilt(tree, **{name: array})


@given(trees())
def test_legal_trees_pass(tree):
    assert check(tree) is tree


@pytest.mark.parametrize(
    ("name", "index", "value", "place"),
    [
        ("split_kind", 3, 7, "split_kind[3]"),
        ("split_kind", 3, -1, "split_kind[3]"),
        ("split_kind", 2, 1, "child_start[2]"),
        ("split_kind", 0, 2, "threshold_column"),
        ("split_index", 1, 0, "split_index[1]"),
        ("split_index", 2, 0, "split_index[2]"),
        ("split_index", 4, 1, "split_index[4]"),
        ("child_start", 0, 1, "child_start[0]"),
        ("child_start", 1, -2, "child_start[1]"),
        ("child_start", 9, 7, "child_start[9]"),
        ("child", 0, 2, "child[0]"),
        ("child", 1, 8, "child[1]"),
        ("child", 1, 0, "child[1]"),
        ("child", 7, 10, "child[7]"),
        ("child", 5, -3, "child[5]"),
        ("gain", 0, -1.0, "gain[0]"),
        ("gain", 0, math.nan, "gain[0]"),
        ("gain", 2, 0.5, "gain[2]"),
        ("gain", 2, -0.0, "gain[2]"),
        ("threshold_column", 0, 4, "threshold_column[0]"),
        ("threshold_column", 0, -1, "threshold_column[0]"),
        ("threshold_column", 2, 2, "threshold_column[2]"),
        ("threshold_value", 1, math.nan, "threshold_value[1]"),
        ("threshold_missing", 2, 2, "threshold_missing[2]"),
        ("subset_column", 0, 1, "subset_column[0]"),
        ("subset_column", 0, 9, "subset_column[0]"),
        ("subset_start", 1, 2, "subset_start[1]"),
        ("subset_codes", 0, 3, "subset_codes[0]"),
        ("subset_codes", 0, -1, "subset_codes[0]"),
        ("subset_missing", 0, 5, "subset_missing[0]"),
        ("subset_unseen", 0, 2, "subset_unseen[0]"),
        ("leaf_rows", 2, 0, "leaf_rows[2]"),
        ("leaf_rows", 2, 2**62, "leaf_rows"),
        ("class_start", 2, 1, "class_start[1]"),
        ("class_code", 3, 0, "class_code[3]"),
        ("class_code", 2, 3, "class_code[2]"),
        ("class_weight", 4, 0, "class_weight[4]"),
        ("class_weight", 4, 2**62, "class_weight"),
    ],
)
def test_one_wrong_number_is_found(name, index, value, place):
    with pytest.raises(ModelFormatError, match="^" + place.replace("[", r"\[")):
        check(edited(animal_tree(), name, index, value))


@pytest.mark.parametrize(
    ("name", "index", "value", "place"),
    [
        ("moment_weight", 1, 0, "moment_weight[1]"),
        ("moment_weight", 1, 2**62, "moment_weight"),
        ("moment_squares", (1, 0), -1, "moment_squares[1]"),
        ("moment_squares", (1, 0), 2**62, "moment_squares"),
        ("moment_sum", (1, 0), -(2**62), "moment_sum"),
        ("moment_value", 2, math.inf, "moment_value[2]"),
        ("moment_value", 2, math.nan, "moment_value[2]"),
    ],
)
def test_wrong_moments_are_found(name, index, value, place):
    with pytest.raises(ModelFormatError, match="^" + place.replace("[", r"\[")):
        check(edited(price_tree(), name, index, value))


@pytest.mark.parametrize("name", sorted(to_arrays(animal_tree()) | to_arrays(price_tree())))
def test_wrong_lengths_types_and_ranks_are_found(name):
    for tree in (animal_tree(), price_tree()):
        if name in to_arrays(tree):
            array = to_arrays(tree)[name]
            other_type = np.float32 if array.dtype == np.float64 else np.float64
            for wrong in (np.append(array, array[-1:], axis=0), array[:-1], array[:0]):
                if len(wrong) != len(array):
                    with pytest.raises(ModelFormatError):
                        check(rebuilt(tree, **{name: wrong}))
            for wrong in (array.astype(other_type), array[None], array.tolist()):
                with pytest.raises(ModelFormatError, match=f"^{name}: "):
                    check(rebuilt(tree, **{name: wrong}))


@pytest.mark.parametrize("unit", [0.0, -1.0, 3.0, math.inf, math.nan])
def test_units_are_powers_of_two(unit):
    with pytest.raises(ModelFormatError, match=r"^weight_unit: "):
        check(rebuilt(animal_tree(), weight_unit=unit))
    with pytest.raises(ModelFormatError, match=r"^target_unit: "):
        check(rebuilt(price_tree(), target_unit=unit))


def test_the_total_weight_is_finite():
    with pytest.raises(ModelFormatError, match=r"^weight_unit: "):
        check(rebuilt(animal_tree(), weight_unit=2.0**1020))


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"task": "ranking"}, "task"),
        ({"criterion": "squared_error"}, "criterion"),
        ({"criterion": "best"}, "criterion"),
        ({"task": "regression", "criterion": "poisson"}, "leaf_stats"),
        ({"classes": None}, "classes"),
        ({"classes": np.array(["a", "b", "a"])}, "classes\\[2\\]"),
        ({"classes": np.array([["a", "b"]])}, "classes"),
        ({"classes": np.array([1.0, math.inf])}, "classes"),
        ({"classes": np.array([1, 2], dtype="datetime64[D]")}, "classes"),
        ({"classes": np.array(["cat", "dog"])}, "class_code"),
        ({"schema": Schema(())}, "schema"),
        ({"schema": Schema(ANIMALS.columns[:3])}, "threshold_column"),
        ({"schema": Schema((*ANIMALS.columns, Column("size", "continuous")))}, "schema"),
        ({"schema": Schema((*ANIMALS.columns, Column("new", "round")))}, "schema"),
        ({"schema": Schema((*ANIMALS.columns, Column(1, "continuous")))}, "schema"),
        ({"schema": Schema((*ANIMALS.columns, Column("new", "ordinal")))}, "schema"),
        ({"schema": Schema((*ANIMALS.columns, Column("new", "continuous", ("a",))))}, "schema"),
        ({"schema": Schema((*ANIMALS.columns, Column("new", "binary", ("a",))))}, "schema"),
        ({"schema": Schema((*ANIMALS.columns, Column("new", "ordinal", ("a", "a"))))}, "schema"),
        ({"schema": Schema((*ANIMALS.columns, Column("n", "ordinal", (math.nan,))))}, "schema"),
        ({"schema": Schema((*ANIMALS.columns, Column("n", "ordinal", (None,))))}, "schema"),
    ],
)
def test_what_is_not_in_arrays_is_checked_too(changes, place):
    with pytest.raises(ModelFormatError, match=f"^{place}"):
        check(dataclasses.replace(animal_tree(), **changes))


def test_a_regression_tree_has_no_classes_and_a_finite_center():
    with pytest.raises(ModelFormatError, match=r"^classes: "):
        check(dataclasses.replace(price_tree(), classes=np.array([1, 2])))
    with pytest.raises(ModelFormatError, match=r"^center: "):
        check(rebuilt(price_tree(), center=math.inf))


def test_arrays_are_read_only():
    tree = animal_tree()
    for array in (*to_arrays(tree).values(), tree.classes, tree.is_leaf, tree.subtree_end):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = array


def test_making_a_tree_leaves_the_callers_arrays_alone():
    gain = np.array(animal_tree().gain)
    rebuilt(animal_tree(), gain=gain)
    gain[0] = 0.5
    assert gain[0] == 0.5
