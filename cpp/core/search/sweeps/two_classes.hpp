// The sweep of Gini impurity for two classes and unit weights.
#pragma once

#include <algorithm>
#include <bit>

#include "core/search/sweeps/rows.hpp"

namespace silva {

// Two classes, unit weights: the gain depends on one imbalance.
class TwoClassGroups {
  public:
    static constexpr GroupLayout kLayout = GroupLayout::classes;
    static constexpr bool kCostlyGain = false;

    explicit TwoClassGroups(const NodeStats& node) : total_(node.weight), ones_(node.classes[1]) {}

    void clear() { left_ = left_ones_ = 0; }
    void add_group(const int64_t* group) {
        left_ones_ += group[1];
        left_ += group[0] + group[1];
    }
    int64_t left() const { return left_; }
    void set_best(double gain) {
        const double w = static_cast<double>(total_);
        bound_ = gain * w * w / 2 * kSlack;
    }
    double deviation() const { return static_cast<double>(left_ones_ * total_ - ones_ * left_); }
    bool promising() const {
        const double d = deviation();
        return d * d >= bound_ * static_cast<double>(left_) * static_cast<double>(total_ - left_);
    }
    double gain(bool) const {
        const double d = deviation();
        return spread_gain(d * d + d * d, left_, total_);
    }
    // The gain of two pure children: all such candidates of a node are equal.
    int64_t perfect_lighter() const { return std::min(ones_, total_ - ones_); }
    double perfect_gain() const {
        const double d = static_cast<double>(ones_ * (total_ - ones_));
        return spread_gain(d * d + d * d, ones_, total_);
    }

  protected:
    int64_t total_, ones_;
    int64_t left_ = 0, left_ones_ = 0;
    double bound_ = -1.0;
};

template <class Label>
class TwoClassGini : public TwoClassGroups {
  public:
    using Rows = ClassRows<Label>;
    using Groups = TwoClassGroups;
    using Counter = TwoClassCounter<Label>;
    static constexpr bool kHasFilter = true;  // promising() is a filter of sum() and left()
    static constexpr bool kBoundsSmallNodes = false;

    TwoClassGini(const Rows& rows, const NodeStats& node, SweepBuffers&)
        : TwoClassGroups(node), label_(rows.label), ones_of_(rows.ones) {}

    template <class Id>
    void add(Id id) {
        left_ones_ += label_[id];
        ++left_;
    }
    Counter counter() const { return {label_}; }
    void count(int64_t id, int64_t* group) const { counter().count(id, group); }
    bool filters() const { return total_ < kExactProducts; }
    struct Block {
        int64_t first_left, first_ones;
        uint64_t ones;  // the labels of the entries
    };
    template <class Id>
    uint64_t look_ahead(const Id* entries, int n, Block& block) const {
        block.first_left = left_;
        block.first_ones = left_ones_;
        const double total = static_cast<double>(total_);
        const simd::PositionFilter filter{total, static_cast<double>(ones_), total, bound_};
        return simd::kernels().positions.of<Id>().two_classes(filter, ones_of_, entries, n,
                                                              left_ones_, left_, block.ones);
    }
    void place(const Block& block, int j) {
        const uint64_t before = j == kBlock ? ~uint64_t{0} : (uint64_t{1} << j) - 1;
        left_ones_ = block.first_ones + std::popcount(block.ones & before);
        left_ = block.first_left + j;
    }

  private:
    const Label* label_;
    const uint32_t* ones_of_;
};

}  // namespace silva
