"""Sparse matrices: corrupt ones are refused before SciPy converts them, odd ones are read right."""

import random
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import silva
from silva.data.bind import bind_training
from silva.data.schema import Column, Schema
from silva.errors import DataError
from tests.reliability.child_process import run

sparse = pytest.importorskip("scipy.sparse")

DENSE = np.array([[0.0, 5.0, 0.0], [7.0, 0.0, 1.0], [0.0, 0.0, 2.0], [3.0, 0.0, 0.0]])
TARGET = [0, 1, 1, 0]
ESTIMATORS = [
    silva.TreeClassifier(),
    silva.StumpRegressor(),
    silva.ForestClassifier(3),
    silva.ForestRegressor(3),
    silva.ExtraTreesClassifier(3),
    silva.BaggingRegressor(n_estimators=3),
    silva.AdaBoostClassifier(n_estimators=3),
]


def compressed(kind, **arrays):
    matrix = getattr(sparse, f"{kind}_array")(DENSE)
    for name, array in arrays.items():
        setattr(matrix, name, np.asarray(array))
    return matrix


def edited(kind, name, place, value):
    matrix = getattr(sparse, f"{kind}_array")(DENSE)
    getattr(matrix, name)[place] = value
    return matrix


def unlike_lists():
    matrix = sparse.lil_array(DENSE)
    matrix.rows[1].append(2)
    return matrix


def beyond_lists():
    matrix = sparse.lil_array(DENSE)
    matrix.rows[1].append(10**6)
    matrix.data[1].append(1.0)
    return matrix


def beyond_keys():
    matrix = sparse.dok_array(DENSE)
    matrix._dict[0, 10**6] = 1.0
    return matrix


def short(kind, name):
    matrix = getattr(sparse, f"{kind}_array")(DENSE)
    setattr(matrix, name, getattr(matrix, name)[:-1])
    return matrix


CORRUPT = {
    "csr, index beyond": (lambda: edited("csr", "indices", 2, 10**9), "indices[2] is 1000000000"),
    "csr, negative index": (lambda: edited("csr", "indices", 0, -5), "indices[0] is -5"),
    "csr, falling": (lambda: compressed("csr", indptr=[0, 9, 3, 4, 5]), "indptr[2] is 3"),
    "csr, late start": (lambda: compressed("csr", indptr=[1, 1, 3, 4, 5]), "indptr[0] is 1"),
    "csr, too many": (lambda: compressed("csr", indptr=[0, 1, 3, 4, 99]), "counts 99"),
    "csr, short indptr": (lambda: compressed("csr", indptr=[0, 1, 5]), "indptr has 3"),
    "csr, short data": (lambda: short("csr", "data"), "5 indices for 4"),
    "csr, float indices": (lambda: compressed("csr", indices=np.ones(5)), "array of integers"),
    "csr, flat data": (lambda: compressed("csr", data=np.ones((5, 1))), "1 dimensions"),
    "csc, index beyond": (lambda: edited("csc", "indices", 2, 10**9), "row index"),
    "csc, negative index": (lambda: edited("csc", "indices", 2, -1), "indices[2] is -1"),
    "csc, falling": (lambda: compressed("csc", indptr=[0, 9, 3, 5]), "indptr[2] is 3"),
    "csc, unsigned": (lambda: compressed("csc", indices=np.full(5, 9, "u8")), "row index must be"),
    "coo, column beyond": (lambda: edited("coo", "col", 1, 10**8), "col"),
    "coo, negative row": (lambda: edited("coo", "row", 1, -4), "row[1] is -4"),
    "coo, short data": (lambda: short("coo", "data"), "4 stored values"),
    "bsr, index beyond": (lambda: edited("bsr", "indices", 0, 10**8), "block column"),
    "bsr, falling": (lambda: edited("bsr", "indptr", 2, 0), "indptr[2] is 0"),
    "bsr, short data": (lambda: short("bsr", "data"), "stored values"),
    "dia, short data": (lambda: short("dia", "data"), "offsets for"),
    "dia, offset twice": (lambda: edited("dia", "offsets", 1, -3), "occurs twice"),
    "lil, unlike lists": (unlike_lists, "row 1 has 3 indices for 2"),
    "lil, column beyond": (beyond_lists, "1000000"),
    "lil, short rows": (lambda: short("lil", "rows"), "rows has shape"),
    "dok, column beyond": (beyond_keys, "1000000"),
}


@pytest.mark.parametrize("case", CORRUPT)
def test_corrupt_matrices_are_refused(case):
    make, words = CORRUPT[case]
    with pytest.raises(DataError, match="the sparse matrix is corrupt") as caught:
        bind_training(make())
    assert words in str(caught.value)
    assert "Build it again" in str(caught.value)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_every_estimator_refuses_them_in_fit_and_predict(estimator, kind):
    model = clone(estimator).fit(sparse.csr_matrix(DENSE), TARGET)
    told = model.predict(DENSE).tolist()
    assert model.predict(getattr(sparse, f"{kind}_array")(DENSE)).tolist() == told
    broken = edited(kind, "indices", 2, 10**9)
    for work in (model.predict, model.apply) if hasattr(model, "apply") else (model.predict,):
        with pytest.raises(DataError, match="corrupt"):
            work(broken)
    with pytest.raises(DataError, match="corrupt"):
        model.fit(broken, TARGET)
    with pytest.raises(DataError, match="X_val: the sparse matrix is corrupt"):
        model.fit(DENSE, TARGET, X_val=broken, y_val=TARGET)


def damaged(kind, chance):
    """A matrix of which one or two arrays have another entry, length or type."""
    matrix = getattr(sparse, f"{kind}_array")(DENSE)
    names = {"coo": ["row", "col", "data"], "dia": ["offsets", "data"]}
    for _ in range(chance.randint(1, 2)):
        name = chance.choice(names.get(kind, ["indptr", "indices", "data"]))
        array = np.array(getattr(matrix, name)).astype(chance.choice(["i4", "i8", "f8"]))
        if chance.random() < 0.7:
            array.flat[chance.randrange(array.size)] = chance.choice(
                [-(2**31), -1, 3, 5, 2**31 - 1]
            )
        else:
            array = chance.choice([array[:-1], array[::-1], np.concatenate([array, array])])
        setattr(matrix, name, array)
    return matrix


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
def test_damaged_matrices_are_read_or_refused(kind):
    chance, refused = random.Random(0), 0
    for _ in range(300):
        matrix = damaged(kind, chance)
        try:
            table = bind_training(matrix)
        except DataError:
            refused += 1
        else:
            assert table.n_rows == len(DENSE)
    assert 30 < refused < 300


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(-9, 9)), max_size=20))
def test_unsorted_and_repeated_entries_are_added_up(entries):
    expected = np.zeros((5, 3))
    for row, column, value in entries:
        expected[row, column] += value
    rows, columns, values = (np.array([one[i] for one in entries], dtype=int) for i in range(3))
    start = np.cumsum([0, *(np.count_nonzero(rows == row) for row in range(5))])
    order = np.argsort(rows, kind="stable")
    kept = values[order].astype(float), columns[order], start
    coordinates = sparse.coo_array((values.astype(float), (rows, columns)), shape=(5, 3))
    for matrix in (sparse.csr_array(kept, shape=(5, 3)), coordinates, coordinates.tocsc()):
        read = np.stack(bind_training(matrix).columns, axis=1)
        np.testing.assert_array_equal(read, expected)


def test_room_beyond_the_last_entry_is_not_read():
    matrix = sparse.csr_array(DENSE)
    matrix.indices = np.append(matrix.indices, [99]).astype(matrix.indices.dtype)
    matrix.data = np.append(matrix.data, 1.0)
    table = bind_training(matrix)
    assert table.schema == Schema(tuple(Column(f"x{i}", "continuous") for i in range(3)), False)
    np.testing.assert_array_equal(np.stack(table.columns, axis=1), DENSE)


def test_whole_matrices_raise_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in ("csr", "csc", "coo", "bsr", "dia", "lil", "dok"):
            for style in ("array", "matrix"):
                read = bind_training(getattr(sparse, f"{kind}_{style}")(DENSE))
                np.testing.assert_array_equal(np.stack(read.columns, axis=1), DENSE)


@pytest.mark.parametrize("layout", ["csr", "csc"])
@pytest.mark.parametrize("kind", [np.uint8, np.uint32, np.uint64])
def test_unsigned_indices_are_read(layout, kind):
    matrix = getattr(sparse, f"{layout}_matrix")(DENSE)
    matrix.indices, matrix.indptr = matrix.indices.astype(kind), matrix.indptr.astype(kind)
    assert np.array_equal(np.stack(bind_training(matrix).columns, axis=1), DENSE)


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "dia"])
def test_half_precision_is_read(layout):
    matrix = getattr(sparse, f"{layout}_matrix")(DENSE)
    matrix.data = matrix.data.astype(np.float16)
    assert np.array_equal(np.stack(bind_training(matrix).columns, axis=1), DENSE)


SHAPES = {
    "all zero": sparse.csr_matrix((6, 4)),
    "one row": sparse.csr_matrix(DENSE[1:2]),
    "one column": sparse.csr_matrix(DENSE[:, :1]),
    "empty rows and columns": sparse.csr_matrix(([1.0, 2.0], ([0, 5], [3, 3])), shape=(9, 6)),
    "a thousand columns a row": sparse.csr_matrix(([1.0, 2.0], ([0, 5], [3, 6000])), (6, 6001)),
}
SMALL = [
    silva.TreeClassifier(random_state=0),
    silva.TreeClassifier(max_features=1, random_state=0),
    silva.ForestClassifier(3, random_state=0),
    silva.ForestRegressor(3, max_features=1, random_state=0),
]


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("estimator", SMALL, ids=repr)
def test_odd_shapes_grow_the_model_of_the_dense_table(name, estimator):
    matrix = SHAPES[name]
    target = np.arange(matrix.shape[0]) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = clone(estimator).fit(matrix, target)
        expected = clone(estimator).fit(matrix.toarray(), target)
    assert found.predict(matrix).tolist() == expected.predict(matrix.toarray()).tolist()
    assert found.predict(matrix[:0]).shape == (0,)


@pytest.mark.parametrize("kind", [bool, np.int8, np.uint8, np.int64, np.float32, np.longdouble])
def test_types_of_values(kind):
    values = DENSE.astype(kind)
    for estimator in SMALL:
        expected = clone(estimator).fit(values.astype(float), TARGET)
        found = clone(estimator).fit(sparse.csr_matrix(values), TARGET)
        told = expected.predict(values.astype(float)).tolist()
        assert found.predict(sparse.csc_matrix(values)).tolist() == told


def test_complex_values_and_tables_without_rows_or_columns_are_refused():
    model = silva.ForestClassifier(3)
    with pytest.raises(TypeError, match=r"'x0' holds complex numbers.*take the real"):
        model.fit(sparse.csr_matrix(DENSE.astype(complex)), TARGET)
    with pytest.raises(DataError, match=r"0 sample.*The table has no rows"):
        model.fit(sparse.csr_matrix((0, 3)), [])
    with pytest.raises(DataError, match=r"0 feature.*at least one column"):
        model.fit(sparse.csr_matrix((4, 0)), TARGET)


@pytest.mark.parametrize("width", [2**30, 2**31 + 5])
def test_more_columns_than_numbers_for_them_are_refused(width):
    with pytest.raises(DataError, match=f"has {width:,} columns, .* at most 1,073,741,823"):
        silva.TreeClassifier().fit(sparse.csr_matrix((4, width)), TARGET)


@pytest.mark.parametrize("estimator", SMALL, ids=repr)
def test_other_widths_are_refused_in_predict(estimator):
    model = clone(estimator).fit(sparse.csr_matrix(DENSE), TARGET)
    for width in (2, 4, 3000):
        with pytest.raises(DataError, match=f"has {width} columns, the model was trained on 3"):
            model.predict(sparse.csr_matrix((2, width)))


@pytest.mark.parametrize("estimator", SMALL, ids=repr)
def test_wide_indices_stored_zeros_and_missing_values(estimator):
    values = DENSE.copy()
    values[2, 0] = np.nan
    matrix = sparse.csr_matrix(values)
    matrix.indices = matrix.indices.astype(np.int64)
    matrix.indptr = matrix.indptr.astype(np.int64)
    with_zeros = sparse.csr_matrix(np.where(values == 0.0, 1.0, values))
    with_zeros.data[values.ravel() == 0.0] = 0.0
    assert with_zeros.nnz == values.size
    told = clone(estimator).fit(values, TARGET).predict(values).tolist()
    for one in (matrix, with_zeros, matrix.tocsc()):
        assert clone(estimator).fit(one, TARGET).predict(one).tolist() == told


SPOILED_AFTER_THE_CHECK = """
import sys
import numpy as np, scipy.sparse as sparse
import silva
from silva.data.frames import sparse_matrix

rng = np.random.default_rng(0)
dense = np.where(rng.random((400, 6)) < 0.3, rng.integers(1, 9, (400, 6)), 0.0)
target, check = rng.integers(0, 2, 400), sparse_matrix.check_sparse

def indices_of(matrix):
    named = [getattr(matrix, name, None) for name in ("indices", "indptr", "row", "col", "offsets")]
    return [array for array in named if array is not None]

for layout in ("csr", "csc", "coo", "bsr", "dia"):
    def spoiled(matrix):
        checked = check(matrix)
        for array in indices_of(matrix):
            array[:] = 2**30
        return checked
    for model in (
        silva.TreeClassifier(),
        silva.ForestRegressor(2, random_state=0),
        silva.AdaBoostClassifier(n_estimators=2),
    ):
        right = model.fit(dense, target).predict(dense)
        sparse_matrix.check_sparse = spoiled
        assert (model.predict(sparse.csr_matrix(dense).asformat(layout)) == right).all()
        model.fit(sparse.csr_matrix(dense).asformat(layout), target)
        sparse_matrix.check_sparse = check
        assert (model.predict(dense) == right).all()
    print(layout)
"""


def test_indices_that_change_after_the_check_do_no_harm():
    assert run(SPOILED_AFTER_THE_CHECK) == ["csr", "csc", "coo", "bsr", "dia"]


def test_pandas_sparse_columns_whose_rows_were_changed_are_refused():
    pd = pytest.importorskip("pandas")
    for place, row in ((1, 10**9), (0, -3), (1, 1)):
        column = pd.arrays.SparseArray([0.0, 5.0, 0.0, 7.0], fill_value=0.0, kind="integer")
        column.sp_index.indices[place] = row
        with pytest.raises(DataError, match="the sparse column 'a' is corrupt"):
            bind_training(pd.DataFrame({"a": column}))
