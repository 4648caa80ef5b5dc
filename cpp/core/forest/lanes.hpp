// What loops over whole registers have in common.
#pragma once

#include <cstdint>

#include "core/wide.hpp"

#ifdef SILVA_HAS_WIDE
#define SILVA_CHOOSE(wide, plain) (can_go_wide() ? wide : plain)

namespace silva {

// The lowest n bits.
inline uint64_t lowest_bits(int64_t n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }

// The lowest of 32 lanes.
SILVA_WIDE inline uint16_t lowest_of(__m512i lanes) {
    const __m256i half =
        _mm256_min_epu16(_mm512_castsi512_si256(lanes), _mm512_extracti64x4_epi64(lanes, 1));
    const __m128i quarter =
        _mm_min_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    return static_cast<uint16_t>(_mm_extract_epi16(_mm_minpos_epu16(quarter), 0));
}

}  // namespace silva
#else
#define SILVA_CHOOSE(wide, plain) (plain)
#endif
