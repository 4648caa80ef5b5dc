#include "core/promising.hpp"

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
#endif

}  // namespace

uint64_t promising_positions(const PositionFilter& filter, const int64_t* sums, int n,
                             int64_t first_left) {
#ifdef SILVA_HAS_WIDE
    if (can_go_wide()) return promising_widely(filter, sums, n, first_left);
#endif
    return promising_plainly(filter, sums, n, first_left);
}

}  // namespace silva
