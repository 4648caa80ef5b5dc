// The layouts of trees whose thresholds are drawn.
//
// Large nodes are slices of the whole frame (SliceLayout). A smaller node is a set of bits over the
// rows of a level, which lie side by side (SetLayout): a split only divides the bits. A node that
// has become a small part of its level is copied to the next level, where its rows lie side by side
// again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/grow/forest/child_rows.hpp"
#include "core/grow/forest/drawn_search.hpp"
#include "core/grow/forest/extra_space.hpp"
#include "core/grow/forest/forest_growth.hpp"
#include "core/grow/forest/nested_rows.hpp"
#include "core/grow/loop.hpp"

namespace silva {

// ---- sets of rows ------------------------------------------------------------------------------

struct SetNode : ForestNode {
    size_t set = 0;  // its number among the sets of the level; only rows() of the slice counts
};

template <class Finder>
class SetLayout : public ForestLayout<Finder> {
    using Rows = typename Finder::Rows;
    using ForestLayout<Finder>::tree_;

  public:
    using Node = SetNode;

    // The rows of level `depth` are in place.
    SetLayout(ForestGrowth<Finder>& tree, DrawnSearch<Finder>& search, ExtraSpace<Rows>& memory,
              size_t depth)
        : ForestLayout<Finder>(tree),
          search_(search),
          memory_(memory),
          depth_(depth),
          level_(memory.level(depth)) {}

    void grow(const ForestNode& root) {
        SetNode node{root};
        node.begin = 0;
        node.end = level_.rows.size();
        level_.start(node.end);
        grow_nodes(*this, node, tree_.rules);
    }

    void open(const Node& node) {
        tree_.finder.open_marked(level_.rows.rows, level_.marks(node.set), node.rows());
    }
    bool hand_over(const Node& node) {
        if (!is_small_part(node.rows())) return false;
        memory_.level(depth_ + 1).rows.start(level_.rows, level_.marks(node.set), node.rows());
        SetLayout(tree_, search_, memory_, depth_ + 1).grow(node);
        return true;
    }
    bool search(Node& node) {
        const auto marks = level_.marks(node.set);
        NestedRows<Rows>& rows = level_.rows;
        if (marks.size() <= kFewWords) return search_.search_few(rows, marks, node);
        return search_.search(node, rows.rows, 0, rows.ids.data(), marks,
                              [&](int32_t c) { return rows.codes(c); });
    }
    int64_t n_children(const Node&) const { return search_.n_children(); }
    template <class Add>
    void split(const Node& node, Add&& add) {
        if (tree_.finder.best().by_groups) return split_many(node, add);
        const auto marks = level_.marks(node.set);
        search_.write_best(level_.rows.ids.data(), marks,
                           level_.rows.codes(tree_.finder.best().column));
        level_.split(node.set, search_.left());
        Node left = node, right = node;
        left.descend(node, 0, 0, search_.n_left());
        right.descend(node, 1, 0, node.rows() - search_.n_left());
        left.set = node.set + 1;  // sets are a stack: those above are free when right is popped
        add(std::move(right));
        add(std::move(left));
    }
    void close(const Node& node) {
        tree_.write_leaf(level_.rows.rows, level_.rows.ids,
                         [&](auto&& f) { for_each_row(level_.marks(node.set), f); });
    }

  private:
    // A node that is searched has at least this part of the rows around it.
    static constexpr int64_t kLeastShare = 3;
    static constexpr int64_t kFewRowsOfWide = 8;

    template <class Add>
    void split_many(const Node& node, Add&& add) {
        const auto n_children = static_cast<size_t>(search_.n_children());
        typename ForestLayout<Finder>::SplitOfMany split{
            tree_.finder.best(), tree_.categories->best(),
            search_.mark_children(level_.rows.ids.data(), level_.marks(node.set),
                                  level_.rows.codes(tree_.finder.best().column))};
        level_.split(node.set, n_children, search_.listed(), search_.child_of_listed());
        std::vector<Node> children(n_children, node);
        for (size_t c = 0; c < n_children; ++c) {
            children[c].set = level_.set_of(node.set, n_children, c);
            const auto marks = level_.marks(children[c].set);
            children[c].descend(node, c, 0, count_marked(marks.data(), 64 * std::ssize(marks)));
        }
        this->write_split(split, children, [&](const Node& child) { open(child); });
        for (size_t c = n_children; c-- > 0;) add(std::move(children[c]));
    }

    // Sets of few rows are not worth dividing, unless their columns are copied for each node.
    bool is_small_part(int64_t n) const {
        const int64_t n_rows = level_.rows.size();
        if (level_.rows.is_wide()) return n_rows > kFewRowsOfWide && 2 * n < n_rows;
        return n_rows > kFewRows && (n <= kFewRows || n * kLeastShare < n_rows);
    }

    DrawnSearch<Finder>& search_;
    ExtraSpace<Rows>& memory_;
    size_t depth_;
    SetLevel<Rows>& level_;
};

// ---- slices of the whole frame -----------------------------------------------------------------

template <class Finder>
class SliceLayout : public ForestLayout<Finder> {
    using Rows = typename Finder::Rows;
    using ForestLayout<Finder>::tree_;

  public:
    using Node = ForestNode;

    SliceLayout(ForestGrowth<Finder>& tree, ExtraSpace<Rows>& memory)
        : ForestLayout<Finder>(tree),
          search_(tree, memory),
          memory_(memory),
          whole_(tree.space.whole),
          all_(memory.all),
          is_wide_(tree.columns.are_wide_for(tree.rules.settings.max_columns)) {}

    // The rows of the whole frame are in place.
    void grow() {
        grow_nodes(*this, root(), tree_.rules);
        end();
    }
    Node root() const {
        Node root;
        tree_.set_root(root);
        return root;
    }
    // All splits are found.
    void end() { search_.draw_later(); }

    // A split is searched again: to keep the sides of all open nodes would cost more.
    struct Found {};
    Found found() const { return {}; }
    void restore(Node& node, const Found&) { search(node); }

    void open(const Node& node) { tree_.finder.open(whole_.rows, node.begin, node.end); }
    bool hand_over(const Node& node) {
        if (node.rows() > local_rows()) return false;
        memory_.level(0).rows.start(whole_.ids.data(), whole_.rows, node.begin, node.end,
                                    tree_.columns, is_wide_);
        SetLayout<Finder>(tree_, search_, memory_, 0).grow(node);
        return true;
    }
    bool search(Node& node) {
        all_.assign(static_cast<size_t>(node.rows() + 63) / 64, ~uint64_t{0});
        all_.back() >>= (64 - node.rows() % 64) % 64;
        return search_.search(node, whole_.rows, node.begin, whole_.ids.data() + node.begin, all_,
                              [&](int32_t c) { return codes(node, c); });
    }
    int64_t n_children(const Node&) const { return search_.n_children(); }
    template <class Add>
    void split(const Node& node, Add&& add) {
        if (tree_.finder.best().by_groups) return split_many(node, add);
        search_.write_best(whole_.ids.data() + node.begin, all_,
                           codes(node, tree_.finder.best().column));
        const int64_t middle = node.begin + search_.n_left();
        whole_.split_rows(node.begin, {node.rows(), search_.left(), tree_.space.spare(), true});
        Node left = node, right = node;
        left.descend(node, 0, node.begin, middle);
        right.descend(node, 1, middle, node.end);
        add(std::move(right));
        add(std::move(left));
    }
    void close(const Node& node) { this->write_slice(whole_.rows, whole_.ids, node); }

  private:
    // Nodes of at most so many rows move to level 0, whose rows and codes then take little memory:
    // they fit into the near caches, unless the table is wide.
    int64_t local_rows() const {
        const int64_t most_bytes = int64_t{is_wide_ ? 32 : 5} << 20;
        const auto bytes_of_row = 16 + 2 * static_cast<int64_t>(tree_.columns.columns.size());
        return std::max<int64_t>(most_bytes / bytes_of_row, 512);
    }
    template <class Add>
    void split_many(const Node& node, Add&& add) {
        const auto n_children = static_cast<size_t>(search_.n_children());
        typename ForestLayout<Finder>::SplitOfMany split{
            tree_.finder.best(), tree_.categories->best(),
            search_.mark_children(whole_.ids.data() + node.begin, all_,
                                  codes(node, tree_.finder.best().column))};
        std::ranges::copy(search_.child_of_listed(), tree_.space.child(node.rows()).begin());
        ChildRows<Rows> parts(tree_.space, node.begin, node.rows(), n_children);
        parts.move_rows(whole_);
        std::vector<Node> children(n_children, node);
        for (size_t c = 0; c < n_children; ++c)
            children[c].descend(node, c, parts.begin(c), parts.begin(c + 1));
        this->write_split(split, children, [&](const Node& child) { open(child); });
        for (size_t c = n_children; c-- > 0;) add(std::move(children[c]));
    }
    const uint16_t* codes(const Node& node, int32_t c) {
        return tree_.space.codes(tree_.columns.columns[c], node.begin, node.rows());
    }

    DrawnSearch<Finder> search_;
    ExtraSpace<Rows>& memory_;
    Frame<Rows>& whole_;
    std::vector<uint64_t>& all_;
    bool is_wide_;
};

}  // namespace silva
