// The best split of a node by a threshold, and the limits that all splits of a tree obey.
#pragma once

#include <cstdint>

#include "core/columns/shared_columns.hpp"
#include "core/search/candidate.hpp"

namespace silva {

// Ranks (or bits, or values) below the position go left. For random thresholds the threshold is the
// cut.
struct Cut : Merit {
    bool missing_chosen = false;  // the node has missing values of this column
    bool by_groups = false;       // CategorySplits has the rest of this candidate
    int64_t left = 0;             // weight of the left child
    double threshold = 0.0;

    Cut() = default;
    // A split that CategorySplits found, whose children are weighed when it is carried out.
    explicit Cut(const Merit& merit) : Merit(merit), by_groups(merit.exists()) {}
    Cut(double gain, int64_t left, int64_t lighter, int32_t column, uint32_t rank, double threshold,
        bool missing_left = false, bool missing_chosen = false)
        : Merit{gain, 0.0, lighter, rank, column, missing_left},
          missing_chosen(missing_chosen),
          left(left),
          threshold(threshold) {}
};

// One of the two ways to try the cuts of a column in a node that has missing values of it; by
// default it has none. Position 0 with missing values on the left asks "is it missing?".
struct MissingPass {
    bool exist = false, left = false;
    bool follow_majority = false;
    int64_t weight = 0;  // of the missing rows

    static MissingPass of(const MissingValues& missing, bool left, int64_t weight) {
        return {true, left, missing.follow_majority, weight};
    }
    bool asks_missing() const { return left && !follow_majority; }
    // Missing values that follow the majority are tried on the heavier side only.
    bool allows(int64_t left_weight, int64_t node_weight) const {
        if (!follow_majority) return true;
        return left == is_heavier(left_weight - (left ? weight : 0), node_weight - weight);
    }
    // Whether the left part of the known rows is, or both parts are equal.
    static bool is_heavier(int64_t known_left, int64_t known) { return 2 * known_left >= known; }
};

inline constexpr MissingPass kNoneMissing{};

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
