#include <algorithm>
#include <limits>
#include <numeric>

#include "core/columns/store.hpp"
#include "core/search/sweep.hpp"
#include "core/search/sweeps/rounded_sums.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

// Weighted rows of a node in a store, some ids apart, and a sorted list of them.
template <class Id>
struct Node {
    std::vector<Id> list;
    Store<Id> store;
    NodeStats stats;

    Node(Draw& draw, int64_t n, int64_t lowest, int64_t highest, int64_t most_weight) {
        store.q.resize(3 * n);
        store.weight.resize(3 * n);
        store.weighted.resize(3 * n);
        std::fill(store.q.data(), store.q.data() + 3 * n, 0);
        std::fill(store.weight.data(), store.weight.data() + 3 * n, 1);
        stats.lowest = std::numeric_limits<int64_t>::max();
        stats.highest = std::numeric_limits<int64_t>::min();
        for (int64_t i = 0; i < n; ++i) {
            const int64_t id = 3 * i + draw.between(0, 2);
            list.push_back(static_cast<Id>(id));
            store.q[id] = draw.between(lowest, highest);
            store.weight[id] = draw.between(1, draw.chance(0.2) ? 1 : most_weight);
            ++stats.rows;
            stats.weight += store.weight[id];
            stats.sum += Wide(store.weight[id]) * store.q[id];
            stats.lowest = std::min(stats.lowest, store.q[id]);
            stats.highest = std::max(stats.highest, store.q[id]);
        }
        if (lowest < 0)  // not for numbers of events
            store.mean_q = draw.pick<int64_t>(
                {0, store.q[list[0]], static_cast<int64_t>(stats.sum / stats.weight)});
        fill_weighted(store, 0, 3 * n);
        draw.shuffle(list);
        if (draw.chance(0.5))  // which has good splits
            std::stable_sort(list.begin(), list.end(),
                             [&](Id a, Id b) { return store.q[a] / 2 < store.q[b] / 2; });
    }
    // The gain of a position before each entry but the first.
    template <class Sweep>
    std::vector<double> gains(Sweep sweep) const {
        std::vector<double> found(1, -1.0);
        for (size_t j = 0; j + 1 < list.size(); ++j) {
            sweep.add(list[j]);
            found.push_back(sweep.gain(false));
        }
        return found;
    }
    // One bit for each entry but the first.
    template <class Sweep>
    std::vector<bool> marked(const Sweep& sweep) const {
        RoundedSums sums(store.weighted.data());
        sums.add(list[0]);
        std::vector<Id> entries = list;
        for (size_t j = 0; j < entries.size(); j += 2) entries[j] |= Store<Id>::kNew;
        std::vector<bool> found(list.size(), false);
        for (size_t i = 1; i < list.size(); i += kBlock) {
            const auto n = static_cast<int>(std::min<size_t>(kBlock, list.size() - i));
            const uint64_t mask = sums.look_ahead(sweep.rounded_filter(), entries.data() + i, n);
            for (int j = 0; j < n; ++j) found[i + static_cast<size_t>(j)] = (mask >> j & 1) != 0;
        }
        return found;
    }
};

// Of the positions that are clearly worse than the best split, at most one in `few` is marked.
template <class Id, class Sweep>
void check(int64_t lowest_share, int few) {
    Draw draw(91);
    int64_t below = 0, wrong = 0;
    for (int round = 0; round < 1500; ++round) {
        const int64_t n = draw.between(2, 300);
        const int64_t most = draw.pick<int64_t>({1, 3, 500, (int64_t{1} << 42) / n});
        const int64_t reach = draw.pick<int64_t>({1, 5, 1000, int64_t{1} << 30, int64_t{1} << 40});
        const Node<Id> node(draw, n, lowest_share * reach, reach, most);
        if (node.stats.sum == 0) continue;  // no events
        SweepBuffers buffers;
        Sweep sweep({node.store.q.data(), node.store.weight.data(), node.store.mean_q}, node.stats,
                    buffers);
        const std::vector<double> gains = node.gains(sweep);
        const double best = *std::max_element(gains.begin(), gains.end());
        for (const double bound : {-1.0, 0.0, best * draw.unit(), best}) {
            sweep.set_best(bound);
            const std::vector<bool> marked = node.marked(sweep);
            for (size_t j = 1; j < gains.size(); ++j) {
                if (gains[j] >= 0.0 && gains[j] >= bound) REQUIRE(marked[j]);
                if (reach < 1000 || gains[j] > 0.9 * bound) continue;
                ++below;
                wrong += marked[j] ? 1 : 0;
            }
        }
    }
    CHECK(below > 100'000);
    CHECK(wrong < below / few);
}

}  // namespace

TEST_CASE_TEMPLATE("rounded sums: positions that may be the best are marked, few others", Id,
                   uint16_t, uint32_t) {
    check<Id, WeightedSquaredError>(-1, 50);
    check<Id, Poisson>(0, 50);
}

TEST_CASE("rounded sums: what is left of the heaviest row is not lost in its rounding") {
    // Two light rows on the right of one that has nearly all of the weight.
    Store<uint16_t> store;
    const std::vector<int64_t> q = {5, int64_t{1} << 39, 7},
                               weight = {(int64_t{1} << 41) + 1, 1, 1};
    store.q.resize(3);
    store.weight.resize(3);
    store.weighted.resize(3);
    NodeStats stats;
    stats.rows = 3;
    for (int id = 0; id < 3; ++id) {
        store.q[id] = q[static_cast<size_t>(id)];
        store.weight[id] = weight[static_cast<size_t>(id)];
        stats.weight += store.weight[id];
        stats.sum += Wide(store.weight[id]) * store.q[id];
        stats.highest = std::max(stats.highest, store.q[id]);
    }
    fill_weighted(store, 0, 3);
    const uint16_t entries[] = {0, 1, 2};
    const auto check_marked = [&](auto sweep) {
        sweep.add(0);
        sweep.set_best(sweep.gain(false));
        RoundedSums sums(store.weighted.data());
        sums.add(0);
        CHECK((sums.look_ahead(sweep.rounded_filter(), entries + 1, 1) & 1) == 1);
    };
    SweepBuffers buffers;
    const ValueRows rows{store.q.data(), store.weight.data()};
    check_marked(WeightedSquaredError(rows, stats, buffers));
    check_marked(Poisson(rows, stats, buffers));
}
