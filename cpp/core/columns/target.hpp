// The target and the weights as integers, so that every sum is exact.
#pragma once

#include <cstdint>

#include "core/base/array.hpp"
#include "core/base/pool.hpp"

namespace silva {

// Rows of weight zero are dropped: the rows that remain are numbered 0, 1, ... ("ids").
// Classification holds a label for each id; regression holds q, where
// target = center + q * target_unit to within half a unit.
struct Target {
    int64_t n_rows = 0;
    int64_t n_classes = 0;  // 0: regression
    Array<uint32_t> kept;   // id -> row of the table; empty: the same
    Array<int32_t> label;   // by id
    Array<int64_t> q;       // by id
    Array<int64_t> weight;  // by id, in units of weight_unit; empty: all one
    int64_t total_weight = 0;
    double weight_unit = 1.0;
    double center = 0.0;
    double target_unit = 1.0;
    bool wide = false;                        // sums of q need more than 64 bits
    int64_t mean_q = 0;                       // rounded; 0 where `center` must be 0
    const double* original = nullptr;         // regression targets by row of the table
    const double* original_weight = nullptr;  // by row of the table; nullptr: all one

    int64_t row_of(int64_t id) const { return kept.empty() ? id : kept[id]; }
};

// The same for any team. `centred` is false for Poisson targets, whose sums must keep their zero.
Target class_target(const int32_t* labels, const double* weights, int64_t n_rows, int64_t n_classes,
                    Team& team);
Target value_target(const double* values, const double* weights, int64_t n_rows, bool centred,
                    Team& team);
// By the calling thread alone.
Target class_target(const int32_t* labels, const double* weights, int64_t n_rows,
                    int64_t n_classes);
Target value_target(const double* values, const double* weights, int64_t n_rows, bool centred);

}  // namespace silva
