#include "core/any_promising.hpp"

namespace silva {

#if defined(__x86_64__) && defined(__linux__)
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
bool any_promising(const PositionFilter& filter, const int64_t* sums, int n, int64_t first_left) {
    const PositionFilter f = filter;
    int64_t hits = 0;
    for (int j = 0; j < n; ++j) {
        const double l = static_cast<double>(first_left + j);
        const double deviation = f.scale * static_cast<double>(sums[j]) - f.per_row * l;
        hits += deviation * deviation >= f.bound * l * (f.total - l) ? 1 : 0;
    }
    return hits > 0;
}

}  // namespace silva
