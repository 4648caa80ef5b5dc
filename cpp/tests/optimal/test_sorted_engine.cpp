#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "core/optimal/sorted_engine.hpp"

using namespace silva::optimal;

namespace {

constexpr int64_t kNone = std::numeric_limits<int64_t>::max() / 4;

// A table of ranks, and a node of some of its rows.
struct Sample {
    int32_t classes;
    std::vector<std::vector<int>> ranks;  // of each column
    std::vector<uint16_t> label;
    std::vector<int64_t> weight, count, costs;
    std::vector<uint32_t> ids;  // of the node
    std::vector<uint32_t> order;
    std::vector<uint8_t> ends;
    int64_t stride = 0;

    RowFacts facts() const {
        return {label.data(), weight.data(), count.data(), classes, costs.data()};
    }
    SortedView view() const {
        return {static_cast<int64_t>(ids.size()), static_cast<int32_t>(ranks.size()), order.data(),
                ends.data(), stride};
    }
    void sort() {
        const size_t n = ids.size();
        stride = static_cast<int64_t>(n) + 3;
        order.assign(ranks.size() * static_cast<size_t>(stride), 0);
        ends.assign(order.size(), 1);
        for (size_t c = 0; c < ranks.size(); ++c) {
            uint32_t* own = order.data() + c * static_cast<size_t>(stride);
            uint8_t* own_ends = ends.data() + c * static_cast<size_t>(stride);
            std::copy(ids.begin(), ids.end(), own);
            std::stable_sort(own, own + n,
                             [&](uint32_t a, uint32_t b) { return rank(c, a) < rank(c, b); });
            for (size_t j = 0; j < n; ++j)
                own_ends[j] = j + 1 < n && rank(c, own[j]) != rank(c, own[j + 1]);
        }
    }
    int rank(size_t column, uint32_t id) const { return ranks[column][id]; }
};

using Random = std::mt19937;
int64_t draw(Random& random, int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}

std::vector<int64_t> random_costs(Random& random, int32_t classes) {
    std::vector<int64_t> costs(static_cast<size_t>(classes * classes));
    const int64_t kind = draw(random, 0, 2);
    for (int32_t k = 0; k < classes; ++k) {
        const int64_t own = draw(random, 1, 5);
        for (int32_t c = 0; c < classes; ++c) {
            const int64_t cost = kind == 0 ? 1 : kind == 1 ? own : draw(random, 0, 4);
            costs[static_cast<size_t>(k * classes + c)] = c == k ? 0 : cost;
        }
    }
    return costs;
}

Sample random_sample(Random& random, int64_t max_rows, int64_t max_weight) {
    Sample sample;
    sample.classes = static_cast<int32_t>(draw(random, 1, 5));
    sample.costs = random_costs(random, sample.classes);
    const int64_t n = draw(random, 1, max_rows), n_ids = n + draw(random, 0, 4);
    const bool weighted = draw(random, 0, 1) == 1;
    for (int64_t i = 0; i < n_ids; ++i) {
        sample.label.push_back(static_cast<uint16_t>(draw(random, 0, sample.classes - 1)));
        sample.weight.push_back(weighted ? draw(random, 1, max_weight) : 1);
        sample.count.push_back(weighted ? draw(random, 1, 3) : 1);
    }
    sample.ranks.resize(static_cast<size_t>(draw(random, 1, 4)));
    for (auto& column : sample.ranks) {
        const int64_t levels = draw(random, 1, 2 * n);
        for (int64_t i = 0; i < n_ids; ++i)
            column.push_back(static_cast<int>(draw(random, 0, levels - 1)));
    }
    std::vector<uint32_t> ids(static_cast<size_t>(n_ids));
    std::iota(ids.begin(), ids.end(), 0u);
    std::shuffle(ids.begin(), ids.end(), random);
    sample.ids.assign(ids.begin(), ids.begin() + n);
    sample.sort();
    return sample;
}

// ---- every tree, one after the other -----------------------------------------------------------

using Rows = std::vector<uint32_t>;

int64_t leaf(const Sample& sample, const Rows& rows) {
    int64_t best = kNone;
    for (int32_t c = 0; c < sample.classes; ++c) {
        int64_t sum = 0;
        for (const uint32_t id : rows)
            sum += sample.weight[id] *
                   sample.costs[static_cast<size_t>(sample.label[id] * sample.classes + c)];
        best = std::min(best, sum);
    }
    return best;
}

bool is_large(const Sample& sample, const Rows& rows, int64_t min_rows) {
    int64_t sum = 0;
    for (const uint32_t id : rows) sum += sample.count[id];
    return sum >= min_rows;
}

std::set<int> ranks_of(const Sample& sample, const Rows& rows, size_t column) {
    std::set<int> ranks;
    for (const uint32_t id : rows) ranks.insert(sample.rank(column, id));
    return ranks;
}

int64_t least(const Sample& sample, const Rows& rows, const TwoLevelQuery& query, int depth,
              int64_t splits);

// The least value of a tree with the first test `rank < cut` in a column.
int64_t split_value(const Sample& sample, const Rows& rows, const TwoLevelQuery& query, int depth,
                    int64_t splits, size_t column, int cut) {
    Rows left, right;
    for (const uint32_t id : rows) (sample.rank(column, id) < cut ? left : right).push_back(id);
    if (left.empty() || right.empty()) return kNone;
    int64_t best = kNone;
    for (int64_t i = 0; i < splits; ++i) {
        const int64_t a = least(sample, left, query, depth - 1, i);
        const int64_t b = least(sample, right, query, depth - 1, splits - 1 - i);
        if (a < kNone && b < kNone) best = std::min(best, query.penalty + a + b);
    }
    return best;
}

int64_t least(const Sample& sample, const Rows& rows, const TwoLevelQuery& query, int depth,
              int64_t splits) {
    if (!is_large(sample, rows, query.min_rows)) return kNone;
    int64_t best = query.unit * leaf(sample, rows);
    if (depth == 0 || splits == 0) return best;
    for (size_t column = 0; column < sample.ranks.size(); ++column)
        for (const int cut : ranks_of(sample, rows, column))
            best = std::min(best, split_value(sample, rows, query, depth, splits, column, cut));
    return best;
}

TwoLevelQuery random_query(Random& random) {
    constexpr int64_t penalties[] = {0, 0, 1, 3, 10, 40};
    return {.unit = draw(random, 1, 3),
            .penalty = penalties[draw(random, 0, 5)],
            .max_splits = draw(random, 1, 4),
            .min_rows = draw(random, 0, 2) == 0 ? draw(random, 2, 5) : 1,
            .upper = 0,
            .max_depth = draw(random, 0, 5) == 0 ? 1 : 2};
}

// The value of the tree that the engine begins.
int64_t value_of(const Sample& sample, const TwoLevelQuery& query, const TwoLevels& found) {
    if (found.column < 0) return query.unit * leaf(sample, sample.ids);
    const auto column = static_cast<size_t>(found.column);
    const uint32_t* own = sample.order.data() + found.column * sample.stride;
    const int cut = sample.rank(column, own[found.place]);
    CHECK(sample.rank(column, own[found.place - 1]) < cut);
    return split_value(sample, sample.ids, query, query.max_depth,
                       std::min<int64_t>(query.max_splits, 3), column, cut);
}

void check_sample(const Sample& sample, TwoLevelQuery query, Random& random) {
    const int64_t truth = std::min(
        query.unit * leaf(sample, sample.ids),
        least(sample, sample.ids, query, query.max_depth, std::min<int64_t>(query.max_splits, 3)));
    const auto n_ids = static_cast<int64_t>(sample.label.size());
    SortedEngine with(sample.facts(), n_ids, true), without(sample.facts(), n_ids, false);
    for (const int64_t upper :
         {kNone, truth, truth + 1, std::max<int64_t>(truth - draw(random, 1, 4), 0)}) {
        query.upper = upper;
        for (SortedEngine* engine : {&with, &without}) {
            const TwoLevels found = engine->solve(sample.view(), query);
            if (truth < upper) {
                CHECK(found.value == truth);
                CHECK(value_of(sample, query, found) == truth);
            } else {
                CHECK(found.value >= upper);
                CHECK(found.value <= truth);
                CHECK(found.column == -1);
            }
        }
    }
}

// Gives a sample flags in place of its columns but the first: rare, frequent and copies of others.
void put_flags(Sample& sample, int64_t n_flags, Random& random) {
    sample.ranks.resize(static_cast<size_t>(1 + n_flags));
    const size_t n_ids = sample.label.size();
    for (size_t c = 1; c < sample.ranks.size(); ++c) {
        auto& column = sample.ranks[c];
        const bool is_copy = c > 1 && draw(random, 0, 5) == 0;
        const int64_t percent = draw(random, 0, 100);
        if (is_copy) column = sample.ranks[c - 1];
        column.resize(n_ids);
        for (int& rank : column)
            rank = is_copy ? 1 - rank : static_cast<int>(draw(random, 1, 100) <= percent);
    }
    std::shuffle(sample.ranks.begin(), sample.ranks.end(), random);
    sample.sort();
}

}  // namespace

TEST_CASE("small nodes of every kind have the value of the best of all trees") {
    Random random(17);
    for (int trial = 0; trial < 4000; ++trial) {
        constexpr int64_t weights[] = {3, 500, 1 << 14, int64_t{1} << 29, int64_t{1} << 40};
        const Sample sample = random_sample(random, 14, weights[trial % 5]);
        CAPTURE(trial);
        check_sample(sample, random_query(random), random);
    }
}

TEST_CASE("nodes with more places than a pass takes") {
    Random random(18);
    for (int trial = 0; trial < 60; ++trial) {
        Sample sample = random_sample(random, 90,
                                      trial % 3 == 0   ? 3
                                      : trial % 3 == 1 ? 80
                                                       : int64_t{1} << 40);
        const size_t n_columns = std::min<size_t>(sample.ranks.size(), 2);
        sample.ranks.resize(n_columns);
        sample.sort();
        CAPTURE(trial);
        check_sample(sample, random_query(random), random);
    }
}

TEST_CASE("nodes of flags beside another column") {
    Random random(21);
    for (int trial = 0; trial < 600; ++trial) {
        constexpr int64_t weights[] = {3, 500, 1 << 14, int64_t{1} << 29, int64_t{1} << 40};
        Sample sample = random_sample(random, trial % 2 == 0 ? 12 : 30, weights[trial % 5]);
        put_flags(sample, draw(random, 1, 9), random);
        CAPTURE(trial);
        check_sample(sample, random_query(random), random);
    }
}

// More than a pass has lanes, and rows that differ in more ways than a pass can tell apart.
TEST_CASE("nodes of more flags than a pass takes") {
    Random random(22);
    for (int trial = 0; trial < 40; ++trial) {
        Sample sample = random_sample(random, 400, trial % 2 == 0 ? 3 : int64_t{1} << 40);
        for (int& rank : sample.ranks[0]) rank %= 5;
        put_flags(sample, draw(random, 9, 45), random);
        CAPTURE(trial);
        check_sample(sample, random_query(random), random);
    }
}

// With a minimum a side may cost less than a part of it. Heavy rows: few places a pass, so that the
// bounds decide.
TEST_CASE("bounds hold with a minimum of rows") {
    Random random(20);
    for (int trial = 0; trial < 300; ++trial) {
        Sample sample = random_sample(random, 40, 3);
        std::fill(sample.weight.begin(), sample.weight.end(), int64_t{1} << 33);
        sample.ranks.resize(std::min<size_t>(sample.ranks.size(), 2));
        sample.sort();
        TwoLevelQuery query = random_query(random);
        query.min_rows = draw(random, 2, 9);
        CAPTURE(trial);
        check_sample(sample, query, random);
    }
}

TEST_CASE("one engine takes nodes of any size in turn") {
    Random random(19);
    const Sample large = random_sample(random, 60, 3);
    SortedEngine engine(large.facts(), static_cast<int64_t>(large.label.size()), true);
    const TwoLevelQuery query{1, 0, 3, 1, kNone, 2};
    const TwoLevels first = engine.solve(large.view(), query);
    for (size_t n = 1; n <= large.ids.size(); n += 7) {
        Sample small = large;
        small.ids.resize(n);
        small.sort();
        CHECK(engine.solve(small.view(), query).value == least(small, small.ids, query, 2, 3));
    }
    const int64_t work = engine.work();
    const TwoLevels again = engine.solve(large.view(), query);
    CHECK(again.value == first.value);
    CHECK(again.column == first.column);
    CHECK(again.place == first.place);
    CHECK(engine.work() > work);
}
