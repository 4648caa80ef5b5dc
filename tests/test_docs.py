"""Runs every Python block and every `$ silva` command of the README and of docs/, page by page.

Blocks of a page share their names, in order. Where a block shows output (after `>>>` or `$`), it
must be the output. A page runs in a folder of its own that holds a copy of examples/.
"""

import doctest
import os
import re
import shlex
import shutil
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from silva.cli.main import run

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLE = re.compile(r"(>>> .*\n(?:\.\.\. .*\n)*)((?:(?!>>> ).*\n)*)")
PARTS = ("train", "test")
FIGURES = re.compile(
    r"^\| (.+?) \| ([01]\.\d{3}) \| (\d+) \| ([01]\.\d{3}) \| (\d+) \|$", re.MULTILINE
)
CREATOR = re.compile(r"Matplotlib v[\d.]+")
WORDS = re.compile(r"<text [^>]*>([^<]*)</text>")
SHAPES = re.compile(r"<(path|use|image) ")
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page, tmp_path, monkeypatch, capsys):
    run_page(page, tmp_path, monkeypatch, capsys)


def test_the_figures_on_the_original_rows_of_monks(shared_data, tmp_path, monkeypatch, capsys):
    page = ROOT / "docs" / "monks.md"
    figures = run_page(page, tmp_path, monkeypatch, capsys)["figures"]
    parts = [pd.read_csv(shared_data / f"monks1_{part}.csv", dtype=str) for part in PARTS]
    tables = [one for part in parts for one in (part.drop(columns="class"), part["class"])]
    shown = FIGURES.findall(page.read_text())
    assert len(shown) == 7
    for kind, *cells in shown:
        pairs = [figures(kind, *tables, criterion=one) for one in ("gini", "entropy")]
        assert [text for right, leaves in pairs for text in (f"{right:.3f}", str(leaves))] == cells


def test_the_pictures_in_docs_are_those_that_its_page_draws(tmp_path, monkeypatch, capsys):
    """With SILVA_DRAW=1 they are stored anew; look at them before you commit them."""
    run_page(ROOT / "docs" / "pictures.md", tmp_path, monkeypatch, capsys)
    stored = ROOT / "docs" / "pictures"
    drawn = sorted(tmp_path.glob("*.svg"))
    assert len(drawn) >= 4
    for file in drawn:
        if os.environ.get("SILVA_DRAW"):
            shutil.copy(file, stored / file.name)
        assert file.read_text() == (stored / file.name).read_text(), file.name


def test_the_figures_in_docs_are_those_that_its_page_draws(tmp_path, monkeypatch, capsys):
    """With SILVA_DRAW=1 they are stored anew; look at them before you commit them.

    Another version of matplotlib may place things elsewhere: then words and shapes must be equal.
    """
    run_page(ROOT / "docs" / "figures.md", tmp_path, monkeypatch, capsys)
    stored = ROOT / "docs" / "figures"
    drawn = sorted(tmp_path.glob("*.svg"))
    if os.environ.get("SILVA_DRAW"):
        for file in drawn:
            shutil.copy(file, stored / file.name)
    assert [file.name for file in drawn] == sorted(file.name for file in stored.iterdir())
    for file in drawn:
        new, old = file.read_text(), (stored / file.name).read_text()
        same_version = CREATOR.search(new)[0] == CREATOR.search(old)[0]
        assert new == old if same_version else content(new) == content(old), file.name


def content(svg):
    """The words of a figure, and how many shapes of each kind it has."""
    return sorted(WORDS.findall(svg)), Counter(SHAPES.findall(svg))


def run_page(page, tmp_path, monkeypatch, capsys):
    """Checks all blocks of a page and returns the names that they defined."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    text = page.read_text()
    names = {"__name__": page.stem}
    for block in BLOCK.finditer(text):
        language, source = block.groups()
        line = text.count("\n", 0, block.start()) + 1
        if language == "console":
            check_commands(source, capsys)
        elif ">>> " in source:
            check_session(source, names, page, line)
        else:
            exec(compile("\n" * line + source, str(page), "exec"), names)
    return names


def test_every_page_is_found():
    assert len(PAGES) >= 8
    assert sum(bool(BLOCK.search(page.read_text())) for page in PAGES) >= 6


@pytest.mark.parametrize(("index", "folder"), [("README.md", "docs/"), ("docs/index.md", "")])
def test_every_page_is_in_the_indexes(index, folder):
    text = (ROOT / index).read_text()
    pages = {page.name for page in PAGES[1:]} - {Path(index).name}
    assert [page for page in sorted(pages) if f"]({folder}{page})" not in text] == []


def check_session(source, names, page, line):
    examples = [read_example(*found.groups()) for found in EXAMPLE.finditer(source)]
    test = doctest.DocTest(examples, names, page.name, str(page), line, source)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    report = []
    runner.run(test, out=report.append, clear_globs=False)
    names.update(test.globs)
    assert not runner.failures, "".join(report)


def read_example(prompted, shown):
    """Unlike doctest's own reader, this one takes blank lines as a part of the output."""
    code = "".join(line[4:] for line in prompted.splitlines(keepends=True))
    error = shown.partition("    ...\n")[2] if shown.startswith("Traceback") else None
    return doctest.Example(code, shown, exc_msg=error)


def check_commands(source, capsys):
    for command, expected in COMMAND.findall(source):
        words = shlex.split(command)
        assert words[0] == "silva", f"only silva commands can be checked: {command}"
        capsys.readouterr()
        code = run(words[1:])
        shown = capsys.readouterr()
        assert code == 0, shown.err
        assert strip_line_ends(shown.out) == strip_line_ends(expected), command


def strip_line_ends(text):
    return "\n".join(line.rstrip() for line in text.splitlines()).strip()
