// The best split of a node by a threshold, and the limits that all splits of a tree obey.
#pragma once

#include <cstdint>

#include "core/search/candidate.hpp"

namespace silva {

// Ranks (or bits, or values) below the position go left. For random thresholds the threshold is the
// cut.
struct Cut : Merit {
    int64_t left = 0;  // weight of the left child
    double threshold = 0.0;

    Cut() = default;
    // A split by categories, whose children are weighed when it is carried out.
    explicit Cut(const Merit& merit) : Merit(merit) {}
    Cut(double gain, int64_t left, int64_t lighter, int32_t column, uint32_t rank, double threshold)
        : Merit{gain, 0.0, lighter, rank, column, false}, left(left), threshold(threshold) {}
};

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
