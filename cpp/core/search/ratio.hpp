// C4.5's choice among the best splits of columns: by gain ratio.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "core/search/candidate.hpp"
#include "core/search/criterion.hpp"

namespace silva {

// The score over the entropy of the children's weights; `weight` is that of the node.
template <class Split>
double gain_ratio_of(const Split& split, int64_t weight) {
    if constexpr (requires { split.split_info; })
        if (split.split_info > 0.0) return split.score() / split.split_info;
    const double info =
        -(split_info_part(split.lighter, weight) + split_info_part(weight - split.lighter, weight));
    return split.score() / info;
}

// The largest gain ratio among the splits whose score is not below the average, of equals the one
// with the larger lightest child, then the first. Splits are in the order of their columns; those
// that do not exist are skipped. nullptr: none exists.
template <class Split>
const Split* best_by_ratio(std::span<const Split> splits, int64_t weight) {
    double sum = 0.0;
    int64_t n = 0;
    for (const Split& split : splits) {
        if (!split.exists()) continue;
        sum += split.score();
        ++n;
    }
    const double average = sum / static_cast<double>(n);
    const double least = average - 1e-9 * std::fabs(average);
    const Split* best = nullptr;
    double best_ratio = 0.0;
    for (const Split& split : splits) {
        if (!split.exists() || split.score() < least) continue;
        const double ratio = gain_ratio_of(split, weight);
        const bool wins = best == nullptr || ratio > best_ratio ||
                          (ratio == best_ratio && split.lighter > best->lighter);
        if (!wins) continue;
        best = &split;
        best_ratio = ratio;
    }
    return best;
}

}  // namespace silva
