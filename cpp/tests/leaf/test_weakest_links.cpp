#include "core/leaf/weakest_links.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

void check_cut(const PathCut& cut, double alpha, int64_t node, double rise, int64_t leaves) {
    CHECK(cut.alpha == alpha);
    CHECK(cut.node == node);
    CHECK(cut.rise == rise);
    CHECK(cut.leaves == leaves);
}

// A root (0) of a leaf (1) and a split (2) of a leaf (3) and a split (4) of three leaves.
const std::vector<int64_t> kStart = {0, 2, 2, 4, 4, 7, 7, 7, 7};
const std::vector<int64_t> kChild = {1, 2, 3, 4, 5, 6, 7};

std::vector<PathCut> cuts_of(const std::vector<double>& saving) {
    return weakest_links({kStart, kChild, saving});
}

}  // namespace

TEST_CASE("weakest_links: strengths that rise towards the root are cut one by one") {
    const auto cuts = cuts_of({8, 0, 2, 0, 3, 0, 0, 0});
    REQUIRE(cuts.size() == 3);
    check_cut(cuts[0], 1.5, 4, 3, 2);
    check_cut(cuts[1], 2, 2, 2, 1);
    check_cut(cuts[2], 8, 0, 8, 1);
}

TEST_CASE("weakest_links: a node takes over what is as strong as itself") {
    const auto cuts = cuts_of({8, 0, 1.5, 0, 3, 0, 0, 0});
    REQUIRE(cuts.size() == 2);
    check_cut(cuts[0], 1.5, 2, 4.5, 3);
    check_cut(cuts[1], 8, 0, 8, 1);
}

TEST_CASE("weakest_links: savings below 0, and a tree of one leaf") {
    const auto cuts = cuts_of({-1, 0, 2, 0, -8, 0, 0, 0});
    REQUIRE(cuts.size() == 2);
    check_cut(cuts[0], -4, 4, -8, 2);
    check_cut(cuts[1], 0.5, 0, 1, 2);
    const std::vector<int64_t> start = {0, 0};
    const std::vector<double> saving = {0};
    CHECK(weakest_links({start, {}, saving}).empty());
}
