// The layout of single trees: rows and columns in a store.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/columns/presort.hpp"
#include "core/grow/loop.hpp"
#include "core/grow/sparse_split.hpp"
#include "core/grow/splitter.hpp"
#include "core/leaf/leaf_record.hpp"
#include "core/projections/choose.hpp"
#include "core/projections/projected.hpp"
#include "core/search/block_search.hpp"

namespace silva {

// What the layouts of one tree share.
struct Growth {
    SearchContext search;
    GrowthRules rules;
    const BlockSearch* blocks;  // searches the root, if there is one
};

constexpr int64_t kSharedRows = 2048;  // smaller nodes are not worth waking threads for

// Subtrees of this size are handed over to a compact store: everything they touch stays in the
// first-level cache.
constexpr int64_t kCompactSubtree = 4096;
static_assert(kCompactSubtree <= kCompactRows);

// One worker's compact store and scratch, used again for each of its subtrees.
struct CompactWorker {
    Array<uint16_t> number;
    Store<uint16_t> store;
    MoveSpaces<uint16_t> spaces{1};
    std::vector<SearchScratch> scratch{1};
};

void grow_compact(const Growth& growth, const Store<uint32_t>& whole, const StoreNode& node,
                  CompactWorker& worker, Fragment& out);

// The layout of single trees: sorted lists and codes of a store, nodes written into one fragment.
// `scratch` and `spaces` have an entry for each worker of the team. Subtrees of few rows are grown
// in the compact store, if there is one.
template <class Id>
class StoreLayout {
  public:
    using Node = StoreNode;

    StoreLayout(const Growth& growth, Store<Id>& store, Team& team,
                std::vector<SearchScratch>& scratch, MoveSpaces<Id>& spaces, CompactWorker* compact,
                Fragment& out)
        : growth_(growth),
          store_(store),
          team_(team),
          scratch_(scratch),
          spaces_(spaces),
          compact_(compact),
          out_(out) {}

    void open(const StoreNode&) {}  // statistics were counted when its parent was split
    bool is_pure(const StoreNode& node) const { return node.stats.pure(); }
    // Also renumbers the classes of nodes that have few of them, whoever grows the node. Entries
    // that stay in place need no compact store: nodes of few rows read few of them.
    bool hand_over(StoreNode& node) {
        if (has_idle_classes(static_cast<int64_t>(node.stats.classes.size()), node.rows()))
            number_own_classes(store_, node);
        if constexpr (std::is_same_v<Id, uint32_t>) {
            if (compact_ == nullptr || node.rows() > kCompactSubtree || store_.sparse.stay())
                return false;
            grow_compact(growth_, store_, node, *compact_, out_);
            return true;
        }
        return false;
    }
    bool search(StoreNode& node) {
        find_best(node);
        consider_projections(growth_.search, store_, node);
        return node.best.exists();
    }
    double gain(const StoreNode& node) const { return node.best.gain; }
    int64_t weight(const StoreNode& node) const { return node.stats.weight; }
    int64_t n_children(const StoreNode& node) const { return silva::n_children(node.best); }
    void close(const StoreNode& node) {
        out_.nodes[node.record].leaf = static_cast<int64_t>(out_.leaves.size());
        out_.leaves.push_back(leaf_record(store_, growth_.search.target, node, out_));
    }
    template <class Add>
    void split(StoreNode& node, Add&& add) {
        if (makes_many(node.best)) {
            std::vector<StoreNode> children = split_many(node);
            for (size_t c = children.size(); c-- > 0;) add_or_close(children[c], add);
        } else {
            auto [left, right] = split_two(node);
            add_or_close(right, add);
            add_or_close(left, add);
        }
    }

  private:
    int64_t new_record() {
        out_.nodes.emplace_back();
        return static_cast<int64_t>(out_.nodes.size()) - 1;
    }

    Team& team_for(const StoreNode& node) { return node.rows() < kSharedRows ? solo_ : team_; }

    void find_best(StoreNode& node) {
        Team& team = team_for(node);
        if constexpr (std::is_same_v<Id, uint32_t>)
            if (growth_.blocks != nullptr && node.depth == 0)
                return growth_.blocks->search(growth_.search, store_, node, team, scratch_);
        silva::search(growth_.search, store_, node, team, scratch_);
    }

    std::pair<StoreNode, StoreNode> split_two(StoreNode& node) {
        Team& team = team_for(node);
        const bool in_place = store_.sparse.stay();
        StoreNode left, right;
        SplitRecord rule = in_place ? separate(node, left.stats, right.stats)
                                    : mark_sides(growth_.search, store_, node, team);
        if (!in_place) std::tie(left.stats, right.stats) = child_stats(store_, node, team);
        resolve_missing(node, {{left.stats.weight, right.stats.weight}}, rule);
        const int64_t middle = node.begin + left.stats.rows;
        place(node, left, 0, node.begin, middle);
        place(node, right, 1, middle, node.end);
        if (!in_place) {
            const bool goes_on = has_future(left) || has_future(right);
            partition(growth_.search, store_, node, goes_on, team, spaces_);
            if (goes_on) split_entries(node, left, right, team);
        }
        write(node, std::move(rule), left.record, 2);
        return {std::move(left), std::move(right)};
    }

    // Where entries stay in place: moves the rows of one child only, and counts these.
    SplitRecord separate(const StoreNode& node, NodeStats& left, NodeStats& right) {
        SplitRecord rule;
        if constexpr (std::is_same_v<Id, uint32_t>) {
            const Candidate& best = node.best;
            const Entries entries = scratch_[static_cast<size_t>(team_.here())].entries.find(
                store_, node.begin, node.end, {&best.column, 1});
            const SparseSplit split =
                sparse_split(growth_.search, store_, node, entries, side_of_missing(best));
            const int64_t middle = node.begin + separate_rows(store_, node, split);
            std::tie(left, right) = separated_stats(store_, node, middle, split.zeros_left);
            rule.kind = SplitKind::threshold;
            rule.column = best.column;
            rule.threshold = split.threshold;
        }
        return rule;
    }

    std::vector<StoreNode> split_many(StoreNode& node) {
        Team& team = team_for(node);
        SplitRecord rule = mark_sides(growth_.search, store_, node, team);
        if (rule.kind != SplitKind::multiway) mark_children(store_, node);
        const int64_t n = n_children(node);
        const std::vector<int64_t> starts = child_starts(store_, node, n);
        partition_rows(store_, node, starts, own_space(team));
        std::vector<StoreNode> children(static_cast<size_t>(n));
        std::vector<int64_t> weights;
        for (int64_t c = 0; c < n; ++c) {
            place(node, children[c], static_cast<uint64_t>(c), starts[c], starts[c + 1]);
            count(node, children[c]);
            weights.push_back(children[c].stats.weight);
        }
        if (std::any_of(children.begin(), children.end(),
                        [&](const StoreNode& child) { return has_future(child); })) {
            partition_lists(growth_.search, store_, node, starts, team, spaces_);
            split_entries(node, children, team);
        }
        resolve_missing(node, weights, rule);
        write(node, std::move(rule), children[0].record, n);
        return children;
    }

    bool moves_entries() const { return !store_.sparse.entries.empty() && !store_.sparse.stay(); }
    std::span<SparseEntry> entries_of(const StoreNode& node) {
        return {store_.sparse.entries.data() + node.entry_begin,
                store_.sparse.entries.data() + node.entry_end};
    }
    MoveSpace<Id>& own_space(Team& team) { return spaces_[static_cast<size_t>(team.here())]; }
    void split_entries(const StoreNode& node, StoreNode& left, StoreNode& right, Team& team) {
        if (!moves_entries()) return;
        left.entry_end = right.entry_begin =
            node.entry_begin + move_entries(store_, node, team, spaces_);
    }
    void split_entries(const StoreNode& node, std::vector<StoreNode>& children, Team& team) {
        if (!moves_entries()) return;
        std::vector<int64_t> starts(children.size() + 1);
        partition_entries(
            entries_of(node), [&](uint32_t id) { return store_.child[id]; }, starts,
            own_space(team).entries);
        for (size_t c = 0; c < children.size(); ++c) {
            children[c].entry_begin = node.entry_begin + starts[c];
            children[c].entry_end = node.entry_begin + starts[c + 1];
        }
    }

    // Closes leaves at once: nodes are numbered records, which can be written in any order (the
    // TreeWriter of forests takes nodes in pre-order only).
    template <class Add>
    void add_or_close(StoreNode& node, Add&& add) {
        if (has_future(node))
            add(std::move(node));
        else
            close(node);
    }
    // Whether the node may be split. If not, its lists are not needed.
    bool has_future(const StoreNode& node) const {
        return !growth_.rules.must_be_leaf(node) && !node.stats.pure();
    }

    // The statistics of one of many children, which may have few of their parent's classes.
    void count(const StoreNode& parent, StoreNode& child) {
        const auto n_classes = static_cast<int64_t>(parent.stats.classes.size());
        if (has_idle_classes(n_classes, child.rows()))
            number_own_classes(store_, child);
        else
            child.stats = stats_of(store_, child.begin, child.end, n_classes);
    }

    void resolve_missing(const StoreNode& node, std::span<const int64_t> weights,
                         SplitRecord& rule) const {
        const bool single = rule.kind != SplitKind::oblique && rule.kind != SplitKind::distance;
        const bool continuous =
            growth_.search.forms[node.best.column].kind == Kind::continuous || !single;
        silva::resolve_missing(asked_of(growth_.search.settings, node.best), continuous, node.best,
                               weights, rule);
    }

    void write(const StoreNode& node, SplitRecord rule, int64_t first_child, int64_t n) {
        NodeRecord& record = out_.nodes[node.record];
        record.split = std::move(rule);
        record.gain = growth_.rules.in_target_units(node.best.gain);
        record.first_child = first_child;
        record.n_children = n;
    }

    void place(const StoreNode& parent, StoreNode& child, uint64_t which, int64_t begin,
               int64_t end) {
        child.descend(parent, which, begin, end);
        child.alive = parent.alive;
        child.entry_begin = parent.entry_begin;
        child.entry_end = parent.entry_end;
        child.class_of = parent.class_of;
        child.record = new_record();
    }

    const Growth& growth_;
    Store<Id>& store_;
    Team& team_;
    Team solo_{1};
    std::vector<SearchScratch>& scratch_;
    MoveSpaces<Id>& spaces_;
    CompactWorker* compact_;
    Fragment& out_;
};

}  // namespace silva
