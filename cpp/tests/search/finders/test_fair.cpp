#include <cmath>

#include "core/columns/presort.hpp"
#include "core/grow/grower.hpp"
#include "core/search/finders/fair.hpp"
#include "tests/random_table.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

using Codes = std::vector<int32_t>;

Settings fair_settings(const Table& table, SplitForm form) {
    Settings settings = settings_for(table, Criterion::gini, form);
    std::vector<ColumnSettings> columns(table.columns.size());
    for (size_t c = 0; c < columns.size(); ++c) {
        columns[c] = settings.column(static_cast<int32_t>(c));
        columns[c].fair = columns[c].form != SplitForm::threshold;
    }
    settings.set_columns(columns);
    return settings;
}

Candidate best_of(const Table& table, const Codes& labels, SplitForm form) {
    const Target target = class_target(labels.data(), nullptr, table.n_rows, 2);
    const Settings settings = fair_settings(table, form);
    Root root(table, target, settings);
    root.search();
    return root.node.best;
}

}  // namespace

TEST_CASE("fair: the share of chance") {
    CHECK(chance_share({2, 10}, 2) == 0.0);
    CHECK(chance_share({10, 10}, 2) == 1.0);
    CHECK(chance_share({3, 8}, 2) == doctest::Approx(1.0 / 6 + std::sqrt(2.0 / 6 * 5 / 6 / 9)));
    CHECK(chance_share({3, 8}, 0) == chance_share({3, 8}, 2));
    CHECK(chance_share({3, 8}, 5) < chance_share({3, 8}, 2));
}

TEST_CASE("fair: three levels are charged, two are not") {
    const Codes labels = {0, 0, 0, 1, 0, 1, 1, 1};
    const Codes three = {0, 0, 0, 0, 1, 1, 2, 2}, two = {0, 0, 0, 0, 1, 1, 1, 1};
    const Table many{{view(three, Kind::categorical)}, 8}, few{{view(two, Kind::categorical)}, 8};
    for (const SplitForm form : {SplitForm::subset, SplitForm::multiway}) {
        const Candidate best = best_of(many, labels, form);
        const double r2 = 1.5 / 4;
        CHECK(best.charge == doctest::Approx(best.gain * chance_share({3, 8}, 2) / r2));
        CHECK(best.score() == best.gain - best.charge);
        CHECK(best_of(few, labels, form).charge == 0.0);
    }
}

TEST_CASE("fair: levels of one row share a code and make no split") {
    const Codes names = {4, 2, 0, 1, 3, 5}, towns = {0, 0, 1, 1, 2, -1};
    const Codes labels = {0, 1, 0, 1, 0, 1};
    const Table table{{view(names, Kind::categorical), view(towns, Kind::categorical)}, 6};
    const Target target = class_target(labels.data(), nullptr, 6, 2);
    Team team(1);
    const Settings settings = fair_settings(table, SplitForm::subset);
    const Prepared out = prepare(table, target, settings, team, StopFlag());
    CHECK(to_vector(out.store.level16[0]) == std::vector<uint16_t>(6, 7));
    CHECK(to_vector(out.store.level16[1]) == std::vector<uint16_t>{0, 0, 1, 1, 4, 3});
    const Table alone{{view(names, Kind::categorical)}, 6};
    CHECK(!best_of(alone, labels, SplitForm::subset).exists());
}
