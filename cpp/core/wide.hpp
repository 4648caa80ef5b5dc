// Wide (512-bit) instructions: compiled beside the plain loops, chosen when the program runs.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdlib>

#define SILVA_HAS_WIDE 1
#define SILVA_WIDE  \
    __attribute__(( \
        target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,bmi2,popcnt")))

namespace silva {

// SILVA_ISA chooses, as for the kernels in simd/: results are the same.
inline bool can_go_wide() {
    static const char* const wanted = std::getenv("SILVA_ISA");
    static const bool can =
        (wanted == nullptr || *wanted == 0 || (*wanted == 'a' && wanted[3] == '5')) &&
        __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi2") &&
        __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("bmi2");
    return can;
}

}  // namespace silva
#endif
