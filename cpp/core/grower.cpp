#include "core/grower.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <tuple>

#include "core/exact_sum.hpp"
#include "core/frontier.hpp"
#include "core/presort.hpp"
#include "core/projections/choose.hpp"
#include "core/projections/prototypes.hpp"
#include "core/random.hpp"
#include "core/splitter.hpp"

namespace silva {
namespace {

// ---- leaves ------------------------------------------------------------------------------------

// The mean of the original targets of some rows, rounded once; never outside their range.
double exact_mean(const Target& target, const std::vector<int64_t>& rows) {
    double lowest = INFINITY, highest = -INFINITY, heaviest = 0.0;
    for (int64_t row : rows) {
        lowest = std::min(lowest, target.original[row]);
        highest = std::max(highest, target.original[row]);
        heaviest = std::max(heaviest, target.original_weight ? target.original_weight[row] : 1.0);
    }
    if (lowest == highest) return lowest;
    // The largest target and weight become about 2^480: neither their products nor their sums
    // overflow, and what is far smaller than they are does not underflow.
    constexpr int top = 480;
    const int scale = std::ilogb(std::max(std::fabs(lowest), std::fabs(highest))) - top;
    const int weight_scale = std::ilogb(heaviest) - top;
    const auto weight_of = [&](int64_t row) {
        return target.original_weight ? std::ldexp(target.original_weight[row], -weight_scale)
                                      : 1.0;
    };
    ExactSum sum, weight;
    for (int64_t row : rows) {
        sum.add_product(weight_of(row), std::ldexp(target.original[row], -scale));
        weight.add(weight_of(row));
    }
    const double mean = exact_quotient(sum, weight);
    return std::clamp(std::ldexp(mean, scale), lowest, highest);
}

template <class Id>
LeafRecord leaf_record(const Store<Id>& store, const Target& target, const OpenNode& node,
                       Fragment& out) {
    LeafRecord leaf;
    leaf.rows = node.stats.rows;
    leaf.weight = node.stats.weight;
    leaf.classes_begin = static_cast<int64_t>(out.class_code.size());
    for (size_t k = 0; k < node.stats.classes.size(); ++k) {
        if (node.stats.classes[k] == 0) continue;
        const auto code = static_cast<int32_t>(k);
        out.class_code.push_back(store.class_of.empty() ? code : store.class_of[k]);
        out.class_weight.push_back(node.stats.classes[k]);
    }
    leaf.classes_end = static_cast<int64_t>(out.class_code.size());
    if (store.n_classes > 0) return leaf;
    leaf.sum = node.stats.sum;
    if (node.rows() == 1) {
        const Id id = store.rows[node.begin];
        leaf.squares = leaf.sum * store.q[id];
        leaf.value = target.original[target.row_of(store.origin_of(id))];
        return leaf;
    }
    std::vector<int64_t> rows;
    rows.reserve(node.rows());
    for (int64_t i = node.begin; i < node.end; ++i) {
        const Id id = store.rows[i];
        const int64_t w = store.weight.empty() ? 1 : store.weight[id];
        leaf.squares += Wide(w) * store.q[id] * store.q[id];
        rows.push_back(target.row_of(store.origin_of(id)));
    }
    leaf.value = exact_mean(target, rows);
    return leaf;
}

// ---- one store ---------------------------------------------------------------------------------

struct Growth {
    SearchContext search;
    Team& team;
    double root_weight;
    Policy policy;
    double gain_unit, gain_unit_again;  // from gains in units of q to gains in units of the target

    double in_target_units(double gain) const {
        return std::min(gain * gain_unit * gain_unit_again, std::numeric_limits<double>::max());
    }
};

// Grows the nodes of one store into one fragment. Nodes of at most `defer_rows` rows are put aside
// for a compact store.
template <class Id>
class StoreGrower {
  public:
    StoreGrower(const Growth& growth, Store<Id>& store, Team& team, int64_t defer_rows)
        : growth_(growth),
          store_(store),
          team_(team),
          defer_rows_(defer_rows),
          scratch_(team.size()),
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
            if (leaves == settings().max_leaves) {
                close(node);
                continue;
            }
            ++leaves;
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

    // Finds the node's best split and adds it to the frontier, or makes it a leaf.
    void open(OpenNode node, Frontier& frontier) {
        if (must_be_leaf(node.stats, node.depth)) return close(node);
        if (node.rows() <= defer_rows_) {
            deferred_.push_back(std::move(node));
            return;
        }
        search(growth_.search, store_, node, node.rows() < kSharedRows ? solo_ : team_, scratch_);
        consider_projections(growth_.search, store_, node);
        if (!node.best.exists() || !gains_enough(node)) return close(node);
        frontier.push(std::move(node));
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
        const uint8_t heavier = left.stats.weight >= right.stats.weight ? 0 : 1;
        rule.unseen_child = heavier;
        rule.missing_child = heavier;
        if (node.best.missing_chosen) rule.missing_child = node.best.missing_left ? 0 : 1;

        const Keep keep{!must_be_leaf(left.stats, node.depth + 1),
                        !must_be_leaf(right.stats, node.depth + 1)};
        partition(growth_.search, store_, node, left.stats.rows, keep,
                  node.rows() < kSharedRows ? solo_ : team_, spare_);
        place(node, left, node.begin, 0);
        place(node, right, node.begin + left.stats.rows, 1);

        NodeRecord& record = out_->nodes[node.record];
        record.split = rule;
        record.gain = growth_.in_target_units(node.best.gain);
        record.first_child = left.record;
        record.n_children = 2;
        return {std::move(left), std::move(right)};
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
        child.record = new_record();
    }

    static constexpr int64_t kSharedRows = 2048;  // smaller nodes are not worth waking threads for

    const Growth& growth_;
    Store<Id>& store_;
    Team& team_;
    Team solo_{1};
    int64_t defer_rows_;
    std::vector<SearchScratch> scratch_;
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

// One worker's compact store and the grower on it, used again for each of its subtrees.
struct CompactWorker {
    Array<uint16_t> number;
    Store<uint16_t> store;
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
    Team solo(1);
    StoreGrower<uint16_t> grower(growth, worker.store, solo, 0);
    grower.grow(std::move(root), out);
}

OpenNode root_of(const Prepared& prepared) {
    OpenNode root;
    root.end = root.list_end = prepared.store.n_rows;
    root.path = 1;
    root.stats = stats_of(prepared.store, 0, root.end);
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
    Prepared prepared = prepare(table, target, team, stop);
    const double root_weight = static_cast<double>(target.total_weight);
    DistanceSpace distances;
    if (settings.distance) distances = distance_space(table, target, *settings.distance, stop);
    const Growth growth{{table, target, prepared.forms, prepared.block_columns, settings,
                         settings.min_weight_fraction_leaf * root_weight, stop, &distances},
                        team,
                        root_weight,
                        settings.max_leaves > 0 ? Policy::best_first : Policy::depth_first,
                        target.n_classes > 0 ? 1.0 : target.target_unit,
                        settings.criterion == Criterion::squared_error ? target.target_unit : 1.0};

    std::deque<Fragment> fragments(1);
    const int64_t defer_rows = growth.policy == Policy::best_first ? 0 : kHandOverRows;
    StoreGrower<uint32_t> top(growth, prepared.store, team, defer_rows);
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
