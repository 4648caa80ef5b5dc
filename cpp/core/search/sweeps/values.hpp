// Sweeps of the regression criteria.
#pragma once

#include "core/search/sweeps/rows.hpp"

namespace silva {

// Sums of targets around the node's mean. The group layout is {weight, low, high} of the sum.
inline Wide group_sum(const int64_t* group) {
    return (Wide(group[2]) << 64) | static_cast<uint64_t>(group[1]);
}
inline void add_to_group(int64_t* group, int64_t weight, Wide sum) {
    const Wide total = group_sum(group) + sum;
    group[0] += weight;
    group[1] = static_cast<int64_t>(total);
    group[2] = static_cast<int64_t>(total >> 64);
}

template <bool weighted>
struct ValueCounter {
    static constexpr GroupLayout kLayout = GroupLayout::values;
    ValueRows rows;

    int64_t target(int64_t id) const { return rows.q[id]; }
    int64_t weight(int64_t id) const {
        return weighted && rows.weight != nullptr ? rows.weight[id] : 1;
    }
    void count(int64_t id, int64_t* group) const {
        add_to_group(group, weight(id), Wide(weight(id)) * rows.q[id]);
    }
};

// Unit weights, 64-bit sums.
class SquaredError {
  public:
    using Rows = ValueRows;
    using Groups = SquaredError;
    using Counter = ValueCounter<false>;
    static constexpr GroupLayout kLayout = GroupLayout::values;
    static constexpr bool kHasFilter = true;
    static constexpr bool kBoundsSmallNodes = true;
    static constexpr bool kCostlyGain = false;

    SquaredError(const Rows& rows, const NodeStats& node, SweepBuffers&)
        : q_(rows.q), total_(node.weight), sum_(node.sum) {
        mean_ = static_cast<int64_t>(sum_ / total_);
        rest_ = static_cast<double>(sum_ - Wide(mean_) * total_) / static_cast<double>(total_);
    }

    void clear() { left_ = left_sum_ = 0; }
    template <class Id>
    void add(Id id) {
        left_sum_ += q_[id] - mean_;
        ++left_;
    }
    Counter counter() const { return {{q_, nullptr}}; }
    void count(int64_t id, int64_t* group) const { counter().count(id, group); }
    void add_group(const int64_t* group) {
        left_sum_ += static_cast<int64_t>(group_sum(group) - Wide(mean_) * group[0]);
        left_ += group[0];
    }
    int64_t left() const { return left_; }
    // No split of these rows, by whatever column, is better than the best split of their sorted
    // targets: the lowest (or highest) l targets deviate most among all sets of l rows.
    template <class Id>
    void bound_by(const Id* ids, int64_t n) {
        int64_t sorted[kBoundedRows];
        for (int64_t i = 0; i < n; ++i) {
            int64_t at = i;
            for (; at > 0 && sorted[at - 1] > q_[ids[i]]; --at) sorted[at] = sorted[at - 1];
            sorted[at] = q_[ids[i]];
        }
        Wide lowest = 0;
        for (int64_t l = 1; l < n; ++l) {
            lowest += sorted[l - 1];
            const double gain = squared_error_gain(lowest, sum_, l, total_);
            const int64_t lighter = std::min(l, n - l);
            if (gain < perfect_gain_ || (gain == perfect_gain_ && lighter < perfect_lighter_))
                continue;
            perfect_gain_ = gain;
            perfect_lighter_ = lighter;
        }
    }
    double perfect_gain() const { return perfect_gain_; }
    int64_t perfect_lighter() const { return perfect_lighter_; }
    void set_best(double gain) {
        // gain = e * e / (l * r), where e is the left sum around the mean; e of a few units is
        // uncertain itself, so everything is promising then.
        bound_ = gain * static_cast<double>(total_) < 100 ? -1.0 : gain * kSlack;
    }
    double deviation() const {
        return static_cast<double>(left_sum_) - static_cast<double>(left_) * rest_;
    }
    bool promising() const {
        const double e = deviation();
        return e * e >= bound_ * static_cast<double>(left_) * static_cast<double>(total_ - left_);
    }
    bool filters() const { return total_ < kExactProducts; }
    struct Block {
        int64_t first_left, sums[kBlock + 1];
    };
    template <class Id>
    uint64_t look_ahead(const Id* entries, int n, Block& block) const {
        block.first_left = left_;
        const simd::PositionFilter filter{1.0, rest_, static_cast<double>(total_), bound_};
        return simd::kernels().positions.of<Id>().values(filter, q_, mean_, entries, n, left_,
                                                         left_sum_, block.sums);
    }
    void place(const Block& block, int j) {
        left_sum_ = block.sums[j];
        left_ = block.first_left + j;
    }
    double gain(bool) const {
        return squared_error_gain(left_sum_ + Wide(mean_) * left_, sum_, left_, total_);
    }

  private:
    const int64_t* q_;
    int64_t total_;
    Wide sum_;
    int64_t mean_;
    double rest_;
    int64_t left_ = 0, left_sum_ = 0;
    double bound_ = -1.0;
    double perfect_gain_ = -1.0;
    int64_t perfect_lighter_ = 0;
};

// Any weights, 128-bit sums. Promising: a float64 sum beside the exact one, with its rounding.
class WeightedSquaredError {
  public:
    using Rows = ValueRows;
    using Groups = WeightedSquaredError;
    using Counter = ValueCounter<true>;
    static constexpr GroupLayout kLayout = GroupLayout::values;
    static constexpr bool kHasFilter = false;
    static constexpr bool kBoundsSmallNodes = false;
    static constexpr bool kCostlyGain = false;

    WeightedSquaredError(const Rows& rows, const NodeStats& node, SweepBuffers&)
        : rows_(rows), total_(node.weight), sum_(node.sum) {
        mean_ = static_cast<double>(sum_) / static_cast<double>(total_);
        const double reach = std::max(std::fabs(static_cast<double>(node.lowest)),
                                      std::fabs(static_cast<double>(node.highest)));
        rounding_ =
            1e-15 * static_cast<double>(node.rows + 16) * reach * static_cast<double>(total_);
    }

    void clear() {
        left_ = 0;
        left_sum_ = 0;
        around_mean_ = 0;
    }
    template <class Id>
    void add(Id id) {
        move(weight(id), Wide(weight(id)) * rows_.q[id],
             static_cast<double>(weight(id)) * static_cast<double>(rows_.q[id]));
    }
    Counter counter() const { return {rows_}; }
    void count(int64_t id, int64_t* group) const { counter().count(id, group); }
    void add_group(const int64_t* group) {
        move(group[0], group_sum(group), static_cast<double>(group_sum(group)));
    }
    int64_t left() const { return left_; }
    double perfect_gain() const { return INFINITY; }
    int64_t perfect_lighter() const { return 0; }
    void set_best(double gain) { bound_ = gain * kSlack; }
    bool promising() const {
        const double e = std::fabs(around_mean_) + rounding_;
        return e * e >= bound_ * static_cast<double>(left_) * static_cast<double>(total_ - left_);
    }
    double gain(bool) const { return squared_error_gain(left_sum_, sum_, left_, total_); }

  private:
    int64_t weight(int64_t id) const { return rows_.weight == nullptr ? 1 : rows_.weight[id]; }
    void move(int64_t w, Wide sum, double approximate_sum) {
        left_ += w;
        left_sum_ += sum;
        around_mean_ += approximate_sum - static_cast<double>(w) * mean_;
    }

    Rows rows_;
    int64_t total_;
    Wide sum_;
    double mean_, rounding_;
    int64_t left_ = 0;
    Wide left_sum_ = 0;
    double around_mean_ = 0, bound_ = -1.0;
};

// Blocks are filtered for unit weights and 64-bit sums.
class Poisson {
  public:
    using Rows = ValueRows;
    using Groups = Poisson;
    using Counter = ValueCounter<true>;
    static constexpr GroupLayout kLayout = GroupLayout::values;
    static constexpr bool kHasFilter = true;
    static constexpr bool kBoundsSmallNodes = false;
    static constexpr bool kCostlyGain = false;

    Poisson(const Rows& rows, const NodeStats& node, SweepBuffers&)
        : rows_(rows), total_(node.weight), sum_(node.sum) {}

    void clear() {
        left_ = 0;
        left_sum_ = 0;
    }
    template <class Id>
    void add(Id id) {
        left_ += weight(id);
        left_sum_ += Wide(weight(id)) * rows_.q[id];
    }
    Counter counter() const { return {rows_}; }
    void count(int64_t id, int64_t* group) const { counter().count(id, group); }
    void add_group(const int64_t* group) {
        left_ += group[0];
        left_sum_ += group_sum(group);
    }
    int64_t left() const { return left_; }
    double perfect_gain() const { return INFINITY; }
    int64_t perfect_lighter() const { return 0; }
    void set_best(double gain) { bound_ = gain * static_cast<double>(total_) * kSlack; }
    bool promising() const { return true; }
    double gain(bool) const { return poisson_gain(left_sum_, sum_, left_, total_); }

    bool filters() const { return rows_.weight == nullptr && sum_ < (Wide(1) << 62); }
    struct Block {
        int64_t first_left, sums[kBlock + 1];
    };
    template <class Id>
    uint64_t look_ahead(const Id* entries, int n, Block& block) const {
        block.first_left = left_;
        const simd::EventFilter filter{static_cast<double>(sum_), static_cast<double>(total_),
                                       bound_};
        return simd::kernels().positions.of<Id>().events(
            filter, rows_.q, entries, n, left_, static_cast<int64_t>(left_sum_), block.sums);
    }
    void place(const Block& block, int j) {
        left_sum_ = block.sums[j];
        left_ = block.first_left + j;
    }

  private:
    int64_t weight(int64_t id) const { return rows_.weight == nullptr ? 1 : rows_.weight[id]; }

    Rows rows_;
    int64_t total_;
    Wide sum_;
    int64_t left_ = 0;
    Wide left_sum_ = 0;
    double bound_ = -1.0;
};

}  // namespace silva
