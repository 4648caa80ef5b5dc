#include "core/engine_rows.hpp"
#include "support.hpp"

using namespace silva;
using namespace silva::test;

TEST_CASE("engine_rows: numbers, codes and what they lack") {
    const std::vector<double> x = {0.5, kNaN, 0.1, -kInf};
    const std::vector<int32_t> codes = {-2, -1, 0, 7};
    const std::vector<int64_t> unread = {1, 2, 3, 4};
    const Table table{{view(x), view(unread), view(codes, Kind::categorical)}, 4};
    KeyRows rows;
    rows.read(table, {0, 2}, 0, 4);
    CHECK(rows.width == 3);
    CHECK(rows.missing);
    CHECK(rows.rounded);
    const std::vector<Key> first = {rows.keys[0], rows.keys[3], rows.keys[6], rows.keys[9]};
    CHECK(first == std::vector<Key>{key_below(0.5), kMissingKey, key_below(0.1), kLowestKey});
    const std::vector<Key> last = {rows.keys[2], rows.keys[5], rows.keys[8], rows.keys[11]};
    CHECK(last == std::vector<Key>{kUnseenKey, kMissingKey, 0, key_below(7)});
}

TEST_CASE("engine_rows: facts are those of the rows that were read") {
    std::vector<double> x(300, 1.5);
    x[250] = 0.1;
    x[40] = kNaN;
    const Table table{{view(x)}, 300};
    KeyRows rows;
    rows.read(table, {0}, 0, 200);
    CHECK(rows.missing);
    CHECK(!rows.rounded);
    rows.read(table, {0}, 100, 300);
    CHECK(!rows.missing);
    CHECK(rows.rounded);
    CHECK(rows.keys.size() == 200);
    CHECK(rows.keys[150] == key_below(0.1));
    CHECK(rows.keys[199] == key_below(1.5));
}
