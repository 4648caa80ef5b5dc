// What loops over whole registers have in common.
#pragma once

#include <cstdint>

#include "core/wide.hpp"

#ifdef SILVA_HAS_WIDE
#define SILVA_CHOOSE(wide, plain) (can_go_wide() ? wide : plain)

namespace silva {

// The lowest n bits.
inline uint64_t lowest_bits(int64_t n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }

// Registers of values of one type.
template <class T>
struct Lanes;

#define SILVA_LANES(Type, Mask, width, suffix)                              \
    template <>                                                             \
    struct Lanes<Type> {                                                    \
        using Bits = Mask;                                                  \
        static constexpr int kWidth = width;                                \
        SILVA_WIDE static __m512i load(Mask mask, const Type* from) {       \
            return _mm512_maskz_loadu_##suffix(mask, from);                 \
        }                                                                   \
        SILVA_WIDE static void store(Type* to, Mask mask, __m512i values) { \
            _mm512_mask_storeu_##suffix(to, mask, values);                  \
        }                                                                   \
        SILVA_WIDE static __m512i compress(Mask mask, __m512i values) {     \
            return _mm512_maskz_compress_##suffix(mask, values);            \
        }                                                                   \
    };
SILVA_LANES(uint8_t, __mmask64, 64, epi8)
SILVA_LANES(uint16_t, __mmask32, 32, epi16)
SILVA_LANES(uint32_t, __mmask16, 16, epi32)
SILVA_LANES(uint64_t, __mmask8, 8, epi64)
#undef SILVA_LANES

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
