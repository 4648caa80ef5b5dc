#include "core/forest/packed_classes.hpp"

#include <algorithm>
#include <bit>

#include "core/wide.hpp"

namespace silva {
namespace {

// ---- plain loops -------------------------------------------------------------------------------

// Four tables take turns, so that neighbours of one class do not wait for each other.
void sum_plainly(const uint32_t* rows, int64_t n, uint32_t* sums) {
    uint32_t tables[4][kSumClasses] = {};
    int64_t i = 0;
    for (; i + 3 < n; i += 4)
        for (int t = 0; t < 4; ++t) tables[t][rows[i + t] & 0xFFu] += rows[i + t] >> 8;
    for (; i < n; ++i) tables[0][rows[i] & 0xFFu] += rows[i] >> 8;
    for (int k = 0; k < kSumClasses; ++k)
        sums[k] = tables[0][k] + tables[1][k] + tables[2][k] + tables[3][k];
}

void sum_bits_plainly(const uint64_t* words, const uint32_t* rows, int64_t n, uint64_t wanted,
                      uint32_t* sums) {
    for (uint64_t rest = wanted; rest != 0; rest &= rest - 1)
        std::fill_n(sums + std::countr_zero(rest) * kSumClasses, kSumClasses, 0u);
    for (int64_t i = 0; i < n; ++i)
        for (uint64_t word = words[i] & wanted; word != 0; word &= word - 1)
            sums[std::countr_zero(word) * kSumClasses + (rows[i] & 0xFFu)] += rows[i] >> 8;
}

int64_t weigh_plainly(const uint64_t* left, int64_t n, uint64_t classes, double node_weight,
                      double bound, PackedWorth& out) {
    int64_t best = -1;
    double most = 0.0;
    bool any = false;
    for (int64_t i = 0; i < n; ++i) {
        double weight = 0.0, squares = 0.0, rest_squares = 0.0;
        for (int shift = 0; shift < 64; shift += 8) {
            const auto l = static_cast<double>(left[i] >> shift & 0xFFu);
            const auto r = static_cast<double>(classes >> shift & 0xFFu) - l;
            weight += l;
            squares += l * l;
            rest_squares += r * r;
        }
        const double rest = node_weight - weight;
        out.terms[i] = left[i] == 0 ? -1.0 : squares * rest + rest_squares * weight;
        out.areas[i] = weight * rest;
        any |= out.reaches(bound, i);
        if (left[i] == 0 || out.terms[i] <= most * out.areas[i]) continue;
        most = out.terms[i] / out.areas[i];
        best = i;
    }
    return any ? best : -1;
}

int64_t reaching_plainly(const PackedWorth& worth, int64_t n, double bound, uint16_t* cuts) {
    int64_t found = 0;
    for (int64_t i = 0; i < n; ++i)
        if (worth.reaches(bound, i)) cuts[found++] = static_cast<uint16_t>(i);
    return found;
}

// The number of rows with lower ranks: equal ones have one place.
void place_plainly(const uint16_t* ranks, int64_t n, uint16_t* places) {
    for (int64_t i = 0; i < n; ++i) {
        uint16_t below = 0;
        for (int64_t j = 0; j < n; ++j) below += ranks[j] < ranks[i] ? 1 : 0;
        places[i] = below;
    }
}

// ---- wide loops --------------------------------------------------------------------------------

#ifdef SILVA_HAS_WIDE

constexpr int64_t kByteRows = 16 * 8;  // 16 light rows a byte
constexpr int64_t kChunk = 4096;       // so many light rows are below 65,536

// The weights of eight rows, each in the byte of its class.
SILVA_WIDE inline __m512i packed_rows(const uint32_t* rows, __mmask8 here) {
    const __m512i entries = _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(here, rows));
    const __m512i shifts = _mm512_slli_epi64(_mm512_and_si512(entries, _mm512_set1_epi64(0xFF)), 3);
    return _mm512_sllv_epi64(_mm512_srli_epi64(entries, 8), shifts);
}

// Bytes of eight words, added to sums of 16 bits: the even classes, the odd ones.
struct HalfWords {
    __m512i even, odd;
};
SILVA_WIDE inline void add_bytes(__m512i bytes, HalfWords& to) {
    const __m512i low = _mm512_set1_epi16(0xFF);
    to.even = _mm512_add_epi16(to.even, _mm512_and_si512(bytes, low));
    to.odd = _mm512_add_epi16(to.odd, _mm512_srli_epi16(bytes, 8));
}

SILVA_WIDE inline __m128i folded(__m512i words) {
    const __m256i half =
        _mm256_add_epi16(_mm512_castsi512_si256(words), _mm512_extracti64x4_epi64(words, 1));
    const __m128i quarter =
        _mm_add_epi16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    return _mm_add_epi16(quarter, _mm_unpackhi_epi64(quarter, quarter));
}
SILVA_WIDE inline void add_to(const HalfWords& words, uint32_t* sums) {
    const __m128i all = _mm_unpacklo_epi16(folded(words.even), folded(words.odd));
    const auto to = reinterpret_cast<__m256i*>(sums);
    _mm256_storeu_si256(to, _mm256_add_epi32(_mm256_loadu_si256(to), _mm256_cvtepu16_epi32(all)));
}

SILVA_WIDE inline __mmask8 first_lanes(int64_t n) {
    return static_cast<__mmask8>(n >= 8 ? 0xFF : (1 << n) - 1);
}

SILVA_WIDE void sum_widely(const uint32_t* rows, int64_t n, uint32_t* sums) {
    _mm512_storeu_si512(sums, _mm512_setzero_si512());
    for (int64_t chunk = 0; chunk < n; chunk += kChunk) {
        const int64_t chunk_end = std::min(chunk + kChunk, n);
        HalfWords all{_mm512_setzero_si512(), _mm512_setzero_si512()};
        for (int64_t begin = chunk; begin < chunk_end; begin += kByteRows) {
            const int64_t end = std::min(begin + kByteRows, chunk_end);
            __m512i bytes = _mm512_setzero_si512();
            for (int64_t i = begin; i < end; i += 8)
                bytes = _mm512_add_epi64(bytes, packed_rows(rows + i, first_lanes(end - i)));
            add_bytes(bytes, all);
        }
        add_to(all, sums);
    }
}

// Some bits in one run over the rows of a chunk.
template <int n_bits>
SILVA_WIDE void sum_some_bits(const uint64_t* words, const uint32_t* rows, int64_t n,
                              const int* bits, uint32_t* sums) {
    __m512i tests[n_bits];
    HalfWords all[n_bits];
    for (int b = 0; b < n_bits; ++b) {
        tests[b] = _mm512_set1_epi64(static_cast<long long>(uint64_t{1} << bits[b]));
        all[b] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
    }
    for (int64_t begin = 0; begin < n; begin += kByteRows) {
        const int64_t end = std::min(begin + kByteRows, n);
        __m512i bytes[n_bits];
        for (int b = 0; b < n_bits; ++b) bytes[b] = _mm512_setzero_si512();
        for (int64_t i = begin; i < end; i += 8) {
            const __mmask8 here = first_lanes(end - i);
            const __m512i entries = _mm512_maskz_loadu_epi64(here, words + i);
            const __m512i weights = packed_rows(rows + i, here);
            for (int b = 0; b < n_bits; ++b)
                bytes[b] = _mm512_mask_add_epi64(
                    bytes[b], _mm512_test_epi64_mask(entries, tests[b]), bytes[b], weights);
        }
        for (int b = 0; b < n_bits; ++b) add_bytes(bytes[b], all[b]);
    }
    for (int b = 0; b < n_bits; ++b) add_to(all[b], sums + bits[b] * kSumClasses);
}

SILVA_WIDE void sum_bits_widely(const uint64_t* words, const uint32_t* rows, int64_t n,
                                uint64_t wanted, uint32_t* sums) {
    constexpr int most = 4;
    while (wanted != 0) {
        int bits[most], n_bits = 0;
        for (; wanted != 0 && n_bits < most; wanted &= wanted - 1) {
            bits[n_bits] = std::countr_zero(wanted);
            _mm512_storeu_si512(sums + bits[n_bits++] * kSumClasses, _mm512_setzero_si512());
        }
        for (int64_t chunk = 0; chunk < n; chunk += kChunk) {
            const int64_t size = std::min(kChunk, n - chunk);
            const auto run = n_bits == 1   ? sum_some_bits<1>
                             : n_bits == 2 ? sum_some_bits<2>
                             : n_bits == 3 ? sum_some_bits<3>
                                           : sum_some_bits<4>;
            run(words + chunk, rows + chunk, size, bits, sums);
        }
    }
}

// Of eight words of bytes each.
SILVA_WIDE inline __m512d squares_of(__m512i bytes) {
    const __m512i even = _mm512_and_si512(bytes, _mm512_set1_epi16(0xFF));
    const __m512i odd = _mm512_srli_epi16(bytes, 8);
    const __m512i halves =
        _mm512_add_epi32(_mm512_madd_epi16(even, even), _mm512_madd_epi16(odd, odd));
    const __m512i low = _mm512_and_si512(halves, _mm512_set1_epi64(0xFFFFFFFF));
    return _mm512_cvtepi64_pd(_mm512_add_epi64(low, _mm512_srli_epi64(halves, 32)));
}

// Which of two cuts is worth more need not be certain: a rough division will do.
SILVA_WIDE int64_t weigh_widely(const uint64_t* left, int64_t n, uint64_t classes,
                                double node_weight, double bound, PackedWorth& out) {
    const __m512i all = _mm512_set1_epi64(static_cast<long long>(classes));
    const __m512d bounds = _mm512_set1_pd(bound);
    __m512d most = _mm512_setzero_pd();
    __m512i places = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), best = places;
    uint32_t any = 0;
    for (int64_t i = 0; i < n; i += kPackedCuts) {
        const __m512i lefts = _mm512_loadu_si512(left + i);
        const __m512d weight = _mm512_cvtepi64_pd(_mm512_sad_epu8(lefts, _mm512_setzero_si512()));
        const __m512d rest = _mm512_sub_pd(_mm512_set1_pd(node_weight), weight);
        const __m512d both =
            _mm512_add_pd(_mm512_mul_pd(squares_of(lefts), rest),
                          _mm512_mul_pd(squares_of(_mm512_sub_epi64(all, lefts)), weight));
        const __m512d term =
            _mm512_mask_mov_pd(_mm512_set1_pd(-1.0), _mm512_test_epi64_mask(lefts, lefts), both);
        const __m512d area = _mm512_mul_pd(weight, rest);
        _mm512_store_pd(out.terms + i, term);
        _mm512_store_pd(out.areas + i, area);
        any |= _mm512_cmp_pd_mask(term, _mm512_mul_pd(bounds, area), _CMP_GE_OQ);
        const __m512d ratio = _mm512_mul_pd(term, _mm512_rcp14_pd(area));
        const __mmask8 more = _mm512_cmp_pd_mask(ratio, most, _CMP_GT_OQ);
        most = _mm512_mask_mov_pd(most, more, ratio);
        best = _mm512_mask_mov_epi64(best, more, places);
        places = _mm512_add_epi64(places, _mm512_set1_epi64(kPackedCuts));
    }
    if (any == 0) return -1;
    const __mmask8 highest =
        _mm512_cmp_pd_mask(most, _mm512_set1_pd(_mm512_reduce_max_pd(most)), _CMP_EQ_OQ);
    return _mm_cvtsi128_si64(_mm512_castsi512_si128(_mm512_maskz_compress_epi64(highest, best)));
}

SILVA_WIDE int64_t reaching_widely(const PackedWorth& worth, int64_t n, double bound,
                                   uint16_t* cuts) {
    const __m512d bounds = _mm512_set1_pd(bound);
    int64_t found = 0;
    for (int64_t i = 0; i < n; i += kPackedCuts) {
        const __m512d needed = _mm512_mul_pd(bounds, _mm512_load_pd(worth.areas + i));
        uint32_t good = _mm512_cmp_pd_mask(_mm512_load_pd(worth.terms + i), needed, _CMP_GE_OQ);
        for (; good != 0; good &= good - 1)
            cuts[found++] = static_cast<uint16_t>(i + std::countr_zero(good));
    }
    return found;
}

// Adds each row to those with higher ranks.
template <int n_blocks>
SILVA_WIDE bool add_above(const uint16_t* ranks, const uint32_t* rows, int64_t n, uint64_t* left) {
    const auto here = static_cast<__mmask32>((uint64_t{1} << n) - 1);
    const __m512i mine = _mm512_maskz_loadu_epi16(here, ranks);
    __m512i sums[n_blocks];
    for (int b = 0; b < n_blocks; ++b) sums[b] = _mm512_setzero_si512();
    for (int64_t j = 0; j < n; ++j) {
        const __m512i rank = _mm512_set1_epi16(static_cast<short>(ranks[j]));
        const __m512i weights = _mm512_set1_epi64(static_cast<long long>(packed(rows[j])));
        const __mmask32 above = _mm512_mask_cmplt_epu16_mask(here, rank, mine);
        for (int b = 0; b < n_blocks; ++b)
            sums[b] = _mm512_mask_add_epi64(sums[b], static_cast<__mmask8>(above >> (8 * b)),
                                            sums[b], weights);
    }
    __m512i any = sums[0];
    for (int b = 0; b < n_blocks; ++b) {
        _mm512_store_si512(left + 8 * b, sums[b]);
        any = _mm512_or_si512(any, sums[b]);
    }
    return _mm512_test_epi64_mask(any, any) != 0;
}

// The places of up to 32 * n_blocks rows from `begin` on.
template <int n_blocks>
SILVA_WIDE void place_some(const uint16_t* ranks, int64_t n, int64_t begin, uint16_t* places) {
    __m512i mine[n_blocks], below[n_blocks];
    for (int b = 0; b < n_blocks; ++b) {
        const int64_t rest = std::clamp<int64_t>(n - begin - 32 * b, 0, 32);
        const auto here = static_cast<__mmask32>((uint64_t{1} << rest) - 1);
        mine[b] = _mm512_maskz_loadu_epi16(here, ranks + begin + 32 * b);
        below[b] = _mm512_setzero_si512();
    }
    const __m512i one = _mm512_set1_epi16(1);
    for (int64_t j = 0; j < n; ++j) {
        const __m512i rank = _mm512_set1_epi16(static_cast<short>(ranks[j]));
        for (int b = 0; b < n_blocks; ++b)
            below[b] = _mm512_mask_add_epi16(below[b], _mm512_cmplt_epu16_mask(rank, mine[b]),
                                             below[b], one);
    }
    for (int b = 0; b < n_blocks; ++b) _mm512_storeu_si512(places + begin + 32 * b, below[b]);
}

SILVA_WIDE void place_widely(const uint16_t* ranks, int64_t n, uint16_t* places) {
    int64_t begin = 0;
    for (; n - begin > 64; begin += 128) place_some<4>(ranks, n, begin, places);
    if (begin < n) place_some<2>(ranks, n, begin, places);
}

// Each word and all those before it.
SILVA_WIDE inline __m512i sums_so_far(__m512i words) {
    const __m512i none = _mm512_setzero_si512();
    words = _mm512_add_epi64(words, _mm512_alignr_epi64(words, none, 7));
    words = _mm512_add_epi64(words, _mm512_alignr_epi64(words, none, 6));
    return _mm512_add_epi64(words, _mm512_alignr_epi64(words, none, 4));
}

// pack_by_place with eight rows and eight places at a time.
SILVA_WIDE bool pack_widely(const uint16_t* ranks, const uint32_t* rows, int64_t n,
                            const uint16_t* places, PackedColumn& out) {
    alignas(64) uint64_t weights[PackedColumn::kMost + 8], some[8];
    for (int64_t i = 0; i < n; i += 8) _mm512_store_si512(weights + i, _mm512_setzero_si512());
    for (int64_t begin = 0; begin < n; begin += 8) {
        const int64_t size = std::min<int64_t>(8, n - begin);
        _mm512_store_si512(some, packed_rows(rows + begin, first_lanes(size)));
        for (int64_t i = 0; i < size; ++i) {
            weights[places[begin + i]] += some[i];
            out.rank[places[begin + i]] = ranks[begin + i];
        }
    }
    __m512i sum = _mm512_setzero_si512(), any = sum;
    for (int64_t i = 0; i < n; i += 8) {
        const __m512i here = _mm512_load_si512(weights + i);
        const __m512i so_far = _mm512_add_epi64(sum, sums_so_far(here));
        const __m512i before =
            _mm512_maskz_sub_epi64(_mm512_test_epi64_mask(here, here), so_far, here);
        _mm512_store_si512(out.left + i, before);
        any = _mm512_or_si512(any, before);
        sum = _mm512_permutexvar_epi64(_mm512_set1_epi64(7), so_far);
    }
    return _mm512_test_epi64_mask(any, any) != 0;
}

#endif

// Rows at their places, then sums from place to place.
bool pack_by_place(const uint16_t* ranks, const uint32_t* rows, int64_t n, const uint16_t* places,
                   PackedColumn& out) {
    uint64_t weights[PackedColumn::kMost];
    std::fill_n(weights, n, uint64_t{0});
    for (int64_t i = 0; i < n; ++i) {
        weights[places[i]] += packed(rows[i]);
        out.rank[places[i]] = ranks[i];
    }
    uint64_t sum = 0, any = 0;
    for (int64_t i = 0; i < n; ++i) {
        out.left[i] = weights[i] != 0 ? sum : 0;
        any |= out.left[i];
        sum += weights[i];
    }
    std::fill_n(out.left + n, kPackedCuts, uint64_t{0});
    return any != 0;
}

}  // namespace

int64_t most_packed_rows() {
#ifdef SILVA_HAS_WIDE
    if (can_go_wide()) return PackedColumn::kMost;
#endif
    return 16;
}

bool pack_column(const uint16_t* ranks, const uint32_t* rows, int64_t n, PackedColumn& out) {
    uint16_t places[PackedColumn::kMost + 128];
#ifdef SILVA_HAS_WIDE
    if (can_go_wide()) {
        if (n <= 32) {
            std::copy_n(ranks, n, out.rank);
            return n <= 8    ? add_above<1>(ranks, rows, n, out.left)
                   : n <= 16 ? add_above<2>(ranks, rows, n, out.left)
                             : add_above<4>(ranks, rows, n, out.left);
        }
        place_widely(ranks, n, places);
        return pack_widely(ranks, rows, n, places, out);
    }
#endif
    place_plainly(ranks, n, places);
    return pack_by_place(ranks, rows, n, places, out);
}

void sum_classes(const uint32_t* rows, int64_t n, [[maybe_unused]] bool light, uint32_t* sums) {
#ifdef SILVA_HAS_WIDE
    if (light && can_go_wide()) return sum_widely(rows, n, sums);
#endif
    sum_plainly(rows, n, sums);
}

void sum_bits(const uint64_t* words, const uint32_t* rows, int64_t n, uint64_t wanted,
              [[maybe_unused]] bool light, uint32_t* sums) {
#ifdef SILVA_HAS_WIDE
    if (light && can_go_wide()) return sum_bits_widely(words, rows, n, wanted, sums);
#endif
    sum_bits_plainly(words, rows, n, wanted, sums);
}

int64_t weigh_cuts(const uint64_t* left, int64_t n, uint64_t classes, double weight, double bound,
                   PackedWorth& out) {
#ifdef SILVA_HAS_WIDE
    if (can_go_wide()) return weigh_widely(left, n, classes, weight, bound, out);
#endif
    return weigh_plainly(left, n, classes, weight, bound, out);
}

int64_t reaching_cuts(const PackedWorth& worth, int64_t n, double bound, uint16_t* cuts) {
#ifdef SILVA_HAS_WIDE
    if (can_go_wide()) return reaching_widely(worth, n, bound, cuts);
#endif
    return reaching_plainly(worth, n, bound, cuts);
}

}  // namespace silva
