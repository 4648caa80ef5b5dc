// What the user asks of splits over many columns.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tree_builder.hpp"

namespace silva {

// A projection is taken when its gain exceeds (1 + margin) times that of the best ordinary split.
struct ObliqueSettings {
    std::vector<int32_t> columns;  // ascending: those that may have a weight
    int64_t max_columns = 5;       // the most columns with a weight in one split
    double margin = 0.1;
    int64_t max_levels = 10;  // categorical columns of more levels have no indicators
};

struct DistanceSettings {
    std::vector<int32_t> columns;  // ascending
    std::vector<Metric> metrics;
    int64_t prototypes = 4;  // random rows tried in a node, besides the medoids
    double margin = 0.1;
};

}  // namespace silva
