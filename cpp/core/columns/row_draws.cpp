#include "core/columns/row_draws.hpp"

#include <algorithm>

#include "core/base/random.hpp"

namespace silva {
namespace {

constexpr uint64_t kRows = 0x726F7773;  // draws of rows are apart from those of columns

}  // namespace

void draw_counts(uint64_t seed, int64_t n_rows, int64_t n_samples, bool replace,
                 Array<uint32_t>& counts) {
    counts.resize(n_rows);
    const uint64_t start = mix(seed, kRows);
    const auto n = static_cast<uint64_t>(n_rows);
    if (replace) {
        std::fill_n(counts.data(), n_rows, 0u);
        for (int64_t draw = 0; draw < n_samples; ++draw)
            ++counts[static_cast<int64_t>(below(mix(start ^ static_cast<uint64_t>(draw)), n))];
        return;
    }
    // Each row in turn is taken with the share of those still wanted among those still to come.
    auto wanted = static_cast<uint64_t>(std::min(n_samples, n_rows));
    for (uint64_t row = 0; row < n; ++row) {
        const bool taken = below(mix(start ^ row), n - row) < wanted;
        counts[static_cast<int64_t>(row)] = taken ? 1 : 0;
        wanted -= taken ? 1 : 0;
    }
}

}  // namespace silva
