"""The studies of forests run, and what they show holds on small tables."""

import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


def ran(study, *arguments):
    return subprocess.run(
        [sys.executable, "-m", f"benchmarks.{study}", *arguments],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
    )


def test_out_of_bag_errors_are_near_held_out_ones(shared_data):
    arguments = ["--only", "titanic", "pima", "auto-mpg", "--data", str(shared_data)]
    done = ran("oob_study", *arguments, "--trees", "100", "--splits", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("/2") == 3
    assert "of 6 splits beyond 2 sampling errors" in done.stdout


def test_a_table_that_is_not_there(tmp_path):
    done = ran("oob_study", "--only", "pima", "--data", str(tmp_path))
    assert done.returncode == 1
    assert "pima_diabetes.csv" in done.stderr


def test_coverage_is_printed():
    done = ran("interval_study", "--rows", "60", "--repeats", "2", "--trees", "10")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("quantile") == 4
