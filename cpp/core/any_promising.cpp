#include "core/any_promising.hpp"

namespace silva {

#if defined(__x86_64__) && defined(__linux__)
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
bool any_promising(const double* deviation, int n, double first_left, double total, double bound) {
    int64_t hits = 0;
    for (int j = 0; j < n; ++j) {
        const double l = first_left + static_cast<double>(j);
        hits += deviation[j] * deviation[j] >= bound * l * (total - l) ? 1 : 0;
    }
    return hits > 0;
}

}  // namespace silva
