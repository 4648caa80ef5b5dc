"""The model file: what is written comes back to the last bit, what is damaged is refused."""

import copy
import json
import os
import pickle
import socket
import stat
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silva.data.schema import Column, Schema
from silva.errors import ModelFormatError
from silva.model_file import container
from silva.model_file.store import dumps, load, loads, parse, read, save
from silva.tree.builder import TreeBuilder
from silva.tree.tree import same, to_arrays
from tests.tree.model_bytes import put_together, taken_apart, with_meta
from tests.tree.tree_samples import (
    SAMPLES,
    animal_tree,
    linear_tree,
    price_tree,
    smoothed_tree,
    trees,
)

extras = st.dictionaries(st.text(), st.text(), max_size=3)


@given(trees(), extras)
def test_what_is_saved_comes_back(tree, extra):
    data = dumps(tree, extra)
    stored = parse(data)
    assert stored.extra == extra
    assert dumps(stored.tree, stored.extra) == data
    assert stored.tree.schema == tree.schema
    assert stored.tree.task == tree.task
    assert stored.tree.criterion == tree.criterion
    assert stored.tree.weight_unit == tree.weight_unit
    assert stored.tree.smoothing == tree.smoothing
    assert (stored.tree.linear is None) == (tree.linear is None)
    if tree.classes is not None:
        assert stored.tree.classes.tolist() == tree.classes.tolist()
        assert stored.tree.classes.dtype.kind == tree.classes.dtype.kind
    for name, array in to_arrays(tree).items():
        assert to_arrays(stored.tree)[name].tobytes() == array.tobytes()


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "float64", "U9"])
def test_classes_keep_their_type(dtype):
    classes = np.array([1, 0]).astype(dtype)
    build = TreeBuilder(animal_tree().schema, "classification", classes)
    build.add_leaf(None, 0, 1, {0: 1})
    twin = loads(dumps(build.finish()))
    assert twin.classes.tolist() == classes.tolist()
    assert twin.classes.dtype.kind == classes.dtype.kind
    if classes.dtype.kind != "U":
        assert twin.classes.dtype == classes.dtype


def test_levels_keep_their_type():
    levels = ("1", 1, 2.0, True, float("inf"), float("-inf"), -0.0, "inf", 10**30)
    levels = tuple(level for level in levels if level is not True)
    schema = Schema((Column("mixed", "categorical", levels), Column("b", "binary", (False, True))))
    build = TreeBuilder(schema, "classification", np.array(["a"]))
    build.add_leaf(None, 0, 1, {0: 1})
    found = loads(dumps(build.finish())).schema
    assert found == schema
    assert [type(level) for level in found.columns[0].levels] == [type(one) for one in levels]
    assert [type(level) for level in found.columns[1].levels] == [bool, bool]


def test_the_layout_is_plain_safetensors():
    """Eight bytes, JSON, raw arrays: read here without any code of ours."""
    tree = price_tree()
    data = dumps(tree)
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__")
    assert {key: metadata[key] for key in ("format", "format_version", "kind")} == {
        "format": "silva",
        "format_version": "1.0",
        "kind": "tree",
    }
    codes = {"I64": "<i8", "F64": "<f8", "I32": "<i4", "I8": "i1"}
    assert (8 + length) % 8 == 0
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        raw = data[8 + length + begin : 8 + length + end]
        array = np.frombuffer(raw, codes[entry["dtype"]]).reshape(entry["shape"])
        assert np.array_equal(array, to_arrays(tree)[name])
        assert begin % array.itemsize == 0


def test_the_reader_of_safetensors_opens_it(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy")
    save(animal_tree(), tmp_path / "animals.silva", {"é": "ü"})
    arrays = safetensors.load_file(tmp_path / "animals.silva")
    expected = to_arrays(animal_tree())
    assert sorted(arrays) == sorted(expected)
    assert all(np.array_equal(arrays[name], expected[name]) for name in expected)


def test_files(tmp_path):
    path = tmp_path / "model.silva"
    save(animal_tree(), path, {"estimator": "TreeClassifier"})
    save(price_tree(), path)
    assert same(load(path), price_tree())
    save(animal_tree(), str(path), {"estimator": "TreeClassifier"})
    stored = read(path)
    assert same(stored.tree, animal_tree())
    assert stored.extra == {"estimator": "TreeClassifier"}
    assert os.listdir(tmp_path) == ["model.silva"]


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "model.silva"
    save(animal_tree(), path)

    def full(handle):
        raise OSError("no space left")

    monkeypatch.setattr("silva.files.os.fsync", full)
    with pytest.raises(OSError, match="no space"):
        save(price_tree(), path)
    assert same(load(path), animal_tree())
    assert os.listdir(tmp_path) == ["model.silva"]


def test_save_follows_links(tmp_path):
    save(animal_tree(), tmp_path / "real.silva")
    (tmp_path / "link.silva").symlink_to(tmp_path / "real.silva")
    save(price_tree(), tmp_path / "link.silva")
    assert (tmp_path / "link.silva").is_symlink()
    assert same(load(tmp_path / "real.silva"), price_tree())


def test_what_is_no_regular_file_is_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(ModelFormatError, match="regular file"):
            load(path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing.silva")


def test_pipes_devices_and_sockets_are_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tmp_path / "socket"))
        for path in (tmp_path / "pipe", tmp_path / "link", tmp_path / "socket", "/dev/null"):
            with pytest.raises(ModelFormatError, match=f"{path}: is not a regular file"):
                save(animal_tree(), path)
    assert stat.S_ISFIFO(os.stat(tmp_path / "link").st_mode)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert sorted(os.listdir(tmp_path)) == ["link", "pipe", "socket"]


def test_a_link_to_a_new_name_makes_the_file(tmp_path):
    (tmp_path / "link.silva").symlink_to("new.silva")
    save(price_tree(), tmp_path / "link.silva")
    assert (tmp_path / "link.silva").is_symlink()
    assert same(load(tmp_path / "new.silva"), price_tree())


def test_a_link_to_itself_is_not_replaced(tmp_path):
    (tmp_path / "link.silva").symlink_to("link.silva")
    with pytest.raises(OSError, match="link"):
        save(price_tree(), tmp_path / "link.silva")
    assert (tmp_path / "link.silva").is_symlink()


def test_files_that_are_too_large_are_not_read(tmp_path):
    save(animal_tree(), tmp_path / "model.silva")
    with pytest.raises(ModelFormatError, match="max_bytes=100"):
        load(tmp_path / "model.silva", max_bytes=100)


@pytest.mark.parametrize("make", SAMPLES)
def test_pickle_and_copy_carry_the_checked_bytes(make):
    tree = make()
    for twin in (pickle.loads(pickle.dumps(tree)), copy.copy(tree), copy.deepcopy(tree)):
        assert same(twin, tree)
        assert not twin.child.flags.writeable
    broken = pickle.dumps(tree).replace(b"sha256", b"sha255")
    with pytest.raises(ModelFormatError):
        pickle.loads(broken)


def test_same_sees_every_difference():
    assert not same(smoothed_tree(), animal_tree())
    assert not same(linear_tree(), price_tree())
    assert same(animal_tree(), animal_tree())
    assert not same(animal_tree(), price_tree())
    build = TreeBuilder(animal_tree().schema, "classification", np.array(["cat"]))
    build.add_leaf(None, 0, 6, {0: 6})
    assert not same(build.finish(), animal_tree())


def test_repr_is_short():
    assert repr(animal_tree()) == "Tree(classification, gini, nodes=9, leaves=5)"


@pytest.mark.parametrize("length", [0, 1, 7, 8, 15, 16, 100, 1000, -1, -8])
def test_truncated_files_are_refused(length):
    with pytest.raises(ModelFormatError):
        loads(dumps(animal_tree())[:length])


def test_other_files_are_refused():
    for data in (b"", b"PK\x03\x04" + b"\0" * 60, b"\x80\x04" + b"x" * 60, b"{}" * 40):
        with pytest.raises(ModelFormatError):
            loads(data)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("format", "other", "format"),
        ("format_version", "2.0", r"version 2\.0, this silva reads 1\.x"),
        ("format_version", "1", "format_version"),
        ("format_version", "1.0.0", "format_version"),
        ("kind", "forest", "kind"),
        ("meta", "", "meta"),
        ("meta", "[]", "meta: must be an object"),
        ("meta", '{"a":1,"a":2}', "twice"),
        ("meta", '{"a":NaN}', "NaN"),
        ("meta", "[" * 100_000, "nested too deeply"),
        ("meta", "9" * 10_000, "meta"),
        ("meta", "\ud800", "meta"),
        ("meta", 1, "meta: must be a string"),
    ],
)
def test_wrong_metadata_is_refused(key, value, message):
    header, section = taken_apart(dumps(animal_tree()))
    header["__metadata__"][key] = value
    with pytest.raises(ModelFormatError, match=message):
        loads(put_together(header, section))


@pytest.mark.parametrize("key", ["format", "format_version", "kind", "meta"])
def test_missing_metadata_is_refused(key):
    header, section = taken_apart(dumps(animal_tree()))
    del header["__metadata__"][key]
    with pytest.raises(ModelFormatError):
        loads(put_together(header, section))


def test_checksums_find_damage():
    data = bytearray(dumps(animal_tree()))
    data[-1] ^= 1
    with pytest.raises(ModelFormatError, match="sha256"):
        loads(bytes(data))
    damaged = dumps(animal_tree()).replace(b"lion", b"lyon")
    with pytest.raises(ModelFormatError, match="meta_sha256"):
        loads(damaged)


def test_a_newer_minor_version_may_add_what_is_not_known():
    def add(meta):
        meta["color"] = "green"

    data = with_meta(dumps(animal_tree()), add)
    with pytest.raises(ModelFormatError, match="color"):
        loads(data)
    header, section = taken_apart(data)
    header["__metadata__"]["format_version"] = "1.10"
    header["__metadata__"]["signed_by"] = "nobody"
    assert same(loads(put_together(header, section)), animal_tree())


def edit_entry(change):
    header, section = taken_apart(dumps(animal_tree()))
    change(header)
    return put_together(header, section)


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header.pop("gain"),
        lambda header: header.pop("__metadata__"),
        lambda header: header.update(more=header["gain"]),
        lambda header: header["gain"].update(dtype="F32"),
        lambda header: header["gain"].update(dtype=["F64"]),
        lambda header: header["gain"].update(more=1),
        lambda header: header["gain"].pop("shape"),
        lambda header: header["gain"].update(shape=[10]),
        lambda header: header["gain"].update(shape=[-9]),
        lambda header: header["gain"].update(shape=[9.0]),
        lambda header: header["gain"].update(shape=[True]),
        lambda header: header["gain"].update(shape=[9, 1]),
        lambda header: header["gain"].update(shape=[]),
        lambda header: header["gain"].update(shape=[2**61 + 9]),
        lambda header: header["gain"].update(shape=[2**70]),
        lambda header: header["gain"].update(data_offsets=[0]),
        lambda header: header["gain"].update(data_offsets=[8, 0]),
        lambda header: header["gain"].update(data_offsets=["0", "72"]),
        lambda header: header["child"].update(data_offsets=header["gain"]["data_offsets"]),
        lambda header: header["subset_codes"].update(shape=[0]),
        lambda header: header.update(gain=None),
        lambda header: header.update({f"x{i}": {} for i in range(100)}),
    ],
)
def test_wrong_headers_are_refused(change):
    with pytest.raises(ModelFormatError):
        loads(edit_entry(change))


def test_arrays_must_be_aligned():
    header, section = taken_apart(dumps(animal_tree()))
    first = min(header, key=lambda name: header[name].get("data_offsets", [2**62]))
    last = "split_kind"
    begin, end = header[last]["data_offsets"]
    moved = section[begin:end] + section[:begin] + section[end:]
    for entry in header.values():
        if entry.get("data_offsets", [begin])[0] < begin:
            entry["data_offsets"] = [place + end - begin for place in entry["data_offsets"]]
    header[last]["data_offsets"] = [0, end - begin]
    assert header[first]["data_offsets"][0] % 8
    with pytest.raises(ModelFormatError, match="aligned"):
        loads(put_together(header, moved))


def column(meta):
    return meta["schema"]["columns"][1]


@pytest.mark.parametrize(
    "change",
    [
        lambda meta: meta.update(task="ranking"),
        lambda meta: meta.update(task=["regression"]),
        lambda meta: meta.update(task="regression"),
        lambda meta: meta.update(criterion="best"),
        lambda meta: meta.update(criterion=1),
        lambda meta: meta.update(weight_unit="1"),
        lambda meta: meta.update(weight_unit=True),
        lambda meta: meta.update(weight_unit=3),
        lambda meta: meta.update(weight_unit=10**400),
        lambda meta: meta.update(classes=None),
        lambda meta: meta.update(classes={"dtype": "str", "values": ["a", "b", "b"]}),
        lambda meta: meta.update(classes={"dtype": "str", "values": ["a", "b", 3]}),
        lambda meta: meta.update(classes={"dtype": "str", "values": ["a", "b", "c\0"]}),
        lambda meta: meta.update(classes={"dtype": "int8", "values": [1, 2, 300]}),
        lambda meta: meta.update(classes={"dtype": "int64", "values": [1, 2, 2**63]}),
        lambda meta: meta.update(classes={"dtype": "int64", "values": [1, 2, 3.0]}),
        lambda meta: meta.update(classes={"dtype": "int64", "values": [1, 2, True]}),
        lambda meta: meta.update(classes={"dtype": "float32", "values": [1, 2, 0.1]}),
        lambda meta: meta.update(classes={"dtype": "float64", "values": [1, 2, 10**400]}),
        lambda meta: meta.update(classes={"dtype": "object", "values": ["a", "b", "c"]}),
        lambda meta: meta.update(classes={"dtype": ["str"], "values": ["a", "b", "c"]}),
        lambda meta: meta.update(classes={"dtype": "str", "values": "abc"}),
        lambda meta: meta.update(classes={"dtype": "str"}),
        lambda meta: meta.update(schema=None),
        lambda meta: meta["schema"].update(named=1),
        lambda meta: meta["schema"].update(columns={}),
        lambda meta: meta["schema"].update(columns=[]),
        lambda meta: meta["schema"]["columns"].append(None),
        lambda meta: meta["schema"]["columns"].append(column(meta)),
        lambda meta: column(meta).pop("missing"),
        lambda meta: column(meta).update(missing="ask"),
        lambda meta: column(meta).update(unseen="ask"),
        lambda meta: column(meta).update(unseen=["stop"]),
        lambda meta: column(meta).update(more=1),
        lambda meta: column(meta).update(name=1),
        lambda meta: column(meta).update(kind="round"),
        lambda meta: column(meta).update(kind=["ordinal"]),
        lambda meta: column(meta).update(levels=None),
        lambda meta: column(meta).update(levels=["a"]),
        lambda meta: column(meta).update(levels={"type": "str", "values": [1]}),
        lambda meta: column(meta).update(levels={"type": "int", "values": [True]}),
        lambda meta: column(meta).update(levels={"type": ["str"], "values": ["a"]}),
        lambda meta: column(meta).update(levels={"type": "float", "values": ["nan"]}),
        lambda meta: column(meta).update(levels={"type": "mixed", "values": ["a"]}),
        lambda meta: column(meta).update(levels={"type": "mixed", "values": [["str"]]}),
        lambda meta: column(meta).update(levels={"type": "str", "values": ["a", "a"]}),
        lambda meta: meta.update(extra=None),
        lambda meta: meta.update(extra={"a": 1}),
        lambda meta: meta.pop("extra"),
        lambda meta: meta.update(center=1.0),
    ],
)
def test_wrong_meta_is_refused(change):
    with pytest.raises(ModelFormatError):
        loads(with_meta(dumps(animal_tree()), change))


def test_one_long_label_does_not_cost_memory_for_all():
    def lengthen(meta):
        meta["classes"]["values"] = ["a" * 2_000_000, *map(str, range(10_000))]

    with pytest.raises(ModelFormatError, match=r"classes\.values\[0\]"):
        loads(with_meta(dumps(animal_tree()), lengthen))


def test_a_header_that_no_reader_would_take_is_not_written(monkeypatch):
    monkeypatch.setattr(container, "LARGEST_HEADER", 1000)
    with pytest.raises(ModelFormatError, match="categorical"):
        dumps(animal_tree())


def test_extra_must_be_strings():
    with pytest.raises(ModelFormatError, match="extra"):
        dumps(animal_tree(), {"depth": 3})
