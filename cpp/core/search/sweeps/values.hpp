// Sweeps of the regression criteria.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/search/sweeps/rows.hpp"

namespace silva {

// The group layout is {weight, low, high} of the sum of targets.
inline Wide group_sum(const int64_t* group) {
    return (Wide(group[2]) << 64) | static_cast<uint64_t>(group[1]);
}
inline void add_to_group(int64_t* group, int64_t weight, Wide sum) {
    const Wide total = group_sum(group) + sum;
    group[0] += weight;
    group[1] = static_cast<int64_t>(total);
    group[2] = static_cast<int64_t>(total >> 64);
}

struct ValueCounter {
    static constexpr GroupLayout kLayout = GroupLayout::values;
    ValueRows rows;

    int64_t target(int64_t id) const { return rows.q[id]; }
    void count(int64_t id, int64_t* group) const {
        const int64_t weight = rows.weight_of(id);
        add_to_group(group, weight, Wide(weight) * rows.q[id]);
    }
};

// What the sweeps over values share: the sum of the left child, of a type that holds it exactly.
template <class Sum>
class ValueSums {
  public:
    using Rows = ValueRows;
    using Counter = ValueCounter;
    static constexpr GroupLayout kLayout = GroupLayout::values;

    ValueSums(const Rows& rows, const NodeStats& node)
        : rows_(rows), total_(node.weight), sum_(node.sum) {}

    void clear() { left_ = left_sum_ = 0; }
    int64_t left() const { return left_; }
    Counter counter() const { return {rows_}; }

  protected:
    template <class Id>
    void add_up(const Id* begin, const Id* end) {
        for (; begin != end; ++begin) {
            const int64_t id = id_of(*begin), w = rows_.weight_of(id);
            left_ += w;
            left_sum_ += Sum(w) * rows_.q[id];
        }
    }

    Rows rows_;
    int64_t total_;
    Wide sum_;
    int64_t left_ = 0;
    Sum left_sum_ = 0;
    double bound_ = -1.0;
};

// The best split that the rows of a small node have by any column.
class PerfectSplit {
  public:
    double perfect_gain() const { return best_.first; }
    int64_t perfect_lighter() const { return best_.second; }

  protected:
    void allow(double gain, int64_t lighter) { best_ = std::max(best_, {gain, lighter}); }

  private:
    std::pair<double, int64_t> best_{-1.0, 0};
};

// Unit weights and 64-bit sums, kept around the node's mean.
class SquaredError : public ValueSums<int64_t>, public PerfectSplit {
  public:
    using Groups = SquaredError;
    static constexpr int64_t kBoundedRows = 7;

    SquaredError(const Rows& rows, const NodeStats& node, SweepBuffers&) : ValueSums(rows, node) {
        mean_ = static_cast<int64_t>(sum_ / total_);
        rest_ = static_cast<double>(sum_ - Wide(mean_) * total_) / static_cast<double>(total_);
    }

    void add(int64_t id) {
        left_sum_ += rows_.q[id] - mean_;
        ++left_;
    }
    void add_group(const int64_t* group) {
        left_sum_ += static_cast<int64_t>(group_sum(group) - Wide(mean_) * group[0]);
        left_ += group[0];
    }
    // No split of these rows, by whatever column, is better than the best split of their sorted
    // targets: the lowest (or highest) l targets deviate most among all sets of l rows.
    template <class Id>
    void bound_by(const Id* ids, int64_t n) {
        int64_t sorted[kBoundedRows];
        for (int64_t i = 0; i < n; ++i) {
            sorted[i] = rows_.q[ids[i]];
            std::rotate(std::upper_bound(sorted, sorted + i, sorted[i]), sorted + i,
                        sorted + i + 1);
        }
        Wide lowest = 0;
        for (int64_t l = 1; l < n; ++l) {
            lowest += sorted[l - 1];
            allow(squared_error_gain(lowest, sum_, l, total_), std::min(l, n - l));
        }
    }
    void set_best(double gain) {
        // A deviation of a few units is uncertain itself, so everything is promising then.
        bound_ = gain * static_cast<double>(total_) < 100 ? -1.0 : gain * kSlack;
    }
    bool promising() const {
        const auto l = static_cast<double>(left_), r = static_cast<double>(total_ - left_);
        const double deviation = static_cast<double>(left_sum_) - l * rest_;
        return simd::passes(simd::by_deviation(deviation, l, r, bound_));
    }
    double gain(bool) const {
        return squared_error_gain(left_sum_ + Wide(mean_) * left_, sum_, left_, total_);
    }

    bool filters() const { return total_ < kExactProducts; }
    // Sums before each entry.
    struct Block {
        int64_t first_left, sums[kBlock + 1];
    };
    template <class Id>
    uint64_t look_ahead(const Id* entries, int n, Block& block) const {
        block.first_left = left_;
        const simd::PositionFilter filter{1.0, rest_, static_cast<double>(total_), bound_};
        return simd::kernels().positions.of<Id>().values(filter, rows_.q, mean_, entries, n, left_,
                                                         left_sum_, block.sums);
    }
    void place(const Block& block, int j) {
        left_sum_ = block.sums[j];
        left_ = block.first_left + j;
    }

  private:
    int64_t mean_;
    double rest_;  // of the mean
};

// Any weights, 128-bit sums. Promising: a float64 sum beside the exact one, with its rounding.
class WeightedSquaredError : public ValueSums<Wide>, public PerfectSplit {
  public:
    using Groups = WeightedSquaredError;
    static constexpr int64_t kBoundedRows = 6;

    WeightedSquaredError(const Rows& rows, const NodeStats& node, SweepBuffers&)
        : ValueSums(rows, node) {
        const auto total = static_cast<double>(total_);
        mean_ = centred_sum(sum_, total_) / total;
        const auto reach = static_cast<double>(
            std::max(std::abs(node.lowest - rows.mean_q), std::abs(node.highest - rows.mean_q)));
        rounding_ = 1e-15 * static_cast<double>(node.rows + 16) * reach * total;
    }

    void clear() {
        ValueSums::clear();
        around_mean_ = 0;
    }
    void add(int64_t id) {
        const int64_t w = rows_.weight_of(id), q = rows_.q[id];
        move(w, Wide(w) * q, static_cast<double>(w) * static_cast<double>(q - rows_.mean_q));
    }
    void add_group(const int64_t* group) {
        move(group[0], group_sum(group), centred_sum(group_sum(group), group[0]));
    }
    // Every set of rows with the last one on the right: 31 for 6 rows. Gains are the same for both
    // sides.
    template <class Id>
    void bound_by(const Id* ids, int64_t n) {
        int64_t weights[32] = {};
        Wide sums[32] = {};
        for (int64_t i = 0; i + 1 < n; ++i) {
            const int64_t w = rows_.weight_of(ids[i]), bit = int64_t{1} << i;
            for (int64_t set = bit; set < 2 * bit; ++set) {
                weights[set] = weights[set - bit] + w;
                sums[set] = sums[set - bit] + Wide(w) * rows_.q[ids[i]];
                allow(squared_error_gain(sums[set], sum_, weights[set], total_),
                      std::min(weights[set], total_ - weights[set]));
            }
        }
    }
    void set_best(double gain) { bound_ = gain * kSlack; }
    bool promising() const {
        const auto l = static_cast<double>(left_), r = static_cast<double>(total_ - left_);
        return simd::passes(simd::by_deviation(std::fabs(around_mean_) + rounding_, l, r, bound_));
    }
    double gain(bool) const { return squared_error_gain(left_sum_, sum_, left_, total_); }

    simd::RoundedFilter rounded_filter() const {
        return {mean_, rounding_, static_cast<double>(total_), bound_};
    }
    // As many calls of `add`.
    template <class Id>
    void add_all(const Id* begin, const Id* end) {
        add_up(begin, end);
        around_mean_ = centred_sum(left_sum_, left_) - static_cast<double>(left_) * mean_;
    }

  private:
    double centred_sum(Wide sum, int64_t weight) const {
        return static_cast<double>(sum - Wide(rows_.mean_q) * weight);
    }
    void move(int64_t w, Wide sum, double approximate_sum) {
        left_ += w;
        left_sum_ += sum;
        around_mean_ += approximate_sum - static_cast<double>(w) * mean_;
    }

    double mean_;      // less mean_q
    double rounding_;  // of the mean and of around_mean_
    double around_mean_ = 0;
};

// Blocks of unit weights are filtered where 64-bit sums are exact. Promising: the logarithm of a
// child's rate over that of the node, t, is at most (t - 1) (t + 5) / (4 t + 2); a float64 sum
// beside the exact one, with its rounding.
class Poisson : public ValueSums<Wide> {
  public:
    using Groups = Poisson;
    static constexpr int kSkipped = kBlock;

    Poisson(const Rows& rows, const NodeStats& node, SweepBuffers&)
        : ValueSums(rows, node), events_(static_cast<double>(sum_)) {
        rate_ = events_ / static_cast<double>(total_);
        rounding_ = 1e-15 * static_cast<double>(node.rows + 64) * events_;
    }

    void clear() {
        ValueSums::clear();
        left_events_ = 0;
    }
    void add(int64_t id) {
        const int64_t w = rows_.weight_of(id), q = rows_.q[id];
        left_ += w;
        left_sum_ += Wide(w) * q;
        left_events_ += static_cast<double>(w) * static_cast<double>(q);
    }
    void add_group(const int64_t* group) {
        left_ += group[0];
        left_sum_ += group_sum(group);
        left_events_ += static_cast<double>(group_sum(group));
    }
    void set_best(double gain) {
        bound_ = gain * static_cast<double>(total_) * kSlack;
        needed_ = bound_ - rounding_;
    }
    bool promising() const { return may_reach(left_events_, left_); }
    // Moves so many entries to the left, unless a position on the way may be promising. The score
    // is convex in the rows and the events on the left, which both only grow: its maximum is at a
    // corner.
    template <class Entry>
    bool skip(const Entry* entries, int n) {
        Poisson end = *this;
        for (int j = 0; j < n; ++j) end.add(static_cast<uint32_t>(entries[j]));
        if (promising() || end.promising() || may_reach(left_events_, end.left_) ||
            may_reach(end.left_events_, left_))
            return false;
        *this = end;
        return true;
    }
    double gain(bool) const { return poisson_gain(left_sum_, sum_, left_, total_); }

    bool filters() const { return rows_.weight == nullptr && sum_ < (Wide(1) << 62); }
    // Sums before each entry.
    struct Block {
        int64_t first_left, sums[kBlock + 1];
    };
    template <class Id>
    uint64_t look_ahead(const Id* entries, int n, Block& block) const {
        block.first_left = left_;
        const simd::EventFilter filter{events_, static_cast<double>(total_), bound_};
        return simd::kernels().positions.of<Id>().events(
            filter, rows_.q, entries, n, left_, static_cast<int64_t>(left_sum_), block.sums);
    }
    void place(const Block& block, int j) {
        left_ = block.first_left + j;
        left_sum_ = block.sums[j];
        left_events_ = static_cast<double>(block.sums[j]);
    }

    simd::EventFilter rounded_filter() const {
        return {events_, static_cast<double>(total_), bound_ - kMostLogarithm * rounding_};
    }
    // As many calls of `add`.
    template <class Id>
    void add_all(const Id* begin, const Id* end) {
        add_up(begin, end);
        left_events_ = static_cast<double>(left_sum_);
    }

  private:
    bool may_reach(double left_events, int64_t left) const {
        const double left_most = most_of(left_events, rate_ * static_cast<double>(left));
        const double right_most =
            most_of(events_ - left_events, rate_ * static_cast<double>(total_ - left));
        return !(left_most + right_most < needed_);
    }
    // At least events * log(events / expected).
    static double most_of(double events, double expected) {
        return events * (events - expected) * (events + 5 * expected) /
               (expected * (4 * events + 2 * expected));
    }

    // An error of the events changes a part by at most so many times as much: weights are below
    // 2^42, so that the logarithm of a rate over that of the node is below 30.
    static constexpr double kMostLogarithm = 30;

    double events_, rate_, rounding_, needed_ = -1.0;
    double left_events_ = 0;
};

}  // namespace silva
