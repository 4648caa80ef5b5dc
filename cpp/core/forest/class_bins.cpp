#include "core/forest/class_bins.hpp"

#include "core/wide.hpp"

namespace silva {
namespace {

// Of l * r inside a bin.
[[gnu::always_inline]] inline double least_area(double l, double end, double w) {
    const double first = std::max(l, 1.0), last = std::min(end, w - 1);
    return std::min(first * (w - first), last * (w - last));
}

#ifdef SILVA_HAS_WIDE

// The sums of all lanes of both.
SILVA_WIDE inline __m128d both_sums(__m512d a, __m512d b) {
    const __m512d pairs = _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
    const __m256d half =
        _mm256_add_pd(_mm512_castpd512_pd256(pairs), _mm512_extractf64x4_pd(pairs, 1));
    return _mm_add_pd(_mm256_castpd256_pd128(half), _mm256_extractf128_pd(half, 1));
}

#endif

}  // namespace

template <int width>
[[gnu::always_inline]] inline void ClassBins::add_up(int bin) {
    uint32_t weight = 0;
    for (int k = 0; k < width; ++k) {
        const uint32_t mine = before[bin + 1][k] + odd_[bin + 1][k];
        weight += mine;
        before[bin + 1][k] = before[bin][k] + mine;
    }
    weight_before[bin + 1] = weight_before[bin] + weight;
}

// With d_k = l_k * total - N_k * l: inside a bin of the weights b_k, d_k is at most what it is when
// all of class k come first, and at least what it is when they come last; l * r is least at an end
// of the bin.
template <int width>
[[gnu::always_inline]] inline void ClassBins::score_loop(const int64_t* node, int n_classes,
                                                         int64_t total) {
    double shares[width] = {};
    for (int k = 0; k < n_classes; ++k) shares[k] = static_cast<double>(node[k]);
    const auto w = static_cast<double>(total);
    weight_before[0] = 0;
    for (int b = 0; b < n_bins; ++b) {
        add_up<width>(b);
        const auto l = static_cast<double>(weight_before[b]);
        const auto end = static_cast<double>(weight_before[b + 1]);
        const uint32_t *from = before[b].data(), *to = before[b + 1].data();
        double at = 0.0, most = 0.0;
        for (int k = 0; k < width; ++k) {
            const auto first = static_cast<double>(from[k]), last = static_cast<double>(to[k]);
            const double d = last * w - shares[k] * end;
            const double high = last * w - shares[k] * (l + (last - first));
            const double low = first * w - shares[k] * (end - (last - first));
            at += d * d;
            most += std::max(high * high, low * low);
        }
        at_end[b] = at / std::max(end * (w - end), 0.5) * (1 + 1e-12);
        const double bound = most / std::max(least_area(l, end, w), 0.5) * (1 + 1e-12);
        inside[b] = end - l < 2 ? -2.0 : bound;
    }
}

void ClassBins::score(const int64_t* node, int n_classes, int64_t total) {
#ifdef SILVA_HAS_WIDE
    if (can_go_wide()) return score_widely(node, n_classes, total);
#endif
    score_loop<kMostClasses>(node, n_classes, total);
}

#ifdef SILVA_HAS_WIDE

SILVA_WIDE void ClassBins::score_widely(const int64_t* node, int n_classes, int64_t total) {
    if (n_classes <= 8)
        score_eight(node, n_classes, static_cast<double>(total));
    else
        score_loop<kMostClasses>(node, n_classes, total);
}

// score_loop with the classes side by side.
SILVA_WIDE void ClassBins::score_eight(const int64_t* node, int n_classes, double w) {
    const __m512d shares = _mm512_cvtepi64_pd(
        _mm512_maskz_loadu_epi64(static_cast<__mmask8>((1 << n_classes) - 1), node));
    const __m512d ws = _mm512_set1_pd(w);
    __m256i weights = _mm256_setzero_si256();
    __m512d from = _mm512_setzero_pd(), shares_from = from;
    double l = 0.0;
    weight_before[0] = 0;
    for (int b = 0; b < n_bins; ++b) {
        auto* sums = reinterpret_cast<__m256i*>(before[b + 1].data());
        const auto* odd = reinterpret_cast<const __m256i*>(odd_[b + 1].data());
        const __m256i mine = _mm256_add_epi32(_mm256_load_si256(sums), _mm256_load_si256(odd));
        weights = _mm256_add_epi32(weights, mine);
        _mm256_store_si256(sums, weights);
        const __m512d own = _mm512_cvtepu32_pd(mine);
        const double end = l + _mm512_reduce_add_pd(own);
        weight_before[b + 1] = static_cast<int64_t>(end);

        const __m512d to = _mm512_mul_pd(_mm512_cvtepu32_pd(weights), ws);
        const __m512d shares_to = _mm512_mul_pd(shares, _mm512_set1_pd(end));
        const __m512d shares_own = _mm512_mul_pd(shares, own);
        const __m512d d = _mm512_sub_pd(to, shares_to);
        const __m512d high = _mm512_sub_pd(to, _mm512_add_pd(shares_from, shares_own));
        const __m512d low = _mm512_sub_pd(from, _mm512_sub_pd(shares_to, shares_own));
        const __m512d larger = _mm512_max_pd(_mm512_mul_pd(high, high), _mm512_mul_pd(low, low));
        const __m128d areas =
            _mm_set_pd(std::max(least_area(l, end, w), 0.5), std::max(end * (w - end), 0.5));
        const __m128d scores = _mm_mul_pd(_mm_div_pd(both_sums(_mm512_mul_pd(d, d), larger), areas),
                                          _mm_set1_pd(1 + 1e-12));
        at_end[b] = _mm_cvtsd_f64(scores);
        inside[b] = end - l < 2 ? -2.0 : _mm_cvtsd_f64(_mm_unpackhi_pd(scores, scores));
        from = to;
        shares_from = shares_to;
        l = end;
    }
}

#endif

}  // namespace silva
