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

constexpr int kPackedCuts = 8;  // looked at together

// The cuts of a column in a node of few rows: `left` are the rows whose ranks are below `rank`. An
// entry for each row; some are there twice, or empty.
struct PackedColumn {
    static constexpr int64_t kMost = 256;
    alignas(64) uint64_t left[kMost + kPackedCuts];
    uint16_t rank[kMost + kPackedCuts];
};
// What these cuts are worth: for sums of squares L and R of the weights of the children's classes,
// L * r + R * l and l * r. The term of an empty child is negative.
struct PackedWorth {
    alignas(64) double terms[PackedColumn::kMost + kPackedCuts];
    alignas(64) double areas[PackedColumn::kMost + kPackedCuts];

    bool reaches(double bound, int64_t cut) const { return terms[cut] >= bound * areas[cut]; }
};

// Up to so many rows this is quicker than an order of the rows, on this machine.
int64_t most_packed_rows();
// False when all ranks are equal.
bool pack_column(const uint16_t* ranks, const uint32_t* rows, int64_t n, PackedColumn& out);
// One of the best cuts, give or take a rounding; -1 when no cut reaches the bound. `classes` and
// `weight` are those of the node.
int64_t weigh_cuts(const uint64_t* left, int64_t n, uint64_t classes, double weight, double bound,
                   PackedWorth& out);
// The cuts that reach the bound; how many they are.
int64_t reaching_cuts(const PackedWorth& worth, int64_t n, double bound, uint16_t* cuts);

}  // namespace silva
