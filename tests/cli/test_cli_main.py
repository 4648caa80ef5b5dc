"""How the command starts and ends: streams, exit codes, speed of --help."""

import subprocess
import sys

import pytest

from silva.cli import training
from silva.cli.main import run


def test_help_names_the_verbs(capsys):
    assert run(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(verb in shown for verb in ("fit", "show", "predict"))


@pytest.mark.parametrize("arguments", [["--help"], ["fit", "--help"], ["predict", "--help"]])
def test_help_loads_no_heavy_library(arguments):
    code = (
        "import sys; from silva.cli.main import run; assert run(sys.argv[1:]) == 0;"
        "assert not {'sklearn', 'scipy', 'numpy', 'narwhals'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True)


def test_wrong_usage_is_2(capsys):
    assert run(["fit"]) == 2
    assert run(["fti"]) == 2
    assert run(["fit", "no_such_file.csv", "--target", "y"]) == 2
    assert "Usage" in capsys.readouterr().err


def test_failure_is_one_sentence_and_1(tmp_path, capsys):
    table = tmp_path / "table.csv"
    table.write_text("a,b\n1,2\n3\n")
    assert run(["fit", str(table), "--target", "b"]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert "line 3" in shown.err


def test_debug_shows_the_traceback(tmp_path, capsys):
    table = tmp_path / "table.csv"
    table.write_text("a,a\n1,2\n")
    assert run(["fit", str(table), "--target", "a", "--debug"]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_interrupt_is_130_and_writes_nothing(examples, tmp_path, monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(training, "_fit", interrupted)
    model = tmp_path / "model.silva"
    arguments = ["fit", str(examples / "course.csv"), "-t", "liked", "-o", str(model)]
    assert run(arguments) == 130
    assert not model.exists()
    assert "nothing was written" in capsys.readouterr().err


def test_unforeseen_errors_are_owned(examples, monkeypatch, capsys):
    def broken(*_):
        raise RuntimeError("boom")

    monkeypatch.setattr(training, "_fit", broken)
    assert run(["fit", str(examples / "course.csv"), "-t", "liked", "-q"]) == 1
    shown = capsys.readouterr().err
    assert "RuntimeError: boom" in shown
    assert "fault of silva" in shown
    assert "Traceback" not in shown


def test_no_data_frame_library_is_needed(examples):
    code = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"pandas", "polars", "pyarrow", "duckdb"}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Hidden())
from silva.cli.main import run
sys.exit(run(sys.argv[1:]))
"""
    command = [sys.executable, "-c", code, "fit", str(examples / "loans.csv"), "-t", "repaid"]
    result = subprocess.run([*command, "--held-out", "0.3"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "held-out" in result.stdout


def test_a_reader_that_leaves_is_no_news(examples):
    command = [sys.executable, "-m", "silva.cli.main", "fit", str(examples / "course.csv")]
    with subprocess.Popen(
        [*command, "-t", "liked", "-q"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait() == 1
