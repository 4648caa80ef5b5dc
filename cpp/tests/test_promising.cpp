#include <cmath>
#include <numeric>

#include "core/bit_row.hpp"
#include "core/promising.hpp"
#include "support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

uint64_t plainly(const PositionFilter& filter, const std::vector<int64_t>& sums,
                 int64_t first_left) {
    uint64_t mask = 0;
    for (size_t j = 0; j < sums.size(); ++j) {
        const double l = static_cast<double>(first_left) + static_cast<double>(j);
        const double deviation = filter.scale * static_cast<double>(sums[j]) - filter.per_row * l;
        if (deviation * deviation >= filter.bound * l * (filter.total - l))
            mask |= uint64_t{1} << j;
    }
    return mask;
}

uint64_t dispatched(const PositionFilter& filter, const std::vector<int64_t>& sums,
                    int64_t first_left) {
    return promising_positions(filter, sums.data(), static_cast<int>(sums.size()), first_left);
}

}  // namespace

TEST_CASE("promising: equals the plain loop for blocks of any length") {
    Draw draw(14);
    int hits = 0, misses = 0;
    for (int round = 0; round < 3000; ++round) {
        std::vector<int64_t> sums(static_cast<size_t>(draw.below(65)));
        const int64_t reach = draw.pick<int64_t>({10, 1000, int64_t{1} << 61});
        for (int64_t& sum : sums) sum = draw.between(-reach, reach);
        const int64_t first_left = draw.between(0, 1000);
        PositionFilter filter;
        filter.scale = draw.pick<double>({1.0, 2000.0});
        filter.per_row = draw.unit() * filter.scale;
        filter.total = static_cast<double>(first_left + draw.between(70, 2000));
        const double most = filter.scale * static_cast<double>(reach);
        filter.bound = draw.unit() * most * most / (filter.total * filter.total);
        const uint64_t expected = plainly(filter, sums, first_left);
        REQUIRE(dispatched(filter, sums, first_left) == expected);
        hits += std::popcount(expected);
        misses += static_cast<int>(sums.size()) - std::popcount(expected);
    }
    CHECK(hits > 1000);
    CHECK(misses > 1000);
}

TEST_CASE("promising: one position is found wherever it is") {
    const PositionFilter filter{1.0, 0.0, 200.0, 1.0};
    for (size_t n = 1; n <= 64; ++n) {
        std::vector<int64_t> sums(n, 1);
        CHECK(dispatched(filter, sums, 10) == 0);
        for (size_t j = 0; j < n; ++j) {
            sums[j] = -1000;
            REQUIRE(dispatched(filter, sums, 10) == uint64_t{1} << j);
            sums[j] = 1;
        }
    }
}

TEST_CASE("promising: reaching the bound exactly is enough") {
    CHECK(dispatched({1.0, 0.0, 20.0, 1.0}, {6}, 2) == 1);  // 36 = 1 * 2 * 18
    CHECK(dispatched({1.0, 0.0, 20.0, 1.0}, {5}, 2) == 0);
    CHECK(dispatched({1.0, 3.0, 20.0, 1.0}, {12}, 2) == 1);  // 12 - 3 * 2
    CHECK(dispatched({2.0, 3.0, 20.0, 1.0}, {6}, 2) == 1);
    CHECK(dispatched({1.0, 0.0, 20.0, 0.0}, {0}, 2) == 1);
    CHECK(dispatched({1.0, 0.0, 20.0, -1.0}, {0}, 2) == 1);
}

TEST_CASE_TEMPLATE("promising: two classes are filtered as their sums would be", Id, uint16_t,
                   uint32_t) {
    constexpr Id is_new = Id(Id(1) << (8 * sizeof(Id) - 1));
    Draw draw(71);
    int hits = 0, misses = 0;
    for (int round = 0; round < 3000; ++round) {
        const int64_t n_ids = 5000, first_left = draw.between(1, 1000);
        std::vector<uint8_t> labels(n_ids);
        const double share = draw.unit();
        for (uint8_t& label : labels) label = draw.chance(share) ? 1 : 0;
        BitRow ones;
        fill_bits(labels.data(), n_ids, ones);
        std::vector<Id> entries(static_cast<size_t>(draw.between(1, 64)));
        std::vector<int64_t> sums;
        const int64_t first_sum = draw.between(0, first_left);
        int64_t sum = first_sum;
        uint64_t labels_here = 0;
        for (Id& entry : entries) {
            entry = static_cast<Id>(draw.below(n_ids));
            labels_here |= uint64_t{labels[entry]} << sums.size();
            sums.push_back(sum);
            sum += labels[entry];
            if (draw.chance(0.5)) entry |= is_new;
        }
        PositionFilter filter;
        filter.scale = filter.total = static_cast<double>(first_left + draw.between(70, 2000));
        filter.per_row = std::floor(draw.unit() * filter.total);
        filter.bound = draw.unit() * filter.total * filter.total * 0.3;
        uint64_t block_ones = 0;
        const auto n = static_cast<int>(entries.size());
        const uint64_t found = promising_positions(filter, ones.data(), entries.data(), n,
                                                   first_sum, first_left, block_ones);
        const uint64_t expected = plainly(filter, sums, first_left);
        REQUIRE(found == expected);
        REQUIRE(block_ones == labels_here);
        hits += std::popcount(expected);
        misses += n - std::popcount(expected);
    }
    CHECK(hits > 1000);
    CHECK(misses > 1000);
}

TEST_CASE("promising: labels are counted by class") {
    Draw draw(72);
    for (const int64_t n_classes : {2, 7, 16, 17, 256}) {
        std::vector<int32_t> present(static_cast<size_t>(n_classes));
        std::iota(present.begin(), present.end(), 0);
        for (int n = 0; n <= 64; ++n) {
            std::vector<uint8_t> labels(static_cast<size_t>(n));
            std::vector<int64_t> counts(present.size(), 5), expected(counts);
            for (uint8_t& label : labels) {
                label = static_cast<uint8_t>(draw.below(n_classes));
                ++expected[label];
            }
            count_labels(labels.data(), n, present, counts.data());
            REQUIRE(counts == expected);
        }
    }
}

TEST_CASE("promising: nothing in an empty block") {
    CHECK(dispatched({1.0, 0.0, 20.0, -1.0}, {}, 2) == 0);
}
