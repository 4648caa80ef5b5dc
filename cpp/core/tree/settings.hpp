// What the user asks of a tree, already resolved to numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/tree/tree_builder.hpp"

namespace silva {

enum class Criterion : uint8_t { gini, entropy, error, squared_error, poisson };

// Whether targets are centred at their midrange. Poisson needs the distance from zero.
inline bool is_centred(Criterion criterion) {
    switch (criterion) {
        case Criterion::gini:
        case Criterion::entropy:
        case Criterion::error:
        case Criterion::squared_error: return true;
        case Criterion::poisson: return false;
    }
    __builtin_unreachable();
}

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

// What may be asked of a column: a threshold of its order, or one of three questions about its
// codes as categories.
enum class SplitForm : uint8_t { threshold, onevsrest, subset, multiway };

// What becomes of missing values, and of levels that training did not see.
enum class Fallback : uint8_t { learn, majority, own_branch, stop, error };

struct ColumnSettings {
    SplitForm form = SplitForm::threshold;
    Fallback missing = Fallback::learn;
    Fallback unseen = Fallback::majority;
    bool asks_missing = true;  // "is it missing?" may be a question of its own
    bool fair = false;         // sets of levels are charged for their freedom, see finders/fair.hpp

    // Where a node has missing values, levels without evidence go with them, as unseen ones will.
    bool lone_follow_missing() const {
        const bool branches = missing == Fallback::own_branch ||
                              (missing == Fallback::learn && form == SplitForm::multiway);
        if (unseen == Fallback::learn) return branches || missing == Fallback::learn;
        return unseen == Fallback::own_branch && branches;
    }
    // Missing values join the heavier side while the tree grows.
    bool missing_follow_majority() const {
        return missing != Fallback::learn && missing != Fallback::own_branch;
    }
};

// Every training choice, already resolved to numbers.
struct Settings {
    Criterion criterion = Criterion::gini;
    bool random_splitter = false;
    int64_t max_depth = std::numeric_limits<int64_t>::max();
    int64_t min_rows_split = 2;
    int64_t min_rows_leaf = 1;
    double min_weight_fraction_leaf = 0.0;
    int64_t max_leaves = 0;  // 0: no limit, depth-first growth; else best-first
    double min_impurity_decrease = 0.0;
    double min_gain = 0.0;
    int64_t max_columns = 0;  // drawn for each node; 0 draws one, as 1 does
    uint64_t seed = 0;
    bool gain_ratio = false;   // entropy inside a column, gain ratio among the columns
    bool breakpoints = false;  // thresholds only where the target changes
    std::optional<ObliqueSettings> oblique;
    std::optional<DistanceSettings> distance;

    ColumnSettings column(int32_t c) const {
        return columns_.empty() ? ColumnSettings{} : columns_[static_cast<size_t>(c)];
    }
    // Some candidates may have more than two children.
    bool many_children() const { return many_children_; }
    void set_columns(std::vector<ColumnSettings> columns) {
        columns_ = std::move(columns);
        many_children_ = std::any_of(columns_.begin(), columns_.end(), [](const ColumnSettings& c) {
            return c.form == SplitForm::multiway || c.missing == Fallback::own_branch;
        });
    }

  private:
    std::vector<ColumnSettings> columns_;  // empty: thresholds and the usual fallbacks everywhere
    bool many_children_ = false;
};

}  // namespace silva
