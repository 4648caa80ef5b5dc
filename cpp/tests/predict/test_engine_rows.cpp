#include <cmath>
#include <iterator>
#include <type_traits>

#include "core/predict/engine_rows.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

// Of the key of every number, one at a time.
template <class T>
void check_keys(const KeyRows& rows, const std::vector<T>& values) {
    REQUIRE(rows.keys.size() == values.size());
    bool missing = false, rounded = false;
    for (size_t i = 0; i < values.size(); ++i) {
        const double x = values[i];
        missing |= x != x;
        rounded |= x == x && key_below(x) != key_above(x);
        REQUIRE(rows.keys[i] == (x == x ? key_below(x) : kMissingKey));
    }
    CHECK(rows.facts.missing == missing);
    CHECK(rows.facts.rounded == rounded);
}

}  // namespace

TEST_CASE("engine_rows: numbers, codes and what they lack") {
    const std::vector<double> x = {0.5, kNaN, 0.1, -kInf};
    const std::vector<int32_t> codes = {-2, -1, 0, 7};
    const std::vector<int64_t> unread = {1, 2, 3, 4};
    const Table table{{view(x), view(unread), view(codes, Kind::categorical)}, 4};
    KeyRows rows;
    rows.read(table, {0, 2}, 0, 4);
    CHECK(rows.width == 2);
    CHECK(rows.facts.missing);
    CHECK(rows.facts.rounded);
    CHECK(rows.keys == std::vector<Key>{key_below(0.5), kUnseenKey, kMissingKey, kMissingKey,
                                        key_below(0.1), key_below(0), kLowestKey, key_below(7)});
    rows.read(table, {1}, 1, 4);
    CHECK(rows.keys == std::vector<Key>{key_below(2), key_below(3), key_below(4)});
}

TEST_CASE_TEMPLATE("engine_rows: a matrix by rows, by columns and in part", T, float, double) {
    Draw draw(54);
    constexpr int64_t n_columns = 5;
    const std::vector<double> values = {0.0,   -0.0, 1.0,    -1.0,  kInf,  -kInf, 3e38,
                                        1e-40, 0.1,  -1e300, 1e300, -0.25, kTiny, -kTiny};
    for (const double missing : {0.0, 0.2})
        for (int64_t n_rows : {1, 3, 64, 65, 300}) {
            std::vector<T> matrix(static_cast<size_t>(n_rows * n_columns));
            for (T& x : matrix) x = static_cast<T>(draw.chance(missing) ? kNaN : draw.pick(values));
            std::vector<T> turned(matrix.size());
            Table by_row{{}, n_rows}, by_column{{}, n_rows};
            for (int64_t c = 0; c < n_columns; ++c) {
                for (int64_t row = 0; row < n_rows; ++row)
                    turned[c * n_rows + row] = matrix[row * n_columns + c];
                ColumnView column = view(matrix);
                column.data += c * static_cast<int64_t>(sizeof(T));
                column.stride *= n_columns;
                by_row.columns.push_back(column);
                column = view(turned);
                column.data += c * n_rows * static_cast<int64_t>(sizeof(T));
                by_column.columns.push_back(column);
            }
            for (const Table& table : {by_row, by_column}) {
                KeyRows rows;
                rows.read(table, {0, 1, 2, 3, 4}, 0, n_rows);
                check_keys(rows, matrix);
                for (const std::vector<int32_t>& part :
                     {std::vector<int32_t>{1, 2}, std::vector<int32_t>{0, 3, 4}}) {
                    std::vector<T> cells;
                    for (int64_t row = n_rows / 2; row < n_rows; ++row)
                        for (int32_t c : part) cells.push_back(matrix[row * n_columns + c]);
                    rows.read(table, part, n_rows / 2, n_rows);
                    check_keys(rows, cells);
                }
            }
        }
}

TEST_CASE("engine_rows: facts are those of the rows that were read") {
    std::vector<double> x(300, 1.5);
    x[250] = 0.1;
    x[40] = kNaN;
    const Table table{{view(x)}, 300};
    KeyRows rows;
    rows.read(table, {0}, 0, 200);
    CHECK(rows.facts.missing);
    CHECK(!rows.facts.rounded);
    rows.read(table, {0}, 100, 300);
    CHECK(!rows.facts.missing);
    CHECK(rows.facts.rounded);
    CHECK(rows.keys.size() == 200);
    CHECK(rows.keys[150] == key_below(0.1));
    CHECK(rows.keys[199] == key_below(1.5));
}

TEST_CASE_TEMPLATE("engine_rows: sparse columns, listed at once and read in parts", T, float,
                   double, int32_t) {
    Draw draw(98);
    const std::vector<double> values = {0.0, 1.0, -3.0, 7.0, 0.1, 1e300, kNaN};
    KeyRows rows;
    for (int round = 0; round < 60; ++round) {
        const int64_t n_rows = draw.between(1, 300);
        constexpr int64_t n_columns = 4;
        const int64_t first_row = draw.below(3);  // rows of the caller's before the table
        const Kind kind = draw.chance(0.5) ? Kind::continuous : Kind::categorical;
        std::vector<std::vector<T>> dense(n_columns), stored(n_columns);
        std::vector<std::vector<int32_t>> ids(n_columns);
        Table table{{}, n_rows}, expected{{}, n_rows};
        for (int64_t c = 0; c < n_columns; ++c) {
            for (int64_t row = 0; row < n_rows + first_row; ++row) {
                const double drawn = draw.chance(0.3) ? draw.pick(values) : 0.0;
                const bool fits = !std::is_integral_v<T> || drawn == std::floor(drawn);
                const T value = fits && std::fabs(drawn) < 10 ? static_cast<T>(drawn) : T(0);
                dense[c].push_back(value);
                if (value == T(0) && draw.chance(0.9)) continue;
                stored[c].push_back(value);
                ids[c].push_back(static_cast<int32_t>(row));
            }
            expected.columns.push_back(view(dense[c], kind).from(first_row));
            if (c == 2) {  // one that is not sparse
                table.columns.push_back(expected.columns.back());
                continue;
            }
            ColumnView column = view(stored[c], kind);
            column.rows = ids[c].data();
            column.n_stored = std::ssize(ids[c]);
            table.columns.push_back(column.from(first_row));
        }
        std::vector<int32_t> columns;
        for (int32_t c = 0; c < n_columns; ++c)
            if (draw.chance(0.8)) columns.push_back(c);
        const int64_t begin = draw.below(n_rows), end = draw.between(begin + 1, n_rows);
        rows.list_stored(table, columns, begin, end);
        KeyRows other;
        for (int64_t at = begin, to; at < end; at = to) {
            to = draw.between(at + 1, end);
            rows.read(table, columns, at, to);
            other.read(expected, columns, at, to);
            REQUIRE(rows.width == other.width);
            REQUIRE(rows.keys == other.keys);
            CHECK((!other.facts.missing || rows.facts.missing));
            CHECK((!other.facts.rounded || rows.facts.rounded));
        }
    }
}
