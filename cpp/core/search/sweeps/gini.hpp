// The sweep of Gini impurity for any classes and weights.
#pragma once

#include <algorithm>
#include <type_traits>

#include "core/search/promising_weights.hpp"
#include "core/search/sweeps/class_groups.hpp"

namespace silva {

// Any classes: sums of squared class weights of both children, kept up to date in O(1) a row.
// Unit weights keep them exact; weighted sums are float64 and allow for their rounding.
template <bool weighted>
class GiniGroups : public ClassGroups<GiniGroups<weighted>> {
    using Base = ClassGroups<GiniGroups<weighted>>;
    friend Base;

  public:
    GiniGroups(const NodeStats& node, SweepBuffers& buffers) : Base(node, buffers) {
        for (int32_t k : this->present_)
            node_squares_ += static_cast<Sum>(this->node_[k]) * static_cast<Sum>(this->node_[k]);
        if (weighted)
            absolute_ = 4e-16 * static_cast<double>(node.rows + 16) *
                        static_cast<double>(node_squares_) * static_cast<double>(node.weight);
        clear();
    }

    void clear() {
        this->clear_counts();
        left_squares_ = 0;
        right_squares_ = node_squares_;
    }
    void set_best(double gain) {
        const double w = static_cast<double>(this->total_);
        bound_ = (static_cast<double>(node_squares_) / w + gain * w * kSlack) * (1 - 1e-14);
        deviation_bound_ = gain * w * w / 2 * kSlack;
    }
    bool promising() const {
        const double l = static_cast<double>(this->left_);
        const double r = static_cast<double>(this->total_ - this->left_);
        return static_cast<double>(left_squares_) * r + static_cast<double>(right_squares_) * l +
                   absolute_ >=
               bound_ * l * r;
    }
    // Where nearly every class has a row of its own, nearly all gains are equal and every position
    // is promising: then the loop over the classes would be taken at each of them.
    double gain(bool) const {
        const double sum = this->present_.size() > kFewSquares ? exact_squares() : -1.0;
        if (sum >= 0.0) return spread_gain(sum, this->left_, this->total_);
        return gini_gain(this->counts(), this->left_, this->total_);
    }

  protected:
    using Sum = std::conditional_t<weighted, double, int64_t>;

    // The sum of gini_gain from the sums of squares: the same number where float64 adds up all of
    // its terms exactly, otherwise -1.
    double exact_squares() const {
        constexpr int64_t exact = int64_t{1} << 53;
        if (this->total_ >= (int64_t{1} << 31) || node_squares_ > static_cast<Sum>(exact))
            return -1.0;
        const auto left_squares = static_cast<int64_t>(left_squares_);
        const auto node_squares = static_cast<int64_t>(node_squares_);
        const int64_t twice_products =
            node_squares + left_squares - static_cast<int64_t>(right_squares_);
        const Wide w = this->total_, l = this->left_;
        const Wide sum = w * w * left_squares - w * l * twice_products + l * l * node_squares;
        return sum <= exact ? static_cast<double>(sum) : -1.0;
    }
    void count_squares() {
        left_squares_ = right_squares_ = 0;
        for (int32_t k : this->present_) {
            const Sum l = static_cast<Sum>(this->left_counts_[k]);
            const Sum r = static_cast<Sum>(this->node_[k] - this->left_counts_[k]);
            left_squares_ += l * l;
            right_squares_ += r * r;
        }
    }
    void move(int64_t k, int64_t w) {
        int64_t& l = this->left_counts_[k];
        const Sum l_old = static_cast<Sum>(l), r_old = static_cast<Sum>(this->node_[k] - l);
        const Sum x = static_cast<Sum>(w);
        left_squares_ += x * (2 * l_old + x);
        right_squares_ -= x * (2 * r_old - x);
        l += w;
        this->left_ += w;
    }

    Sum node_squares_ = 0, left_squares_ = 0, right_squares_ = 0;
    double bound_ = -1.0, deviation_bound_ = -1.0, absolute_ = 0.0;
};

// Blocks are filtered for a few classes of unit weight, and for two classes of any weights.
template <class Label, bool weighted>
class Gini : public ClassSweep<GiniGroups<weighted>, Label, weighted> {
    using Base = ClassSweep<GiniGroups<weighted>, Label, weighted>;

  public:
    static constexpr bool kHasFilter = true;
    using Base::Base;

    bool filters() const {
        if (weighted) return this->rows_.signed_weight != nullptr;
        return sizeof(Label) == 1 && this->present_.size() <= kFewSquares &&
               this->total_ < kExactProducts;
    }
    // `entries` are labels, or weights that are below zero for class 0. `at` is the position in the
    // block that the sweep is at.
    struct Block {
        std::conditional_t<weighted, int64_t, uint8_t> entries[kBlock];
        int at;
    };
    template <class Id>
    uint64_t look_ahead(const Id* entries, int n, Block& block) const {
        block.at = 0;
        if constexpr (weighted) {
            const WeightFilter filter{static_cast<double>(this->total_),
                                      static_cast<double>(this->node_[1]), this->deviation_bound_};
            return promising_weights(filter, this->rows_.signed_weight, entries, n,
                                     {this->left_counts_[1], this->left_}, block.entries);
        } else {
            for (int j = 0; j < n; ++j)
                block.entries[j] = static_cast<uint8_t>(this->rows_.label[id_of(entries[j])]);
            const simd::SquaresFilter filter{
                this->present_.data(), static_cast<int>(this->present_.size()),
                this->left_counts_,    this->node_,
                this->left_squares_,   this->right_squares_,
                this->bound_};
            return simd::kernels().positions.squares(filter, block.entries, n, this->left_,
                                                     this->total_);
        }
    }
    void place(Block& block, int j) {
        if constexpr (weighted)
            place_weights(block, j);
        else
            place_labels(block, j);
    }

  private:
    void place_weights(Block& block, int j) {
        const int sign = block.at < j ? 1 : -1;
        const int begin = std::min(block.at, j), end = std::max(block.at, j);
        int64_t ones = 0, both = 0;
        for (int i = begin; i < end; ++i) {
            ones += std::max<int64_t>(block.entries[i], 0);
            both += std::abs(static_cast<int64_t>(block.entries[i]));
        }
        this->left_counts_[1] += sign * ones;
        this->left_counts_[0] += sign * (both - ones);
        this->left_ += sign * both;
        block.at = j;
        this->count_squares();
    }
    void place_labels(Block& block, int j) {
        for (; block.at > j; --block.at) this->move(block.entries[block.at - 1], -1);
        if (j - block.at > static_cast<int>(this->present_.size())) {
            simd::kernels().positions.count_labels(
                block.entries + block.at, j - block.at, this->present_.data(),
                static_cast<int>(this->present_.size()), this->left_counts_);
            this->left_ += j - block.at;
            block.at = j;
            this->count_squares();
        }
        for (; block.at < j; ++block.at) this->move(block.entries[block.at], 1);
    }
};

}  // namespace silva
