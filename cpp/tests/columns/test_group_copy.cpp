#include "core/columns/group_copy.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

std::vector<ColumnView> gathered(GroupCopy& copies, const Table& table, int64_t first, int64_t last,
                                 int threads = 1) {
    Team team(threads);
    return copies.gather(table, first, last, team, StopFlag());
}

// A record of mixed types, as the rows of a table hold it.
struct Record {
    double real;
    float single;
    int16_t small;
    uint8_t flag;
};

Table by_record(const std::vector<Record>& records) {
    const auto column = [&](const void* first, Type type) {
        ColumnView made;
        made.data = static_cast<const char*>(first);
        made.stride = sizeof(Record);
        made.type = type;
        return made;
    };
    const Record& first = records[0];
    return {{column(&first.real, Type::f64), column(&first.single, Type::f32),
             column(&first.small, Type::i16), column(&first.flag, Type::u8)},
            static_cast<int64_t>(records.size())};
}

}  // namespace

TEST_CASE("group_copy: columns far apart are copied side by side") {
    Draw draw(60);
    std::vector<Record> records(20'000);
    for (Record& record : records)
        record = {draw.unit(), static_cast<float>(draw.unit()),
                  static_cast<int16_t>(draw.between(-999, 999)),
                  static_cast<uint8_t>(draw.below(256))};
    const Table table = by_record(records);
    for (const int threads : {1, 3}) {
        GroupCopy copies;
        const std::vector<ColumnView> views = gathered(copies, table, 0, 4, threads);
        for (size_t c = 0; c < 4; ++c) {
            REQUIRE(views[c].stride == size_of(views[c].type));
            for (int64_t row = 0; row < table.n_rows; ++row)
                REQUIRE(views[c].value(row) == table.columns[c].value(row));
        }
    }
}

TEST_CASE("group_copy: a column read backwards is copied in the order of its rows") {
    const std::vector<int32_t> values = {1, 2, 3};
    ColumnView column = view(values);
    column.data += 2 * sizeof(int32_t);
    column.stride = -column.stride;
    GroupCopy copies;
    const ColumnView copy = gathered(copies, Table{{column}, 3}, 0, 1)[0];
    CHECK(copy.stride == sizeof(int32_t));
    CHECK(copy.value(0) == 3.0);
    CHECK(copy.value(2) == 1.0);
}

TEST_CASE("group_copy: contiguous columns stay where they are, whatever was copied before") {
    const std::vector<double> near = {1, 2, 3}, matrix = {1, 2, 3, 4, 5, 6};
    ColumnView far = view(matrix);
    far.stride = 2 * sizeof(double);
    const Table table{{far, view(near)}, 3};
    GroupCopy copies;
    CHECK(gathered(copies, table, 0, 1)[0].data != far.data);
    const ColumnView kept = gathered(copies, table, 1, 2)[0];
    CHECK(kept.data == table.columns[1].data);
    CHECK(kept.value(2) == 3.0);
}
