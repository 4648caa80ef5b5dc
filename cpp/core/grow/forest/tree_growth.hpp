// What growing a tree of a forest knows and decides, however its thresholds are found.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/base/random.hpp"
#include "core/columns/shared_columns.hpp"
#include "core/grow/forest/forest_tree.hpp"
#include "core/grow/forest/frame.hpp"
#include "core/leaf/leaf_statistics.hpp"
#include "core/search/candidate.hpp"
#include "core/search/forest/column_draws.hpp"
#include "core/search/forest/cut.hpp"
#include "core/search/forest/sweep_finder.hpp"
#include "core/tree/tree_writer.hpp"

namespace silva {

template <class Finder>
class TreeGrowth {
  public:
    using Rows = typename Finder::Rows;

    TreeGrowth(const BagRows& bag, const SharedColumns& columns, const Settings& settings,
               FrameSpace<Rows>& space, Finder& finder, ColumnDraws& draws, TreeNotes& notes,
               const StopFlag& stop)
        : bag_(bag),
          columns_(columns),
          settings_(settings),
          space_(space),
          finder_(finder),
          draws_(draws),
          stop_(stop),
          writer_(notes) {}

  protected:
    // Which of the first 64 columns are not constant.
    uint64_t not_constant() const {
        uint64_t alive = 0;
        for (size_t c = 0; c < std::min<size_t>(columns_.columns.size(), 64); ++c)
            alive |= static_cast<uint64_t>(!columns_.columns[c].constant) << c;
        return alive;
    }
    static bool is_dead(uint64_t alive, int32_t c) { return c < 64 && (alive >> c & 1) == 0; }
    static void mark_dead(uint64_t& alive, int32_t c) {
        if (c < 64) alive &= ~(uint64_t{1} << c);
    }

    bool must_be_leaf(int64_t rows, int64_t depth) const {
        return depth >= settings_.max_depth || rows < settings_.min_rows_split ||
               rows < 2 * settings_.min_rows_leaf;
    }
    template <class Node>
    bool stays_leaf(const Frame<Rows>& frame, const Node& node) const {
        if (must_be_leaf(node.size(), node.depth)) return true;
        if constexpr (Finder::kKnowsChildren)
            return finder_.pure(node.sums);
        else
            return frame.rows.pure(node.begin, node.end);
    }
    double gain() const {
        const double unit = bag_.target == nullptr ? 1.0 : bag_.target->target_unit;
        return in_target_units(finder_.best().gain, settings_.criterion, unit);
    }
    bool gains_enough() const {
        const double share =
            static_cast<double>(finder_.weight()) / static_cast<double>(bag_.total_weight);
        return gain() >= settings_.min_gain && share * gain() >= settings_.min_impurity_decrease;
    }

    static constexpr uint64_t kColumnDraws = 0x636F6C756D6E73u;

    // Calls `these` with the columns that a node of this seed draws, by ascending number, and then
    // with one more at a time until a split is found. `alive` may lose columns on the way.
    template <class These>
    void search_drawn(uint64_t seed, const uint64_t& alive, These&& these) {
        const int64_t limit = std::max<int64_t>(settings_.max_columns, 1);
        if (limit >= static_cast<int64_t>(draws_.all().size())) {
            these(draws_.all());
            return;
        }
        these(draws_.first(seed, limit, alive));
        while (!finder_.best().exists()) {
            const int32_t column = draws_.next(alive);
            if (column < 0) return;
            these(std::span<const int32_t>(&column, 1));
        }
    }

    // Writes the best cut.
    void write_split(double threshold) {
        const Cut& cut = finder_.best();
        SplitRecord rule;
        rule.column = cut.column;
        rule.threshold = threshold;
        const int64_t weights[] = {cut.left, finder_.weight() - cut.left};
        const bool continuous = bag_.table.columns[cut.column].kind == Kind::continuous;
        resolve_missing(settings_.column(cut.column), continuous, Candidate{}, weights, rule);
        writer_.split(rule, gain());
    }

    // A leaf of the rows that the finder looks at: those with the positions that `for_each_row`
    // calls its argument with.
    template <class ForEachRow>
    void write_leaf(const Rows& rows, const Array<uint32_t>& ids, ForEachRow&& for_each_row) {
        writer_.leaf();
        if constexpr (std::is_same_v<Rows, SweepRows>) {
            if (!rows.classes) return write_moments(rows, ids, for_each_row);
        }
        finder_.write_leaf(writer_);
    }

    const BagRows& bag_;
    const SharedColumns& columns_;
    const Settings& settings_;
    FrameSpace<Rows>& space_;
    Finder& finder_;
    ColumnDraws& draws_;
    const StopFlag& stop_;
    TreeWriter writer_;

  private:
    template <class ForEachRow>
    void write_moments(const Rows& rows, const Array<uint32_t>& ids, ForEachRow&& for_each_row) {
        Wide squares = 0;
        table_rows_.clear();
        for_each_row([&](int64_t i) {
            const int64_t q = rows.q[i];
            squares += Wide(rows.weight[i]) * q * q;
            table_rows_.push_back(bag_.shared.row_of(ids[i]));
        });
        const Target& target = *bag_.target;
        const double value = table_rows_.size() == 1 ? target.original[table_rows_[0]]
                                                     : exact_mean(target, table_rows_);
        writer_.moments(std::ssize(table_rows_), finder_.weight(), finder_.stats().sum, squares,
                        value);
    }

    std::vector<int64_t> table_rows_;
};

}  // namespace silva
