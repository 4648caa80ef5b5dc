import pytest

import silva
from silva.cli.main import run


@pytest.fixture
def model(examples, tmp_path, capsys):
    path = tmp_path / "course.silva"
    arguments = ["fit", str(examples / "course.csv"), "-t", "liked", "--drop", "rating"]
    assert run([*arguments, "-o", str(path)]) == 0
    capsys.readouterr()
    return str(path)


def test_the_whole_tree_is_shown(model, capsys):
    assert run(["show", model]) == 0
    shown = capsys.readouterr()
    assert shown.out == silva.to_text(silva.load(model)) + "\n"
    assert shown.err == ""


@pytest.mark.parametrize(
    ("limit", "line"),
    [
        (["--max-depth", "1"], "6 nodes, 10 rows hidden"),
        (["--min-rows", "10"], "10 rows hidden"),
        (["--max-nodes", "1"], "20 rows hidden"),
    ],
)
def test_limits_say_what_they_hide(model, capsys, limit, line):
    assert run(["show", model, *limit]) == 0
    shown = capsys.readouterr().out
    assert line in shown
    assert len(shown.splitlines()) < 9


def test_a_missing_file_is_wrong_usage(capsys):
    assert run(["show", "no_such_model.silva"]) == 2
    assert "no_such_model.silva" in capsys.readouterr().err
