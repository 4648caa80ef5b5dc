// How well a number separates the targets of a sample: what the proposals are improved by.
//
// Classification goes by Gini, regression by squared error, in float64, whatever the criterion of
// the tree: what is proposed is judged again, exactly and on all rows, by that criterion.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/projections/node_rows.hpp"
#include "core/projections/order.hpp"

namespace silva {

struct SampleCut {
    double score = 0.0;  // 0: nothing is separated
    double at = 0.0;
};

class Surrogate {
  public:
    // Each side of a cut has `least` rows of the sample at least.
    Surrogate(const NodeRows& rows, const std::vector<uint32_t>& sample, int64_t least);

    int64_t size() const { return static_cast<int64_t>(weight_.size()); }
    const std::vector<double>& weight() const { return weight_; }
    double total() const { return total_; }
    bool two_classes() const { return two_classes_; }
    // Directions that point at one of these, each centred: the target, or each class against the
    // rest (the heaviest ones, where there are many).
    const std::vector<std::vector<double>>& targets() const { return targets_; }

    // Rows of the sample that belong together: each of those classes, or the targets up to the mean
    // and those above it.
    std::vector<std::vector<uint32_t>> groups() const;

    // The best cut z < t; rows where z is NaN are left out.
    SampleCut best_cut(const double* z);
    // The best value w of the weight of a term, where the rows with rest + w * term < 0 go left.
    SampleCut best_weight(const double* rest, const double* term);

  private:
    static constexpr size_t kMaxClasses = 10;

    void set_classes(const NodeRows& rows, const std::vector<uint32_t>& sample);
    void set_values(const NodeRows& rows, const std::vector<uint32_t>& sample);
    void add_target(std::vector<double> values);

    int64_t least_;
    bool two_classes_ = false;
    double total_ = 0.0;
    std::vector<double> weight_, y_;  // y: centred; empty with more than two classes
    std::vector<int32_t> label_;
    std::vector<std::vector<double>> targets_;
    std::vector<double> counts_;  // weight of each class
    Order order_;
    std::vector<double> switches_;
};

}  // namespace silva
