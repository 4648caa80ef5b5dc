#include "core/weighted_grower.hpp"

#include <algorithm>
#include <utility>

#include "core/grower.hpp"

namespace silva {

WeightedGrower::WeightedGrower(ForestData data, Settings settings)
    : data_(std::move(data)), settings_(std::move(settings)), n_rows_(data_.table.n_rows) {
    if (data_.weights != nullptr)
        n_rows_ -= std::count(data_.weights, data_.weights + data_.table.n_rows, 0.0);
}

Target WeightedGrower::target_of(const double* weights) const {
    const int64_t n_rows = data_.table.n_rows;
    if (data_.n_classes > 0) return class_target(data_.labels, weights, n_rows, data_.n_classes);
    const bool centred = settings_.criterion != Criterion::poisson;
    return value_target(data_.values, weights, n_rows, centred);
}

GrownTree WeightedGrower::grow(const double* weights, uint64_t seed, int threads,
                               const StopFlag& stop) {
    const Target target = target_of(weights);
    Settings settings = settings_;
    settings.seed = seed;
    Team team(threads);
    TreeArrays arrays;
    if (target.n_rows != n_rows_) {
        Prepared prepared = prepare(data_.table, target, settings, team, stop);
        arrays = silva::grow(prepared, data_.table, target, settings, team, stop);
    } else {
        renew(target, settings, team, stop);
        arrays = silva::grow(*prepared_, data_.table, target, settings, team, stop);
    }
    return {std::move(arrays), target.weight_unit, target.center, target.target_unit};
}

void WeightedGrower::renew(const Target& target, const Settings& settings, Team& team,
                           const StopFlag& stop) {
    if (!prepared_) {
        prepared_ = prepare(data_.table, target, settings, team, stop);
        if (moves_lists()) lists_.resize(prepared_->store.lists.size());
        for (size_t c = 0; c < lists_.size(); ++c) {
            const Array<uint32_t>& list = prepared_->store.lists[c];
            lists_[c].resize(list.size());
            std::copy_n(list.data(), list.size(), lists_[c].data());
        }
        return;
    }
    copy_target(target, prepared_->store);
    team.for_each(static_cast<int64_t>(lists_.size()), [&](int64_t c, int) {
        std::copy_n(lists_[c].data(), lists_[c].size(), prepared_->store.lists[c].data());
    });
}

}  // namespace silva
