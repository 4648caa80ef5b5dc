"""The compiled router against a plain walk, row by row."""

import math
import weakref
from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silva.data.schema import MISSING_CODE, UNSEEN_CODE, Schema
from silva.data.table import Table
from silva.errors import DataError
from silva.model_file.store import dumps, loads
from silva.tree.route import ROUTER, leaves
from silva.tree.splits import STOP, Distance, Multiway, Oblique, Subset, Threshold, split_of
from tests.tree.tree_samples import ANIMALS, PATIENTS, animal_tree, patient_tree, trees


def leaf_of_row(tree, row):
    """The node in which a row ends, by asking one node after the other."""
    node = 0
    while (split := split_of(tree, node)) is not None:
        child = child_of(split, tree.schema.columns, row)
        if child == STOP:
            return node
        node = int(tree.child[tree.child_start[node] + child])
    return node


def child_of(split, columns, row):
    match split:
        case Threshold(column, threshold, missing_child, unseen_child):
            if is_missing(columns[column], row[column]):
                return missing_child
            if columns[column].levels is not None and row[column] == UNSEEN_CODE:
                return unseen_child
            return int(not row[column] < threshold)
        case Subset(column, codes, rest, missing_child, unseen_child):
            code = row[column]
            if code == MISSING_CODE:
                return missing_child
            if code == UNSEEN_CODE or (rest and code not in (*codes, *rest)):
                return unseen_child
            return int(code in codes)
        case Multiway(column, codes, missing_child, unseen_child):
            if row[column] == MISSING_CODE:
                return missing_child
            return codes.index(row[column]) if row[column] in codes else unseen_child
        case Oblique() | Distance():
            value = projected(split, columns, row)
            return int(not value < split.threshold) if math.isfinite(value) else split.missing_child


def is_missing(column, value):
    return math.isnan(value) if column.levels is None else value == MISSING_CODE


def projected(split, columns, row):
    """The number that is compared with the threshold, NaN if a value is missing or unseen."""
    for column in split.columns:
        coded = columns[column].levels is not None
        if math.isnan(row[column]) or (coded and row[column] < 0):
            return math.nan
    values = [float(row[column]) for column in split.columns]
    if isinstance(split, Oblique):
        return weighted(split, values)
    u = [(x - c) * s for x, c, s in zip(values, split.center, split.scale, strict=True)]
    match split.metric:
        case "euclidean":
            return math.sqrt(added(x * x for x in u))
        case "manhattan":
            return added(map(abs, u))
        case "cosine":
            return cosine(split, values)
        case "mahalanobis":
            width = len(u)
            cells = (
                (i, j, split.matrix[i * width + j]) for i in range(width) for j in range(width)
            )
            squares = added(u[i] * cell * u[j] for i, j, cell in cells)
            return 0.0 if squares < 0 else math.sqrt(squares)


def weighted(split, values):
    terms = zip(split.weights, split.codes, values, strict=True)
    return added(w * (x if code < 0 else float(x == code)) for w, code, x in terms)


def cosine(split, values):
    xs = [x * s for x, s in zip(values, split.scale, strict=True)]
    cs = [c * s for c, s in zip(split.center, split.scale, strict=True)]
    x_squares, c_squares = added(x * x for x in xs), added(c * c for c in cs)
    if x_squares == 0 or c_squares == 0:
        return 1.0
    product = added(x * c for x, c in zip(xs, cs, strict=True))
    return 1.0 - divided(product, math.sqrt(x_squares) * math.sqrt(c_squares))


def added(numbers):
    """The sum in order, rounded at each step; Python's own sum is more exact than that."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def divided(a, b):
    with np.errstate(all="ignore"):
        return float(np.float64(a) / np.float64(b))


@st.composite
def column_values(draw, column, n_rows):
    if column.kind == "continuous":
        kind = draw(st.sampled_from([np.float64, np.float32, np.int32]))
        values = st.integers(-3, 3) if kind is np.int32 else st.floats(width=32)
    elif column.kind == "binary" and draw(st.booleans()):
        kind, values = np.uint8, st.integers(0, 1)
    else:
        kind, values = np.int32, st.integers(UNSEEN_CODE, column.n_levels - 1)
    return np.array(draw(st.lists(values, min_size=n_rows, max_size=n_rows)), dtype=kind)


@given(trees(), st.integers(0, 12), st.data())
def test_the_router_walks_the_tree(tree, n_rows, data):
    columns = [data.draw(column_values(column, n_rows)) for column in tree.schema.columns]
    table = Table(tree.schema, tuple(columns), n_rows)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    expected = [leaf_of_row(tree, row) for row in rows]
    found = leaves(tree, table, threads=data.draw(st.integers(1, 3)))
    assert found.dtype == np.int64
    assert found.tolist() == expected
    assert leaves(loads(dumps(tree)), table).tolist() == expected


def animals():
    columns = (
        np.array([40.5, 3.0, math.nan, math.inf]),
        np.array([1, 0, 2, -1], dtype=np.int32),
        np.array([1, -2, 1, 0], dtype=np.int32),
        np.array([0, 1, 1, 0], dtype=np.uint8),
    )
    return Table(ANIMALS, columns, 4)


def test_equal_to_the_threshold_goes_right():
    assert leaves(animal_tree(), animals()).tolist() == [7, 4, 5, 7]


@pytest.mark.parametrize(
    ("row", "node"),
    [
        ((40.0, 22.5, 0, 0, UNSEEN_CODE), 0),
        ((40.0, 22.5, 0, 0, 3), 0),
        ((40.0, 10.0, 1, 0, 0), 2),
        ((70.0, 10.0, 1, 0, 0), 3),
        ((70.0, 10.0, MISSING_CODE, 0, 0), 4),
        ((70.0, 10.0, UNSEEN_CODE, 0, 0), 4),
        ((math.inf, 10.0, 1, 0, 0), 4),
        ((40.0, 22.5, 0, 1, 1), 6),
        ((80.0, 22.5, 0, 1, 1), 7),
        ((80.0, math.nan, 0, 1, 1), 5),
        ((80.0, 22.5, 0, UNSEEN_CODE, 1), 5),
        ((40.0, 22.5, 0, 1, 2), 9),
        ((40.0, 22.5, 0, 1, MISSING_CODE), 12),
        ((40.0, 22.5, 0, 2, MISSING_CODE), 13),
        ((40.0, 22.5, 0, MISSING_CODE, MISSING_CODE), 14),
        ((40.0, 22.5, 0, UNSEEN_CODE, MISSING_CODE), 11),
    ],
)
def test_every_kind_of_split(row, node):
    assert leaf_of_row(patient_tree(), row) == node
    kinds = (float, float, np.int32, np.int32, np.int32)
    columns = tuple(np.array([x], dtype=kind) for x, kind in zip(row, kinds, strict=True))
    assert leaves(patient_tree(), Table(PATIENTS, columns, 1)).tolist() == [node]


def test_the_table_must_have_the_trees_schema():
    table = Table(Schema(ANIMALS.columns[::-1]), animals().columns[::-1], 4)
    with pytest.raises(DataError, match="schema"):
        leaves(animal_tree(), table)


def test_the_compiled_tree_goes_with_the_tree():
    tree = animal_tree()
    leaves(tree, animals())
    gone = weakref.ref(tree)
    del tree
    assert gone() is None


def test_a_copy_and_a_changed_tree_compile_anew():
    tree = patient_tree()
    table = Table(tree.schema, tuple(np.zeros(1) for _ in tree.schema.columns), 1)
    leaves(tree, table)
    others = [copy(tree), loads(dumps(tree)), replace(tree, weight_unit=2.0)]
    assert dumps(others[0]) == dumps(tree)
    for other in others:
        assert vars(other).get(ROUTER) is None
        assert leaves(other, table) == leaves(tree, table)
        assert vars(other)[ROUTER] is not vars(tree)[ROUTER]
