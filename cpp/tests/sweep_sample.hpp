// Random rows of a node for any sweep, with gains that are computed from nothing.
#pragma once

#include <algorithm>
#include <numeric>

#include "core/base/bit_row.hpp"
#include "core/search/sweep.hpp"
#include "tests/support.hpp"

namespace silva::test {

// A sweep for rows of unit weight, or of any.
template <class S>
struct Unit {
    using Sweep = S;
    static constexpr bool weighted = false;
};
template <class S>
struct Weighted {
    using Sweep = S;
    static constexpr bool weighted = true;
};

// What each sweep is for.
template <class>
struct Use;
template <Criterion c, int64_t most>
struct UseOf {
    static constexpr Criterion criterion = c;
    static constexpr int64_t most_classes = most;
};
template <class L>
struct Use<TwoClassGini<L>> : UseOf<Criterion::gini, 2> {};
template <class L>
struct Use<Gini<L>> : UseOf<Criterion::gini, 200> {};
template <class L>
struct Use<Entropy<L>> : UseOf<Criterion::entropy, 200> {};
template <class L>
struct Use<Error<L>> : UseOf<Criterion::error, 200> {};
template <>
struct Use<SquaredError> : UseOf<Criterion::squared_error, 0> {};
template <>
struct Use<WeightedSquaredError> : UseOf<Criterion::squared_error, 0> {};
template <>
struct Use<Poisson> : UseOf<Criterion::poisson, 0> {};

template <class Case>
class Sample {
    using Sweep = typename Case::Sweep;

  public:
    static constexpr Criterion criterion = Use<Sweep>::criterion;
    static constexpr bool of_values = Use<Sweep>::most_classes == 0;

    Sample(Draw& draw, int64_t n) {
        draw_weights(draw, n);
        if constexpr (of_values)
            draw_values(draw, n);
        else
            draw_labels(draw, n);
        order_.resize(static_cast<size_t>(n));
        std::iota(order_.begin(), order_.end(), 0u);
        draw.shuffle(order_);
        if (draw.chance(0.5)) sort_somewhat(draw);
    }

    int64_t n() const { return stats_.rows; }
    int64_t group_width() const {
        return of_values ? 3 : static_cast<int64_t>(stats_.classes.size());
    }
    uint32_t id(int64_t i) const { return order_[static_cast<size_t>(i)]; }

    Sweep sweep() {
        if (stats_.classes.size() == 2) fill_bits(labels_.data(), n(), ones_);
        if constexpr (of_values)
            return Sweep({q_.data(), weights(), mean_q_}, stats_, buffers_);
        else
            return Sweep({labels_.data(), weights(), ones_.empty() ? nullptr : ones_.data()},
                         stats_, buffers_);
    }

    // The documented gain of sending the rows with `left` to the left.
    double gain(const std::vector<bool>& left) const {
        int64_t weight = 0;
        Wide sum = 0;
        std::vector<int64_t> classes(stats_.classes.size(), 0);
        for (size_t id = 0; id < left.size(); ++id) {
            if (!left[id]) continue;
            weight += weight_of(id);
            if constexpr (of_values)
                sum += Wide(weight_of(id)) * q_[id];
            else
                classes[labels_[id]] += weight_of(id);
        }
        return gain(weight, sum, classes);
    }

  private:
    double gain(int64_t weight, Wide sum, const std::vector<int64_t>& classes) const {
        std::vector<int32_t> all(classes.size());
        std::iota(all.begin(), all.end(), 0);
        std::erase_if(all, [&](int32_t k) { return stats_.classes[k] == 0; });
        const ClassCounts counts{classes.data(), stats_.classes.data(), all};
        switch (criterion) {
            case Criterion::gini: return gini_gain(counts, weight, stats_.weight);
            case Criterion::entropy: return entropy_gain(counts, weight, stats_.weight, false);
            case Criterion::error: return error_gain(counts, stats_.weight);
            case Criterion::squared_error:
                return squared_error_gain(sum, stats_.sum, weight, stats_.weight);
            default: return poisson_gain(sum, stats_.sum, weight, stats_.weight);
        }
    }

    int64_t weight_of(size_t id) const { return weight_.empty() ? 1 : weight_[id]; }
    const int64_t* weights() const { return weight_.empty() ? nullptr : weight_.data(); }

    void draw_weights(Draw& draw, int64_t n) {
        stats_.rows = n;
        stats_.weight = n;
        if (!Case::weighted || (of_values && draw.chance(0.2))) return;
        const int64_t most =
            draw.pick<int64_t>({1, 3, 1000, (int64_t{1} << 42) / n});  // sums stay below 2^42
        stats_.weight = 0;
        for (int64_t id = 0; id < n; ++id) {
            weight_.push_back(draw.between(1, most));
            stats_.weight += weight_.back();
        }
    }

    void draw_labels(Draw& draw, int64_t n) {
        const int64_t most =
            std::min(draw.pick<int64_t>({2, 3, 30, 200}), Use<Sweep>::most_classes);
        const int64_t n_classes = draw.between(2, most);
        stats_.classes.assign(static_cast<size_t>(n_classes), 0);
        const double majority = draw.unit();
        for (int64_t id = 0; id < n; ++id) {
            const int64_t k = draw.chance(majority) ? 0 : draw.below(n_classes);
            labels_.push_back(static_cast<Label>(k));
            stats_.classes[static_cast<size_t>(k)] += weight_of(static_cast<size_t>(id));
        }
    }

    void draw_values(Draw& draw, int64_t n) {
        const int bits =
            Case::weighted ? 40 : 62 - static_cast<int>(std::bit_width(static_cast<uint64_t>(n)));
        const int64_t most = draw.pick<int64_t>({1, 3, 1000, int64_t{1} << bits});
        int64_t least = criterion == Criterion::poisson ? 0 : -most;
        if (draw.chance(0.3)) least = most - std::min<int64_t>(most, 5);  // far from zero
        for (int64_t id = 0; id < n; ++id) {
            q_.push_back(draw.between(least, most));
            stats_.sum += Wide(weight_of(static_cast<size_t>(id))) * q_.back();
            stats_.lowest = std::min(stats_.lowest, q_.back());
            stats_.highest = std::max(stats_.highest, q_.back());
        }
        mean_q_ =
            draw.pick<int64_t>({0, q_.back(), static_cast<int64_t>(stats_.sum / stats_.weight)});
    }

    // A good split exists when the rows are nearly in the order of the target.
    void sort_somewhat(Draw& draw) {
        std::stable_sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
            if constexpr (of_values)
                return q_[a] < q_[b];
            else
                return labels_[a] < labels_[b];
        });
        for (int swaps = static_cast<int>(draw.below(4)); swaps > 0; --swaps)
            std::swap(order_[static_cast<size_t>(draw.below(n()))],
                      order_[static_cast<size_t>(draw.below(n()))]);
    }

    using Label = uint8_t;

    NodeStats stats_;
    std::vector<Label> labels_;
    BitRow ones_;  // two classes
    std::vector<int64_t> q_, weight_;
    int64_t mean_q_ = 0;
    std::vector<uint32_t> order_;
    SweepBuffers buffers_;
};

}  // namespace silva::test
