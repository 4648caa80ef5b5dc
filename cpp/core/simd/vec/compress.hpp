// Lanes of a set, side by side.
#pragma once

#include "core/simd/vec/masks.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

#if !defined(SILVA_AVX512)

// For each set of lanes that have `width` parts each, the numbers of their parts side by side.
template <int n_lanes, int width>
struct PartTable {
    static constexpr int kParts = n_lanes * width;
    alignas(kParts) uint8_t parts[1 << n_lanes][kParts] = {};

    constexpr PartTable() {
        for (int set = 0; set < 1 << n_lanes; ++set) {
            int n = 0;
            for (int part = 0; part < kParts; ++part)
                if ((set >> part / width & 1) != 0) parts[set][n++] = static_cast<uint8_t>(part);
        }
    }
};
template <int n_lanes, int width>
constexpr PartTable<n_lanes, width> kPartTable{};

// Sixteen bytes of lanes; eight lanes at most.
template <class T>
SILVA_INLINE T* compress_part(T* out, Vec<uint8_t, 16> part, uint32_t set) {
    constexpr int width = static_cast<int>(sizeof(T));
    const uint8_t* order = kPartTable<16 / width, width>.parts[set];
    const auto packed = shuffle_bytes(part, load<uint8_t, 16>(order));
    store(reinterpret_cast<uint8_t*>(out), packed);
    return out + __builtin_popcount(set);
}

#if defined(SILVA_AVX2)
// Eight lanes of 32 bits in the order of eight bytes.
template <class T>
SILVA_INLINE Vec<T> permuted(Vec<T> v, const uint8_t* lanes) {
    const __m256i order =
        _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(lanes)));
    return {(typename Vec<T>::Raw)_mm256_permutevar8x32_epi32((__m256i)v.raw, order)};
}
#endif

#endif

#if defined(SILVA_AVX512)
template <class T>
SILVA_INLINE Vec<T> compressed(Vec<T> v, uint64_t set) {
    using Raw [[maybe_unused]] = typename Vec<T>::Raw;
    const auto x = (__m512i)v.raw;
    if constexpr (sizeof(T) == 1)
        return {(Raw)_mm512_maskz_compress_epi8(set, x)};
    else if constexpr (sizeof(T) == 2)
        return {(Raw)_mm512_maskz_compress_epi16(static_cast<__mmask32>(set), x)};
    else if constexpr (sizeof(T) == 4)
        return {(Raw)_mm512_maskz_compress_epi32(static_cast<__mmask16>(set), x)};
    else
        return {(Raw)_mm512_maskz_compress_epi64(static_cast<__mmask8>(set), x)};
}
#endif

// Writes the lanes of the set, in their order; returns where they end. May write up to a register.
template <class T>
SILVA_INLINE T* compress(T* out, Vec<T> v, uint64_t set) {
#if defined(SILVA_AVX512)
    store(out, compressed(v, set));  // to memory the instruction itself is slow on AMD
    return out + count_bits(set);
#else
    if constexpr (sizeof(T) == 1) {
        uint8_t bytes[kBytes];
        store(bytes, as<uint8_t>(v));
        for (int at = 0; at < kBytes; at += 8, set >>= 8) {
            const auto eight = eight_bytes(bytes + at);
            const auto order = eight_bytes(kPartTable<8, 1>.parts[set & 255]);
            store(reinterpret_cast<uint8_t*>(out), low_half(shuffle_bytes(eight, order)));
            out += __builtin_popcount(set & 255);
        }
        return out;
#if defined(SILVA_AVX2)
    } else if constexpr (sizeof(T) == 4) {
        store(out, permuted(v, kPartTable<8, 1>.parts[set]));
        return out + count_bits(set);
    } else if constexpr (sizeof(T) == 8) {
        store(out, permuted(v, kPartTable<4, 2>.parts[set]));
        return out + count_bits(set);
#endif
    } else {
        constexpr int n_lanes = 16 / static_cast<int>(sizeof(T));
        const auto bytes = as<uint8_t>(v);
        if constexpr (kBytes == 32) {
            out = compress_part(out, low_half(bytes), set & ((1 << n_lanes) - 1));
            return compress_part(out, high_half(bytes), static_cast<uint32_t>(set >> n_lanes));
        } else {
            return compress_part(out, bytes, static_cast<uint32_t>(set));
        }
    }
#endif
}

// Writes only the lanes of the set; returns where they end.
template <class T>
SILVA_INLINE T* compress_exactly(T* out, Vec<T> v, uint64_t set) {
    const int n = count_bits(set);
#if defined(SILVA_AVX512)
    const uint64_t bytes = _bzhi_u64(~uint64_t{0}, static_cast<uint32_t>(n * sizeof(T)));
    _mm512_mask_storeu_epi8(out, bytes, (__m512i)compressed(v, set).raw);
#else
    T packed[2 * kLanes<T>];  // the parts of a register may each write beyond their lanes
    compress(packed, v, set);
    copy_bytes<kBytes>(reinterpret_cast<uint8_t*>(out), reinterpret_cast<const uint8_t*>(packed),
                       n * static_cast<int64_t>(sizeof(T)));
#endif
    return out + n;
}

}  // namespace
}  // namespace silva::simd::SILVA_ISA_NAMESPACE
