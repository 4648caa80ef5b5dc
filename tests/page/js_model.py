"""Batches of questions to the page's modules without a browser, answered by one run of Node."""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest

from silva.page import payload
from silva.page.payload.numbers import exact

ASSETS = Path(payload.__file__).parent.parent / "assets"
SCRIPT = Path(__file__).with_name("model_batch.mjs")


def node_path():
    """Where Node is; without it tests skip, except where SILVA_NO_SKIP wants all of them."""
    found = shutil.which("node")
    if found is None:
        skip = pytest.fail if os.environ.get("SILVA_NO_SKIP") else pytest.skip
        skip("node is not installed: install nodejs to test the page's modules")
    return found


NAMES = {
    "tree": ("decodeDocument", "decoded"),
    "router": ("bindRow", "measure"),
    "predict": ("predictRow",),
    "flip": ("flips",),
    "tidy": ("tidy",),
    "layout": ("arrange", "icicle"),
    "pruned": ("visibleNodes", "collapseTo", "isLeafAt", "countBelow", "firstOpen"),
    "surface": ("surface",),
    "numbers": ("number", "percent"),
}
"""What the batch uses, by module."""


def answered(batch, script=None):
    """What the modules, or one joined script, answer to each case.

    Floats that JSON cannot hold are texts.
    """
    program = node_path()
    paths = [ASSETS / "model" / f"{name}.js" for name in NAMES] if script is None else [script]
    with tempfile.TemporaryDirectory() as folder:
        asked, told = Path(folder, "asked.json"), Path(folder, "told.json")
        asked.write_text(json.dumps(exact(batch), allow_nan=False))
        with told.open("wb") as out:
            command = [program, SCRIPT, asked, *paths]
            run = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, check=False)
        assert run.returncode == 0, run.stderr.decode()
        return json.loads(told.read_text())


def cells_of(table):
    """The rows of a table as the page's router takes them: numbers, and codes of levels."""
    columns = ((column + 0).tolist() for column in table.columns)
    return [list(row) for row in zip(*columns, strict=True)]


def floats(values):
    """Numbers that the page wrote, as float64."""
    return np.array([float(one) for one in values], dtype=np.float64)
