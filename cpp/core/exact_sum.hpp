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
    double value() const;

private:
    std::vector<double> partials_;
};

}  // namespace silva
