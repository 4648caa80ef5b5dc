#include <algorithm>

#include "core/predict/predict.hpp"
#include "tests/random_tree.hpp"

using namespace silva;
using namespace silva::test;

namespace {

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

// A table with a column of each kind and several types, drawn anew for each tree.
struct MixedTable {
    static constexpr int64_t n_rows = 600;
    std::vector<Kind> kinds = {Kind::categorical, Kind::continuous, Kind::ordinal,
                               Kind::binary,      Kind::continuous, Kind::categorical};
    std::vector<int32_t> city, size, country;
    std::vector<int8_t> flag;
    std::vector<float> single;
    std::vector<double> twice;

    explicit MixedTable(Draw& draw) {
        for (int64_t row = 0; row < n_rows; ++row) {
            city.push_back(static_cast<int32_t>(draw.between(-2, kCodes - 1)));
            size.push_back(static_cast<int32_t>(draw.between(-2, 7)));
            country.push_back(static_cast<int32_t>(draw.between(-2, kCodes + 3)));
            flag.push_back(static_cast<int8_t>(draw.between(-2, 1)));
            single.push_back(real<float>(draw));
            twice.push_back(real<double>(draw));
        }
    }
    Table table() const {
        return {{view(city, kinds[0]), view(single), view(size, kinds[2]), view(flag, kinds[3]),
                 view(twice), view(country, kinds[5])},
                n_rows};
    }
    double cell(int64_t row, int32_t column) const {
        switch (column) {
            case 0: return city[row];
            case 1: return single[row];
            case 2: return size[row];
            case 3: return flag[row];
            case 4: return twice[row];
            default: return country[row];
        }
    }
};

}  // namespace

TEST_CASE_TEMPLATE("predict: numbers in one layout, one by one and in walks", T, float, double) {
    Draw draw(36);
    const std::vector<Kind> kinds(4, Kind::continuous);
    for (int round = 0; round < 80; ++round) {
        const auto splits = round < 40   ? TreeDraw::plain
                            : round < 60 ? TreeDraw::own_ways
                                         : TreeDraw::all;
        const TreeArrays tree =
            TreeDraw(draw, kinds, kPoints, splits).tree(static_cast<int>(round % 9));
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

TEST_CASE("predict: mixed types, every split kind, missing and unseen codes") {
    Draw draw(38);
    std::vector<double> points = kPoints;
    points.insert(points.end(), {1.5, 2.0, 4.5, 7.0});
    std::vector<int64_t> ends;  // of all rows: kinds of the nodes where they end
    for (int round = 0; round < 120; ++round) {
        const MixedTable mixed(draw);
        const TreeArrays tree = TreeDraw(draw, mixed.kinds, points,
                                         round < 40   ? TreeDraw::plain
                                         : round < 80 ? TreeDraw::own_ways
                                                      : TreeDraw::all)
                                    .tree(static_cast<int>(round % 6));
        const Cell cell = [&](int64_t row, int32_t c) { return mixed.cell(row, c); };
        const Router router(tree, mixed.kinds);
        const std::vector<int64_t> leaves = routed(router, mixed.table());
        REQUIRE(leaves == expected_leaves(tree, mixed.kinds, MixedTable::n_rows, cell));
        for (const int64_t n : {1, 16})  // so few follow the exact rule
            REQUIRE(routed(router, slice(mixed.table(), 3, 3 + n)) ==
                    std::vector<int64_t>(leaves.begin() + 3, leaves.begin() + 3 + n));
        for (const int64_t leaf : leaves) ends.push_back(tree.split_kind[leaf]);
    }
    for (const int64_t kind : {0, 1, 2, 3, 4, 5}) CHECK(std::count(ends.begin(), ends.end(), kind));
}

TEST_CASE_TEMPLATE("predict: many chunks, any number of threads", T, float, double) {
    Draw draw(39);
    const std::vector<Kind> kinds(2, Kind::continuous);
    const TreeArrays tree = TreeDraw(draw, kinds, kPoints).tree(5);
    constexpr int64_t n_rows = 2 * 16384 + 5;  // the last chunk is small
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
    tree.threshold_unseen = {0};
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
    TreeArrays split;
    do split = TreeDraw(draw, kinds, kPoints).tree(1);
    while (split.child.empty());
    CHECK(routed(Router(split, kinds), slice(table, 0, 0)).empty());
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
