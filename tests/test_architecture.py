"""The house rules as tests: layers, style, types, a core without Python, a stub that is whole."""

import ast
import importlib
import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.skipping import skip

ROOT = Path(__file__).parent.parent
CPP_FILES = sorted(path for path in (ROOT / "cpp").rglob("*") if path.suffix in {".hpp", ".cpp"})
PYTHON_HEADER = re.compile(r'^\s*#\s*include\s*[<"](Python\.h|nanobind/|pybind11/)', re.MULTILINE)


def check(tool: str, *arguments: object) -> None:
    """Run a tool of this environment over the sources of this checkout; it must say yes."""
    path = shutil.which(tool, path=str(Path(sys.executable).parent)) or shutil.which(tool)
    if path is None:
        skip(f"{tool} is not installed; pip install '.[test]' brings it")
    sources = {"PYTHONPATH": str(ROOT / "src"), "MYPYPATH": str(ROOT / "src")}
    result = subprocess.run(
        [str(path), *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | sources,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, f"{tool}\n{result.stdout}\n{result.stderr}"


def test_imports_go_down_only() -> None:
    check("lint-imports")


def test_python_is_linted() -> None:
    check("ruff", "check", ".")


def test_python_is_formatted() -> None:
    check("ruff", "format", "--check", ".")


def test_python_is_typed() -> None:
    check("mypy")


def test_cpp_is_formatted() -> None:
    assert CPP_FILES
    check("clang-format", "--dry-run", "-Werror", *CPP_FILES)


def test_core_knows_no_python() -> None:
    core = [path for path in CPP_FILES if ROOT / "cpp" / "core" in path.parents]
    assert core
    offenders = [path for path in core if PYTHON_HEADER.search(path.read_text())]
    assert not offenders


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
