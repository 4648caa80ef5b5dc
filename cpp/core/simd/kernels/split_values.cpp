#include "core/simd/split_values.hpp"

#include "core/simd/vec.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

// ---- marks -------------------------------------------------------------------------------------

// A bit for each of n values: what `test` says of a register. Reads up to whole words of 64.
template <class T, class Test>
SILVA_INLINE void mark(const T* values, int64_t n, uint64_t* bits, const Test& test) {
    for (int64_t i = 0; i < n; i += 64) {
        uint64_t word = 0;
        for (int at = 0; at < 64; at += kLanes<T>)
            if (i + at < n) word |= bits_of(test(load(values + i + at))) << at;
        bits[i / 64] = word & lowest_bits(n - i);
    }
}

template <class T>
void mark_below(const T* values, int64_t n, T cut, uint64_t* bits) {
    mark(values, n, bits, [cuts = all<T>(cut)](Vec<T> v) { return less(v, cuts); });
}

void mark_bit(const uint64_t* words, int64_t n, int bit, bool value, uint64_t* bits) {
    const auto wanted = all<uint64_t>(uint64_t{1} << bit);
    if (value)
        mark(words, n, bits, [=](Vec<uint64_t> v) { return shares_bits(v, wanted); });
    else
        mark(words, n, bits, [=](Vec<uint64_t> v) { return ~shares_bits(v, wanted); });
}

// ---- splits ------------------------------------------------------------------------------------

// A register of entries, those in `here`, of which some are marked.
template <class T>
SILVA_INLINE void split_some(Vec<T> entries, uint64_t marked, uint64_t here, T*& left, T*& right) {
    right = compress(right, entries, marked ^ here);
    left = compress(left, entries, marked);
}

// What is written beyond the left values was read before, or is put back in the end.
template <class T>
void split(T* values, int64_t n, const uint64_t* bits, T* spare) {
    constexpr int width = kLanes<T>;
    const auto after = load(values + n);
    T *left = values, *right = spare;
    int64_t i = 0;
    for (; i + width <= n; i += width) {
        const uint64_t marked = bits[i / 64] >> (i % 64) & lowest_bits(width);
        split_some(load(values + i), marked, lowest_bits(width), left, right);
    }
    if (i < n) {
        const uint64_t here = lowest_bits(n - i);
        split_some(load(values + i), bits[i / 64] >> (i % 64) & here, here, left, right);
    }
    for (const T* from = spare; from < right; from += width, left += width) store(left, load(from));
    store(values + n, after);
}

}  // namespace

SplitKernels split_kernels() {
    return {mark_below, mark_below, mark_bit, split, split, split, split};
}

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
