// What the layouts of one tree of a forest share: its rows and columns, the finder that looks at
// the node at hand, and the writer of the tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/columns/shared_columns.hpp"
#include "core/grow/forest/category_splits.hpp"
#include "core/grow/forest/forest_tree.hpp"
#include "core/grow/forest/frame.hpp"
#include "core/grow/marker.hpp"
#include "core/grow/rules.hpp"
#include "core/leaf/leaf_statistics.hpp"
#include "core/search/column_draws.hpp"
#include "core/search/forest/cut.hpp"
#include "core/search/forest/sweep_finder.hpp"
#include "core/search/ratio.hpp"
#include "core/tree/tree_writer.hpp"

namespace silva {

// An open node whose columns are shared with other trees.
struct ForestNode : OpenNode {
    // Which of the first 64 columns are not known to be constant; others are not tracked.
    uint64_t alive = 0;

    bool may_vary(int32_t c) const { return c >= 64 || (alive >> c & 1) != 0; }
    void mark_constant(int32_t c) {
        if (c < 64) alive &= ~(uint64_t{1} << c);
    }
};

// A split as the tree stores it, without its place in the tree.
struct FoundSplit {
    SplitRecord rule;
    double gain;
    int64_t n_children;
};

// Gain ratio: the best split of a column.
struct BestOfColumn : Merit {
    double split_info = 0.0;  // of more than two children
};

template <class Finder>
struct ForestGrowth {
    using Rows = typename Finder::Rows;

    const BagRows& bag;
    const SharedColumns& columns;
    const GrowthRules& rules;
    FrameSpace<Rows>& space;
    Finder& finder;
    ColumnDraws& draws;
    CategorySplits* categories;  // nullptr: no column needs it
    TreeWriter writer;
    // Where splits go instead, if their nodes are not in pre-order.
    std::vector<FoundSplit>* found = nullptr;
    std::vector<int64_t> table_rows = {};  // memory of write_moments
    std::vector<BestOfColumn> of_columns = {};

    void set_root(ForestNode& root) const {
        root.end = space.whole.ids.size();
        for (size_t c = 0; c < std::min<size_t>(columns.columns.size(), 64); ++c)
            root.alive |= static_cast<uint64_t>(!columns.columns[c].constant) << c;
    }
    bool may_vary(const ForestNode& node, int32_t c) const {
        return !columns.columns[c].constant && node.may_vary(c);
    }
    uint64_t hash_of(const ForestNode& node) const {
        return node_hash(node.path, rules.settings.seed);
    }
    // Calls `these` with the columns that the node of this hash draws, then with one more column at
    // a time until a split is found. Returns whether one was.
    template <class These>
    bool search_drawn(const ForestNode& node, uint64_t hash, These&& these) {
        const auto is_found = [&] { return finder.best().exists() && finder.best().is_settled(); };
        const auto these_by_ratio = [&](std::span<const int32_t> drawn) {
            search_by_ratio(drawn, these);
        };
        const int64_t limit = rules.settings.max_columns;
        of_columns.clear();
        if (rules.settings.gain_ratio)
            draws.until_found(hash, limit, node.alive, these_by_ratio, is_found);
        else
            draws.until_found(hash, limit, node.alive, these, is_found);
        return finder.best().exists();
    }

    // Writes the best cut.
    void write_split(double threshold) {
        SplitRecord rule;
        rule.kind = SplitKind::threshold;
        rule.column = finder.best().column;
        rule.threshold = threshold;
        Candidate candidate;
        candidate.missing_left = finder.best().missing_left;
        candidate.missing_chosen = finder.best().missing_chosen;
        write_rule(candidate, rule);
    }
    // Writes the best candidate with this rule, which lacks its missing and unseen children.
    void write_rule(const Candidate& candidate, SplitRecord& rule) {
        const Cut& cut = finder.best();
        const int64_t weights[] = {cut.left, finder.weight() - cut.left};
        write_rule(cut, candidate, weights, rule);
    }
    // The same of any number of children, which have these weights.
    void write_rule(const Merit& best, const Candidate& candidate, std::span<const int64_t> weights,
                    SplitRecord& rule) {
        const bool continuous = bag.table.columns[best.column].kind == Kind::continuous;
        resolve_missing(rules.settings.column(best.column), continuous, candidate, weights, rule);
        const double gain = rules.in_target_units(best.gain);
        if (found != nullptr)
            found->push_back({std::move(rule), gain, std::ssize(weights)});
        else
            writer.split(rule, gain, std::ssize(weights));
    }
    int64_t n_splits() const { return found != nullptr ? std::ssize(*found) : writer.n_splits(); }
    // The threshold of the n-th split, where it was not known before.
    void set_threshold(int64_t split, double threshold) {
        if (found != nullptr)
            (*found)[static_cast<size_t>(split)].rule.threshold = threshold;
        else
            writer.set_threshold(split, threshold);
    }

    // A leaf of the rows that the finder looks at: those with the positions that `for_each_row`
    // calls its argument with.
    template <class ForEachRow>
    void write_leaf(const Rows& rows, const Array<uint32_t>& ids, ForEachRow&& for_each_row) {
        writer.leaf();
        if constexpr (std::is_same_v<Rows, SweepRows>) {
            if (!rows.classes) return write_moments(rows, ids, for_each_row);
        }
        finder.write_leaf(writer);
    }

  private:
    // Each column by itself; then the chosen one again, so that the finder has its split.
    template <class These>
    void search_by_ratio(std::span<const int32_t> drawn, These&& these) {
        for (const int32_t& c : drawn) {
            finder.take(Merit{});
            these(std::span(&c, 1));
            if (!finder.best().exists()) continue;
            of_columns.push_back({finder.best()});
            if (finder.best().by_groups)
                of_columns.back().split_info = categories->best().split_info;
        }
        finder.take(Merit{});
        std::ranges::sort(of_columns, {}, &Merit::column);
        const BestOfColumn* best =
            best_by_ratio(std::span<const BestOfColumn>(of_columns), finder.weight());
        if (best != nullptr) these(std::span(&best->column, 1));
    }

    template <class ForEachRow>
    void write_moments(const Rows& rows, const Array<uint32_t>& ids, ForEachRow&& for_each_row) {
        Wide squares = 0;
        table_rows.clear();
        for_each_row([&](int64_t i) {
            const int64_t q = rows.q[i];
            squares += Wide(rows.weight[i]) * q * q;
            table_rows.push_back(bag.shared.row_of(ids[i]));
        });
        const Target& target = *bag.target;
        const double value = table_rows.size() == 1 ? target.original[table_rows[0]] + 0.0
                                                    : exact_mean(target, table_rows);
        writer.moments(std::ssize(table_rows), finder.weight(), finder.stats().sum, squares, value);
    }
};

// What the layouts of forests have in common: the finder holds the split of the current node only,
// so that by themselves they grow depth-first (best_first_layout.hpp keeps the splits of all).
template <class Finder>
class ForestLayout {
  public:
    double gain(const ForestNode&) const { return tree_.finder.best().gain; }
    int64_t weight(const ForestNode&) const { return tree_.finder.weight(); }
    bool is_pure(const ForestNode&) const { return tree_.finder.pure(); }

    // ---- for growth in another order than that of the written tree
    const GrowthRules& rules() const { return tree_.rules; }
    void write_splits_to(std::vector<FoundSplit>* found) { tree_.found = found; }
    void write(const FoundSplit& split) {
        tree_.writer.split(split.rule, split.gain, split.n_children);
    }

  protected:
    // The best split, which CategorySplits found; its rule lacks its missing and unseen children.
    struct SplitOfMany {
        Merit merit;
        Candidate candidate;
        SplitRecord rule;
    };
    // Writes it. `open` makes the rows of a child known to the finder.
    template <class Node, class Open>
    void write_split(SplitOfMany& split, std::vector<Node>& children, Open&& open) {
        std::vector<int64_t> weights;
        for (Node& child : children) {
            open(child);
            weights.push_back(tree_.finder.weight());
        }
        tree_.write_rule(split.merit, split.candidate, weights, split.rule);
    }

    explicit ForestLayout(ForestGrowth<Finder>& tree) : tree_(tree) {}

    // A leaf of a slice of these rows.
    void write_slice(const typename Finder::Rows& rows, const Array<uint32_t>& ids,
                     const ForestNode& node) {
        tree_.write_leaf(rows, ids, [&](auto&& f) {
            for (int64_t i = node.begin; i < node.end; ++i) f(i);
        });
    }

    ForestGrowth<Finder>& tree_;
};

}  // namespace silva
