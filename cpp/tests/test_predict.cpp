#include <algorithm>
#include <cmath>
#include <functional>

#include "core/predict.hpp"
#include "core/route_wide.hpp"
#include "support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

constexpr int32_t kCodes = 10;

// Draws trees whose columns of `kinds` are split as their kind asks.
class TreeDraw {
  public:
    TreeDraw(Draw& draw, std::vector<Kind> kinds, std::vector<double> points)
        : draw_(draw), kinds_(std::move(kinds)), points_(std::move(points)) {}

    TreeArrays tree(int depth) {
        tree_ = TreeArrays();
        children_.clear();
        tree_.subset_start.push_back(0);
        grow(depth);
        tree_.child_start.push_back(0);
        for (const auto& [left, right] : children_) {
            if (left >= 0) tree_.child.insert(tree_.child.end(), {left, right});
            tree_.child_start.push_back(static_cast<int64_t>(tree_.child.size()));
        }
        return tree_;
    }

  private:
    int64_t grow(int depth) {
        const auto number = static_cast<int64_t>(children_.size());
        children_.emplace_back(-1, -1);
        const bool is_leaf = depth == 0 || draw_.chance(0.1);
        tree_.split_kind.push_back(0);
        tree_.split_index.push_back(-1);
        if (is_leaf) return number;
        add_split(static_cast<size_t>(number));
        const int64_t left = grow(depth - 1), right = grow(depth - 1);
        children_[static_cast<size_t>(number)] = {left, right};
        return number;
    }

    void add_split(size_t node) {
        const auto column = static_cast<int32_t>(draw_.below(static_cast<int64_t>(kinds_.size())));
        const bool by_subset = kinds_[static_cast<size_t>(column)] == Kind::categorical;
        tree_.split_kind[node] = by_subset ? 2 : 1;
        const auto coin = [&] { return static_cast<uint8_t>(draw_.below(2)); };
        if (!by_subset) {
            tree_.split_index[node] = static_cast<int64_t>(tree_.threshold_column.size());
            tree_.threshold_column.push_back(column);
            tree_.threshold_value.push_back(draw_.pick(points_));
            tree_.threshold_missing.push_back(coin());
            return;
        }
        tree_.split_index[node] = static_cast<int64_t>(tree_.subset_column.size());
        tree_.subset_column.push_back(column);
        for (int32_t code = 0; code < kCodes; ++code)
            if (draw_.chance(0.3)) tree_.subset_codes.push_back(code);
        tree_.subset_start.push_back(static_cast<int64_t>(tree_.subset_codes.size()));
        tree_.subset_missing.push_back(coin());
        tree_.subset_unseen.push_back(coin());
    }

    Draw& draw_;
    std::vector<Kind> kinds_;
    std::vector<double> points_;
    TreeArrays tree_;
    std::vector<std::pair<int64_t, int64_t>> children_;
};

// Which child a value goes to, straight from the definition; codes -1 missing, -2 unseen.
int which(const TreeArrays& tree, size_t node, bool coded, double value) {
    const auto at = static_cast<size_t>(tree.split_index[node]);
    if (tree.split_kind[node] == 1) {
        if (std::isnan(value) || (coded && value < 0)) return tree.threshold_missing[at];
        return value < tree.threshold_value[at] ? 0 : 1;
    }
    if (value == -1) return tree.subset_missing[at];
    if (value == -2) return tree.subset_unseen[at];
    for (int64_t i = tree.subset_start[at]; i < tree.subset_start[at + 1]; ++i)
        if (tree.subset_codes[static_cast<size_t>(i)] == value) return 1;
    return 0;
}

using Cell = std::function<double(int64_t row, int32_t column)>;

std::vector<int64_t> expected_leaves(const TreeArrays& tree, const std::vector<Kind>& kinds,
                                     int64_t n_rows, const Cell& cell) {
    std::vector<int64_t> leaves;
    for (int64_t row = 0; row < n_rows; ++row) {
        size_t node = 0;
        while (tree.split_kind[node] != 0) {
            const auto at = static_cast<size_t>(tree.split_index[node]);
            const int32_t column =
                tree.split_kind[node] == 1 ? tree.threshold_column[at] : tree.subset_column[at];
            const bool coded = kinds[static_cast<size_t>(column)] != Kind::continuous;
            const int child = which(tree, node, coded, cell(row, column));
            node = static_cast<size_t>(
                tree.child[static_cast<size_t>(tree.child_start[node] + child)]);
        }
        leaves.push_back(static_cast<int64_t>(node));
    }
    return leaves;
}

std::vector<int64_t> routed(const Router& router, const Table& table, int threads = 1) {
    std::vector<int64_t> leaves(static_cast<size_t>(table.n_rows), -1);
    router.leaves(table, leaves.data(), threads, StopFlag());
    return leaves;
}

const std::vector<double> kPoints = {-kInf, -2.5, -0.0, 0.0, 0.25, 0.5, 1.0, 3.0, 1e300, kInf};

template <class T>
T real(Draw& draw) {
    if (draw.chance(0.15)) return static_cast<T>(kNaN);
    if (draw.chance(0.6)) return static_cast<T>(draw.pick(kPoints));
    return static_cast<T>(draw.unit() * 4 - 2);
}

// A matrix by rows, as a table.
template <class T>
Table by_row(const std::vector<T>& matrix, int64_t n_columns) {
    Table table{{}, static_cast<int64_t>(matrix.size()) / n_columns};
    for (int64_t c = 0; c < n_columns; ++c) {
        ColumnView column = view(matrix);
        column.data += c * static_cast<int64_t>(sizeof(T));
        column.stride = n_columns * static_cast<int64_t>(sizeof(T));
        table.columns.push_back(column);
    }
    return table;
}

Table slice(Table table, int64_t begin, int64_t end) {
    for (ColumnView& column : table.columns) column.data += begin * column.stride;
    table.n_rows = end - begin;
    return table;
}

Table reversed(Table table) {
    for (ColumnView& column : table.columns) {
        column.data += (table.n_rows - 1) * column.stride;
        column.stride = -column.stride;
    }
    return table;
}

}  // namespace

TEST_CASE_TEMPLATE("predict: threshold trees, plain and wide", T, float, double) {
    Draw draw(36);
    const std::vector<Kind> kinds(4, Kind::continuous);
    for (int round = 0; round < 60; ++round) {
        const TreeArrays tree = TreeDraw(draw, kinds, kPoints).tree(static_cast<int>(round % 9));
        const Router router(tree, kinds);
        std::vector<T> matrix(4 * 300);
        for (T& x : matrix) x = real<T>(draw);
        const Table table = by_row(matrix, 4);
        const Cell cell = [&](int64_t row, int32_t c) { return matrix[row * 4 + c]; };
        std::vector<int64_t> expected = expected_leaves(tree, kinds, 300, cell);
        REQUIRE(routed(router, table) == expected);
        for (const int64_t n : {1, 7, 8, 31, 32, 33, 63, 64, 65})
            REQUIRE(routed(router, slice(table, 40, 40 + n)) ==
                    std::vector<int64_t>(expected.begin() + 40, expected.begin() + 40 + n));
        std::reverse(expected.begin(), expected.end());
        REQUIRE(routed(router, reversed(table)) == expected);
    }
}

TEST_CASE_TEMPLATE("predict: columns of their own", T, float, double) {
    Draw draw(37);
    const std::vector<Kind> kinds(3, Kind::continuous);
    for (int round = 0; round < 20; ++round) {
        const TreeArrays tree = TreeDraw(draw, kinds, kPoints).tree(6);
        std::vector<std::vector<T>> columns(3, std::vector<T>(200));
        Table table{{}, 200};
        for (auto& column : columns) {
            for (T& x : column) x = real<T>(draw);
            table.columns.push_back(view(column));
        }
        const Cell cell = [&](int64_t row, int32_t c) { return columns[c][row]; };
        REQUIRE(routed(Router(tree, kinds), table) == expected_leaves(tree, kinds, 200, cell));
    }
}

TEST_CASE("predict: mixed types, subset splits, missing and unseen codes") {
    Draw draw(38);
    const std::vector<Kind> kinds = {Kind::categorical, Kind::continuous, Kind::ordinal,
                                     Kind::binary,      Kind::continuous, Kind::categorical};
    std::vector<double> points = kPoints;
    points.insert(points.end(), {1.5, 2.0, 4.5, 7.0});
    for (int round = 0; round < 60; ++round) {
        const TreeArrays tree = TreeDraw(draw, kinds, points).tree(static_cast<int>(round % 9));
        std::vector<int32_t> city(600), size(600), country(600);
        std::vector<uint8_t> flag(600);
        std::vector<float> single(600);
        std::vector<double> twice(600);
        for (size_t row = 0; row < 600; ++row) {
            city[row] = static_cast<int32_t>(draw.between(-2, kCodes - 1));
            size[row] = static_cast<int32_t>(draw.between(-2, kCodes - 1));
            country[row] = static_cast<int32_t>(draw.between(-2, kCodes - 1));
            flag[row] = static_cast<uint8_t>(draw.below(2));
            single[row] = real<float>(draw);
            twice[row] = real<double>(draw);
        }
        const Table table{{view(city, kinds[0]), view(single), view(size, kinds[2]),
                           view(flag, kinds[3]), view(twice), view(country, kinds[5])},
                          600};
        const Cell cell = [&](int64_t row, int32_t c) -> double {
            switch (c) {
                case 0: return city[row];
                case 1: return single[row];
                case 2: return size[row];
                case 3: return flag[row];
                case 4: return twice[row];
                default: return country[row];
            }
        };
        REQUIRE(routed(Router(tree, kinds), table) == expected_leaves(tree, kinds, 600, cell));
    }
}

TEST_CASE_TEMPLATE("predict: many chunks, any number of threads", T, float, double) {
    Draw draw(39);
    const std::vector<Kind> kinds(2, Kind::continuous);
    const TreeArrays tree = TreeDraw(draw, kinds, kPoints).tree(5);
    constexpr int64_t n_rows = 2 * 16384 + 5;  // the last chunk is too small for wide routing
    std::vector<T> matrix(2 * n_rows);
    for (T& x : matrix) x = real<T>(draw);
    const Cell cell = [&](int64_t row, int32_t c) { return matrix[row * 2 + c]; };
    const std::vector<int64_t> expected = expected_leaves(tree, kinds, n_rows, cell);
    const Router router(tree, kinds);
    for (const int threads : {1, 2, 3, 7})
        CHECK(routed(router, by_row(matrix, 2), threads) == expected);
}

TEST_CASE("predict: integers are routed as numbers") {
    TreeArrays tree;
    tree.child_start = {0, 2, 2, 2};
    tree.child = {1, 2};
    tree.split_kind = {1, 0, 0};
    tree.split_index = {0, -1, -1};
    tree.threshold_column = {0};
    tree.threshold_value = {-1.5};
    tree.threshold_missing = {0};
    tree.subset_start = {0};
    const std::vector<int8_t> column = {-2, -1, 0, 5};
    const Table table{{view(column)}, 4};
    CHECK(routed(Router(tree, {Kind::continuous}), table) == std::vector<int64_t>{1, 2, 2, 2});
}

TEST_CASE("predict: a tree of one leaf, and a table without rows") {
    Draw draw(40);
    const std::vector<Kind> kinds(1, Kind::continuous);
    const TreeArrays leaf = TreeDraw(draw, kinds, kPoints).tree(0);
    const std::vector<double> column(50, 1.0);
    const Table table{{view(column)}, 50};
    CHECK(routed(Router(leaf, kinds), table) == std::vector<int64_t>(50, 0));
    CHECK(routed(Router(leaf, kinds), slice(table, 0, 0)).empty());
    TreeArrays stump;
    do stump = TreeDraw(draw, kinds, kPoints).tree(1);
    while (stump.child.empty());
    CHECK(routed(Router(stump, kinds), slice(table, 0, 0)).empty());
}

TEST_CASE("predict: columns that the tree does not use may hold anything") {
    Draw draw(41);
    const std::vector<Kind> kinds = {Kind::continuous, Kind::categorical};
    const TreeArrays tree = TreeDraw(draw, {Kind::continuous}, kPoints).tree(5);
    std::vector<double> used(100);
    for (double& x : used) x = real<double>(draw);
    const std::vector<int32_t> unused(100, -7);
    const Table table{{view(used), view(unused, Kind::categorical)}, 100};
    const Cell cell = [&](int64_t row, int32_t) { return used[row]; };
    CHECK(routed(Router(tree, kinds), table) == expected_leaves(tree, kinds, 100, cell));
}

TEST_CASE("predict: a stop is heard") {
    Draw draw(42);
    const std::vector<Kind> kinds(1, Kind::continuous);
    const Router router(TreeDraw(draw, kinds, kPoints).tree(3), kinds);
    const std::vector<double> column(50, 1.0);
    const Table table{{view(column)}, 50};
    std::vector<int64_t> leaves(50);
    StopFlag stop;
    stop.set();
    CHECK_THROWS_AS(router.leaves(table, leaves.data(), 1, stop), Interrupted);
}
