"""`silva.to_svg`: valid, safe, readable by screen readers, and the same tree as the text."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import silva
from silva.export.svg import svg_of
from silva.inspect.drawing.picture import picture
from silva.tree.view import TreeView
from tests.tree.tree_samples import SAMPLES, animal_tree, linear_tree, patient_tree, trees

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "</script><img onerror=alert(1) src=x>",
    "]]></style><b>\"quoted\" & 'more'",
    "control \x00\x01\x0b\ufffe character",
    "emoji 🎉 and 漢字",
    "n" * 300,
]


def parsed(svg):
    svg.encode("utf-8")
    return ET.fromstring(svg)


def nodes_of(root):
    return [group for group in root.iter(f"{SVG}g") if group.get("role") == "img"]


def title(element):
    return element.find(f"{SVG}title").text


def shown(element):
    """The texts in sight."""
    found = element.iter(f"{SVG}text")
    return [(text.text or "") + "".join(part.tail or "" for part in text) for text in found]


@settings(max_examples=40, deadline=None)
@given(trees())
def test_any_tree_gives_valid_xml(tree):
    root = parsed(silva.to_svg(tree))
    assert len(nodes_of(root)) == tree.n_nodes


@pytest.mark.parametrize("sample", SAMPLES)
def test_text_alternatives_of_the_whole_and_of_each_node(sample):
    tree = sample()
    root = parsed(silva.to_svg(tree))
    assert root.get("role") == "img"
    assert title(root) == str(tree).splitlines()[0]
    assert root.find(f"{SVG}desc").text.startswith(f"A {tree.task} tree of {tree.n_leaves} leaves")
    assert [child.tag for child in root[:2]] == [f"{SVG}title", f"{SVG}desc"]
    for group, node in zip(nodes_of(root), TreeView(tree), strict=True):
        assert title(group).startswith(f"Node {node.number}, {node.edge or 'all rows'}, ")
        assert title(group).endswith("leaf" if node.is_leaf else " children")


def test_the_conditions_are_those_of_the_text():
    root = parsed(silva.to_svg(patient_tree()))
    found = [title(group) for group in root.iter(f"{SVG}g") if group.find(f"{SVG}path") is not None]
    assert found == [node.edge for node in TreeView(patient_tree()) if node.edge]


def test_hostile_names_stay_names():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({name: rng.random(300) for name in HOSTILE[:3]})
    table["level"] = rng.choice(np.array(HOSTILE, dtype=object), 300)
    codes = (table.iloc[:, 0] > 0.5).astype(int) + table["level"].isin(HOSTILE[:2])
    y = np.array(HOSTILE[2:], dtype=object)[codes]
    model = silva.TreeClassifier(max_depth=4).fit(table, y)
    svg = silva.to_svg(model, max_listed=None)
    root = parsed(svg)
    assert not re.search("<(script|img|b)", svg)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {
        *("svg", "title", "desc", "style", "rect", "g", "path", "text")
    }


def test_what_xml_cannot_hold_is_replaced():
    scene = replace(picture(animal_tree()), title="a\x00b\ud800c\ufffed")
    assert title(parsed(svg_of(scene))) == "a\ufffdb\ufffdc\ufffdd"


def test_nothing_is_fetched_and_nothing_has_an_id():
    svg = silva.to_svg(animal_tree())
    assert svg.count("http") == 1
    assert not re.search(r"href|url\(|@import|<script|\bid=|\bon\w+=", svg)


def test_pictures_of_different_themes_share_a_page():
    pages = {theme: silva.to_svg(animal_tree(), theme=theme) for theme in ("auto", "light", "dark")}
    for theme, svg in pages.items():
        style = re.search("<style>(.*)</style>", svg)[1]
        rules = re.sub(r"@media \(prefers-color-scheme:dark\)\{(.*)\}", r"\1", style)
        for selectors in re.findall(r"([^{}]+)\{", rules):
            assert all(f"{one} ".startswith(f".silva-{theme} ") for one in selectors.split(","))
        assert f'class="silva-tree silva-{theme}"' in svg
        assert ("prefers-color-scheme" in svg) == (theme == "auto")
    with pytest.raises(silva.PlanError, match=r"theme='drak'.*Did you mean 'dark'"):
        silva.to_svg(animal_tree(), theme="drak")


def test_every_colour_that_is_used_is_defined():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    many = silva.TreeClassifier(max_depth=3).fit(X, np.digitize(X[:, 0], np.linspace(-2, 2, 11)))
    number = silva.TreeRegressor(max_depth=3).fit(X, X[:, 0] + X[:, 1] ** 2)
    for svg in (
        silva.to_svg(many, X=X, y=many.predict(X)),
        silva.to_svg(number),
        silva.to_svg(number, X=X, y=X[:, 1]),
    ):
        style = re.search("<style>(.*)</style>", svg)[1]
        used = {rect.get("class") for rect in parsed(svg).iter(f"{SVG}rect")}
        assert all(f".{name}{{" in style for name in used)


def test_right_to_left_names_leave_numbers_in_their_place():
    table = pd.DataFrame({"גיל": [20.0, 30.0, 50.0, 60.0]})
    root = parsed(silva.to_svg(silva.TreeClassifier().fit(table, ["لا", "لا", "نعم", "نعم"])))
    assert shown(nodes_of(root)[0])[0] == "\u2067גיל\u2069 < 40?"  # noqa: RUF001
    assert shown(nodes_of(root)[1])[0] == "\u2067لا\u2069"  # noqa: RUF001
    assert title(nodes_of(root)[1]).startswith("Node 1, גיל < 40, 2 rows")


def test_one_tree_of_many():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(100, 3))
    y = np.where(X[:, 0] > 0, "a", "b")
    models = [
        silva.ForestClassifier(3, random_state=0),
        silva.BaggingClassifier(n_estimators=3, random_state=0),
        silva.AdaBoostClassifier(silva.TreeClassifier(max_depth=2), n_estimators=3),
    ]
    for model in models:
        count = len(model.fit(X, y).trees_)
        svg = silva.to_svg(model, tree=count - 1, X=X, y=y)
        assert title(parsed(svg)).startswith(f"tree {count - 1} of {count}: classification tree")
        with pytest.raises(silva.PlanError, match=r"has \d trees?, .* tree=0 for the first"):
            silva.to_svg(model)
        with pytest.raises(silva.PlanError, match=f"tree={count} .*use 0 to {count - 1}"):
            silva.to_svg(model, tree=count)
        with pytest.raises(silva.PlanError, match="tree=-1"):
            silva.to_svg(model, tree=-1)


def test_limits_and_rows_are_checked():
    model = silva.TreeClassifier().fit([[0.0], [1.0]], ["a", "b"])
    for wrong in ({"max_depth": -1}, {"max_nodes": 0}, {"min_rows": 1.5}, {"max_listed": 0}):
        with pytest.raises(silva.PlanError, match=next(iter(wrong))):
            silva.to_svg(model, **wrong)
    with pytest.raises(silva.DataError, match="y is missing: pictures show"):
        silva.to_svg(model, X=[[0.0]])
    with pytest.raises(silva.DataError, match="give one a row"):
        silva.to_svg(model, X=[[0.0]], y=["a", "b"])
    with pytest.raises(silva.PlanError, match="model="):
        silva.to_svg(3)
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        silva.to_svg(silva.TreeClassifier())


def test_small_leaves_are_marked_in_words_and_by_their_border():
    root = parsed(silva.to_svg(animal_tree()))
    leaves = [group for group in nodes_of(root) if "leaf" in group.get("class")]
    assert all(group.get("class") == "leaf few" for group in leaves)
    assert any("only 3 rows" in shown(group) for group in leaves)
    assert any("Dashed leaves have fewer than 10 training rows." in text for text in shown(root))


def test_formulas_of_leaves_are_whole_in_the_tooltip():
    root = parsed(silva.to_svg(linear_tree()))
    leaf = nodes_of(root)[1]
    assert shown(leaf)[0] == "linear model"
    assert " ".join(shown(leaf)[1:3]) == "9.25 + 0.5*(age - 1), between 9 and 9.5"
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(60, 4)), columns=[f"a long name {i}" for i in range(4)])
    model = silva.TreeRegressor(max_depth=1, leaf="linear").fit(X, X.sum(axis=1) + rng.random(60))
    leaf = nodes_of(parsed(silva.to_svg(model)))[1]
    formula = re.search(r"→ (.*) \(\d+ rows", silva.to_text(model))[1]
    assert formula in [title(text) for text in leaf.iter(f"{SVG}text") if len(text)]


def test_a_view_is_drawn_as_its_tree():
    assert silva.to_svg(TreeView(animal_tree())) == silva.to_svg(animal_tree())
