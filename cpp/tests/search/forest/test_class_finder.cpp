#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "core/search/forest/class_finder.hpp"

using namespace silva;

namespace {

struct Row {
    int label;
    uint32_t weight;
};

uint32_t packed(const BinaryRows&, Row row) {
    return row.weight | (row.label == 1 ? row.weight << 16 : 0);
}
uint32_t packed(const MulticlassRows&, Row row) {
    return static_cast<uint32_t>(row.label) | row.weight << 8;
}

struct Sample {
    int n_classes;
    std::vector<Row> rows;
    std::vector<std::vector<uint32_t>> columns;  // ranks
    MissingValues missing;                       // of all of them

    bool has_missing(int32_t column) const {
        return std::ranges::count(columns[static_cast<size_t>(column)], missing.rank) > 0;
    }
    // The weight of known rows, on the left and in all.
    std::pair<int64_t, int64_t> known(int32_t column, uint32_t rank) const {
        std::pair<int64_t, int64_t> sums;
        for (size_t i = 0; i < rows.size(); ++i) {
            const uint32_t own = columns[static_cast<size_t>(column)][i];
            sums.first += own < rank ? rows[i].weight : 0;
            sums.second += own < missing.rank ? rows[i].weight : 0;
        }
        return sums;
    }
    bool is_asked(int32_t column, uint32_t rank, bool missing_left) const {
        if (!has_missing(column)) return !missing_left;
        const auto [left, all] = known(column, rank);
        if (left == all) return false;
        if (left == 0) return missing_left && !missing.follow_majority;
        return !missing.follow_majority || missing_left == (2 * left >= all);
    }
    // The cut below a rank of a column, by its definition.
    Cut cut(int32_t column, uint32_t rank, bool missing_left, const CutLimits& limits) const {
        std::vector<int64_t> left(static_cast<size_t>(n_classes)), node = left;
        std::vector<int32_t> present;
        int64_t left_rows = 0, left_weight = 0, weight = 0;
        for (size_t i = 0; i < rows.size(); ++i) {
            const uint32_t own = columns[static_cast<size_t>(column)][i];
            const bool is_left = own == missing.rank ? missing_left : own < rank;
            node[static_cast<size_t>(rows[i].label)] += rows[i].weight;
            weight += rows[i].weight;
            if (!is_left) continue;
            left[static_cast<size_t>(rows[i].label)] += rows[i].weight;
            left_weight += rows[i].weight;
            ++left_rows;
        }
        for (int32_t k = 0; k < n_classes; ++k)
            if (node[static_cast<size_t>(k)] > 0) present.push_back(k);
        const int64_t lighter = std::min(left_weight, weight - left_weight);
        if (lighter == 0 || !limits.allow(left_rows, std::ssize(rows), lighter)) return {};
        const double gain = gini_gain({left.data(), node.data(), present}, left_weight, weight);
        const uint32_t position = known(column, rank).first == 0 ? 0 : rank;
        return {gain,     left_weight, lighter,      column,
                position, 0.0,         missing_left, has_missing(column)};
    }
    Cut best(const CutLimits& limits) const {
        Cut best;
        for (size_t c = 0; c < columns.size(); ++c)
            for (const uint32_t rank : columns[c])
                for (const bool missing_left : {false, true}) {
                    const auto column = static_cast<int32_t>(c);
                    if (!is_asked(column, rank, missing_left)) continue;
                    const Cut one = cut(column, rank, missing_left, limits);
                    if (one.exists() && better(one, best)) best = one;
                }
        return best;
    }
};

// One in `rarity` values of the second and the third column is missing; 0: none. In half of the
// samples most values of a column are equal.
Sample sample(std::mt19937& random, int64_t n, int n_classes, uint32_t range, uint32_t heaviest,
              uint32_t rarity) {
    Sample made{n_classes, {}, std::vector<std::vector<uint32_t>>(3), {}};
    if (rarity > 0)
        made.missing = {5 + range + static_cast<uint32_t>(random() % 2) * 40, random() % 3 == 0};
    const bool has_ties = random() % 2 == 0;
    for (int64_t i = 0; i < n; ++i) {
        for (auto& column : made.columns)
            column.push_back(5 + (has_ties && random() % 3 > 0 ? range / 4 : random() % range));
        const bool noise = random() % 4 == 0;
        const auto by_rank = made.columns[1].back() * static_cast<uint32_t>(n_classes) / range;
        const auto label = (noise ? random() : by_rank) % static_cast<uint32_t>(n_classes);
        made.rows.push_back(
            {static_cast<int>(label), 1 + static_cast<uint32_t>(random()) % heaviest});
        for (size_t c = 1; c < 3 && rarity > 0; ++c)
            if (random() % rarity == 0) made.columns[c].back() = made.missing.rank;
    }
    return made;
}

template <class Rank, class Classes>
Cut found(const Sample& sample, const CutLimits& limits, const Classes& classes) {
    using Finder = ClassFinder<Classes>;
    const auto n = std::ssize(sample.rows);
    typename Finder::Rows rows;
    rows.resize(n);
    for (int64_t i = 0; i < n; ++i)
        rows.words[i] = packed(rows, sample.rows[static_cast<size_t>(i)]);
    const auto scratch = std::make_unique<typename Finder::Scratch>();
    Finder finder(limits, classes, *scratch);
    finder.open(rows, 0, n);
    std::vector<std::vector<Rank>> columns;
    for (const auto& ranks : sample.columns) {
        columns.emplace_back(ranks.begin(), ranks.end());
        columns.back().resize(ranks.size() + kSparePadding);  // may be read
    }
    for (size_t c = 0; c < columns.size(); ++c) {
        const auto [low, high] = std::ranges::minmax(sample.columns[c]);
        const bool varies = low < high;
        CHECK(finder.ranks(static_cast<int32_t>(c), columns[c].data(), sample.missing) == varies);
    }
    for (size_t i = 0; i < finder.n_pending(); ++i)
        if (const int32_t c = finder.pending(i); c >= 0)
            finder.refine(i, columns[static_cast<size_t>(c)].data(), sample.missing);
    const Cut best = finder.best();
    if (best.exists()) {
        typename Finder::Sums left, right;
        finder.children(left, right);
        const int64_t weight = finder.weight();
        finder.open(rows, 0, n, left);
        CHECK(finder.weight() == best.left);
        finder.open(rows, 0, n, right);
        CHECK(finder.weight() == weight - best.left);
    }
    return best;
}

void check_same(const Cut& found, const Cut& wanted) {
    CHECK(found.gain == wanted.gain);
    CHECK(found.left == wanted.left);
    CHECK(found.lighter == wanted.lighter);
    CHECK(found.column == wanted.column);
    CHECK(found.missing_left == wanted.missing_left);
    CHECK(found.missing_chosen == wanted.missing_chosen);
    CHECK((found.position == 0) == (wanted.position == 0));
}

template <class Rank>
void check_sample(const Sample& sample, uint32_t heaviest, const CutLimits& limits) {
    const Cut wanted = sample.best(limits);
    check_same(found<Rank>(sample, limits, Multiclass(sample.n_classes, heaviest)), wanted);
    if (sample.n_classes == 2) check_same(found<Rank>(sample, limits, BinaryClasses()), wanted);
}

}  // namespace

TEST_CASE("the best cut of two and of several classes is that of all cuts") {
    std::mt19937 random(12);
    for (const int64_t n : {2, 9, 40, 150, 300, 900})
        for (const int n_classes : {2, 3, 8, 12})
            for (const uint32_t range : {1u, 2u, 30u, 5000u})
                for (const uint32_t heaviest : {1u, 3u, 400u})
                    for (const uint32_t rarity : {0u, 1u, 2u, 9u}) {
                        const Sample made = sample(random, n, n_classes, range, heaviest, rarity);
                        check_sample<uint16_t>(made, heaviest, {1, 0.0});
                        check_sample<uint32_t>(made, heaviest, {1, 0.0});
                        check_sample<uint16_t>(made, heaviest, {5, 20.0});
                    }
}
