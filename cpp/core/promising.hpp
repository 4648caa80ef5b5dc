// The filter of a block of neighbouring positions, on the widest instructions that the machine has.
#pragma once

#include <cstdint>
#include <span>

namespace silva {

// A position of a sweep: `sum` of the left rows, of which there are l = first_left + j at position
// j.
struct PositionFilter {
    double scale, per_row;  // deviation = scale * sum - per_row * l
    double total;           // r = total - l rows are right
    double bound;           // promising: deviation^2 >= bound * l * r
};

// The promising ones among at most 64 positions, as a mask.
uint64_t promising_positions(const PositionFilter& filter, const int64_t* sums, int n,
                             int64_t first_left);

// The same for a block of entries of a sorted list and two classes. `ones` says which class each
// row has; before the block, `first_sum` of the `first_left` left rows were ones. `block_ones`
// becomes the classes of the entries.
uint64_t promising_positions(const PositionFilter& filter, const uint32_t* ones,
                             const uint16_t* entries, int n, int64_t first_sum, int64_t first_left,
                             uint64_t& block_ones);
uint64_t promising_positions(const PositionFilter& filter, const uint32_t* ones,
                             const uint32_t* entries, int n, int64_t first_sum, int64_t first_left,
                             uint64_t& block_ones);

// The same for the squared weights of at most kFewSquares classes, where `labels` are the classes
// of the entries. There is no plain version: it would be no better than one position at a time.
constexpr size_t kFewSquares = 16;
struct SquaresFilter {
    std::span<const int32_t> present;     // classes
    const int64_t *left, *node;           // their weights, by class, before the first position
    int64_t left_squares, right_squares;  // sums of their squares
    double bound;  // promising: left squares / l + right squares / r >= bound
};
bool has_squares_filter();
uint64_t promising_squares(const SquaresFilter& filter, const uint8_t* labels, int n,
                           int64_t first_left, int64_t total);

// Adds 1 to counts[label] for each of at most 64 labels, which are all among `present`.
void count_labels(const uint8_t* labels, int n, std::span<const int32_t> present, int64_t* counts);

}  // namespace silva
