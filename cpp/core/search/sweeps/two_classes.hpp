// The sweep of Gini impurity for two classes: the gain depends on one deviation.
#pragma once

#include <algorithm>
#include <bit>

#include "core/search/sweeps/rows.hpp"

namespace silva {

class TwoClassGroups {
  public:
    static constexpr GroupLayout kLayout = GroupLayout::classes;

    explicit TwoClassGroups(const NodeStats& node) : total_(node.weight), ones_(node.classes[1]) {}

    void clear() { left_ = left_ones_ = 0; }
    void add_group(const int64_t* group) {
        left_ones_ += group[1];
        left_ += group[0] + group[1];
    }
    int64_t left() const { return left_; }
    void set_best(double gain) {
        bound_ = simd::two_class_bound(gain, static_cast<double>(total_));
    }
    bool promising() const {
        return simd::passes(simd::by_deviation(deviation(), static_cast<double>(left_),
                                               static_cast<double>(total_ - left_), bound_));
    }
    double gain(bool) const { return gain_of(deviation(), left_); }
    // The gain of two pure children: all such candidates of a node are equal.
    int64_t perfect_lighter() const { return std::min(ones_, total_ - ones_); }
    double perfect_gain() const { return gain_of(imbalance(ones_, total_, ones_, ones_), ones_); }

  protected:
    double deviation() const { return imbalance(left_ones_, total_, ones_, left_); }
    double gain_of(double deviation, int64_t left) const {
        return spread_gain(deviation * deviation + deviation * deviation, left, total_);
    }

    int64_t total_, ones_;
    int64_t left_ = 0, left_ones_ = 0;
    double bound_ = -1.0;
};

// What is on the left of a position: `ones` of class 1 among `left` of both, in units of weight.
struct WeightPosition {
    int64_t ones, left;
};

// The bound of two classes and any weights in float64, whose products may lose something to
// rounding.
struct WeightBound {
    double total, ones, bound;

    bool passes(const WeightPosition& at) const {
        const auto sum = static_cast<double>(at.ones), l = static_cast<double>(at.left);
        const double deviation = std::fabs(total * sum - ones * l) + 4e-16 * total * ones;
        return simd::passes(simd::by_deviation(deviation, l, total - l, bound));
    }
    // Whether a position on the way from one to the other may pass, whatever the order of the rows.
    bool may_pass(const WeightPosition& from, const WeightPosition& to) const {
        const int64_t more_ones = to.ones - from.ones;
        return simd::any_corner([&](int64_t sum, int64_t left) { return passes({sum, left}); },
                                from.ones, from.left, more_ones, to.left - from.left - more_ones);
    }
};

template <class Label>
class TwoClassGini : public TwoClassGroups {
  public:
    using Rows = ClassRows<Label>;
    using Groups = TwoClassGroups;
    using Counter = ClassCounter<Label, GroupLayout::classes>;

    TwoClassGini(const Rows& rows, const NodeStats& node, SweepBuffers&)
        : TwoClassGroups(node), rows_(rows) {}

    void add(int64_t id) {
        left_ones_ += rows_.label[id] * rows_.weight_of(id);
        left_ += rows_.weight_of(id);
    }
    Counter counter() const { return {rows_}; }
    bool filters() const { return rows_.weight != nullptr || total_ < kExactProducts; }
    // Unit weights need the classes of the entries only.
    struct Block {
        WeightPosition first;
        uint64_t ones;
        WeightPosition positions[kBlock + 1];
    };
    template <class Id>
    uint64_t look_ahead(const Id* entries, int n, Block& block) const {
        block.first = {left_ones_, left_};
        if (rows_.weight != nullptr) return look_ahead_weighted(entries, n, block);
        const auto total = static_cast<double>(total_);
        const simd::PositionFilter filter{total, static_cast<double>(ones_), total, bound_};
        return simd::kernels().positions.of<Id>().two_classes(filter, rows_.ones, entries, n,
                                                              left_ones_, left_, block.ones);
    }
    void place(const Block& block, int j) {
        if (rows_.weight != nullptr) {
            left_ones_ = block.positions[j].ones;
            left_ = block.positions[j].left;
            return;
        }
        const uint64_t before = j == kBlock ? ~uint64_t{0} : (uint64_t{1} << j) - 1;
        left_ones_ = block.first.ones + std::popcount(block.ones & before);
        left_ = block.first.left + j;
    }

  private:
    template <class Id>
    uint64_t look_ahead_weighted(const Id* entries, int n, Block& block) const {
        WeightPosition at = block.first;
        for (int j = 0; j < n; ++j) {
            block.positions[j] = at;
            const Id id = id_of(entries[j]);
            at.left += rows_.weight[id];
            at.ones += rows_.label[id] * rows_.weight[id];
        }
        block.positions[n] = at;
        const WeightBound bound{static_cast<double>(total_), static_cast<double>(ones_), bound_};
        if (!bound.may_pass(block.first, at)) return 0;
        uint64_t mask = 0;
        for (int j = 0; j < n; ++j)
            mask |= static_cast<uint64_t>(bound.passes(block.positions[j])) << j;
        return mask;
    }

    Rows rows_;
};

}  // namespace silva
