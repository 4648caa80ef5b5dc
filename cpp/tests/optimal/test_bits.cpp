#include "core/simd/kernels.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::simd;
using silva::test::Draw;

namespace {

// Tests of random rows, with all that the kernel reads.
template <class Count>
struct Bits {
    int64_t stride, rows = 0;
    int32_t tests, classes;
    std::vector<BitSegment> segments;
    std::vector<uint64_t> bits;
    std::vector<Count> ones, totals, costs, right, left;
    std::vector<std::tuple<int32_t, Count, std::vector<bool>>> row;  // class, factor, tests

    Bits(Draw& draw, int32_t n_classes, bool is_plain, bool has_costs)
        : tests(static_cast<int32_t>(draw.between(1, 40))), classes(n_classes) {
        stride = (tests + kTestTile - 1) / kTestTile * kTestTile;
        totals.assign(classes + 1, 0), ones.assign((classes + 1) * stride, 0);
        right.assign(stride, kForbidden<Count>), left = right;
        int64_t words = 0;
        for (int32_t k = 0; k <= classes; ++k)
            for (int s = 0; s < (is_plain ? 1 : 2); ++s) {
                const int64_t n = draw.between(1, draw.chance(0.1) ? 2500 : 90);
                const int64_t factor = is_plain || k == classes ? 1 : draw.between(1, 3);
                segments.push_back({k, factor, words, words + (n + 63) / 64, n});
                words = segments.back().last;
            }
        bits.assign(words * stride, 0);
        for (const BitSegment& segment : segments)
            for (int64_t i = 0; i < segment.rows; ++i) add(draw, segment, i);
        for (int32_t k = 0; has_costs && k < classes * classes; ++k)
            costs.push_back(k / classes == k % classes ? 0 : static_cast<Count>(draw.below(4)));
    }

    void add(Draw& draw, const BitSegment& segment, int64_t i) {
        std::vector<bool> goes(tests);
        const auto factor = static_cast<Count>(segment.factor);
        totals[segment.label] += factor;
        for (int32_t t = 0; t < tests; ++t) {
            goes[t] = draw.chance(0.3);
            if (!goes[t]) continue;
            bits[(segment.first + i / 64) * stride + t] |= uint64_t{1} << (i % 64);
            ones[segment.label * stride + t] += factor;
        }
        row.emplace_back(segment.label, factor, goes);
    }

    Count leaf(const std::vector<Count>& weights, Count min_rows) const {
        if (min_rows > 0 && weights[classes] < min_rows) return kForbidden<Count>;
        Count least = kForbidden<Count>;
        for (int32_t c = 0; c < classes; ++c) {
            Count sum = 0;
            for (int32_t k = 0; k < classes; ++k)
                sum += weights[k] * (costs.empty() ? k != c : costs[k * classes + c]);
            least = std::min(least, sum);
        }
        return least;
    }

    // The best stump of the rows on one side of a test, by counting rows.
    Count stump(int32_t test, bool side, Count min_rows) const {
        Count least = kForbidden<Count>;
        for (int32_t other = 0; other < tests; ++other) {
            std::vector<Count> sides[2] = {std::vector<Count>(classes + 1),
                                           std::vector<Count>(classes + 1)};
            for (const auto& [label, factor, goes] : row)
                if (goes[test] == side) sides[goes[other]][label] += factor;
            least = std::min<Count>(least, leaf(sides[0], min_rows) + leaf(sides[1], min_rows));
        }
        return least;
    }

    void check(Count min_rows) {
        const auto n_segments = static_cast<int32_t>(segments.size());
        const int32_t counting = min_rows > 0 ? 0 : n_segments / (classes + 1);
        for (int32_t first = 0, last; first < tests; first = last) {
            last = std::min(tests, first + 1 + first / 2);
            const BitPairs<Count> job{bits.data(),
                                      stride,
                                      tests,
                                      classes,
                                      n_segments - counting,
                                      segments.data(),
                                      ones.data(),
                                      totals.data(),
                                      costs.empty() ? nullptr : costs.data(),
                                      min_rows,
                                      first,
                                      last,
                                      right.data(),
                                      left.data()};
            if constexpr (sizeof(Count) == 4)
                kernels().optimal_bits.pairs32(job);
            else
                kernels().optimal_bits.pairs64(job);
        }
        for (int32_t t = 0; t < tests; ++t) {
            CHECK(std::min(right[t], kForbidden<Count>) == stump(t, true, min_rows));
            CHECK(std::min(left[t], kForbidden<Count>) == stump(t, false, min_rows));
        }
    }
};

template <class Count>
void check_pairs(uint64_t seed) {
    Draw draw(seed);
    for (int round = 0; round < 25; ++round) {
        Bits<Count>(draw, 2, true, false).check(0);
        Bits<Count>(draw, 2, false, false).check(0);
        const auto classes = static_cast<int32_t>(draw.between(1, 5));
        Bits<Count>(draw, classes, draw.chance(0.5), draw.chance(0.5))
            .check(static_cast<Count>(draw.pick<int64_t>({0, 0, 2, 20})));
    }
}

}  // namespace

TEST_CASE("stumps below every test of all pairs of tests") {
    check_pairs<int32_t>(1);
    check_pairs<int64_t>(2);
}

TEST_CASE("set bits of many tests, and the bits at some places of them") {
    Draw draw(3);
    for (int round = 0; round < 50; ++round) {
        const int64_t tests = 2 * kTestTile, words = draw.between(1, 70);
        std::vector<uint64_t> bits(words * tests), counts(tests), to(2 * tests, 0);
        for (uint64_t& word : bits) word = static_cast<uint64_t>(draw.below(INT64_MAX)) * 3;
        kernels().optimal_bits.count(bits.data(), tests, 1, words, counts.data());
        const uint64_t places = bits[5] & bits[9];
        const int shift = static_cast<int>(draw.below(64));
        kernels().optimal_bits.compress(bits.data(), tests, places, shift, to.data(),
                                        to.data() + tests);
        for (int64_t t = 0; t < tests; ++t) {
            uint64_t sum = 0;
            for (int64_t w = 1; w < words; ++w) sum += std::popcount(bits[w * tests + t]);
            CHECK(counts[t] == sum);
            int next = shift;
            for (int bit = 0; bit < 64; ++bit) {
                if (!(places >> bit & 1)) continue;
                const uint64_t found = to[next / 64 * tests + t] >> (next % 64) & 1;
                CHECK(found == (bits[t] >> bit & 1));
                ++next;
            }
        }
    }
}
