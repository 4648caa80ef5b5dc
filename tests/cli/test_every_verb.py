"""Every verb on every kind of saved model, and what all verbs have in common."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

import silva
from silva.cli.main import run
from silva.cli.main import silva as group
from tests.cli.model_zoo import KINDS, ONE_TREE

VERBS = list(group.commands)
ON_MODELS = [verb for verb in VERBS if verb not in ("fit", "doctor")]
ONE_ONLY = ("ask", "prune")
"""Verbs that say in one sentence why they take models of one tree only."""


def arguments_of(verb, zoo, kind, folder):
    model, table, target = zoo.path(kind), zoo.table, zoo.target(kind)
    return {
        "show": ["show", model],
        "rules": ["rules", model, table, "-t", target],
        "info": ["info", model],
        "ask": ["ask", model],
        "predict": ["predict", model, table],
        "explain": ["explain", model, table, "--row", "0"],
        "evaluate": ["evaluate", model, table, "-t", target],
        "prune": ["prune", model, "--prune", "minimum_error", "-o", str(folder / "out.silva")],
        "compare": ["compare", model, model, table, "-t", target],
        "plot": ["plot", model, "-o", str(folder / "tree.svg")],
        "report": ["report", model, table, "-t", target, "-o", str(folder / "page.html")],
    }[verb]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("verb", ON_MODELS)
def test_every_verb_takes_every_model_or_says_why_not(
    verb, kind, zoo, tmp_path, monkeypatch, silva_command
):
    monkeypatch.setattr(silva, "to_svg", lambda model, **_: "<svg/>", raising=False)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    arguments = arguments_of(verb, zoo, kind, tmp_path)
    if verb == "plot" and kind not in ONE_TREE:
        code, _, err = silva_command(*arguments)
        assert code == 2
        assert "has 4 trees: choose one with --tree 0 to --tree 3" in err
        arguments += ["--tree", "3"]
    code, out, err = silva_command(*arguments, "-q")
    if verb in ONE_ONLY and kind not in ONE_TREE:
        assert (code, out) == (1, "")
        assert re.fullmatch(r"Error: .* needs one tree, and this \w+ has 4: [^\n]*\n", err)
    elif verb == "ask":
        assert code == 1
        assert "standard input ended with a question still open" in err
    else:
        assert (code, err) == (0, "")
        assert bool(out) == (verb not in ("plot", "report"))


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_every_verb_loads_no_heavy_library(verb):
    code = (
        "import sys; from silva.cli.main import run; assert run(sys.argv[1:]) == 0;"
        "assert not {'sklearn', 'scipy', 'numpy', 'narwhals', 'duckdb', 'rich', 'matplotlib'}"
        " & set(sys.modules)"
    )
    line = [sys.executable, "-c", code, verb, "--help"]
    done = subprocess.run(line, check=True, capture_output=True, text=True)
    assert done.stdout.startswith(f"Usage: silva {verb} ")


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_the_common_options(verb):
    names = {name for option in group.commands[verb].params for name in option.opts}
    assert {"--config", "--quiet", "--debug"} <= names
    assert "--format" in names or verb not in ("rules", "evaluate", "info", "compare", "doctor")


@pytest.mark.parametrize("verb", ON_MODELS)
def test_a_model_of_a_newer_format_is_refused(verb, zoo, tmp_path, monkeypatch, silva_command):
    monkeypatch.setattr("sys.stdin", io.StringIO())
    data = Path(zoo.path("tree")).read_bytes()
    newer = tmp_path / "newer.silva"
    newer.write_bytes(data.replace(b'"format_version":"1.0"', b'"format_version":"9.0"'))
    assert newer.read_bytes() != data
    monkeypatch.setattr(type(zoo), "path", lambda *_: str(newer))
    code, out, err = silva_command(*arguments_of(verb, zoo, "tree", tmp_path))
    assert (code, out) == (1, "")
    assert "the file has version 9.0, this silva reads 1.x; use the silva that wrote it" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("verb", ON_MODELS)
def test_a_model_that_is_none_is_named(verb, zoo, tmp_path, monkeypatch, silva_command):
    other = tmp_path / "model.silva"
    other.write_text("a,b\n1,2\n")
    monkeypatch.setattr(type(zoo), "path", lambda *_: str(other))
    code, out, err = silva_command(*arguments_of(verb, zoo, "tree", tmp_path))
    assert (code, out) == (1, "")
    assert "is not a silva model file" in err
    assert err.count("\n") == 1
    monkeypatch.setattr(type(zoo), "path", lambda *_: str(tmp_path))
    code, out, err = silva_command(*arguments_of(verb, zoo, "tree", tmp_path))
    assert code == 2
    assert "is a directory" in err


WITH_TARGET = ["rules", "evaluate", "compare", "prune", "doctor", "fit", "report"]


def with_target(verb, zoo, target, table, folder):
    model = zoo.path("tree")
    start = {
        "compare": ["compare", model, model],
        "prune": ["prune", model],
        "doctor": ["doctor"],
        "fit": ["fit"],
        "report": ["report"],
    }.get(verb, [verb, model])
    end = ["--prune", "reduced_error", "-o", folder / "x.silva"] if verb == "prune" else []
    return [*start, table, "-t", target, *end]


@pytest.mark.parametrize("verb", WITH_TARGET)
def test_a_target_that_is_not_there_is_named_with_its_neighbour(verb, zoo, tmp_path, silva_command):
    line = with_target(verb, zoo, "Repayed", zoo.table, tmp_path)
    code, out, err = silva_command(*line, "-q")
    assert (code, out) == (1, "")
    hint = "there is no such column; did you mean 'repaid'?"
    assert err == f"Error: --target 'Repayed': {hint}\n"


@pytest.mark.parametrize("verb", WITH_TARGET)
def test_directories_empty_files_and_no_rows(verb, zoo, tmp_path, silva_command):
    (tmp_path / "empty.csv").write_text("")
    header = Path(zoo.table).read_text().partition("\n")[0]
    (tmp_path / "header.csv").write_text(f"{header}\n")
    for table in (tmp_path, tmp_path / "empty.csv", tmp_path / "header.csv"):
        line = with_target(verb, zoo, "repaid", table, tmp_path)
        code, out, err = silva_command(*line, "-q")
        assert (code, out) == (1, "")
        assert str(table) in err
        assert "fault of silva" not in err


READERS = ["rules", "evaluate", "compare", "prune"]


@pytest.mark.parametrize("verb", READERS)
def test_columns_that_are_missing_are_named(verb, zoo, tmp_path, silva_command):
    text = Path(zoo.table).read_text()
    (tmp_path / "new.csv").write_text(text.replace("income", "incme", 1))
    line = with_target(verb, zoo, "repaid", tmp_path / "new.csv", tmp_path)
    code, out, err = silva_command(*line, "-q")
    assert (code, out) == (1, "")
    assert "lacks the column 'income' of the model" in err
    assert "rename the column 'incme' if it is the same" in err


@pytest.mark.parametrize("verb", READERS)
def test_a_target_that_the_model_predicts_from_is_refused(verb, zoo, tmp_path, silva_command):
    line = with_target(verb, zoo, "income", zoo.table, tmp_path)
    code, out, err = silva_command(*line, "-q")
    assert (code, out) == (1, "")
    assert "--target 'income' is a column that the model predicts from" in err


@pytest.mark.parametrize("verb", READERS)
def test_models_without_names_go_by_places(verb, tmp_path, silva_command):
    table = tmp_path / "table.csv"
    table.write_text("w,y,b,a\n" + "1,yes,2,5\n2,no,3,1\n" * 4)
    model = silva.TreeClassifier().fit([[1.0, 2.0, 5.0], [2.0, 3.0, 1.0]], ["yes", "no"])
    silva.save(model, tmp_path / "model.silva")

    class Files:
        path = staticmethod(lambda _: str(tmp_path / "model.silva"))

    line = with_target(verb, Files, "y", table, tmp_path)
    code, _, err = silva_command(*line, "-q")
    assert code == 0, err
    (tmp_path / "narrow.csv").write_text("y,a\nyes,1\n")
    line = with_target(verb, Files, "y", tmp_path / "narrow.csv", tmp_path)
    code, _, err = silva_command(*line, "-q", *(["--force"] if verb == "prune" else []))
    assert code == 1
    assert "has 1 columns beside target and weights, and the model needs 3" in err


WRITERS = ["fit", "predict", "prune", "plot", "report"]


def writing(verb, zoo, output):
    model = zoo.path("tree")
    return {
        "fit": ["fit", zoo.table, "-t", "repaid", "-o", output],
        "predict": ["predict", model, zoo.table, "-o", output],
        "prune": ["prune", model, "--prune", "minimum_error", "-o", output],
        "plot": ["plot", model, "-o", output],
        "report": ["report", model, "-o", output],
    }[verb]


@pytest.fixture
def drawn(monkeypatch):
    monkeypatch.setattr(silva, "to_svg", lambda model, **_: "<svg/>", raising=False)


@pytest.mark.parametrize("verb", WRITERS)
def test_files_are_never_overwritten_unasked(verb, zoo, tmp_path, drawn, silva_command):
    output = tmp_path / "out.svg"
    output.write_text("old")
    code, out, err = silva_command(*writing(verb, zoo, output), "-q")
    assert (code, out) == (1, "")
    assert "exists already; give --force" in err
    assert output.read_text() == "old"
    assert silva_command(*writing(verb, zoo, output), "-q", "--force")[0] == 0
    assert output.read_bytes() != b"old"


@pytest.mark.parametrize("verb", WRITERS)
def test_no_folder_no_permission_and_a_directory(
    verb, zoo, tmp_path, drawn, monkeypatch, silva_command
):
    code, _, err = silva_command(*writing(verb, zoo, tmp_path / "no" / "out.svg"), "-q")
    assert code == 1
    assert "there is no folder" in err
    assert silva_command(*writing(verb, zoo, tmp_path), "-q")[0] == 2

    def refused(*_, **__):
        raise PermissionError(13, "Permission denied", "draft")

    monkeypatch.setattr("silva.files._locked_draft", refused)
    output = tmp_path / "out.svg"
    code, _, err = silva_command(*writing(verb, zoo, output), "-q")
    assert (code, err) == (1, f"Error: {output}: Permission denied\n")
    assert not output.exists()


@pytest.mark.parametrize("verb", WRITERS)
def test_a_disk_that_fills_up_leaves_the_old_file(
    verb, zoo, tmp_path, drawn, monkeypatch, silva_command
):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("silva.files.os.fsync", full)
    output = tmp_path / "out.svg"
    output.write_text("old")
    code, _, err = silva_command(*writing(verb, zoo, output), "-q", "--force")
    assert (code, err) == (1, f"Error: {output}: No space left on device\n")
    assert output.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["out.svg"]


@pytest.mark.parametrize("verb", ["evaluate", "rules", "compare", "info", "doctor"])
def test_json_is_json_and_csv_a_table(verb, zoo, tmp_path, silva_command):
    line = arguments_of(verb, zoo, "tree", tmp_path) if verb != "doctor" else None
    line = line or ["doctor", zoo.table, "-t", "repaid"]
    code, out, err = silva_command(*line, "-q", "--format", "json")
    assert (code, err) == (0, "")
    assert isinstance(json.loads(out), dict)
    if verb in ("compare", "info"):
        return
    code, out, err = silva_command(*line, "-q", "--format", "csv")
    assert (code, err) == (0, "")
    widths = {line.count(",") for line in out.splitlines()[:1]}
    assert min(widths) >= 3


def test_interrupts_are_130(zoo, monkeypatch, silva_command):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("silva.cli.evaluating.evaluate", interrupted)
    code, out, _ = silva_command("evaluate", zoo.path("tree"), zoo.table, "-t", "repaid")
    assert (code, out) == (130, "")


@pytest.mark.parametrize("verb", ["evaluate", "doctor", "compare", "rules", "info"])
def test_closed_standard_output_is_named(verb, zoo, tmp_path, monkeypatch, capsys):
    line = arguments_of(verb, zoo, "tree", tmp_path) if verb != "doctor" else None
    monkeypatch.setattr("sys.stdout", None)
    assert run(line or ["doctor", zoo.table, "-t", "repaid"]) == 1
    monkeypatch.undo()
    assert "standard output is closed: there is nowhere to print" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["doctor", "fit"])
def test_nothing_but_text_is_printed_without_a_terminal(verb, zoo, monkeypatch, silva_command):
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    code, out, err = silva_command(verb, zoo.table, "-t", "repaid")
    assert code == 0
    assert "\x1b" not in out + err


def test_progress_is_for_terminals_that_can_move(monkeypatch):
    from rich.console import Console

    from silva.cli import terminal

    shown = []
    monkeypatch.setattr(Console, "is_terminal", True)
    monkeypatch.setattr(Console, "status", lambda self, what: shown.append(what) or self)
    monkeypatch.setattr(Console, "__enter__", lambda self: self, raising=False)
    monkeypatch.setattr(Console, "__exit__", lambda *_: None, raising=False)
    with click.Context(click.Command("x")) as context:
        for term, quiet, count in (("dumb", False, 0), ("xterm", True, 0), ("xterm", False, 1)):
            monkeypatch.setenv("TERM", term)
            context.meta["silva.quiet"] = quiet
            with terminal.working("busy"):
                assert len(shown) == count


def completed(words):
    environment = {**os.environ, "_SILVA_COMPLETE": "bash_complete", "COMP_WORDS": words}
    environment["COMP_CWORD"] = str(len(words.split()) - 1)
    line = [sys.executable, "-c", "from silva.cli.entry import main; main()"]
    done = subprocess.run(line, capture_output=True, text=True, env=environment)
    return done.stdout.split()


def test_shells_complete_verbs_options_and_choices():
    assert completed("silva ev") == ["plain,evaluate"]
    assert completed("silva fit --mod") == ["plain,--model"]
    assert "plain,extra-trees" in completed("silva fit --model e")
    assert completed("silva show some") == ["file,some"]


FORMS = [
    verb for verb in VERBS if "--format" in {o for p in group.commands[verb].params for o in p.opts}
]


@pytest.mark.parametrize("verb", FORMS)
def test_help_offers_the_forms_that_there_are(verb, silva_command):
    (option,) = (one for one in group.commands[verb].params if "--format" in one.opts)
    assert ("csv" in option.help) == ("csv" in option.type.choices)
    assert "json" in option.type.choices


@pytest.mark.parametrize("model", ["tree", "forest", "extra-trees", "bagging", "adaboost"])
@pytest.mark.parametrize(("option", "least"), [("--depth", 1), ("--max-leaf-nodes", 2)])
def test_trees_that_grow_have_a_split(model, option, least, zoo, silva_command):
    line = ["fit", zoo.table, "-t", "repaid", "-q", "--model", model, option]
    code, out, err = silva_command(*line, least - 1)
    assert (code, out) == (2, "")
    assert f"{option} {least - 1}: give at least {least}; only --model optimal takes" in err
    assert silva_command(*line, least)[0] == 0


@pytest.mark.parametrize("option", ["--depth=0", "--max-leaf-nodes=1"])
def test_a_search_may_find_one_leaf(option, zoo, silva_command):
    code, out, _ = silva_command("fit", zoo.table, "-t", "repaid", "--model", "optimal", option)
    assert (code, "1 node, 1 leaf" in out) == (0, True)


def test_a_row_has_one_number_in_all_messages(tmp_path, silva_command):
    """The fifth row below the header: line 6, row 4 for the reader and for the library."""
    table = tmp_path / "rows.csv"
    table.write_text("a,b,y\n" + "1,1,2.5\n" * 4 + "about 1,1,\n" + "2,1,3.5\n" * 4)
    code, _, err = silva_command("fit", table, "-t", "y", "--task", "regression")
    assert code == 1
    assert "'about 1' in line 6 (row 4, counted from 0)" in err
    assert "in row 4 " in err
    assert err.endswith("(rows are counted from 0)\n")
    assert "row 5" not in err
