// Sorting short keys: a share in the upper half of a word, an index in the lower one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace silva {

// Ascending keys of the given number of bits; equals keep their order, which must be that of their
// indices.
inline void sort_short_keys(std::vector<uint64_t>& keys, std::vector<uint64_t>& other, int bits) {
    constexpr size_t few = 48;
    constexpr int most_bits = 11;
    if (keys.size() < few) {
        std::sort(keys.begin(), keys.end());
        return;
    }
    const int passes = (bits + most_bits - 1) / most_bits, digit = (bits + passes - 1) / passes;
    uint32_t at[1 << most_bits];
    const uint64_t mask = (uint64_t{1} << digit) - 1;
    other.resize(keys.size());
    for (int shift = 32, pass = 0; pass < passes; ++pass, shift += digit) {
        std::fill_n(at, mask + 1, 0u);
        for (uint64_t key : keys) ++at[(key >> shift) & mask];
        uint32_t sum = 0;
        for (uint64_t d = 0; d <= mask; ++d) sum += std::exchange(at[d], sum);
        for (uint64_t key : keys) other[at[(key >> shift) & mask]++] = key;
        std::swap(keys, other);
    }
}

}  // namespace silva
