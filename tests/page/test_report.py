"""The report as a file: what it holds for each kind of model, what is refused, what stays."""

import base64
import errno
import gzip
import json
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import silva
from silva.page.report import html


def rows(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(float),
            "town": rng.choice(["Ulm", "Bonn", "Kiel"], n),
            "score": rng.normal(size=n),
        }
    )
    X.loc[::7, "age"] = np.nan
    y = pd.Series(np.where((X["score"] > 0) ^ (X["town"] == "Ulm"), "yes", "no"), name="bought")
    return X, y


def document_of(page):
    """The JSON document inside a page."""
    found = re.search(r'<script type="([^"]+)" id="silva-data"[^>]*>(.*?)</script>', page, re.S)
    kind, text = found.groups()
    packed = kind == "application/octet-stream"
    return json.loads(gzip.decompress(base64.b64decode(text)) if packed else text)


def everything_in(page):
    """All text of a page, that inside packed data and packed files included."""
    document = document_of(page)
    files = [gzip.decompress(base64.b64decode(one["gzip"])).decode() for one in document["exports"]]
    return "\n".join([page, json.dumps(document, ensure_ascii=False), *files])


def test_report_writes_the_page_and_returns_its_path(tmp_path):
    X, y = rows()
    path = silva.report(silva.TreeClassifier(max_depth=3).fit(X, y), X, y, tmp_path / "page.html")
    assert path == tmp_path / "page.html"
    page = path.read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "<title>TreeClassifier for bought</title>" in page
    found = document_of(page)
    assert found["model"]["target"] == "bought"
    assert found["given"]["are_training"]
    assert found["pruning"]["cv"] is not None
    assert len(found["trees"][0]["nodes"]["fold"]) == found["trees"][0]["n_nodes"]


def test_report_is_deterministic():
    X, y = rows()
    model = silva.TreeClassifier(max_depth=3).fit(X, y)
    assert html(model, X, y) == html(model, X, y)


@pytest.mark.parametrize(
    "model",
    [
        silva.TreeClassifier(min_samples_split=1000),
        silva.TreeClassifier(leaf="linear", max_depth=2),
        silva.StumpClassifier(),
        silva.TreeClassifier(prune="auto", random_state=0),
        silva.OptimalTreeClassifier(max_depth=1),
        silva.ForestClassifier(n_estimators=12, random_state=0),
        silva.BaggingClassifier(n_estimators=3, random_state=0),
        silva.AdaBoostClassifier(n_estimators=4),
    ],
    ids=lambda model: type(model).__name__,
)
def test_every_model_has_a_page(model):
    X, y = rows()
    X = X.fillna({"age": 50.0})
    fitted = model.fit(X, y)
    for given in ((), (X,), (X, y)):
        found = document_of(html(fitted, *given))
        assert found["model"]["kind"] == type(model).__name__
        assert found["trees"][0]["n_nodes"] == len(found["trees"][0]["nodes"]["end"])


def test_regression_and_pipelines_have_a_page():
    X, _ = rows()
    numbers = X[["age", "score"]].fillna(0.0)
    target = numbers["score"] * 3 + numbers["age"]
    model = make_pipeline(StandardScaler(), silva.TreeRegressor(max_depth=3)).fit(numbers, target)
    found = document_of(html(model, numbers, target))
    assert [one["name"] for one in found["columns"]] == ["age", "score"]
    assert found["model"]["task"] == "regression"


def test_a_forest_shows_its_trees_behind_one_that_stands_for_all():
    X, y = rows()
    model = silva.ForestClassifier(n_estimators=12, max_depth=3, random_state=0).fit(X, y)
    found = document_of(html(model, X, y))
    assert [tree["role"] for tree in found["trees"]] == ["distilled"] + ["member"] * 10
    assert found["trees"][0]["title"] == "one tree that stands for all 12"
    assert found["trees"][1]["title"] == "tree 0 of 12"
    assert "20,000 fresh rows" in found["trees"][0]["notes"][0]
    assert found["forest"]["distilled"] == 0
    assert found["forest"]["shown"] == list(range(10))
    chosen = document_of(html(model, trees=[7, 3]))
    assert [tree["number"] for tree in chosen["trees"]] == [7, 3]
    assert chosen["forest"]["distilled"] is None
    assert document_of(html(model, trees=99))["forest"]["shown"] == list(range(12))


@pytest.mark.parametrize("trees", [0, -1, [], [12], ["a"], "all", 1.5, True])
def test_trees_that_do_not_exist_are_refused(trees):
    X, y = rows()
    model = silva.ForestClassifier(n_estimators=12, max_depth=2, random_state=0).fit(X, y)
    with pytest.raises(silva.PlanError, match="trees="):
        html(model, trees=trees)


def test_a_model_of_one_tree_takes_no_choice_of_trees():
    X, y = rows()
    with pytest.raises(silva.PlanError, match="one tree"):
        html(silva.TreeClassifier(max_depth=2).fit(X, y), trees=1)


def test_a_bare_tree_says_what_is_not_known():
    X, y = rows()
    tree = silva.TreeClassifier(max_depth=3).fit(X, y).grown_tree_
    unknown = document_of(html(tree))["about"]["unknown"]
    assert any("ranges of the training columns" in one for one in unknown)
    assert any("no rows are given" in one for one in unknown)


def test_one_leaf_has_a_page():
    X, y = rows()
    model = silva.TreeClassifier(min_samples_split=1000).fit(X, y)
    found = document_of(html(model, X, y))
    assert found["trees"][0]["n_nodes"] == 1
    assert "nothing to prune" in found["pruning"]["note"]


def test_a_large_tree_is_refused_with_its_size_and_the_way_out():
    X, y = rows()
    model = silva.TreeClassifier(max_depth=3).fit(X, y)
    size = model.grown_tree_.n_nodes
    with pytest.raises(silva.PlanError, match=f"{size} nodes, more than max_nodes=3.*max_leaf"):
        html(model, max_nodes=3)
    assert html(model, max_nodes=size)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("theme", "pink"),
        ("theme", 3),
        ("min_cell", 1),
        ("min_cell", 2.5),
        ("min_cell", "10"),
        ("min_cell", True),
        ("max_nodes", 0),
        ("title", 5),
        ("target", ["y"]),
        ("cv", 1),
    ],
)
def test_impossible_options_are_refused_by_name(option, value):
    X, y = rows()
    with pytest.raises((silva.PlanError, silva.DataError), match=option):
        html(silva.TreeClassifier(max_depth=2).fit(X, y), X, y, **{option: value})


def test_what_is_no_model_is_refused():
    X, y = rows()
    with pytest.raises(silva.PlanError, match="a fitted model of silva"):
        html("model")
    with pytest.raises(Exception, match="not fitted"):
        html(silva.TreeClassifier())
    with pytest.raises(silva.DataError, match="X is missing"):
        html(silva.TreeClassifier(max_depth=2).fit(X, y), None, y)


def test_a_folder_is_refused(tmp_path):
    X, y = rows()
    model = silva.TreeClassifier(max_depth=2).fit(X, y)
    with pytest.raises(silva.DataError, match=r"is a folder: give the name of a file"):
        silva.report(model, path=tmp_path)
    with pytest.raises(silva.DataError, match=r"there is no folder .*Make it"):
        silva.report(model, path=tmp_path / "nowhere" / "page.html")


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES])
def test_where_writing_fails_the_old_file_stays(tmp_path, monkeypatch, code):
    X, y = rows()
    model = silva.TreeClassifier(max_depth=2).fit(X, y)
    path = tmp_path / "page.html"
    path.write_text("old")

    def fail(*_):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr("silva.files.os.fsync", fail)
    with pytest.raises(OSError, match="another path") as caught:
        silva.report(model, path=path)
    assert caught.value.errno == code
    assert caught.value.filename == str(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["page.html"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_device_is_not_replaced():
    X, y = rows()
    with pytest.raises(silva.SilvaError, match="not a regular file"):
        silva.report(silva.TreeClassifier(max_depth=2).fit(X, y), path="/dev/full")


def test_halves_of_surrogate_pairs_in_names_do_not_break_the_file(tmp_path):
    X, y = rows()
    labels = np.array(["a\ud800", "b"], dtype=object)[(y == "yes").to_numpy().astype(int)]
    model = silva.TreeClassifier(max_depth=2).fit(X, labels)
    path = silva.report(model, path=tmp_path / "page.html", title="ti\udc00tle")
    classes = document_of(path.read_text(encoding="utf-8"))["classes"]
    assert [one["text"] for one in classes] == ["a\ud800", "b"]


def test_no_value_of_a_row_is_in_the_file():
    """Planted values: a number, a level of a column that no tree asks about."""
    X, y = rows()
    X["name"] = [f"person-{number}" for number in range(len(X))]
    X["family"] = [f"person-{number // 3}" for number in range(len(X))]
    X.loc[5, "score"] = 0.123456789012345
    with pytest.warns(silva.DataWarning):
        model = silva.TreeClassifier(max_depth=3, min_samples_leaf=20).fit(X, y)
    text = everything_in(html(model, X, y))
    assert "0.123456789012345" not in text
    assert "person-" not in text
    assert X["score"].map(repr).map(text.__contains__).sum() <= 2  # the extremes of the column


@pytest.mark.parametrize("path", [5, None, "", b"page.html", "a\0b"])
def test_names_that_no_file_can_have_are_refused(path):
    X, y = rows()
    with pytest.raises(silva.PlanError, match=r"path=.*report\.html"):
        silva.report(silva.TreeClassifier(max_depth=1).fit(X, y), path=path)


def test_a_file_name_in_the_place_of_rows_is_explained(tmp_path):
    X, y = rows()
    with pytest.raises(silva.DataError, match=r"X='page\.html' is not a table.*path="):
        silva.report(silva.TreeClassifier(max_depth=1).fit(X, y), "page.html")


@pytest.mark.parametrize("options", [{"stability": True}, {"cv": 1}, {"cv": 2.5}, {"cv": True}])
def test_wrong_options_are_named_without_rows_too(options):
    X, y = rows()
    with pytest.raises(silva.PlanError, match=f"{next(iter(options))}="):
        html(silva.TreeClassifier(max_depth=1).fit(X, y), **options)


def test_errors_of_held_out_rows_name_them():
    X, y = rows()
    model = silva.TreeClassifier(max_depth=1).fit(X, y)
    with pytest.raises(silva.DataError, match=r"X_val.*y_val.*3 labels"):
        html(model, X_val=X, y_val=y[:3])


def test_only_a_full_disk_asks_for_room(tmp_path, monkeypatch):
    X, y = rows()
    model = silva.TreeClassifier(max_depth=1).fit(X, y)
    for number, advice in ((errno.ENOSPC, "make room"), (errno.EIO, "give another path")):

        def fails(*_, number=number):
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr("silva.files.os.fsync", fails)
        with pytest.raises(OSError, match=advice):
            silva.report(model, path=tmp_path / "page.html")
