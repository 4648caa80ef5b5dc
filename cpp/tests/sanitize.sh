#!/bin/sh
# Builds the C++ tests under the sanitizers of the compiler and runs them: all of them under
# AddressSanitizer and UndefinedBehaviorSanitizer, with each instruction set of this machine; those of
# the pool under ThreadSanitizer. Any report is a failure.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$root/build/sanitize

cmake -S "$root" -B "$build" -DSILVA_TESTS=ON -DSILVA_SANITIZE=address,undefined \
    -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O1
cmake --build "$build" --parallel "${JOBS:-$(nproc)}"
ctest --test-dir "$build" --tests-regex silva_core --output-on-failure --no-tests=error

cd "$root/cpp"
${CXX:-c++} -std=gnu++20 -O1 -g -fsanitize=thread -I. tests/main.cpp tests/base/test_pool.cpp \
    tests/base/test_in_order.cpp core/base/pool.cpp -pthread -o "$build/pool_tests"
"$build/pool_tests"
