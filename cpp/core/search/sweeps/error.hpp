// The sweep of the error rate.
#pragma once

#include <algorithm>

#include "core/search/sweeps/class_groups.hpp"

namespace silva {

// Promising: the majority of the left child is exact, that of the right one an upper bound that is
// sharpened whenever it lets a position through. Many classes are kept in a heap for that, ordered
// by weights that may have become less since: each look sets those right that it meets.
class ErrorGroups : public ClassGroups<ErrorGroups> {
    friend ClassGroups<ErrorGroups>;

  public:
    ErrorGroups(const NodeStats& node, SweepBuffers& buffers)
        : ClassGroups(node, buffers), heaviest_(&buffers.heaviest) {
        for (int32_t k : present_) node_most_ = std::max(node_most_, node_[k]);
        clear();
    }

    void clear() {
        clear_counts();
        heaviest_->clear();
        left_most_ = 0;
        right_most_ = node_most_;
    }
    void set_best(double gain) {
        bound_ = static_cast<double>(node_most_) + gain * static_cast<double>(total_) * kSlack;
    }
    bool promising() {
        if (!reaches_bound()) return false;
        right_most_ = right_majority();
        return reaches_bound();
    }
    double gain(bool) {
        if (present_.size() <= kFewSquares) return error_gain(counts(), total_);
        const int64_t both = left_most_ + right_majority();
        return static_cast<double>(both - node_most_) / static_cast<double>(total_);
    }

  protected:
    int64_t right_of(int32_t k) const { return node_[k] - left_counts_[k]; }
    int64_t right_majority() {
        if (present_.size() > kFewSquares) return top_of_heap();
        int64_t most = 0;
        for (int32_t k : present_) most = std::max(most, right_of(k));
        return most;
    }
    // Rows only leave the right child, so each class is set right at most once for each of its
    // rows.
    int64_t top_of_heap() {
        std::vector<std::pair<int64_t, int32_t>>& heap = *heaviest_;
        if (heap.empty()) {
            for (int32_t k : present_) heap.emplace_back(right_of(k), k);
            std::make_heap(heap.begin(), heap.end());
        }
        while (heap.front().first != right_of(heap.front().second)) {
            std::pop_heap(heap.begin(), heap.end());
            heap.back().first = right_of(heap.back().second);
            std::push_heap(heap.begin(), heap.end());
        }
        return heap.front().first;
    }
    bool reaches_bound() const { return static_cast<double>(left_most_ + right_most_) >= bound_; }
    void move(int64_t k, int64_t w) {
        left_counts_[k] += w;
        left_most_ = std::max(left_most_, left_counts_[k]);
        left_ += w;
    }

    std::vector<std::pair<int64_t, int32_t>>* heaviest_;
    int64_t node_most_ = 0, left_most_ = 0, right_most_ = 0;
    double bound_ = -1.0;
};

template <class Label>
using Error = ClassSweep<ErrorGroups, Label>;

}  // namespace silva
