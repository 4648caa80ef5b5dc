#include "core/simd/marked_rows.hpp"

#include "core/simd/vec.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

// All words but the last: their rows have values. Those of the last word end with its last row.
template <class T>
void copy(const T* values, const uint64_t* rows, int64_t n_words, T* out) {
    constexpr int width = kLanes<T>;
    for (int64_t word = 0; word < n_words - 1; ++word, values += 64)
        for (int at = 0; at < 64; at += width)
            out = compress(out, load(values + at), rows[word] >> at & lowest_bits(width));
    if (n_words == 0) return;
    uint64_t rest = rows[n_words - 1];
    const int n = rest == 0 ? 0 : 64 - __builtin_clzll(rest);
    for (int at = 0; at < n; at += width, rest = width < 64 ? rest >> (width % 64) : 0)
        out = compress(out, load_first(values + at, n - at), rest & lowest_bits(width));
}

// Appends bits to each other.
struct BitWriter {
    uint64_t* out;
    uint64_t word = 0;
    int n_bits = 0;  // in the word

    // The lowest n bits; those above them are zeros.
    SILVA_INLINE void write(uint64_t bits, int n) {
        word |= bits << n_bits;
        if (n_bits + n < 64) {
            n_bits += n;
            return;
        }
        *out++ = word;
        word = n_bits == 0 ? 0 : bits >> (64 - n_bits);
        n_bits += n - 64;
    }
    SILVA_INLINE void end() {
        if (n_bits > 0) *out = word;
    }
};

void copy_bits(const uint64_t* values, const uint64_t* rows, int64_t n_words, uint64_t* out) {
    BitWriter writer{out};
    for (int64_t i = 0; i < n_words; ++i)
        writer.write(extract_bits(values[i], rows[i]), count_bits(rows[i]));
    writer.end();
}

// One load each: no slower than gathers.
template <class T>
void pick(const T* values, const uint32_t* listed, int64_t n, T* out) {
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const T first = values[listed[i]], second = values[listed[i + 1]];
        const T third = values[listed[i + 2]], fourth = values[listed[i + 3]];
        out[i] = first;
        out[i + 1] = second;
        out[i + 2] = third;
        out[i + 3] = fourth;
    }
    for (; i < n; ++i) out[i] = values[listed[i]];
}

constexpr int kFew = 16;  // of a word's rows: narrow registers find them one by one

// Eight at a time, so that the loop ends alike for most words; those beyond the last are any.
SILVA_INLINE void list_few(uint64_t word, uint32_t first, int n, uint32_t* out) {
    constexpr uint64_t top = uint64_t{1} << 63;
    for (int i = 0; i < n; i += 8)
        for (int k = 0; k < 8; ++k, word &= word - 1)
            out[i + k] = first + static_cast<uint32_t>(first_bit(word | top));
}

void list(const uint64_t* rows, int64_t n_words, uint32_t* out) {
    constexpr int width = kLanes<uint32_t>;
    for (int64_t i = 0; i < n_words; ++i) {
        const int n = count_bits(rows[i]);
        const auto first = static_cast<uint32_t>(64 * i);
        if (width < 8 && n <= kFew) {
            list_few(rows[i], first, n, out);
            out += n;
            continue;
        }
        auto numbers = iota<uint32_t>() + all<uint32_t>(first);
        for (int at = 0; at < 64; at += width, numbers += all<uint32_t>(width))
            out = compress(out, numbers, rows[i] >> at & lowest_bits(width));
    }
}

}  // namespace

MarkedKernels marked_kernels() {
    return {copy, copy, copy, copy, copy_bits, pick, pick, pick, pick, list};
}

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
