#!/bin/sh
# Runs the C++ tests on processors that this machine is not, by qemu-user: on AArch64, and on two
# x86-64 processors whose instructions end at SSE4.2 and at AVX2. SILVA_ISA cannot show that code
# for an older processor holds an instruction which that one lacks; such a run can.
# Debian: apt-get install g++-aarch64-linux-gnu qemu-user doctest-dev
# Arguments are passed to the tests (doctest's filters, such as -sf='*partition*').
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$root/build/emulate

# The header alone: the directory that holds it may hold those of another architecture too.
doctest=$(echo '#include <doctest/doctest.h>' | ${CXX:-c++} -M -x c++ - | grep -o '[^ ]*/doctest/doctest.h')
mkdir -p "$build/include/doctest"
cp "$doctest" "$build/include/doctest/"

# build NAME OPTIONS...: the tests, of the core as it ships, in $build/NAME.
build() {
    name=$1
    shift
    cmake -S "$root" -B "$build/$name" -DSILVA_TESTS=ON -DCMAKE_BUILD_TYPE=Release \
        -DDOCTEST_INCLUDE_DIR="$build/include" "$@" >"$build/$name.log"
    cmake --build "$build/$name" --parallel "${JOBS:-$(nproc)}" >>"$build/$name.log"
}

# check NAME EXPECTED EMULATOR...: the tests pass, and use the instruction set EXPECTED.
check() {
    name=$1 expected=$2
    shift 2
    tests=$build/$name/cpp/tests/silva_core_tests
    echo "$*: expecting $expected"
    env -u SILVA_ISA "$@" "$tests" -nv -tc='the instruction set that SILVA_ISA names is in use' |
        grep -x ".*instruction set: $expected"
    # shellcheck disable=SC2086
    env -u SILVA_ISA "$@" "$tests" $filters
}

filters=${*:-}
build x86_64 -DCMAKE_CXX_COMPILER="${CXX:-c++}"
check x86_64 baseline qemu-x86_64 -cpu Nehalem
check x86_64 avx2 qemu-x86_64 -cpu Haswell

build aarch64 -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ -DCMAKE_SYSTEM_NAME=Linux \
    -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_EXE_LINKER_FLAGS=-static
check aarch64 baseline qemu-aarch64
