#include <algorithm>
#include <cmath>

#include "core/columns/table.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

TEST_CASE_TEMPLATE("table: every type is read exactly", T, float, double, int8_t, int16_t, int32_t,
                   int64_t, uint8_t, uint16_t, uint32_t, uint64_t) {
    using Limits = std::numeric_limits<T>;
    const std::vector<T> values = {T(0), T(1), T(100), Limits::lowest(), Limits::max()};
    const ColumnView column = view(values);
    CHECK(size_of(column.type) == sizeof(T));
    for (size_t row = 0; row < values.size(); ++row)
        CHECK(column.value(static_cast<int64_t>(row)) == static_cast<double>(values[row]));
}

TEST_CASE("table: a range is read as its values one by one") {
    const std::vector<int16_t> values = {5, -3, 8, 13, -21, 34};
    const ColumnView column = view(values);
    double out[4] = {-1, -1, -1, -1};
    column.read(2, 5, out);
    CHECK(out[0] == 8.0);
    CHECK(out[1] == 13.0);
    CHECK(out[2] == -21.0);
    CHECK(out[3] == -1.0);
}

TEST_CASE("table: strides may be wide, negative or zero") {
    const std::vector<float> matrix = {1, 2, 3, 4, 5, 6, 7, 8, 9};  // three rows of three
    ColumnView column = view(matrix);
    double out[3];

    column.data += sizeof(float);
    column.stride = 3 * sizeof(float);
    column.read(0, 3, out);
    CHECK(std::vector<double>(out, out + 3) == std::vector<double>{2, 5, 8});

    column.data = reinterpret_cast<const char*>(&matrix[8]);
    column.stride = -3 * static_cast<int64_t>(sizeof(float));
    column.read(0, 3, out);
    CHECK(std::vector<double>(out, out + 3) == std::vector<double>{9, 6, 3});
    CHECK(column.value(1) == 6.0);

    column.stride = 0;
    column.read(0, 3, out);
    CHECK(std::vector<double>(out, out + 3) == std::vector<double>{9, 9, 9});
}

TEST_CASE("table: values need not be aligned") {
    std::vector<char> bytes(1 + 2 * sizeof(double));
    const double values[2] = {0.1, -7.5};
    std::copy_n(reinterpret_cast<const char*>(values), sizeof(values), bytes.data() + 1);
    ColumnView column;
    column.data = bytes.data() + 1;
    column.stride = sizeof(double);
    CHECK(column.value(0) == 0.1);
    CHECK(column.value(1) == -7.5);
}

TEST_CASE("table: negative codes are missing, negative numbers are not") {
    const std::vector<int32_t> values = {-2, -1, 0, 7};
    for (const Kind kind : {Kind::ordinal, Kind::categorical, Kind::binary}) {
        const ColumnView column = view(values, kind);
        CHECK(std::isnan(column.value(0)));
        CHECK(std::isnan(column.value(1)));
        CHECK(column.value(2) == 0.0);
        CHECK(column.value(3) == 7.0);
    }
    CHECK(view(values, Kind::continuous).value(0) == -2.0);
    const std::vector<uint8_t> high = {255};
    CHECK(view(high, Kind::ordinal).value(0) == 255.0);
}

TEST_CASE_TEMPLATE("table: minus zero is zero, NaN and infinities stay", T, float, double) {
    const std::vector<T> values = {T(-0.0), T(kNaN), T(kInf), T(-kInf)};
    const ColumnView column = view(values);
    double out[4];
    column.read(0, 4, out);
    CHECK_FALSE(std::signbit(out[0]));
    CHECK_FALSE(std::signbit(column.value(0)));
    CHECK(std::isnan(out[1]));
    CHECK(out[2] == kInf);
    CHECK(out[3] == -kInf);
}
