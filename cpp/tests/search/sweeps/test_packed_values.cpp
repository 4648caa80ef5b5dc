#include <algorithm>
#include <numeric>

#include "core/columns/store.hpp"
#include "core/search/sweeps/packed_values.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

// Weighted rows of a node, some ids apart, and a sorted list of them.
template <class Id>
struct Node {
    std::vector<Id> ids, list;
    std::vector<int64_t> q, weight;  // by id
    NodeStats stats;

    Node(Draw& draw, int64_t n, int64_t reach, int64_t most_weight) {
        q.resize(static_cast<size_t>(3 * n));
        weight.resize(q.size());
        for (int64_t i = 0; i < n; ++i) {
            const auto id = static_cast<size_t>(3 * i + draw.between(0, 2));
            ids.push_back(static_cast<Id>(id));
            q[id] = draw.between(-reach, reach);
            weight[id] = draw.between(1, most_weight);
            ++stats.rows;
            stats.weight += weight[id];
            stats.sum += Wide(weight[id]) * q[id];
            stats.lowest = std::min(stats.lowest, q[id]);
            stats.highest = std::max(stats.highest, q[id]);
        }
        list = ids;
        draw.shuffle(list);
    }
    ValueRows rows() const { return {q.data(), weight.data()}; }

    // deviation^2 / (l * r) before each entry but the first.
    std::vector<double> scores() const {
        std::vector<double> found(list.size(), 0.0);
        int64_t left = 0;
        Wide sum = 0;
        for (size_t j = 0; j < list.size(); ++j) {
            if (j > 0) {
                const auto d = static_cast<double>(sum * stats.weight - stats.sum * left) /
                               static_cast<double>(stats.weight);
                found[j] =
                    d * d / static_cast<double>(left) / static_cast<double>(stats.weight - left);
            }
            left += weight[list[j]];
            sum += Wide(weight[list[j]]) * q[list[j]];
        }
        return found;
    }
    // One bit for each entry but the first.
    std::vector<bool> marked(double bound, std::vector<int64_t>& memory) const {
        PackedValues packed;
        packed.fill(rows(), stats, static_cast<int64_t>(stats.sum / stats.weight), ids.data(),
                    memory);
        packed.set_bound(bound);
        packed.clear();
        packed.add(list[0]);
        std::vector<Id> entries = list;
        for (size_t j = 0; j < entries.size(); j += 2) entries[j] |= Store<Id>::kNew;
        std::vector<bool> found(list.size(), false);
        for (size_t i = 1; i < list.size(); i += kBlock) {
            const auto n = static_cast<int>(std::min<size_t>(kBlock, list.size() - i));
            const uint64_t mask = packed.look_ahead(entries.data() + i, n);
            for (int j = 0; j < n; ++j) found[i + static_cast<size_t>(j)] = (mask >> j & 1) != 0;
        }
        return found;
    }
};

}  // namespace

TEST_CASE_TEMPLATE("packed values: positions that reach the bound are marked, few others", Id,
                   uint16_t, uint32_t) {
    Draw draw(91);
    std::vector<int64_t> memory;
    int64_t below = 0, wrong = 0;
    for (int round = 0; round < 1500; ++round) {
        const int64_t n = draw.between(2, 300), most = draw.pick<int64_t>({1, 3, 500, 10'000});
        const int64_t reach = draw.pick<int64_t>({1, 5, 1000, int64_t{1} << 30, int64_t{1} << 39});
        const Node<Id> node(draw, n, reach, most);
        const std::vector<double> scores = node.scores();
        const double best = *std::max_element(scores.begin(), scores.end());
        for (const double bound : {-1.0, 0.0, best * draw.unit(), best * 0.9, best}) {
            const std::vector<bool> marked = node.marked(bound * simd::kSlack, memory);
            for (size_t j = 1; j < scores.size(); ++j) {
                if (scores[j] >= bound) REQUIRE(marked[j]);
                if (reach < 1000 || scores[j] > 0.99 * bound) continue;
                ++below;
                wrong += marked[j] ? 1 : 0;
            }
        }
    }
    CHECK(below > 100'000);
    CHECK(wrong < below / 20);
}
