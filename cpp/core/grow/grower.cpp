#include "core/grow/grower.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <span>
#include <tuple>
#include <type_traits>

#include "core/base/random.hpp"
#include "core/columns/presort.hpp"
#include "core/grow/frontier.hpp"
#include "core/grow/partition_many.hpp"
#include "core/grow/splitter.hpp"
#include "core/leaf/leaf_record.hpp"
#include "core/projections/choose.hpp"
#include "core/projections/prototypes.hpp"
#include "core/search/block_search.hpp"

namespace silva {
namespace {

// ---- one store ---------------------------------------------------------------------------------

struct Growth {
    SearchContext search;
    Team& team;
    double root_weight;
    Policy policy;
    const BlockSearch* blocks;  // searches the root, if there is one

    double in_target_units(double gain) const {
        return silva::in_target_units(gain, search.settings.criterion, search.target.target_unit);
    }
};

// Grows the nodes of one store into one fragment. Nodes of at most `defer_rows` rows are put aside
// for a compact store.
template <class Id>
class StoreGrower {
  public:
    StoreGrower(const Growth& growth, Store<Id>& store, Team& team, int64_t defer_rows,
                std::vector<SearchScratch>& scratch)
        : growth_(growth),
          store_(store),
          team_(team),
          defer_rows_(defer_rows),
          scratch_(scratch),
          spare_(team.size()) {}

    void grow(OpenNode root, Fragment& out) {
        out_ = &out;
        for (auto& spare : spare_) spare.resize(root.rows() + 64);
        Frontier frontier(growth_.policy);
        int64_t leaves = 1;
        root.record = new_record();
        open(std::move(root), frontier);
        while (!frontier.empty()) {
            growth_.search.stop.check();
            OpenNode node = frontier.pop();
            const int64_t more = n_children(node.best) - 1;
            if (settings().max_leaves > 0 && leaves + more > settings().max_leaves) {
                close(node);
                continue;
            }
            leaves += more;
            if (makes_many(node.best)) {
                for (OpenNode& child : split_many(node)) open(std::move(child), frontier);
                continue;
            }
            auto [left, right] = split(node);
            open(std::move(left), frontier);
            open(std::move(right), frontier);
        }
    }

    std::vector<OpenNode>& deferred() { return deferred_; }

  private:
    const Settings& settings() const { return growth_.search.settings; }

    int64_t new_record() {
        out_->nodes.emplace_back();
        return static_cast<int64_t>(out_->nodes.size()) - 1;
    }

    static int64_t n_children(const Candidate& best) {
        const bool multiway = best.kind == SplitKind::multiway;
        const auto known = multiway ? static_cast<int64_t>(best.detail->codes.size()) : 2;
        return known + (best.own_branch ? 1 : 0);
    }

    // Finds the node's best split and adds it to the frontier, or makes it a leaf.
    void open(OpenNode node, Frontier& frontier) {
        if (must_be_leaf(node.stats, node.depth)) return close(node);
        if (has_idle_classes(static_cast<int64_t>(node.stats.classes.size()), node.rows()))
            number_own_classes(store_, node);
        if (node.rows() <= defer_rows_) {
            deferred_.push_back(std::move(node));
            return;
        }
        find_best(node);
        consider_projections(growth_.search, store_, node);
        if (!node.best.exists() || !gains_enough(node)) return close(node);
        frontier.push(std::move(node));
    }

    void find_best(OpenNode& node) {
        Team& team = node.rows() < kSharedRows ? solo_ : team_;
        if constexpr (std::is_same_v<Id, uint32_t>)
            if (growth_.blocks != nullptr && node.depth == 0)
                return growth_.blocks->search(growth_.search, store_, node, team, scratch_);
        search(growth_.search, store_, node, team, scratch_);
    }

    bool must_be_leaf(const NodeStats& stats, int64_t depth) const {
        return depth >= settings().max_depth || stats.rows < settings().min_rows_split ||
               stats.rows < 2 * settings().min_rows_leaf || stats.pure();
    }

    bool gains_enough(const OpenNode& node) const {
        const double gain = growth_.in_target_units(node.best.gain);
        const double share = static_cast<double>(node.stats.weight) / growth_.root_weight;
        return gain >= settings().min_gain && share * gain >= settings().min_impurity_decrease;
    }

    void close(const OpenNode& node) {
        NodeRecord& record = out_->nodes[node.record];
        record.leaf = static_cast<int64_t>(out_->leaves.size());
        out_->leaves.push_back(leaf_record(store_, growth_.search.target, node, *out_));
    }

    std::pair<OpenNode, OpenNode> split(OpenNode& node) {
        SplitRecord rule = mark_sides(growth_.search, store_, node);
        OpenNode left, right;
        std::tie(left.stats, right.stats) = child_stats(store_, node);
        resolve_missing(node, {{left.stats.weight, right.stats.weight}}, rule);

        const Keep keep{!must_be_leaf(left.stats, node.depth + 1),
                        !must_be_leaf(right.stats, node.depth + 1)};
        partition(growth_.search, store_, node, left.stats.rows, keep,
                  node.rows() < kSharedRows ? solo_ : team_, spare_);
        place(node, left, node.begin, 0);
        place(node, right, node.begin + left.stats.rows, 1);

        write(node, std::move(rule), left.record, 2);
        return {std::move(left), std::move(right)};
    }

    // Children that must be leaves are closed at once, the others are returned.
    std::vector<OpenNode> split_many(OpenNode& node) {
        SplitRecord rule = mark_sides(growth_.search, store_, node);
        if (rule.kind != SplitKind::multiway) mark_children(store_, node);
        const int64_t n = n_children(node.best);
        const std::vector<int64_t> starts = child_starts(store_, node, n);
        partition_rows(store_, node, starts, spare_[0]);
        std::vector<OpenNode> open_children;
        std::vector<int64_t> weights;
        const auto first_child = static_cast<int64_t>(out_->nodes.size());
        for (int64_t c = 0; c < n; ++c) {
            OpenNode child;
            child.stats.rows = starts[c + 1] - starts[c];
            place(node, child, starts[c], static_cast<uint64_t>(c));
            count(node, child);
            weights.push_back(child.stats.weight);
            if (must_be_leaf(child.stats, child.depth))
                close(child);
            else
                open_children.push_back(std::move(child));
        }
        if (!open_children.empty())
            partition_lists(growth_.search, store_, node, starts,
                            node.rows() < kSharedRows ? solo_ : team_, spare_);
        resolve_missing(node, weights, rule);
        write(node, std::move(rule), first_child, n);
        return open_children;
    }

    // The statistics of one of many children, which may have few of their parent's classes.
    void count(const OpenNode& parent, OpenNode& child) {
        const auto n_classes = static_cast<int64_t>(parent.stats.classes.size());
        if (has_idle_classes(n_classes, child.rows()))
            number_own_classes(store_, child);
        else
            child.stats = stats_of(store_, child.begin, child.end, n_classes);
    }

    void resolve_missing(const OpenNode& node, std::span<const int64_t> weights,
                         SplitRecord& rule) const {
        const bool single = rule.kind != SplitKind::oblique && rule.kind != SplitKind::distance;
        const bool continuous =
            growth_.search.forms[node.best.column].kind == Kind::continuous || !single;
        silva::resolve_missing(asked_of(settings(), node.best), continuous, node.best, weights,
                               rule);
    }

    void write(const OpenNode& node, SplitRecord rule, int64_t first_child, int64_t n) {
        NodeRecord& record = out_->nodes[node.record];
        record.split = std::move(rule);
        record.gain = growth_.in_target_units(node.best.gain);
        record.first_child = first_child;
        record.n_children = n;
    }

    void place(const OpenNode& parent, OpenNode& child, int64_t begin, uint64_t which) {
        child.begin = begin;
        child.end = begin + child.stats.rows;
        const bool shares_lists = parent.rows() <= kTinyRows;
        child.list_begin = shares_lists ? parent.list_begin : child.begin;
        child.list_end = shares_lists ? parent.list_end : child.end;
        child.depth = parent.depth + 1;
        child.path = mix(parent.path, which + 1);
        child.alive = parent.alive;
        child.class_of = parent.class_of;
        child.record = new_record();
    }

    static constexpr int64_t kSharedRows = 2048;  // smaller nodes are not worth waking threads for

    const Growth& growth_;
    Store<Id>& store_;
    Team& team_;
    Team solo_{1};
    int64_t defer_rows_;
    std::vector<SearchScratch>& scratch_;
    std::vector<Array<Id>> spare_;
    std::vector<OpenNode> deferred_;
    Fragment* out_ = nullptr;
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

void grow_compact(const Growth& growth, const Store<uint32_t>& whole, const OpenNode& node,
                  CompactWorker& worker, Fragment& out) {
    worker.number.resize(whole.n_rows);
    compact(whole, growth.search.forms, *node.alive, node.begin, node.end, worker.number,
            worker.store);
    OpenNode root = node;
    root.begin = root.list_begin = 0;
    root.end = root.list_end = node.rows();
    if (!node.stats.classes.empty()) root.stats = renumbered(node.stats, worker.store.class_of);
    if (node.class_of)
        for (int32_t& k : worker.store.class_of) k = (*node.class_of)[k];
    root.class_of = nullptr;
    Team solo(1);
    StoreGrower<uint16_t> grower(growth, worker.store, solo, 0, worker.scratch);
    grower.grow(std::move(root), out);
}

OpenNode root_of(const Prepared& prepared) {
    OpenNode root;
    root.end = root.list_end = prepared.store.n_rows;
    root.path = 1;
    root.stats = stats_of(prepared.store, 0, root.end, prepared.store.n_classes);
    std::vector<int32_t> alive;
    for (size_t c = 0; c < prepared.forms.size(); ++c)
        if (prepared.forms[c].form != Form::constant) alive.push_back(static_cast<int32_t>(c));
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
                        team,
                        root_weight,
                        settings.max_leaves > 0 ? Policy::best_first : Policy::depth_first,
                        blocks};

    std::deque<Fragment> fragments(1);
    const int64_t defer_rows = growth.policy == Policy::best_first ? 0 : kHandOverRows;
    std::vector<SearchScratch> scratch(static_cast<size_t>(team.size()));
    StoreGrower<uint32_t> top(growth, prepared.store, team, defer_rows, scratch);
    top.grow(root_of(prepared), fragments[0]);

    std::vector<OpenNode>& subtrees = top.deferred();
    std::sort(subtrees.begin(), subtrees.end(),
              [](const OpenNode& a, const OpenNode& b) { return a.rows() > b.rows(); });
    std::vector<CompactWorker> workers(team.size());
    for (OpenNode& node : subtrees) {
        fragments[0].nodes[node.record].continued = static_cast<int64_t>(fragments.size());
        fragments.emplace_back();
    }
    team.for_each(static_cast<int64_t>(subtrees.size()), [&](int64_t i, int worker) {
        grow_compact(growth, prepared.store, subtrees[i], workers[worker], fragments[i + 1]);
    });
    return finish(fragments, target.n_classes > 0);
}

}  // namespace silva
