// Splits of a node that may still hold the best tree, in the order in which they are tried.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/optimal/problem.hpp"

namespace silva::optimal {

// Splits of one column at the places between `low` and `high`, where the left child of a place has
// the rows before it. The four values are lower bounds: of the left children of all these places
// (left_low), of the left child at `high`, of the right child at `low`, and of the right children
// of all (right_high). A child may hold so many splits.
struct Branch {
    int64_t lower = 0;  // of all trees of the branch
    int64_t guess = 0;  // among equal lower bounds, the smallest is tried first
    int32_t column = 0;
    int64_t low = 0, high = 0;
    int64_t left_low = 0, left_high = 0, right_low = 0, right_high = 0;
    int64_t left_splits = 0, right_splits = 0;
    int64_t budget = 0;          // of work, where it is a task of its own
    int64_t target = kInfinite;  // a task only asks whether there is a tree below this value

    // What children at a place cost at least, from their distance to both ends.
    int64_t left_at(int64_t to_high) const { return std::max(left_low, left_high - to_high); }
    int64_t right_at(int64_t to_low) const { return std::max(right_high, right_low - to_low); }
};

// The least of left_at + right_at over all places, with ends `distance` apart.
inline int64_t interval_bound(const Branch& branch, int64_t distance) {
    const int64_t ends = branch.left_low + branch.right_high;
    const int64_t crossed = branch.left_high + branch.right_low - distance;
    const int64_t all = ends + branch.left_high + branch.right_low - distance;
    return std::max({ends, crossed, all >= 0 ? (all + 1) / 2 : 0});
}

// Branches by lower bound; a total order, so that the search is the same in every run.
class Branches {
  public:
    bool empty() const { return heap_.empty(); }
    size_t size() const { return heap_.size(); }
    const Branch& top() const { return heap_.front(); }
    void clear() { heap_.clear(); }
    void push(const Branch& branch) {
        heap_.push_back(branch);
        std::push_heap(heap_.begin(), heap_.end(), later);
    }
    Branch pop() {
        std::pop_heap(heap_.begin(), heap_.end(), later);
        const Branch branch = heap_.back();
        heap_.pop_back();
        return branch;
    }

  private:
    static bool later(const Branch& a, const Branch& b) {
        if (a.lower != b.lower) return a.lower > b.lower;
        if (a.guess != b.guess) return a.guess > b.guess;
        if (a.column != b.column) return a.column > b.column;
        if (a.left_splits != b.left_splits) return a.left_splits > b.left_splits;
        return a.low > b.low;
    }
    std::vector<Branch> heap_;
};

}  // namespace silva::optimal
