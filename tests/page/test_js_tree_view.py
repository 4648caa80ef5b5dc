"""What the tree view and the search of the page compute without a browser, by Node."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import silva
from silva.inspect.subject import subject_of
from silva.page.payload.document import document
from silva.tree.splits import split_of
from tests.skipping import skip

ASSETS = Path(silva.__file__).parent / "page" / "assets"


def node(tmp_path, body, **given):
    """The value of a JavaScript expression, with the given values and the modules at hand."""
    found = shutil.which("node")
    if found is None:
        skip("Node is not installed")
    imports = {
        "model/tree.js": "decodeDocument",
        "model/pruned.js": "visibleNodes",
        "views/search/find.js": "find, resultWords",
        "views/tree/keys.js": "goal, typed, createTyping",
        "views/tree/words.js": "spoken, asked",
    }
    lines = [
        f'import {{ {names} }} from "{(ASSETS / path).as_uri()}";'
        for path, names in imports.items()
    ]
    lines += [f"const {name} = {json.dumps(value)};" for name, value in given.items()]
    lines.append(f"console.log(JSON.stringify({body}));")
    script = tmp_path / "script.mjs"
    script.write_text("\n".join(lines), encoding="utf-8")
    ran = subprocess.run([found, script], capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(3)
    X = pd.DataFrame(
        {
            "age": rng.normal(40, 9, 300).round(1),
            "port": pd.Categorical(rng.choice(["Cherbourg", "Queenstown", "Southampton"], 300)),
        }
    )
    y = np.where((X["port"] == "Cherbourg") ^ (X["age"] > 45), "yes", "no")
    y[rng.random(300) < 0.1] = "maybe"
    return silva.TreeClassifier(max_depth=5).fit(X, y)


@pytest.fixture(scope="module")
def page(model):
    return json.loads(json.dumps(document(model), allow_nan=False))


def test_search_by_column_is_that_of_the_splits(tmp_path, model, page):
    tree = subject_of(model).tree()
    splits = [split_of(tree, one) for one in range(tree.n_nodes)]
    wanted = [one for one, split in enumerate(splits) if split and split.column == 0]
    found = node(tmp_path, 'find(decodeDocument(page).trees[0], "AGE")', page=page)
    assert sorted(one["node"] for one in found["nodes"]) == wanted
    assert found["summary"] == f"{len(wanted)} nodes ask about age"


def test_search_lists_the_most_rows_first(tmp_path, page):
    rows = page["trees"][0]["nodes"]["rows"]
    found = node(tmp_path, 'find(decodeDocument(page).trees[0], "age").nodes', page=page)
    told = [rows[one["node"]] for one in found]
    assert told == sorted(told, reverse=True)


@pytest.mark.parametrize("text", ["3", "#3", "node 3", "NODE 3"])
def test_search_by_number(tmp_path, page, text):
    found = node(tmp_path, "find(decodeDocument(page).trees[0], text)", page=page, text=f" {text} ")
    assert found["nodes"][0] == {"node": 3, "why": "number"}


def test_search_by_class_finds_the_leaves_that_predict_it(tmp_path, page):
    nodes = page["trees"][0]["nodes"]
    code = [one["text"] for one in page["classes"]].index("yes")
    leaves = [
        one for one, end in enumerate(nodes["end"]) if end == one + 1 and nodes["code"][one] == code
    ]
    found = node(tmp_path, 'find(decodeDocument(page).trees[0], "yes")', page=page)
    assert sorted(one["node"] for one in found["nodes"]) == leaves


def test_search_by_category_and_by_words_of_conditions(tmp_path, page):
    expression = (
        '["cherb", ">=", "", "nowhere"].map((one) => find(decodeDocument(page).trees[0], one))'
    )
    level, words, empty, nothing = node(tmp_path, expression, page=page)
    assert {one["why"] for one in level["nodes"]} == {"category"}
    edges = page["trees"][0]["nodes"]["edge"]
    assert sorted(one["node"] for one in words["nodes"]) == [
        one for one, edge in enumerate(edges) if ">=" in edge
    ]
    assert empty == {"nodes": [], "summary": ""}
    assert nothing == {"nodes": [], "summary": "nothing found for “nowhere”"}


def test_keys_walk_in_pre_order(tmp_path, page):
    body = """(() => {
        const tree = decodeDocument(page).trees[0];
        const open = new Set([...Array(tree.n).keys()]);
        const drawn = visibleNodes(tree, open);
        const keys = ["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End"];
        return drawn.map((at) => keys.map((key) => goal(tree, drawn, at, key)));
    })()"""
    nodes = page["trees"][0]["nodes"]
    last = len(nodes["end"]) - 1
    for at, (down, up, left, right, home, end) in enumerate(node(tmp_path, body, page=page)):
        assert down == (at + 1 if at < last else None)
        assert up == (at - 1 if at else None)
        assert left == (nodes["parent"][at] if at else None)
        assert right == (None if nodes["end"][at] == at + 1 else at + 1)
        assert (home, end) == (0, last)


def test_type_ahead(tmp_path):
    names = ["age", "Fare", "yes", "fox", "farm"]
    body = "steps.map(([at, text]) => typed([0, 1, 2, 3, 4], at, text, (one) => [names[one]]))"
    steps = [[0, "f"], [1, "f"], [4, "f"], [0, "ff"], [1, "far"], [2, "far"], [0, "z"]]
    assert node(tmp_path, body, names=names, steps=steps) == [1, 3, 1, 1, 1, 4, None]


def test_letters_after_a_pause_begin_anew(tmp_path):
    body = """(() => {
        let now = 0;
        const typing = createTyping(() => now);
        return [[0, "A"], [300, "g"], [2000, "f"]].map(([at, letter]) => {
            now = at;
            return typing(letter);
        });
    })()"""
    assert node(tmp_path, body) == ["a", "ag", "f"]


def test_nodes_without_a_card_have_a_spoken_name(tmp_path, page):
    bare = {**page["trees"][0], "cards": [None] * len(page["trees"][0]["cards"])}
    told = node(
        tmp_path,
        "(() => { const tree = decodeDocument(page).trees[0];"
        " return [spoken(tree, 0), spoken(tree, 1, true)]; })()",
        page={**page, "trees": [bare]},
    )
    assert told[0].startswith("Node 0, all rows, 300 rows, ")
    assert told[0].endswith("asks about port, 2 children")
    assert told[1].endswith("leaf at this pruning step")
