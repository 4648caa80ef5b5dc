"""`silva show --rules`: the records of silva.rules on the terminal."""

import json

import numpy as np
import pytest

import silva
from silva.cli.main import run

X = np.array([[1.0, 5.0], [2.0, 4.0], [3.0, 3.0], [4.0, 1.0]])


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = silva.TreeClassifier().fit(X, ["a", "b", "b", "b"])
    silva.save(model, "tree.silva")
    silva.save(model.grown_tree_, "bare.silva")
    silva.save(silva.ForestRegressor(3, random_state=0).fit(X, [1.0, 2, 2, 3]), "forest.silva")
    return model


@pytest.mark.parametrize("name", ["tree.silva", "bare.silva"])
def test_rules_are_those_of_python(files, name, capsys):
    assert run(["show", name, "--rules", "--simplify", "--order", "precision"]) == 0
    expected = str(silva.rules(files, simplify=True, order="precision"))
    assert capsys.readouterr().out == f"{expected}\n"


def test_rules_as_json(files, capsys):
    assert run(["show", "forest.silva", "--rules", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["rules"]) == len(silva.rules(silva.load("forest.silva")))
    assert {rule["tree"] for rule in found["rules"]} == {0, 1, 2}


def test_rules_of_one_tree_of_a_forest(files, capsys):
    assert run(["show", "forest.silva", "--rules", "--tree", "1", "--digits", "3"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("tree 1, counted from 0, of 3:\n")
    assert str(silva.rules(silva.load("forest.silva").trees_[1], digits=3)) in out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["tree.silva", "--simplify"], 2, "--simplify is for rules: give --rules too"),
        (["tree.silva", "--format", "json", "--max-depth", "1"], 2, "--max-depth is for text"),
        (["tree.silva", "--rules", "--max-depth", "1"], 2, "--max-depth is for trees"),
        (["tree.silva", "--rules", "--tree", "0"], 2, "holds one tree"),
        (["forest.silva", "--rules", "--tree", "3"], 2, "counted from 0 to 2"),
        (["forest.silva", "--rules", "--order", "lift"], 1, "not possible for regression"),
        (["forest.silva", "--rules", "--simplify"], 1, "silva.distil"),
    ],
)
def test_what_is_not_possible(files, arguments, code, message, capsys):
    assert run(["show", *arguments]) == code
    assert message in capsys.readouterr().err
