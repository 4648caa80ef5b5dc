"""The shell of the page in Chromium: it opens, asks for nothing, and shows text without scripts."""

import numpy as np
import pytest

import silva


@pytest.fixture(scope="module")
def model() -> silva.TreeClassifier:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    return silva.TreeClassifier(max_depth=3).fit(X, X[:, 0] * X[:, 1] > 0)


def test_page_opens_and_passes_axe(open_page, axe, model):
    page = open_page(model)
    assert page.title() == "TreeClassifier"
    assert axe(page) == []


def test_without_scripts_the_text_tree_is_there(open_page, model):
    page = open_page(model, scripts=False)
    assert silva.to_text(model).splitlines()[1] in page.inner_text("pre")


def test_misdeeds_are_noticed(browser, misdeeds, open_page, tmp_path):
    """What every other test relies on: requests, console and errors of a page are seen."""
    script = "console.log('hello'); setTimeout(() => { throw Error('bad'); });"
    page = open_page(
        f"<html data-ready=true><img src='file:///nowhere.png'><script>{script}</script></html>"
    )
    page.wait_for_timeout(100)
    assert misdeeds.requests == ["file:///nowhere.png"]
    assert misdeeds.errors == ["bad"]
    assert "log: hello" in misdeeds.console
    for found in (misdeeds.requests, misdeeds.console, misdeeds.errors):
        found.clear()
