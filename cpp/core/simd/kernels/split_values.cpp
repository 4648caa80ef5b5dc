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

template <class T>
SILVA_INLINE void copy(T* to, const T* from, int64_t n) {
    constexpr int width = kLanes<T>;
    if (n > 4 * width) {
        __builtin_memcpy(to, from, sizeof(T) * static_cast<size_t>(n));
        return;
    }
    for (int64_t i = 0; i < n; i += width) store_first(to + i, load(from + i), n - i);
}

template <class T>
void split(T* values, int64_t n, const uint64_t* bits, T* spare, bool keep_rest) {
    constexpr int width = kLanes<T>;
    T *left = values, *right = spare;
    int64_t i = 0;
    for (; i + width <= n; i += width) {  // what is written beyond the left values was read
        const uint64_t marked = (bits[i / 64] >> (i % 64)) & lowest_bits(width);
        const auto entries = load(values + i);
        right = compress(right, entries, marked ^ lowest_bits(width));
        left = compress(left, entries, marked);
    }
    if (i < n) {
        const uint64_t here = lowest_bits(n - i);
        const uint64_t marked = (bits[i / 64] >> (i % 64)) & here;
        const auto entries = load_first(values + i, n - i);
        right = compress(right, entries, marked ^ here);
        left = compress_exactly(left, entries, marked);
    }
    if (keep_rest) copy(left, spare, right - spare);
}

// The rows are told apart once for all columns, and a column is in registers (or on the stack)
// before it is written. What is written beyond the column is put back.
template <int room>
void split_short_columns(uint16_t* const* columns, int64_t n_columns, int64_t n,
                         const uint64_t* bits, bool keep_rest) {
    constexpr int width = kLanes<uint16_t>, n_registers = room / width;
    uint32_t lefts[n_registers], rights[n_registers];
    for (int r = 0; r < n_registers; ++r) {
        const uint64_t here = lowest_bits(least<int64_t>(width, most<int64_t>(n - width * r, 0)));
        const uint64_t marked = (bits[width * r / 64] >> (width * r % 64)) & here;
        lefts[r] = static_cast<uint32_t>(marked);
        rights[r] = static_cast<uint32_t>(marked ^ here);
    }
    for (int64_t c = 0; c < n_columns; ++c) {
        uint16_t* out = columns[c];
        Vec<uint16_t> entries[n_registers];
        for (int r = 0; r < n_registers; ++r) entries[r] = load(out + width * r);
        const auto after = load(columns[c] + n);
        for (int r = 0; r < n_registers; ++r) out = compress(out, entries[r], lefts[r]);
        if (keep_rest)
            for (int r = 0; r < n_registers; ++r) out = compress(out, entries[r], rights[r]);
        store(columns[c] + n, after);
    }
}

void split_columns(uint16_t* const* columns, int64_t n_columns, int64_t n, const uint64_t* bits,
                   uint16_t* spare, bool keep_rest) {
    if (n <= 64) return split_short_columns<64>(columns, n_columns, n, bits, keep_rest);
    if (n <= 128) return split_short_columns<128>(columns, n_columns, n, bits, keep_rest);
    if (n <= 256) return split_short_columns<256>(columns, n_columns, n, bits, keep_rest);
    for (int64_t c = 0; c < n_columns; ++c) split(columns[c], n, bits, spare, keep_rest);
}

// ---- some of 32 --------------------------------------------------------------------------------

template <class T>
void pick(const T* values, uint32_t rows, T* out) {
    constexpr int width = kLanes<T>;
    for (int at = 0; at < 32; at += width)
        out = compress(out, load(values + at), rows >> at & lowest_bits(width));
}

uint32_t spread_bits(uint64_t bits, uint32_t places) {
    return static_cast<uint32_t>(deposit_bits(bits, places));
}

}  // namespace

SplitKernels split_kernels() {
    return {mark_below, mark_below,    mark_bit, split, split,      split,
            split,      split_columns, pick,     pick,  spread_bits};
}

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
