#include "core/forest/live_rows.hpp"

#include <algorithm>

#include "core/wide.hpp"

namespace silva {
namespace {

template <class Rank>
int64_t pick_plainly(const Rank* ranks, const uint32_t* rows, int64_t n, uint32_t lowest, int shift,
                     const LiveBins& alive, Rank* ranks_out, uint32_t* rows_out) {
    int64_t picked = 0;
    for (int64_t i = 0; i < n; ++i) {
        const uint32_t rank = ranks[i] - lowest;
        ranks_out[picked] = static_cast<Rank>(rank);
        rows_out[picked] = rows[i];
        picked += static_cast<int64_t>(alive[rank >> shift >> 6] >> (rank >> shift & 63) & 1);
    }
    return picked;
}

#ifdef SILVA_HAS_WIDE

SILVA_WIDE int64_t pick_widely(const uint16_t* ranks, const uint32_t* rows, int64_t n,
                               uint32_t lowest, int shift, const LiveBins& alive,
                               uint16_t* ranks_out, uint32_t* rows_out) {
    const __m512i sixteens =
        _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(alive.data())));
    const __m512i base = _mm512_set1_epi16(static_cast<short>(lowest));
    const __m128i by = _mm_cvtsi32_si128(shift);
    int64_t picked = 0;
    for (int64_t i = 0; i < n; i += 32) {
        const auto here = static_cast<__mmask32>((uint64_t{1} << std::min<int64_t>(32, n - i)) - 1);
        const __m512i above = _mm512_sub_epi16(_mm512_maskz_loadu_epi16(here, ranks + i), base);
        const __m512i bins = _mm512_srl_epi16(above, by);
        const __m512i words = _mm512_permutexvar_epi16(_mm512_srli_epi16(bins, 4), sixteens);
        const __m512i bits =
            _mm512_sllv_epi16(_mm512_set1_epi16(1), _mm512_and_si512(bins, _mm512_set1_epi16(15)));
        const uint32_t good = _mm512_mask_test_epi16_mask(here, words, bits);
        if (good == 0) continue;
        const auto low = static_cast<__mmask16>(good), high = static_cast<__mmask16>(good >> 16);
        const __m512i first = _mm512_maskz_loadu_epi32(low, rows + i);
        const __m512i second = _mm512_maskz_loadu_epi32(high, rows + i + 16);
        _mm512_storeu_si512(ranks_out + picked, _mm512_maskz_compress_epi16(good, above));
        _mm512_storeu_si512(rows_out + picked, _mm512_maskz_compress_epi32(low, first));
        _mm512_storeu_si512(rows_out + picked + __builtin_popcount(low),
                            _mm512_maskz_compress_epi32(high, second));
        picked += __builtin_popcount(good);
    }
    return picked;
}

#endif

}  // namespace

int64_t pick_live(const uint16_t* ranks, const uint32_t* rows, int64_t n, uint32_t lowest,
                  int shift, const LiveBins& alive, uint16_t* ranks_out, uint32_t* rows_out) {
#ifdef SILVA_HAS_WIDE
    if (can_go_wide())
        return pick_widely(ranks, rows, n, lowest, shift, alive, ranks_out, rows_out);
#endif
    return pick_plainly(ranks, rows, n, lowest, shift, alive, ranks_out, rows_out);
}

int64_t pick_live(const uint32_t* ranks, const uint32_t* rows, int64_t n, uint32_t lowest,
                  int shift, const LiveBins& alive, uint32_t* ranks_out, uint32_t* rows_out) {
    return pick_plainly(ranks, rows, n, lowest, shift, alive, ranks_out, rows_out);
}

}  // namespace silva
