// The columns with the lowest draws: what every node of a forest begins with.
#pragma once

#include <cstdint>

namespace silva::simd {

constexpr int64_t kFewColumns = 32;  // so few are chosen from together
constexpr int64_t kDrawPadding = 8;  // draws can be read and written up to here beyond the last

// Draws are different for different columns. Of the first 64 columns only those in `alive` count.
struct ColumnDrawsKernels {
    // draws[c] = mix(start ^ c), see random.hpp.
    void (*draw)(uint64_t start, int64_t n, uint64_t* draws);
    // The same of up to kFewColumns columns, and those of the `limit` lowest ones that are alive,
    // ascending: how many they are. -1 where the upper halves of the draws do not tell.
    int64_t (*draw_few)(uint64_t start, int64_t n, int64_t limit, uint64_t alive, uint64_t* draws,
                        int32_t* chosen);
    // The same choice from draws of any number; -1 where it is too rare to be made here. `last` is
    // the highest draw that was chosen.
    int64_t (*choose)(const uint64_t* draws, int64_t n, int64_t limit, uint64_t alive,
                      int32_t* chosen, uint64_t* last);
    // The column of the lowest draw above `last`, which becomes that draw; -1: there is none.
    int32_t (*next)(const uint64_t* draws, int64_t n, uint64_t alive, uint64_t* last);
};

}  // namespace silva::simd
