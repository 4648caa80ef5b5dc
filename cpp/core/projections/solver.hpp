// Linear models of a standardised sample, for any choice among its terms.
#pragma once

#include <vector>

#include "core/projections/design.hpp"
#include "core/projections/surrogate.hpp"

namespace silva {

// All models have a ridge penalty on the standardised weights. No weights are given where a system
// cannot be solved in finite numbers. `terms` of all calls are among those of the constructor.
class LinearSolver {
  public:
    LinearSolver(const Design& design, const Surrogate& surrogate, const std::vector<int>& terms);

    std::vector<double> ridge(size_t target, const std::vector<int>& terms) const;
    // The direction of largest spread between the classes in units of the spread within them.
    std::vector<double> discriminant(const std::vector<int>& terms) const;
    // A few Newton steps of logistic regression of the first target. Two classes.
    std::vector<double> logistic(const std::vector<int>& terms) const;

  private:
    std::vector<double> gram(const std::vector<int>& terms) const;

    const Design& design_;
    const Surrogate& surrogate_;
    double penalty_;
    size_t n_;
    std::vector<int> place_;                       // term -> place among the terms of the solver
    std::vector<double> gram_;                     // mean of u u', n * n
    std::vector<std::vector<double>> covariance_;  // by target: mean of u * target
    std::vector<double> share_;  // by target: share of the weight that is above its mean
};

}  // namespace silva
