#include "core/optimal/branches.hpp"
#include "tests/support.hpp"

using namespace silva::optimal;
using silva::test::Draw;

TEST_CASE("the bound of an interval is the least sum of both sides over its places") {
    Draw draw(3);
    for (int round = 0; round < 2000; ++round) {
        Branch branch;
        branch.high = draw.between(2, 12);
        branch.left_low = draw.below(6), branch.left_high = branch.left_low + draw.below(8);
        branch.right_high = draw.below(6), branch.right_low = branch.right_high + draw.below(8);
        int64_t least = kInfinite;
        for (int64_t place = 0; place <= branch.high; ++place)
            least = std::min(least, branch.left_at(branch.high - place) + branch.right_at(place));
        CHECK(interval_bound(branch, branch.high) <= least);
        CHECK(interval_bound(branch, branch.high) >= least - 1);
    }
}

TEST_CASE("branches come by lower bound, then guess, column and place") {
    Draw draw(4);
    Branches branches;
    for (int i = 0; i < 200; ++i) {
        Branch branch;
        branch.lower = draw.below(5), branch.guess = draw.below(3);
        branch.column = static_cast<int32_t>(draw.below(4)), branch.low = draw.below(4);
        branches.push(branch);
    }
    const auto order = [](const Branch& b) {
        return std::make_tuple(b.lower, b.guess, b.column, b.low);
    };
    Branch last = branches.pop();
    while (!branches.empty()) {
        const Branch next = branches.pop();
        CHECK(order(last) <= order(next));
        last = next;
    }
}
