// Additive, exact statistics of a set of rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/array.hpp"

namespace silva {

// Classification fills `classes` (weight of each class); regression fills `sum` (of weight * q) and
// the range of q, which is what says whether the targets are all equal.
struct NodeStats {
    int64_t rows = 0;
    int64_t weight = 0;
    std::vector<int64_t> classes;
    Wide sum = 0;
    int64_t lowest = std::numeric_limits<int64_t>::max();
    int64_t highest = std::numeric_limits<int64_t>::min();

    // Of two sets of rows; both have the same number of classes.
    void add(const NodeStats& other) {
        rows += other.rows;
        weight += other.weight;
        for (size_t k = 0; k < classes.size(); ++k) classes[k] += other.classes[k];
        sum += other.sum;
        lowest = std::min(lowest, other.lowest);
        highest = std::max(highest, other.highest);
    }
    bool pure() const {
        if (classes.empty()) return lowest == highest;
        return std::find(classes.begin(), classes.end(), weight) != classes.end();
    }
};

}  // namespace silva
