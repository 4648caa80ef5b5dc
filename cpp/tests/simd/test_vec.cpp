// The primitives of simd/vec.hpp, for each instruction set of the build: vec_checks.cpp is compiled
// once for each.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "core/simd/instruction_sets.hpp"
#include "tests/simd/vec_checks.hpp"

using namespace silva;

namespace {

bool is_supported(const char* name) {
    const auto names = simd::instruction_sets();
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

TEST_CASE("primitives of vectors do the same with every instruction set") {
    const auto check = [](const char* name, const char* (*first_wrong)()) {
        if (!is_supported(name)) return;
        const char* wrong = first_wrong();
        CHECK_MESSAGE(wrong == nullptr, name, ": ", wrong == nullptr ? "" : wrong);
    };
#ifdef SILVA_HAS_AVX512
    check("avx512", simd::avx512::first_wrong_primitive);
#endif
#ifdef SILVA_HAS_AVX2
    check("avx2", simd::avx2::first_wrong_primitive);
#endif
    check("baseline", simd::baseline::first_wrong_primitive);
}
