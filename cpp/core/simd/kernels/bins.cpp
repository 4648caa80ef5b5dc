#include "core/simd/bins.hpp"

#include "core/simd/gini_bound.hpp"
#include "core/simd/vec.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

constexpr int kWidth = kLanes<double>;
constexpr double kRoundedUp = 1 + 1e-12;

SILVA_INLINE Vec<double> numbers(const int64_t* from) {
    return to_double(as<uint64_t>(load(from)));
}

// ---- two classes -------------------------------------------------------------------------------

// Gains are convex in the counts of the left child, so the most inside a bin is at one of the
// corners "all of class 0 first" and "all of class 1 first", or at an end. A cut inside a bin
// leaves something on both sides, so that corners with an empty child are not reached.
void score_pairs(const int64_t* left, const int64_t* left_ones, int n_bins, double total,
                 double ones, double* at_end, double* inside) {
    const auto totals = all<double>(total), all_ones = all<double>(ones);
    const auto square_over = [=](Vec<double> l, Vec<double> l1) __attribute__((always_inline)) {
        const auto d = gini_deviation(l1, l, all_ones, totals);
        const auto area = max(l * (totals - l), all<double>(0.5));
        return d * d / area * all<double>(kRoundedUp);
    };
    for (int b = 0; b < n_bins; b += kWidth) {
        const auto l = numbers(left + b), l1 = numbers(left_ones + b);
        const auto end = numbers(left + b + 1), end1 = numbers(left_ones + b + 1);
        const auto at = square_over(end, end1);
        const auto corners =
            max(square_over(l + (end - l) - (end1 - l1), l1), square_over(l + (end1 - l1), end1));
        store(at_end + b, at);
        const auto found = max(max(corners, at), square_over(l, l1));
        store(inside + b, select(less(end - l, all<double>(2.0)), all<double>(-2.0), found));
    }
}

// ---- several classes ---------------------------------------------------------------------------

// Numbers of so many classes side by side.
template <int n_lanes>
struct Classes {
    static constexpr int kParts = n_lanes / kWidth;
    Vec<double> part[kParts];

    // Halves are added until four are left, then neighbours: one order on every instruction set.
    SILVA_INLINE Vec<double, 4> folded() const {
        if constexpr (kParts > 1 && n_lanes > 4) {
            Classes<n_lanes / 2> half;
            for (int p = 0; p < kParts / 2; ++p) half.part[p] = part[p] + part[p + kParts / 2];
            return half.folded();
        } else if constexpr (kParts == 1) {
            return fold_to<4>(part[0], Add{});
        } else {
            return joined(part[0], part[1]);
        }
    }
};

// The sums of both.
SILVA_INLINE Vec<double, 2> both_sums(Vec<double, 4> a, Vec<double, 4> b) {
    const auto low = low_half(a), more_low = low_half(b);
    const auto high = high_half(a), more_high = high_half(b);
    const auto first = __builtin_shufflevector(low.raw, more_low.raw, 0, 2) +
                       __builtin_shufflevector(low.raw, more_low.raw, 1, 3);
    const auto second = __builtin_shufflevector(high.raw, more_high.raw, 0, 2) +
                        __builtin_shufflevector(high.raw, more_high.raw, 1, 3);
    return {first + second};
}

// With d_k = l_k * total - N_k * l: inside a bin of the weights b_k, d_k is at most what it is when
// all of class k come first, and at least what it is when they come last. `at_end` and `inside`
// become the sums of the squares of these.
template <int n_lanes>
SILVA_INLINE void add_squares(ClassSums* sums, int n_bins, const int64_t* node, int n_classes,
                              double w, int64_t* weight_before, double* at_end, double* inside) {
    constexpr int n_parts = Classes<n_lanes>::kParts;
    double share_of[n_lanes] = {};
    for (int k = 0; k < n_classes; ++k) share_of[k] = static_cast<double>(node[k]);
    Vec<double> shares[n_parts], from[n_parts], shares_from[n_parts];
    Vec<uint32_t, kWidth> weights[n_parts];
    auto first = zero<uint32_t, kWidth>();
    for (int p = 0; p < n_parts; ++p) {
        weights[p] = load<uint32_t, kWidth>(sums->before[0] + p * kWidth);
        first += weights[p];
    }
    int64_t weight = weight_before[0] = sum(first);
    for (int p = 0; p < n_parts; ++p) {
        shares[p] = load(share_of + p * kWidth);
        from[p] = convert<double>(as<int32_t>(weights[p])) * all<double>(w);
        shares_from[p] = shares[p] * all<double>(static_cast<double>(weight));
    }
    for (int b = 0; b < n_bins; ++b) {
        Vec<uint32_t, kWidth> mine[n_parts], both = zero<uint32_t, kWidth>();
        for (int p = 0; p < n_parts; ++p) {
            uint32_t* before = sums->before[b + 1] + p * kWidth;
            mine[p] = load<uint32_t, kWidth>(before);
            weights[p] += mine[p];
            store(before, weights[p]);
            both += mine[p];
        }
        weight += sum(both);
        weight_before[b + 1] = weight;
        const auto ends = all<double>(static_cast<double>(weight)), ws = all<double>(w);
        Classes<n_lanes> at, most_inside;
        for (int p = 0; p < n_parts; ++p) {
            const auto own = convert<double>(as<int32_t>(mine[p]));
            const auto to = convert<double>(as<int32_t>(weights[p])) * ws;
            const auto shares_to = shares[p] * ends, shares_own = shares[p] * own;
            const auto d = to - shares_to;
            const auto high = to - (shares_from[p] + shares_own);
            const auto low = from[p] - (shares_to - shares_own);
            at.part[p] = d * d;
            most_inside.part[p] = max(high * high, low * low);
            from[p] = to;
            shares_from[p] = shares_to;
        }
        const auto both_squares = both_sums(at.folded(), most_inside.folded());
        at_end[b] = both_squares[0];
        inside[b] = both_squares[1];
    }
}

// l * r is least at an end of a bin.
void score_classes(ClassSums* sums, int n_bins, const int64_t* node, int n_classes, int64_t total,
                   int64_t* weight_before, double* at_end, double* inside) {
    const auto w = static_cast<double>(total);
    if (n_classes <= 8)
        add_squares<8>(sums, n_bins, node, n_classes, w, weight_before, at_end, inside);
    else
        add_squares<16>(sums, n_bins, node, n_classes, w, weight_before, at_end, inside);
    const auto ws = all<double>(w), one = all<double>(1.0), half = all<double>(0.5);
    const auto rounded_up = all<double>(kRoundedUp);
    for (int b = 0; b < n_bins; b += kWidth) {
        const auto l = numbers(weight_before + b), end = numbers(weight_before + b + 1);
        const auto first = max(l, one), last = min(end, ws - one);
        const auto least_area = min(first * (ws - first), last * (ws - last));
        store(at_end + b, load(at_end + b) / max(end * (ws - end), half) * rounded_up);
        const auto bound = load(inside + b) / max(least_area, half) * rounded_up;
        store(inside + b, select(less(end - l, all<double>(2.0)), all<double>(-2.0), bound));
    }
}

}  // namespace

BinsKernels bins_kernels() { return {score_pairs, score_classes}; }

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
