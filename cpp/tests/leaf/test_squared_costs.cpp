#include "core/base/array.hpp"
#include "core/leaf/squared_costs.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

Wide pair_at(const std::vector<int64_t>& pairs, int64_t i) {
    return (Wide(pairs[2 * i]) << 64) | static_cast<uint64_t>(pairs[2 * i + 1]);
}

}  // namespace

TEST_CASE("squared_costs: a root with a leaf and a split of two leaves, by hand") {
    const std::vector<int64_t> subtree_end = {5, 2, 5, 4, 5}, answer = {2, 1, 3, 3, 9};
    const std::vector<int64_t> end = {1, 1, 2, 3, 4, 4}, value = {1, 3, 5, 3, 9, 8};
    const SquaredCosts found = squared_costs({subtree_end, answer}, {end, value, {}});
    CHECK(found.weight == std::vector<int64_t>{6, 2, 4, 1, 2});
    CHECK(bool(pair_at(found.leaf, 0) == 1 + 1 + 9 + 1 + 49 + 36));
    CHECK(bool(pair_at(found.leaf, 2) == 4 + 0 + 36 + 25));
    CHECK(bool(pair_at(found.ending, 0) == 0));
    CHECK(bool(pair_at(found.ending, 2) == 4));
    CHECK(bool(pair_at(found.subtree, 2) == 4 + 0 + 1));
    CHECK(bool(pair_at(found.subtree, 0) == 4 + 4 + 0 + 1));
}

TEST_CASE("squared_costs: weights, and numbers of more than 64 bits") {
    Draw draw(5);
    constexpr int64_t most = int64_t{1} << 41;
    const std::vector<int64_t> subtree_end = {3, 2, 3};
    std::vector<int64_t> answer, end, value, weight;
    for (int node = 0; node < 3; ++node) answer.push_back(draw.between(-most, most));
    for (int row = 0; row < 500; ++row) {
        end.push_back(draw.between(0, 2));
        value.push_back(draw.between(-most, most));
        weight.push_back(draw.between(0, int64_t{1} << 33));
    }
    const SquaredCosts found = squared_costs({subtree_end, answer}, {end, value, weight});
    for (int64_t node = 0; node < 3; ++node) {
        Wide leaf = 0, ending = 0, subtree = 0;
        int64_t total = 0;
        for (int row = 0; row < 500; ++row) {
            if (end[row] < node || end[row] >= subtree_end[node]) continue;
            const Wide off = value[row] - answer[node], own = value[row] - answer[end[row]];
            total += weight[row];
            leaf += weight[row] * off * off;
            subtree += weight[row] * own * own;
            if (end[row] == node) ending += weight[row] * off * off;
        }
        CHECK(found.weight[node] == total);
        CHECK(bool(pair_at(found.leaf, node) == leaf));
        CHECK(bool(pair_at(found.ending, node) == ending));
        CHECK(bool(pair_at(found.subtree, node) == subtree));
    }
}
