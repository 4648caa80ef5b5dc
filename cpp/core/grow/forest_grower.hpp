// The trees of a forest: each is exactly the tree that `grow` makes of its rows, counted as often
// as they were drawn.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/pool.hpp"
#include "core/columns/bag.hpp"
#include "core/columns/shared_columns.hpp"
#include "core/columns/table.hpp"
#include "core/columns/target.hpp"
#include "core/grow/forest/forest_tree.hpp"
#include "core/grow/out_of_bag.hpp"
#include "core/search/candidate.hpp"
#include "core/tree/pack_tree.hpp"

namespace silva {

// Borrowed memory.
struct ForestData {
    Table table;
    const int32_t* labels = nullptr;  // classification
    const double* values = nullptr;   // regression
    const double* weights = nullptr;  // nullptr: all one
    int64_t n_classes = 0;            // 0: regression
};

enum class RowDraw : uint8_t { bootstrap, subsample, all };

struct ForestSettings {
    Settings tree;  // all but the seed
    RowDraw draw = RowDraw::bootstrap;
    int64_t n_samples = 0;
    bool oob = false;
    int64_t n_columns = 0;  // that a tree may ask about, drawn by its seed; 0: all
    // Least rows to split and of a leaf, as a share of the rows that a tree grows from; 0: as the
    // settings of the tree say.
    double split_share = 0.0, leaf_share = 0.0;
};

class ForestGrower {
  public:
    ForestGrower(ForestData data, ForestSettings settings);

    // Appends one tree for each seed to `out`, in their order. After an exception `out` has the
    // trees before the first one that was not finished, and the sums are of these.
    void grow(std::span<const uint64_t> seeds, int threads, const StopFlag& stop,
              std::vector<GrownTree>& out);

    // From now on trees of classes are packed (see pack_tree.hpp), with these numbers of arrays.
    void pack_with(ArrayNumbers numbers) { numbers_ = std::move(numbers); }
    // The out-of-bag sums go on from those of trees that were grown elsewhere.
    void start_out_of_bag(OobSums sums) { oob_.start(std::move(sums)); }

    // Trees appended by all calls of `grow`, the present one too.
    int64_t finished() const { return finished_.load(std::memory_order_acquire); }
    const OutOfBag& out_of_bag() const { return oob_; }
    const ForestData& data() const { return data_; }

  private:
    struct Finished {
        GrownTree tree;
        BagRest rest;
    };
    // How often each drawable row counts, by the draws of this seed.
    void count_rows(uint64_t seed, Array<uint32_t>& counts) const;
    Array<double> weights_of(const Array<uint32_t>& counts) const;
    Target target_of(const Array<double>& weights) const;
    // Which columns the tree of this seed may ask about; empty where it may ask about all.
    std::vector<bool> shown_columns(uint64_t seed) const;
    Table shown_table(uint64_t seed) const;
    void prepare(int threads, int workers, const StopFlag& stop);
    const SharedColumns& shown_shared(uint64_t seed, int worker);
    Finished grow_one(uint64_t seed, int threads, int worker, ForestWorkspace& workspace,
                      const StopFlag& stop);
    GrownTree grow_from_bag(uint64_t seed, const Array<uint32_t>& counts, int threads,
                            const StopFlag& stop) const;
    GrownTree grow_from_shared(uint64_t seed, const Array<uint32_t>& counts,
                               const SharedColumns& columns, ForestWorkspace& workspace,
                               const StopFlag& stop) const;
    bool packs() const { return !numbers_.empty() && data_.n_classes > 0; }
    void pack(GrownTree& tree) const;
    BagRest route_rest(const GrownTree& tree, const Array<uint32_t>& counts,
                       const StopFlag& stop) const;

    ForestData data_;
    ForestSettings settings_;
    Target drawable_;  // which rows can be drawn: those of positive weight
    bool is_prepared_ = false, is_shared_ = false;
    // If is_shared_: one for all trees; where trees hide some columns, one a worker.
    std::vector<SharedColumns> columns_;
    Drawable drawable_columns_;        // if not: sorted once, filtered for each tree
    std::vector<bool> constant_;       // columns that no tree can split
    std::vector<double> zero_column_;  // zeros: what hidden columns hold
    ArrayNumbers numbers_;             // of the arrays of packed trees; empty: trees are not packed
    OutOfBag oob_;
    std::atomic<int64_t> finished_{0};
};

}  // namespace silva
