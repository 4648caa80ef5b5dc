#include <algorithm>
#include <numeric>

#include "core/sweep.hpp"
#include "support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

// What each sweep is for.
template <class>
struct Use;
template <class L>
struct Use<TwoClassGini<L>> {
    using Label = L;
    static constexpr Criterion criterion = Criterion::gini;
    static constexpr bool weighted = false;
    static constexpr int64_t most_classes = 2;
};
template <class L, bool w, Criterion c>
struct ClassUse {
    using Label = L;
    static constexpr Criterion criterion = c;
    static constexpr bool weighted = w;
    static constexpr int64_t most_classes = 30;
};
template <class L, bool w>
struct Use<Gini<L, w>> : ClassUse<L, w, Criterion::gini> {};
template <class L, bool w>
struct Use<Entropy<L, w>> : ClassUse<L, w, Criterion::entropy> {};
template <class L, bool w>
struct Use<Error<L, w>> : ClassUse<L, w, Criterion::error> {};
template <Criterion c, bool w>
struct ValueUse {
    using Label = uint8_t;
    static constexpr Criterion criterion = c;
    static constexpr bool weighted = w;
    static constexpr int64_t most_classes = 0;
};
template <>
struct Use<SquaredError> : ValueUse<Criterion::squared_error, false> {};
template <>
struct Use<WeightedSquaredError> : ValueUse<Criterion::squared_error, true> {};
template <>
struct Use<Poisson> : ValueUse<Criterion::poisson, true> {};

// Random rows of a node, the sweep over them, and its gains computed from nothing.
template <class Sweep>
class Sample {
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
        if constexpr (of_values)
            return Sweep({q_.data(), weights()}, stats_, buffers_);
        else
            return Sweep({labels_.data(), weights()}, stats_, buffers_);
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
        if (!Use<Sweep>::weighted || (of_values && draw.chance(0.2))) return;
        const int64_t most =
            draw.pick<int64_t>({1, 3, 1000, (int64_t{1} << 42) / n});  // sums stay below 2^42
        stats_.weight = 0;
        for (int64_t id = 0; id < n; ++id) {
            weight_.push_back(draw.between(1, most));
            stats_.weight += weight_.back();
        }
    }

    void draw_labels(Draw& draw, int64_t n) {
        const int64_t most = std::min(draw.pick<int64_t>({2, 3, 30}), Use<Sweep>::most_classes);
        const int64_t n_classes = draw.between(2, most);
        stats_.classes.assign(static_cast<size_t>(n_classes), 0);
        const double majority = draw.unit();
        for (int64_t id = 0; id < n; ++id) {
            const int64_t k = draw.chance(majority) ? 0 : draw.below(n_classes);
            labels_.push_back(static_cast<typename Use<Sweep>::Label>(k));
            stats_.classes[static_cast<size_t>(k)] += weight_of(static_cast<size_t>(id));
        }
    }

    void draw_values(Draw& draw, int64_t n) {
        const int bits = Use<Sweep>::weighted
                             ? 40
                             : 62 - static_cast<int>(std::bit_width(static_cast<uint64_t>(n)));
        const int64_t most = draw.pick<int64_t>({1, 3, 1000, int64_t{1} << bits});
        const int64_t least = criterion == Criterion::poisson ? 0 : -most;
        for (int64_t id = 0; id < n; ++id) {
            q_.push_back(draw.between(least, most));
            stats_.sum += Wide(weight_of(static_cast<size_t>(id))) * q_.back();
            stats_.lowest = std::min(stats_.lowest, q_.back());
            stats_.highest = std::max(stats_.highest, q_.back());
        }
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

    NodeStats stats_;
    std::vector<typename Use<Sweep>::Label> labels_;
    std::vector<int64_t> q_, weight_;
    std::vector<uint32_t> order_;
    SweepBuffers buffers_;
};

}  // namespace

#define SILVA_SWEEPS                                                                         \
    TwoClassGini<uint8_t>, Gini<uint8_t, false>, Gini<uint8_t, true>, Gini<uint32_t, false>, \
        Entropy<uint8_t, false>, Entropy<uint8_t, true>, Error<uint8_t, false>,              \
        Error<uint8_t, true>, SquaredError, WeightedSquaredError, Poisson

TEST_CASE_TEMPLATE("sweep: gains are exact and nothing good is filtered out", Sweep, SILVA_SWEEPS) {
    Draw draw(30);
    for (int round = 0; round < 200; ++round) {
        Sample<Sweep> sample(draw, draw.between(2, 120));
        Sweep sweep = sample.sweep();
        sweep.set_best(-1.0);
        std::vector<bool> left(static_cast<size_t>(sample.n()), false);
        std::vector<double> gains;
        double best = -1.0;
        for (int64_t i = 0; i + 1 < sample.n(); ++i) {
            sweep.add(sample.id(i));
            left[sample.id(i)] = true;
            gains.push_back(sample.gain(left));
            REQUIRE(sweep.gain(false) == gains.back());
            if (gains.back() >= best) REQUIRE(sweep.promising());
            if (gains.back() <= best) continue;
            best = gains.back();
            sweep.set_best(best);
        }
        sweep.clear();
        for (int64_t i = 0; i + 1 < sample.n(); ++i) {
            sweep.add(sample.id(i));
            if (gains[static_cast<size_t>(i)] == best) REQUIRE(sweep.promising());
        }
    }
}

TEST_CASE_TEMPLATE("sweep: the filter of a block never rejects a promising position", Sweep,
                   TwoClassGini<uint8_t>, SquaredError) {
    constexpr int64_t block = 10;
    Draw draw(31);
    int hits = 0, positions = 0;
    for (int round = 0; round < 200; ++round) {
        Sample<Sweep> sample(draw, draw.between(30, 200));
        Sweep sweep = sample.sweep();
        sweep.set_best(-1.0);
        sweep.add(sample.id(0));
        for (int64_t i = 1; i < sample.n() - 2 * block; i += block) {
            Sweep ahead = sweep;
            int64_t sums[block];
            uint64_t expected = 0;
            double best = -1.0;
            for (int64_t j = 0; j < block; ++j) {
                sums[j] = ahead.sum();
                expected |= uint64_t{ahead.promising()} << j;
                best = std::max(best, ahead.gain(false));
                ahead.add(sample.id(i + j));
            }
            REQUIRE(promising_positions(sweep.filter(), sums, block, sweep.left()) == expected);
            hits += std::popcount(expected);
            positions += block;
            sweep = ahead;
            sweep.set_best(best);
        }
    }
    CHECK(hits > 0);
    CHECK(hits < positions);
}

TEST_CASE_TEMPLATE("sweep: a sweep can be placed where it was", Sweep, TwoClassGini<uint8_t>,
                   SquaredError) {
    Draw draw(56);
    Sample<Sweep> sample(draw, 50);
    Sweep sweep = sample.sweep();
    for (int64_t i = 0; i < 20; ++i) sweep.add(sample.id(i));
    const int64_t sum = sweep.sum(), left = sweep.left();
    const double gain = sweep.gain(false);
    for (int64_t i = 20; i < 40; ++i) sweep.add(sample.id(i));
    sweep.place(sum, left);
    CHECK(sweep.left() == 20);
    CHECK(sweep.gain(false) == gain);
}

TEST_CASE_TEMPLATE("sweep: groups equal their rows", Sweep, SILVA_SWEEPS) {
    constexpr int64_t n_groups = 5;
    Draw draw(32);
    for (int round = 0; round < 120; ++round) {
        Sample<Sweep> sample(draw, draw.between(2, 100));
        Sweep sweep = sample.sweep();
        std::vector<int64_t> groups(static_cast<size_t>(n_groups * sample.group_width()), 0);
        std::vector<int64_t> group_of;
        for (int64_t id = 0; id < sample.n(); ++id) {
            group_of.push_back(draw.below(n_groups));
            sweep.count(id, groups.data() + group_of.back() * sample.group_width());
        }
        sweep.set_best(-1.0);
        std::vector<bool> left(static_cast<size_t>(sample.n()), false);
        double best = -1.0;
        for (int64_t g = 0; g < n_groups; ++g) {
            sweep.add_group(groups.data() + g * sample.group_width());
            for (int64_t id = 0; id < sample.n(); ++id)
                if (group_of[static_cast<size_t>(id)] == g) left[static_cast<size_t>(id)] = true;
            const auto n_left = std::count(left.begin(), left.end(), true);
            if (n_left == 0 || n_left == sample.n()) continue;
            REQUIRE(sweep.gain(false) == sample.gain(left));
            if (sweep.gain(false) >= best) REQUIRE(sweep.promising());
            if (sweep.gain(false) <= best) continue;
            best = sweep.gain(false);
            sweep.set_best(best);
        }
    }
}

TEST_CASE_TEMPLATE("sweep: the right child may be gathered instead", Sweep, SILVA_SWEEPS) {
    Draw draw(33);
    for (int round = 0; round < 60; ++round) {
        Sample<Sweep> sample(draw, draw.between(2, 60));
        const int64_t n_right = draw.between(1, sample.n() - 1);
        Sweep sweep = sample.sweep();
        std::vector<bool> left(static_cast<size_t>(sample.n()), true);
        for (int64_t i = 0; i < n_right; ++i) {
            sweep.add(sample.id(i));
            left[sample.id(i)] = false;
        }
        REQUIRE(sweep.gain(true) == sample.gain(left));
    }
}

TEST_CASE_TEMPLATE("sweep: poor positions are filtered out", Sweep, TwoClassGini<uint8_t>,
                   Gini<uint8_t, false>, Gini<uint8_t, true>, Entropy<uint8_t, false>,
                   Entropy<uint8_t, true>, Error<uint8_t, false>, Error<uint8_t, true>,
                   SquaredError, WeightedSquaredError) {
    Draw draw(34);
    int rejected = 0;
    for (int round = 0; round < 50; ++round) {
        Sample<Sweep> sample(draw, 100);
        Sweep sweep = sample.sweep();
        double best = -1.0;
        for (int64_t i = 0; i + 1 < sample.n(); ++i) {
            sweep.add(sample.id(i));
            best = std::max(best, sweep.gain(false));
        }
        sweep.clear();
        sweep.set_best(best);
        for (int64_t i = 0; i + 1 < sample.n(); ++i) {
            sweep.add(sample.id(i));
            rejected += sweep.promising() ? 0 : 1;
        }
    }
    CHECK(rejected > 500);
}

TEST_CASE("sweep: the perfect gain of two classes is that of pure children") {
    const std::vector<uint8_t> labels = {0, 1, 0, 1, 1, 1, 0};
    NodeStats stats;
    stats.rows = stats.weight = 7;
    stats.classes = {3, 4};
    SweepBuffers buffers;
    TwoClassGini<uint8_t> sweep({labels.data(), nullptr}, stats, buffers);
    for (const int id : {0, 2, 6}) sweep.add(id);
    CHECK(sweep.gain(false) == sweep.perfect_gain());
    CHECK(sweep.perfect_lighter() == 3);
    sweep.add(1);
    CHECK(sweep.gain(false) < sweep.perfect_gain());
}

TEST_CASE("sweep: the bound of a small node is its best split by any column") {
    Draw draw(35);
    for (int round = 0; round < 300; ++round) {
        const int64_t n = draw.between(2, kBoundedRows);
        const int64_t most = draw.pick<int64_t>({1, 3, int64_t{1} << 59});
        std::vector<int64_t> q;
        NodeStats stats;
        stats.rows = stats.weight = n;
        for (int64_t id = 0; id < n; ++id) {
            q.push_back(draw.between(-most, most));
            stats.sum += q.back();
        }
        SweepBuffers buffers;
        SquaredError sweep({q.data(), nullptr}, stats, buffers);
        std::vector<uint16_t> ids(static_cast<size_t>(n));
        std::iota(ids.begin(), ids.end(), uint16_t{0});
        sweep.bound_by(ids.data(), n);
        std::pair<double, int64_t> best{-1.0, 0};
        for (int set = 1; set + 1 < 1 << n; ++set) {
            sweep.clear();
            for (int64_t id = 0; id < n; ++id)
                if ((set >> id & 1) != 0) sweep.add(id);
            best = std::max(best, {sweep.gain(false), std::min(sweep.left(), n - sweep.left())});
        }
        REQUIRE(sweep.perfect_gain() == best.first);
        REQUIRE(sweep.perfect_lighter() == best.second);
    }
}

TEST_CASE("sweep: n log n, looked up or computed") {
    CHECK(n_log_n(0) == 0.0);
    CHECK(n_log_n(1) == 0.0);
    for (const int64_t n : {2, 3, 1000, 65535, 65536, 65537, 1 << 30}) {
        const auto x = static_cast<double>(n);
        CHECK(n_log_n(n) == x * std::log2(x));
    }
}
