#include "core/forest_grower.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "core/grower.hpp"
#include "core/in_order.hpp"
#include "core/predict.hpp"
#include "core/row_draws.hpp"

namespace silva {
namespace {

// The weight of each row that counts as often as it was drawn.
Array<double> weights_from(const Array<uint32_t>& counts, const double* weights) {
    Array<double> drawn(counts.size());
    for (int64_t row = 0; row < counts.size(); ++row)
        drawn[row] = counts[row] * (weights == nullptr ? 1.0 : weights[row]);
    return drawn;
}

int64_t share_of(double share, int64_t n_rows) {
    return std::min(static_cast<int64_t>(std::ceil(share * static_cast<double>(n_rows))),
                    n_rows + 1);
}

// The settings of the tree of one seed, which grows from so many rows.
Settings settings_of(const ForestSettings& forest, uint64_t seed, int64_t n_rows) {
    Settings settings = forest.tree;
    settings.seed = seed;
    if (forest.split_share > 0.0)
        settings.min_rows_split = std::max<int64_t>(2, share_of(forest.split_share, n_rows));
    if (forest.leaf_share > 0.0) settings.min_rows_leaf = share_of(forest.leaf_share, n_rows);
    return settings;
}

}  // namespace

ForestGrower::ForestGrower(ForestData data, ForestSettings settings)
    : data_(std::move(data)), settings_(std::move(settings)) {
    const int64_t n_rows = data_.table.n_rows;
    if (data_.weights != nullptr) {
        for (int64_t row = 0; row < n_rows; ++row)
            if (data_.weights[row] > 0.0) drawable_.push_back(static_cast<uint32_t>(row));
        if (static_cast<int64_t>(drawable_.size()) == n_rows) drawable_ = {};
    }
    if (settings_.oob) oob_ = OutOfBag(n_rows, data_.n_classes);
}

void ForestGrower::count_rows(uint64_t seed, Array<uint32_t>& counts) const {
    const int64_t n_rows = data_.table.n_rows;
    const auto n_drawable = drawable_.empty() ? n_rows : static_cast<int64_t>(drawable_.size());
    if (settings_.draw == RowDraw::all) {
        counts.resize(n_drawable);
        std::fill_n(counts.data(), n_drawable, 1u);
    } else {
        const bool replace = settings_.draw == RowDraw::bootstrap;
        draw_counts(seed, n_drawable, settings_.n_samples, replace, counts);
    }
    if (drawable_.empty()) return;
    Array<uint32_t> by_row(n_rows);
    std::fill_n(by_row.data(), n_rows, 0u);
    for (int64_t i = 0; i < n_drawable; ++i) by_row[drawable_[i]] = counts[i];
    counts = std::move(by_row);
}

void ForestGrower::grow(std::span<const uint64_t> seeds, int threads, const StopFlag& stop,
                        std::vector<GrownTree>& out) {
    const auto n_trees = static_cast<int64_t>(seeds.size());
    finished_ = 0;
    out.reserve(out.size() + seeds.size());
    const int workers = static_cast<int>(std::min<int64_t>(std::max(threads, 1), n_trees));
    const int threads_each = std::max(1, threads / std::max(workers, 1));
    Team team(workers);
    InOrder order(n_trees, 4 * int64_t{team.size()});
    std::vector<Finished> waiting(seeds.size());
    const auto take = [&](int64_t i) {
        if (settings_.oob) oob_.add(waiting[i].tree, waiting[i].rest);
        waiting[i].rest = {};
        out.push_back(std::move(waiting[i].tree));
        finished_.fetch_add(1, std::memory_order_relaxed);
    };
    team.for_each(n_trees, [&](int64_t i, int) {
        try {
            order.wait_for_room(i);
            stop.check();
            waiting[i] = grow_one(seeds[i], threads_each, stop);
            order.ready(i, take);
        } catch (...) {
            order.fail();
            throw;
        }
    });
}

ForestGrower::Finished ForestGrower::grow_one(uint64_t seed, int threads,
                                              const StopFlag& stop) const {
    const int64_t n_rows = data_.table.n_rows;
    Array<uint32_t> counts;
    count_rows(seed, counts);
    Finished finished;
    {
        const Array<double> weights = weights_from(counts, data_.weights);
        const bool centred = settings_.tree.criterion != Criterion::poisson;
        const Target target =
            data_.n_classes > 0
                ? class_target(data_.labels, weights.data(), n_rows, data_.n_classes)
                : value_target(data_.values, weights.data(), n_rows, centred);
        const Settings settings = settings_of(settings_, seed, target.n_rows);
        finished.tree = {silva::grow(data_.table, target, settings, threads, stop),
                         target.weight_unit, target.center, target.target_unit};
    }
    if (settings_.oob) finished.rest = route_rest(finished.tree, counts, stop);
    return finished;
}

BagRest ForestGrower::route_rest(const GrownTree& tree, const Array<uint32_t>& counts,
                                 const StopFlag& stop) const {
    std::vector<Kind> kinds;
    for (const ColumnView& column : data_.table.columns) kinds.push_back(column.kind);
    const Router router(tree.arrays, std::move(kinds));
    Array<int64_t> nodes(counts.size());
    router.leaves(data_.table, nodes.data(), 1, stop);
    const int64_t n_rest = std::count(counts.data(), counts.data() + counts.size(), 0u);
    BagRest rest;
    rest.rows.resize(n_rest);
    rest.nodes.resize(n_rest);
    int64_t i = 0;
    for (int64_t row = 0; row < counts.size(); ++row) {
        if (counts[row] != 0) continue;
        rest.rows[i] = static_cast<uint32_t>(row);
        rest.nodes[i++] = static_cast<int32_t>(nodes[row]);
    }
    return rest;
}

}  // namespace silva
