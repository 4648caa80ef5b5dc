// The sweep of Gini impurity for any classes and weights.
#pragma once

#include <bit>

#include "core/search/sweeps/class_groups.hpp"

namespace silva {

// Sums of squared class weights of both children, kept up to date in O(1) a row. They are exact up
// to 2^53; larger ones allow for their rounding.
class GiniGroups : public ClassGroups<GiniGroups> {
    friend ClassGroups<GiniGroups>;

  public:
    GiniGroups(const NodeStats& node, SweepBuffers& buffers) : ClassGroups(node, buffers) {
        for (int32_t k : present_)
            node_squares_ += static_cast<double>(node_[k]) * static_cast<double>(node_[k]);
        if (node_squares_ > kExact)
            rounding_ = 4e-16 * static_cast<double>(node.rows + 16) * node_squares_ *
                        static_cast<double>(node.weight);
        clear();
    }

    void clear() {
        clear_counts();
        left_squares_ = 0;
        right_squares_ = node_squares_;
    }
    void set_best(double gain) {
        bound_ = simd::squares_bound(gain, node_squares_, static_cast<double>(total_));
    }
    bool promising() const {
        const auto l = static_cast<double>(left_), r = static_cast<double>(total_ - left_);
        auto sides = simd::by_squares(left_squares_, right_squares_, l, r, bound_);
        sides.reached += rounding_;
        return simd::passes(sides);
    }
    // Where nearly every class has a row of its own, nearly all gains are equal and every position
    // is promising: then the loop over the classes would be taken at each of them.
    double gain(bool) const {
        const double sum = present_.size() > kFewSquares ? exact_squares() : -1.0;
        if (sum >= 0.0) return spread_gain(sum, left_, total_);
        return gini_gain(counts(), left_, total_);
    }

  protected:
    static constexpr double kExact = 0x1p53;

    // The sum of gini_gain from the sums of squares: the same number where float64 adds up all of
    // its terms exactly, otherwise -1.
    double exact_squares() const {
        if (total_ >= (int64_t{1} << 31) || node_squares_ > kExact) return -1.0;
        const auto left_squares = static_cast<int64_t>(left_squares_);
        const auto node_squares = static_cast<int64_t>(node_squares_);
        const int64_t twice_products =
            node_squares + left_squares - static_cast<int64_t>(right_squares_);
        const Wide w = total_, l = left_;
        const Wide sum = w * w * left_squares - w * l * twice_products + l * l * node_squares;
        return sum <= static_cast<Wide>(kExact) ? static_cast<double>(sum) : -1.0;
    }
    void move(int64_t k, int64_t w) {
        int64_t& l = left_counts_[k];
        const auto l_old = static_cast<double>(l), r_old = static_cast<double>(node_[k] - l);
        const auto x = static_cast<double>(w);
        left_squares_ += x * (2 * l_old + x);
        right_squares_ -= x * (2 * r_old - x);
        l += w;
        left_ += w;
    }

    double node_squares_ = 0, left_squares_ = 0, right_squares_ = 0;
    double bound_ = -1.0, rounding_ = 0.0;
};

// Blocks are filtered for a few classes of unit weight.
template <class Label>
class Gini : public ClassSweep<GiniGroups, Label> {
  public:
    using ClassSweep<GiniGroups, Label>::ClassSweep;

    bool filters() const {
        return this->rows_.weight == nullptr && this->present_.size() <= kFewSquares &&
               this->present_.back() < 256 && this->total_ < kExactProducts;
    }
    struct Block {
        int64_t first_left, first_counts[kFewSquares];  // by index of `present`
        uint64_t entries[kFewSquares];                  // of each class, likewise
    };
    template <class Id>
    uint64_t look_ahead(const Id* entries, int n, Block& block) const {
        uint8_t labels[kBlock];
        for (int j = 0; j < n; ++j)
            labels[j] = static_cast<uint8_t>(this->rows_.label[id_of(entries[j])]);
        block.first_left = this->left_;
        for (size_t i = 0; i < this->present_.size(); ++i)
            block.first_counts[i] = this->left_counts_[this->present_[i]];
        const simd::SquaresFilter filter{
            this->present_.data(), static_cast<int>(this->present_.size()),
            this->left_counts_,    this->node_,
            this->left_squares_,   this->right_squares_,
            this->bound_};
        return simd::kernels().positions.squares(filter, labels, n, this->left_, this->total_,
                                                 block.entries);
    }
    void place(const Block& block, int j) {
        const uint64_t before = j == kBlock ? ~uint64_t{0} : (uint64_t{1} << j) - 1;
        this->left_ = block.first_left + j;
        this->left_squares_ = this->right_squares_ = 0;
        for (size_t i = 0; i < this->present_.size(); ++i) {
            const int32_t k = this->present_[i];
            const int64_t l = block.first_counts[i] + std::popcount(block.entries[i] & before);
            const int64_t r = this->node_[k] - l;
            this->left_counts_[k] = l;
            this->left_squares_ += static_cast<double>(l * l);
            this->right_squares_ += static_cast<double>(r * r);
        }
    }
};

}  // namespace silva
