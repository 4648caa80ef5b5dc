"""Check style, types and layers of the sources: `python -m tests.lint`.

Prints the report of each tool that finds something, and then exits with status 1. The everyday
tests do not run these tools; `.ci/run` does.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CPP_FILES = sorted(path for path in (ROOT / "cpp").rglob("*") if path.suffix in {".hpp", ".cpp"})
CHECKS: tuple[tuple[str, ...], ...] = (
    ("lint-imports",),
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
    ("clang-format", "--dry-run", "-Werror", *map(str, CPP_FILES)),
)


def main() -> int:
    reports = [report for check in CHECKS if (report := report_of(*check))]
    print(*reports or ["style, types and layers: no findings"], sep="\n")
    return 1 if reports else 0


def report_of(tool: str, *arguments: str) -> str:
    """What a tool of this environment finds in this checkout; empty if it finds nothing."""
    path = shutil.which(tool, path=str(Path(sys.executable).parent)) or shutil.which(tool)
    if path is None:
        return f"{tool} is not installed; pip install '.[test]' brings it"
    sources = {"PYTHONPATH": str(ROOT / "src"), "MYPYPATH": str(ROOT / "src")}
    done = subprocess.run(
        [path, *arguments], cwd=ROOT, env=os.environ | sources, capture_output=True, text=True
    )
    return f"{tool}\n{done.stdout}\n{done.stderr}" if done.returncode else ""


if __name__ == "__main__":
    sys.exit(main())
