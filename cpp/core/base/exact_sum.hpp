// Sums of float64 without rounding error: the result does not depend on the order of the terms.
#pragma once

#include <vector>

namespace silva {

// Keeps non-overlapping partial sums (Shewchuk 1997); `value` rounds once.
class ExactSum {
  public:
    void add(double x);
    // Adds the exact product a * b.
    void add_product(double a, double b);
    // Adds the exact product of a whole sum and b.
    void add_product(const ExactSum& sum, double b);
    double value() const;

  private:
    std::vector<double> partials_;
};

// sum / weight, rounded once. Both must be far from overflow and underflow.
double exact_quotient(const ExactSum& sum, const ExactSum& weight);

}  // namespace silva
