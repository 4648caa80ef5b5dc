// Numbers that are short in print.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "core/search/candidate.hpp"

namespace silva {

// The float64 nearest to x rounded to `digits` significant decimal digits.
inline double rounded(double x, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*e", digits - 1, x);
    return std::strtod(text, nullptr);
}

// The shortest number near the middle of two neighbouring values: low < t <= high always holds.
inline double short_threshold(double low, double high) {
    constexpr int max_digits = 17;
    const double middle = threshold_between(low, high);
    for (int digits = 1; digits < max_digits; ++digits) {
        const double t = rounded(middle, digits);
        if (low < t && t <= high) return t;
    }
    return middle;
}

}  // namespace silva
