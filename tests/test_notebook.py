"""What notebooks show of trees, models and records, also in a notebook that is run."""

import importlib.util
import os
import re
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from sklearn.base import clone, is_classifier

import silva
from silva.notebook import ShownAsText
from tests.skipping import skip
from tests.tree.tree_samples import animal_tree

PICTURE = re.compile(r"<svg .*?</svg>", re.DOTALL)
CELLS = [
    "import silva\n"
    "X = [[float(i), float(i % 3)] for i in range(30)]\n"
    "y = ['a' if i < 12 else 'b & <c>' for i in range(30)]\n"
    "tree = silva.TreeClassifier(max_depth=2).fit(X, y)\n"
    "tree.grown_tree_",
    "tree",
    "silva.ForestClassifier(5, random_state=0).fit(X, y)",
    "tree.summary_",
    "silva.TreeClassifier()",
]


def fitted(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] * X[:, 1]
    return model.fit(X, y > 0 if is_classifier(model) else y)


def drawn(html):
    """The pictures in the HTML, each valid by itself."""
    return [ET.fromstring(svg) for svg in PICTURE.findall(html)]


def test_a_notebook_that_is_run_shows_pictures_and_texts(monkeypatch):
    missing = [name for name in ("nbclient", "ipykernel") if not importlib.util.find_spec(name)]
    if missing:
        skip(f"{missing[0]} is not installed; pip install '.[test]' brings it")
    import nbclient
    from nbformat import v4

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    book = v4.new_notebook(cells=[v4.new_code_cell(source) for source in CELLS])
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    grown, tree, forest, summary, unfitted = (cell.outputs[0].data for cell in book.cells)
    assert len(drawn(grown["text/html"])) == 1
    assert grown["text/plain"].startswith("classification tree (gini)")
    assert len(drawn(tree["text/html"])) == 1
    assert tree["text/html"].startswith("<style>")
    assert tree["text/plain"] == "TreeClassifier(max_depth=2)"
    (first,) = drawn(forest["text/html"])
    assert first[0].text.startswith("tree 0 of 5: ")
    assert summary["text/html"].startswith("<pre")
    assert summary["text/plain"].startswith("2 leaves, depth 1; accuracy:")
    assert not drawn(unfitted["text/html"])


def test_a_tree_is_a_picture_of_at_most_sixty_nodes():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1000, 3))
    tree = silva.TreeRegressor().fit(X, rng.normal(size=1000)).grown_tree_
    bundle = tree._repr_mimebundle_(include=None, exclude=None)
    (picture,) = drawn(bundle["text/html"])
    shown = [one.get("class") for one in picture.iter() if one.get("role") == "img"][1:]
    assert sum(not kind.startswith("stub") for kind in shown) == 60
    assert bundle["text/plain"] == str(tree)
    assert animal_tree()._repr_html_().startswith("<div")


@pytest.mark.parametrize(
    "model",
    [
        silva.TreeClassifier(),
        silva.StumpRegressor(),
        silva.ForestRegressor(3, random_state=0),
        silva.ExtraTreesClassifier(3, random_state=0),
        silva.BaggingRegressor(n_estimators=3, random_state=0),
        silva.AdaBoostClassifier(n_estimators=3),
    ],
    ids=lambda model: type(model).__name__,
)
def test_fitted_estimators_show_their_tree_below_the_box(model):
    model = clone(model)
    assert not drawn(model._repr_html_())
    html = fitted(model)._repr_html_()
    box, picture = html.split("<svg ", 1)
    assert "sk-top-container" in box
    assert type(model).__name__ in box
    assert "tree 0 of" in picture or not hasattr(model, "trees_")
    assert len(drawn(html)) == 1
    assert model._repr_mimebundle_()["text/plain"] == repr(model)


def test_a_picture_that_fails_leaves_the_box_and_a_warning(monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("no picture")

    model = fitted(silva.TreeClassifier())
    monkeypatch.setattr(type(model), "_picture", broken)
    with pytest.warns(RuntimeWarning, match="could not be drawn: ZeroDivisionError: no picture"):
        html = model._repr_html_()
    assert "sk-top-container" in html
    assert not drawn(html)


def records():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(150, 3))
    y = np.where(X[:, 0] > 0, "a", "<b>")
    tree = silva.TreeClassifier(prune="pessimistic").fit(X, y)
    forest = silva.ForestClassifier(20, random_state=0, oob_score=True).fit(X, y)
    boosted = silva.AdaBoostClassifier(n_estimators=3).fit(X, y)
    return [
        tree.summary_,
        tree.prune_record_,
        forest.summary_,
        boosted.summary_,
        silva.bounds(tree),
        silva.importance(forest, X, y),
        silva.distil(forest, X),
        silva.size_path(silva.TreeClassifier(max_depth=3), X, y),
        silva.stability(silva.TreeClassifier(max_depth=3), X, y, samples=3),
        silva.rules(tree)[0],
    ]


def test_records_are_shown_as_they_print():
    for record in records():
        assert isinstance(record, ShownAsText)
        html = record._repr_html_()
        assert html.startswith("<pre")
        assert "<b>" not in html
        assert record._repr_mimebundle_()["text/plain"] == str(record)
