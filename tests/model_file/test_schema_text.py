"""The columns of a model file: runs of columns without names are written once."""

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import silva
from silva.data.notation import Notation
from silva.data.schema import Column, Schema
from silva.errors import ModelFormatError
from silva.model_file import schema_text
from silva.model_file.schema_text import decode_schema, encode_schema

WIDE = Schema(tuple(Column(f"x{i}", "continuous") for i in range(3000)), named=False)

columns = st.builds(
    Column,
    st.just(""),
    st.sampled_from(["continuous", "ordinal"]),
    st.sampled_from([None, (1, 2), (1.0, 2.0), (True, False), (0.0, 1.0), (-0.0, 1.0)]),
    missing=st.sampled_from(["learn", "stop"]),
    lone_levels=st.integers(0, 1),
    notation=st.sampled_from([None, Notation(), Notation(",", "€"), Notation(".", "%")]),
)


def exact(schema):
    """All that is known of each column; equal columns may differ in levels of equal value."""
    return [(repr(column), column.lone_levels) for column in schema.columns], schema.named


@given(st.lists(st.tuples(columns, st.integers(1, 5)), min_size=1), st.booleans())
def test_what_is_written_comes_back(runs, named):
    flat = [column for column, n in runs for _ in range(n)]
    schema = Schema(tuple(replace(one, name=f"x{i}") for i, one in enumerate(flat)), named)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema_text, "SHORTEST_RUN", 3)
        written = json.loads(json.dumps(encode_schema(schema)))
        assert exact(decode_schema(written)) == exact(schema)
    assert all("repeat" not in one for one in written["columns"]) or not named
    assert encode_schema(schema)["columns"] == [
        schema_text._encode_column(column) for column in schema.columns
    ]


def test_a_long_run_is_one_entry():
    written = encode_schema(WIDE)
    assert [one.get("repeat") for one in written["columns"]] == [3000]
    assert exact(decode_schema(written)) == exact(WIDE)


def test_columns_with_names_are_written_one_by_one():
    assert len(encode_schema(replace(WIDE, named=True))["columns"]) == 3000


@pytest.mark.parametrize(
    "change",
    [
        lambda schema: schema.update(named=True),
        lambda schema: schema["columns"][0].update(name="x1"),
        lambda schema: schema["columns"][0].update(name="age"),
        lambda schema: schema["columns"].append(schema["columns"][0]),
        *(
            lambda schema, repeat=repeat: schema["columns"][0].update(repeat=repeat)
            for repeat in (0, -1, 999, True, 3000.0, "3000", None, 2**24 + 1, 2**70)
        ),
    ],
)
def test_wrong_runs_are_refused(change):
    written = encode_schema(WIDE)
    change(written)
    with pytest.raises(ModelFormatError, match=r"meta\.schema\.columns\[[01]\]"):
        decode_schema(written)


@pytest.mark.parametrize(
    "notation",
    [
        {"decimal": ";", "unit": "$"},
        {"decimal": ".", "unit": 7},
        {"decimal": ".", "unit": "$" * 9},
        {"decimal": "."},
        {"decimal": ".", "unit": "$", "more": 1},
        [],
        "$",
    ],
)
def test_wrong_notations_are_refused(notation):
    written = encode_schema(Schema((Column("x", "continuous", notation=Notation(".", "$")),)))
    assert decode_schema(written).columns[0].notation == Notation(".", "$")
    written["columns"][0]["notation"] = notation
    with pytest.raises(ModelFormatError, match=r"meta\.schema\.columns\[0\]\.notation"):
        decode_schema(written)


def test_no_file_makes_more_columns_than_the_limit():
    written = encode_schema(WIDE)
    written["columns"] = [
        written["columns"][0] | {"name": f"x{i * 2**23}", "repeat": 2**23} for i in range(3)
    ]
    with pytest.raises(ModelFormatError, match=r"columns\[2\]\.repeat"):
        decode_schema(written)


@pytest.mark.parametrize(
    "model", [silva.TreeClassifier(), silva.ForestClassifier(2, random_state=0)]
)
def test_models_of_hashed_words_are_saved(model, tmp_path):
    words = sparse.random_array((60, 2**17), density=0.01, format="csr", rng=0)
    model.fit(words, np.arange(60) % 3)
    path = tmp_path / "words.silva"
    silva.save(model, path)
    for again in (silva.load(path), pickle.loads(pickle.dumps(model))):
        assert (again.predict_proba(words) == model.predict_proba(words)).all()
    again_path = tmp_path / "again.silva"
    silva.save(silva.load(path), again_path)
    assert again_path.read_bytes() == path.read_bytes()
    assert path.stat().st_size < 64 * 2**17
