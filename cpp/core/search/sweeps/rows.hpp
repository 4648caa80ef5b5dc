// Sweeps: rows move one by one (or group by group) from the right child to the left one.
//
// A sweep keeps the exact statistics of the rows gathered so far. `promising` is a cheap necessary
// condition for beating the best gain known (it may say yes too often, never no wrongly), and
// `gain` is the documented expression of criterion.hpp, computed only for promising positions.
// All sweeps share this interface, so the searches in finders/ are written once.
// `Groups` is the part of a sweep that moves whole groups and knows no rows: labels and weights of
// any type share it. `Counter` adds rows to groups.
// Sweeps with a filter can also (if `filters`) take blocks of a sorted list: `look_ahead` fills a
// `Block` and returns the promising positions in it as a mask (position j is before entry j);
// `place` then puts the sweep at any position of the block, the one behind it included.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/search/criterion.hpp"
#include "core/search/stats.hpp"
#include "core/simd/gini_bound.hpp"
#include "core/simd/kernels.hpp"

namespace silva {

constexpr int kBlock = 64;                         // entries of a block
constexpr size_t kFewSquares = simd::kFewSquares;  // classes
constexpr int64_t kBoundedRows = 7;  // up to here the best of all splits is worth knowing first
constexpr int64_t kExactProducts = 90'000'000;  // squares below 2^53

// Target values of the rows of a store, by id.
template <class Label>
struct ClassRows {
    const Label* label;
    const int64_t* weight;                   // nullptr: all one
    const uint32_t* ones = nullptr;          // two classes: the labels as bits
    const int64_t* signed_weight = nullptr;  // two classes: the weight, below zero for class 0
};
struct ValueRows {
    const int64_t* q;
    const int64_t* weight;
};

// What a group keeps of its rows: {weight, low, high} of the sum of values, the weight of each
// class, or, for levels of categories, entries of the classes that occur.
enum class GroupLayout : uint8_t { values, classes, entries };

template <class Label, bool weighted>
struct ClassCounter {
    static constexpr GroupLayout kLayout = GroupLayout::entries;
    ClassRows<Label> rows;

    int64_t target(int64_t id) const { return rows.label[id]; }
    int64_t weight(int64_t id) const { return weighted ? rows.weight[id] : 1; }
    void count(int64_t id, int64_t* group) const { group[rows.label[id]] += weight(id); }
};
template <class Label>
struct TwoClassCounter {
    static constexpr GroupLayout kLayout = GroupLayout::classes;
    const Label* label;

    int64_t target(int64_t id) const { return label[id]; }
    void count(int64_t id, int64_t* group) const { ++group[label[id]]; }
};

// An entry of a sorted list without its top bit.
template <class Id>
constexpr Id id_of(Id entry) {
    return Id(entry & ~(Id(1) << (8 * sizeof(Id) - 1)));
}

struct SweepBuffers {
    std::vector<int64_t> left_counts;
    std::vector<int32_t> present;
    std::vector<std::pair<int64_t, int32_t>> heaviest;  // heap: at least what is right, and class
};

}  // namespace silva
