"""How the command starts and ends: streams, exit codes, speed of --help."""

import gzip
import os
import subprocess
import sys

import pytest

import silva
from silva.cli import training
from silva.cli.main import run
from tests.effort import IS_THOROUGH


def test_help_names_the_verbs(capsys):
    assert run(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(verb in shown for verb in ("fit", "show", "predict", "explain", "ask"))


@pytest.mark.parametrize("verb", [[], ["fit"], ["predict"], ["explain"], ["ask"]])
def test_help_loads_no_heavy_library(verb):
    code = (
        "import sys; from silva.cli.main import run; assert run(sys.argv[1:]) == 0;"
        "assert not {'sklearn', 'scipy', 'numpy', 'narwhals', 'duckdb'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code, *verb, "--help"], check=True, capture_output=True)


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


def run_without(hidden, start, *arguments):
    """Runs the command in a Python that does not find these libraries."""
    code = f"""
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {set(hidden)}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Hidden())
{start}
"""
    line = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True)


RUN = "from silva.cli.main import run; sys.exit(run(sys.argv[1:]))"


def test_no_data_frame_library_is_needed(examples):
    frames = ("pandas", "polars", "pyarrow")
    arguments = ("fit", examples / "loans.csv", "-t", "repaid", "--held-out", "0.3")
    result = run_without(frames, RUN, *arguments)
    assert result.returncode == 0, result.stderr
    assert "held-out" in result.stdout


def test_without_duckdb_the_command_says_what_to_install(examples):
    result = run_without(["duckdb"], RUN, "fit", examples / "loans.csv", "-t", "repaid")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("Error: reading tables needs DuckDB")
    assert result.stderr.endswith("run: pip install 'silva-trees[cli]'\n")


def test_without_click_the_command_says_what_to_install():
    start = (
        "import importlib.util as util; find = util.find_spec;"
        "util.find_spec = lambda name: None if name == 'click' else find(name);"
        "from silva.cli.entry import main; main()"
    )
    result = run_without(["click"], start, "--help")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1
    assert "pip install 'silva-trees[cli]'" in result.stderr


def test_the_entry_point_runs_the_command():
    line = [sys.executable, "-c", "from silva.cli.entry import main; main()", "--version"]
    assert subprocess.run(line, capture_output=True, text=True).stdout.startswith("silva, version")


TREE, ROWS = "model.silva", "rows.csv"
PRINTING = {
    "fit": ["fit", ROWS, "-t", "liked"],
    "fit as JSON": ["fit", ROWS, "-t", "liked", "--format", "json"],
    "show": ["show", TREE],
    "rules": ["rules", TREE],
    "rules as CSV": ["rules", TREE, "--format", "csv"],
    "info": ["info", TREE],
    "doctor": ["doctor", ROWS, "-t", "liked"],
    "predict": ["predict", TREE, ROWS],
    "explain": ["explain", TREE, ROWS, "--all"],
    "evaluate": ["evaluate", TREE, ROWS, "-t", "liked"],
    "compare": ["compare", TREE, TREE],
    "prune": ["prune", TREE, "--prune", "minimum_error", "-o", "pruned.silva"],
    "plot": ["plot", TREE, "-o", "-"],
    "report": ["report", TREE, "-o", "-"],
    "ask": ["ask", TREE],
    "help": ["fit", "--help"],
}


@pytest.fixture
def folder(examples, model, tmp_path):
    """A folder with a model and a table whose predictions do not fit into a pipe."""
    header, *rows = (examples / "course.csv").read_text().splitlines()
    (tmp_path / ROWS).write_text("\n".join([header, *rows * 2000, ""]))
    return tmp_path


def silva_process(folder, arguments, **streams):
    line = [sys.executable, "-m", "silva.cli.main", *arguments]
    return subprocess.Popen(line, cwd=folder, text=True, **streams)


@pytest.mark.parametrize("what", PRINTING)
def test_a_reader_that_leaves_is_no_failure(what, folder):
    """Before anything is printed, or after the first line, as `head -1` does."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    for n_lines in (0, 1) if IS_THOROUGH else (list(PRINTING).index(what) % 2,):
        quiet = ["-q"] if what != "help" else []
        with silva_process(folder, [*PRINTING[what], *quiet], **pipes) as process:
            process.stdin.write("no\n" * 9)
            process.stdin.close()
            for _ in range(n_lines):
                process.stdout.readline()
            process.stdout.close()
            assert process.stderr.read() == ""
            assert process.wait() == 0
        (folder / "pruned.silva").unlink(missing_ok=True)


def test_what_nobody_reads_stops_no_work(folder):
    arguments = ["fit", ROWS, "-t", "liked", "-o", "new.silva", "--save-config", "new.toml"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with silva_process(folder, [*arguments, "--plot", "new.svg"], **pipes) as process:
        process.stdout.close()
        process.stderr.close()
        assert process.wait() == 0
    assert silva.load(folder / "new.silva").get_n_leaves() > 1
    assert "target" in (folder / "new.toml").read_text()
    assert (folder / "new.svg").exists()


def test_head_ends_a_pipeline_well(folder):
    line = f"set -o pipefail; {sys.executable} -m silva.cli.main predict {TREE} {ROWS} | head -1"
    done = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "prediction\n")


def command(*arguments, **streams):
    line = [sys.executable, "-m", "silva.cli.main", *map(str, arguments)]
    return subprocess.run(line, text=True, **{"capture_output": not streams} | streams)


def test_a_wrong_instruction_set_is_one_sentence(examples, monkeypatch):
    monkeypatch.setenv("SILVA_ISA", "sse9")
    done = command("fit", examples / "course.csv", "-t", "liked")
    assert done.returncode == 1
    assert done.stderr.startswith("Error: SILVA_ISA='sse9'")
    assert "fault of silva" not in done.stderr


@pytest.fixture
def model(examples, tmp_path):
    path = tmp_path / "model.silva"
    assert run(["fit", str(examples / "course.csv"), "-t", "liked", "-o", str(path), "-q"]) == 0
    return path


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("verb", ["fit", "predict", "--help"])
def test_a_full_disk_behind_standard_output_is_named(verb, examples, model):
    """Text, a table and help; every verb prints one of them."""
    table = examples / "course.csv"
    words = {
        "fit": ("fit", table, "-t", "liked", "-q"),
        "predict": ("predict", model, table, "-q"),
    }
    with open("/dev/full", "w") as full:
        done = command(*words.get(verb, [verb]), stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert done.stderr == "Error: standard input or output: No space left on device\n"


def test_a_model_is_saved_before_it_is_printed(examples, tmp_path):
    output = tmp_path / "model.silva"
    with open("/dev/full", "w") as full:
        table = examples / "course.csv"
        done = command(
            *("fit", table, "-t", "liked", "-o", output), stdout=full, stderr=subprocess.PIPE
        )
    assert done.returncode == 1
    assert silva.load(output).get_n_leaves() > 1


def test_show_without_standard_output_is_an_error(model):
    line = f"{sys.executable} -m silva.cli.main show {model} >&-"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True)
    assert done.returncode == 1
    assert "standard output is closed" in done.stderr


def test_closed_streams_are_named(examples, model):
    line = f"{sys.executable} -m silva.cli.main predict {model}"
    for words, message in (
        (f"{examples / 'course.csv'} -q >&-", "standard output is closed"),
        ("- <&-", "standard input is closed"),
    ):
        done = subprocess.run(f"{line} {words}", shell=True, capture_output=True, text=True)
        assert done.returncode == 1
        assert done.stderr.startswith(f"Error: {message}")
        assert done.stderr.count("\n") == 1


def test_damaged_data_files_are_named(tmp_path, capsys):
    (tmp_path / "a.parquet").write_bytes(b"PAR1" + bytes(range(200)) + b"PAR1")
    (tmp_path / "b.parquet").write_bytes(b"")
    packed = bytearray(gzip.compress(b"a,b\n" + b"1,2\n" * 1000))
    packed[30] ^= 255
    (tmp_path / "c.csv.gz").write_bytes(packed)
    (tmp_path / "d.csv.gz").write_bytes(packed[:20])
    (tmp_path / "e.csv").write_text("a,b\n" + "1" * 3_000_000 + ",2\n")
    (tmp_path / "f.sqlite").write_bytes(b"SQLite format 3\0" + bytes(range(200)))
    (tmp_path / "g.arrow").write_bytes(b"ARROW1" + bytes(range(200)))
    (tmp_path / "h.json").write_text('[{"a": 1, "b": 2}, {"a": ')
    (tmp_path / "i.csv.zst").write_bytes(b"\x28\xb5\x2f\xfd" + bytes(range(200)))
    (tmp_path / "j.csv.gz").write_bytes(b"a,b\n1,2\n")
    for path in sorted(tmp_path.iterdir()):
        assert run(["fit", str(path), "-t", "b"]) == 1
        shown = capsys.readouterr()
        assert str(path) in shown.err
        assert "fault of silva" not in shown.err
        assert shown.err.count("\n") == 1
