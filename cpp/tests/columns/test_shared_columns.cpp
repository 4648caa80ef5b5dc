#include "core/columns/shared_columns.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

SharedColumn shared(const std::vector<double>& values, bool random_splitter,
                    Fallback missing = Fallback::learn, bool suits = true) {
    Table table;
    table.n_rows = std::ssize(values);
    table.columns = {view(values)};
    Target target;
    target.n_rows = table.n_rows;
    target.n_classes = 2;
    Settings settings;
    settings.random_splitter = random_splitter;
    settings.set_columns({{SplitForm::threshold, missing, Fallback::majority, true, false}});
    Team team(1);
    StopFlag stop;
    SharedColumns out;
    CHECK(share_columns(table, target, settings, team, stop, out) == suits);
    return suits ? std::move(out.columns[0]) : SharedColumn();
}

std::vector<double> many(int64_t n, bool with_missing) {
    std::vector<double> values;
    for (int64_t i = 0; i < n; ++i) values.push_back(static_cast<double>(i * 7919 % n));
    if (with_missing) values.insert(values.begin() + 3, kNaN);
    return values;
}

}  // namespace

TEST_CASE("missing values have the rank above all others") {
    const SharedColumn few = shared({2.0, kNaN, 1.0, 2.0, kNaN}, false);
    CHECK(to_vector(few.rank16) == std::vector<uint16_t>{1, 2, 0, 1, 2});
    CHECK(few.block < 0);
    CHECK(few.missing.rank == 2);
    for (const int64_t n : {300, 65535, 65536, 70000}) {
        const SharedColumn column = shared(many(n, true), false);
        CHECK(column.n_ranks == n);
        CHECK(column.missing.rank == n);
        CHECK(column.rank16.empty() == (n > 65535));
        CHECK((column.rank16.empty() ? column.rank32[3] : column.rank16[3]) == n);
        CHECK(!shared(many(n, false), false).missing.exist());
    }
}

TEST_CASE("missing values of drawn thresholds have the highest code") {
    const SharedColumn column = shared({2.0, kNaN, 1.0}, true, Fallback::stop);
    CHECK(column.coded.codes[1] == kMissingCode);
    CHECK(column.missing.rank == kMissingCode);
    CHECK(column.missing.follow_majority);
    CHECK(!shared({2.0, 4.0, 1.0}, true).missing.exist());
    CHECK(shared({kNaN, kNaN}, true).constant);
}

TEST_CASE("columns know that missing values have a branch of their own") {
    for (const bool random : {false, true}) {
        CHECK(shared({2.0, kNaN, 1.0}, random, Fallback::own_branch).missing.own_branch);
        CHECK(!shared({2.0, kNaN, 1.0}, random, Fallback::learn).missing.own_branch);
        CHECK(!shared({2.0, 3.0, 1.0}, random, Fallback::own_branch).missing.exist());
    }
}
