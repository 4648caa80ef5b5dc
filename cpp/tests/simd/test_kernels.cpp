#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/simd/instruction_sets.hpp"

using namespace silva;

TEST_CASE("the instruction set that SILVA_ISA names is in use") {
    MESSAGE("instruction set: " << simd::instruction_set());
    CHECK_NOTHROW(simd::check_choice());
    const char* wanted = std::getenv("SILVA_ISA");
    if (wanted != nullptr && *wanted != 0) CHECK(simd::instruction_set() == std::string(wanted));
}

TEST_CASE("the baseline is there on every machine, and the last choice") {
    const std::vector<std::string> sets = simd::instruction_sets();
    REQUIRE_FALSE(sets.empty());
    CHECK(sets.back() == "baseline");
    CHECK(std::count(sets.begin(), sets.end(), simd::instruction_set()) == 1);
}

TEST_CASE("the best instruction set is the default") {
    const char* wanted = std::getenv("SILVA_ISA");
    if (wanted == nullptr || *wanted == 0)
        CHECK(simd::instruction_set() == simd::instruction_sets().front());
}
