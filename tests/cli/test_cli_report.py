"""`silva report`: from a table or a model to a page, in one command."""

import base64
import gzip
import json
import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
TRANSCRIPT = re.compile(r"^\$ silva report titanic\.csv .*?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def document(path):
    page = path.read_text(encoding="utf-8")
    packed, text = re.search(r'id="silva-data"( [^>]*)?>(.*?)</script>', page, re.S).groups()
    return json.loads(gzip.decompress(base64.b64decode(text)) if packed else text)


def test_a_table_becomes_a_page(examples, tmp_path, silva_command):
    page = tmp_path / "page.html"
    line = ["report", examples / "course.csv", "-t", "liked", "--drop", "rating", "-o", page]
    code, out, err = silva_command(*line)
    assert code == 0
    first, second = out.splitlines()
    assert first == "fitted a tree to 20 rows and 5 columns: 2 leaves, pruned from 5"
    assert second.startswith("accuracy: 0.9 in 10-fold cross-validation, 0.9 on the training rows")
    assert re.search(rf"^wrote {page} \(\d+ kB\): open it in a browser$", err, re.M)
    found = document(page)
    assert found["title"] == "TreeClassifier for liked"
    assert found["given"]["are_training"]


def test_the_options_reach_the_page(examples, tmp_path, silva_command):
    page = tmp_path / "page.html"
    line = ["report", examples / "course.csv", "-t", "liked", "--drop", "rating", "-o", page]
    more = ["--title", "Courses", "--theme", "dark", "--cv", "4", "--prune", "none", "--depth", "2"]
    assert silva_command(*line, *more, "-q")[0] == 0
    found = document(page)
    assert (found["title"], found["min_cell"]) == ("Courses", None)
    assert found["trees"][0]["depth"] == 2
    assert found["pruning"]["folds"] == 4
    assert '<html lang="en" data-theme="dark">' in page.read_text(encoding="utf-8")
    assert silva_command(*line, *more, "--min-cell", "5", "--force", "-q")[0] == 0
    found = document(page)
    assert found["min_cell"] == 5
    assert "hidden (min_cell)" in found["pruning"]["note"]


def test_the_page_is_named_after_the_file_and_not_overwritten(examples, tmp_path, silva_command):
    table = tmp_path / "course.csv"
    shutil.copy(examples / "course.csv", table)
    line = ["report", table, "-t", "liked", "-q"]
    assert silva_command(*line)[0] == 0
    page = tmp_path / "course.html"
    page.write_text("mine")
    code, _, err = silva_command(*line)
    assert code == 1
    assert "exists already; give --force to overwrite it" in err
    assert page.read_text() == "mine"
    assert silva_command(*line, "--force")[0] == 0
    assert page.read_text() != "mine"


def test_columns_that_hardly_repeat_are_left_out_unless_kept(tmp_path, silva_command):
    table, page = tmp_path / "t.csv", tmp_path / "t.html"
    lines = [f"person-{row},{row % 7},{'yes' if row % 7 > 3 else 'no'}" for row in range(60)]
    table.write_text("\n".join(["name,x,y", *lines]))
    line = ["report", table, "-t", "y", "-o", page, "--force"]
    code, out, err = silva_command(*line)
    assert code == 0
    assert "left out 'name': values hardly repeat (--keep COLUMN to use one)" in err
    assert "60 rows and 1 column:" in out
    assert "person-" not in page.read_text(encoding="utf-8")
    code, out, err = silva_command(*line, "--keep", "name")
    assert "60 rows and 2 columns:" in out
    code, out, err = silva_command(*line, "--keep", "nme", "-q")
    assert (code, err) == (
        1,
        "Error: --keep 'nme': there is no such column; did you mean 'name'?\n",
    )
    code, out, err = silva_command(*line, "--drop", "x", "-q")
    assert err == "Error: no column is left to learn from beside 'y'; --keep some\n"


def test_row_numbers_are_left_out_unless_kept(tmp_path, silva_command):
    table = tmp_path / "table.csv"
    lines = [
        f"{number},{number * 7 % 10},{'yes' if number > 20 else 'no'}" for number in range(1, 41)
    ]
    table.write_text("\n".join(["id,x,y", *lines]) + "\n", encoding="utf-8")
    line = ["report", table, "-t", "y", "-o", tmp_path / "page.html", "--force"]
    code, out, err = silva_command(*line)
    assert code == 0
    assert "left out 'id'" in err
    assert "and 1 column:" in out
    assert "and 2 columns: 2 leaves" in silva_command(*line, "--keep", "id")[1]


def test_a_tree_that_is_pruned_to_one_leaf_says_what_to_do(examples, tmp_path, silva_command):
    line = [
        "report",
        examples / "loans.csv",
        "-t",
        "repaid",
        "-o",
        tmp_path / "page.html",
        "--force",
    ]
    code, out, err = silva_command(*line)
    assert code == 0
    assert ": 1 leaf, pruned from 6" in out
    assert "pruning left one leaf" in err
    assert "one leaf" not in silva_command(*line, "--prune", "none")[2]


def test_a_forest_takes_rows_and_a_number_of_trees(zoo, tmp_path, silva_command):
    page = tmp_path / "forest.html"
    line = ["report", zoo.path("forest"), "-o", page, "--trees", "2", "-q"]
    assert silva_command(*line, zoo.table, "-t", zoo.target("forest"))[0] == 0
    assert [tree["role"] for tree in document(page)["trees"]] == ["distilled", "member", "member"]
    assert silva_command(*line, "--force")[0] == 0
    assert [tree["role"] for tree in document(page)["trees"]] == ["member", "member"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["TABLE"], "is not a model file; to fit a tree to a table, name the column"),
        (["MODEL", "-t", "repaid"], "--target names a column of a table: give one after"),
        (["MODEL", "--drop", "income"], "--drop is for a tree that is fitted here"),
        (["TABLE", "-t", "repaid", "--trees", "3"], "--trees is for forests"),
        (["-", "-t", "repaid"], "name the page with --output"),
        (["MODEL", "--min-cell", "1"], "--min-cell"),
    ],
)
def test_impossible_calls_are_told_in_one_sentence(arguments, words, zoo, silva_command):
    names = {"TABLE": zoo.table, "MODEL": zoo.path("tree")}
    code, out, err = silva_command("report", *[names.get(one, one) for one in arguments])
    assert (code, out) == (2, "")
    assert words in err


def test_a_folder_as_output_and_no_folder(zoo, tmp_path, silva_command):
    code, _, err = silva_command("report", zoo.path("tree"), "-o", tmp_path / "no" / "x.html", "-q")
    assert code == 1
    assert "there is no folder" in err
    code, _, err = silva_command("report", zoo.path("tree"), "-o", tmp_path, "--force", "-q")
    assert code == 2
    assert "is a directory" in err


def test_the_page_can_be_printed(zoo, silva_command):
    code, out, _ = silva_command("report", zoo.path("tree"), "-o", "-", "-q")
    assert code == 0
    assert out.startswith("<!DOCTYPE html>")


def test_the_transcript_in_the_readme_is_what_the_terminal_says(
    shared_data, tmp_path, monkeypatch, silva_command
):
    shutil.copy(shared_data / "titanic.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    code, out, err = silva_command(
        "report", "titanic.csv", "--target", "Survived", "-o", "report.html"
    )
    assert code == 0
    *notes, wrote = err.splitlines(keepends=True)
    said = "".join([*notes, out, wrote])
    (shown,) = TRANSCRIPT.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    size = re.compile(r"\(\d+ kB\)")
    assert size.sub("", said) == size.sub("", shown)
