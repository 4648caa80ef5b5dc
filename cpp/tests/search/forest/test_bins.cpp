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

// The sum of d_k * d_k over l * r for the rows below a rank.
double spread_below(const std::vector<uint16_t>& ranks, const std::vector<uint32_t>& rows,
                    const std::vector<int64_t>& node, int64_t total, uint32_t cut) {
    std::vector<int64_t> left(node.size(), 0);
    int64_t weight = 0;
    for (size_t i = 0; i < ranks.size(); ++i) {
        if (ranks[i] >= cut) continue;
        left[rows[i] & 0xFF] += rows[i] >> 8;
        weight += rows[i] >> 8;
    }
    double sum = 0.0;
    for (size_t k = 0; k < node.size(); ++k) {
        const auto d = static_cast<double>(left[k] * total - node[k] * weight);
        sum += d * d;
    }
    return weight == 0 || weight == total ? 0.0
                                          : sum / static_cast<double>(weight * (total - weight));
}

void check_bins(std::mt19937& random, int64_t n, int n_classes, uint32_t range) {
    std::vector<uint16_t> ranks(static_cast<size_t>(n));
    std::vector<uint32_t> rows(ranks.size());
    std::vector<int64_t> node(static_cast<size_t>(n_classes), 0);
    int64_t total = 0;
    for (size_t i = 0; i < ranks.size(); ++i) {
        ranks[i] = static_cast<uint16_t>(100 + random() % range);
        const uint32_t label = (ranks[i] / 16 + random() % 3) % static_cast<uint32_t>(n_classes);
        rows[i] = label | (1 + static_cast<uint32_t>(random() % 3)) << 8;
        node[label] += rows[i] >> 8;
        total += rows[i] >> 8;
    }
    const auto [low, high] = std::minmax_element(ranks.begin(), ranks.end());
    const auto bins = std::make_unique<MulticlassBins>();
    bins->lay_out(0, n, *low, *high);
    bins->count(ranks.data(), rows.data(), n);
    bins->score(node.data(), n_classes, total);
    CHECK(bins->weight_before[bins->n_bins] == total);
    for (int b = 0; b < bins->n_bins; ++b) {
        const uint32_t begin = bins->lowest + (static_cast<uint32_t>(b) << bins->shift);
        const uint32_t end = begin + (1u << bins->shift);
        const double at = spread_below(ranks, rows, node, total, end);
        CHECK(bins->at_end[b] == doctest::Approx(at).epsilon(1e-11));
        for (int k = 0; k < n_classes; ++k) CHECK(bins->before(b)[k] <= bins->before(b + 1)[k]);
        if (bins->weight_of(b) < 2) continue;
        for (uint32_t cut = begin + 1; cut < end; ++cut)
            CHECK(bins->inside[b] >= spread_below(ranks, rows, node, total, cut));
    }
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
            const auto bins = std::make_unique<BinaryBins>();
            bins->lay_out(0, n_rows, *low, *high);
            bins->count<Cell>(made.ranks.data(), made.pairs.data(), n_rows);
            bins->score(static_cast<double>(made.total), static_cast<double>(made.ones));
            CHECK(bins->weight_before[bins->n_bins] == made.total);
            CHECK(bins->ones_before[bins->n_bins] == made.ones);
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

TEST_CASE("bins of several classes: scores at their ends, bounds inside") {
    std::mt19937 random(6);
    for (const int n_classes : {2, 3, 7, 8, 9, 16})
        for (const uint32_t range : {5u, 40u, 1000u}) {
            check_bins(random, 60, n_classes, range);
            check_bins(random, 301, n_classes, range);
        }
}
