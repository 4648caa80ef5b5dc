// The rows of bins that are alive; see search/forest/live_rows.hpp.
#pragma once

#include <cstdint>

namespace silva::simd {

// `alive` has 256 bits.
template <class Rank>
using LiveKernel = int64_t (*)(const Rank* ranks, const uint32_t* rows, int64_t n, uint32_t lowest,
                               int shift, const uint64_t* alive, Rank* ranks_out,
                               uint32_t* rows_out);

struct LiveKernels {
    LiveKernel<uint16_t> pick_16;
    LiveKernel<uint32_t> pick_32;
};

}  // namespace silva::simd
