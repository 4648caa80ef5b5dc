// Splits of categories, missing values, many children: what the growth loop makes of small tables.
#include <bit>
#include <cmath>

#include "core/grow/grower.hpp"
#include "core/search/children.hpp"
#include "tests/random_table.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

using Codes = std::vector<int32_t>;
using Bytes = std::vector<int8_t>;

TreeArrays stump(const Codes& column, const Codes& labels, SplitForm form,
                 Fallback missing = Fallback::learn, Fallback unseen = Fallback::majority) {
    const Table table{{view(column, Kind::categorical)}, static_cast<int64_t>(column.size())};
    Settings settings = settings_for(table, Criterion::gini, form, missing, unseen);
    settings.max_depth = 1;
    const Target target = class_target(labels.data(), nullptr, table.n_rows, 3);
    return grow(table, target, settings, 1, StopFlag());
}

Candidate best_of(const Table& table, const Target& target, const Settings& settings) {
    Root root(table, target, settings);
    root.search();
    return root.node.best;
}

// The best gain of all sets of levels against the others.
double best_set_gain(const Codes& column, const Codes& labels, int32_t n_levels,
                     int64_t n_classes) {
    NodeStats node;
    node.classes.assign(static_cast<size_t>(n_classes), 0);
    node.weight = static_cast<int64_t>(column.size());
    for (const int32_t label : labels) ++node.classes[static_cast<size_t>(label)];
    double best = -1.0;
    for (uint32_t mask = 1; mask < (1u << (n_levels - 1)); ++mask) {
        std::vector<int64_t> in(node.classes.size(), 0), out = node.classes;
        int64_t rows = 0;
        for (size_t row = 0; row < column.size(); ++row) {
            if ((mask >> column[row] & 1) == 0) continue;
            ++rows;
            ++in[static_cast<size_t>(labels[row])];
            --out[static_cast<size_t>(labels[row])];
        }
        if (rows == 0 || rows == node.weight) continue;
        ChildrenGain gain(Criterion::gini, node);
        gain.add(in.data());
        gain.add(out.data());
        best = std::max(best, gain.gain());
    }
    return best;
}

// Columns of levels 0 to n_levels - 1 (all of them) and classes that depend on them.
std::pair<Codes, Codes> random_levels(Draw& draw, int64_t n_rows, int32_t n_levels,
                                      int64_t n_classes) {
    Codes likely(static_cast<size_t>(n_levels)), column, labels;
    for (int32_t& k : likely) k = static_cast<int32_t>(draw.below(n_classes));
    for (int64_t row = 0; row < n_rows; ++row) {
        column.push_back(static_cast<int32_t>(row < n_levels ? row : draw.below(n_levels)));
        const auto usual = likely[static_cast<size_t>(column.back())];
        labels.push_back(draw.chance(0.6) ? usual : static_cast<int32_t>(draw.below(n_classes)));
    }
    return {column, labels};
}

}  // namespace

TEST_CASE("categories: a set against the rest lists the lighter side") {
    const TreeArrays tree = stump({0, 1, 2, 3, 4}, {1, 0, 1, 0, 0}, SplitForm::subset);
    CHECK(tree.subset_codes == Codes{0, 2});
    CHECK(tree.subset_rest.empty());
    CHECK(tree.leaf_rows == std::vector<int64_t>{3, 2});
    CHECK(tree.gain[0] == doctest::Approx(0.48));
}

TEST_CASE("categories: of equal sides the one without the lowest code is listed") {
    CHECK(stump({5, 1, 8, 3}, {0, 1, 0, 1}, SplitForm::subset).subset_codes == Codes{5, 8});
    CHECK(stump({1, 5, 1, 5}, {0, 1, 0, 1}, SplitForm::subset).subset_codes == Codes{5});
}

TEST_CASE("categories: the rest is written where unseen levels do not follow the majority") {
    const TreeArrays tree =
        stump({0, 1, 2, 3, 4}, {1, 0, 1, 0, 0}, SplitForm::subset, Fallback::learn, Fallback::stop);
    CHECK(tree.subset_rest == Codes{1, 3, 4});
    CHECK(tree.subset_unseen == Bytes{kStop});
    const TreeArrays two =
        stump({4, 9, 4}, {0, 1, 0}, SplitForm::subset, Fallback::learn, Fallback::learn);
    CHECK(two.subset_codes == Codes{9});
    CHECK(two.subset_rest == Codes{4});
    CHECK(two.subset_unseen == Bytes{0});
}

TEST_CASE("categories: missing values are a level of their own where they may learn a side") {
    const TreeArrays with_one = stump({0, -1, 2, 2, 3}, {1, 1, 0, 0, 0}, SplitForm::subset);
    CHECK(with_one.subset_codes == Codes{0});
    CHECK(with_one.subset_missing == Bytes{1});
    const TreeArrays alone = stump({0, -1, 2, -1, -1}, {0, 1, 0, 1, 1}, SplitForm::subset);
    CHECK(alone.subset_codes.empty());
    CHECK(alone.subset_missing == Bytes{1});
}

TEST_CASE("categories: missing values follow the heavier side, or stop there later") {
    const Codes column = {0, 0, 0, 1, 1, -1}, labels = {0, 0, 0, 1, 1, 1};
    for (const SplitForm form : {SplitForm::onevsrest, SplitForm::subset}) {
        const TreeArrays majority = stump(column, labels, form, Fallback::majority);
        CHECK(majority.leaf_rows.back() == (majority.subset_codes[0] == 0 ? 4 : 2));
        CHECK(majority.subset_missing ==
              Bytes{majority.subset_codes[0] == 0 ? int8_t{1} : int8_t{0}});
        CHECK(stump(column, labels, form, Fallback::stop).subset_missing == Bytes{kStop});
    }
}

TEST_CASE("categories: missing values have a branch of their own") {
    const Codes column = {0, 0, 1, 1, -1, -1}, labels = {0, 0, 1, 1, 2, 2};
    const TreeArrays tree = stump(column, labels, SplitForm::subset, Fallback::own_branch);
    CHECK(tree.child_start[1] == 3);
    CHECK(tree.subset_codes == Codes{1});
    CHECK(tree.subset_missing == Bytes{2});
    CHECK(tree.leaf_rows == std::vector<int64_t>{2, 2, 2});
    CHECK(tree.gain[0] == doctest::Approx(2.0 / 3));
    const TreeArrays lonely =
        stump({0, 0, -1}, {0, 0, 1}, SplitForm::subset, Fallback::own_branch, Fallback::stop);
    CHECK(lonely.child_start[1] == 2);
    CHECK(lonely.subset_codes.empty());
    CHECK(lonely.subset_rest == Codes{0});
    CHECK(lonely.subset_missing == Bytes{1});
}

TEST_CASE("categories: all levels apart") {
    const TreeArrays tree = stump({4, 9, 6, 4, -1}, {0, 1, 2, 0, 1}, SplitForm::multiway);
    CHECK(tree.split_kind[0] == 3);
    CHECK(tree.multiway_codes == Codes{4, 6, 9});
    CHECK(tree.multiway_missing == Codes{3});
    CHECK(tree.multiway_unseen == Codes{0});
    CHECK(tree.leaf_rows == std::vector<int64_t>{2, 1, 1, 1});
    const TreeArrays joined = stump({4, 9, 6, 4, -1}, {0, 1, 2, 0, 1}, SplitForm::multiway,
                                    Fallback::majority, Fallback::stop);
    CHECK(joined.multiway_missing == Codes{0});
    CHECK(joined.multiway_unseen == Codes{kStop});
    CHECK(joined.leaf_rows == std::vector<int64_t>{3, 1, 1});
}

TEST_CASE("categories: a multiway split needs two children that are large enough") {
    const Codes column = {0, 0, 0, 1, 1, 2}, labels = {0, 0, 0, 1, 1, 2};
    const Table table{{view(column, Kind::categorical)}, 6};
    const Target target = class_target(labels.data(), nullptr, 6, 3);
    Settings settings = settings_for(table, Criterion::gini, SplitForm::multiway);
    settings.min_rows_leaf = 2;
    CHECK(best_of(table, target, settings).exists());
    settings.min_rows_leaf = 3;
    CHECK_FALSE(best_of(table, target, settings).exists());
}

TEST_CASE("categories: two classes in order of their share find the best of all sets") {
    Draw draw(64);
    for (int round = 0; round < 60; ++round) {
        const auto n_levels = static_cast<int32_t>(draw.between(3, 10));
        const auto [column, labels] = random_levels(draw, draw.between(n_levels, 60), n_levels, 2);
        const Table table{{view(column, Kind::categorical)}, static_cast<int64_t>(column.size())};
        const Target target = class_target(labels.data(), nullptr, table.n_rows, 2);
        const Settings settings = settings_for(table, Criterion::gini, SplitForm::subset);
        if (target.n_rows == std::count(labels.begin(), labels.end(), labels[0])) continue;
        REQUIRE(best_of(table, target, settings).gain ==
                best_set_gain(column, labels, n_levels, 2));
    }
}

TEST_CASE("categories: more classes, all sets of few levels and nearly the best of many") {
    Draw draw(65);
    double found = 0, possible = 0;
    for (int round = 0; round < 40; ++round) {
        const int32_t n_levels = round % 2 == 0 ? 7 : 13;
        const auto [column, labels] = random_levels(draw, 150, n_levels, 5);
        const Table table{{view(column, Kind::categorical)}, 150};
        const Target target = class_target(labels.data(), nullptr, 150, 5);
        const double gain =
            best_of(table, target, settings_for(table, Criterion::gini, SplitForm::subset)).gain;
        const double best = best_set_gain(column, labels, n_levels, 5);
        if (n_levels == 7) REQUIRE(gain == best);
        REQUIRE(gain >= 0.9 * best);
        found += gain;
        possible += best;
    }
    CHECK(found >= 0.99 * possible);
}

TEST_CASE("categories: many levels and many classes, counted by code or sorted, agree") {
    Draw draw(66);
    const auto [column, labels] = random_levels(draw, 3000, 300, 40);
    Codes spread = column;  // the same levels with codes so large that a table is out of reach
    for (int32_t& code : spread) code *= 1000;
    const Table table{{view(column, Kind::categorical)}, 3000};
    const Table sparse{{view(spread, Kind::categorical)}, 3000};
    const Target target = class_target(labels.data(), nullptr, 3000, 40);
    for (const Criterion criterion : {Criterion::gini, Criterion::entropy, Criterion::error})
        for (const SplitForm form :
             {SplitForm::onevsrest, SplitForm::subset, SplitForm::multiway}) {
            const auto settings = settings_for(table, criterion, form);
            TreeArrays dense = grow(table, target, settings, 1, StopFlag());
            const TreeArrays wide = grow(sparse, target, settings, 1, StopFlag());
            for (auto* codes : {&dense.subset_codes, &dense.multiway_codes})
                for (int32_t& code : *codes) code *= 1000;
            CHECK(same(dense, wide));
        }
}

TEST_CASE("categories: a hundred thousand levels") {
    Draw draw(67);
    const auto [column, labels] = random_levels(draw, 120'000, 100'000, 2);
    const Table table{{view(column, Kind::categorical)}, 120'000};
    const Target target = class_target(labels.data(), nullptr, 120'000, 2);
    for (const SplitForm form : {SplitForm::subset, SplitForm::multiway}) {
        const TreeArrays tree =
            grow(table, target, settings_for(table, Criterion::gini, form), 1, StopFlag());
        CHECK(tree.split_kind[0] == (form == SplitForm::subset ? 2 : 3));
        CHECK(tree.gain[0] > 0.1);
    }
}

TEST_CASE("categories: thresholds with missing values that follow the majority or stay apart") {
    const std::vector<double> column = {1, 2, 3, 4, 5, kNaN, kNaN};
    const Codes labels = {0, 0, 1, 1, 1, 2, 2};
    const Table table{{view(column)}, 7};
    const Target target = class_target(labels.data(), nullptr, 7, 3);
    const auto root = [&](Fallback missing) {
        Settings settings = settings_for(table, Criterion::gini, SplitForm::subset, missing);
        settings.max_depth = 1;
        return grow(table, target, settings, 1, StopFlag());
    };
    const TreeArrays majority = root(Fallback::majority);
    CHECK(majority.threshold_value == std::vector<double>{2.5});
    CHECK(majority.threshold_missing == Bytes{1});
    CHECK(majority.leaf_rows == std::vector<int64_t>{2, 5});
    CHECK(root(Fallback::error).threshold_missing == Bytes{kStop});
    const TreeArrays apart = root(Fallback::own_branch);
    CHECK(apart.threshold_value == std::vector<double>{2.5});
    CHECK(apart.threshold_missing == Bytes{2});
    CHECK(apart.leaf_rows == std::vector<int64_t>{2, 3, 2});
}

TEST_CASE("categories: the gain ratio prefers few children among gains above the average") {
    const Codes labels = {0, 0, 0, 1, 1, 1, 0, 1};
    const Codes ids = {0, 1, 2, 3, 4, 5, 6, 7}, halves = {0, 0, 0, 1, 1, 1, 0, 0};
    const Codes noise = {0, 1, 0, 1, 0, 1, 0, 1};
    const ColumnView weak = view(noise, Kind::categorical);
    const Table table{
        {view(ids, Kind::categorical), view(halves, Kind::categorical), weak, weak, weak}, 8};
    const Target target = class_target(labels.data(), nullptr, 8, 2);
    Settings settings = settings_for(table, Criterion::entropy, SplitForm::multiway);
    CHECK(best_of(table, target, settings).column == 0);
    settings.gain_ratio = true;
    const Candidate best = best_of(table, target, settings);
    CHECK(best.column == 1);
    CHECK(best.gain == doctest::Approx(0.548795));
}

TEST_CASE("categories: breakpoints keep the best gain and leave out what is inside one class") {
    const std::vector<double> column = {1, 2, 3, 4, 5, 6};
    const Codes labels = {0, 0, 1, 1, 1, 1};
    const Table table{{view(column)}, 6};
    const Target target = class_target(labels.data(), nullptr, 6, 2);
    Settings settings = settings_for(table, Criterion::gini);
    settings.breakpoints = true;
    CHECK(best_of(table, target, settings).position == 2);
    settings.min_rows_leaf = 3;
    CHECK_FALSE(best_of(table, target, settings).exists());
    settings.breakpoints = false;
    CHECK(best_of(table, target, settings).exists());
}

TEST_CASE(
    "categories: every form and policy gives one tree for any threads and any policy of growth") {
    Draw draw(68);
    RandomTable random(draw, 5000);
    random.all_forms();
    const auto labels = random.labels(4);
    const auto values = random.values();
    const Target classes = class_target(labels.data(), nullptr, 5000, 4);
    const Target numbers = value_target(values.data(), nullptr, 5000, true);
    for (const SplitForm form : {SplitForm::subset, SplitForm::multiway})
        for (const Fallback missing : {Fallback::learn, Fallback::majority, Fallback::own_branch})
            for (const Target* target : {&classes, &numbers}) {
                const auto criterion =
                    target == &classes ? Criterion::entropy : Criterion::squared_error;
                Settings settings = settings_for(random.table(), criterion, form, missing);
                settings.gain_ratio = target == &classes && missing == Fallback::majority;
                settings.max_depth = 5;
                const TreeArrays alone = grow(random.table(), *target, settings, 1, StopFlag());
                CHECK(same(grow(random.table(), *target, settings, 3, StopFlag()), alone));
                settings.max_leaves = 5000;
                CHECK(same(grow(random.table(), *target, settings, 1, StopFlag()), alone));
                settings.max_leaves = 20;
                CHECK(grow(random.table(), *target, settings, 1, StopFlag()).leaf_rows.size() <=
                      20);
            }
}
