#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "core/search/forest/bins.hpp"

using namespace silva;

namespace {

struct Sample {
    std::vector<uint16_t> ranks;
    std::vector<uint32_t> pairs;  // weights, once more above if of class 1
    int64_t total = 0, ones = 0;

    // d * d / (l * r) for the rows below a rank; 0 where there is none on a side.
    double gain_below(uint32_t cut) const {
        int64_t left = 0, left_ones = 0;
        for (size_t i = 0; i < ranks.size(); ++i) {
            if (ranks[i] >= cut) continue;
            left += pairs[i] & 0xFFFF;
            left_ones += pairs[i] >> 16;
        }
        const auto d = static_cast<double>(left_ones * total - ones * left);
        return left == 0 || left == total ? 0.0
                                          : d * d / static_cast<double>(left * (total - left));
    }
};

Sample sample(std::mt19937& random, size_t n, uint32_t range) {
    Sample made{std::vector<uint16_t>(n), std::vector<uint32_t>(n)};
    for (size_t i = 0; i < n; ++i) {
        made.ranks[i] = static_cast<uint16_t>(100 + random() % range);
        const uint32_t weight = 1 + static_cast<uint32_t>(random() % 3);
        const bool is_one = (made.ranks[i] / 16 + random() % 3) % 2 == 0;
        made.pairs[i] = weight | (is_one ? weight << 16 : 0);
        made.total += weight;
        made.ones += is_one ? weight : 0;
    }
    return made;
}

}  // namespace

TEST_CASE_TEMPLATE("bins of two classes: scores at their ends, bounds inside", Cell, uint32_t,
                   uint64_t) {
    std::mt19937 random(6);
    for (const size_t n : {20, 60, 301, 2500})
        for (const uint32_t range : {2u, 5u, 40u, 1000u}) {
            const Sample made = sample(random, n, range);
            const auto n_rows = static_cast<int64_t>(n);
            const auto [low, high] = std::minmax_element(made.ranks.begin(), made.ranks.end());
            const auto bins = std::make_unique<Bins>();
            bins->lay_out(0, n_rows, *low, *high);
            bins->count<uint16_t, Cell>(made.ranks.data(), made.pairs.data(), n_rows);
            bins->score(static_cast<double>(made.total), static_cast<double>(made.ones));
            CHECK(bins->left[bins->n_bins] == made.total);
            CHECK(bins->left_ones[bins->n_bins] == made.ones);
            for (int b = 0; b < bins->n_bins; ++b) {
                const uint32_t begin = bins->start_of(b), end = bins->start_of(b + 1);
                CHECK(bins->at_end[b] == doctest::Approx(made.gain_below(end)).epsilon(1e-11));
                if (bins->weight_of(b) < 2) {
                    CHECK(bins->inside[b] == -2.0);
                    continue;
                }
                for (uint32_t cut = begin + 1; cut < end; ++cut)
                    CHECK(bins->inside[b] >= made.gain_below(cut));
            }
        }
}
