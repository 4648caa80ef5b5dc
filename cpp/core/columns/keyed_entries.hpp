// Values in ascending order as words: a key of 32 bits above, the number of a row or value below.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/base/array.hpp"

namespace silva {

constexpr uint32_t kMissingValueKey = std::numeric_limits<uint32_t>::max();  // no number has it

inline uint64_t keyed_entry(uint32_t key, int64_t id) {
    return uint64_t{key} << 32 | static_cast<uint64_t>(id);
}
inline uint32_t key_of(uint64_t entry) { return static_cast<uint32_t>(entry >> 32); }
inline uint32_t id_of(uint64_t entry) { return static_cast<uint32_t>(entry); }

// Ascending order of floats as ascending order of unsigned integers. Neither NaN nor -0.0.
template <class Bits, class Float>
Bits ordered_bits(Float x) {
    using Signed = std::make_signed_t<Bits>;
    constexpr int width = 8 * sizeof(Bits);
    const auto bits = std::bit_cast<Bits>(x);
    const auto flip = static_cast<Bits>(static_cast<Signed>(bits) >> (width - 1));
    return bits ^ (flip | Bits(1) << (width - 1));
}

inline uint32_t upper_half(double value) {
    return static_cast<uint32_t>(ordered_bits<uint64_t>(value) >> 32);
}

// Memory of the sorts below; one for each thread.
struct KeyedScratch {
    Array<uint32_t> keys;
    Array<uint64_t> entries, other;
    Array<uint32_t> counts;
};

// Sorts entries of distinct, ascending ids by their keys, of which no one is below `lowest` and
// which differ in the lowest `bits` bits of what they are above it. Returns which of the two
// buffers is sorted.
uint64_t* sort_keys(uint64_t* entries, int64_t n, uint32_t lowest, int bits, KeyedScratch& scratch);

// Entries of equal keys, which are the upper halves of float64, are put in order of the whole
// values, value_of(entry).
template <class ValueOf>
void sort_runs(uint64_t* entries, int64_t n, const ValueOf& value_of) {
    const auto less = [&](uint64_t a, uint64_t b) { return value_of(a) < value_of(b); };
    for (int64_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && key_of(entries[end]) == key_of(entries[begin]);) ++end;
        if (end - begin > 1 && !std::is_sorted(entries + begin, entries + end, less))
            std::stable_sort(entries + begin, entries + end, less);
    }
}

// Entries of the numbers below n, in the order of scratch.keys, which has at least n.
uint64_t* sort_numbers(int64_t n, KeyedScratch& scratch);

// The same in the order of value_of(number): missing values last, equal ones by their number.
template <class ValueOf>
const uint64_t* sort_values(int64_t n, const ValueOf& value_of, KeyedScratch& scratch) {
    scratch.keys.resize(n);
    for (int64_t i = 0; i < n; ++i) {
        const double value = value_of(i);
        scratch.keys[i] = std::isnan(value) ? kMissingValueKey : upper_half(value);
    }
    uint64_t* entries = sort_numbers(n, scratch);
    sort_runs(entries, n, [&](uint64_t entry) { return value_of(id_of(entry)); });
    return entries;
}

}  // namespace silva
