// Values in ascending order as words: a key of 32 bits above, the number of a row or value below.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
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

// The key of a known value: rounding to float32 keeps the order, but merges neighbours.
inline uint32_t rounded_key(double value) {
    return ordered_bits<uint32_t>(static_cast<float>(value));
}

// An entry whose key others have too.
struct Collision {
    double value;
    uint64_t entry;
    int64_t place;
};

// Memory of the sorts below; one for each thread.
struct KeyedScratch {
    Array<uint32_t> keys;
    Array<uint64_t> entries, other;
    Array<uint32_t> counts;
    Array<Collision> collisions;
};

// Sorts entries of distinct, ascending ids by their keys, of which no one is below `lowest` and
// which differ in the lowest `bits` bits of what they are above it. Returns which of the two
// buffers is sorted.
uint64_t* sort_keys(uint64_t* entries, int64_t n, uint32_t lowest, int bits, KeyedScratch& scratch);

// The entries of [begin, end) whose keys collide, with their values: all loads are independent.
template <class ValueOf>
std::span<Collision> read_collisions(const uint64_t* entries, int64_t begin, int64_t end,
                                     const ValueOf& value_of, KeyedScratch& scratch) {
    scratch.collisions.resize(end - begin);
    Collision* found = scratch.collisions.data();
    int64_t n = 0;
    bool as_before = false;
    for (int64_t i = begin; i < end; ++i) {
        const bool as_next = i + 1 < end && key_of(entries[i]) == key_of(entries[i + 1]);
        found[n].place = i;
        n += as_before || as_next ? 1 : 0;
        as_before = as_next;
    }
    for (int64_t i = 0; i < n; ++i) {
        found[i].entry = entries[found[i].place];
        found[i].value = value_of(found[i].entry);
    }
    return {found, static_cast<size_t>(n)};
}

// Puts sorted entries of equal keys in order of their values, value_of(entry), and sets the bits of
// `mark` in those whose value is not that of the entry before.
template <class ValueOf>
void sort_collisions(uint64_t* entries, int64_t n, uint64_t mark, const ValueOf& value_of,
                     KeyedScratch& scratch) {
    constexpr int64_t block = 4096;
    const auto less = [](const Collision& a, const Collision& b) {
        return a.value < b.value || (a.value == b.value && a.entry < b.entry);
    };
    for (int64_t begin = 0, end; begin < n; begin = end) {
        end = std::min(begin + block, n);
        while (end < n && key_of(entries[end]) == key_of(entries[end - 1])) ++end;
        const auto found = read_collisions(entries, begin, end, value_of, scratch);
        for (size_t first = 0, last; first < found.size(); first = last) {
            const uint32_t key = key_of(found[first].entry);
            uint64_t* out = entries + found[first].place;
            for (last = first + 1; last < found.size() && key_of(found[last].entry) == key;) ++last;
            const auto run = found.subspan(first, last - first);
            if (!std::is_sorted(run.begin(), run.end(), less))
                std::sort(run.begin(), run.end(), less);
            for (size_t i = 0; i < run.size(); ++i)
                out[i] = run[i].entry | (i > 0 && run[i].value != run[i - 1].value ? mark : 0);
        }
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
        scratch.keys[i] = std::isnan(value) ? kMissingValueKey : rounded_key(value);
    }
    uint64_t* entries = sort_numbers(n, scratch);
    sort_collisions(entries, n, 0, [&](uint64_t entry) { return value_of(id_of(entry)); }, scratch);
    return entries;
}

}  // namespace silva
