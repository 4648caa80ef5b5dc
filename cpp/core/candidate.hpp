// A split that could be made, and the total order among such splits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/criterion.hpp"
#include "core/projections/settings.hpp"
#include "core/table.hpp"
#include "core/tree_builder.hpp"

namespace silva {

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

// `position` orders the candidates of one column: the number of known rows (sorted columns) or the
// first code (coded ones) right of a threshold; the code of a one-vs-rest split, -1 for "is it
// missing?"; the running number of a subset. For a multiway split, of which a column has only one,
// it is the child that missing values join.
struct Candidate {
    double gain = -1.0;
    double charge = 0.0;  // the part of the gain that chance would explain, see finders/fair.hpp
    int64_t lighter = 0;  // weight of the lightest child
    int32_t column = -1;
    SplitKind kind = SplitKind::threshold;
    bool missing_left = false;
    bool missing_chosen = false;  // the node has missing values of this column
    bool own_branch = false;      // which are a child of their own, the last one
    int64_t position = 0;
    double threshold = std::numeric_limits<double>::quiet_NaN();
    double split_info = 0.0;                    // entropy of more than two children's weights
    int32_t lone_child = 0;                     // multiway: the child that lone levels join
    std::shared_ptr<const SplitDetail> detail;  // sets of codes, projections

    bool exists() const { return column >= 0; }
    // With which it competes against other columns.
    double score() const { return gain - charge; }
};

// Larger score, larger lighter child, lower column, lower position, missing left.
inline bool better(const Candidate& a, const Candidate& b) {
    if (!a.exists() || !b.exists()) return a.exists();
    if (a.score() != b.score()) return a.score() > b.score();
    if (a.lighter != b.lighter) return a.lighter > b.lighter;
    if (a.column != b.column) return a.column < b.column;
    if (a.position != b.position) return a.position < b.position;
    return a.missing_left && !b.missing_left;
}

// The midpoint of two neighbouring values, guarded so that a < t <= b always holds.
inline double threshold_between(double a, double b) {
    double middle = (a + b) / 2;
    if (!std::isfinite(middle)) middle = a / 2 + b / 2;
    return middle > a && middle <= b ? middle : b;
}

}  // namespace silva
