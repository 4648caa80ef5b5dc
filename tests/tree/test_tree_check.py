"""Every invariant of a tree: a tree that breaks it is refused, by array and index."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given

from silva.data.schema import Column, Schema
from silva.errors import ModelFormatError
from silva.tree.builder import TreeBuilder
from silva.tree.check import check
from silva.tree.linear import Smoothing
from silva.tree.splits import STOP, Subset
from silva.tree.tree import ARRAYS, from_arrays, numbers_of, to_arrays
from tests.tree.tree_samples import (
    ANIMALS,
    animal_tree,
    linear_tree,
    patient_tree,
    price_tree,
    trees,
)


def rebuilt(tree, **changes):
    """The tree with some of its flat arrays or numbers replaced, unchecked."""
    arrays = to_arrays(tree) | numbers_of(tree) | changes
    facts = (tree.schema, tree.task, tree.classes, tree.criterion)
    return from_arrays(*facts, arrays, tree.smoothing)


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
        ("threshold_missing", 2, 2, "child_start[6]"),
        ("threshold_missing", 2, 3, "threshold_missing[2]"),
        ("threshold_missing", 2, -2, "threshold_missing[2]"),
        ("threshold_unseen", 1, 2, "threshold_unseen[1]"),
        ("threshold_unseen", 1, -2, "threshold_unseen[1]"),
        ("subset_column", 0, 0, "subset_column[0]"),
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
        ("split_kind", 0, 6, "split_kind[0]"),
        ("split_kind", 1, 5, "oblique_start"),
        ("threshold_missing", 0, 1, "child_start[11]"),
        ("threshold_missing", 0, -1, "child_start[11]"),
        ("threshold_unseen", 0, 3, "threshold_unseen[0]"),
        ("subset_codes", 0, 3, "subset_codes[1]"),
        ("subset_codes", 1, 4, "subset_codes[1]"),
        ("subset_rest", 1, 3, "subset_rest[1]"),
        ("subset_rest", 1, 0, "subset_rest[1]"),
        ("subset_rest", 0, -1, "subset_rest[0]"),
        ("subset_rest_start", 1, 1, "subset_rest_start[1]"),
        ("subset_missing", 0, 2, "child_start[8]"),
        ("subset_unseen", 0, 2, "subset_unseen[0]"),
        ("multiway_column", 0, 1, "multiway_column[0]"),
        ("multiway_codes", 1, 0, "multiway_codes[1]"),
        ("multiway_codes", 2, 4, "multiway_codes[2]"),
        ("multiway_start", 1, 2, "multiway_start[1]"),
        ("multiway_missing", 0, 4, "multiway_missing[0]"),
        ("multiway_missing", 0, 0, "child_start[0]"),
        ("multiway_unseen", 0, 4, "multiway_unseen[0]"),
        ("multiway_unseen", 0, -2, "multiway_unseen[0]"),
        ("oblique_start", 1, 3, "oblique_start[1]"),
        ("oblique_column", 0, 5, "oblique_column[0]"),
        ("oblique_column", 0, 4, "oblique_code[0]"),
        ("oblique_code", 0, 0, "oblique_code[0]"),
        ("oblique_code", 2, 2, "oblique_code[2]"),
        ("oblique_code", 3, -1, "oblique_code[3]"),
        ("oblique_code", 0, -2, "oblique_code[0]"),
        ("oblique_weight", 1, math.inf, "oblique_weight[1]"),
        ("oblique_threshold", 0, math.nan, "oblique_threshold[0]"),
        ("oblique_missing", 0, 3, "oblique_missing[0]"),
        ("oblique_missing", 0, 0, "child_start[1]"),
        ("distance_metric", 0, 4, "distance_metric[0]"),
        ("distance_metric", 0, 0, "distance_matrix_start[0]"),
        ("distance_column", 2, 4, "distance_column[2]"),
        ("distance_column", 2, 1, "distance_column[2]"),
        ("distance_center", 0, math.inf, "distance_center[0]"),
        ("distance_scale", 0, math.nan, "distance_scale[0]"),
        ("distance_matrix", 8, math.nan, "distance_matrix[8]"),
        ("distance_matrix_start", 1, 8, "distance_matrix_start[1]"),
        ("distance_threshold", 0, math.inf, "distance_threshold[0]"),
        ("distance_missing", 0, 2, "child_start[5]"),
        ("distance_missing", 0, -2, "distance_missing[0]"),
    ],
)
def test_wrong_splits_of_every_kind_are_found(name, index, value, place):
    with pytest.raises(ModelFormatError, match="^" + place.replace("[", r"\[")):
        check(edited(patient_tree(), name, index, value))


@pytest.mark.parametrize("start", ["multiway_start", "oblique_start", "distance_start"])
def test_splits_that_ask_nothing_are_found(start):
    arrays = to_arrays(patient_tree())
    cut = {how.name for how in ARRAYS.values() if how.cut_by and how.name.startswith(start[:4])}
    emptied = {name: arrays[name][:0] for name in cut} | {start: np.zeros(2, dtype=np.int64)}
    if start == "distance_start":
        emptied["distance_matrix_start"] = np.zeros(2, dtype=np.int64)
    with pytest.raises(ModelFormatError, match=rf"^{start}\[0\]: "):
        check(rebuilt(patient_tree(), **emptied))


def test_lists_that_are_cut_together_have_one_length():
    arrays = to_arrays(patient_tree())
    with pytest.raises(ModelFormatError, match=r"^oblique_weight: must have 4 entries, has 3"):
        check(rebuilt(patient_tree(), oblique_weight=arrays["oblique_weight"][:3]))


def test_no_codes_in_a_subset_are_allowed():
    build = TreeBuilder(ANIMALS, "classification", np.array(["cat"]))
    root = build.add_split(None, 0, Subset(1, (), (0, 2), 1, STOP))
    build.add_leaf(root, 0, 1, {0: 1})
    build.add_leaf(root, 1, 1, {0: 1})
    assert build.finish().n_nodes == 3


def test_smoothing_and_linear_leaves_are_checked():
    with pytest.raises(ModelFormatError, match=r"^smoothing: a regression tree"):
        check(dataclasses.replace(price_tree(), smoothing=Smoothing(1.0, "uniform")))
    for wrong in (Smoothing(-1.0, "uniform"), Smoothing(1.0, "leaf"), Smoothing(math.nan, "root")):
        with pytest.raises(ModelFormatError, match=r"^smoothing: "):
            check(dataclasses.replace(animal_tree(), smoothing=wrong))
    with pytest.raises(ModelFormatError, match=r"^linear_intercept: must have 15 entries"):
        check(dataclasses.replace(animal_tree(), linear=linear_tree().linear))
    with pytest.raises(ModelFormatError, match=r"^linear_column\[1\]: "):
        check(edited(linear_tree(), "linear_column", 1, 1))


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


@pytest.mark.parametrize("name", sorted(to_arrays(patient_tree()) | to_arrays(linear_tree())))
def test_wrong_lengths_types_and_ranks_are_found(name):
    for tree in (animal_tree(), patient_tree(), linear_tree()):
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
        ({"schema": Schema((*ANIMALS.columns, Column("n", "continuous", None, "ask")))}, "schema"),
        ({"schema": Schema((*ANIMALS.columns, Column("n", "continuous", unseen=1)))}, "schema"),
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
