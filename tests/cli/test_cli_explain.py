"""`silva explain`: the same words as `explain` in Python, and rows and files that cannot be."""

import json

import pandas as pd
import pytest

import silva
from silva.cli.main import run
from silva.inspect.explain import explain


@pytest.fixture
def loans(examples):
    return str(examples / "loans.csv")


@pytest.fixture
def table(loans):
    return pd.read_csv(loans).drop(columns="repaid")


@pytest.fixture
def model(loans, tmp_path, capsys):
    path = str(tmp_path / "loans.silva")
    assert run(["fit", loans, "-t", "repaid", "-o", path]) == 0
    capsys.readouterr()
    return path


def test_one_row_in_full(model, loans, table, capsys):
    assert run(["explain", model, loans, "--row", "2"]) == 0
    shown = capsys.readouterr()
    assert shown.out == f"{explain(silva.load(model), table)[2]}\n"
    assert shown.err.startswith("read 20 rows, 7 columns")
    assert shown.err.endswith("columns that the model does not use: repaid\n")


def test_several_rows_in_the_order_asked_for(model, loans, table, capsys):
    assert run(["explain", model, loans, "--row", "7", "--row", "0", "-q"]) == 0
    found = explain(silva.load(model), table)
    assert capsys.readouterr().out == f"row 7\n{found[7]}\n\nrow 0\n{found[0]}\n"


def test_all_rows_in_short(model, loans, table, capsys):
    assert run(["explain", model, loans, "--all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == explain(silva.load(model), table).lines()
    assert len(lines) == 20


def test_json_and_digits(model, loans, table, capsys):
    assert run(["explain", model, loans, "--row", "1", "--format", "json", "--digits", "2"]) == 0
    told = json.loads(capsys.readouterr().out)
    found = explain(silva.load(model), table, digits=2)
    assert told == found[1:2].to_dict()
    assert told["rows"][0]["row"] == 1


@pytest.mark.parametrize("row", ["20", "-1", "1000000000000"])
def test_rows_that_are_not_there(model, loans, capsys, row):
    assert run(["explain", model, loans, "--row", "0", "--row", row]) == 2
    shown = capsys.readouterr()
    assert f"--row {row}: {loans} has 20 rows, counted from 0 to 19" in shown.err
    assert shown.out == ""


@pytest.mark.parametrize("chosen", [[], ["--row", "1", "--all"], ["--row", "one"]])
def test_rows_must_be_chosen_in_one_way(model, loans, capsys, chosen):
    assert run(["explain", model, loans, *chosen]) == 2
    assert "--row" in capsys.readouterr().err


def test_a_bare_tree(model, loans, tmp_path, table, capsys):
    path = str(tmp_path / "tree.silva")
    tree = silva.load(model).grown_tree_
    silva.save(tree, path)
    assert run(["explain", path, loans, "--row", "3"]) == 0
    assert capsys.readouterr().out == f"{explain(tree, table)[3]}\n"


def test_a_forest(loans, table, tmp_path, capsys):
    forest = silva.ForestClassifier(5, random_state=0).fit(table, pd.read_csv(loans)["repaid"])
    path = str(tmp_path / "forest.silva")
    silva.save(forest, path)
    assert run(["explain", path, loans, "--row", "3"]) == 0
    assert capsys.readouterr().out == f"{explain(forest, table)[3]}\n"


def test_missing_columns_are_named(model, table, tmp_path, capsys):
    path = tmp_path / "rows.csv"
    table.drop(columns="age").to_csv(path, index=False)
    assert run(["explain", model, str(path), "--row", "0"]) == 1
    assert "lacks the column 'age'" in capsys.readouterr().err


def test_unseen_levels_and_missing_values_are_told(loans, table, tmp_path, capsys):
    tree = silva.TreeClassifier(splits="multiway", max_depth=2)
    tree.fit(table[["housing"]], pd.read_csv(loans)["repaid"])
    path, rows = str(tmp_path / "housing.silva"), tmp_path / "rows.csv"
    silva.save(tree, path)
    rows.write_text('housing\nboat\n""\n')
    assert run(["explain", path, str(rows), "--all", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)["rows"]
    assert [one["steps"][0]["values"][0]["state"] for one in told] == ["unseen", "missing"]
    assert run(["explain", path, str(rows), "--row", "0"]) == 0
    assert "housing is a level that training did not see" in capsys.readouterr().out


def test_no_rows_at_all(model, table, tmp_path, capsys):
    path = tmp_path / "rows.csv"
    table[:0].to_csv(path, index=False)
    assert run(["explain", model, str(path), "--all"]) == 0
    assert capsys.readouterr().out == "no rows to explain\n"
    assert run(["explain", model, str(path), "--row", "0"]) == 2
    assert f"--row 0: {path} has 0 rows" in capsys.readouterr().err


def test_help_names_the_verb(capsys):
    assert run(["--help"]) == 0
    assert "explain" in capsys.readouterr().out
    assert run(["explain", "--help"]) == 0
    assert "--format" in capsys.readouterr().out
