"""CMake refuses what silva cannot be built for, with a sentence that says why and what to do."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.test_cpp import ROOT, skip

GOOD = {
    "CMAKE_SIZEOF_VOID_P": "8",
    "CMAKE_CXX_BYTE_ORDER": "LITTLE_ENDIAN",
    "CMAKE_CXX_COMPILER_ID": "GNU",
    "CMAKE_CXX_COMPILER_VERSION": "12.2.0",
    "CMAKE_CXX_COMPILE_FEATURES": "cxx_std_17;cxx_std_20",
}


def check(**seen: str) -> subprocess.CompletedProcess[str]:
    """Run the checks as if CMake had found this compiler."""
    if shutil.which("cmake") is None:
        skip("cmake is not installed")
    defined = [f"-D{name}={value}" for name, value in (GOOD | seen).items()]
    command = ["cmake", *defined, "-P", str(Path(ROOT, "cmake", "Checks.cmake"))]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize(
    "seen",
    [
        {},
        {"CMAKE_CXX_COMPILER_VERSION": "11"},
        {"CMAKE_CXX_COMPILER_ID": "Clang", "CMAKE_CXX_COMPILER_VERSION": "14.0.6"},
        {"CMAKE_CXX_COMPILER_ID": "AppleClang", "CMAKE_CXX_COMPILER_VERSION": "13.1"},
        {"CMAKE_CXX_BYTE_ORDER": ""},
    ],
)
def test_suitable_compilers_pass(seen: dict[str, str]) -> None:
    result = check(**seen)
    assert result.returncode == 0, result.stderr
    assert not result.stderr


@pytest.mark.parametrize(
    ("seen", "sentence"),
    [
        ({"CMAKE_SIZEOF_VOID_P": "4"}, "silva needs a 64-bit build, because its exact sums are"),
        ({"CMAKE_SIZEOF_VOID_P": "4"}, "this compiler builds for 32 bits. Use a 64-bit compiler"),
        ({"CMAKE_CXX_BYTE_ORDER": "BIG_ENDIAN"}, "silva needs a little-endian processor"),
        ({"CMAKE_CXX_COMPILE_FEATURES": "cxx_std_17"}, "silva needs C++20, which GNU 12.2.0"),
        ({"CMAKE_CXX_COMPILER_VERSION": "10.2.1"}, "silva needs C++20, which GNU 10.2.1"),
        (
            {"CMAKE_CXX_COMPILER_ID": "Clang", "CMAKE_CXX_COMPILER_VERSION": "13.0.1"},
            "Use GCC 11, Clang 14 or newer; the environment variable CXX names the compiler.",
        ),
        ({"CMAKE_CXX_COMPILER_ID": "MSVC"}, "silva needs a compiler with 128-bit integers"),
    ],
)
def test_others_are_refused(seen: dict[str, str], sentence: str) -> None:
    result = check(**seen)
    assert result.returncode != 0
    assert sentence in " ".join(result.stderr.split())


def test_the_build_runs_the_checks() -> None:
    assert "include(cmake/Checks.cmake)" in Path(ROOT, "CMakeLists.txt").read_text()


SOURCES = [
    str(path.relative_to(ROOT))
    for folder in ("core", "tests")
    for path in sorted(Path(ROOT, "cpp", folder).rglob("*.cpp"))
]
"""The bindings need the headers of nanobind and Python."""
CLANG = "clang++-14"
ISA = ("-DSILVA_ISA_NAMESPACE=baseline", "-mssse3", "-msse4.1", "-msse4.2", "-mpopcnt")


@pytest.mark.skipif("SILVA_THOROUGH" not in os.environ, reason="two minutes: SILVA_THOROUGH=1")
def test_the_oldest_clang_compiles_the_core() -> None:
    if shutil.which(CLANG) is None:
        skip(f"{CLANG} is not installed")
    command = [CLANG, "-fsyntax-only", "-std=gnu++20", "-Wall", "-Wextra", "-Wno-unused-function"]
    for source in SOURCES:
        result = subprocess.run(
            [*command, "-Werror", "-Icpp", *ISA, source], cwd=ROOT, capture_output=True, text=True
        )
        assert result.returncode == 0, f"{source}\n{result.stderr}"
