// The rows of a node put in the order of more than two children.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/columns/row_parts.hpp"
#include "core/grow/forest/frame.hpp"

namespace silva {

// Children are halved until each is by itself, so that every array moves as it does for two.
template <class Rows>
class ChildRows {
  public:
    // Of n rows from `first` on, whose children are marked in the space.
    ChildRows(FrameSpace<Rows>& space, int64_t first, int64_t n, size_t n_children)
        : space_(space), child_(space.child(n)), begin_(n_children + 1, 0) {
        for (int64_t i = 0; i < n; ++i) ++begin_[child_[static_cast<size_t>(i)] + 1];
        begin_[0] = first;
        for (size_t c = 1; c < begin_.size(); ++c) begin_[c] += begin_[c - 1];
    }

    // Where a child begins, by its number; the last one ends where its successor would begin.
    int64_t begin(size_t child) const { return begin_[child]; }
    // Of at most 64 rows: those of a child.
    uint64_t bits_of(size_t child) const {
        uint64_t bits = 0;
        for (int64_t i = 0; i < begin_.back() - begin_[0]; ++i)
            bits |= static_cast<uint64_t>(child_[static_cast<size_t>(i)] == child) << i;
        return bits;
    }

    void move_rows(Frame<Rows>& frame) {
        halve(frame, [&](int64_t begin, const RowParts& parts) { frame.split_rows(begin, parts); });
    }
    void move_columns(Frame<Rows>& frame, uint64_t alive) {
        halve(frame, [&](int64_t begin, const RowParts& parts) {
            frame.split_columns(begin, parts, alive, true);
        });
    }

  private:
    template <class Move>
    void halve(const Frame<Rows>& frame, Move&& move) {
        moved_ = child_;
        halve(0, begin_.size() - 1, !frame.has_columns, move);
    }
    // The children from `first` to before `last`.
    template <class Move>
    void halve(size_t first, size_t last, bool keep_order, Move&& move) {
        if (last - first < 2) return;
        const size_t middle = (first + last) / 2;
        const int64_t n = begin_[last] - begin_[first];
        uint32_t* child = moved_.data() + (begin_[first] - begin_[0]);
        uint64_t* bits = space_.bits();
        for (int64_t at = 0; at < n; at += 64) {
            uint64_t word = 0;
            for (int64_t i = at; i < std::min(at + 64, n); ++i)
                word |= static_cast<uint64_t>(child[i] < middle) << (i - at);
            bits[at / 64] = word;
        }
        const RowParts parts(n, bits, space_.spare(), keep_order);
        move(begin_[first], parts);
        parts.split(child);
        halve(first, middle, keep_order, move);
        halve(middle, last, keep_order, move);
    }

    FrameSpace<Rows>& space_;
    const std::vector<uint32_t>& child_;
    std::vector<uint32_t> moved_;
    std::vector<int64_t> begin_;
};

}  // namespace silva
