"""`silva.show_versions()`: what a report of a fault needs."""

import importlib.metadata
import os
import platform
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

import silva
from silva import _core, versions

PROJECT = Path(__file__).resolve().parent.parent


@pytest.fixture
def shown(capsys) -> dict[str, str]:
    silva.show_versions()
    return dict(re.split("  +", line, maxsplit=1) for line in capsys.readouterr().out.splitlines())


def test_silva_python_and_platform(shown):
    assert shown["silva"] == silva.__version__
    assert shown["Python"].startswith(platform.python_version())
    assert shown["platform"] == platform.platform()


def test_the_instruction_set_in_use_and_the_others(shown):
    found = re.fullmatch(r"(\w+) \(available: (.*)\)", shown["instruction set"])
    in_use, available = found.groups()
    assert in_use == _core.instruction_set()
    assert available.split(", ") == _core.instruction_sets()
    assert in_use in _core.instruction_sets()


def test_usable_cpus_are_those_of_the_pool(shown):
    assert shown["usable CPUs"] == str(_core.effective_threads(0))
    if hasattr(os, "sched_getaffinity"):
        assert 1 <= int(shown["usable CPUs"]) <= len(os.sched_getaffinity(0))


def test_installed_libraries_have_their_version(shown):
    assert shown["numpy"] == np.__version__
    for name in set(shown) & {*versions.REQUIRED, *versions.OPTIONAL}:
        assert shown[name] == importlib.metadata.version(name)


def test_a_library_that_is_not_installed(monkeypatch, capsys):
    monkeypatch.setattr(versions, "REQUIRED", ("numpy", "no-such-library"))
    monkeypatch.setattr(versions, "OPTIONAL", ("no-such-option",))
    silva.show_versions()
    printed = capsys.readouterr().out
    assert re.search("^no-such-library +not installed$", printed, re.MULTILINE)
    assert "no-such-option" not in printed


def test_every_dependency_of_the_project_is_listed():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    assert set(versions.REQUIRED) == names(project["dependencies"])
    extras = project["optional-dependencies"]
    tools = {"test", "benchmark"}
    wanted = set().union(*(names(extras[extra]) for extra in extras.keys() - tools))
    assert wanted <= {*versions.REQUIRED, *versions.OPTIONAL}


def names(requirements: list[str]) -> set[str]:
    return {re.match(r"[\w.-]+", one).group() for one in requirements}
