#include "core/grow/frontier.hpp"
#include "core/search/search.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

StoreNode node(int64_t record, double gain, int64_t weight) {
    StoreNode made;
    made.record = record;
    made.best.gain = gain;
    made.stats.weight = weight;
    return made;
}

std::vector<int64_t> drained(Frontier<StoreNode>& frontier) {
    std::vector<int64_t> records;
    while (!frontier.empty()) records.push_back(frontier.pop().record);
    return records;
}

}  // namespace

TEST_CASE("frontier: depth first takes the newest node") {
    Frontier<StoreNode> frontier(Policy::depth_first);
    CHECK(frontier.empty());
    frontier.push(node(0, 0.1, 1));
    frontier.push(node(1, 0.9, 1));
    frontier.push(node(2, 0.5, 1));
    CHECK(frontier.pop().record == 2);
    frontier.push(node(3, 0.0, 1));
    CHECK(drained(frontier) == std::vector<int64_t>{3, 1, 0});
}

TEST_CASE("frontier: best first takes the largest gain times weight") {
    Frontier<StoreNode> frontier(Policy::best_first);
    frontier.push(node(0, 0.5, 10));
    frontier.push(node(1, 0.1, 100));
    frontier.push(node(2, 0.9, 1));
    CHECK(drained(frontier) == std::vector<int64_t>{1, 0, 2});
}

TEST_CASE("frontier: of equal nodes the one made first comes first") {
    Frontier<StoreNode> frontier(Policy::best_first);
    for (const int64_t record : {4, 2, 7, 1}) frontier.push(node(record, 0.25, 4));
    frontier.push(node(9, 0.5, 2));
    frontier.push(node(0, 0.0, 50));
    CHECK(drained(frontier) == std::vector<int64_t>{1, 2, 4, 7, 9, 0});
}

TEST_CASE("frontier: best first with pushes between pops") {
    Draw draw(15);
    Frontier<StoreNode> frontier(Policy::best_first);
    std::vector<std::pair<double, int64_t>> waiting;  // minus priority, record
    for (int64_t record = 0; record < 500; ++record) {
        const auto weight = draw.between(1, 4);
        const double gain = static_cast<double>(draw.below(4)) / 4;
        frontier.push(node(record, gain, weight));
        waiting.emplace_back(-gain * static_cast<double>(weight), record);
        if (!draw.chance(0.4)) continue;
        const auto first = std::min_element(waiting.begin(), waiting.end());
        REQUIRE(frontier.pop().record == first->second);
        waiting.erase(first);
    }
}

TEST_CASE("frontier: a node comes out as it went in") {
    Frontier<StoreNode> frontier(Policy::best_first);
    StoreNode in = node(3, 0.5, 7);
    in.begin = 10;
    in.end = 17;
    in.depth = 4;
    in.stats.classes = {3, 4};
    frontier.push(StoreNode(in));
    const StoreNode out = frontier.pop();
    CHECK(out.rows() == 7);
    CHECK(out.depth == 4);
    CHECK(out.stats.classes == in.stats.classes);
}
