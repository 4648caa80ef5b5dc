// The layout of trees whose thresholds are searched: nodes are slices of a frame.
//
// The same class serves both kinds of frame (frame.hpp): the whole one, which has rows only and
// reads the columns that a node draws at the places of its rows, and a local one with its own
// columns.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "core/grow/forest/child_rows.hpp"
#include "core/grow/forest/forest_growth.hpp"
#include "core/grow/forest/frame.hpp"
#include "core/grow/loop.hpp"

namespace silva {

template <class Sums>
struct FrameNode : ForestNode {
    Sums sums = {};  // of its rows, as the finder has them
    Members members = {};

    Slice slice() const { return {begin, end, members}; }
};

template <class Finder>
class FrameLayout : public ForestLayout<Finder> {
    using Rows = typename Finder::Rows;
    using ForestLayout<Finder>::tree_;

  public:
    using Node = FrameNode<typename Finder::Sums>;

    FrameLayout(ForestGrowth<Finder>& tree, Frame<Rows>& frame)
        : ForestLayout<Finder>(tree), frame_(frame), space_(tree.space), finder_(tree.finder) {}

    // The rows of the frame are in place, all of them.
    void grow() { grow_nodes(*this, root(), tree_.rules); }
    Node root() {
        Node root;
        tree_.set_root(root);
        finder_.open(frame_.rows, root.begin, root.end);
        root.sums = finder_.sums();
        return root;
    }
    void end() {}  // all splits are found

    // The best split of the node that was searched last, and to have it again in this node after it
    // was opened.
    struct Found {
        typename Finder::Found cut;
        Candidate categories;
    };
    Found found() const {
        return {finder_.found(), finder_.best().by_groups ? tree_.categories->best() : Candidate()};
    }
    void restore(const Node& node, const Found& found) {
        finder_.restore(found.cut);
        if (finder_.best().by_groups) tree_.categories->restore(found.categories, node.rows());
    }
    int64_t n_children(const Node&) const {
        return finder_.best().by_groups ? tree_.categories->n_children() : 2;
    }

    void open(const Node& node) { finder_.open(frame_.rows, node.begin, node.end, node.sums); }

    // A node that is small enough is copied into the local frame, and its subtree grows there.
    bool hand_over(const Node& node) {
        if (frame_.has_columns || node.rows() > space_.local_rows()) return false;
        space_.make_local(frame_, node.begin, node.end, tree_.columns);
        Node root = node;
        root.begin = 0;
        root.end = node.rows();
        FrameLayout local(tree_, space_.local);
        grow_nodes(local, root, tree_.rules);
        return true;
    }

    bool search(Node& node) {
        if (tree_.categories != nullptr) tree_.categories->start_node();
        return tree_.search_drawn(node, tree_.hash_of(node), [&](std::span<const int32_t> drawn) {
            search_these(node, drawn);
        });
    }

    template <class Add>
    void split(const Node& node, Add&& add) {
        const bool by_groups = finder_.best().by_groups;
        if (by_groups && tree_.categories->makes_many()) return split_many(node, add);
        if (by_groups)
            split_categories(node);
        else
            tree_.write_split(mark(node, finder_.best()));
        const int64_t middle = node.begin + count_marked(space_.bits(), node.rows());
        Node left, right;
        left.descend(node, 0, node.begin, middle);
        right.descend(node, 1, middle, node.end);
        left.alive = right.alive = node.alive;
        finder_.children(left.sums, right.sums);
        move(node, left, right);
        add(std::move(right));
        add(std::move(left));
    }

    void close(const Node& node) { this->write_slice(frame_.rows, frame_.ids, node); }

  private:
    // ---- search --------------------------------------------------------------------------------

    // Columns in ascending order, so that the bits of a block can be searched together.
    void search_these(Node& node, std::span<const int32_t> drawn) {
        int block = -1;
        uint64_t wanted = 0;
        with_branch_.clear();
        for (const int32_t c : drawn) {
            if (!tree_.may_vary(node, c)) continue;
            const SharedColumn& column = tree_.columns.columns[c];
            if (column.is_categories()) continue;
            if (column.block >= 0) {
                if (column.block != block) search_bits(node, block, wanted);
                if (column.block != block) wanted = 0;
                block = column.block;
                wanted |= uint64_t{1} << column.bit;
                continue;
            }
            const auto search_ranks = [&](const auto* ranks, const MissingValues& missing) {
                if (!branches_off(ranks, node.rows(), missing))
                    return finder_.ranks(c, ranks, missing);
                with_branch_.push_back(c);
                return true;
            };
            if (!with_ranks(node, c, search_ranks)) node.mark_constant(c);
        }
        search_bits(node, block, wanted);
        refine(node);
        if (tree_.categories != nullptr) search_groups(node, drawn);
    }
    // After all others: most of their candidates are worse than the best threshold.
    void search_groups(Node& node, std::span<const int32_t> drawn) {
        for (const int32_t c : drawn)
            if (is_categories(c) && tree_.may_vary(node, c) && !try_categories(node, c))
                node.mark_constant(c);
        for (const int32_t c : with_branch_)
            with_ranks(node, c, [&](const auto* ranks, const MissingValues& missing) {
                open_categories(node).search_own_branch(c, ranks, missing, finder_);
                return true;
            });
    }
    bool try_categories(const Node& node, int32_t c) {
        return with_codes(node, c, [&](const uint16_t* codes) {
            return open_categories(node).search(c, codes, finder_);
        });
    }
    CategorySplits& open_categories(const Node& node) {
        CategorySplits& categories = *tree_.categories;
        if (!categories.is_open())
            categories.open(finder_, frame_.rows, node.begin, node.rows(), node.path);
        return categories;
    }
    // Whether missing values become a child of their own: not where all known values are equal.
    template <class Rank>
    static bool branches_off(const Rank* ranks, int64_t n, const MissingValues& missing) {
        if (!missing.own_branch || !missing.exist()) return false;
        const Range<Rank> range = range_of(ranks, n);
        return range.high == missing.rank && std::any_of(ranks, ranks + n, [=](Rank rank) {
                   return rank != range.low && rank != range.high;
               });
    }
    bool is_categories(int32_t c) const { return tree_.columns.columns[c].is_categories(); }
    // Tries the remaining cuts of columns that the finder left pending, if they can be better.
    void refine(const Node& node) {
        for (size_t i = 0; i < finder_.n_pending(); ++i) {
            const int32_t c = finder_.pending(i);
            if (c < 0) continue;
            with_ranks(node, c, [&](const auto* ranks, const MissingValues& missing) {
                return finder_.refine(i, ranks, missing);
            });
        }
        finder_.end_pending();
    }
    void search_bits(Node& node, int block, uint64_t wanted) {
        if (wanted == 0) return;
        const std::vector<int32_t>& columns = tree_.columns.column_of_bit[block];
        uint64_t inverted = 0;
        for (uint64_t rest = wanted; rest != 0; rest &= rest - 1) {
            const int bit = std::countr_zero(rest);
            inverted |= static_cast<uint64_t>(tree_.columns.columns[columns[bit]].inverted) << bit;
        }
        uint64_t constant = finder_.bits(words(node, block), wanted, columns, inverted);
        for (; constant != 0; constant &= constant - 1)
            node.mark_constant(columns[std::countr_zero(constant)]);
    }
    template <class F>
    bool with_ranks(const Node& node, int32_t c, F&& f) {
        return space_.with_ranks(frame_, tree_.columns, c, node.slice(), f);
    }
    // The same for a column of categories, whose codes have 16 bits.
    template <class F>
    bool with_codes(const Node& node, int32_t c, F&& f) {
        return with_ranks(node, c, [&](const auto* codes, const MissingValues&) {
            if constexpr (sizeof(*codes) == 2)
                return f(codes);
            else
                return false;
        });
    }
    const uint64_t* words(const Node& node, int block) {
        return space_.words(frame_, tree_.columns, block, node.slice());
    }

    // ---- split ---------------------------------------------------------------------------------

    void split_categories(const Node& node) {
        CategorySplits& categories = *tree_.categories;
        with_codes(node, finder_.best().column, [&](const uint16_t* codes) {
            SplitRecord rule = categories.mark(codes, space_.bits());
            const auto n_words = static_cast<size_t>((node.rows() + 63) / 64);
            finder_.weigh_left({space_.bits(), n_words});
            tree_.write_rule(categories.best(), rule);
            return true;
        });
    }
    // Marks the rows that go left; returns the threshold.
    double mark(const Node& node, const Cut& cut) {
        const SharedColumn& column = tree_.columns.columns[cut.column];
        uint64_t* bits = space_.bits();
        if (column.block >= 0) {
            mark_bit(words(node, column.block), node.rows(), column.bit, column.inverted, bits);
            return threshold_between(column.levels[0], column.levels[1]);
        }
        double threshold = -std::numeric_limits<double>::infinity();  // "is it missing?"
        with_ranks(node, cut.column, [&](const auto* ranks, const MissingValues& missing) {
            using Rank = std::remove_cvref_t<decltype(*ranks)>;
            mark_below(ranks, node.rows(), static_cast<Rank>(cut.position), bits);
            if (cut.missing_left) space_.mark_missing(ranks, node.rows(), missing.rank);
            if (cut.position > 0) threshold = threshold_of(node, cut, ranks);
            return true;
        });
        return threshold;
    }
    template <class Rank>
    double threshold_of(const Node& node, const Cut& cut, const Rank* ranks) const {
        const int64_t n = node.rows();
        const auto [below, above] = around(ranks, n, static_cast<Rank>(cut.position));
        const SharedColumn& column = tree_.columns.columns[cut.column];
        const auto value_of = [&](Rank rank) {
            const int64_t at = std::find(ranks, ranks + n, rank) - ranks;
            const int64_t row = tree_.bag.shared.row_of(frame_.ids[node.begin + at]);
            return tree_.bag.table.columns[cut.column].value(row);
        };
        if (column.has_levels())
            return threshold_between(column.levels[below], column.levels[above]);
        return threshold_between(value_of(below), value_of(above));
    }

    template <class Add>
    void split_many(const Node& node, Add&& add) {
        const auto n_children = static_cast<size_t>(tree_.categories->n_children());
        typename ForestLayout<Finder>::SplitOfMany split{finder_.best(), tree_.categories->best(),
                                                         mark_children(node)};
        ChildRows<Rows> parts(space_, node.begin, node.rows(), n_children);
        parts.move_rows(frame_);
        std::vector<Node> children(n_children);
        for (size_t c = 0; c < n_children; ++c) {
            children[c].descend(node, c, parts.begin(c), parts.begin(c + 1));
            children[c].alive = node.alive;
        }
        this->write_split(split, children, [&](Node& child) {
            finder_.open(frame_.rows, child.begin, child.end);
            child.sums = finder_.sums();
        });
        if (!std::ranges::all_of(children, [&](const Node& child) { return stays_leaf(child); })) {
            if (frame_.has_columns && node.rows() <= Members::kMost)
                for (size_t c = 0; c < n_children; ++c)
                    children[c].members = node.members.split(node.slice(), parts.bits_of(c)).first;
            else
                parts.move_columns(frame_, node.alive);
        }
        for (size_t c = n_children; c-- > 0;) add(std::move(children[c]));
    }
    // Says which child each row goes to; returns the rule.
    SplitRecord mark_children(const Node& node) {
        std::vector<uint32_t>& child = space_.child(node.rows());
        const Cut cut = finder_.best();
        if (is_categories(cut.column)) {
            SplitRecord rule;
            with_codes(node, cut.column, [&](const uint16_t* codes) {
                rule = tree_.categories->mark_children(codes, child);
                return true;
            });
            return rule;
        }
        SplitRecord rule;
        rule.kind = SplitKind::threshold;
        rule.column = cut.column;
        rule.threshold = mark(node, cut);
        const uint64_t* left = space_.bits();
        with_ranks(node, cut.column, [&](const auto* ranks, const MissingValues& missing) {
            for (int64_t i = 0; i < node.rows(); ++i)
                child[static_cast<size_t>(i)] = (left[i / 64] >> (i % 64) & 1) != 0 ? 0
                                                : ranks[i] == missing.rank          ? 2
                                                                                    : 1;
            return true;
        });
        return rule;
    }

    // Moves what the children need. Leaves whose sums are known need nothing.
    void move(const Node& node, Node& left, Node& right) {
        const int64_t n = node.rows();
        const uint64_t* bits = space_.bits();
        // Rows that other columns are still gathered for stay in the order of the table.
        const RowParts parts(n, bits, space_.spare(), !frame_.has_columns);
        if (!Finder::kKnowsChildren) frame_.split_rows(node.begin, parts);
        const bool left_stays = stays_leaf(left), right_stays = stays_leaf(right);
        if (left_stays && right_stays) return;
        if (Finder::kKnowsChildren) frame_.split_rows(node.begin, parts);
        if (frame_.has_columns && n <= Members::kMost)
            std::tie(left.members, right.members) = node.members.split(node.slice(), bits[0]);
        else
            frame_.split_columns(node.begin, parts, node.alive, !right_stays);
    }
    bool stays_leaf(const Node& node) const {
        if (tree_.rules.must_be_leaf(node)) return true;
        if constexpr (Finder::kKnowsChildren)
            return finder_.pure(node.sums);
        else
            return frame_.rows.pure(node.begin, node.end);
    }

    Frame<Rows>& frame_;
    FrameSpace<Rows>& space_;
    Finder& finder_;
    std::vector<int32_t> with_branch_;  // drawn columns whose missing values become a child
};

}  // namespace silva
