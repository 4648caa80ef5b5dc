#include "core/base/exact_sum.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace silva {

void ExactSum::add(double x) {
    size_t kept = 0;
    for (double partial : partials_) {
        if (std::fabs(x) < std::fabs(partial)) std::swap(x, partial);
        const double high = x + partial;
        const double low = partial - (high - x);
        if (low != 0.0) partials_[kept++] = low;
        x = high;
    }
    partials_.resize(kept);
    partials_.push_back(x);
}

void ExactSum::add_product(double a, double b) {
    const double high = a * b;
    const double low = std::fma(a, b, -high);
    add(high);
    if (low != 0.0) add(low);
}

void ExactSum::add_product(const ExactSum& sum, double b) {
    for (double partial : sum.partials_) add_product(partial, b);
}

double ExactSum::value() const {
    if (partials_.empty()) return 0.0;
    size_t i = partials_.size() - 1;
    double high = partials_[i];
    double low = 0.0;
    while (i > 0) {
        const double x = high;
        const double y = partials_[--i];
        high = x + y;
        low = y - (high - x);
        if (low != 0.0) break;
    }
    // Half-way cases: the partials below decide the direction of the rounding.
    const bool same_sign = i > 0 && ((low < 0.0) == (partials_[i - 1] < 0.0));
    if (low != 0.0 && same_sign) {
        const double twice = low * 2.0;
        const double next = high + twice;
        if (twice == next - high) high = next;
    }
    return high;
}

double exact_quotient(const ExactSum& sum, const ExactSum& weight) {
    double quotient = sum.value() / weight.value();
    ExactSum rest = sum;
    rest.add_product(weight, -quotient);
    const double correction = rest.value() / weight.value();
    rest = sum;
    quotient += correction;
    rest.add_product(weight, -quotient);
    if (rest.value() == 0.0) return quotient;
    // Is the exact quotient beyond the midpoint to the next float64 on its side?
    const double side = rest.value() > 0.0 ? 1.0 : -1.0;
    const double next = std::nextafter(quotient, side * INFINITY);
    rest.add_product(weight, -(next - quotient) / 2);
    const double beyond = rest.value() * side;
    if (beyond > 0.0) return next;
    if (beyond < 0.0) return quotient;
    const bool is_even = (std::bit_cast<uint64_t>(quotient) & 1) == 0;
    return is_even ? quotient : next;
}

}  // namespace silva
