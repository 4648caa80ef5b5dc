"""The trail of edits: one line each, stored with the tree, refused if it is not whole."""

import json
from dataclasses import replace

import pytest

from silva.errors import ModelFormatError
from silva.model_file.store import dumps, loads
from silva.tree.check import check
from silva.tree.edits import Edit, decode_edits, encode_edits
from tests.tree.tree_samples import animal_tree

TRAIL = (
    Edit("collapse", 3, "2 leaves became one", "too few rows"),
    Edit("regrow", 0, "5 leaves became 4 by gini"),
    Edit("graft", 1, "1 leaf became 3 of node 0 of another tree", "ünïcode \U0001f333"),
    Edit("replace", 2, "x < 2 instead of a leaf"),
)


def test_lines():
    told = [str(edit) for edit in TRAIL]
    assert told[0] == "node 3 collapsed: 2 leaves became one. Note: too few rows"
    assert told[1] == "node 0 grown again: 5 leaves became 4 by gini"
    assert str(Edit("collapse", 3, "a\nb", "c\r\n\td ")) == "node 3 collapsed: a b. Note: c d"


def test_the_trail_travels_with_the_tree():
    tree = check(replace(animal_tree(), edits=TRAIL))
    assert loads(dumps(tree)).edits == TRAIL
    assert str(tree).endswith("\n".join(f"edited: {edit}" for edit in TRAIL))
    assert json.loads(json.dumps(encode_edits(TRAIL))) == encode_edits(TRAIL)


@pytest.mark.parametrize(
    ("edits", "place"),
    [
        ([TRAIL[0]], "edits"),
        (("collapsed",), r"edits\[0\]"),
        ((TRAIL[0], Edit("burn", 0, "")), r"edits\[1\].action"),
        ((Edit([], 0, ""),), r"edits\[0\].action"),
        ((Edit("graft", -1, ""),), r"edits\[0\].node"),
        ((Edit("graft", True, ""),), r"edits\[0\].node"),
        ((Edit("graft", 0, None),), r"edits\[0\].what"),
        ((Edit("graft", 0, "", 3),), r"edits\[0\].note"),
    ],
)
def test_what_is_no_trail_is_refused(edits, place):
    with pytest.raises(ModelFormatError, match=place):
        check(replace(animal_tree(), edits=edits))


@pytest.mark.parametrize(
    "found",
    [
        None,
        {},
        "collapse",
        [None],
        [{}],
        [{"action": "graft", "node": 0, "what": ""}],
        [{"action": "graft", "node": 0, "what": "", "note": "", "more": 1}],
        [{"action": "graft", "node": 0.0, "what": "", "note": ""}],
        [{"action": {}, "node": 0, "what": "", "note": ""}],
    ],
)
def test_bytes_that_are_no_trail_are_refused(found):
    with pytest.raises(ModelFormatError, match="edits"):
        decode_edits(found)
