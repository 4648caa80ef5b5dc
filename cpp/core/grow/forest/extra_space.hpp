// Memory for trees of thresholds that are drawn, one tree after the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/columns/marked_rows.hpp"
#include "core/grow/forest/drawn_sets.hpp"
#include "core/grow/forest/nested_rows.hpp"

namespace silva {

// Rows that lie side by side, and a stack of sets of them: one bit a row, equally many words a set.
template <class Rows>
class SetLevel {
  public:
    NestedRows<Rows> rows;

    // Set 0 has all n rows.
    void start(int64_t n) {
        n_words_ = static_cast<size_t>((n + 63) / 64);
        marks_.assign(n_words_, ~uint64_t{0});
        marks_.back() >>= (64 - n % 64) % 64;
    }
    std::span<const uint64_t> marks(size_t set) const {
        return {marks_.data() + set * n_words_, n_words_};
    }
    // The rows on the left become the next set, the others stay. Overwrites the next set: growth
    // is depth-first, so that nobody needs it any more.
    void split(size_t set, const uint64_t* left) {
        const size_t at = set * n_words_;
        if (marks_.size() < at + 2 * n_words_) marks_.resize(at + 2 * n_words_);
        uint64_t* first = marks_.data() + at;
        for (size_t word = 0; word < n_words_; ++word) {
            first[word] &= ~left[word];
            first[word + n_words_] = left[word];
        }
    }

    // Each child of the listed rows becomes a set; the first one comes last, so that growth takes
    // it first.
    void split(size_t set, size_t n_children, std::span<const uint32_t> listed,
               std::span<const uint32_t> child) {
        const size_t begin = set * n_words_, end = begin + n_children * n_words_;
        if (marks_.size() < end) marks_.resize(end);
        std::fill(marks_.begin() + static_cast<std::ptrdiff_t>(begin),
                  marks_.begin() + static_cast<std::ptrdiff_t>(end), uint64_t{0});
        for (size_t i = 0; i < listed.size(); ++i) {
            const size_t at = set_of(set, n_children, child[i]) * n_words_ + listed[i] / 64;
            marks_[at] |= uint64_t{1} << (listed[i] % 64);
        }
    }
    static size_t set_of(size_t set, size_t n_children, size_t child) {
        return set + n_children - 1 - child;
    }

  private:
    size_t n_words_ = 0;
    std::vector<uint64_t> marks_;
};

// The rows of a node without those between them.
template <class Rows>
struct ListedRows {
    std::vector<uint32_t> places;  // of each row in its layout
    Rows rows;
    std::vector<uint16_t> codes;  // of a column
    std::vector<uint32_t> child;  // where they go

    void list_places(std::span<const uint64_t> marks) {
        places.clear();
        for_each_row(marks, [&](int64_t i) { places.push_back(static_cast<uint32_t>(i)); });
    }
    // To the first child, to the third, or else to the second.
    void send(const uint64_t* first, const uint64_t* third) {
        const auto has = [](const uint64_t* bits, uint32_t i) {
            return (bits[i / 64] >> (i % 64) & 1) != 0;
        };
        child.clear();
        for (const uint32_t i : places) child.push_back(has(first, i) ? 0 : has(third, i) ? 2 : 1);
    }
    void list_codes(const uint16_t* codes_in_layout) {
        codes.resize(places.size());
        for (size_t i = 0; i < places.size(); ++i) codes[i] = codes_in_layout[places[i]];
    }
};

// A threshold to be drawn between the values of two rows.
struct LaterThreshold {
    int64_t split;
    int32_t column;
    uint32_t low_id, high_id;
    uint64_t hash;
};

template <class Rows>
struct ExtraSpace {
    // Each has some rows of the one before. Pointers: references to a level stay valid.
    std::vector<std::unique_ptr<SetLevel<Rows>>> levels;
    std::vector<LaterThreshold> later;
    std::vector<uint64_t> bits, best_bits, known_bits, missing_bits, all;
    DrawnSets sets;
    ListedRows<Rows> listed;

    SetLevel<Rows>& level(size_t depth) {
        while (levels.size() <= depth) levels.push_back(std::make_unique<SetLevel<Rows>>());
        return *levels[depth];
    }
};

}  // namespace silva
