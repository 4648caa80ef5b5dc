// Which rows a tree of a forest grows from, and how often it counts each.
#pragma once

#include <cstdint>

#include "core/base/array.hpp"

namespace silva {

// Fills `counts` for rows 0, ..., n_rows - 1. With replacement, `n_samples` draws fall on any rows;
// without, so many different rows are drawn, each set as likely as any other. A draw is a hash of
// the seed and its number, so the counts depend on nothing else.
void draw_counts(uint64_t seed, int64_t n_rows, int64_t n_samples, bool replace,
                 Array<uint32_t>& counts);

}  // namespace silva
