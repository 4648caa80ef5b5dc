"""The whole page in Chromium, for each kind of model: nothing asked for, nothing wrong."""

import gzip
import re

import numpy as np
import pandas as pd
import pytest

import silva
from silva.page.assemble import script
from silva.page.report import html
from tests.page.test_report import everything_in, rows

VIEWS = ("tree", "overview", "rules", "ask", "whatif", "surface", "quality", "columns", "export")
HOSTILE = '</script><img src=x onerror="window.hacked=1">\'&amp;${1}'
NAMES = {
    "markup": HOSTILE,
    "arabic": "العمر بالسنوات",
    "emoji": "👩‍👩‍👧 family 🌳",
    "long": "a rather long name " * 16,
}


def classes():
    X, y = rows(400)
    return silva.TreeClassifier(max_depth=4).fit(X, y), X, y


def pruned():
    X, y = rows(400)
    return silva.TreeClassifier(prune="cost_complexity", random_state=0).fit(X, y), X, y


def optimal():
    X, y = rows(200)
    X = X[["age", "score"]].fillna(50.0).round(1)
    return silva.OptimalTreeClassifier(max_depth=2).fit(X, y), X, y


def forest():
    X, y = rows(300)
    model = silva.ForestClassifier(n_estimators=15, max_depth=4, random_state=0)
    return model.fit(X, y), X, y


def regression():
    X, _ = rows(400)
    y = pd.Series(np.where(X["score"] > 0, X["age"].fillna(0.0), X["score"]), name="price")
    return silva.TreeRegressor(max_depth=4).fit(X, y), X, y


MODELS = {one.__name__: one for one in (classes, pruned, optimal, forest, regression)}

LIKE_OTHERS = {"pruned": ("quality",), "optimal": ("tree", "about")}
"""Of these models only some views look unlike those of other trees."""


def visited(page):
    """The tabs of the page, each opened."""
    for tab in page.locator("[role=tab]").all():
        tab.click()
        yield tab.get_attribute("id").removeprefix("tab-")


@pytest.mark.parametrize("kind", MODELS)
def test_every_view_opens_and_passes_axe(kind, open_page, axe):
    """All rules on what a view shows; in the dark theme those about colours."""
    model, X, y = MODELS[kind]()
    page = open_page(model, X=X, y=y, cv=3)
    seen, found = [], [f"page: {one}" for one in axe(page)]
    for view in visited(page):
        seen.append(view)
        if kind in LIKE_OTHERS and view not in LIKE_OTHERS[kind]:
            continue
        panel = f"#panel-{view}"
        found += [f"{view}: {one}" for one in axe(page, panel)]
        page.emulate_media(color_scheme="dark")
        found += [f"{view}, dark: {one}" for one in axe(page, panel, ["color-contrast"])]
        page.emulate_media(color_scheme="light")
    assert set(VIEWS) <= set(seen)
    assert found == []


def hostile(kind):
    """A model in which every name is the hostile one: columns, levels, classes, target, title."""
    bad = NAMES[kind]
    X, y = rows(200)
    X = X.rename(columns={"town": bad, "score": f"{bad} 2"})
    X[bad] = X[bad].map({"Ulm": bad, "Bonn": f"{bad} b", "Kiel": f"{bad} c"})
    labels = y.map({"yes": bad, "no": f"{bad} no"}).rename(bad)
    return silva.TreeClassifier(max_depth=3).fit(X, labels), X, labels


@pytest.mark.parametrize("kind", NAMES)
def test_hostile_names_are_but_names(kind, open_page):
    model, X, y = hostile(kind)
    page = open_page(model, X=X, y=y, title=NAMES[kind], cv=None, width=1000)
    assert page.title() == " ".join(NAMES[kind].split())
    for _ in visited(page):
        assert page.evaluate("window.hacked") is None
        assert page.locator("img").count() == 0
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(wide) <= 0
    assert NAMES[kind].split()[0] in page.inner_text("main")


def test_without_javascript_the_text_tree_is_there(open_page):
    model, X, y = classes()
    page = open_page(model, X=X, y=y, scripts=False, cv=None)
    assert page.inner_text("pre").strip() == silva.to_text(model).strip()
    assert page.inner_text("h1") == "TreeClassifier for bought"
    assert "JavaScript is off" in page.inner_text("body")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_first_look_has_a_tree_and_fits_the_window(width, open_page):
    model, X, y = classes()
    page = open_page(model, X=X, y=y, cv=None, width=width)
    assert page.locator("[role=treeitem]").count() > 3
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_hidden_counts_are_not_on_the_page(open_page):
    model, X, y = classes()
    page = open_page(model, X=X, y=y, min_cell=10_000, cv=None)
    for view in visited(page):
        assert "400 rows" not in page.inner_text("main"), view
    for node in page.locator("[role=treeitem]").all():
        assert "%" not in (node.get_attribute("aria-label") or "")


def test_hidden_means_are_said_to_be_hidden(open_page):
    model, X, y = regression()
    page = open_page(model, X=X, y=y, min_cell=100, cv=None)
    for view in visited(page):
        shown = page.inner_text("main")
        assert not re.search(r"\b(null?|NaN|undefined)\b", shown), view
    page.get_by_role("tab", name="Tree").click()
    page.get_by_text("No pruning slider").wait_for()


def test_a_bare_tree_and_one_leaf_open(open_page):
    model, X, y = classes()
    for given in (model.grown_tree_, silva.TreeClassifier(min_samples_split=1000).fit(X, y)):
        page = open_page(given)
        assert len(list(visited(page))) >= len(VIEWS)


def test_no_row_is_in_the_file():
    model, X, y = classes()
    X = X.assign(score=X["score"].where(X.index != 7, 0.123456789012345))
    text = everything_in(html(model, X, y, cv=None))
    assert "0.123456789012345" not in text


def test_size_of_the_script():
    assert len(gzip.compress(script().encode(), 9)) < 90_000


def test_sizes_of_reports():
    """Of 31 leaves and of 2,000 leaves, with rows."""
    X, y = rows(3000)
    y = y.where(np.random.default_rng(0).random(3000) < 0.8, "no")
    small = silva.TreeClassifier(max_leaf_nodes=31).fit(X, y)
    assert len(html(small, X, y, cv=3).encode()) < 360_000
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 10))
    noise = rng.normal(size=20_000) * 0.5
    large = silva.TreeClassifier(max_leaf_nodes=2000).fit(X, X[:, 0] * X[:, 1] + noise > 0)
    assert len(html(large, X, X[:, 0] * X[:, 1] + noise > 0, cv=None).encode()) < 2_000_000


@pytest.fixture
def notebook(browser, tmp_path):
    """A function that shows the output of a cell as notebooks do."""
    contexts = []

    def shown(output, **options):
        path = tmp_path / f"output{len(contexts)}.html"
        path.write_text(f"<!DOCTYPE html><title>notebook</title>{output}", encoding="utf-8")
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.goto(path.as_uri())
        return page

    yield shown
    for context in contexts:
        context.close()


def test_notebooks_show_the_page_in_a_frame(notebook):
    model, X, y = classes()
    page = notebook(model.explore(X, y, cv=None)._repr_html_())
    frame = page.frame_locator("iframe")
    frame.locator("html[data-ready=true]").wait_for(state="attached")
    assert frame.locator("[role=treeitem]").count() > 3
    assert not page.locator(".silva-explorer > pre").is_visible()
    assert page.get_attribute("iframe", "sandbox") == "allow-scripts allow-downloads allow-modals"


def test_notebooks_without_scripts_or_frames_show_the_text_tree(notebook):
    """No JavaScript: the frame holds the page, whose text shows. No frames: the text before."""
    model, X, y = classes()
    explorer = model.explore(X, y, cv=None)
    output = explorer._repr_html_()
    page = notebook(output, java_script_enabled=False)
    assert page.get_attribute("iframe", "srcdoc") == explorer.html
    assert not page.locator(".silva-explorer > pre").is_visible()
    stripped = re.sub(r"<(iframe|style).*?</\1>", "", output, flags=re.DOTALL)
    page = notebook(stripped, java_script_enabled=False)
    assert silva.to_text(model).splitlines()[1] in page.inner_text(".silva-explorer > pre")
    assert str(explorer) == silva.to_text(model)
