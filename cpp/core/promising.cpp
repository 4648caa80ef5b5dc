#include "core/promising.hpp"

#include <bit>

#include "core/bit_row.hpp"
#include "core/wide.hpp"

namespace silva {
namespace {

uint64_t promising_plainly(const PositionFilter& f, const int64_t* sums, int n,
                           int64_t first_left) {
    uint64_t mask = 0;
    for (int j = 0; j < n; ++j) {
        const double l = static_cast<double>(first_left + j);
        const double deviation = f.scale * static_cast<double>(sums[j]) - f.per_row * l;
        const bool reaches = deviation * deviation >= f.bound * l * (f.total - l);
        mask |= static_cast<uint64_t>(reaches) << j;
    }
    return mask;
}

// No position of a block can be promising if none of these four is: what a filter compares is
// convex in the numbers of ones and of zeros on the left, so its maximum over all ways through the
// block is at a corner: before or after all ones, before or after all zeros.
struct Corners {
    double sum[4], left[4];

    Corners(int64_t first_sum, int64_t first_left, int ones, int n) {
        const int moved_ones[4] = {0, ones, 0, ones}, moved[4] = {0, ones, n - ones, n};
        for (int i = 0; i < 4; ++i) {
            sum[i] = static_cast<double>(first_sum + moved_ones[i]);
            left[i] = static_cast<double>(first_left + moved[i]);
        }
    }
    bool promising(const PositionFilter& f) const {
        bool any = false;
        for (int i = 0; i < 4; ++i) {
            const double deviation = f.scale * sum[i] - f.per_row * left[i];
            any |= deviation * deviation >= f.bound * left[i] * (f.total - left[i]);
        }
        return any;
    }
};

template <class Id>
uint64_t two_classes_plainly(const PositionFilter& f, const uint32_t* ones, const Id* entries,
                             int n, int64_t first_sum, int64_t first_left, uint64_t& block_ones) {
    constexpr Id new_bit = Id(Id(1) << (8 * sizeof(Id) - 1));
    uint64_t classes = 0;
    for (int j = 0; j < n; ++j) classes |= uint64_t{bit_at(ones, Id(entries[j] & ~new_bit))} << j;
    block_ones = classes;
    if (!Corners(first_sum, first_left, std::popcount(classes), n).promising(f)) return 0;
    int64_t sums[64];
    for (int j = 0; j < n; ++j) {
        sums[j] = first_sum;
        first_sum += static_cast<int64_t>(classes >> j & 1);
    }
    return promising_plainly(f, sums, n, first_left);
}

#ifdef SILVA_HAS_WIDE
SILVA_WIDE uint64_t promising_widely(const PositionFilter& f, const int64_t* sums, int n,
                                     int64_t first_left) {
    const __m512d scale = _mm512_set1_pd(f.scale), per_row = _mm512_set1_pd(f.per_row);
    const __m512d total = _mm512_set1_pd(f.total), bound = _mm512_set1_pd(f.bound);
    __m512d l = _mm512_add_pd(_mm512_set1_pd(static_cast<double>(first_left)),
                              _mm512_set_pd(7, 6, 5, 4, 3, 2, 1, 0));
    uint64_t mask = 0;
    for (int j = 0; j < n; j += 8, l = _mm512_add_pd(l, _mm512_set1_pd(8))) {
        const auto here = static_cast<__mmask8>(n - j < 8 ? (1u << (n - j)) - 1 : 0xFFu);
        const __m512d sum = _mm512_cvtepi64_pd(_mm512_maskz_loadu_epi64(here, sums + j));
        const __m512d deviation =
            _mm512_sub_pd(_mm512_mul_pd(scale, sum), _mm512_mul_pd(per_row, l));
        const __m512d needed = _mm512_mul_pd(_mm512_mul_pd(bound, l), _mm512_sub_pd(total, l));
        const __m512d reached = _mm512_mul_pd(deviation, deviation);
        const __mmask8 reaches = _mm512_mask_cmp_pd_mask(here, reached, needed, _CMP_GE_OQ);
        mask |= static_cast<uint64_t>(reaches) << j;
    }
    return mask;
}

SILVA_WIDE void count_labels_widely(const uint8_t* labels, int n, std::span<const int32_t> present,
                                    int64_t* counts) {
    const __mmask64 here = n < 64 ? (uint64_t{1} << n) - 1 : ~uint64_t{0};
    const __m512i bytes = _mm512_maskz_loadu_epi8(here, labels);
    for (int32_t k : present) {
        const __m512i wanted = _mm512_set1_epi8(static_cast<char>(k));
        counts[k] += __builtin_popcountll(_mm512_mask_cmpeq_epi8_mask(here, bytes, wanted));
    }
}

// One class in a block: which entries have it, and twice its weights on both sides before them.
struct ClassInBlock {
    uint64_t entries;
    int64_t twice_left, twice_right;
};

SILVA_WIDE uint64_t squares_widely(const SquaresFilter& f, const uint8_t* labels, int n,
                                   int64_t first_left, int64_t total) {
    const __mmask64 here = n < 64 ? (uint64_t{1} << n) - 1 : ~uint64_t{0};
    const __m512i bytes = _mm512_maskz_loadu_epi8(here, labels);
    ClassInBlock classes[kFewSquares];
    int n_classes = 0;
    int64_t last_squares = f.left_squares;
    for (int32_t k : f.present) {
        const __m512i wanted = _mm512_set1_epi8(static_cast<char>(k));
        const uint64_t entries = _mm512_mask_cmpeq_epi8_mask(here, bytes, wanted);
        if (entries == 0) continue;
        classes[n_classes++] = {entries, 2 * f.left[k], 2 * (f.node[k] - f.left[k])};
        const int64_t moved = __builtin_popcountll(entries);
        last_squares += moved * (2 * f.left[k] + moved);
    }
    // Left squares only grow and right squares only shrink, so the ends bound every position.
    const double most_left = static_cast<double>(last_squares) / static_cast<double>(first_left);
    const double most_right =
        static_cast<double>(f.right_squares) / static_cast<double>(total - first_left - n + 1);
    if (most_left + most_right < f.bound) return 0;

    const __m512d all = _mm512_set1_pd(static_cast<double>(total)), bound = _mm512_set1_pd(f.bound);
    __m512d l = _mm512_add_pd(_mm512_set1_pd(static_cast<double>(first_left)),
                              _mm512_set_pd(7, 6, 5, 4, 3, 2, 1, 0));
    __m512i before = _mm512_set_epi64(127, 63, 31, 15, 7, 3, 1, 0);  // the positions below each
    uint64_t mask = 0;
    for (int j = 0; j < n; j += 8) {
        __m512i left = _mm512_set1_epi64(f.left_squares),
                right = _mm512_set1_epi64(f.right_squares);
        for (int c = 0; c < n_classes; ++c) {
            const __m512i entries = _mm512_set1_epi64(static_cast<int64_t>(classes[c].entries));
            const __m512i moved = _mm512_popcnt_epi64(_mm512_and_si512(entries, before));
            const __m512i grows = _mm512_add_epi64(_mm512_set1_epi64(classes[c].twice_left), moved);
            const __m512i shrinks =
                _mm512_sub_epi64(_mm512_set1_epi64(classes[c].twice_right), moved);
            left = _mm512_add_epi64(left, _mm512_mul_epu32(moved, grows));
            right = _mm512_sub_epi64(right, _mm512_mul_epu32(moved, shrinks));
        }
        const __m512d r = _mm512_sub_pd(all, l);
        const __m512d reached = _mm512_add_pd(_mm512_mul_pd(_mm512_cvtepi64_pd(left), r),
                                              _mm512_mul_pd(_mm512_cvtepi64_pd(right), l));
        const __m512d needed = _mm512_mul_pd(_mm512_mul_pd(bound, l), r);
        const __mmask8 reaches = _mm512_cmp_pd_mask(reached, needed, _CMP_GE_OQ);
        mask |= static_cast<uint64_t>(reaches) << j;
        l = _mm512_add_pd(l, _mm512_set1_pd(8));
        before = _mm512_or_si512(_mm512_slli_epi64(before, 8), _mm512_set1_epi64(255));
    }
    return mask & here;
}

SILVA_WIDE inline uint64_t classes_of(const uint32_t* ones, const uint32_t* entries, int n) {
    const __m512i id_mask = _mm512_set1_epi32(0x7FFFFFFF);
    uint64_t classes = 0;
    for (int j = 0; j < n; j += 16) {
        const auto here = static_cast<__mmask16>(n - j < 16 ? (1u << (n - j)) - 1 : 0xFFFFu);
        const __m512i ids = _mm512_and_si512(_mm512_maskz_loadu_epi32(here, entries + j), id_mask);
        classes |= static_cast<uint64_t>(bits_at_widely(ones, ids) & here) << j;
    }
    return classes;
}
SILVA_WIDE inline uint64_t classes_of(const uint32_t* ones, const uint16_t* entries, int n) {
    const __m512i id_mask = _mm512_set1_epi32(0x7FFF);
    uint64_t classes = 0;
    for (int j = 0; j < n; j += 16) {
        const auto here = static_cast<__mmask16>(n - j < 16 ? (1u << (n - j)) - 1 : 0xFFFFu);
        const __m512i wide = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(here, entries + j));
        const __m512i ids = _mm512_and_si512(wide, id_mask);
        classes |= static_cast<uint64_t>(bits_at_widely(ones, ids) & here) << j;
    }
    return classes;
}

template <class Id>
SILVA_WIDE uint64_t two_classes_widely(const PositionFilter& f, const uint32_t* ones,
                                       const Id* entries, int n, int64_t first_sum,
                                       int64_t first_left, uint64_t& block_ones) {
    const uint64_t classes = classes_of(ones, entries, n);
    block_ones = classes;
    const int n_ones = __builtin_popcountll(classes);
    if (!Corners(first_sum, first_left, n_ones, n).promising(f)) return 0;
    const __m512i all = _mm512_set1_epi64(static_cast<int64_t>(classes));
    __m512i before = _mm512_set_epi64(127, 63, 31, 15, 7, 3, 1, 0);  // the positions below each
    int64_t sums[64];
    for (int j = 0; j < n; j += 8) {
        const __m512i counts = _mm512_popcnt_epi64(_mm512_and_si512(all, before));
        _mm512_storeu_si512(sums + j, _mm512_add_epi64(counts, _mm512_set1_epi64(first_sum)));
        before = _mm512_or_si512(_mm512_slli_epi64(before, 8), _mm512_set1_epi64(255));
    }
    return promising_widely(f, sums, n, first_left);
}
#endif

template <class Id>
uint64_t promising_two_classes(const PositionFilter& f, const uint32_t* ones, const Id* entries,
                               int n, int64_t first_sum, int64_t first_left, uint64_t& block_ones) {
#ifdef SILVA_HAS_WIDE
    if (can_go_wide())
        return two_classes_widely(f, ones, entries, n, first_sum, first_left, block_ones);
#endif
    return two_classes_plainly(f, ones, entries, n, first_sum, first_left, block_ones);
}

}  // namespace

uint64_t promising_positions(const PositionFilter& filter, const uint32_t* ones,
                             const uint16_t* entries, int n, int64_t first_sum, int64_t first_left,
                             uint64_t& block_ones) {
    return promising_two_classes(filter, ones, entries, n, first_sum, first_left, block_ones);
}
uint64_t promising_positions(const PositionFilter& filter, const uint32_t* ones,
                             const uint32_t* entries, int n, int64_t first_sum, int64_t first_left,
                             uint64_t& block_ones) {
    return promising_two_classes(filter, ones, entries, n, first_sum, first_left, block_ones);
}

uint64_t promising_positions(const PositionFilter& filter, const int64_t* sums, int n,
                             int64_t first_left) {
#ifdef SILVA_HAS_WIDE
    if (can_go_wide()) return promising_widely(filter, sums, n, first_left);
#endif
    return promising_plainly(filter, sums, n, first_left);
}

void count_labels(const uint8_t* labels, int n, std::span<const int32_t> present, int64_t* counts) {
#ifdef SILVA_HAS_WIDE
    if (can_go_wide() && present.size() <= kFewSquares)
        return count_labels_widely(labels, n, present, counts);
#endif
    for (int j = 0; j < n; ++j) ++counts[labels[j]];
}

bool has_squares_filter() {
#ifdef SILVA_HAS_WIDE
    return can_go_wide();
#else
    return false;
#endif
}

uint64_t promising_squares(const SquaresFilter& filter, const uint8_t* labels, int n,
                           int64_t first_left, int64_t total) {
#ifdef SILVA_HAS_WIDE
    return squares_widely(filter, labels, n, first_left, total);
#else
    return ~uint64_t{0};
#endif
}

}  // namespace silva
