// The sweep of entropy.
#pragma once

#include <algorithm>

#include "core/search/sweeps/class_groups.hpp"
#include "core/search/sweeps/n_log_n.hpp"

namespace silva {

// Promising: sums of n log n, kept up to date in O(1) a row, forgiving their rounding.
class EntropyGroups : public ClassGroups<EntropyGroups> {
    friend ClassGroups<EntropyGroups>;

  public:
    EntropyGroups(const NodeStats& node, SweepBuffers& buffers) : ClassGroups(node, buffers) {
        for (int32_t k : present_) node_terms_ += n_log_n_(node_[k]);
        const double size = n_log_n_(total_) + 1;
        rounding_ = 1e-15 * static_cast<double>(node.rows + 16) * size;
        clear();
    }

    void clear() {
        clear_counts();
        terms_ = node_terms_;
    }
    void set_best(double gain) {
        const double w = static_cast<double>(total_);
        bound_ = node_terms_ - n_log_n_(total_) + gain * w * kSlack - rounding_;
    }
    double score() const { return terms_ - n_log_n_(left_) - n_log_n_(total_ - left_); }
    bool promising() const { return score() >= std::max(bound_, floor_); }
    // Positions whose score is below the best score by more than its rounding are not promising. A
    // gain takes as many logarithms as there are classes.
    void set_floor(double best_score) { floor_ = best_score - 2 * rounding_; }
    size_t n_present() const { return present_.size(); }
    double gain(bool swapped) const { return entropy_gain(counts(), left_, total_, swapped); }

  protected:
    // Of two classes, where the left child has so many rows of each.
    double terms_of(int64_t l0, int64_t l1) const {
        return (n_log_n_(l0) + n_log_n_(node_[0] - l0)) + (n_log_n_(l1) + n_log_n_(node_[1] - l1));
    }
    bool reaches(int64_t l0, int64_t l1) const {
        const double score = terms_of(l0, l1) - n_log_n_(l0 + l1) - n_log_n_(total_ - l0 - l1);
        return score >= std::max(bound_, floor_) - rounding_;
    }
    // The score is convex in the numbers of both classes on the left: its maximum is at a corner.
    bool reaches_within(int64_t l0, int64_t l1, int64_t more0, int64_t more1) const {
        const auto passes_at = [&](int64_t ones, int64_t l) { return reaches(l - ones, ones); };
        return simd::any_corner(passes_at, l1, l0 + l1, more1, more0);
    }
    void stand_at(int64_t l0, int64_t l1) { terms_ = terms_of(l0, l1); }
    void move(int64_t k, int64_t w) {
        int64_t& l = left_counts_[k];
        const int64_t r = node_[k] - l;
        terms_ += (n_log_n_(l + w) - n_log_n_(l)) + (n_log_n_(r - w) - n_log_n_(r));
        l += w;
        left_ += w;
    }

    NLogN n_log_n_;
    double node_terms_ = 0, terms_ = 0, rounding_, bound_ = -1e300, floor_ = -INFINITY;
};

template <class Label>
using Entropy = TwoClassBlocks<EntropyGroups, Label>;

}  // namespace silva
