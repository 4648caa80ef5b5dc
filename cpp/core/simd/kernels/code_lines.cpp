#include "core/simd/code_lines.hpp"

#include "core/simd/vec.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

using Codes = Vec<uint16_t>;
constexpr int kColumns = 8;
constexpr int kTogether = kLanes<uint16_t>;   // rows
constexpr int kParts = kTogether / kColumns;  // of 16 bytes: a line, or eight codes of a column

// In each part, the i-th code of the k-th register becomes the k-th code of the i-th one.
SILVA_INLINE void turn(Codes (&lanes)[kColumns]) {
    Vec<uint32_t> twos[kColumns];
    Vec<uint64_t> fours[kColumns];
    for (int i = 0; i < 4; ++i) {
        twos[i] = as<uint32_t>(zip_low(lanes[2 * i], lanes[2 * i + 1]));
        twos[i + 4] = as<uint32_t>(zip_high(lanes[2 * i], lanes[2 * i + 1]));
    }
    for (int half = 0; half < 8; half += 4) {
        for (int i = half; i < half + 2; ++i) {
            fours[i] = as<uint64_t>(zip_low(twos[2 * i - half], twos[2 * i - half + 1]));
            fours[i + 2] = as<uint64_t>(zip_high(twos[2 * i - half], twos[2 * i - half + 1]));
        }
    }
    for (int i = 0; i < 8; i += 2) {
        lanes[i] = as<uint16_t>(zip_low(fours[i], fours[i + 1]));
        lanes[i + 1] = as<uint16_t>(zip_high(fours[i], fours[i + 1]));
    }
}

SILVA_INLINE Vec<uint16_t, 8> line_at(const uint16_t* lines, uint32_t row) {
    return load<uint16_t, 8>(lines + int64_t{kColumns} * row);
}
// n lines: rows[0], rows[8], ...
template <int n>
SILVA_INLINE Vec<uint16_t, 8 * n> every_eighth(const uint16_t* lines, const uint32_t* rows) {
    if constexpr (n == 1)
        return line_at(lines, rows[0]);
    else
        return joined(every_eighth<n / 2>(lines, rows), every_eighth<n / 2>(lines, rows + 4 * n));
}

void to_columns(const uint16_t* lines, const uint32_t* rows, int64_t n, uint16_t* const* columns) {
    for (int64_t i = 0; i < n; i += kTogether) {
        Codes lanes[kColumns];  // the k-th has line k of each part
        for (int k = 0; k < kColumns; ++k) lanes[k] = every_eighth<kParts>(lines, rows + i + k);
        turn(lanes);
        for (int c = 0; c < kColumns; ++c) store(columns[c] + i, lanes[c]);
    }
}

SILVA_INLINE void store_every_eighth(uint16_t* to, Vec<uint16_t, 8> part) { store(to, part); }
template <int N>
SILVA_INLINE void store_every_eighth(uint16_t* to, Vec<uint16_t, N> parts) {
    store_every_eighth(to, low_half(parts));
    store_every_eighth(to + kColumns * N / 2, high_half(parts));
}

void to_lines(const uint16_t* const* columns, int64_t n, uint16_t* lines) {
    for (int64_t i = 0; i < n; i += kTogether, lines += kColumns * kTogether) {
        Codes lanes[kColumns];
        for (int c = 0; c < kColumns; ++c)
            lanes[c] = columns[c] == nullptr ? zero<uint16_t>() : load(columns[c] + i);
        turn(lanes);
        for (int k = 0; k < kColumns; ++k) store_every_eighth(lines + kColumns * k, lanes[k]);
    }
}

}  // namespace

LineKernels line_kernels() { return {to_lines, to_columns}; }

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
