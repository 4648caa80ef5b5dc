"""The whole page in Chromium, for each kind of model: nothing asked for, nothing wrong, all of it."""

import gzip

import numpy as np
import pandas as pd
import pytest
from test_report import everything_in, rows

import silva
from silva.page.assemble import script
from silva.page.report import html

VIEWS = ("tree", "overview", "rules", "ask", "whatif", "surface", "quality", "columns", "export")
HOSTILE = "</script><img src=x onerror=\"window.hacked=1\">'&amp;${1}"
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


def visited(page):
    """The tabs of the page, each opened."""
    for tab in page.locator("[role=tab]").all():
        tab.click()
        yield tab.get_attribute("id").removeprefix("tab-")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("kind", MODELS)
def test_every_view_opens_and_passes_axe(kind, theme, open_page, axe):
    model, X, y = MODELS[kind]()
    page = open_page(model, X=X, y=y, scheme=theme, cv=3)
    seen, found = [], []
    for view in visited(page):
        seen.append(view)
        found += [f"{view}: {one}" for one in axe(page)]
    assert set(VIEWS) <= set(seen)
    assert found == []
