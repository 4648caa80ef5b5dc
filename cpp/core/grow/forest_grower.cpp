#include "core/grow/forest_grower.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/base/in_order.hpp"
#include "core/base/random.hpp"
#include "core/columns/picked_rows.hpp"
#include "core/columns/row_draws.hpp"
#include "core/grow/grower.hpp"
#include "core/predict/predict.hpp"

namespace silva {
namespace {

constexpr uint64_t kColumns = 0x636F6C756D6E;  // draws of columns, apart from those of rows

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
    const double* weights = data_.weights;
    const int64_t zeros = weights == nullptr ? 0 : std::count(weights, weights + n_rows, 0.0);
    drawable_.n_rows = n_rows - zeros;
    drawable_.n_classes = data_.n_classes;
    drawable_.kept.resize(zeros > 0 ? drawable_.n_rows : 0);
    for (int64_t row = 0, id = 0; row < n_rows && zeros > 0; ++row)
        if (weights[row] != 0.0) drawable_.kept[id++] = static_cast<uint32_t>(row);
    if (settings_.oob) oob_ = OutOfBag(n_rows, data_.n_classes);
}

void ForestGrower::count_rows(uint64_t seed, Array<uint32_t>& counts) const {
    if (settings_.draw == RowDraw::all) {
        counts.resize(drawable_.n_rows);
        std::fill_n(counts.data(), counts.size(), 1u);
        return;
    }
    const bool replace = settings_.draw == RowDraw::bootstrap;
    draw_counts(seed, drawable_.n_rows, settings_.n_samples, replace, counts);
}

// The weight of each row of the table, counted as often as it was drawn.
Array<double> ForestGrower::weights_of(const Array<uint32_t>& counts) const {
    Array<double> weights(data_.table.n_rows);
    std::fill_n(weights.data(), weights.size(), 0.0);
    for (int64_t id = 0; id < counts.size(); ++id) {
        const int64_t row = drawable_.row_of(id);
        weights[row] = counts[id] * (data_.weights == nullptr ? 1.0 : data_.weights[row]);
    }
    return weights;
}

Target ForestGrower::target_of(const Array<double>& weights) const {
    const bool centred = is_centred(settings_.tree.criterion);
    return data_.n_classes > 0
               ? class_target(data_.labels, weights.data(), weights.size(), data_.n_classes)
               : value_target(data_.values, weights.data(), weights.size(), centred);
}

std::vector<bool> ForestGrower::shown_columns(uint64_t seed) const {
    std::vector<bool> shown;
    if (settings_.n_columns == 0) return shown;
    Array<uint32_t> drawn;
    const auto n_columns = static_cast<int64_t>(data_.table.columns.size());
    draw_counts(mix(seed, kColumns), n_columns, settings_.n_columns, false, drawn);
    for (int64_t c = 0; c < n_columns; ++c) shown.push_back(drawn[c] > 0);
    return shown;
}

// The table with all other columns constant: no split can ask about them.
Table ForestGrower::shown_table(uint64_t seed) const {
    Table table = data_.table;
    const std::vector<bool> shown = shown_columns(seed);
    for (size_t c = 0; c < shown.size(); ++c) {
        if (shown[c]) continue;
        ColumnView& column = table.columns[c];
        if (column.is_sparse()) {
            column.n_stored = 0;
            continue;
        }
        column.data = reinterpret_cast<const char*>(zero_column_.data());
        column.type = column.kind == Kind::continuous ? Type::f64 : Type::i32;
        column.stride = size_of(column.type);
    }
    return table;
}

// The shared columns of this worker, of which only those stay alive that the tree may ask about.
const SharedColumns& ForestGrower::shown_shared(uint64_t seed, int worker) {
    const std::vector<bool> shown = shown_columns(seed);
    if (shown.empty()) return columns_.front();
    SharedColumns& own = columns_[static_cast<size_t>(worker)];
    for (size_t c = 0; c < shown.size(); ++c) own.columns[c].constant = constant_[c] || !shown[c];
    return own;
}

void ForestGrower::prepare(int threads, int workers, const StopFlag& stop) {
    const bool hides = settings_.n_columns > 0;
    if (!is_prepared_) {
        Settings searched = settings_.tree;
        if (hides)
            searched.max_columns = std::min<int64_t>(searched.max_columns, settings_.n_columns);
        is_shared_ =
            suits_forest_tree(data_.table, searched, data_.n_classes, data_.weights != nullptr);
    }
    while (is_shared_ && columns_.size() < static_cast<size_t>(hides ? workers : 1)) {
        Team team(threads);
        SharedColumns made;
        is_shared_ = share_columns(data_.table, drawable_, settings_.tree, team, stop, made);
        if (is_shared_) columns_.push_back(std::move(made));
    }
    if (is_prepared_) return;
    if (!is_shared_) {
        Team team(threads);
        drawable_columns_ = prepare_drawable(data_.table, drawable_, settings_.tree, team, stop);
    }
    if (is_shared_) {
        constant_.assign(data_.table.columns.size(), false);
        for (size_t c = 0; c < constant_.size(); ++c)
            constant_[c] = columns_.front().columns[c].constant;
    } else if (hides) {
        zero_column_.assign(static_cast<size_t>(data_.table.n_rows), 0.0);
    }
    is_prepared_ = true;
}

void ForestGrower::grow(std::span<const uint64_t> seeds, int threads, const StopFlag& stop,
                        std::vector<GrownTree>& out) {
    const auto n_trees = static_cast<int64_t>(seeds.size());
    if (n_trees == 0) return;
    const auto workers = static_cast<int>(std::min<int64_t>(std::max(threads, 1), n_trees));
    prepare(threads, workers, stop);
    out.reserve(out.size() + seeds.size());
    Team team(workers);
    const int threads_each = std::max(1, threads / team.size());
    InOrder order(n_trees, 4 * int64_t{team.size()});
    std::vector<Finished> waiting(seeds.size());
    std::vector<ForestWorkspace> workspaces(static_cast<size_t>(team.size()));
    const auto take = [&](int64_t i) {
        if (settings_.oob) oob_.add(waiting[i].tree, waiting[i].rest);
        waiting[i].rest = {};
        if (!waiting[i].tree.packed.empty()) waiting[i].tree.arrays = {};
        out.push_back(std::move(waiting[i].tree));
        finished_.fetch_add(1, std::memory_order_release);
    };
    team.for_each(n_trees, [&](int64_t i, int worker) {
        try {
            order.wait_for_room(i);
            stop.check();
            waiting[i] = grow_one(seeds[i], threads_each, worker, workspaces[worker], stop);
            order.ready(i, take);
        } catch (...) {
            order.fail();
            throw;
        }
    });
}

ForestGrower::Finished ForestGrower::grow_one(uint64_t seed, int threads, int worker,
                                              ForestWorkspace& workspace, const StopFlag& stop) {
    Array<uint32_t> counts;
    count_rows(seed, counts);
    Finished finished;
    finished.tree =
        is_shared_ ? grow_from_shared(seed, counts, shown_shared(seed, worker), workspace, stop)
                   : grow_from_bag(seed, counts, threads, stop);
    if (settings_.oob) finished.rest = route_rest(finished.tree, counts, stop);
    if (packs()) pack(finished.tree);
    return finished;
}

// The arrays are needed for the sums of rows out of the bag, else no more.
void ForestGrower::pack(GrownTree& tree) const {
    tree.packed = pack_tree(tree.arrays, tree.weight_unit, numbers_);
    if (!settings_.oob) tree.arrays = {};
}

GrownTree ForestGrower::grow_from_bag(uint64_t seed, const Array<uint32_t>& counts, int threads,
                                      const StopFlag& stop) const {
    const Array<double> weights = weights_of(counts);
    const Target target = target_of(weights);
    const Settings settings = settings_of(settings_, seed, target.n_rows);
    Team team(threads);
    Prepared bag =
        prepare_bag(drawable_columns_, counts, shown_columns(seed), target, settings, team, stop);
    const Table hidden = settings_.n_columns > 0 ? shown_table(seed) : Table();
    const Table& table = settings_.n_columns > 0 ? hidden : data_.table;
    return {silva::grow(bag, table, target, settings, team, stop), target.weight_unit,
            target.center, target.target_unit};
}

GrownTree ForestGrower::grow_from_shared(uint64_t seed, const Array<uint32_t>& counts,
                                         const SharedColumns& columns, ForestWorkspace& workspace,
                                         const StopFlag& stop) const {
    const auto drawn = [](uint32_t count) { return count > 0; };
    Array<uint32_t> ids(std::count_if(counts.data(), counts.data() + counts.size(), drawn));
    uint32_t all_bits = 0;
    for (int64_t id = 0, i = 0; i < ids.size(); ++id) {
        ids[i] = static_cast<uint32_t>(id);
        i += counts[id] > 0 ? 1 : 0;
        all_bits |= counts[id];
    }
    const Settings settings = settings_of(settings_, seed, ids.size());
    const bool shape = settings_.oob || !packs();
    if (data_.weights == nullptr && data_.n_classes > 0) {
        // Weights in units of the largest power of two that divides all counts, as target.cpp has
        // them.
        const int shift = std::countr_zero(all_bits);
        int64_t total = 0;
        for (int64_t id = 0; id < counts.size(); ++id) total += counts[id] >> shift;
        BagRows bag{data_.table,   drawable_, data_.labels, std::move(ids),
                    counts.data(), shift,     {},           total};
        return {grow_forest_tree(std::move(bag), columns, settings, workspace, shape, stop),
                std::ldexp(1.0, shift)};
    }
    const Array<double> row_weights = weights_of(counts);
    Target target = target_of(row_weights);
    Array<int64_t> weights = std::move(target.weight);
    if (weights.empty()) {
        weights.resize(target.n_rows);
        std::fill_n(weights.data(), weights.size(), int64_t{1});
    }
    BagRows bag{data_.table,
                drawable_,
                data_.labels,
                std::move(ids),
                nullptr,
                0,
                std::move(weights),
                target.total_weight,
                data_.n_classes > 0 ? nullptr : &target};
    return {grow_forest_tree(std::move(bag), columns, settings, workspace, shape, stop),
            target.weight_unit, target.center, target.target_unit};
}

BagRest ForestGrower::route_rest(const GrownTree& tree, const Array<uint32_t>& counts,
                                 const StopFlag& stop) const {
    std::vector<Kind> kinds;
    for (const ColumnView& column : data_.table.columns) kinds.push_back(column.kind);
    const Router router(tree.arrays, std::move(kinds));
    const int64_t n_rows = data_.table.n_rows;
    const int64_t in_bag =
        counts.size() - std::count(counts.data(), counts.data() + counts.size(), 0u);
    BagRest rest;
    rest.rows.resize(n_rows - in_bag);
    rest.nodes.resize(n_rows - in_bag);
    for (int64_t row = 0, id = 0, i = 0; row < n_rows; ++row) {
        const bool drawable = id < counts.size() && drawable_.row_of(id) == row;
        if (!drawable || counts[id] == 0) rest.rows[i++] = static_cast<uint32_t>(row);
        id += drawable ? 1 : 0;
    }
    if (data_.table.has_sparse()) {
        std::vector<int64_t> all(static_cast<size_t>(n_rows));
        router.leaves(data_.table, all.data(), 1, stop);
        for (int64_t i = 0; i < rest.rows.size(); ++i)
            rest.nodes[i] = static_cast<int32_t>(all[rest.rows[i]]);
        return rest;
    }
    PickedRows picked(data_.table);
    int64_t nodes[PickedRows::kBlock];
    for (int64_t begin = 0; begin < rest.rows.size(); begin += PickedRows::kBlock) {
        const int64_t n = std::min(PickedRows::kBlock, rest.rows.size() - begin);
        const std::span rows(rest.rows.data() + begin, static_cast<size_t>(n));
        router.leaves(picked.pick(rows), nodes, 1, stop);
        for (int64_t i = 0; i < n; ++i) rest.nodes[begin + i] = static_cast<int32_t>(nodes[i]);
    }
    return rest;
}

}  // namespace silva
