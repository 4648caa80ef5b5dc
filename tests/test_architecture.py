"""House rules that need no linter: a core without Python, a stub that is whole, what CI runs."""

import ast
import importlib
import inspect
import re
from pathlib import Path

from tests.lint import CPP_FILES, ROOT, report_of

PYTHON_HEADER = re.compile(r'^\s*#\s*include\s*[<"](Python\.h|nanobind/|pybind11/)', re.MULTILINE)
CORE_FOLDERS = [
    "base",
    "simd",
    "tree",
    "columns",
    "search",
    "projections",
    "leaf",
    "predict",
    "grow",
]
INCLUDED = re.compile(r'^#include "core/([a-z]+)/', re.MULTILINE)
TESTS = re.compile(r"-m pytest ([^;\n]*?)(?:;|$)", re.MULTILINE)


def test_ci_runs_the_tests_as_the_readme_says() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    commands = [TESTS.findall(text) for text in ((ROOT / "README.md").read_text(), script)]
    assert commands[0]
    assert commands[0][0] == commands[1][0] == "-n 2"


def test_ci_runs_what_the_everyday_tests_leave_out() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    assert "-m tests.lint" in script
    assert "-m pytest -n 2 tests/studies" in script


def test_linters_report_findings_and_missing_tools() -> None:
    assert "found" in report_of("python", "-c", "print('found'); raise SystemExit(1)")
    assert report_of("python", "-c", "print('nothing')") == ""
    assert "no-such-tool is not installed" in report_of("no-such-tool")


def test_core_knows_no_python() -> None:
    core = [path for path in CPP_FILES if ROOT / "cpp" / "core" in path.parents]
    assert core
    offenders = [path for path in core if PYTHON_HEADER.search(path.read_text())]
    assert not offenders


def test_folders_of_the_core_include_only_those_before_them() -> None:
    """As ARCHITECTURE.md lists them; the exact search stands beside them, on the first two."""
    allowed = {folder: CORE_FOLDERS[: i + 1] for i, folder in enumerate(CORE_FOLDERS)}
    allowed["optimal"] = ["base", "simd", "optimal"]
    core = ROOT / "cpp" / "core"
    folders = {path: path.relative_to(core).parts[0] for path in CPP_FILES if core in path.parents}
    assert set(folders.values()) == set(allowed)
    offenders = [
        (path.relative_to(core), other)
        for path, folder in folders.items()
        for other in INCLUDED.findall(path.read_text())
        if other not in allowed[folder] and not is_table_of_kernels(path)
    ]
    assert not offenders


def is_table_of_kernels(path: Path) -> bool:
    """The table of all kernels, which lists those of the exact search too."""
    return path.parent.name == "simd" and path.stem in {"kernels", "dispatch"}


def test_stub_names_everything_that_the_core_exports() -> None:
    stub = stub_names((ROOT / "src" / "silva" / "_core.pyi").read_text())
    assert stub == exported_names(importlib.import_module("silva._core"))


def exported_names(owner: object) -> set[str]:
    """Public names of a module, and `Class.member` for those of its classes."""
    names = {name for name in vars(owner) if not name.startswith("_")}
    classes = [vars(owner)[name] for name in names if inspect.isclass(vars(owner)[name])]
    members = {f"{one.__name__}.{name}" for one in classes for name in vars(one) if name[0] != "_"}
    return names | members


def stub_names(source: str) -> set[str]:
    names = set()
    for node in ast.parse(source).body:
        names |= defined(node)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{name}" for part in node.body for name in defined(part)}
    return names


def defined(node: ast.stmt) -> set[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return {name} if name[0] != "_" else set()
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name} if name[0] != "_" else set()
    return set()
