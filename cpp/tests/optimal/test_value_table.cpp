#include "core/optimal/value_table.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::optimal;

TEST_CASE("a table keeps the better of two entries and never more than its memory") {
    ValueTable table(1 << 16);
    const Key key{1, 2};
    CHECK(table.find(key) == nullptr);
    table.put({key, 5, 3, false});
    table.put({key, 4, 3, false});
    CHECK(table.find(key)->lower == 5);
    table.put({key, 9, 3, true});
    table.put({key, 12, 3, false});
    CHECK(table.find(key)->lower == 9);
    CHECK(table.find(key)->is_exact);
    CHECK_FALSE(key.with(1) == key.with(2));
    for (uint64_t i = 0; i < 100000; ++i) table.put({{mix(i), i}, 1, 1, true});
    CHECK(table.bytes() <= 1 << 16);
    CHECK(table.size() > 0);
    table.clear();
    CHECK(table.find(key) == nullptr);
    CHECK(table.size() == 0);
}

TEST_CASE("an entry that was dear stays where cheap ones come and go") {
    ValueTable table(1 << 16);
    const Key dear{mix(77), 7};
    table.put({dear, 42, 1000000, true});
    for (uint64_t i = 0; i < 50000; ++i) table.put({{mix(i), i}, 1, 2, true});
    REQUIRE(table.find(dear) != nullptr);
    CHECK(table.find(dear)->lower == 42);
}

TEST_CASE("a table without memory holds nothing") {
    ValueTable table(0);
    table.put({{1, 2}, 5, 3, true});
    CHECK(table.find({1, 2}) == nullptr);
    CHECK(table.bytes() == 0);
}
