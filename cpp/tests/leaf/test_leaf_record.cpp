#include "core/grow/grower.hpp"
#include "core/leaf/leaf_record.hpp"
#include "tests/random_table.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

TreeArrays leaf_of(const Table& table, const Target& target, const Settings& settings) {
    return grow(table, target, settings, 1, StopFlag());
}

}  // namespace

TEST_CASE("leaf_record: a leaf holds the exact mean of its targets") {
    const std::vector<double> column = {1, 1, 1};
    const Table table{{view(column)}, 3};
    const Settings settings = settings_for(table, Criterion::squared_error);
    const std::vector<double> values = {0.1, 0.2, 0.3};
    const std::vector<double> halves = {1.0, 1.0, 2.0};
    const Target plain = value_target(values.data(), nullptr, 3, true);
    CHECK(leaf_of(table, plain, settings).moment_value[0] == 0.2);
    const Target weighted = value_target(values.data(), halves.data(), 3, true);
    CHECK(leaf_of(table, weighted, settings).moment_value[0] == doctest::Approx(0.225));
    const std::vector<double> huge = {1.5e308, 1.5e308, 1.2e308};
    const double mean =
        leaf_of(table, value_target(huge.data(), nullptr, 3, true), settings).moment_value[0];
    CHECK(mean == doctest::Approx(1.4e308));
}

TEST_CASE("leaf_record: the mean of a leaf is rounded once") {
    const std::vector<double> column = {1, 1, 1, 1};
    const Table table{{view(column)}, 4};
    const std::vector<double> values = {0x1p53, 0x1p53 + 2, 0x1p-600, 0.0};
    const Target target = value_target(values.data(), nullptr, 4, true);
    const Settings settings = settings_for(table, Criterion::squared_error);
    CHECK(leaf_of(table, target, settings).moment_value[0] == 0x1p52 + 1);
}
