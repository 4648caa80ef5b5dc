#include <cmath>
#include <numeric>

#include "core/base/bit_row.hpp"
#include "core/simd/gini_bound.hpp"
#include "core/simd/kernels.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;
using simd::EventFilter;
using simd::PositionFilter;
using simd::SquaresFilter;

namespace {

template <class Id>
constexpr Id kNew = Id(Id(1) << (8 * sizeof(Id) - 1));

template <class Id>
const simd::EntryKernels<Id>& kernels() {
    return simd::kernels().positions.of<Id>();
}

bool reaches(const PositionFilter& filter, int64_t sum, int64_t left) {
    const auto l = static_cast<double>(left);
    const double deviation = filter.scale * static_cast<double>(sum) - filter.per_row * l;
    return deviation * deviation >= filter.bound * l * (filter.total - l);
}

// One position after the other.
uint64_t expected_of(const PositionFilter& filter, const std::vector<int64_t>& sums,
                     int64_t first_left) {
    uint64_t mask = 0;
    for (size_t j = 0; j < sums.size(); ++j)
        if (reaches(filter, sums[j], first_left + static_cast<int64_t>(j)))
            mask |= uint64_t{1} << j;
    return mask;
}

// A block whose sums before its entries are these.
template <class Id>
struct SumBlock {
    std::vector<int64_t> q;
    std::vector<Id> entries;

    SumBlock(Draw& draw, const std::vector<int64_t>& sums, int64_t mean) : q(sums.size()) {
        entries.resize(sums.size());
        std::iota(entries.begin(), entries.end(), Id(0));
        draw.shuffle(entries);
        for (size_t j = 0; j < sums.size(); ++j) {
            const int64_t next = j + 1 < sums.size() ? sums[j + 1] : sums[j];
            q[entries[j]] = next - sums[j] + mean;
            if (draw.chance(0.5)) entries[j] |= kNew<Id>;
        }
    }
};

template <class Id>
uint64_t filtered(Draw& draw, const PositionFilter& filter, const std::vector<int64_t>& sums,
                  int64_t first_left, int64_t mean = 7) {
    const SumBlock<Id> block(draw, sums, mean);
    std::vector<int64_t> found(sums.size() + 1);
    const uint64_t mask = kernels<Id>().values(filter, block.q.data(), mean, block.entries.data(),
                                               static_cast<int>(sums.size()), first_left,
                                               sums.empty() ? 0 : sums[0], found.data());
    REQUIRE(std::equal(sums.begin(), sums.end(), found.begin()));
    return mask;
}

}  // namespace

TEST_CASE_TEMPLATE("positions: sums are filtered as one by one, for blocks of any length", Id,
                   uint16_t, uint32_t) {
    Draw draw(14);
    int hits = 0, misses = 0;
    for (int round = 0; round < 3000; ++round) {
        std::vector<int64_t> sums(static_cast<size_t>(draw.between(1, 64)));
        const int64_t reach = draw.pick<int64_t>({10, 1000, int64_t{1} << 61});
        for (int64_t& sum : sums) sum = draw.between(-reach, reach);
        const int64_t first_left = draw.between(0, 1000);
        PositionFilter filter;
        filter.scale = draw.pick<double>({1.0, 2000.0});
        filter.per_row = (draw.unit() - 0.5) * filter.scale;
        filter.total = static_cast<double>(first_left + draw.between(70, 2000));
        const double most = filter.scale * static_cast<double>(reach);
        filter.bound = draw.unit() * most * most / (filter.total * filter.total);
        const uint64_t expected = expected_of(filter, sums, first_left);
        REQUIRE(filtered<Id>(draw, filter, sums, first_left) == expected);
        hits += std::popcount(expected);
        misses += static_cast<int>(sums.size()) - std::popcount(expected);
    }
    CHECK(hits > 1000);
    CHECK(misses > 1000);
}

// Rows of any weights, in a shuffled order; nothing of them is rounded.
template <class Id>
struct WeightedBlock {
    std::vector<int64_t> q, weight;
    std::vector<Id> entries;

    WeightedBlock(Draw& draw, int n, int64_t lowest, int64_t highest) {
        for (int j = 0; j < n; ++j) {
            q.push_back(draw.between(lowest, highest));
            weight.push_back(draw.between(1, draw.pick<int64_t>({1, 3, 1000})));
            entries.push_back(static_cast<Id>(j));
        }
        draw.shuffle(entries);
    }
    std::vector<simd::WeightedValue> rows() const {
        std::vector<simd::WeightedValue> found;
        for (size_t id = 0; id < q.size(); ++id)
            found.push_back(
                {static_cast<double>(weight[id]), static_cast<double>(weight[id] * q[id])});
        return found;
    }
};

TEST_CASE_TEMPLATE("positions: sums of weighted rows are filtered as one by one", Id, uint16_t,
                   uint32_t) {
    Draw draw(81);
    int hits = 0, misses = 0;
    for (int round = 0; round < 3000; ++round) {
        const auto n = static_cast<int>(draw.between(1, 64));
        const int64_t reach = draw.pick<int64_t>({10, 1000, 10'000});
        const WeightedBlock<Id> block(draw, n, -reach, reach);
        auto left = static_cast<double>(draw.between(0, 1000));
        auto sum = static_cast<double>(draw.between(-1000 * reach, 1000 * reach));
        const simd::RoundedFilter filter{
            draw.unit(), 100 * draw.unit(), 1e9,
            draw.unit() * static_cast<double>(reach) * static_cast<double>(reach) / 1e6};
        simd::WeightedValue running{left, sum};
        std::vector<Id> entries = block.entries;
        if (draw.chance(0.5)) entries[0] |= kNew<Id>;
        const uint64_t mask =
            kernels<Id>().weighted_values(filter, block.rows().data(), entries.data(), n, running);
        for (int j = 0; j < n; ++j) {
            const bool reached =
                simd::passes(simd::by_deviation(std::fabs(sum - filter.mean * left) + filter.error,
                                                left, filter.total - left, filter.bound));
            REQUIRE((mask >> j & 1) == (reached ? 1u : 0u));
            (reached ? hits : misses) += 1;
            const auto id = static_cast<size_t>(block.entries[static_cast<size_t>(j)]);
            left += static_cast<double>(block.weight[id]);
            sum += static_cast<double>(block.weight[id] * block.q[id]);
        }
        REQUIRE((n == 64 || mask >> n == 0));
        REQUIRE(running.weight == left);
        REQUIRE(running.product == sum);
    }
    CHECK(hits > 1000);
    CHECK(misses > 1000);
}

TEST_CASE_TEMPLATE("positions: events of weighted rows are filtered as those of copies", Id,
                   uint16_t, uint32_t) {
    Draw draw(82);
    int hits = 0;
    for (int round = 0; round < 1000; ++round) {
        const auto n = static_cast<int>(draw.between(1, 20));
        WeightedBlock<Id> block(draw, n, 0, draw.pick<int64_t>({1, 1000}));
        std::vector<int64_t> copied;
        for (const Id id : block.entries) {
            block.weight[id] = draw.between(1, 3);
            copied.insert(copied.end(), static_cast<size_t>(block.weight[id]), block.q[id]);
        }
        std::vector<Id> entries(copied.size());
        std::iota(entries.begin(), entries.end(), Id(0));
        const int64_t sum = std::accumulate(copied.begin(), copied.end(), int64_t{10});
        const auto n_copies = static_cast<int>(copied.size());
        const EventFilter filter{static_cast<double>(sum), n_copies + 9.0,
                                 draw.unit() * draw.unit() * static_cast<double>(sum) * 0.1};
        std::vector<int64_t> sums(copied.size() + 1);
        const uint64_t of_copies = kernels<Id>().events(filter, copied.data(), entries.data(),
                                                        n_copies, 5, 4, sums.data());
        simd::WeightedValue running{5, 4};
        const uint64_t mask = kernels<Id>().weighted_events(filter, block.rows().data(),
                                                            block.entries.data(), n, running);
        int64_t copy = 0;
        for (int j = 0; j < n; ++j) {
            REQUIRE((mask >> j & 1) == (of_copies >> copy & 1));
            hits += static_cast<int>(mask >> j & 1);
            copy += block.weight[block.entries[static_cast<size_t>(j)]];
        }
        REQUIRE(running.weight == static_cast<double>(5 + n_copies));
        REQUIRE(running.product == static_cast<double>(sums.back()));
    }
    CHECK(hits > 1000);
}

TEST_CASE("positions: one is found wherever it is") {
    Draw draw(15);
    const PositionFilter filter{1.0, 0.0, 200.0, 1.0};
    for (size_t n = 1; n <= 64; ++n) {
        std::vector<int64_t> sums(n, 1);
        CHECK(filtered<uint16_t>(draw, filter, sums, 10) == 0);
        for (size_t j = 0; j < n; ++j) {
            sums[j] = -1000;
            REQUIRE(filtered<uint16_t>(draw, filter, sums, 10) == uint64_t{1} << j);
            sums[j] = 1;
        }
    }
}

TEST_CASE("positions: reaching the bound exactly is enough") {
    Draw draw(16);
    const auto found = [&](const PositionFilter& filter, int64_t sum) {
        return filtered<uint32_t>(draw, filter, {sum}, 2);
    };
    CHECK(found({1.0, 0.0, 20.0, 1.0}, 6) == 1);  // 36 = 1 * 2 * 18
    CHECK(found({1.0, 0.0, 20.0, 1.0}, 5) == 0);
    CHECK(found({1.0, 3.0, 20.0, 1.0}, 12) == 1);  // 12 - 3 * 2
    CHECK(found({2.0, 3.0, 20.0, 1.0}, 6) == 1);
    CHECK(found({1.0, 0.0, 20.0, 0.0}, 0) == 1);
    CHECK(found({1.0, 0.0, 20.0, -1.0}, 0) == 1);
}

TEST_CASE_TEMPLATE("positions: two classes are filtered as their sums would be", Id, uint16_t,
                   uint32_t) {
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
            if (draw.chance(0.5)) entry |= kNew<Id>;
        }
        PositionFilter filter;
        filter.scale = filter.total = static_cast<double>(first_left + draw.between(70, 2000));
        filter.per_row = std::floor(draw.unit() * filter.total);
        filter.bound = draw.unit() * filter.total * filter.total * 0.3;
        uint64_t block_ones = 0;
        const auto n = static_cast<int>(entries.size());
        const uint64_t found = kernels<Id>().two_classes(filter, ones.data(), entries.data(), n,
                                                         first_sum, first_left, block_ones);
        const uint64_t expected = expected_of(filter, sums, first_left);
        REQUIRE(found == expected);
        REQUIRE(block_ones == labels_here);
        REQUIRE(kernels<Id>().bits(ones.data(), entries.data(), n) == labels_here);
        hits += std::popcount(expected);
        misses += n - std::popcount(expected);
    }
    CHECK(hits > 1000);
    CHECK(misses > 1000);
}

TEST_CASE_TEMPLATE("positions: no number of events that reaches the bound is left out, few others",
                   Id, uint16_t, uint32_t) {
    Draw draw(73);
    int hits = 0, misses = 0, extra = 0;
    for (int round = 0; round < 3000; ++round) {
        const auto n = static_cast<int>(draw.between(1, 64));
        const int64_t most = draw.pick<int64_t>({1, 3, 1000, int64_t{1} << 40});
        std::vector<int64_t> q(static_cast<size_t>(n));
        std::vector<Id> entries(q.size());
        std::iota(entries.begin(), entries.end(), Id(0));
        for (int64_t& value : q) value = draw.chance(0.3) ? 0 : draw.between(0, most);
        const int64_t first_left = draw.between(0, 500), rest = draw.between(1, 500);
        const int64_t first_sum = first_left == 0 ? 0 : draw.between(0, first_left * most);
        const int64_t sum = std::accumulate(q.begin(), q.end(), first_sum) + draw.between(1, most);
        const double total = static_cast<double>(first_left + n + rest);
        const EventFilter filter{static_cast<double>(sum), total,
                                 draw.unit() * draw.unit() * static_cast<double>(sum) * 0.1};
        std::vector<int64_t> sums(q.size() + 1);
        const uint64_t mask = kernels<Id>().events(filter, q.data(), entries.data(), n, first_left,
                                                   first_sum, sums.data());
        int64_t left = first_sum;
        for (int j = 0; j < n; ++j) {
            REQUIRE(sums[static_cast<size_t>(j)] == left);
            const auto part = [&](int64_t events, double rows) {
                const auto x = static_cast<double>(events);
                return events == 0 ? 0.0 : x * std::log(x / rows * total / filter.sum);
            };
            const double l = static_cast<double>(first_left + j);
            const bool marked = (mask >> j & 1) != 0;
            if (l > 0 && part(left, l) + part(sum - left, total - l) >= filter.bound) {
                REQUIRE(marked);
                ++hits;
            } else if (l > 0) {
                (marked ? extra : misses) += 1;
            }
            left += q[static_cast<size_t>(j)];
        }
        REQUIRE((n == 64 || mask >> n == 0));
    }
    CHECK(hits > 1000);
    CHECK(misses > 1000);
    CHECK(extra < misses / 100);
}

TEST_CASE("positions: squares of a few classes are filtered as one by one") {
    Draw draw(74);
    int hits = 0, misses = 0;
    for (int round = 0; round < 3000; ++round) {
        const auto n_classes = static_cast<size_t>(draw.between(2, 16));
        const auto n = static_cast<int>(draw.between(1, 64));
        std::vector<uint8_t> labels(static_cast<size_t>(n));
        std::vector<int64_t> left(n_classes), node(n_classes);
        std::vector<int32_t> present(n_classes);
        std::iota(present.begin(), present.end(), 0);
        for (size_t k = 0; k < n_classes; ++k) {
            left[k] = draw.between(1, 300);
            node[k] = left[k] + draw.between(1, 300);
        }
        for (uint8_t& label : labels) {
            label = static_cast<uint8_t>(draw.below(static_cast<int64_t>(n_classes)));
            ++node[label];
        }
        int64_t l = std::accumulate(left.begin(), left.end(), int64_t{0}), left_squares = 0;
        const int64_t total = std::accumulate(node.begin(), node.end(), int64_t{0}), first_left = l;
        int64_t right_squares = 0;
        for (size_t k = 0; k < n_classes; ++k) {
            left_squares += left[k] * left[k];
            right_squares += (node[k] - left[k]) * (node[k] - left[k]);
        }
        const double score = static_cast<double>(left_squares) / static_cast<double>(l) +
                             static_cast<double>(right_squares) / static_cast<double>(total - l);
        const SquaresFilter filter{present.data(),
                                   static_cast<int>(n_classes),
                                   left.data(),
                                   node.data(),
                                   static_cast<double>(left_squares),
                                   static_cast<double>(right_squares),
                                   score * (0.98 + 0.04 * draw.unit())};
        uint64_t entries[simd::kFewSquares];
        const uint64_t mask =
            simd::kernels().positions.squares(filter, labels.data(), n, first_left, total, entries);
        for (size_t k = 0; k < n_classes; ++k)
            for (int j = 0; j < n; ++j)
                REQUIRE((entries[k] >> j & 1) == (labels[static_cast<size_t>(j)] == k ? 1 : 0));
        std::vector<int64_t> now(left);
        for (int j = 0; j < n; ++j, ++l) {
            double both = 0.0;
            for (size_t k = 0; k < n_classes; ++k) {
                const auto a = static_cast<double>(now[k]);
                const auto b = static_cast<double>(node[k] - now[k]);
                both += a * a * static_cast<double>(total - l) + b * b * static_cast<double>(l);
            }
            const auto area = static_cast<double>(l) * static_cast<double>(total - l);
            if (std::fabs(both - filter.bound * area) > 1e-9 * both) {
                REQUIRE(((mask >> j & 1) != 0) == (both > filter.bound * area));
                (both > filter.bound * area ? hits : misses) += 1;
            }
            ++now[labels[static_cast<size_t>(j)]];
        }
        REQUIRE((n == 64 || mask >> n == 0));
    }
    CHECK(hits > 1000);
    CHECK(misses > 1000);
}
