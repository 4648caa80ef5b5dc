// Sweeps: rows move one by one (or group by group) from the right child to the left one.
//
// A sweep keeps the exact statistics of the rows gathered so far. `promising` is a cheap necessary
// condition for beating the best gain known (it may say yes too often, never no wrongly), and
// `gain` is the documented expression of criterion.hpp, computed only for promising positions.
// All sweeps share this interface, so the searches in finders/ are written once.
// `Groups` is the part of a sweep that moves whole groups and knows no rows: labels of any type
// share it. `Counter` adds rows to groups.
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

using simd::kSlack;

constexpr int kBlock = 64;                         // entries of a block
constexpr size_t kFewSquares = simd::kFewSquares;  // classes
constexpr int64_t kExactProducts = 90'000'000;     // squares below 2^53

// ---- what only some sweeps have ----------------------------------------------------------------

// Takes blocks of a sorted list if `filters()`: `look_ahead` fills a `Block` and returns the
// promising positions in it as a mask (position j is before entry j); `place` then puts the sweep
// at any position of the block, the one behind it included.
template <class Sweep>
concept HasFilter = requires { typename Sweep::Block; };
// May be filtered by `RoundedSums`; exact sums follow by `add_all` to a position that
// `rounded_filter()` marks.
template <class Sweep>
concept HasRounded = requires(Sweep sweep) { sweep.rounded_filter(); };
// Moves entries of an order whose positions are not promising at once, best so many.
template <class Sweep>
concept Skips =
    requires(Sweep sweep, const uint64_t* entries) { sweep.skip(entries, Sweep::kSkipped); };
// A gain costs as much as many approximate scores: a floor of them saves gains.
template <class Sweep>
concept HasFloor = requires(Sweep sweep) { sweep.set_floor(0.0); };
// Most positions tie: what is lighter decides among them.
template <class Sweep>
concept HasTies = requires(Sweep sweep) { sweep.set_best_lighter(0); };
// Knows the largest gain that any split of the node can have, and its lighter child.
template <class Sweep>
concept KnowsPerfect = requires(Sweep sweep) { sweep.perfect_gain(); };

// ---- rows and groups ---------------------------------------------------------------------------

// Target values of the rows of a store, by id.
template <class Label>
struct ClassRows {
    const Label* label;
    const int64_t* weight;           // nullptr: all one
    const uint32_t* ones = nullptr;  // two classes: the labels as bits

    int64_t weight_of(int64_t id) const { return weight == nullptr ? 1 : weight[id]; }
};
struct ValueRows {
    const int64_t* q;
    const int64_t* weight;
    int64_t mean_q = 0;  // subtracted from q before anything is rounded

    int64_t weight_of(int64_t id) const { return weight == nullptr ? 1 : weight[id]; }
};

// What a group keeps of its rows: {weight, low, high} of the sum of values, the weight of each
// class, or, for levels of categories, entries of the classes that occur.
enum class GroupLayout : uint8_t { values, classes, entries };

template <class Label, GroupLayout layout>
struct ClassCounter {
    static constexpr GroupLayout kLayout = layout;
    ClassRows<Label> rows;

    int64_t target(int64_t id) const { return rows.label[id]; }
    void count(int64_t id, int64_t* group) const { group[rows.label[id]] += rows.weight_of(id); }
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
