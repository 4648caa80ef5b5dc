"""Importances, forests, surfaces, stability, files, and where a page comes from."""

import base64
import gzip
import hashlib
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

import silva
from silva import edit
from silva.inspect.subject import subject_of
from silva.model_file.meta import Meta
from silva.page.payload import exports as exports_module
from silva.page.payload import forest as forest_module
from silva.page.payload.about import fingerprint, model_hash
from silva.page.payload.exports import FORMATS, Format, exports
from silva.page.payload.forest import distilled, member_trees
from silva.page.payload.given_rows import given_rows
from silva.page.payload.importances import importances
from silva.page.report import html
from silva.tree.tree import ARRAY_TYPES, from_arrays, same
from tests.page.evidence_cases import CASES, case, mixed, numbers, sections


def unpacked(file):
    return gzip.decompress(base64.b64decode(file["gzip"])).decode()


@pytest.mark.parametrize("name", CASES)
def test_importances_are_those_of_the_estimator(name):
    model = case(name)[0]
    found = sections(model)["importances"]
    inner = model[-1] if name == "pipeline" else model
    values = inner.feature_importances_
    assert found["values"] == pytest.approx(sorted(values, reverse=True))
    assert [values[column] for column in found["columns"]] == pytest.approx(found["values"])
    names = subject_of(model).schema.names
    assert [names[column] for column in found["columns"]] == found["names"]
    assert "training rows" in found["method"]


def test_a_record_of_importances_takes_their_place():
    table, labels, _, _ = mixed()
    forest = silva.ForestClassifier(30, random_state=0).fit(table, labels)
    record = silva.importance(forest, table, labels, kind="permutation")
    found = sections(forest, importance=record)["importances"]
    assert found["values"] == pytest.approx(np.sort(record.values)[::-1])
    assert found["method"].startswith("permutation: added error rate")


def test_names_of_columns_are_quoted_where_unclear():
    X, y = numbers()
    table = pd.DataFrame(X, columns=["a and b", "</script>", "x or y", "é"])
    found = sections(silva.TreeClassifier().fit(table, y))
    assert "'a and b'" in found["importances"]["names"]
    assert "é" in found["importances"]["names"]


@pytest.mark.parametrize("name", ["forest", "forest of numbers", "boosted"])
def test_forests_say_which_trees_are_shown(name):
    model, X, y, _ = case(name)
    subject = subject_of(model)
    shown = member_trees(subject)
    assert shown == list(range(min(10, len(subject))))
    found = sections(model, X, y, shown=shown)["forest"]
    assert found["n_trees"] == len(subject)
    assert found["shown"] == shown
    assert found["distilled"] is found["fidelity"] is None
    assert found["oob"] == (model.oob_score_ if name == "forest" else None)
    assert sections(case("classes")[0])["forest"] is None


def test_trees_can_be_asked_for(monkeypatch):
    subject = subject_of(case("forest")[0])
    assert member_trees(subject, 3) == [0, 1, 2]
    assert member_trees(subject, [5, 2, 5]) == [5, 2]
    assert member_trees(subject, 10_000) == list(range(25))
    for bad in (0, [25], [-1], [], "all", 1.5):
        with pytest.raises(silva.PlanError, match="trees="):
            member_trees(subject, bad)
    monkeypatch.setattr(forest_module, "SHOWN_NODES", 2 * subject.tree().n_nodes)
    sizes = np.cumsum([tree.n_nodes for tree in subject.trees()])
    assert len(member_trees(subject)) == max(1, np.count_nonzero(sizes <= sizes[0] * 2))


@pytest.mark.parametrize("name", ["forest", "forest of numbers"])
def test_the_distilled_tree_is_that_of_silva(name):
    model, X, y, _ = case(name)
    subject = subject_of(model)
    rows = given_rows(model, subject, subject.tree(), X, y, None)
    found = distilled(model, subject, rows, seed=3)
    wanted = silva.distil(model, X, seed=3)
    assert same(found.tree, wanted.tree)
    assert found.fidelity == wanted.real.figure
    told = sections(
        model,
        X,
        y,
        trees=[found.tree, *subject.trees()],
        distilled=found,
        distilled_place=0,
        shown=range(25),
    )
    assert told["forest"]["distilled"] == 0
    assert told["forest"]["fidelity"] == wanted.real.figure
    agree = wanted.model.predict(X) == model.predict(X)
    if name == "forest":
        assert told["forest"]["fidelity"] == agree.mean()


def test_why_there_is_no_distilled_tree():
    model, X, y, _ = case("forest")
    assert "give X" in sections(model)["forest"]["note"]
    new = X.copy()
    new.loc[0, "kind"] = "never seen"
    subject = subject_of(model)
    rows = given_rows(model, subject, subject.tree(), new, y, None)
    assert distilled(model, subject, rows) is None
    assert "new to the forest" in sections(model, new, y)["forest"]["note"]
    boosted, X, y, _ = case("boosted")
    assert "boosted" in sections(boosted, X, y)["forest"]["note"]


@pytest.mark.parametrize("name", CASES)
def test_the_middle_row_of_a_surface(name):
    model, X, y, weights = case(name)
    found = sections(model, X, y, weights, cv=None)["surface"]
    table = subject_of(model).table(X)
    for value, column, values in zip(
        found["row"], table.schema.columns, table.columns, strict=True
    ):
        if column.levels is None:
            assert value == pytest.approx(np.nanmedian(values), rel=1e-3)
        else:
            assert value == np.bincount(values[values >= 0]).argmax()
    inner = model[-1] if name == "pipeline" else model
    worth = inner.feature_importances_[found["columns"]]
    assert (np.diff(worth) <= 0).all()
    assert all(part in found["row_words"] for part in ("=",))


def test_the_middle_row_without_rows():
    table, labels, _, _ = mixed()
    model = silva.TreeClassifier(max_depth=5).fit(table, labels)
    found = sections(model)["surface"]["row"]
    assert found[0] == pytest.approx(table["x"].mean(), rel=1e-3)
    assert found[2] is None
    assert sections(model.grown_tree_)["surface"]["row"] == [None, None, None]


def test_dates_of_single_rows_are_not_told():
    rng = np.random.default_rng(1)
    seconds = pd.to_timedelta(rng.integers(0, 10**8, 201), unit="s")
    table = pd.DataFrame({"day": pd.Timestamp("2020-01-01") + seconds})
    y = (seconds > seconds.mean()).astype(int)
    model = silva.TreeClassifier().fit(table, y)
    stored = subject_of(model).table(table).columns[0]
    assert sections(model, table, y, cv=None)["surface"]["row"][0] in stored
    assert sections(model, table, y, cv=None, min_cell=3)["surface"]["row"][0] not in stored


def test_stability_is_told_without_rows():
    table, labels, signal, _ = mixed()
    for kind, target in ((silva.TreeClassifier, labels), (silva.TreeRegressor, signal)):
        model = kind(max_depth=3).fit(table, target)
        record = silva.stability(model, table, target, samples=6)
        found = sections(model, stability=record)["stability"]
        assert found["leaves"] == record.leaves.tolist()
        upper = record.answer_distance[np.triu_indices(6, 1)]
        assert found["answers_apart"] == pytest.approx(upper.mean())
        assert sum(found["disagreement"]["rows"]) == len(table)
        high = record.disagreement.max()
        low_bin = np.count_nonzero(record.disagreement < high / 10 * (1 - 1e-12))
        assert found["disagreement"]["rows"][0] == low_bin
        shares = dict(found["levels"][0]["columns"])
        assert sum(shares.values()) == pytest.approx(1.0)
        assert found["words"] == str(record)
        assert sections(model, stability=record, min_cell=40)["stability"] is None
    assert sections(model)["stability"] is None


@pytest.mark.parametrize("name", CASES)
def test_files_hold_the_tree(name):
    tree = subject_of(case(name)[0]).tree()
    files = {file["file"]: unpacked(file) for file in sections(case(name)[0])["exports"]}
    assert files["tree.txt"] == silva.to_text(tree, max_listed=None, digits=None) + "\n"
    rules = silva.rules(tree, digits=None)
    assert files["rules.txt"].splitlines() == [str(rule) for rule in rules]
    assert [one["rule"] for one in json.loads(files["rules.json"])["rules"]] == [
        str(rule) for rule in rules
    ]
    found = json.loads(files["tree.json"])
    meta = Meta(json.dumps(found["meta"]), allow_more=False)
    numbers_of = {"Infinity": np.inf, "-Infinity": -np.inf, "NaN": np.nan}
    arrays = {
        key: np.array([numbers_of.get(one, one) for one in values], dtype=ARRAY_TYPES[key])
        if not values or not isinstance(values[0], list)
        else np.array(values, dtype=ARRAY_TYPES[key])
        for key, values in found["arrays"].items()
    }
    facts = (meta.schema, meta.task, meta.classes, meta.criterion)
    assert same(from_arrays(*facts, arrays | meta.numbers, meta.smoothing, meta.edits), tree)


def test_the_same_model_gives_the_same_bytes():
    model = case("classes")[0]
    assert sections(model)["exports"] == sections(model)["exports"]
    packed = base64.b64decode(sections(model)["exports"][0]["gzip"])
    assert packed[4:8] == b"\0\0\0\0"


def test_formats_can_be_added_and_large_files_are_named(monkeypatch):
    tree = case("classes")[0].grown_tree_
    extra = Format("SQL", "tree.sql", "text/plain", lambda tree: "", counts=False)
    found = exports(tree, 50, [(extra, "select 1")])
    assert [file["name"] for file in found.ready] == ["SQL"]
    assert found.telling == [one.name for one in FORMATS]
    monkeypatch.setattr(exports_module, "MOST_BYTES", 2_000)
    told = sections(case("classes")[0])
    assert told["about"]["left_out"]
    names = {file["name"] for file in told["exports"]} | set(told["about"]["left_out"])
    assert names == {one.name for one in FORMATS}


def test_the_fingerprint_is_that_of_the_content():
    table, labels, _, rng = mixed()
    weights = rng.integers(0, 4, len(table)) * 0.5
    model = silva.TreeClassifier(max_depth=3).fit(table, labels)

    def of(X, y=labels, weight=None):
        return sections(model, X, y, weight, cv=None)["about"]["fingerprint"]

    plain = of(table)
    assert plain == of(pl.from_pandas(table)) == of(table[["kind", "z", "x"]])
    assert plain == of(table.astype({"kind": "category"})) == of(table, labels.tolist())
    assert plain != of(table[::-1], labels[::-1])
    assert plain != of(table, np.roll(labels, 1))
    assert len({plain, of(table, labels, weights), of(table, labels, weights + 1)}) == 3
    X, y = numbers()
    model = silva.TreeClassifier(max_depth=3).fit(X, y)
    assert of(X, y) == of(np.asfortranarray(X), y) == of(pd.DataFrame(X).to_numpy(), y)


def test_the_fingerprint_is_what_its_documentation_says():
    table, labels, _, rng = mixed()
    weights = rng.integers(0, 4, len(table)) * 0.5
    model = silva.TreeClassifier(max_depth=3).fit(table, labels)
    subject = subject_of(model)
    rows = given_rows(model, subject, subject.tree(), table, labels, weights)
    code = {"a": 0, "b": 1, "c": 2, "d": 3}
    found = b"continuous" + table["x"].to_numpy("<f8").tobytes()
    found += b"continuous" + table["z"].to_numpy("<f8").tobytes()
    kinds = [code.get(one, -1) for one in table["kind"].tolist()]
    found += b"categorical" + np.array(kinds, "<i4").tobytes()
    classes = model.classes_.tolist()
    found += b"target" + np.array([classes.index(one) for one in labels], "<i4").tobytes()
    found += b"weights" + weights.astype("<f8").tobytes()
    assert fingerprint(rows) == hashlib.sha256(found).hexdigest()


@pytest.mark.parametrize("name", CASES)
def test_the_hash_of_a_model_is_that_of_its_trees(name):
    first, second = subject_of(case(name)[0]), subject_of(case(name)[0])
    assert model_hash(first) == model_hash(second)
    others = {model_hash(subject_of(case(other)[0])) for other in CASES if other != name}
    assert model_hash(first) not in others


def test_what_is_not_known_is_said():
    X, y = numbers()
    model = silva.TreeClassifier(max_depth=4).fit(X, y)
    assert sections(model)["about"]["unknown"] == [
        "How good the model is: no rows are given (X and y)."
    ]
    bare = sections(model.grown_tree_)["about"]
    assert any("bare tree" in one for one in bare["unknown"])
    edited = edit.collapse(model, 1, X, y, note="too few rows")
    about = sections(edited, X, y)["about"]
    assert about["trail"] == [str(one) for one in edited.grown_tree_.edits]
    assert any("edited by hand" in one for one in about["unknown"])
    new, new_y = numbers(5)
    assert sections(model, new, new_y)["about"]["unknown"] == []


def test_what_a_page_comes_from():
    X, y = numbers()
    model = silva.TreeClassifier(max_depth=4).fit(X, y)
    about = sections(model)["about"]
    assert about["silva"] == silva.__version__
    assert about["numpy"] == np.__version__
    assert about["fitted_rows"] == 200
    assert about["fingerprint"] is None
    forest, X, y, _ = case("forest")
    assert sections(forest)["about"]["fitted_rows"] is None
    assert sections(forest, X, y)["about"]["fitted_rows"] == len(X)


def test_a_distilled_model_is_shown_as_its_tree():
    forest, X, y, _ = case("forest")
    record = silva.distil(forest, X)
    found = sections(record, X, y)
    assert found["given"]["figures"][0]["value"] == pytest.approx(record.model.score(X, y))


def test_sections_of_a_large_tree_stay_small():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 20))
    y = rng.integers(0, 3, 20_000) + (X[:, 0] > 0)
    model = silva.TreeClassifier(max_leaf_nodes=2_000).fit(X, y)
    found = sections(model, X, y, cv=None)
    assert model.get_n_leaves() == 2_000
    assert len(json.dumps(found)) < 1_000_000
    assert len(found["given"]["histograms"]) == 400
    assert len(found["given"]["competing"]) <= 60


def test_targets_near_the_end_of_float64_make_a_page():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + rng.normal(size=200)) * 1e200
    with np.errstate(all="ignore"):
        text = html(silva.TreeRegressor(max_depth=3).fit(X, y), X, y)
    assert text.startswith("<!DOCTYPE html>")


def test_infinite_gains_have_no_importances():
    X = np.random.default_rng(0).normal(size=(50, 2))
    tree = subject_of(silva.TreeClassifier(max_depth=2).fit(X, X[:, 0] > 0)).tree()
    gain = tree.gain.copy()
    gain[0] = np.inf
    with np.errstate(invalid="ignore"):
        found = importances(subject_of(replace(tree, gain=gain)))
    assert found["values"] == []
    assert "beyond float64" in found["note"]


def test_importances_that_are_left_out_are_counted():
    X = np.random.default_rng(0).normal(size=(60, 203))
    model = silva.TreeClassifier(max_depth=2).fit(X, X[:, 0] > 0)
    note = sections(model, X, X[:, 0] > 0, cv=None)["importances"]["note"]
    assert note == "The importances of 3 more columns, none of them larger, are left out."
