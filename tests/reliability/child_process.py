"""Runs a script in a process of its own, where signals, forks and limits cannot hurt the tests."""

import os
import subprocess
import sys
import textwrap


def run(script: str, before: str = "", **variables: str) -> list[str]:
    """The lines that the script prints. It must end by itself, well before the timeout.

    `before` is a shell command that runs first in the same process, such as `ulimit`.
    """
    command = f'{before or ":"} && exec "$0" -c "$1"'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | variables,
    )
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout.splitlines()
