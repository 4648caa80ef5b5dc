// Sweeps of the classification criteria.
#pragma once

#include <algorithm>
#include <bit>
#include <type_traits>

#include "core/promising_weights.hpp"
#include "core/sweeps/n_log_n.hpp"
#include "core/sweeps/rows.hpp"

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

// What the sweeps over class weights share: the counts of the left child. A sweep is a small value
// that can live in registers; the arrays that it points to belong to `SweepBuffers`.
// `Sweep` is the sweep itself, whose `move` takes weight of one class from right to left.
template <class Sweep>
class ClassGroups {
  public:
    static constexpr GroupLayout kLayout = GroupLayout::entries;
    static constexpr bool kCostlyGain = false;

    ClassGroups(const NodeStats& node, SweepBuffers& buffers)
        : total_(node.weight), node_(node.classes.data()) {
        buffers.left_counts.assign(node.classes.size(), 0);
        buffers.present.clear();
        for (size_t k = 0; k < node.classes.size(); ++k)
            if (node.classes[k] > 0) buffers.present.push_back(static_cast<int32_t>(k));
        left_counts_ = buffers.left_counts.data();
        present_ = {buffers.present.data(), buffers.present.size()};
    }

    void add_group(const int64_t* group) {
        for (int32_t k : present_)
            if (group[k] > 0) static_cast<Sweep*>(this)->move(k, group[k]);
    }
    void add_class(int32_t k, int64_t weight) { static_cast<Sweep*>(this)->move(k, weight); }
    int64_t left() const { return left_; }
    double perfect_gain() const { return INFINITY; }
    int64_t perfect_lighter() const { return 0; }

  protected:
    void clear_counts() {
        left_ = 0;
        for (int32_t k : present_) left_counts_[k] = 0;
    }
    ClassCounts counts() const { return {left_counts_, node_, present_}; }

    int64_t total_;
    const int64_t* node_;
    int64_t* left_counts_;
    std::span<const int32_t> present_;
    int64_t left_ = 0;
};

// Adds rows to groups that move.
template <class GroupSweep, class Label, bool weighted>
class ClassSweep : public GroupSweep {
  public:
    using Rows = ClassRows<Label>;
    using Groups = GroupSweep;
    using Counter = ClassCounter<Label, weighted>;
    static constexpr bool kHasFilter = false;
    static constexpr bool kBoundsSmallNodes = false;

    ClassSweep(const Rows& rows, const NodeStats& node, SweepBuffers& buffers)
        : GroupSweep(node, buffers), rows_(rows) {}

    template <class Id>
    void add(Id id) {
        this->move(rows_.label[id], weight(id));
    }
    Counter counter() const { return {rows_}; }
    void count(int64_t id, int64_t* group) const { counter().count(id, group); }
    // Takes a row out of the counts only; what else the sweep knows is put back by its owner.
    template <class Id>
    void forget(Id id) {
        this->left_counts_[rows_.label[id]] -= weight(id);
    }

  protected:
    int64_t weight(int64_t id) const { return counter().weight(id); }

    Rows rows_;
};

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

// Promising: sums of n log n, kept up to date in O(1) a row, forgiving their rounding.
class EntropyGroups : public ClassGroups<EntropyGroups> {
    friend ClassGroups<EntropyGroups>;

  public:
    static constexpr bool kCostlyGain = true;  // as many logarithms as there are classes

    EntropyGroups(const NodeStats& node, SweepBuffers& buffers) : ClassGroups(node, buffers) {
        for (int32_t k : this->present_) node_terms_ += n_log_n_(this->node_[k]);
        const double size = n_log_n_(this->total_) + 1;
        rounding_ = 1e-15 * static_cast<double>(node.rows + 16) * size;
        clear();
    }

    void clear() {
        this->clear_counts();
        terms_ = node_terms_;
    }
    void set_best(double gain) {
        const double w = static_cast<double>(this->total_);
        bound_ = node_terms_ - n_log_n_(this->total_) + gain * w * kSlack - rounding_;
    }
    double score() const {
        return terms_ - n_log_n_(this->left_) - n_log_n_(this->total_ - this->left_);
    }
    bool promising() const { return score() >= std::max(bound_, floor_); }
    // Positions whose score is below the best score by more than its rounding are not promising.
    void set_floor(double best_score) { floor_ = best_score - 2 * rounding_; }
    size_t n_present() const { return this->present_.size(); }
    double gain(bool swapped) const {
        return entropy_gain(this->counts(), this->left_, this->total_, swapped);
    }

  protected:
    // Of two classes, where the left child has so many rows of each.
    double terms_of(int64_t l0, int64_t l1) const {
        return (n_log_n_(l0) + n_log_n_(this->node_[0] - l0)) +
               (n_log_n_(l1) + n_log_n_(this->node_[1] - l1));
    }
    double score_of(int64_t l0, int64_t l1) const {
        return terms_of(l0, l1) - n_log_n_(l0 + l1) - n_log_n_(this->total_ - l0 - l1);
    }
    void move(int64_t k, int64_t w) {
        int64_t& l = this->left_counts_[k];
        const int64_t r = this->node_[k] - l;
        terms_ += (n_log_n_(l + w) - n_log_n_(l)) + (n_log_n_(r - w) - n_log_n_(r));
        l += w;
        this->left_ += w;
    }

    NLogN n_log_n_;
    double node_terms_ = 0, terms_ = 0, rounding_, bound_ = -1e300, floor_ = -INFINITY;
};

// Blocks are filtered for two classes of unit weight.
template <class Label, bool weighted>
class Entropy : public ClassSweep<EntropyGroups, Label, weighted> {
    using Base = ClassSweep<EntropyGroups, Label, weighted>;

  public:
    static constexpr bool kHasFilter = true;
    using Base::Base;

    bool filters() const {
        return !weighted && this->rows_.ones != nullptr && this->present_.size() == 2;
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
        if (!reaches(zeros, ones) && !reaches(zeros + more_zeros, ones) &&
            !reaches(zeros, ones + more_ones) && !reaches(zeros + more_zeros, ones + more_ones))
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

// Promising: the majority of the left child is exact, that of the right one an upper bound that is
// sharpened whenever it lets a position through. Many classes are kept in a heap for that, ordered
// by weights that may have become less since: each look sets those right that it meets.
class ErrorGroups : public ClassGroups<ErrorGroups> {
    friend ClassGroups<ErrorGroups>;

  public:
    ErrorGroups(const NodeStats& node, SweepBuffers& buffers)
        : ClassGroups(node, buffers), heaviest_(&buffers.heaviest) {
        for (int32_t k : this->present_) node_most_ = std::max(node_most_, this->node_[k]);
        clear();
    }

    void clear() {
        this->clear_counts();
        heaviest_->clear();
        left_most_ = 0;
        right_most_ = node_most_;
    }
    void set_best(double gain) {
        bound_ =
            static_cast<double>(node_most_) + gain * static_cast<double>(this->total_) * kSlack;
    }
    bool promising() {
        if (!reaches_bound()) return false;
        right_most_ = right_majority();
        return reaches_bound();
    }
    double gain(bool) {
        if (this->present_.size() <= kFewSquares) return error_gain(this->counts(), this->total_);
        const int64_t both = left_most_ + right_majority();
        return static_cast<double>(both - node_most_) / static_cast<double>(this->total_);
    }

  protected:
    int64_t right_of(int32_t k) const { return this->node_[k] - this->left_counts_[k]; }
    int64_t right_majority() {
        if (this->present_.size() > kFewSquares) return top_of_heap();
        int64_t most = 0;
        for (int32_t k : this->present_) most = std::max(most, right_of(k));
        return most;
    }
    // Rows only leave the right child, so each class is set right at most once for each of its
    // rows.
    int64_t top_of_heap() {
        std::vector<std::pair<int64_t, int32_t>>& heap = *heaviest_;
        if (heap.empty()) {
            for (int32_t k : this->present_) heap.emplace_back(right_of(k), k);
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
        this->left_counts_[k] += w;
        left_most_ = std::max(left_most_, this->left_counts_[k]);
        this->left_ += w;
    }

    std::vector<std::pair<int64_t, int32_t>>* heaviest_;
    int64_t node_most_ = 0, left_most_ = 0, right_most_ = 0;
    double bound_ = -1.0;
};

template <class Label, bool weighted>
class Error : public ClassSweep<ErrorGroups, Label, weighted> {
  public:
    using ClassSweep<ErrorGroups, Label, weighted>::ClassSweep;
};

}  // namespace silva
