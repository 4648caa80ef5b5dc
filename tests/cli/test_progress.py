"""Progress: a percentage and the time left on a terminal, nothing anywhere else."""

import json
import os
import pty
import re
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
import pytest

from silva.cli import terminal
from silva.progress import listening, part, report_progress

LONG = {
    "forest": ["--model", "forest", "--set", "n_estimators=30"],
    "adaboost": ["--model", "adaboost", "--set", "n_estimators=30"],
    "prune auto": ["--prune", "auto"],
    "prune cost_complexity": ["--prune", "cost_complexity"],
    "folds": ["--cv", "4"],
}


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.random((200, 8))).add_prefix("[red]x[/")
    table["y"] = np.where(table.sum(axis=1) + rng.random(200) > 4.5, "yes", "no")
    path = tmp_path_factory.mktemp("rows") / "[red]rows.csv"
    table.to_csv(path, index=False)
    return str(path)


def on_terminal(*arguments, **environment):
    """Exit code, standard output, and what a terminal gets as standard error."""
    ours, theirs = pty.openpty()
    line = [sys.executable, "-m", "silva.cli.main", *arguments]
    known = {**os.environ, "TERM": "xterm", "COLUMNS": "300", **environment}
    with tempfile.TemporaryFile("w+") as out:
        with subprocess.Popen(line, stdout=out, stderr=theirs, env=known) as process:
            os.close(theirs)
            seen = b""
            while chunk := read(ours):
                seen += chunk
        os.close(ours)
        out.seek(0)
        return process.returncode, out.read(), seen.decode()


def read(handle):
    try:
        return os.read(handle, 4096)
    except OSError:  # the other end is closed
        return b""


@pytest.mark.parametrize("what", LONG)
def test_a_terminal_shows_percentages(what, rows):
    code, out, err = on_terminal("fit", rows, "-t", "y", "--format", "json", *LONG[what])
    assert code == 0, err
    assert re.search(r"(fitting 200 rows and 8 columns|fitting 4 times again): \d+%", err)
    assert "[red]rows.csv" in err
    json.loads(out)
    code, out, err = on_terminal("fit", rows, "-t", "y", "-q", "--depth", "2", *LONG[what][:2])
    assert (code, err) == (0, "")


@pytest.mark.parametrize("what", ["forest", "prune auto"])
def test_nothing_is_shown_where_standard_error_is_no_terminal(what, rows):
    line = [sys.executable, "-m", "silva.cli.main", "fit", rows, "-t", "y", "-q", *LONG[what]]
    done = subprocess.run([*line, "--depth", "3"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_parts_of_the_work_are_told_as_a_whole():
    found = []
    report_progress("nobody listens", 0.5)
    with listening(lambda what, share: found.append((what, share))):
        for number in range(2):
            with part(number, 2):
                report_progress("work", 0.0)
                report_progress("work", 0.5)
    report_progress("nobody listens", 1.0)
    assert found == [("work", 0.0), ("work", 0.25), ("work", 0.5), ("work", 0.75)]


def test_the_time_that_is_left_is_that_of_the_outermost_work(monkeypatch):
    clock = iter([0.0, 0.1, 10.0, 30.0])
    monkeypatch.setattr(terminal.time, "monotonic", lambda: next(clock))
    shown = []
    told = terminal.percentages(shown.append)
    for what, share in (("forest", 0.0), ("forest", 0.1), ("pruning", 0.9), ("forest", 0.25)):
        told(what, share)
    assert shown == ["0%", "10%, 0:01:30 left", "25%, 0:01:30 left"]
