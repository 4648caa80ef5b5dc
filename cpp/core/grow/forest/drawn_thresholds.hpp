// Draws the thresholds of splits: between the lowest and the highest value of a column.
//
// Where codes of values are enough to find a split, its threshold is drawn when the tree is
// complete.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "core/base/random.hpp"
#include "core/columns/split_values.hpp"
#include "core/grow/forest/extra_space.hpp"
#include "core/grow/forest/forest_growth.hpp"
#include "core/search/forest/masked_codes.hpp"

namespace silva {

constexpr double kDeferredThreshold = std::numeric_limits<double>::quiet_NaN();

// The marked rows of a node, with the codes of a column.
struct CodedRows {
    int32_t column;
    const uint32_t* ids;
    std::span<const uint64_t> marks;
    const uint16_t* codes;
};

template <class Finder>
class DrawnThresholds {
  public:
    DrawnThresholds(ForestGrowth<Finder>& tree, std::vector<LaterThreshold>& later)
        : tree_(tree), later_(later) {
        later_.clear();
    }
    void start(const ForestNode& node) { hash_ = tree_.hash_of(node); }
    uint64_t hash() const { return hash_; }
    uint64_t hash_of(int32_t c) const { return mix(hash_ ^ static_cast<uint64_t>(c)); }

    // NaN where the column is constant here.
    double draw(const CodedRows& rows, Range<uint16_t> range) const {
        const double low = extreme(rows, range.low, std::less());
        const double high = extreme(rows, range.high, std::greater());
        return low == high ? kDeferredThreshold : random_between(low, high, hash_of(rows.column));
    }
    // Sets the bits of the rows below the threshold.
    void mark_left(const CodedRows& rows, double threshold, std::vector<uint64_t>& bits) const {
        const auto [c, ids, marks, codes] = rows;
        const ValueCodes& coded = codes_of(c);
        const uint16_t cut = coded.scale.code(threshold);
        if (!mark_below(codes, marks, cut, cut, bits.data())) return;
        int64_t at = find_equal(codes, marks, 0, cut);
        bool is_below = value(c, ids[at]) < threshold;
        for (; at >= 0; at = find_equal(codes, marks, at + 1, cut)) {
            if (coded.has_collision(cut)) is_below = value(c, ids[at]) < threshold;
            bits[static_cast<size_t>(at / 64)] |= static_cast<uint64_t>(is_below) << (at % 64);
        }
    }
    // The threshold of the split which is written next; where it is deferred and takes only two
    // values, draw_later draws it.
    double complete(double threshold, const CodedRows& rows, Range<uint16_t> range) {
        if (!std::isnan(threshold)) return threshold;
        const auto [c, ids, marks, codes] = rows;
        const Ends ends = find_ends(codes, marks, range);
        if ((!ends.one_low && codes_of(c).has_collision(range.low)) ||
            (!ends.one_high && codes_of(c).has_collision(range.high)))
            return draw(rows, range);
        later_.push_back({tree_.n_splits(), c, ids[ends.low], ids[ends.high], hash_of(c)});
        return kDeferredThreshold;
    }
    // Draws the deferred thresholds of all splits. Their values lie far apart in memory: those of
    // splits to come are prefetched, here because GCC drops calls of a function that only does
    // that.
    void draw_later() {
        constexpr size_t ahead = 16;
        for (size_t i = 0; i < later_.size(); ++i) {
            if (i + ahead < later_.size()) {
                const LaterThreshold& next = later_[i + ahead];
                __builtin_prefetch(address(next.column, next.low_id));
                __builtin_prefetch(address(next.column, next.high_id));
            }
            const LaterThreshold& one = later_[i];
            const double low = value(one.column, one.low_id);
            const double high = value(one.column, one.high_id);
            tree_.set_threshold(one.split, random_between(low, high, one.hash));
        }
    }

  private:
    // The value beyond all others that have the code.
    template <class IsBeyond>
    double extreme(const CodedRows& rows, uint16_t code, IsBeyond&& is_beyond) const {
        const auto [c, ids, marks, codes] = rows;
        int64_t at = find_equal(codes, marks, 0, code);
        double found = value(c, ids[at]);
        if (!codes_of(c).has_collision(code)) return found;
        while ((at = find_equal(codes, marks, at + 1, code)) >= 0) {
            const double other = value(c, ids[at]);
            if (is_beyond(other, found)) found = other;
        }
        return found;
    }
    const ValueCodes& codes_of(int32_t c) const { return tree_.columns.columns[c].coded; }
    double value(int32_t c, uint32_t id) const {
        return tree_.bag.table.columns[c].value(tree_.bag.shared.row_of(id));
    }
    const char* address(int32_t c, uint32_t id) const {
        return tree_.bag.table.columns[c].at(tree_.bag.shared.row_of(id));
    }

    ForestGrowth<Finder>& tree_;
    std::vector<LaterThreshold>& later_;
    uint64_t hash_ = 0;  // of the current node
};

}  // namespace silva
