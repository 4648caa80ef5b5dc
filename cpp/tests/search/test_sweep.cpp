#include <algorithm>
#include <array>
#include <numeric>

#include "core/search/sweep.hpp"
#include "tests/support.hpp"
#include "tests/sweep_sample.hpp"

using namespace silva;
using namespace silva::test;

#define SILVA_SWEEPS                                                                   \
    Unit<TwoClassGini<uint8_t>>, Weighted<TwoClassGini<uint8_t>>, Unit<Gini<uint8_t>>, \
        Weighted<Gini<uint8_t>>, Unit<Entropy<uint8_t>>, Weighted<Entropy<uint8_t>>,   \
        Unit<Error<uint8_t>>, Weighted<Error<uint8_t>>, Unit<SquaredError>,            \
        Weighted<WeightedSquaredError>, Unit<Poisson>, Weighted<Poisson>

TEST_CASE_TEMPLATE("sweep: gains are exact and nothing good is filtered out", Case, SILVA_SWEEPS) {
    using Sweep = typename Case::Sweep;
    Draw draw(30);
    for (int round = 0; round < 200; ++round) {
        Sample<Case> sample(draw, draw.between(2, 120));
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

TEST_CASE_TEMPLATE("sweep: the filter of a block never rejects a promising position", Case,
                   Unit<TwoClassGini<uint8_t>>, Weighted<TwoClassGini<uint8_t>>,
                   Unit<Gini<uint8_t>>, Unit<Error<uint8_t>>, Unit<SquaredError>) {
    using Sweep = typename Case::Sweep;
    constexpr int n = 10;
    Draw draw(31);
    int hits = 0, positions = 0;
    for (int round = 0; round < 200; ++round) {
        Sample<Case> sample(draw, draw.between(30, 200));
        Sweep sweep = sample.sweep();
        sweep.set_best(-1.0);
        sweep.add(sample.id(0));
        if (!sweep.filters()) continue;
        for (int64_t i = 1; i < sample.n() - 2 * n; i += n) {
            uint32_t entries[n];
            for (int j = 0; j < n; ++j)
                entries[j] = sample.id(i + j) | (draw.chance(0.5) ? 1u << 31 : 0);
            typename Sweep::Block block;
            const uint64_t found = sweep.look_ahead(entries, n, block);
            uint64_t expected = 0;
            double best = -1.0;
            for (int j = 0; j < n; ++j) {
                sweep.place(block, j);
                expected |= uint64_t{sweep.promising()} << j;
                best = std::max(best, sweep.gain(false));
            }
            REQUIRE((found & expected) == expected);
            if (!Case::weighted) REQUIRE(found == expected);
            hits += std::popcount(expected);
            positions += n;
            sweep.place(block, n);
            sweep.set_best(best);
        }
    }
    if (positions == 0) return;  // this machine has no such filter
    CHECK(hits > 0);
    CHECK(hits < positions);
}

TEST_CASE("sweep: a tie is promising only where its lighter child is heavy enough") {
    const NodeStats node{6, 6, {4, 2}};
    const uint8_t labels[] = {0, 1, 0, 0, 1, 0};
    SweepBuffers buffers;
    Error<uint8_t> sweep({labels, nullptr}, node, buffers);
    sweep.set_best(0.0);
    sweep.set_best_lighter(2);
    bool promising[5];
    for (int64_t i = 0; i < 5; ++i) {
        sweep.add(i);
        CHECK(sweep.gain(false) == 0.0);
        promising[i] = sweep.promising();
    }
    CHECK(std::equal(promising, promising + 5, std::array{false, true, true, true, false}.begin()));
    sweep.set_best(-1.0);
    CHECK(sweep.promising());
}

TEST_CASE_TEMPLATE("sweep: no entry is skipped that the best split may lie behind", Case,
                   Unit<Poisson>, Weighted<Poisson>) {
    Draw draw(33);
    int skipped = 0, taken = 0;
    for (int round = 0; round < 300; ++round) {
        constexpr int n = 8;
        Sample<Case> sample(draw, draw.between(30, 200));
        Poisson sweep = sample.sweep();
        std::vector<bool> left(static_cast<size_t>(sample.n()), false);
        std::vector<double> gains;
        for (int64_t i = 0; i + 1 < sample.n(); ++i) {
            left[sample.id(i)] = true;
            gains.push_back(sample.gain(left));
        }
        const double best = *std::max_element(gains.begin(), gains.end());
        sweep.set_best(best);
        for (int64_t i = 0; i + n < sample.n(); i += n) {
            uint64_t entries[n];
            for (int j = 0; j < n; ++j) entries[j] = sample.id(i + j);
            const bool is_best =
                std::find(gains.begin() + i, gains.begin() + i + n, best) != gains.begin() + i + n;
            const int64_t before = sweep.left();
            if (sweep.skip(entries, n)) {
                ++skipped;
                REQUIRE(!is_best);
            } else {
                ++taken;
                REQUIRE(sweep.left() == before);
                for (const uint64_t entry : entries) sweep.add(static_cast<uint32_t>(entry));
            }
            REQUIRE(sweep.gain(false) == gains[static_cast<size_t>(i + n - 1)]);
        }
    }
    CHECK(skipped > 0);
    CHECK(taken > 0);
}

TEST_CASE_TEMPLATE("sweep: a sweep can be placed anywhere in a block", Case,
                   Unit<TwoClassGini<uint8_t>>, Weighted<TwoClassGini<uint8_t>>,
                   Unit<Gini<uint8_t>>, Unit<Entropy<uint8_t>>, Unit<Error<uint8_t>>,
                   Unit<SquaredError>) {
    using Sweep = typename Case::Sweep;
    Draw draw(56);
    for (int round = 0; round < 50; ++round) {
        Sample<Case> sample(draw, 30 + kBlock);
        Sweep sweep = sample.sweep();
        sweep.set_best(-1.0);
        if (!sweep.filters()) continue;
        for (int64_t i = 0; i < 20; ++i) sweep.add(sample.id(i));
        uint32_t entries[kBlock];
        for (int j = 0; j < kBlock; ++j) entries[j] = sample.id(20 + j);
        std::vector<bool> left(static_cast<size_t>(sample.n()), false);
        typename Sweep::Block block;
        sweep.look_ahead(entries, kBlock, block);
        for (int again = 0; again < 10; ++again) {
            const auto j = static_cast<int>(draw.below(kBlock + 1));
            sweep.place(block, j);
            left.assign(left.size(), false);
            for (int i = 0; i < 20 + j; ++i) left[sample.id(i)] = true;
            if (!Case::weighted) REQUIRE(sweep.left() == 20 + j);
            REQUIRE(sweep.gain(false) == sample.gain(left));
            REQUIRE(sweep.promising());
        }
    }
}

TEST_CASE_TEMPLATE("sweep: groups equal their rows", Case, SILVA_SWEEPS) {
    using Sweep = typename Case::Sweep;
    constexpr int64_t n_groups = 5;
    Draw draw(32);
    for (int round = 0; round < 120; ++round) {
        Sample<Case> sample(draw, draw.between(2, 100));
        Sweep sweep = sample.sweep();
        std::vector<int64_t> groups(static_cast<size_t>(n_groups * sample.group_width()), 0);
        std::vector<int64_t> group_of;
        for (int64_t id = 0; id < sample.n(); ++id) {
            group_of.push_back(draw.below(n_groups));
            sweep.counter().count(id, groups.data() + group_of.back() * sample.group_width());
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

TEST_CASE_TEMPLATE("sweep: the right child may be gathered instead", Case, SILVA_SWEEPS) {
    using Sweep = typename Case::Sweep;
    Draw draw(33);
    for (int round = 0; round < 60; ++round) {
        Sample<Case> sample(draw, draw.between(2, 60));
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

TEST_CASE_TEMPLATE("sweep: poor positions are filtered out", Case, Unit<TwoClassGini<uint8_t>>,
                   Weighted<TwoClassGini<uint8_t>>, Unit<Gini<uint8_t>>, Weighted<Gini<uint8_t>>,
                   Unit<Entropy<uint8_t>>, Weighted<Entropy<uint8_t>>, Unit<Error<uint8_t>>,
                   Weighted<Error<uint8_t>>, Unit<SquaredError>, Weighted<WeightedSquaredError>) {
    using Sweep = typename Case::Sweep;
    Draw draw(34);
    int rejected = 0;
    for (int round = 0; round < 50; ++round) {
        Sample<Case> sample(draw, 100);
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

TEST_CASE_TEMPLATE("sweep: a floor keeps the best positions and every tie", Case,
                   Unit<Entropy<uint8_t>>, Weighted<Entropy<uint8_t>>) {
    using Sweep = typename Case::Sweep;
    Draw draw(59);
    int rejected = 0;
    for (int round = 0; round < 100; ++round) {
        Sample<Case> sample(draw, draw.between(2, 120));
        Sweep sweep = sample.sweep();
        sweep.set_best(-1.0);
        double best = -1.0, floor = -kInf;
        for (int64_t i = 0; i + 1 < sample.n(); ++i) {
            sweep.add(sample.id(i));
            best = std::max(best, sweep.gain(false));
            floor = std::max(floor, sweep.score());
        }
        for (int64_t i = 0; i + 1 < sample.n(); ++i) sweep.forget(sample.id(i));
        sweep.clear();
        sweep.set_floor(floor);
        for (int64_t i = 0; i + 1 < sample.n(); ++i) {
            sweep.add(sample.id(i));
            if (sweep.gain(false) == best) REQUIRE(sweep.promising());
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
        const int64_t n = draw.between(2, SquaredError::kBoundedRows);
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

TEST_CASE("sweep: the bound of a small node of weighted rows is its best split by any column") {
    Draw draw(36);
    for (int round = 0; round < 300; ++round) {
        const int64_t n = draw.between(2, WeightedSquaredError::kBoundedRows);
        const int64_t most = draw.pick<int64_t>({1, 3, int64_t{1} << 40});
        const int64_t heaviest = draw.pick<int64_t>({1, 3, int64_t{1} << 30});
        std::vector<int64_t> q, weight;
        NodeStats stats;
        stats.rows = n;
        for (int64_t id = 0; id < n; ++id) {
            q.push_back(draw.between(-most, most));
            weight.push_back(draw.between(1, heaviest));
            stats.weight += weight.back();
            stats.sum += Wide(weight.back()) * q.back();
        }
        std::tie(stats.lowest, stats.highest) =
            std::pair(*std::ranges::min_element(q), *std::ranges::max_element(q));
        SweepBuffers buffers;
        WeightedSquaredError sweep({q.data(), weight.data()}, stats, buffers);
        std::vector<uint16_t> ids(static_cast<size_t>(n));
        std::iota(ids.begin(), ids.end(), uint16_t{0});
        sweep.bound_by(ids.data(), n);
        std::pair<double, int64_t> best{-1.0, 0};
        for (int set = 1; set + 1 < 1 << n; ++set) {
            sweep.clear();
            for (int64_t id = 0; id < n; ++id)
                if ((set >> id & 1) != 0) sweep.add(id);
            best = std::max(
                best, {sweep.gain(false), std::min(sweep.left(), stats.weight - sweep.left())});
        }
        REQUIRE(sweep.perfect_gain() == best.first);
        REQUIRE(sweep.perfect_lighter() == best.second);
    }
}

TEST_CASE("sweep: n log n, looked up or computed") {
    const NLogN n_log_n;
    CHECK(n_log_n(0) == 0.0);
    CHECK(n_log_n(1) == 0.0);
    for (const int64_t n : {2, 3, 1000, 65535, 65536, 65537, 1 << 30}) {
        const auto x = static_cast<double>(n);
        CHECK(n_log_n(n) == x * std::log2(x));
    }
}
