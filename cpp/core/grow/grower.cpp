#include "core/grow/grower.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "core/grow/store_layout.hpp"
#include "core/projections/prototypes.hpp"

namespace silva {
namespace {

NodeStats renumbered(const NodeStats& stats, const std::vector<int32_t>& class_of) {
    NodeStats local = stats;
    local.classes.resize(class_of.size());
    for (size_t k = 0; k < class_of.size(); ++k) local.classes[k] = stats.classes[class_of[k]];
    return local;
}

}  // namespace

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
    StoreLayout<uint16_t> layout(growth, worker.store, solo, worker.scratch, worker.spaces, nullptr,
                                 out);
    grow_nodes(layout, std::move(root), growth.rules);
}

namespace {

StoreNode root_of(const Prepared& prepared, const Settings& settings, Team& team) {
    StoreNode root;
    root.end = prepared.store.n_rows;
    root.entry_end = prepared.store.sparse.entries.size();
    root.stats = stats_of(prepared.store, 0, root.end, prepared.store.n_classes, team);
    root.alive = prepared.common ? prepared.common->alive
                                 : std::make_shared<const std::vector<int32_t>>(
                                       columns_alive(prepared.forms(), settings));
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
    return grow(table, target, settings, team, stop);
}

TreeArrays grow(const Table& table, const Target& target, const Settings& settings, Team& team,
                const StopFlag& stop) {
    Prepared prepared = prepare(table, target, settings, team, stop);
    TreeArrays tree = grow(prepared, table, target, settings, team, stop);
    // To give much memory back takes the system a while.
    std::vector<Array<uint32_t>>& lists = prepared.store.lists;
    team.for_each(std::ssize(lists), [&](int64_t c, int) { lists[c] = Array<uint32_t>(); });
    return tree;
}

TreeArrays grow(Prepared& prepared, const Table& table, const Target& target,
                const Settings& settings, Team& team, const StopFlag& stop,
                const BlockSearch* blocks) {
    const double root_weight = static_cast<double>(target.total_weight);
    DistanceSpace distances;
    if (settings.distance) distances = distance_space(table, target, *settings.distance, stop);
    const Growth growth{{table, target, prepared.forms(), prepared.block_columns, settings,
                         settings.min_weight_fraction_leaf * root_weight, stop, &distances},
                        {settings, root_weight, target.target_unit, stop},
                        blocks};
    StoreNode root = root_of(prepared, settings, team);
    const std::deque<Fragment> fragments =
        growth.rules.best_first() ? grow_best_first(growth, prepared, team, std::move(root))
                                  : TreeJobs(growth, prepared, team).grow(std::move(root));
    return finish(fragments, target.n_classes > 0);
}

}  // namespace silva
