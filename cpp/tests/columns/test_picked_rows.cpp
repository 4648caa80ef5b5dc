#include <doctest/doctest.h>

#include <vector>

#include "core/columns/picked_rows.hpp"

using namespace silva;

TEST_CASE("picked rows have the values of the table, whatever its layout") {
    const std::vector<double> wide{1, 2, 3, 4};
    const std::vector<int16_t> narrow{5, -1, 7, 8};
    const std::vector<float> matrix{1, 2, 3, 4, 5, 6, 7, 8};
    Table mixed, block;
    mixed.n_rows = block.n_rows = 4;
    ColumnView a, b;
    a.data = reinterpret_cast<const char*>(narrow.data());
    a.stride = 2;
    a.type = Type::i16;
    a.kind = Kind::ordinal;
    b.data = reinterpret_cast<const char*>(wide.data());
    b.stride = 8;
    mixed.columns = {a, b};
    for (int c = 0; c < 2; ++c) {
        ColumnView column;
        column.data = reinterpret_cast<const char*>(matrix.data() + c);
        column.stride = 8;
        column.type = Type::f32;
        block.columns.push_back(column);
    }
    const std::vector<uint32_t> rows{3, 0, 1};
    for (const Table* table : {&mixed, &block}) {
        PickedRows picked(*table);
        const Table& some = picked.pick(rows);
        CHECK(some.n_rows == 3);
        for (size_t c = 0; c < 2; ++c)
            for (size_t i = 0; i < rows.size(); ++i) {
                const double value = table->columns[c].value(rows[i]);
                const double copy = some.columns[c].value(static_cast<int64_t>(i));
                CHECK((copy == value || (copy != copy && value != value)));
            }
    }
}
