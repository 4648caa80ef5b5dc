// Weights by class in one word: a byte for each of up to eight classes. A row is its class in the
// lower 8 bits of a number and its weight above it.
#pragma once

#include <cstdint>

namespace silva {

constexpr int kPackedClasses = 8;
constexpr int64_t kPackedWeight = 255;  // of a class in a word
constexpr uint32_t kLightWeight = 15;   // rows up to here can be added up in bytes, some at a time
constexpr int kSumClasses = 16;         // sums have room for so many classes

inline uint64_t packed(uint32_t row) {
    return static_cast<uint64_t>(row >> 8) << ((row & 0xFFu) * 8);
}

// The weight of each class. `light`: no more than kPackedClasses classes, no weight above
// kLightWeight.
void sum_classes(const uint32_t* rows, int64_t n, bool light, uint32_t* sums);
// The same of the rows that have a bit, for each bit of `wanted`: sums[bit * kSumClasses + class].
void sum_bits(const uint64_t* words, const uint32_t* rows, int64_t n, uint64_t wanted, bool light,
              uint32_t* sums);

// A node and the bound that a cut has to reach: for sums of squares L and R of the weights of the
// children's classes, L / l + R / r >= bound.
struct PackedNode {
    uint64_t classes;
    double weight, bound;
};
constexpr int kPackedCuts = 8;
// Which of kPackedCuts left children, all but empty ones, reach the bound; for each, L * r + R * l
// and l * r.
uint32_t promising_cuts(const uint64_t* left, const PackedNode& node, double* terms, double* areas);

// The cuts of a column in a node of few rows: `left` are the rows whose ranks are below `rank`. An
// entry for each row; some are there twice, or empty.
struct PackedColumn {
    static constexpr int64_t kMost = 256;
    alignas(64) uint64_t left[kMost + kPackedCuts];
    uint16_t rank[kMost + kPackedCuts];
};
// Up to so many rows this is quicker than an order of the rows, on this machine.
int64_t most_packed_rows();
// False when all ranks are equal.
bool pack_column(const uint16_t* ranks, const uint32_t* rows, int64_t n, PackedColumn& out);

}  // namespace silva
