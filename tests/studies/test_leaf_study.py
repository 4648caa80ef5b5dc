"""Linear leaves beat constant ones on public data: a part of what the benchmark shows."""

import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


def test_linear_leaves_have_the_smaller_error(shared_data):
    sizes = ["1", "2", "5", "10", "20", "30"]
    arguments = ["--only", "abalone", "auto-mpg", "--sizes", *sizes, "--data", str(shared_data)]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.leaf_study", *arguments],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "better at every size" in done.stdout
    assert done.stdout.count("abalone") == len(sizes)
