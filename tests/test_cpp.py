"""Configures, builds and runs the unit tests of the C++ core."""

import os
import shutil
import subprocess
from pathlib import Path

from tests.skipping import skip

ROOT = Path(__file__).parent.parent
COMPILER = os.environ.get("CXX", "c++")
QUICK_BUILD = ("-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O1")
"""All other tests run the optimised core; compiling it a second time would take longer."""


def has_doctest_header() -> bool:
    source = "#include <doctest/doctest.h>\n"
    command = [COMPILER, "-E", "-x", "c++", "-"]
    return subprocess.run(command, input=source, text=True, capture_output=True).returncode == 0


def run(*command: object) -> None:
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"


def test_core(tmp_path: Path) -> None:
    for tool in ("cmake", "ctest", COMPILER):
        if shutil.which(tool) is None:
            skip(f"{tool} is not installed")
    if not has_doctest_header():
        skip("the header doctest/doctest.h is not installed (Debian: apt-get install doctest-dev)")
    run("cmake", "-S", ROOT, "-B", tmp_path, "-DSILVA_TESTS=ON", *QUICK_BUILD)
    run("cmake", "--build", tmp_path, "--parallel", 2)
    run("ctest", "--test-dir", tmp_path, "--output-on-failure", "--no-tests=error")
