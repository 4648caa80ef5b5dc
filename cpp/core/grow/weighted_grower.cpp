#include "core/grow/weighted_grower.hpp"

#include <algorithm>
#include <utility>

#include "core/grow/grower.hpp"

namespace silva {
namespace {

// As many lists as both have.
void copy_lists(const std::vector<Array<uint32_t>>& from, std::vector<Array<uint32_t>>& to,
                Team& team) {
    team.for_each(static_cast<int64_t>(std::min(from.size(), to.size())), [&](int64_t c, int) {
        to[c].resize(from[c].size());
        std::copy_n(from[c].data(), from[c].size(), to[c].data());
    });
}

void copy_entries(const Array<SparseEntry>& from, Array<SparseEntry>& to) {
    to.resize(from.size());
    std::copy_n(from.data(), from.size(), to.data());
}

}  // namespace

WeightedGrower::WeightedGrower(ForestData data, Settings settings)
    : data_(std::move(data)), settings_(std::move(settings)), n_rows_(data_.table.n_rows) {
    if (data_.weights != nullptr)
        n_rows_ -= std::count(data_.weights, data_.weights + data_.table.n_rows, 0.0);
}

Target WeightedGrower::target_of(const double* weights, Team& team) const {
    const int64_t n_rows = data_.table.n_rows;
    if (data_.n_classes > 0)
        return class_target(data_.labels, weights, n_rows, data_.n_classes, team);
    return value_target(data_.values, weights, n_rows, is_centred(settings_.criterion), team);
}

GrownTree WeightedGrower::grow(const double* weights, uint64_t seed, int threads,
                               const StopFlag& stop) {
    Team team(threads);
    const Target target = target_of(weights, team);
    Settings settings = settings_;
    settings.seed = seed;
    TreeArrays arrays;
    if (target.n_rows != n_rows_) {
        Prepared prepared = prepare(data_.table, target, settings, team, stop);
        arrays = silva::grow(prepared, data_.table, target, settings, team, stop);
    } else {
        renew(target, settings, team, stop);
        const bool searches_blocks = blocks_ && !target.weight.empty();
        arrays = silva::grow(*prepared_, data_.table, target, settings, team, stop,
                             searches_blocks ? &*blocks_ : nullptr);
    }
    return {std::move(arrays), target.weight_unit, target.center, target.target_unit};
}

void WeightedGrower::renew(const Target& target, const Settings& settings, Team& team,
                           const StopFlag& stop) {
    if (!prepared_) {
        Prepared fresh = prepare(data_.table, target, settings, team, stop);
        if (moves_lists()) lists_.resize(fresh.store.lists.size());
        copy_lists(fresh.store.lists, lists_, team);
        if (moves_lists()) copy_entries(fresh.store.sparse.entries, entries_);
        if (BlockSearch::fits(fresh, settings)) blocks_.emplace(fresh, team, stop);
        prepared_ = std::move(fresh);
        return;
    }
    copy_target(target, prepared_->store, team);
    copy_lists(lists_, prepared_->store.lists, team);
    if (moves_lists()) copy_entries(entries_, prepared_->store.sparse.entries);
}

}  // namespace silva
