// One tree of a forest from shared columns: the tree that `grow` makes of the same rows.
//
// Large nodes read the columns that they draw at the places of their rows. A smaller node moves to
// memory of its own, where its rows lie side by side: frame_layout.hpp where thresholds are
// searched, extra_layout.hpp where they are drawn.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "core/base/array.hpp"
#include "core/base/pool.hpp"
#include "core/columns/shared_columns.hpp"
#include "core/columns/table.hpp"
#include "core/columns/target.hpp"
#include "core/search/candidate.hpp"
#include "core/tree/tree_builder.hpp"

namespace silva {

// Whether trees with these settings can be grown from shared columns, and are best grown so. The
// columns must suit too, see share_columns. `weighted`: rows have weights beside their counts.
bool suits_forest_tree(const Table& table, const Settings& settings, int64_t n_classes,
                       bool weighted);

// Memory that one worker uses for one tree after the other.
class ForestWorkspace {
  public:
    ForestWorkspace();
    ~ForestWorkspace();
    ForestWorkspace(ForestWorkspace&&) noexcept;

    struct Parts;
    Parts& parts() { return *parts_; }

  private:
    std::unique_ptr<Parts> parts_;
};

// The rows that a tree grows from: ids of the shared columns, ascending, and their weights: how
// often each was drawn, or as listed. The label of an id, or its value, is that of its row.
struct BagRows {
    const Table& table;
    const Target& shared;   // who has which id
    const int32_t* labels;  // by row of the table
    Array<uint32_t> ids;
    const uint32_t* counts;  // by id
    int counts_shift;        // weights are counts without the lowest bits, which are zeros
    Array<int64_t> weights;  // by position in `ids`; empty: by counts
    int64_t total_weight;
    const Target* target = nullptr;  // regression: q and the original values, by position in `ids`

    int64_t heaviest() const {
        if (!weights.empty())
            return *std::max_element(weights.data(), weights.data() + weights.size());
        return *std::max_element(counts, counts + shared.n_rows) >> counts_shift;
    }
    // Calls f with the position, the id and the weight of each row.
    template <class F>
    void for_each(F&& f) const {
        if (weights.empty())
            for (int64_t i = 0; i < ids.size(); ++i)
                f(i, ids[i], int64_t{counts[ids[i]] >> counts_shift});
        else
            for (int64_t i = 0; i < ids.size(); ++i) f(i, ids[i], weights[i]);
    }
    // The same with the label of each row before its weight.
    template <class F>
    void for_each_label(F&& f) const {
        if (shared.kept.empty())
            for_each([&](int64_t i, uint32_t id, int64_t weight) { f(i, labels[id], weight); });
        else
            for_each([&](int64_t i, uint32_t id, int64_t weight) {
                f(i, labels[shared.kept[id]], weight);
            });
    }
};

// Takes the arrays of the bag. Without `shape` the tree has no numbers of children and splits, and
// only splits have gains.
TreeArrays grow_forest_tree(BagRows bag, const SharedColumns& columns, const Settings& settings,
                            ForestWorkspace& workspace, bool shape, const StopFlag& stop);

}  // namespace silva
