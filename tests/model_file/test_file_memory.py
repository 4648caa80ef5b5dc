"""No file takes more memory than a small multiple of its size, and some megabytes."""

import json
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

import silva
from silva.data.schema import Column, RepeatedColumns, Schema
from silva.ensemble.packing import NAMES
from silva.errors import ModelFormatError
from silva.model_file import store
from silva.model_file.estimators.save_load import KEY
from tests.reliability.child_process import run
from tests.tree.model_bytes import put_together, taken_apart

MULTIPLE, ROOM = 100, 64 * 2**20
"""Bytes for each byte of a file, and bytes beyond."""
MANY = 2**22
ROWS = np.random.default_rng(0).random((60, 2))
TARGET = (ROWS[:, 0] + ROWS[:, 1] > 1.0).astype(int)
ESTIMATORS = {
    "tree": silva.TreeClassifier(max_depth=3),
    "regression": silva.TreeRegressor(max_depth=3),
    "linear": silva.TreeRegressor(max_depth=2, leaf=silva.LinearLeaf()),
    "forest": silva.ForestClassifier(3, random_state=0, oob_score=True),
    "forest of numbers": silva.ForestRegressor(3, random_state=0),
    "boosted": silva.AdaBoostClassifier(n_estimators=3),
    "optimal": silva.OptimalTreeClassifier(max_depth=2),
}
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def file_of(kind, folder):
    model = ESTIMATORS[kind].fit(ROWS, TARGET)
    silva.save(model, folder / "whole")
    return (folder / "whole").read_bytes()


def changed_meta(data, change):
    """The file in which `change` has edited the metadata, and that of each tree of a forest."""
    header, section = taken_apart(data)
    meta = json.loads(header["__metadata__"]["meta"])
    parts = [meta] if "schema" in meta else [json.loads(one) for one in meta["facts"]]
    facts = json.loads(meta["extra"][KEY])
    change(meta, parts, facts)
    meta["extra"][KEY] = json.dumps(facts)
    if "facts" in meta:
        meta["facts"] = [json.dumps(one) for one in parts]
    header["__metadata__"]["meta"] = json.dumps(meta)
    return put_together(header, section)


def with_long_runs(meta, parts, facts):
    """As many columns as a run can have; what a file says of each column is left out."""
    facts["column_facts"] = None
    facts.pop("columns", None)
    for part in parts:
        part["schema"]["columns"] = [part["schema"]["columns"][0] | {"repeat": MANY}]


def with_many_long_runs(meta, parts, facts):
    with_long_runs(meta, parts, facts)
    parts += parts * 50


def with_runs_in_parts(meta, parts, facts):
    facts["column_facts"] = None
    facts.pop("columns", None)
    for part in parts:
        first = part["schema"]["columns"][0]
        part["schema"]["columns"] = [
            first | {"name": f"x{start}", "repeat": 1000} for start in range(0, 200_000, 1000)
        ]


def with_long_levels(meta, parts, facts):
    levels = {"type": "int", "values": list(range(20_000))}
    for part in parts:
        part["schema"]["columns"][0] |= {"kind": "ordinal", "levels": levels}


def with_deep_params(meta, parts, facts):
    facts["params"]["class_weight"] = {"pairs": [[i, []] for i in range(20_000)]}


def with_empty_lists(meta, parts, facts):
    facts["params"]["missing"] = [[] for _ in range(40_000)]


CHANGES = [
    with_long_runs,
    with_many_long_runs,
    with_runs_in_parts,
    with_long_levels,
    with_deep_params,
    with_empty_lists,
]


def peak_of(path):
    """The most bytes that reading takes at once; the file loads, or is refused as no model is."""
    tracemalloc.start()
    try:
        return silva.load(path), tracemalloc.get_traced_memory()[1]
    except ModelFormatError as error:
        return error, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def check_peak(data, folder):
    path = folder / "changed"
    path.write_bytes(data)
    found, peak = peak_of(path)
    assert peak <= MULTIPLE * len(data) + ROOM
    return found


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("kind", ESTIMATORS)
def test_headers_that_stand_for_more_than_they_say(kind, change, tmp_path):
    check_peak(changed_meta(file_of(kind, tmp_path), change), tmp_path)


@pytest.mark.parametrize("kind", ["tree", "forest", "boosted", "optimal"])
def test_a_small_file_of_many_columns_loads_in_little_memory(kind, tmp_path):
    data = changed_meta(file_of(kind, tmp_path), with_long_runs)
    model = check_peak(data, tmp_path)
    assert model.n_features_in_ == MANY
    silva.save(model, tmp_path / "again")
    assert (tmp_path / "again").stat().st_size < 2 * len(data)
    assert silva.load(tmp_path / "again").n_features_in_ == MANY


def numbers_in(value, path=()):
    """The path to every number inside a JSON value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in pairs:
        if isinstance(part, dict | list):
            yield from numbers_in(part, (*path, key))
        elif type(part) in (int, float):
            yield (*path, key)


def put(value, path, number):
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = number


@pytest.mark.parametrize("number", [2**22, 2**62])
@pytest.mark.parametrize("kind", ["linear", "forest", "boosted", "optimal"])
def test_large_numbers_in_headers(kind, number, tmp_path):
    header, section = taken_apart(file_of(kind, tmp_path))
    meta = json.loads(header["__metadata__"]["meta"])
    meta["extra"][KEY] = json.loads(meta["extra"][KEY])
    refused = 0
    for path in numbers_in(meta):
        changed = json.loads(json.dumps(meta))
        put(changed, path, number)
        changed["extra"][KEY] = json.dumps(changed["extra"][KEY])
        header["__metadata__"]["meta"] = json.dumps(changed)
        refused += isinstance(check_peak(put_together(header, section), tmp_path), ModelFormatError)
    assert refused


def constants(length):
    """A packed tree of which every array is said to be so long, and takes no byte."""
    entry = [("name", "<u4"), ("how", "<u4"), ("base", "<i8"), ("count", "<i8"), ("n_apart", "<i8")]
    entries = np.zeros(len(NAMES), entry)
    entries["name"], entries["count"] = np.arange(len(NAMES)), length
    return np.int64(len(NAMES)).tobytes() + entries.tobytes()


@pytest.mark.parametrize("padding", [0, 2**16])
@pytest.mark.parametrize("length", [10, 20_000, 2**22, 2**31, 2**40])
def test_constants_in_packed_trees(length, padding, tmp_path):
    header, _ = taken_apart(file_of("forest", tmp_path))
    tree = constants(length)
    starts = np.array([0, len(tree), 2 * len(tree), 3 * len(tree)])
    section = starts.tobytes() + tree * 3 + bytes(padding)
    header["tree_start"] |= {"shape": [4], "data_offsets": [0, 32]}
    header["trees"] |= {"shape": [len(section) - 32], "data_offsets": [32, len(section)]}
    found = check_peak(put_together(header, section), tmp_path)
    assert isinstance(found, ModelFormatError)


def test_pickles_are_read_by_the_same_code():
    tree = silva.TreeClassifier(max_depth=2).fit(ROWS, TARGET).grown_tree_
    columns = RepeatedColumns([(Column("x0", "continuous"), MANY)])
    data = store.dumps(replace(tree, schema=Schema(columns, named=False)))
    tracemalloc.start()
    try:
        again = store.loads(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(again.schema) == MANY
    assert peak < MULTIPLE * len(data) + ROOM


def test_a_limit_of_memory_is_never_met(tmp_path):
    """What tracemalloc does not see counts too: the same files where little memory is left."""
    paths = []
    for kind in ("tree", "forest", "boosted"):
        for change in (with_long_runs, with_many_long_runs, with_runs_in_parts):
            paths.append(tmp_path / f"{kind} {change.__name__}")
            paths[-1].write_bytes(changed_meta(file_of(kind, tmp_path), change))
    script = f"""
        import resource, silva
        import silva.estimators.forest, silva.estimators.boost, silva.estimators.optimal
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 512 * 2**20,) * 2)
        for path in {list(map(str, paths))!r}:
            try:
                silva.load(path)
            except silva.ModelFormatError:
                pass
        print("all read")
    """
    assert run(script) == ["all read"]
