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

    // The cut below a rank of a column, by its definition.
    Cut cut(int32_t column, uint32_t rank, const CutLimits& limits) const {
        std::vector<int64_t> left(static_cast<size_t>(n_classes)), node = left;
        std::vector<int32_t> present;
        int64_t left_rows = 0, left_weight = 0, weight = 0;
        for (size_t i = 0; i < rows.size(); ++i) {
            const bool is_left = columns[static_cast<size_t>(column)][i] < rank;
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
        return {gain, left_weight, lighter, column, rank, 0.0};
    }
    Cut best(const CutLimits& limits) const {
        Cut best;
        for (size_t c = 0; c < columns.size(); ++c)
            for (const uint32_t rank : columns[c]) {
                const Cut one = cut(static_cast<int32_t>(c), rank, limits);
                if (one.exists() && better(one, best)) best = one;
            }
        return best;
    }
};

Sample sample(std::mt19937& random, int64_t n, int n_classes, uint32_t range, uint32_t heaviest) {
    Sample made{n_classes, {}, std::vector<std::vector<uint32_t>>(3)};
    for (int64_t i = 0; i < n; ++i) {
        for (auto& column : made.columns) column.push_back(5 + random() % range);
        const bool noise = random() % 4 == 0;
        const auto by_rank = made.columns[1].back() * static_cast<uint32_t>(n_classes) / range;
        const auto label = (noise ? random() : by_rank) % static_cast<uint32_t>(n_classes);
        made.rows.push_back(
            {static_cast<int>(label), 1 + static_cast<uint32_t>(random()) % heaviest});
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
    for (const auto& ranks : sample.columns) columns.emplace_back(ranks.begin(), ranks.end());
    for (size_t c = 0; c < columns.size(); ++c) {
        const bool varies =
            *std::ranges::min_element(columns[c]) < *std::ranges::max_element(columns[c]);
        CHECK(finder.ranks(static_cast<int32_t>(c), columns[c].data()) == varies);
    }
    for (size_t i = 0; i < finder.n_pending(); ++i)
        if (const int32_t c = finder.pending(i); c >= 0)
            finder.refine(i, columns[static_cast<size_t>(c)].data());
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
                for (const uint32_t heaviest : {1u, 3u, 400u}) {
                    const Sample made = sample(random, n, n_classes, range, heaviest);
                    check_sample<uint16_t>(made, heaviest, {1, 0.0});
                    check_sample<uint32_t>(made, heaviest, {1, 0.0});
                    check_sample<uint16_t>(made, heaviest, {5, 20.0});
                }
}
