#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "core/search/forest/packed_classes.hpp"

using namespace silva;

namespace {

struct Rows {
    std::vector<uint64_t> words;
    std::vector<uint32_t> counts;
};

Rows some_rows(std::mt19937_64& random, size_t n, uint32_t n_classes, uint32_t heaviest) {
    Rows rows{std::vector<uint64_t>(n), std::vector<uint32_t>(n)};
    for (uint64_t& word : rows.words) word = random() & random();
    for (uint32_t& count : rows.counts) {
        const auto weight = static_cast<uint32_t>(heaviest - random() % heaviest % 4);
        count = static_cast<uint32_t>(random() % n_classes) | weight << 8;
    }
    return rows;
}

std::vector<uint32_t> slow_sums(const Rows& rows, uint64_t bit) {
    std::vector<uint32_t> sums(kSumClasses, 0);
    for (size_t i = 0; i < rows.counts.size(); ++i)
        if ((rows.words[i] & bit) != 0) sums[rows.counts[i] & 0xFF] += rows.counts[i] >> 8;
    return sums;
}

void check_sums(const Rows& rows, uint64_t wanted, bool light) {
    const auto n = static_cast<int64_t>(rows.counts.size());
    std::vector<uint32_t> sums(64 * kSumClasses, 77);
    sum_bits(rows.words.data(), rows.counts.data(), n, wanted, light, sums.data());
    for (int bit = 0; bit < 64; ++bit) {
        const auto begin = sums.begin() + bit * kSumClasses;
        const bool is_wanted = (wanted >> bit & 1) != 0;
        const std::vector<uint32_t> untouched(kSumClasses, 77);
        CHECK(std::vector<uint32_t>(begin, begin + kSumClasses) ==
              (is_wanted ? slow_sums(rows, uint64_t{1} << bit) : untouched));
    }
    Rows all = rows;
    for (uint64_t& word : all.words) word = 1;
    std::vector<uint32_t> total(kSumClasses, 77);
    sum_classes(rows.counts.data(), n, light, total.data());
    CHECK(total == slow_sums(all, 1));
}

}  // namespace

TEST_CASE("weights by class, of all rows and of those with a bit") {
    std::mt19937_64 random(3);
    for (const size_t n : {1, 7, 8, 9, 100, 128, 129, 4096, 4097, 20000}) {
        const uint64_t wanted = n % 2 == 0 ? 0x8000000000000001u : 0x1234u;
        check_sums(some_rows(random, n, kPackedClasses, kLightWeight), wanted, true);
        check_sums(some_rows(random, n, 1, kLightWeight), wanted, true);
        check_sums(some_rows(random, n, 16, 1000), wanted, false);
    }
}

TEST_CASE("what cuts are worth, and which of them reach a bound") {
    std::mt19937_64 random(4);
    for (int turn = 0; turn < 200; ++turn) {
        const int64_t n = 1 + turn % 40;
        const double share = turn % 3 == 0 ? 2.0 : 0.3;
        uint64_t node = 0;
        double weight = 0;
        std::vector<uint64_t> left(static_cast<size_t>(n + kPackedCuts), 0);
        for (int k = 0; k < kPackedClasses; ++k) {
            const uint64_t most = 1 + random() % kPackedWeight;
            weight += static_cast<double>(most);
            node |= most << (8 * k);
            for (int64_t i = 0; i < n; ++i)
                if (i % 7 != 3) left[i] |= random() % most << (8 * k);
        }
        PackedWorth worth;
        const double bound = weight * share;
        const int64_t first = weigh_cuts(left.data(), n, node, weight, bound, worth);
        std::vector<uint16_t> wanted;
        double best = 0;
        for (int64_t i = 0; i < n; ++i) {
            double l = 0, squares = 0, rest_squares = 0;
            for (int shift = 0; shift < 64; shift += 8) {
                const auto mine = static_cast<double>(left[i] >> shift & 0xFF);
                const double others = static_cast<double>(node >> shift & 0xFF) - mine;
                l += mine;
                squares += mine * mine;
                rest_squares += others * others;
            }
            if (left[i] == 0) continue;
            CHECK(worth.areas[i] == l * (weight - l));
            CHECK(worth.terms[i] == squares * (weight - l) + rest_squares * l);
            best = std::max(best, worth.terms[i] / worth.areas[i]);
            if (worth.terms[i] >= bound * worth.areas[i])
                wanted.push_back(static_cast<uint16_t>(i));
        }
        CHECK((first < 0) == wanted.empty());
        if (first >= 0) CHECK(worth.terms[first] / worth.areas[first] >= best * 0.999);
        std::vector<uint16_t> cuts(left.size());
        cuts.resize(static_cast<size_t>(reaching_cuts(worth, n, bound, cuts.data())));
        CHECK(cuts == wanted);
    }
}

TEST_CASE("the rows below the rank of each row") {
    std::mt19937_64 random(5);
    for (int64_t n = 1; n <= PackedColumn::kMost; n += n < 70 ? 1 : 31) {
        for (const uint64_t range : {1, 3, 60, 65536}) {
            std::vector<uint16_t> ranks(static_cast<size_t>(n));
            std::vector<uint32_t> rows(ranks.size());
            for (uint16_t& rank : ranks) rank = static_cast<uint16_t>(random() % range);
            for (uint32_t& row : rows) row = static_cast<uint32_t>(random() % 8) | 1 << 8;
            std::map<uint16_t, uint64_t> wanted;
            for (const uint16_t cut : std::set<uint16_t>(ranks.begin(), ranks.end()))
                for (size_t i = 0; i < ranks.size(); ++i)
                    if (ranks[i] < cut)
                        wanted[cut] += uint64_t{rows[i] >> 8} << (8 * (rows[i] & 0xFF));
            PackedColumn column;
            CHECK(pack_column(ranks.data(), rows.data(), n, column) == !wanted.empty());
            std::map<uint16_t, uint64_t> found;
            for (int64_t i = 0; i < (n + 7) / 8 * 8; ++i)
                if (column.left[i] != 0) found[column.rank[i]] = column.left[i];
            CHECK(found == wanted);
        }
    }
}
