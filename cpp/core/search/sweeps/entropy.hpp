// The sweep of entropy.
#pragma once

#include <algorithm>
#include <bit>

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
    double score_of(int64_t l0, int64_t l1) const {
        return terms_of(l0, l1) - n_log_n_(l0 + l1) - n_log_n_(total_ - l0 - l1);
    }
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

// Blocks are filtered for two classes of unit weight.
template <class Label>
class Entropy : public ClassSweep<EntropyGroups, Label> {
  public:
    using ClassSweep<EntropyGroups, Label>::ClassSweep;

    bool filters() const {
        return this->rows_.weight == nullptr && this->rows_.ones != nullptr &&
               this->present_.size() == 2;
    }
    struct Block {
        int64_t first[2];  // rows of each class on the left before the block
        uint64_t ones;     // the labels of the entries
    };
    // The score is convex in the numbers of zeros and ones on the left: no position of the block
    // is promising if none of its corners is.
    template <class Id>
    uint64_t look_ahead(const Id* entries, int n, Block& block) const {
        const int64_t zeros = this->left_counts_[0], ones = this->left_counts_[1];
        block.first[0] = zeros;
        block.first[1] = ones;
        block.ones = simd::kernels().positions.of<Id>().bits(this->rows_.ones, entries, n);
        const int more_ones = std::popcount(block.ones), more_zeros = n - more_ones;
        const double needed = std::max(this->bound_, this->floor_) - this->rounding_;
        const auto reaches = [&](int64_t l0, int64_t l1) {
            return this->score_of(l0, l1) >= needed;
        };
        const auto passes_at = [&](int64_t l1, int64_t l) { return reaches(l - l1, l1); };
        if (!simd::any_corner(passes_at, ones, zeros + ones, int64_t{more_ones},
                              int64_t{more_zeros}))
            return 0;
        uint64_t mask = 0;
        for (int j = 0; j < n; ++j) {
            const int64_t before = std::popcount(block.ones & ((uint64_t{1} << j) - 1));
            mask |= uint64_t{reaches(zeros + j - before, ones + before)} << j;
        }
        return mask;
    }
    void place(const Block& block, int j) {
        const uint64_t before = j == kBlock ? ~uint64_t{0} : (uint64_t{1} << j) - 1;
        const int64_t more_ones = std::popcount(block.ones & before);
        this->left_counts_[0] = block.first[0] + j - more_ones;
        this->left_counts_[1] = block.first[1] + more_ones;
        this->left_ = block.first[0] + block.first[1] + j;
        this->terms_ = this->terms_of(this->left_counts_[0], this->left_counts_[1]);
    }
};

}  // namespace silva
