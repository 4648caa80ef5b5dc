"""The core packs arrays as the slow packer does, and the trees that it grows as `pack` does."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silva import _core
from silva.data.schema import Column, Schema
from silva.ensemble.packing import NAMES, pack
from silva.tree.tree import from_core
from tests.ensemble.forest_cases import SEEDS, ForestCase, forests, some_forest
from tests.ensemble.slow_packing import slow_pack
from tests.oracle_units import CONTINUOUS, Rules
from tests.properties.cases import Case, same_bytes
from tests.properties.policy_cases import random_policy_case, random_rich_policy_case
from tests.properties.strategies import policy_problems


def check_packed(forest: ForestCase, oob: bool = False) -> list[bytes]:
    seeds, case = SEEDS[:3], forest.case
    grown = forest.grower().grow(seeds, 1)
    packed = forest.grower(oob).grow(seeds, 2, packed=NAMES)
    if not case.n_classes:
        assert all(same_bytes(one, other) for one, other in zip(packed, grown, strict=True))
        return []
    schema = Schema(tuple(Column(f"x{c}", "continuous") for c in range(len(case.columns))))
    for arrays, data in zip(grown, packed, strict=True):
        classes = np.arange(case.n_classes)
        assert data == pack(from_core(schema, "classification", classes, "gini", arrays))
    return packed


def integer_arrays() -> st.SearchStrategy[np.ndarray]:
    """Arrays whose differences lie around the limits of every width, with a few beyond."""
    limits = [2**bits + change for bits in (0, 1, 8, 16, 32, 62) for change in (-2, -1, 0, 1)]
    value = st.sampled_from([*limits, *(-one for one in limits)])
    some, n = st.lists(value), st.integers(1, 60)
    many = st.builds(lambda few, one, n: few + [one] * n, some, value, n)
    types = st.sampled_from([np.int64, np.int32, np.int8])
    return st.builds(lambda values, one: np.array(values, np.int64).astype(one), many, types)


def float_arrays() -> st.SearchStrategy[np.ndarray]:
    value = st.sampled_from([0.0, -0.0, 1.5, np.nan, np.inf])
    return st.lists(value).map(lambda values: np.array(values, np.float64))


@given(st.lists(integer_arrays() | float_arrays(), max_size=5))
def test_arrays_are_packed_by_definition(arrays: list[np.ndarray]):
    named = dict(zip(NAMES, arrays, strict=False))
    assert _core.pack_arrays(list(range(len(arrays))), arrays) == slow_pack(named)


@given(st.lists(integer_arrays() | float_arrays(), max_size=5))
def test_unpacked_arrays_are_those_that_were_packed(arrays: list[np.ndarray]):
    named = dict(zip(NAMES, arrays, strict=False))
    types = {name: named[name].dtype.name if name in named else "int8" for name in NAMES}
    data = slow_pack(named)
    assert _core.packed_names(data, types) == [name for name, one in named.items() if len(one)]
    for name, unpacked in _core.unpack_arrays(data, types, list(named)).items():
        assert unpacked.dtype == named[name].dtype
        assert unpacked.tobytes() == named[name].tobytes()


def test_bytes_that_are_no_tree_are_refused_with_the_name_of_the_array():
    types, name = dict.fromkeys(NAMES, "int8"), NAMES[0]
    data = slow_pack({name: np.arange(100, dtype=np.int64)})
    changes = [("is too short", data[:7]), ("cannot have 1 arrays", data[:39])]
    changes += [(f"{name}: 100 entries are more", data[:-8]), ("more bytes", data + bytes(8))]
    for place, value, words in (
        (8, 99, "array number 99 is not known"),
        (12, 6, f"{name}: encoding 6 is not known"),
        (24, 10**9, f"{name}: 1000000000 entries are more"),
        (32, 101, f"{name}: an impossible number"),
        (32, 1, f"{name}: 100 entries are more"),
    ):
        width = 4 if place < 16 else 8
        changed = data[:place] + value.to_bytes(width, "little") + data[place + width :]
        changes.append((words, changed))
    for words, damaged in changes:
        with pytest.raises(ValueError, match=words):
            _core.unpack_arrays(damaged, types, [name])
    wide = slow_pack({name: np.arange(200, dtype=np.int64)})
    with pytest.raises(ValueError, match="does not fit its type"):
        _core.unpack_arrays(wide, types, [name])
    with pytest.raises(ValueError, match="floating point"):
        _core.unpack_arrays(data, types | {name: "float64"}, [name])


def test_other_types_are_refused():
    with pytest.raises(TypeError, match="int8, int32, int64 or float64"):
        _core.pack_arrays([0], [np.zeros(3, np.uint16)])
    with pytest.raises(IndexError):
        _core.pack_arrays([], [np.zeros(3)])


@given(forests(policy_problems()))
def test_packed_as_python_packs(forest: ForestCase):
    check_packed(forest)


@pytest.mark.parametrize("oob", [False, True])
def test_so_are_trees_of_every_kind(oob: bool):
    for maker in (random_policy_case, random_rich_policy_case):
        for i in range(40):
            rng = np.random.default_rng([i, 53])
            check_packed(some_forest(rng, maker(rng)), oob)


@pytest.mark.parametrize("digits", [0, 1, 3, 6, 12])
def test_weights_of_every_size_and_some_that_stand_apart(digits: int):
    rng = np.random.default_rng(digits)
    n_rows = 900
    columns = list(rng.normal(size=(3, n_rows)))
    labels = rng.integers(0, 3, n_rows).astype(np.int32)
    few = rng.random(n_rows) < 0.03
    most = [
        10.0 ** rng.integers(0, digits + 1, n_rows),
        np.ones(n_rows),
        rng.integers(1, 9999, n_rows),
    ]
    for weights in (most[0], *(np.where(few, 10.0**digits, one) for one in most[1:])):
        case = Case(columns, [CONTINUOUS] * 3, [0] * 3, labels, 3, weights, Rules())
        for splitter in ("best", "random"):
            forest = ForestCase(case, "bootstrap", n_rows, 2, splitter)
            assert len(check_packed(forest)) == 3
            check_packed(replace(forest, max_features=3), oob=True)


def test_a_name_that_is_missing_is_refused():
    rng = np.random.default_rng(0)
    forest = some_forest(rng, random_policy_case(rng))
    while not forest.case.n_classes:
        forest = some_forest(rng, random_policy_case(rng))
    with pytest.raises(ValueError, match="leaf_rows has no number"):
        forest.grower().grow([1], 1, packed=[name for name in NAMES if name != "leaf_rows"])
