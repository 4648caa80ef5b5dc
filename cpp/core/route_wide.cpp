#include "core/route_wide.hpp"

#include <type_traits>

#include "core/wide.hpp"

#ifdef SILVA_HAS_WIDE

namespace silva {
namespace {

// Gathers into zeros, of all lanes in a mask that only the program knows: of a mask that the
// compiler knows it leaves the zeros out, and a gather waits for what its register held before.
template <class T>
SILVA_WIDE inline __m512d gather_values(__mmask8 all, __m512i addresses) {
    if constexpr (std::is_same_v<T, float>)
        return _mm512_cvtps_pd(
            _mm512_mask_i64gather_ps(_mm256_setzero_ps(), all, addresses, nullptr, 1));
    else
        return _mm512_mask_i64gather_pd(_mm512_setzero_pd(), all, addresses, nullptr, 1);
}

// Eight rows on their way down.
struct Group {
    __m512i at, number, row;
};

// A leaf has the threshold NaN and is its own second child, so finished rows stay where they are.
template <class T, bool rests>
SILVA_WIDE inline __mmask8 step(Group& group, __mmask8 all, const double* thresholds,
                                const uint64_t* packed) {
    const __m512i node =
        _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), all, group.at, packed, 8);
    const __m512d threshold =
        _mm512_mask_i64gather_pd(_mm512_setzero_pd(), all, group.at, thresholds, 8);
    const __m512d value =
        gather_values<T>(all, _mm512_add_epi64(group.row, _mm512_srli_epi64(node, 32)));
    const __mmask8 missing_first =
        _mm512_test_epi64_mask(node, _mm512_set1_epi64(int64_t{1} << 31));
    const __mmask8 first = _mm512_cmp_pd_mask(value, threshold, _CMP_LT_OQ) |
                           _mm512_mask_cmp_pd_mask(missing_first, value, value, _CMP_UNORD_Q);
    constexpr int64_t second_bits = rests ? 0x3FFFFFFF : 0x7FFFFFFF;
    const __m512i second = _mm512_and_si512(node, _mm512_set1_epi64(second_bits));
    __m512i next = _mm512_mask_add_epi64(second, first, group.at, _mm512_set1_epi64(1));
    if constexpr (rests) {
        const __mmask8 rests_here =
            _mm512_test_epi64_mask(node, _mm512_set1_epi64(int64_t{1} << 30));
        next = _mm512_mask_mov_epi64(
            next, _mm512_mask_cmp_pd_mask(rests_here, value, value, _CMP_UNORD_Q), group.at);
    }
    const __mmask8 resting = _mm512_cmpeq_epi64_mask(next, group.at);
    group.at = next;
    return resting;
}

// The rows of `lanes` are replaced by the next ones, from number `next` on.
SILVA_WIDE inline void refill(Group& group, __mmask8 lanes, int64_t next, const char* rows,
                              int64_t stride) {
    const __m512i upcoming =
        _mm512_add_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64(next));
    group.number = _mm512_mask_expand_epi64(group.number, lanes, upcoming);
    group.at = _mm512_mask_mov_epi64(group.at, lanes, _mm512_setzero_si512());
    group.row = _mm512_add_epi64(_mm512_set1_epi64(reinterpret_cast<int64_t>(rows)),
                                 _mm512_mullo_epi64(group.number, _mm512_set1_epi64(stride)));
}

template <class T, bool rests>
SILVA_WIDE void route_rows(const double* thresholds, const uint64_t* packed, const char* rows,
                           int64_t stride, int64_t n, int64_t* out) {
    constexpr int n_groups = kWideRows / 8, steps = 4;  // rows are replaced every few steps
    const auto all = static_cast<__mmask8>(-static_cast<int>(n > 0));
    Group groups[n_groups];
    __mmask8 resting[n_groups];
    int64_t next = 0;
    for (int g = 0; g < n_groups; ++g, next += 8) {
        groups[g].number = groups[g].at = _mm512_setzero_si512();
        refill(groups[g], 0xFF, next, rows, stride);
    }
    for (bool busy = true; busy;) {
        for (int s = 0; s < steps; ++s)
            for (int g = 0; g < n_groups; ++g)
                resting[g] = step<T, rests>(groups[g], all, thresholds, packed);
        busy = false;
        for (int g = 0; g < n_groups; ++g) {
            _mm512_mask_i64scatter_epi64(out, resting[g], groups[g].number, groups[g].at, 8);
            const int64_t finished = __builtin_popcount(resting[g]);
            const int64_t taken = finished < n - next ? finished : n - next;
            if (taken > 0) {
                refill(groups[g], _pdep_u32((1u << taken) - 1, resting[g]), next, rows, stride);
                next += taken;
                busy = true;
            }
            busy |= resting[g] != 0xFF;
        }
    }
}

}  // namespace

bool can_route_widely() { return can_go_wide(); }

void route_widely(const double* thresholds, const uint64_t* packed, const char* rows,
                  int64_t stride, int64_t n, bool single_precision, bool rests, int64_t* out) {
    const auto routine = single_precision
                             ? (rests ? route_rows<float, true> : route_rows<float, false>)
                             : (rests ? route_rows<double, true> : route_rows<double, false>);
    routine(thresholds, packed, rows, stride, n, out);
}

}  // namespace silva

#else

namespace silva {

bool can_route_widely() { return false; }
void route_widely(const double*, const uint64_t*, const char*, int64_t, int64_t, bool, bool,
                  int64_t*) {}

}  // namespace silva

#endif
