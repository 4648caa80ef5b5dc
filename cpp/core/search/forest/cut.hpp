// The best split of a node by a threshold, and the limits that all splits of a tree obey.
#pragma once

#include <cstdint>

#include "core/search/candidate.hpp"

namespace silva {

// Ranks (or bits, or values) below the cut go left. For random thresholds the threshold is the cut.
struct Cut {
    double gain = -1.0;
    int64_t left = 0, lighter = 0;  // weight of the left child, of the lighter one
    int32_t column = -1;
    uint32_t rank = 0;
    double threshold = 0.0;

    bool exists() const { return column >= 0; }
};

// The order of candidate.hpp; two cuts of one column differ in their rank.
inline bool better(const Cut& a, const Cut& b) {
    if (a.gain != b.gain) return a.gain > b.gain;
    if (!b.exists()) return a.exists();
    if (a.lighter != b.lighter) return a.lighter > b.lighter;
    if (a.column != b.column) return a.column < b.column;
    return a.rank < b.rank;
}

struct CutLimits {
    int64_t min_rows = 1;
    double min_weight = 0.0;

    bool allow(int64_t left_rows, int64_t rows, int64_t lighter) const {
        return left_rows >= min_rows && rows - left_rows >= min_rows &&
               static_cast<double>(lighter) >= min_weight;
    }
    // Every cut that leaves no child empty is allowed.
    bool allow_all() const { return min_rows <= 1 && min_weight <= 1.0; }
};

}  // namespace silva
