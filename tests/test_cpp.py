"""Runs the unit tests of the C++ core for each instruction set, and builds them where they are not.

The environment variable SILVA_CPP_TESTS names a build folder that is up to date, as `.ci/run` makes
one. Without it, build/cpp_tests is brought up to date first: only what changed is compiled again.
"""

import os
import shutil
import subprocess
from pathlib import Path

from tests.skipping import skip

ROOT = Path(__file__).parent.parent
COMPILER = os.environ.get("CXX", "c++")
QUICK_BUILD = ("-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O1")
"""All other tests run the optimised core; to optimise it a second time would take longer."""


def has_doctest_header() -> bool:
    source = "#include <doctest/doctest.h>\n"
    command = [COMPILER, "-E", "-x", "c++", "-"]
    return subprocess.run(command, input=source, text=True, capture_output=True).returncode == 0


def run(*command: object) -> None:
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"


def test_core() -> None:
    built = os.environ.get("SILVA_CPP_TESTS") or build()
    run("ctest", "--test-dir", built, "--output-on-failure", "--no-tests=error")


def build() -> Path:
    """The folder of the tests, which are as new as their sources."""
    for tool in ("cmake", "ctest", COMPILER):
        if shutil.which(tool) is None:
            skip(f"{tool} is not installed")
    if not has_doctest_header():
        skip("the header doctest/doctest.h is not installed (Debian: apt-get install doctest-dev)")
    folder = ROOT / "build" / "cpp_tests"
    run("cmake", "-S", ROOT, "-B", folder, "-DSILVA_TESTS=ON", *QUICK_BUILD)
    run("cmake", "--build", folder, "--parallel", 2)
    return folder
