#include <algorithm>
#include <cmath>

#include "core/columns/column_facts.hpp"
#include "core/simd/kernels.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

Table table_of(std::vector<ColumnView> columns, int64_t n_rows) {
    return {std::move(columns), n_rows};
}

ColumnFacts facts_of(const ColumnView& column, int64_t n_rows) {
    return column_facts(table_of({column}, n_rows), 1, StopFlag())[0];
}

template <class T>
ColumnFacts facts_of(const std::vector<T>& values) {
    return facts_of(view(values), static_cast<int64_t>(values.size()));
}

// By the definitions, in two passes of long double over the distances from the smallest value.
ColumnFacts slowly(const std::vector<double>& values) {
    ColumnFacts facts{kInf, -kInf, kNaN, kNaN, 0};
    std::vector<double> finite;
    for (const double value : values) {
        facts.missing += std::isnan(value);
        if (std::isfinite(value)) finite.push_back(value);
    }
    facts.low = *std::min_element(finite.begin(), finite.end());
    facts.high = *std::max_element(finite.begin(), finite.end());
    const long double low = facts.low, n = static_cast<long double>(finite.size());
    long double mean = 0.0L, squares = 0.0L;
    for (const double value : finite) mean += (value - low) / n;
    for (const double value : finite) squares += (value - low - mean) * (value - low - mean);
    facts.mean = static_cast<double>(low + mean);
    facts.deviation = static_cast<double>(std::sqrt(squares / n));
    return facts;
}

void check_near(const ColumnFacts& found, const ColumnFacts& wanted) {
    CHECK(found.low == wanted.low);
    CHECK(found.high == wanted.high);
    CHECK(std::fabs(found.mean - wanted.mean) <=
          1e-15 * std::max(std::fabs(wanted.low), std::fabs(wanted.high)));
    CHECK(std::fabs(found.deviation - wanted.deviation) <= 1e-12 * wanted.deviation);
    CHECK(found.missing == wanted.missing);
}

bool same_bits(const ColumnFacts& a, const ColumnFacts& b) {
    const auto bits = [](double x) { return std::bit_cast<uint64_t>(x); };
    return bits(a.low) == bits(b.low) && bits(a.high) == bits(b.high) &&
           bits(a.mean) == bits(b.mean) && bits(a.deviation) == bits(b.deviation) &&
           a.missing == b.missing;
}

}  // namespace

TEST_CASE("column_facts: a column by hand") {
    const ColumnFacts facts = facts_of(std::vector<double>{2, kNaN, 4, kInf, 9, -kInf, 5, kNaN});
    CHECK(facts.low == 2.0);
    CHECK(facts.high == 9.0);
    CHECK(facts.mean == 5.0);
    CHECK(facts.deviation == std::sqrt(26.0 / 4.0));
    CHECK(facts.missing == 2);
}

TEST_CASE("column_facts: columns without a finite value, of one value, and of none") {
    for (const auto& values :
         {std::vector<double>{}, std::vector<double>{kNaN}, std::vector<double>{kInf, -kInf}}) {
        const ColumnFacts facts = facts_of(values);
        for (const double number : {facts.low, facts.high, facts.mean, facts.deviation})
            CHECK(std::isnan(number));
        CHECK(facts.missing == (values.size() == 1));
    }
    const ColumnFacts facts = facts_of(std::vector<double>(1000, 0.1));
    CHECK(facts.low == 0.1);
    CHECK(facts.mean == 0.1);
    CHECK(facts.deviation == 0.0);
}

TEST_CASE("column_facts: codes have missing values only, and -2 is none") {
    const std::vector<int32_t> codes = {-1, 0, -2, 3, -1};
    const std::vector<uint8_t> binary = {0, 1, 1, 0, 255};
    for (const Kind kind : {Kind::ordinal, Kind::categorical, Kind::binary}) {
        CHECK(facts_of(view(codes, kind), 5).missing == 2);
        CHECK(facts_of(view(binary, kind), 5).missing == 0);
        CHECK(std::isnan(facts_of(view(codes, kind), 5).low));
    }
}

TEST_CASE_TEMPLATE("column_facts: every type, with a stride", T, float, double, int8_t, int16_t,
                   int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t) {
    Draw draw(1);
    std::vector<T> matrix;
    std::vector<double> values;
    for (int row = 0; row < 700; ++row) {
        for (int column = 0; column < 3; ++column) matrix.push_back(static_cast<T>(draw.below(99)));
        values.push_back(static_cast<double>(matrix[matrix.size() - 2]));
    }
    ColumnView column = view(matrix);
    column.data += sizeof(T);
    column.stride = 3 * sizeof(T);
    check_near(facts_of(column, 700), slowly(values));
}

TEST_CASE("column_facts: lengths around blocks and tasks, with gaps, far from zero") {
    Draw draw(2);
    for (const int64_t n : {1, 2, 7, 8, 9, 255, 256, 257, 8191, 8192, 8193, 20000})
        for (const double gaps : {0.0, 0.3, 0.99}) {
            std::vector<double> values(static_cast<size_t>(n));
            for (double& value : values)
                value = draw.chance(gaps) ? draw.pick<double>({kNaN, kInf, -kInf})
                                          : 1e9 + 1e-3 * draw.unit();
            values[draw.below(n)] = 1e9;
            check_near(facts_of(values), slowly(values));
        }
}

TEST_CASE("column_facts: nothing overflows or vanishes") {
    CHECK(facts_of(std::vector<double>{-kMax, kMax}).mean == 0.0);
    CHECK(facts_of(std::vector<double>{-kMax, kMax}).deviation == kMax);
    CHECK(facts_of(std::vector<double>{kMax, kMax, kNaN}).mean == kMax);
    CHECK(facts_of(std::vector<double>{kMax, kMax, kNaN}).deviation == 0.0);
    CHECK(facts_of(std::vector<double>{0.0, 4 * kTiny}).mean == 2 * kTiny);
    CHECK(facts_of(std::vector<double>{0.0, 4 * kTiny}).deviation == 2 * kTiny);
    for (const double unit : {0x1p-1000, 0x1p-500, 0x1p-300, 0x1p499, 0x1p520, 0x1p1015}) {
        std::vector<double> values;
        for (int i = 0; i < 100; ++i) values.push_back((i % 10) * unit);
        CHECK(facts_of(values).mean == 4.5 * unit);
        CHECK(facts_of(values).deviation / unit == doctest::Approx(std::sqrt(8.25)).epsilon(1e-14));
    }
}

TEST_CASE("column_facts: the same bits for any number of threads") {
    Draw draw(3);
    constexpr int64_t rows = 30'000, width = 70;
    std::vector<double> matrix(rows * width);
    for (double& value : matrix) value = draw.chance(0.001) ? kNaN : draw.unit() * 1e6;
    std::vector<ColumnView> columns;
    for (int64_t c = 0; c < width; ++c) {
        columns.push_back(view(matrix));
        columns.back().data += c * static_cast<int64_t>(sizeof(double));
        columns.back().stride = width * static_cast<int64_t>(sizeof(double));
    }
    const auto one = column_facts(table_of(columns, rows), 1, StopFlag());
    for (const int threads : {2, 3, 7}) {
        const auto many = column_facts(table_of(columns, rows), threads, StopFlag());
        for (int64_t c = 0; c < width; ++c) CHECK(same_bits(one[c], many[c]));
    }
    for (const int64_t c : {0, 64, 69}) {
        std::vector<double> values;
        for (int64_t row = 0; row < rows; ++row) values.push_back(matrix[row * width + c]);
        CHECK(same_bits(one[c], facts_of(values)));
    }
}

TEST_CASE("simd/moments: eight running sums, added in order") {
    Draw draw(4);
    std::vector<double> values(88);
    for (double& value : values) value = draw.unit() * 1e3;
    double sum[8] = {}, squares[8] = {}, low = kInf, high = -kInf;
    for (size_t i = 0; i < values.size(); ++i) {
        const double gap = values[i] - 17.0;
        sum[i % 8] += gap;
        squares[i % 8] += gap * gap;
        low = std::min(low, values[i]);
        high = std::max(high, values[i]);
    }
    for (int lane = 1; lane < 8; ++lane) {
        sum[0] += sum[lane];
        squares[0] += squares[lane];
    }
    const auto found = simd::kernels().moments.block_moments(values.data(), 88, 17.0);
    CHECK(found.low == low);
    CHECK(found.high == high);
    CHECK(found.sum == sum[0]);
    CHECK(found.squares == squares[0]);
    values[40] = kNaN;
    CHECK(std::isnan(simd::kernels().moments.block_moments(values.data(), 88, 17.0).squares));
}
