// The best stumps on both sides of many thresholds at once: the inner loop of the exact search.
//
// A node is split by a column at up to kStumpLanes<T> thresholds. Each threshold is a lane: the
// rows of the node pass once in the order of another column, and each lane sums those on its left
// side and those on its right side. A row is in a bucket, the number of thresholds at or before it:
// it is on the left side of the lanes from its bucket on, and on the right side of the others.
//
// Lanes can be any other splits too: a bucket is then a set of rows on the same side of each.
#pragma once

#include <cstdint>

namespace silva::simd {

constexpr int kStumpBytes = 64;  // the same on every instruction set: so is the search
template <class T>
constexpr int kStumpLanes = kStumpBytes / static_cast<int>(sizeof(T));

// The rows of a node in the order of a column.
struct StumpOrder {
    const uint32_t* rows;
    const uint8_t* ends;  // 1 where a split may follow; the last place is 0
    int64_t n;
    int64_t n_ends;
};

// Two predictions. A row's margin is its cost under the second less its cost under the first.
template <class T>
struct PairSweep {
    StumpOrder order;
    // Table and code of a row; a line of the table holds the lanes of the left and of the right
    // side. Without margins: what the row adds. With margins: all bits or none, for the margin.
    const T* table;
    const uint8_t* codes;
    const T* margins;
    // The rows that a leaf needs, the count of each row, and those of both sides; null: no minimum.
    T min_rows;
    const T* counts;
    const T* side_counts;
    // Highest and lowest sum at a split on the left side, then on the right: four times the lanes,
    // updated.
    T* extremes;
};

// Any number of predictions. A row's gain for a prediction is its worst cost less the cost under
// that prediction; the gain of a stump is the sum of those of its two leaves.
template <class T>
struct ManySweep {
    StumpOrder order;
    const T* table;  // lines of all bits or none, as above
    const uint8_t* codes;
    // Rows that gain from one prediction: 2 * kStumpLanes<T> times that plus the code. The gain of
    // each; null: all gain the same.
    const uint16_t* cells;
    const T* gains;
    // Without cells: the gains of a row that are not always zero, and their predictions.
    int32_t n_entries;
    const uint16_t* slots;
    int32_t n_slots;
    T largest;  // of all gains of this node; above 0
    T min_rows;
    const T* counts;
    const T* side_counts;
    const T* totals;  // gains of all rows: n_slots lines
    T* sums;          // scratch: n_slots + 1 lines
    T* buckets;       // scratch: as many, all zero before and after
    // Above 0: lanes are not thresholds, and rows have so many buckets; at most 2 * kStumpLanes<T>.
    int32_t n_patterns;
    T* best;  // the highest gain on both sides: one line, updated
};

struct OptimalPairsKernels {
    void (*narrow)(const PairSweep<int16_t>& sweep);
    void (*middle)(const PairSweep<int32_t>& sweep);
    void (*wide)(const PairSweep<int64_t>& sweep);
};

struct OptimalManyKernels {
    void (*narrow)(const ManySweep<int16_t>& sweep);
    void (*middle)(const ManySweep<int32_t>& sweep);
    void (*wide)(const ManySweep<int64_t>& sweep);
};

}  // namespace silva::simd
