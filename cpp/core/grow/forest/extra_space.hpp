// Memory for trees of thresholds that are drawn.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/grow/forest/nested_rows.hpp"

namespace silva {

struct RandomNode {
    int64_t depth;
    uint64_t path;    // of the node, or of its parent if it has a number
    uint64_t number;  // 1: the left child, 2: the right one
    uint64_t alive;   // which of the first 64 columns are not known to be constant

    // From a parent to one of its children: 0 is the left one.
    void go_to_child(uint64_t which) {
        ++depth;
        number = which + 1;
    }
};
struct RandomSet {
    RandomNode node;
    int64_t n;
};

// Rows that lie side by side, the nodes among them that wait, and the rows of these and of the node
// that is next: as many words for each.
template <class Rows>
struct RandomLevel {
    NestedRows<Rows> rows;
    std::vector<RandomSet> waiting;

    // All n rows are those of the next node.
    void start(int64_t n) {
        waiting.clear();
        n_words_ = static_cast<size_t>((n + 63) / 64);
        marks_.assign(n_words_, ~uint64_t{0});
        marks_.back() >>= (64 - n % 64) % 64;
    }
    std::span<const uint64_t> marks_of_next() const {
        return {marks_.data() + waiting.size() * n_words_, n_words_};
    }
    // The rows of the next node that are not on the left will be those of a node that waits.
    void split_next(std::span<const uint64_t> left) {
        const size_t at = waiting.size() * n_words_;
        if (marks_.size() < at + 2 * n_words_) marks_.resize(at + 2 * n_words_);
        uint64_t* first = marks_.data() + at;
        for (size_t word = 0; word < n_words_; ++word) {
            first[word] &= ~left[word];
            first[word + n_words_] = left[word];
        }
    }

  private:
    size_t n_words_ = 0;
    std::vector<uint64_t> marks_;
};
// A threshold to be drawn between the values of two rows.
struct LaterThreshold {
    int64_t split;
    int32_t column;
    uint32_t low_id, high_id;
    uint64_t hash;
};
// Memory for one tree after the other.
template <class Rows>
struct ExtraSpace {
    std::vector<std::unique_ptr<RandomLevel<Rows>>> levels;  // each has some rows of the one before
    std::vector<LaterThreshold> later;
    std::vector<uint64_t> bits, best_bits, all;
};

}  // namespace silva
