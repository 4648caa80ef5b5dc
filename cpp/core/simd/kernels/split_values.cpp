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
struct Parts {
    T *left, *right;
};

// All whole registers; returns where they end. What is written beyond the left values was read.
template <class T>
SILVA_INLINE int64_t split_whole(const T* values, int64_t n, const uint64_t* bits, bool keep_rest,
                                 Parts<T>& parts) {
    constexpr int width = kLanes<T>;
    int64_t i = 0;
    for (; i + width <= n; i += width) {
        const uint64_t marked = (bits[i / 64] >> (i % 64)) & lowest_bits(width);
        const auto entries = load(values + i);
        if (keep_rest) parts.right = compress(parts.right, entries, marked ^ lowest_bits(width));
        parts.left = compress(parts.left, entries, marked);
    }
    return i;
}

template <class T>
void split(T* values, int64_t n, const uint64_t* bits, T* spare, bool keep_rest) {
    Parts<T> parts{values, spare};
    const int64_t i = split_whole(values, n, bits, keep_rest, parts);
    if (i < n) {
        const uint64_t here = lowest_bits(n - i);
        const uint64_t marked = (bits[i / 64] >> (i % 64)) & here;
        const auto entries = load_first(values + i, n - i);
        parts.right = compress(parts.right, entries, marked ^ here);
        parts.left = compress_exactly(parts.left, entries, marked);
    }
    if (keep_rest) copy(parts.left, spare, parts.right - spare);
}

// The same where the values are followed by a register that may be written for a moment.
template <class T>
SILVA_INLINE void split_padded(T* values, int64_t n, const uint64_t* bits, T* spare,
                               bool keep_rest) {
    constexpr int width = kLanes<T>;
    const auto after = load(values + n);
    Parts<T> parts{values, spare};
    const int64_t i = split_whole(values, n, bits, keep_rest, parts);
    if (i < n) {
        const uint64_t here = lowest_bits(n - i);
        const uint64_t marked = (bits[i / 64] >> (i % 64)) & here;
        const auto entries = load(values + i);
        parts.right = compress(parts.right, entries, marked ^ here);
        parts.left = compress(parts.left, entries, marked);
    }
    const int64_t n_rest = keep_rest ? parts.right - spare : 0;
    for (int64_t at = 0; at < n_rest; at += width) store(parts.left + at, load(spare + at));
    store(values + n, after);
}

// The rows are told apart once for all columns, and a column is in registers before it is written.
// What is written beyond it is put back; stores of some lanes write nothing there.
template <int room>
SILVA_INLINE void split_short_columns(uint16_t* const* columns, int64_t n_columns, int64_t n,
                                      const uint64_t* bits, bool keep_rest) {
    constexpr int width = kLanes<uint16_t>, n_registers = room / width;
    uint64_t lefts[n_registers], rights[n_registers];
    int n_left = 0;
    for (int r = 0; r < n_registers; ++r) {
        const uint64_t here = lowest_bits(least<int64_t>(width, most<int64_t>(n - width * r, 0)));
        lefts[r] = (bits[width * r / 64] >> (width * r % 64)) & here;
        rights[r] = lefts[r] ^ here;
        n_left += count_bits(lefts[r]);
    }
    for (int64_t c = 0; c < n_columns; ++c) {
        uint16_t *left = columns[c], *right = left + n_left;
        Vec<uint16_t> entries[n_registers];
        for (int r = 0; r < n_registers; ++r) entries[r] = load(left + width * r);
        if constexpr (kStoresLanes) {
            for (int r = 0; r < n_registers; ++r) {
                left = compress_exactly(left, entries[r], lefts[r]);
                if (keep_rest) right = compress_exactly(right, entries[r], rights[r]);
            }
        } else {
            const auto after = load(left + n);
            for (int r = 0; r < n_registers; ++r) left = compress(left, entries[r], lefts[r]);
            for (int r = 0; r < n_registers && keep_rest; ++r)
                right = compress(right, entries[r], rights[r]);
            store(columns[c] + n, after);
        }
    }
}

void split_columns(uint16_t* const* columns, int64_t n_columns, int64_t n, const uint64_t* bits,
                   uint16_t* spare, bool keep_rest) {
    if (n <= 64) return split_short_columns<64>(columns, n_columns, n, bits, keep_rest);
    if (n <= 128) return split_short_columns<128>(columns, n_columns, n, bits, keep_rest);
    if (kStoresLanes && n <= 256)
        return split_short_columns<256>(columns, n_columns, n, bits, keep_rest);
    for (int64_t c = 0; c < n_columns; ++c) split_padded(columns[c], n, bits, spare, keep_rest);
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
