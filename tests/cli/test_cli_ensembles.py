"""The verbs on models of many trees."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

import silva
from silva.cli.main import run

MODELS = {
    "forest": silva.ForestClassifier(5, random_state=0),
    "votes": silva.ForestClassifier(5, random_state=0, vote="hard", oob_score=True),
    "extra": silva.ExtraTreesClassifier(5, random_state=0),
    "bagging": silva.BaggingClassifier(silva.TreeClassifier(leaf="laplace"), 5, random_state=0),
    "boosted": silva.AdaBoostClassifier(n_estimators=5),
    "numbers": silva.ForestRegressor(5, random_state=0),
    "extra numbers": silva.ExtraTreesRegressor(5, random_state=0),
    "linear": silva.BaggingRegressor(silva.TreeRegressor(leaf="linear"), 5, random_state=0),
    "tree": silva.TreeClassifier(),
    "stump": silva.StumpRegressor(),
}
MANY = [name for name in MODELS if name not in ("tree", "stump")]


@pytest.fixture
def loans(examples):
    return pd.read_csv(examples / "loans.csv")


@pytest.fixture
def saved(loans, tmp_path):
    def fitted(name):
        model, path = MODELS[name], tmp_path / "model.silva"
        target = "loan" if hasattr(model, "predict_proba") is False else "repaid"
        model = type(model)(**model.get_params(deep=False))
        with np.errstate(all="ignore"):
            model.fit(loans.drop(columns=["repaid", "loan"]), loans[target])
        silva.save(model, path)
        return model, str(path)

    return fitted


def rows_of(text):
    return list(csv.reader(io.StringIO(text)))


@pytest.mark.filterwarnings("ignore:.* rows were seen by every tree")
@pytest.mark.parametrize("name", MODELS)
def test_every_saved_model_predicts(name, saved, loans, examples, capsys):
    model, path = saved(name)
    table = loans.drop(columns=["repaid", "loan"])
    assert run(["predict", path, str(examples / "loans.csv")]) == 0
    told = [row[0] for row in rows_of(capsys.readouterr().out)]
    assert told == ["prediction", *map(str, model.predict(table).tolist())]
    code = run(["predict", path, str(examples / "loans.csv"), "--proba"])
    shown = capsys.readouterr()
    if not hasattr(model, "predict_proba"):
        assert code == 2
        assert f"{type(model).__name__} is a regression model" in shown.err
        return
    header, *rows = rows_of(shown.out)
    assert header == ["prediction", "probability of no", "probability of yes"]
    shares = np.array([row[1:] for row in rows], float)
    np.testing.assert_array_equal(shares, model.predict_proba(table))


@pytest.mark.filterwarnings("ignore:.* rows were seen by every tree")
@pytest.mark.parametrize("name", MANY)
def test_many_trees_show_a_summary_and_each_tree(name, saved, capsys):
    model, path = saved(name)
    assert run(["show", path]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith(f"{type(model).__name__}: {model.summary_}\n")
    shares = dict(zip(model.feature_names_in_, model.feature_importances_, strict=True))
    for column, share in shares.items():
        assert f"{column} " in shown.out
        assert f"{share:.1%}\n" in shown.out
    last = len(model.trees_) - 1
    assert f"--tree {last}" in shown.err
    assert run(["show", path, "--tree", str(last), "--max-depth", "1"]) == 0
    heading, text = capsys.readouterr().out.split("\n", 1)
    assert heading.startswith(f"tree {last}, counted from 0, of {last + 1}")
    assert ("vote" in heading) == (name == "boosted")
    assert text == silva.to_text(model.trees_[last], max_depth=1) + "\n"


def test_trees_that_are_not_there_and_limits_without_a_tree_are_wrong_usage(saved, capsys):
    _, forest = saved("forest")
    assert run(["show", forest, "--tree", "5"]) == 2
    assert "has 5 trees, counted from 0 to 4" in capsys.readouterr().err
    assert run(["show", forest, "--max-nodes", "5"]) == 2
    assert "--max-nodes limits one tree" in capsys.readouterr().err
    _, tree = saved("tree")
    assert run(["show", tree, "--tree", "0"]) == 2
    assert "holds one tree" in capsys.readouterr().err


def test_only_the_most_important_of_many_columns_are_shown(tmp_path, capsys):
    table = np.random.default_rng(0).random((40, 30))
    model = silva.ForestRegressor(3, random_state=0).fit(table, table[:, 7] ** 2)
    silva.save(model, tmp_path / "wide.silva")
    assert run(["show", str(tmp_path / "wide.silva")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "  and 10 more columns"
    assert next(line for line in lines if line.endswith("%")).startswith("  x7 ")
