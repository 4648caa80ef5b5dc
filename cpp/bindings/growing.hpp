// What growing one tree and growing many have in common: the arguments of the core's entries.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bindings/bindings.hpp"
#include "core/columns/target.hpp"
#include "core/grow/forest_grower.hpp"
#include "core/search/candidate.hpp"

// The arrays of a training call, checked to fit together; they keep the caller's memory alive.
class TrainingArrays {
  public:
    TrainingArrays(TableColumns columns, const nb::object& target,
                   std::optional<Vector<double>> weights, int64_t n_classes);

    silva::Table table(const std::vector<int>& kinds, const std::vector<int64_t>& n_levels) const;
    int64_t n_rows() const { return n_rows_; }
    const int32_t* labels() const { return n_classes_ > 0 ? labels_.data() : nullptr; }
    const double* values() const { return n_classes_ > 0 ? nullptr : values_.data(); }
    const double* weights() const { return weights_ ? weights_->data() : nullptr; }
    // `centred`: numbers are stored less their centre.
    silva::Target target(bool centred, silva::Team& team) const;
    // Whether growing takes so long that somebody might want to interrupt it.
    bool is_long() const { return n_rows_ * static_cast<int64_t>(columns_.size()) > 50'000; }

  private:
    TableColumns columns_;
    Vector<int32_t> labels_;
    Vector<double> values_;
    std::optional<Vector<double>> weights_;
    int64_t n_classes_, n_rows_ = 0;
};

// Every choice but the seed, by the names of silva.grow.Plan.resolved. An unknown name, or one that
// is not there, is a TypeError.
silva::Settings tree_settings(const nb::kwargs& choices, size_t n_columns);

// The arrays of a tree's leaves by name, with the units of their numbers; n_classes is 0 for
// regression.
void put_leaf_statistics(nb::dict& out, silva::GrownTree&& tree, int64_t n_classes);

// All arrays of a tree by name, with its numbers.
nb::dict to_dict(silva::GrownTree&& tree, int64_t n_classes);
