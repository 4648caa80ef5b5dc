// The sweep of the error rate.
#pragma once

#include <algorithm>

#include "core/search/sweeps/class_groups.hpp"

namespace silva {

// Promising: the majority of the left child is exact, that of the right one an upper bound that is
// sharpened whenever it lets a position through. Many classes are kept in a heap for that, ordered
// by weights that may have become less since: each look sets those right that it meets.
//
// Gains are whole numbers over one total, so that many positions tie: those that tie with the best
// split are promising only if their lighter child is as heavy as that split's.
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
        const double total = static_cast<double>(total_);
        bound_ = static_cast<double>(node_most_) + gain * total * kSlack;
        tie_ = static_cast<double>(node_most_) + gain * total + 0.5;
        best_lighter_ = 0;
    }
    // To be called after set_best, if the best split has no charge.
    void set_best_lighter(int64_t lighter) { best_lighter_ = lighter; }
    bool promising() {
        const int64_t lighter = std::min(left_, total_ - left_);
        if (!can_win(left_most_ + right_most_, lighter)) return false;
        right_most_ = right_majority();
        return can_win(left_most_ + right_most_, lighter);
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
    // With majorities of so much weight together, and a lighter child of at most this weight.
    bool can_win(int64_t both, int64_t lighter) const {
        const auto reached = static_cast<double>(both);
        return reached >= bound_ && (reached > tie_ || lighter >= best_lighter_);
    }
    // Of two classes.
    int64_t majorities(int64_t l0, int64_t l1) const {
        return std::max(l0, l1) + std::max(node_[0] - l0, node_[1] - l1);
    }
    bool reaches(int64_t l0, int64_t l1) const {
        return can_win(majorities(l0, l1), std::min(l0 + l1, total_ - l0 - l1));
    }
    // Majorities are convex in the numbers of both classes on the left: the most are at a corner.
    bool reaches_within(int64_t l0, int64_t l1, int64_t more0, int64_t more1) const {
        const int64_t both =
            std::max(std::max(majorities(l0, l1), majorities(l0 + more0, l1 + more1)),
                     std::max(majorities(l0 + more0, l1), majorities(l0, l1 + more1)));
        return can_win(both, std::min(l0 + l1 + more0 + more1, total_ - l0 - l1));
    }
    void stand_at(int64_t l0, int64_t l1) {
        left_most_ = std::max(l0, l1);
        right_most_ = std::max(node_[0] - l0, node_[1] - l1);
    }
    void move(int64_t k, int64_t w) {
        left_counts_[k] += w;
        left_most_ = std::max(left_most_, left_counts_[k]);
        left_ += w;
    }

    std::vector<std::pair<int64_t, int32_t>>* heaviest_;
    int64_t node_most_ = 0, left_most_ = 0, right_most_ = 0;
    double bound_ = -1.0, tie_ = 0.0;
    int64_t best_lighter_ = 0;
};

template <class Label>
class Error : public TwoClassBlocks<ErrorGroups, Label> {
    using Base = TwoClassBlocks<ErrorGroups, Label>;

  public:
    static constexpr int kSkipped = 16;
    using Base::Base;

    // Two classes: moves so many entries to the left, unless a position on the way may be
    // promising.
    template <class Entry>
    bool skip(const Entry* entries, int n) {
        if (this->present_.size() != 2 || this->present_[1] != 1) return false;
        int64_t all = 0, ones = 0;
        for (int j = 0; j < n; ++j) {
            const auto id = static_cast<uint32_t>(entries[j]);
            const int64_t w = this->rows_.weight_of(id);
            all += w;
            ones += this->rows_.label[id] * w;
        }
        int64_t &l0 = this->left_counts_[0], &l1 = this->left_counts_[1];
        if (this->reaches_within(l0, l1, all - ones, ones)) return false;
        l0 += all - ones;
        l1 += ones;
        this->left_ += all;
        this->stand_at(l0, l1);
        return true;
    }
};

}  // namespace silva
