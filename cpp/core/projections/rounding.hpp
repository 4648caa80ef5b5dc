// Numbers that are short in print.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace silva {

// The float64 nearest to x rounded to `digits` significant decimal digits.
inline double rounded(double x, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*e", digits - 1, x);
    return std::strtod(text, nullptr);
}

}  // namespace silva
