#include "core/grow/grower.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <span>
#include <tuple>
#include <type_traits>

#include "core/base/random.hpp"
#include "core/columns/presort.hpp"
#include "core/grow/loop.hpp"
#include "core/grow/splitter.hpp"
#include "core/leaf/leaf_record.hpp"
#include "core/projections/choose.hpp"
#include "core/projections/prototypes.hpp"
#include "core/search/block_search.hpp"

namespace silva {
namespace {

// ---- one store ---------------------------------------------------------------------------------

// What the layouts of one tree share.
struct Growth {
    SearchContext search;
    GrowthRules rules;
    const BlockSearch* blocks;  // searches the root, if there is one
};

constexpr int64_t kSharedRows = 2048;  // smaller nodes are not worth waking threads for

// The layout of single trees: sorted lists and codes of a store, nodes written into one fragment.
// Nodes of at most `defer_rows` rows (0: none) are deferred: grow() below grows each in a compact
// store, after the rest of the tree.
template <class Id>
class StoreLayout {
  public:
    using Node = StoreNode;

    StoreLayout(const Growth& growth, Store<Id>& store, Team& team, int64_t defer_rows,
                std::vector<SearchScratch>& scratch, Fragment& out)
        : growth_(growth),
          store_(store),
          team_(team),
          defer_rows_(defer_rows),
          scratch_(scratch),
          spare_(team.size()),
          out_(out) {}

    void grow(StoreNode root) {
        for (auto& spare : spare_) spare.resize(root.rows() + 64);
        root.record = new_record();
        grow_nodes(*this, std::move(root), growth_.rules);
    }

    std::vector<StoreNode>& deferred() { return deferred_; }

    void open(const StoreNode&) {}  // statistics were counted when its parent was split
    bool is_pure(const StoreNode& node) const { return node.stats.pure(); }
    // Also renumbers the classes of nodes that have few of them, whoever grows the node.
    bool hand_over(StoreNode& node) {
        if (has_idle_classes(static_cast<int64_t>(node.stats.classes.size()), node.rows()))
            number_own_classes(store_, node);
        if (node.rows() > defer_rows_) return false;
        deferred_.push_back(std::move(node));
        return true;
    }
    bool search(StoreNode& node) {
        find_best(node);
        consider_projections(growth_.search, store_, node);
        return node.best.exists();
    }
    double gain(const StoreNode& node) const { return node.best.gain; }
    int64_t weight(const StoreNode& node) const { return node.stats.weight; }
    int64_t n_children(const StoreNode& node) const {
        const Candidate& best = node.best;
        const bool multiway = best.kind == SplitKind::multiway;
        const auto known = multiway ? static_cast<int64_t>(best.detail->codes.size()) : 2;
        return known + (best.own_branch ? 1 : 0);
    }
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
        if constexpr (std::is_same_v<Id, uint32_t>)
            if (growth_.blocks != nullptr && node.depth == 0)
                return growth_.blocks->search(growth_.search, store_, node, team_for(node),
                                              scratch_);
        silva::search(growth_.search, store_, node, team_for(node), scratch_);
    }

    std::pair<StoreNode, StoreNode> split_two(StoreNode& node) {
        SplitRecord rule = mark_sides(growth_.search, store_, node);
        StoreNode left, right;
        std::tie(left.stats, right.stats) = child_stats(store_, node);
        resolve_missing(node, {{left.stats.weight, right.stats.weight}}, rule);
        const int64_t middle = node.begin + left.stats.rows;
        place(node, left, 0, node.begin, middle);
        place(node, right, 1, middle, node.end);
        partition(growth_.search, store_, node, left.stats.rows,
                  {has_future(left), has_future(right)}, team_for(node), spare_);
        if (has_future(left) || has_future(right)) split_entries(node, left, right);
        write(node, std::move(rule), left.record, 2);
        return {std::move(left), std::move(right)};
    }

    std::vector<StoreNode> split_many(StoreNode& node) {
        SplitRecord rule = mark_sides(growth_.search, store_, node);
        if (rule.kind != SplitKind::multiway) mark_children(store_, node);
        const int64_t n = n_children(node);
        const std::vector<int64_t> starts = child_starts(store_, node, n);
        partition_rows(store_, node, starts, spare_[0]);
        std::vector<StoreNode> children(static_cast<size_t>(n));
        std::vector<int64_t> weights;
        for (int64_t c = 0; c < n; ++c) {
            place(node, children[c], static_cast<uint64_t>(c), starts[c], starts[c + 1]);
            count(node, children[c]);
            weights.push_back(children[c].stats.weight);
        }
        if (std::any_of(children.begin(), children.end(),
                        [&](const StoreNode& child) { return has_future(child); })) {
            partition_lists(growth_.search, store_, node, starts, team_for(node), spare_);
            split_entries(node, children);
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
    void split_entries(const StoreNode& node, StoreNode& left, StoreNode& right) {
        if (!moves_entries()) return;
        left.entry_end = right.entry_begin =
            node.entry_begin +
            partition_entries(entries_of(node), store_.side.data(), spare_entries_);
    }
    void split_entries(const StoreNode& node, std::vector<StoreNode>& children) {
        if (!moves_entries()) return;
        std::vector<int64_t> starts(children.size() + 1);
        partition_entries(
            entries_of(node), [&](uint32_t id) { return store_.child[id]; }, starts,
            spare_entries_);
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
    int64_t defer_rows_;
    std::vector<SearchScratch>& scratch_;
    std::vector<Array<Id>> spare_;
    Array<SparseEntry> spare_entries_;
    std::vector<StoreNode> deferred_;
    Fragment& out_;
};

// ---- the whole tree ----------------------------------------------------------------------------

NodeStats renumbered(const NodeStats& stats, const std::vector<int32_t>& class_of) {
    NodeStats local = stats;
    local.classes.resize(class_of.size());
    for (size_t k = 0; k < class_of.size(); ++k) local.classes[k] = stats.classes[class_of[k]];
    return local;
}

// One worker's compact store and scratch, used again for each of its subtrees.
struct CompactWorker {
    Array<uint16_t> number;
    Store<uint16_t> store;
    std::vector<SearchScratch> scratch{1};
};

void grow_compact(const Growth& growth, const Store<uint32_t>& whole, const StoreNode& node,
                  CompactWorker& worker, Fragment& out) {
    worker.number.resize(whole.n_rows);
    compact(whole, growth.search.forms, *node.alive, node.slice(), worker.number, worker.store);
    StoreNode root = node;
    root.begin = 0;
    root.end = node.rows();
    root.entry_begin = 0;
    root.entry_end = worker.store.sparse.entries.size();
    if (!node.stats.classes.empty()) root.stats = renumbered(node.stats, worker.store.class_of);
    if (node.class_of)
        for (int32_t& k : worker.store.class_of) k = (*node.class_of)[k];
    root.class_of = nullptr;
    Team solo(1);
    StoreLayout<uint16_t>(growth, worker.store, solo, 0, worker.scratch, out).grow(std::move(root));
}

StoreNode root_of(const Prepared& prepared, const Settings& settings) {
    StoreNode root;
    root.end = prepared.store.n_rows;
    root.entry_end = prepared.store.sparse.entries.size();
    const bool searches_all = settings.max_columns >= static_cast<int64_t>(prepared.forms.size());
    root.stats = stats_of(prepared.store, 0, root.end, prepared.store.n_classes);
    std::vector<int32_t> alive;
    for (size_t c = 0; c < prepared.forms.size(); ++c)
        if (prepared.forms[c].form != Form::constant &&
            !(searches_all && prepared.forms[c].form == Form::sparse))
            alive.push_back(static_cast<int32_t>(c));
    root.alive = std::make_shared<const std::vector<int32_t>>(std::move(alive));
    return root;
}

// Subtrees of this size are handed over to a compact store: everything they touch stays in the
// first-level cache, and there are enough of them to share among threads.
constexpr int64_t kHandOverRows = 4096;
static_assert(kHandOverRows <= kCompactRows);

}  // namespace

TreeArrays grow(const Table& table, const Target& target, const Settings& settings, int threads,
                const StopFlag& stop) {
    Team team(threads);
    Prepared prepared = prepare(table, target, settings, team, stop);
    return grow(prepared, table, target, settings, team, stop);
}

TreeArrays grow(Prepared& prepared, const Table& table, const Target& target,
                const Settings& settings, Team& team, const StopFlag& stop,
                const BlockSearch* blocks) {
    const double root_weight = static_cast<double>(target.total_weight);
    DistanceSpace distances;
    if (settings.distance) distances = distance_space(table, target, *settings.distance, stop);
    const Growth growth{{table, target, prepared.forms, prepared.block_columns, settings,
                         settings.min_weight_fraction_leaf * root_weight, stop, &distances},
                        {settings, root_weight, target.target_unit, stop},
                        blocks};

    std::deque<Fragment> fragments(1);
    const int64_t defer_rows = growth.rules.best_first() ? 0 : kHandOverRows;
    std::vector<SearchScratch> scratch(static_cast<size_t>(team.size()));
    StoreLayout<uint32_t> top(growth, prepared.store, team, defer_rows, scratch, fragments[0]);
    top.grow(root_of(prepared, settings));

    std::vector<StoreNode>& subtrees = top.deferred();
    std::sort(subtrees.begin(), subtrees.end(),
              [](const StoreNode& a, const StoreNode& b) { return a.rows() > b.rows(); });
    share_out_entries(subtrees, prepared.store);
    std::vector<CompactWorker> workers(team.size());
    for (StoreNode& node : subtrees) {
        fragments[0].nodes[node.record].continued = static_cast<int64_t>(fragments.size());
        fragments.emplace_back();
    }
    team.for_each(static_cast<int64_t>(subtrees.size()), [&](int64_t i, int worker) {
        grow_compact(growth, prepared.store, subtrees[i], workers[worker], fragments[i + 1]);
    });
    return finish(fragments, target.n_classes > 0);
}

}  // namespace silva
