"""The page's modules in one Node process, asked over its standard input."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
MODULES = HERE.parents[1] / "src" / "silva" / "page" / "assets" / "model"


class Page:
    """A Node process that holds the modules; `ask` sends it a task and reads what it finds."""

    def __init__(self, node: str, script: Path | None = None) -> None:
        command = [node, str(HERE / "dialog_bridge.mjs"), str(MODULES)]
        command += [] if script is None else [str(script)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )

    def ask(self, task: str, **facts: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"task": task, **facts}, allow_nan=False) + "\n")
        self._process.stdin.flush()
        found = json.loads(self._process.stdout.readline(), parse_int=float)
        assert "failure" not in found, found["failure"]
        return found["found"]

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        assert self._process.wait(10) == 0


def as_page_reads(value: Any) -> Any:
    """The value as JSON holds it; all numbers are floats, as they are in JavaScript."""
    return json.loads(json.dumps(value, allow_nan=False), parse_int=float)


def node_page(script: Path | None = None) -> Iterator[Page]:
    """For a fixture: the process, or a skip where Node is not installed.

    It holds the modules as they are, or what a script puts into `window.modules`.
    """
    node = shutil.which("node")
    if node is None:
        skip = pytest.fail if os.environ.get("SILVA_NO_SKIP") else pytest.skip
        skip("Node is not installed: the page's modules are compared with Python by running them")
    page = Page(node, script)
    yield page
    page.close()
