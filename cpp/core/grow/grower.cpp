#include "core/grow/grower.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <mutex>
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
    // Also renumbers the classes of nodes that have few of them, whoever grows the node.
    bool hand_over(StoreNode& node) {
        if (has_idle_classes(static_cast<int64_t>(node.stats.classes.size()), node.rows()))
            number_own_classes(store_, node);
        if constexpr (std::is_same_v<Id, uint32_t>) {
            if (compact_ == nullptr || node.rows() > kCompactSubtree) return false;
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
        Team& team = team_for(node);
        if constexpr (std::is_same_v<Id, uint32_t>)
            if (growth_.blocks != nullptr && node.depth == 0)
                return growth_.blocks->search(growth_.search, store_, node, team, scratch_);
        silva::search(growth_.search, store_, node, team, scratch_);
    }

    std::pair<StoreNode, StoreNode> split_two(StoreNode& node) {
        Team& team = team_for(node);
        SplitRecord rule = mark_sides(growth_.search, store_, node, team);
        StoreNode left, right;
        std::tie(left.stats, right.stats) = child_stats(store_, node, team);
        resolve_missing(node, {{left.stats.weight, right.stats.weight}}, rule);
        const int64_t middle = node.begin + left.stats.rows;
        place(node, left, 0, node.begin, middle);
        place(node, right, 1, middle, node.end);
        partition(growth_.search, store_, node, left.stats.rows,
                  {has_future(left), has_future(right)}, team, spaces_);
        write(node, std::move(rule), left.record, 2);
        return {std::move(left), std::move(right)};
    }

    std::vector<StoreNode> split_many(StoreNode& node) {
        Team& team = team_for(node);
        SplitRecord rule = mark_sides(growth_.search, store_, node, team);
        if (rule.kind != SplitKind::multiway) mark_children(store_, node);
        const int64_t n = n_children(node);
        const std::vector<int64_t> starts = child_starts(store_, node, n);
        partition_rows(store_, node, starts, spaces_[static_cast<size_t>(team.here())]);
        std::vector<StoreNode> children(static_cast<size_t>(n));
        std::vector<int64_t> weights;
        for (int64_t c = 0; c < n; ++c) {
            place(node, children[c], static_cast<uint64_t>(c), starts[c], starts[c + 1]);
            count(node, children[c]);
            weights.push_back(children[c].stats.weight);
        }
        if (std::any_of(children.begin(), children.end(),
                        [&](const StoreNode& child) { return has_future(child); }))
            partition_lists(growth_.search, store_, node, starts, team, spaces_);
        resolve_missing(node, weights, rule);
        write(node, std::move(rule), children[0].record, n);
        return children;
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

// ---- the whole tree ----------------------------------------------------------------------------

NodeStats renumbered(const NodeStats& stats, const std::vector<int32_t>& class_of) {
    NodeStats local = stats;
    local.classes.resize(class_of.size());
    for (size_t k = 0; k < class_of.size(); ++k) local.classes[k] = stats.classes[class_of[k]];
    return local;
}

void grow_compact(const Growth& growth, const Store<uint32_t>& whole, const StoreNode& node,
                  CompactWorker& worker, Fragment& out) {
    worker.number.resize(whole.n_rows);
    compact(whole, growth.search.forms, *node.alive, node.begin, node.end, worker.number,
            worker.store);
    StoreNode root = node;
    root.begin = 0;
    root.end = node.rows();
    if (!node.stats.classes.empty()) root.stats = renumbered(node.stats, worker.store.class_of);
    if (node.class_of)
        for (int32_t& k : worker.store.class_of) k = (*node.class_of)[k];
    root.class_of = nullptr;
    Team solo(1);
    StoreLayout<uint16_t> layout(growth, worker.store, solo, worker.scratch, worker.spaces, nullptr,
                                 out);
    grow_nodes(layout, std::move(root), growth.rules);
}

StoreNode root_of(const Prepared& prepared, Team& team) {
    StoreNode root;
    root.end = prepared.store.n_rows;
    root.stats = stats_of(prepared.store, 0, root.end, prepared.store.n_classes, team);
    std::vector<int32_t> alive;
    for (size_t c = 0; c < prepared.forms.size(); ++c)
        if (prepared.forms[c].form != Form::constant) alive.push_back(static_cast<int32_t>(c));
    root.alive = std::make_shared<const std::vector<int32_t>>(std::move(alive));
    return root;
}

// Grows a tree depth-first by jobs. While there are more rows in a node than a thread should take
// alone, the whole team splits it, beside others of its size; smaller subtrees are grown by one
// thread each. Nodes own separate slices and rows of the store.
class TreeJobs {
  public:
    TreeJobs(const Growth& growth, Prepared& prepared, Team& team)
        : growth_(growth),
          store_(prepared.store),
          team_(team),
          shared_scratch_(static_cast<size_t>(team.size())),
          workers_(static_cast<size_t>(team.size())),
          spaces_(static_cast<size_t>(team.size())),
          large_rows_(team.size() == 1
                          ? store_.n_rows
                          : std::max(kCompactSubtree, store_.n_rows / (kJobs * team.size()))) {
        if (growth.search.settings.many_children()) store_.child.resize(store_.n_rows);
    }

    std::deque<Fragment> grow(StoreNode root) {
        add(std::move(root), new_fragment().second);
        team_.run_jobs();
        return std::move(fragments_);
    }

  private:
    static constexpr int64_t kJobs = 8;  // subtrees a thread, so that all threads end together

    // What a thread that grows a subtree alone needs.
    struct Worker {
        std::vector<SearchScratch> scratch{1};
        MoveSpaces<uint32_t> spaces{1};
        CompactWorker compact;
    };

    // A fragment for one more subtree, and its number.
    std::pair<int64_t, Fragment*> new_fragment() {
        const std::lock_guard lock(mutex_);
        fragments_.emplace_back().nodes.emplace_back();
        return {std::ssize(fragments_) - 1, &fragments_.back()};
    }

    // `out` is the node's fragment, and has its record.
    void add(StoreNode node, Fragment* out) {
        node.record = 0;
        const int64_t rows = node.rows();
        team_.add_job(rows, [this, node = std::move(node), out](int worker) mutable {
            growth_.rules.stop.check();
            if (node.rows() > large_rows_)
                split_together(std::move(node), *out);
            else
                grow_alone(std::move(node), worker, *out);
        });
    }

    void split_together(StoreNode node, Fragment& out) {
        StoreLayout<uint32_t> layout(growth_, store_, team_, shared_scratch_, spaces_, nullptr,
                                     out);
        if (!open_node(layout, node, growth_.rules)) return;
        layout.split(node, [&](StoreNode&& child) {
            const auto [number, fragment] = new_fragment();
            out.nodes[static_cast<size_t>(child.record)].continued = number;
            add(std::move(child), fragment);
        });
    }

    void grow_alone(StoreNode node, int worker, Fragment& out) {
        Team solo(1);
        Worker& own = workers_[static_cast<size_t>(worker)];
        StoreLayout<uint32_t> layout(growth_, store_, solo, own.scratch, own.spaces, &own.compact,
                                     out);
        grow_nodes(layout, std::move(node), growth_.rules);
    }

    const Growth& growth_;
    Store<uint32_t>& store_;
    Team& team_;
    std::vector<SearchScratch> shared_scratch_;  // while the team splits a node
    std::vector<Worker> workers_;
    MoveSpaces<uint32_t> spaces_;
    int64_t large_rows_;
    std::mutex mutex_;
    std::deque<Fragment> fragments_;
};

// Best-first growth opens one node after the other.
std::deque<Fragment> grow_best_first(const Growth& growth, Prepared& prepared, Team& team,
                                     StoreNode root) {
    std::vector<SearchScratch> scratch(static_cast<size_t>(team.size()));
    MoveSpaces<uint32_t> spaces(static_cast<size_t>(team.size()));
    std::deque<Fragment> fragments(1);
    fragments[0].nodes.emplace_back();
    StoreLayout<uint32_t> layout(growth, prepared.store, team, scratch, spaces, nullptr,
                                 fragments[0]);
    grow_nodes(layout, std::move(root), growth.rules);
    return fragments;
}

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
    StoreNode root = root_of(prepared, team);
    const std::deque<Fragment> fragments =
        growth.rules.best_first() ? grow_best_first(growth, prepared, team, std::move(root))
                                  : TreeJobs(growth, prepared, team).grow(std::move(root));
    return finish(fragments, target.n_classes > 0);
}

}  // namespace silva
