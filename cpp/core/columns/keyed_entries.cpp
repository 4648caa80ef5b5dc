#include "core/columns/keyed_entries.hpp"

#include <utility>

#include "core/simd/kernels.hpp"

namespace silva {
namespace {

constexpr int64_t kFewEntries = 48;  // compared, not counted: their ids make them distinct

// Stable, the least significant digit first.
uint64_t* radix_sort(uint64_t* entries, int64_t n, uint32_t lowest, int bits,
                     KeyedScratch& scratch) {
    const int most = n < 1024 ? 8 : 11;
    const int passes = (bits + most - 1) / most;
    if (passes == 0) return entries;
    const int digit = (bits + passes - 1) / passes;
    const uint32_t size = uint32_t{1} << digit, mask = size - 1;
    scratch.other.resize(n);
    scratch.counts.resize(int64_t{size} * passes);
    uint32_t* counts = scratch.counts.data();
    std::fill_n(counts, scratch.counts.size(), 0u);
    for (int64_t i = 0; i < n; ++i) {
        uint32_t key = key_of(entries[i]) - lowest;
        for (int pass = 0; pass < passes; ++pass, key >>= digit)
            ++counts[pass * size + (key & mask)];
    }
    uint64_t* other = scratch.other.data();
    for (int pass = 0; pass < passes; ++pass) {
        uint32_t* at = counts + pass * size;
        const int shift = pass * digit;
        const auto digit_of = [&](uint64_t entry) {
            return (key_of(entry) - lowest) >> shift & mask;
        };
        if (at[digit_of(entries[0])] == n) continue;
        uint32_t sum = 0;
        for (uint32_t d = 0; d < size; ++d) sum += std::exchange(at[d], sum);
        for (int64_t i = 0; i < n; ++i) other[at[digit_of(entries[i])]++] = entries[i];
        std::swap(entries, other);
    }
    return entries;
}

}  // namespace

uint64_t* sort_keys(uint64_t* entries, int64_t n, uint32_t lowest, int bits,
                    KeyedScratch& scratch) {
    if (n > kFewEntries) return radix_sort(entries, n, lowest, bits, scratch);
    if (bits > 0) std::sort(entries, entries + n);
    return entries;
}

uint64_t* sort_numbers(int64_t n, KeyedScratch& scratch) {
    const uint32_t* keys = scratch.keys.data();
    scratch.entries.resize(n);
    uint64_t* entries = scratch.entries.data();
    if (n <= simd::kCountedKeys) {
        simd::kernels().sorted_keys.sort_long(keys, n, 0, entries);
        return entries;
    }
    const auto [lowest, highest] = std::minmax_element(keys, keys + n);
    for (int64_t i = 0; i < n; ++i) entries[i] = keyed_entry(keys[i], i);
    const auto bits = static_cast<int>(std::bit_width(*highest - *lowest));
    return sort_keys(entries, n, *lowest, bits, scratch);
}

}  // namespace silva
