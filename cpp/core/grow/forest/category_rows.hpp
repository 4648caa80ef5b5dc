// The marked rows of a node side by side, as columns of categories are searched.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/base/array.hpp"
#include "core/columns/marked_rows.hpp"
#include "core/search/forest/class_finder.hpp"
#include "core/search/forest/sweep_finder.hpp"

namespace silva {

template <class Rows>
class CategoryRows {
  public:
    Rows rows;

    // The marked rows, n of them, from `begin` on.
    void pick(const Rows& from, int64_t begin, std::span<const uint64_t> marks, int64_t n) {
        places_.resize(n);
        codes_.resize(n);
        uint32_t* place = places_.data();
        for_each_row(marks, [&](int64_t i) { *place++ = static_cast<uint32_t>(i); });
        pick_targets(from, begin);
    }
    int64_t size() const { return places_.size(); }

    const uint16_t* codes(const uint16_t* all) {
        for (int64_t i = 0; i < size(); ++i) codes_[i] = all[places_[i]];
        return codes_.data();
    }
    // Marks among all rows what `bits` marks among these; returns how many they are.
    int64_t spread(const uint64_t* bits, std::span<uint64_t> out) const {
        std::fill(out.begin(), out.end(), uint64_t{0});
        int64_t n = 0;
        for (int64_t i = 0; i < size(); ++i) {
            const uint64_t bit = bits[i / 64] >> (i % 64) & 1;
            out[places_[i] / 64] |= bit << (places_[i] % 64);
            n += static_cast<int64_t>(bit);
        }
        return n;
    }

  private:
    void pick_targets(const BinaryRows& from, int64_t begin) {
        // A copy of unit rows has no words.
        if (from.zeros.empty()) return pick_words(from, begin);
        rows.resize(size());
        for (int64_t i = 0; i < size(); ++i) {
            const uint32_t place = places_[i];
            const auto is_zero = static_cast<uint32_t>(from.zeros[place / 64] >> (place % 64) & 1);
            rows.words[i] = (BinaryRows::kOne | 1) - is_zero * BinaryRows::kOne;
        }
    }
    void pick_targets(const MulticlassRows& from, int64_t begin) { pick_words(from, begin); }
    void pick_targets(const SweepRows& from, int64_t begin) {
        rows.classes = from.classes;
        rows.resize(size());
        for (int64_t i = 0; i < size(); ++i) {
            const int64_t row = begin + places_[i];
            rows.weight[i] = from.weight[row];
            if (rows.classes)
                rows.label[i] = from.label[row];
            else
                rows.q[i] = from.q[row];
        }
    }
    void pick_words(const Rows& from, int64_t begin) {
        rows.resize(size());
        for (int64_t i = 0; i < size(); ++i) rows.words[i] = from.words[begin + places_[i]];
    }

    Array<uint32_t> places_;
    Array<uint16_t> codes_;
};

}  // namespace silva
