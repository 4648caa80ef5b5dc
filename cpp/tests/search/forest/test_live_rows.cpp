#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "core/search/forest/live_rows.hpp"

using namespace silva;

namespace {

template <class Rank>
void check_picked(std::mt19937& random, int64_t n, uint32_t lowest, int shift) {
    std::vector<Rank> ranks(static_cast<size_t>(n));
    std::vector<uint32_t> rows(ranks.size());
    for (Rank& rank : ranks) rank = static_cast<Rank>(lowest + random() % (256u << shift));
    for (uint32_t& row : rows) row = random();
    for (const uint64_t some : {uint64_t{0}, ~uint64_t{0}, uint64_t{0x8000000180000001}}) {
        const LiveBins alive{some, some, 5, some};
        std::vector<Rank> ranks_wanted, ranks_out(ranks.size() + kSparePadding);
        std::vector<uint32_t> rows_wanted, rows_out(ranks_out.size());
        for (size_t i = 0; i < ranks.size(); ++i) {
            const uint32_t bin = (ranks[i] - lowest) >> shift;
            if ((alive[bin / 64] >> (bin % 64) & 1) == 0) continue;
            ranks_wanted.push_back(static_cast<Rank>(ranks[i] - lowest));
            rows_wanted.push_back(rows[i]);
        }
        const int64_t picked = pick_live(ranks.data(), rows.data(), n, lowest, shift, alive,
                                         ranks_out.data(), rows_out.data());
        REQUIRE(picked == static_cast<int64_t>(rows_wanted.size()));
        ranks_out.resize(rows_wanted.size());
        rows_out.resize(rows_wanted.size());
        CHECK(ranks_out == ranks_wanted);
        CHECK(rows_out == rows_wanted);
    }
}

}  // namespace

TEST_CASE("the rows of bins that are alive, in their order") {
    std::mt19937 random(8);
    for (const int64_t n : {1, 31, 32, 33, 500, 1000}) {
        check_picked<uint16_t>(random, n, 0, 8);
        check_picked<uint16_t>(random, n, 40000, 2);
        check_picked<uint32_t>(random, n, 70000, 10);
    }
}
