// Filters of a block of at most 64 neighbouring positions of a sweep over one sorted list.
//
// Each filter marks the positions that may be better than the best split so far, as a mask: yes too
// often does no harm, since the exact gain is computed at marked positions only. Entries are those
// of a sorted list: ids with a top bit that is ignored.
#pragma once

#include <cstdint>

namespace silva::simd {

// Position j has `sum` and l = first_left + j rows on its left. Marked: deviation^2 >= bound * l *
// (total - l), where deviation = scale * sum - per_row * l.
struct PositionFilter {
    double scale, per_row, total, bound;
};

// The squared weights of at most kFewSquares classes. Marked: left squares / l + right squares / r
// >= bound.
constexpr int kFewSquares = 16;
struct SquaresFilter {
    const int32_t* present;  // classes
    int n_present;
    const int64_t *left, *node;          // their weights, by class, before the first position
    double left_squares, right_squares;  // sums of their squares, exact
    double bound;
};

// Numbers of events: sums are the left ones, of `sum` in all. Marked: the left and the right part,
// each x * log((x / its rows) / (sum / total)), reach the bound together, or nearly so.
struct EventFilter {
    double sum, total, bound;
};

// The weight of a row, and its product with the value (or the number of events), which is rounded;
// or sums of both.
struct WeightedValue {
    double weight, product;
};
// Marked: (|sum of products - mean * l| + error)^2 >= bound * l * (total - l), l the weight on the
// left.
struct RoundedFilter {
    double mean, error, total, bound;
};

template <class Id>
struct EntryKernels {
    // The bits of the entries' ids.
    uint64_t (*bits)(const uint32_t* bits, const Id* entries, int n);
    // Two classes: `ones` are the bits of the ids of class 1; before the block `first_sum` of
    // `first_left` rows were ones. `block_ones` becomes the classes of the entries.
    uint64_t (*two_classes)(const PositionFilter& filter, const uint32_t* ones, const Id* entries,
                            int n, int64_t first_sum, int64_t first_left, uint64_t& block_ones);
    // Sums of q - mean: sums[j] becomes the one before entry j, sums[0] = first_sum. For n entries
    // there are n + 1 sums.
    uint64_t (*values)(const PositionFilter& filter, const int64_t* q, int64_t mean,
                       const Id* entries, int n, int64_t first_left, int64_t first_sum,
                       int64_t* sums);
    // The same of numbers of events.
    uint64_t (*events)(const EventFilter& filter, const int64_t* q, const Id* entries, int n,
                       int64_t first_left, int64_t first_sum, int64_t* sums);
    // Both for rows of any weights: adds the entries to `left`, the sums before the first one.
    uint64_t (*weighted_values)(const RoundedFilter& filter, const WeightedValue* rows,
                                const Id* entries, int n, WeightedValue& left);
    uint64_t (*weighted_events)(const EventFilter& filter, const WeightedValue* rows,
                                const Id* entries, int n, WeightedValue& left);
};

struct PositionKernels {
    EntryKernels<uint16_t> short_list;
    EntryKernels<uint32_t> long_list;
    // `class_entries` becomes the entries of each class of `present`, as a mask.
    uint64_t (*squares)(const SquaresFilter& filter, const uint8_t* labels, int n,
                        int64_t first_left, int64_t total, uint64_t* class_entries);

    template <class Id>
    const EntryKernels<Id>& of() const {
        if constexpr (sizeof(Id) == 2)
            return short_list;
        else
            return long_list;
    }
};

}  // namespace silva::simd
