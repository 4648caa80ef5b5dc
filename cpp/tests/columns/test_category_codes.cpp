#include "core/columns/category_codes.hpp"
#include "core/columns/presort.hpp"
#include "tests/random_table.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

Prepared prepared(const std::vector<int32_t>& codes, SplitForm form) {
    const Table table{{view(codes, Kind::categorical)}, static_cast<int64_t>(codes.size())};
    const std::vector<int32_t> labels(codes.size(), 0);
    Team team(1);
    return prepare(table, class_target(labels.data(), nullptr, table.n_rows, 1),
                   settings_for(table, Criterion::gini, form), team, StopFlag());
}

}  // namespace

TEST_CASE("category_codes: codes as they are, the next one for missing values") {
    const Prepared out = prepared({3, -1, 0, 3, -2}, SplitForm::subset);
    CHECK(out.forms()[0].form == Form::category);
    CHECK(out.forms()[0].n_codes == 4);
    CHECK(out.forms()[0].has_missing);
    CHECK(to_vector(out.store.level16[0]) == std::vector<uint16_t>{3, 4, 0, 3, 4});
    CHECK(out.store.level32[0].empty());
}

TEST_CASE("category_codes: two levels are a bit, unless each needs a child of its own") {
    const std::vector<int32_t> codes = {7, 2, 2, 7, 2};
    for (const SplitForm form : {SplitForm::onevsrest, SplitForm::subset}) {
        const Prepared out = prepared(codes, form);
        CHECK(out.forms()[0].form == Form::bit);
        CHECK(out.forms()[0].levels == std::vector<double>{2, 7});
        CHECK(out.forms()[0].inverted == false);
    }
    CHECK(prepared(codes, SplitForm::multiway).forms()[0].form == Form::category);
    CHECK(prepared({7, 2, -1}, SplitForm::subset).forms()[0].form == Form::category);
}

TEST_CASE("category_codes: one level, or none, is constant") {
    CHECK(prepared({5, 5, 5}, SplitForm::subset).forms()[0].form == Form::constant);
    CHECK(prepared({-1, -1}, SplitForm::subset).forms()[0].form == Form::constant);
    CHECK(prepared({5, -1}, SplitForm::subset).forms()[0].form == Form::category);
}

TEST_CASE("category_codes: more levels than 16 bits number") {
    const Prepared most = prepared({65533, 0, -1}, SplitForm::subset);
    CHECK(to_vector(most.store.level16[0]) == std::vector<uint16_t>{65533, 0, 65534});
    const Prepared more = prepared({65534, 0, -1}, SplitForm::subset);
    CHECK(more.store.level16[0].empty());
    CHECK(to_vector(more.store.level32[0]) == std::vector<uint32_t>{65534, 0, 65535});
}
