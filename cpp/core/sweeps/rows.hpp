// Sweeps: rows move one by one (or group by group) from the right child to the left one.
//
// A sweep keeps the exact statistics of the rows gathered so far. `promising` is a cheap necessary
// condition for beating the best gain known (it may say yes too often, never no wrongly), and
// `gain` is the documented expression of criterion.hpp, computed only for promising positions.
// All sweeps share this interface, so the searches in search.cpp are written once.
#pragma once

#include <cmath>
#include <span>

#include "core/criterion.hpp"
#include "core/promising.hpp"
#include "core/stats.hpp"

namespace silva {

constexpr int64_t kBoundedRows = 7;    // up to here the best of all splits is worth knowing first
constexpr double kSlack = 1.0 - 1e-9;  // promising() forgives relative errors up to here

// Target values of the rows of a store, by id.
template <class Label>
struct ClassRows {
    const Label* label;
    const int64_t* weight;  // nullptr: all one
};
struct ValueRows {
    const int64_t* q;
    const int64_t* weight;
};

struct SweepBuffers {
    std::vector<int64_t> left_counts;
    std::vector<int32_t> present;
};

}  // namespace silva
