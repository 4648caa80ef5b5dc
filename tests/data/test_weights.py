"""Weights of rows and of classes."""

from typing import Any

import numpy as np
import pytest
from sklearn.utils.class_weight import compute_sample_weight

from silva.data.bind import bind_classes, bind_numbers
from silva.errors import DataError

TARGET = np.array([0, 0, 0, 1])


def weights_of(weights: Any, class_weight: Any = None, target: Any = TARGET) -> Any:
    bound = bind_classes(target, weights, class_weight, len(target)).weights
    assert bound is None or (bound.dtype == np.float64 and bound.flags.c_contiguous)
    return None if bound is None else bound.tolist()


@pytest.mark.parametrize(
    "weights",
    [
        np.array([1.0, 2.0, 0.0, 4.0]),
        np.array([1, 2, 0, 4]),
        np.array([1, 2, 0, 4], np.float32),
        np.array([1.0, 9, 2, 9, 0, 9, 4, 9])[::2],
        np.array([1, 2, 0, 4], object),
        [1, 2, 0, 4.0],
    ],
)
def test_weights(weights: Any) -> None:
    assert weights_of(weights) == [1.0, 2.0, 0.0, 4.0]
    assert bind_numbers(TARGET, weights, 4).weights.tolist() == [1.0, 2.0, 0.0, 4.0]


def test_no_weights() -> None:
    assert weights_of(None) is None


@pytest.mark.parametrize("weight", [2.5, 2, np.float32(2), np.array(2.0)])
def test_single_weight_is_for_every_row(weight: Any) -> None:
    assert weights_of(weight) == [float(weight)] * 4


def test_weights_of_frames() -> None:
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    pa = pytest.importorskip("pyarrow")
    values = [1.0, 2.0, 0.0, 4.0]
    for weights in (pd.Series(values), pl.Series(values), pa.array(values)):
        assert weights_of(weights) == values
    assert weights_of(pd.Series([1, 1, 0, 1], dtype="Int64")) == [1.0, 1.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, 1, -0.5, 1], ["row 2", "negative (-0.5)"]),
        ([1, np.nan, 1, -1], ["row 1", "missing"]),
        ([1, None, 1, 1], ["row 1", "missing"]),
        ([True, None, True, True], ["row 1", "missing"]),
        ([1, 1, 1, np.inf], ["row 3", "infinite"]),
        ([0, 0, 0, 0], ["weights are zero"]),
        (0, ["weights are zero"]),
        (-1, ["negative"]),
        (np.nan, ["missing"]),
        ([1e308] * 4, ["more than float64"]),
        ([1, 2, 3], ["inconsistent lengths: 4 rows and 3 weights"]),
        (np.ones((4, 1)), ["shape (4, 1)", "ravel"]),
        (np.ones((2, 4)), ["shape (2, 4)"]),
        (np.ones((4, 1, 1)), ["shape (4, 1, 1)"]),
        ([[1.0]] * 4, ["shape (4, 1)", "ravel"]),
        ([np.ones(1)] * 4, ["shape (4, 1)"]),
        (np.matrix([1.0] * 4), ["shape (1, 4)"]),
        (["a", "b", "c", "d"], ["text such as 'a'"]),
        ("heavy", ["'heavy' is not a number"]),
        ({1: 2}, ["dict", "the weights", "one-dimensional"]),
    ],
)
def test_weights_that_are_refused(weights: Any, words: list[str]) -> None:
    with pytest.raises(DataError) as caught:
        weights_of(weights)
    assert all(word in str(caught.value) for word in words)
    with pytest.raises(DataError):
        bind_numbers(TARGET, weights, 4)


@pytest.mark.parametrize("class_weight", ["balanced", {0: 1.0, 1: 3.0}, {0: 0.5}, {}])
def test_class_weights_as_scikit_learn_computes_them(class_weight: Any) -> None:
    expected = compute_sample_weight(class_weight, TARGET).tolist()
    assert weights_of(None, class_weight) == pytest.approx(expected, rel=1e-11)


def test_class_weights_are_multiples_of_what_the_core_can_hold() -> None:
    codes = np.array([0] * 10 + [1] * 30 + [2] * 24)
    for class_weight in ("balanced", {0: 0.1, 1: 1 / 3, 2: 0.7}, {0: 1e-30}):
        weights = np.array(weights_of(None, class_weight, codes))
        units = weights * 2.0 ** (41 - int(np.log2(weights.sum() * 0.999)) - 1)
        assert np.array_equal(units, np.rint(units))
        assert (weights > 0).all()


@pytest.mark.parametrize("scale", [1.0, 2.0**40, 2.0**-60, 2.0**300])
def test_class_weights_do_not_depend_on_the_scale_of_the_weights(scale: float) -> None:
    codes, weights = np.array([0, 0, 1, 1, 2]), np.array([1.0, 3.0, 2.0, 0.5, 7.0])
    for class_weight in ("balanced", {0: 0.1, 1: 1 / 3, 2: 0.7}):
        plain = np.array(weights_of(weights.tolist(), class_weight, codes))
        scaled = weights_of((weights * scale).tolist(), class_weight, codes)
        assert scaled == (plain * scale).tolist()


def test_class_weights_stay_precise_beside_large_weights() -> None:
    codes, weights = np.array([0, 0, 1] * 1000), np.array([10_432.0, 80_211.0, 9_999_999.0] * 1000)
    for class_weight, factor in (({0: 0.51, 1: 1.03}, [0.51, 0.51, 1.03] * 1000),):
        found = weights_of(weights.tolist(), class_weight, codes)
        assert found == (weights * factor).tolist()


def test_class_weights_by_label() -> None:
    words = np.array(["no", "yes", "no", "no"])
    assert weights_of(None, {"yes": 5.0}, words) == [1.0, 5.0, 1.0, 1.0]
    assert weights_of([1, 2, 3, 4], {"yes": 5.0}, words) == [1.0, 10.0, 3.0, 4.0]
    flags = np.array([True, False, True, True])
    assert weights_of(None, {False: 2, True: 1}, flags) == [1.0, 2.0, 1.0, 1.0]


def test_balanced_counts_weights_as_copies() -> None:
    weighted = bind_classes(np.array([0, 1, 1]), [3, 1, 1], "balanced", 3).weights
    copied = bind_classes(np.array([0, 0, 0, 1, 1]), None, "balanced", 5).weights
    assert weighted is not None
    assert copied is not None
    assert weighted.tolist() == [3 * copied[0], copied[3], copied[4]]


def test_balanced_leaves_out_classes_without_weight() -> None:
    assert weights_of([1, 1, 0, 0], "balanced", np.array([0, 1, 2, 2])) == [1.0, 1.0, 0.0, 0.0]


def test_label_of_an_absent_class_is_fine_when_all_classes_are_named() -> None:
    assert weights_of(None, {0: 1, 1: 2, 2: 3}) == [1.0, 1.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("class_weight", "words"),
    [
        ({0: 1, 7: 2}, ["The classes, [1], are not in class_weight", "[7]"]),
        ("uniform", ["class_weight='uniform'", "balanced"]),
        ([{0: 1}], ["class_weight=[{0: 1}]"]),
        ({0: -1}, ["class 0", "-1"]),
        ({0: np.nan}, ["class 0", "nan"]),
        ({0: "x"}, ["'x'"]),
        ({0: None}, ["None is not a number"]),
        ({0: 0, 1: 0}, ["weights are zero"]),
    ],
)
def test_class_weights_that_are_refused(class_weight: Any, words: list[str]) -> None:
    with pytest.raises(DataError) as caught:
        weights_of(None, class_weight)
    assert all(word in str(caught.value) for word in words)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "scipy.sparse", "lazy"])
def test_a_column_of_weights_is_refused_in_every_container(library: str) -> None:
    column = np.ones((4, 1))
    if library == "scipy.sparse":
        weights: Any = pytest.importorskip("scipy.sparse").csr_array(column)
    elif library == "pyarrow":
        weights = pytest.importorskip("pyarrow").table({"w": column[:, 0]})
    else:
        name = "polars" if library == "lazy" else library
        weights = pytest.importorskip(name).DataFrame({"w": column[:, 0]})
        weights = weights.lazy() if library == "lazy" else weights
    with pytest.raises(DataError, match=r"the weights have shape \(4, 1\); give one dimension"):
        weights_of(weights)
