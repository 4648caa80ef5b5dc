#include <cmath>

#include "core/grow/grower.hpp"
#include "core/predict/predict.hpp"
#include "tests/random_table.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

TreeArrays grown(const Table& table, const Target& target, const Settings& settings,
                 int threads = 1) {
    return grow(table, target, settings, threads, StopFlag());
}

TreeArrays grown(const Table& table, const std::vector<int32_t>& labels, int64_t n_classes,
                 const Settings& settings) {
    const Target target = class_target(labels.data(), nullptr, table.n_rows, n_classes);
    return grown(table, target, settings);
}

size_t n_nodes(const TreeArrays& tree) { return tree.split_kind.size(); }
size_t n_leaves(const TreeArrays& tree) { return tree.leaf_rows.size(); }

std::vector<int64_t> depths(const TreeArrays& tree) {
    std::vector<int64_t> depth(n_nodes(tree), 0);
    for (size_t node = 0; node < n_nodes(tree); ++node)
        for (int64_t i = tree.child_start[node]; i < tree.child_start[node + 1]; ++i)
            depth[static_cast<size_t>(tree.child[static_cast<size_t>(i)])] = depth[node] + 1;
    return depth;
}

// The rows that the router sends to each leaf must be the rows that the grower counted there.
void check_routing(const RandomTable& random, const Target& target, const TreeArrays& tree) {
    std::vector<Kind> kinds;
    for (const ColumnView& column : random.table().columns) kinds.push_back(column.kind);
    std::vector<int64_t> node_of(static_cast<size_t>(random.n_rows()));
    Router(tree, kinds).leaves(random.table(), node_of.data(), 1, StopFlag());
    std::vector<int64_t> rows(n_nodes(tree), 0);
    for (int64_t id = 0; id < target.n_rows; ++id)
        ++rows[static_cast<size_t>(node_of[static_cast<size_t>(target.row_of(id))])];
    std::vector<int64_t> of_leaves;
    for (size_t node = 0; node < n_nodes(tree); ++node)
        if (tree.split_kind[node] == 0) of_leaves.push_back(rows[node]);
    REQUIRE(of_leaves == tree.leaf_rows);
}

template <class T>
std::vector<T> repeated(const std::vector<T>& values, const std::vector<double>& times) {
    std::vector<T> out;
    for (size_t row = 0; row < values.size(); ++row)
        out.insert(out.end(), static_cast<size_t>(times[row]), values[row]);
    return out;
}

void check_threads(const RandomTable& random, const Target& target, Criterion criterion) {
    const Settings settings = settings_for(random.table(), criterion);
    const TreeArrays alone = grown(random.table(), target, settings);
    CHECK(n_leaves(alone) > 20);
    check_routing(random, target, alone);
    for (const int threads : {2, 3, 7})
        CHECK(same(grown(random.table(), target, settings, threads), alone));
}

}  // namespace

// Nodes of more rows than a part, than a subtree of one thread and than a compact store holds.
TEST_CASE("grower: large nodes, subtrees and compact subtrees, by any number of threads") {
    Draw draw(87);
    constexpr int64_t n_rows = 2 * kPartRows + 5000;
    RandomTable random(draw, n_rows);
    random.all_forms();
    const auto labels = random.labels(3);
    const auto values = random.values();
    const auto weights = random.weights(2);
    const Target targets[] = {class_target(labels.data(), nullptr, n_rows, 3),
                              class_target(labels.data(), weights.data(), n_rows, 3),
                              value_target(values.data(), weights.data(), n_rows, true)};
    for (const Target& target : targets) {
        const bool classes = target.n_classes > 0;
        for (const SplitForm form : {SplitForm::subset, SplitForm::multiway}) {
            Settings settings =
                settings_for(random.table(), classes ? Criterion::gini : Criterion::squared_error,
                             form, Fallback::own_branch);
            settings.max_depth = 7;
            const TreeArrays alone = grown(random.table(), target, settings);
            CHECK(n_leaves(alone) > 20);
            for (const int threads : {2, 3, 5, 16})
                CHECK(same(grown(random.table(), target, settings, threads), alone));
        }
    }
}

TEST_CASE("grower: a stop reaches the jobs of all threads") {
    Draw draw(88);
    RandomTable random(draw, 3 * kPartRows);
    random.all_forms();
    const auto labels = random.labels(2);
    const Target target = class_target(labels.data(), nullptr, random.n_rows(), 2);
    StopFlag stop;
    stop.set();
    const Settings settings = settings_for(random.table(), Criterion::gini);
    for (const int threads : {1, 4})
        CHECK_THROWS_AS(grow(random.table(), target, settings, threads, stop), Interrupted);
}

TEST_CASE("grower: exclusive or is learnt although its first split gains nothing") {
    const std::vector<double> a = {0, 0, 1, 1}, b = {0, 1, 0, 1};
    const Table table{{view(a), view(b)}, 4};
    const TreeArrays tree = grown(table, {0, 1, 1, 0}, 2, settings_for(table, Criterion::gini));
    CHECK(tree.split_kind == std::vector<int8_t>{1, 1, 0, 0, 1, 0, 0});
    CHECK(tree.gain == std::vector<double>{0, 0.5, 0, 0, 0.5, 0, 0});
    CHECK(tree.threshold_column == std::vector<int32_t>{0, 1, 1});
    CHECK(tree.threshold_value == std::vector<double>{0.5, 0.5, 0.5});
    CHECK(tree.class_code == std::vector<int32_t>{0, 1, 1, 0});
    CHECK(tree.leaf_rows == std::vector<int64_t>{1, 1, 1, 1});
}

TEST_CASE("grower: one row, one class or constant columns give one leaf") {
    const std::vector<double> one = {3.5}, varied = {1, 2, 3}, constant = {2, 2, 2};
    const Table single{{view(one)}, 1}, three{{view(varied)}, 3}, flat{{view(constant)}, 3};
    const Settings settings = settings_for(single, Criterion::gini);
    CHECK(n_nodes(grown(single, {1}, 2, settings)) == 1);
    CHECK(n_nodes(grown(three, {1, 1, 1}, 2, settings)) == 1);
    const TreeArrays mixed = grown(flat, {1, 0, 1}, 2, settings);
    CHECK(n_nodes(mixed) == 1);
    CHECK(mixed.leaf_rows == std::vector<int64_t>{3});
    CHECK(mixed.class_weight == std::vector<int64_t>{1, 2});
}

TEST_CASE("grower: a table without columns gives one leaf") {
    const Table table{{}, 3};
    CHECK(n_nodes(grown(table, {1, 0, 1}, 2, settings_for(table, Criterion::gini))) == 1);
}

TEST_CASE("grower: two rows are told apart") {
    const std::vector<double> column = {5.0, 1.0};
    const Table table{{view(column)}, 2};
    const std::vector<double> values = {10.0, 20.0};
    const Target target = value_target(values.data(), nullptr, 2, true);
    const TreeArrays tree = grown(table, target, settings_for(table, Criterion::squared_error));
    CHECK(tree.threshold_value == std::vector<double>{3.0});
    CHECK(tree.moment_value == std::vector<double>{20.0, 10.0});
    CHECK(tree.gain[0] == 25.0);
    CHECK(tree.moment_weight == std::vector<int64_t>{1, 1});
}

TEST_CASE("grower: the same tree for any number of threads") {
    Draw draw(50);
    RandomTable random(draw, 5000);
    random.all_forms();
    const auto labels = random.labels(3);
    const auto values = random.values();
    const auto weights = random.weights(3);
    const Target classes = class_target(labels.data(), nullptr, 5000, 3);
    const Target weighted = class_target(labels.data(), weights.data(), 5000, 3);
    check_threads(random, classes, Criterion::gini);
    check_threads(random, weighted, Criterion::entropy);
    check_threads(random, value_target(values.data(), nullptr, 5000, true),
                  Criterion::squared_error);
    check_threads(random, value_target(values.data(), weights.data(), 5000, false),
                  Criterion::poisson);
}

TEST_CASE("grower: best-first growth is the same for any number of threads") {
    Draw draw(51);
    RandomTable random(draw, 5000);
    random.all_forms();
    const auto labels = random.labels(4);
    const Target target = class_target(labels.data(), nullptr, 5000, 4);
    Settings settings = settings_for(random.table(), Criterion::gini);
    settings.max_leaves = 37;
    const TreeArrays alone = grown(random.table(), target, settings);
    CHECK(n_leaves(alone) == 37);
    check_routing(random, target, alone);
    for (const int threads : {2, 3, 7})
        CHECK(same(grown(random.table(), target, settings, threads), alone));
}

TEST_CASE("grower: best-first with room for every leaf grows the depth-first tree") {
    Draw draw(52);
    RandomTable random(draw, 600);
    random.all_forms();
    const auto labels = random.labels(3);
    const Target target = class_target(labels.data(), nullptr, 600, 3);
    Settings settings = settings_for(random.table(), Criterion::entropy);
    const TreeArrays all = grown(random.table(), target, settings);
    settings.max_leaves = 600;
    CHECK(same(grown(random.table(), target, settings), all));
}

TEST_CASE("grower: the order of the rows does not matter") {
    Draw draw(53);
    std::vector<double> a(900), b(900), values(900);
    std::vector<int32_t> city(900), order(900);
    for (size_t row = 0; row < 900; ++row) {
        a[row] = draw.chance(0.1) ? kNaN : static_cast<double>(draw.below(500));
        b[row] = static_cast<double>(draw.below(6));
        city[row] = static_cast<int32_t>(draw.below(9));
        values[row] = b[row] * 2 + city[row] + draw.unit();
    }
    std::iota(order.begin(), order.end(), 0);
    draw.shuffle(order);
    const auto shuffled = [&](auto from) {
        auto to = from;
        for (size_t row = 0; row < 900; ++row) to[row] = from[static_cast<size_t>(order[row])];
        return to;
    };
    const auto tree = [](const auto& x, const auto& y, const auto& codes, const auto& targets) {
        const Table table{{view(x), view(y), view(codes, Kind::categorical)}, 900};
        return grown(table, value_target(targets.data(), nullptr, 900, true),
                     settings_for(table, Criterion::squared_error));
    };
    const TreeArrays first = tree(a, b, city, values);
    CHECK(n_leaves(first) > 100);
    CHECK(same(tree(shuffled(a), shuffled(b), shuffled(city), shuffled(values)), first));
}

TEST_CASE("grower: a weight of k equals k copies") {
    Draw draw(54);
    std::vector<double> a(400), b(400), values(400), weights(400);
    for (size_t row = 0; row < 400; ++row) {
        a[row] = static_cast<double>(draw.below(300));
        b[row] = static_cast<double>(draw.below(5));
        values[row] = static_cast<double>(draw.below(1000)) / 7 + b[row] * 100;
        weights[row] = static_cast<double>(draw.below(4));
    }
    weights[0] = 1.0;
    const Table table{{view(a), view(b)}, 400};
    const auto a_copies = repeated(a, weights), b_copies = repeated(b, weights);
    const auto n_copies = static_cast<int64_t>(a_copies.size());
    const Table copies{{view(a_copies), view(b_copies)}, n_copies};
    const auto value_copies = repeated(values, weights);
    const Settings settings = settings_for(table, Criterion::squared_error);
    TreeArrays once =
        grown(table, value_target(values.data(), weights.data(), 400, true), settings);
    TreeArrays many =
        grown(copies, value_target(value_copies.data(), nullptr, n_copies, true), settings);
    CHECK(once.leaf_rows != many.leaf_rows);
    once.leaf_rows = many.leaf_rows = {};
    CHECK(same(once, many));
}

TEST_CASE("grower: values that were never missing follow the heavier child when they are") {
    const std::vector<double> number = {1, 2, 3, 4};
    const std::vector<int32_t> city = {0, 0, 0, 1};
    const Table numbers{{view(number)}, 4};
    const Table cities{{view(city, Kind::categorical)}, 4};
    const Settings settings = settings_for(numbers, Criterion::gini);
    CHECK(grown(numbers, {0, 1, 1, 1}, 2, settings).threshold_missing == std::vector<int8_t>{1});
    CHECK(grown(numbers, {0, 0, 0, 1}, 2, settings).threshold_missing == std::vector<int8_t>{0});
    CHECK(grown(numbers, {0, 0, 1, 1}, 2, settings).threshold_missing == std::vector<int8_t>{0});
    const TreeArrays tree = grown(cities, {0, 0, 0, 1}, 2, settings_for(cities, Criterion::gini));
    CHECK(tree.subset_codes == std::vector<int32_t>{0});
    CHECK(tree.subset_missing == std::vector<int8_t>{1});
    CHECK(tree.subset_unseen == std::vector<int8_t>{1});
}

TEST_CASE("grower: the direction of missing values is learnt where there are some") {
    const std::vector<double> column = {1, 2, kNaN, 8, 9, 9};
    const Table table{{view(column)}, 6};
    const Settings settings = settings_for(table, Criterion::gini);
    const TreeArrays left = grown(table, {0, 0, 0, 1, 1, 1}, 2, settings);
    CHECK(left.threshold_value == std::vector<double>{5.0});
    CHECK(left.threshold_missing == std::vector<int8_t>{0});
    const TreeArrays right = grown(table, {0, 0, 1, 1, 1, 1}, 2, settings);
    CHECK(right.threshold_value == std::vector<double>{5.0});
    CHECK(right.threshold_missing == std::vector<int8_t>{1});
}

TEST_CASE("grower: limits are kept") {
    Draw draw(55);
    RandomTable random(draw, 800);
    random.all_forms();
    const auto labels = random.labels(3);
    const Settings free = settings_for(random.table(), Criterion::gini);
    const TreeArrays whole = grown(random.table(), labels, 3, free);

    Settings shallow = free;
    shallow.max_depth = 3;
    const auto depth = depths(grown(random.table(), labels, 3, shallow));
    CHECK(*std::max_element(depth.begin(), depth.end()) == 3);

    Settings broad = free;
    broad.min_rows_leaf = 25;
    const auto rows = grown(random.table(), labels, 3, broad).leaf_rows;
    CHECK(*std::min_element(rows.begin(), rows.end()) >= 25);

    Settings heavy = free;
    heavy.min_weight_fraction_leaf = 0.1;
    const auto share = grown(random.table(), labels, 3, heavy).leaf_rows;
    CHECK(*std::min_element(share.begin(), share.end()) >= 80);

    Settings useful = free;
    useful.min_gain = 0.05;
    const TreeArrays pruned = grown(random.table(), labels, 3, useful);
    CHECK(n_nodes(pruned) < n_nodes(whole));
    for (size_t node = 0; node < n_nodes(pruned); ++node)
        CHECK((pruned.split_kind[node] == 0 || pruned.gain[node] >= 0.05));

    Settings unsplit = free;
    unsplit.min_rows_split = 801;
    CHECK(n_nodes(grown(random.table(), labels, 3, unsplit)) == 1);
}

TEST_CASE("grower: a column that goes on for ever makes a deep tree") {
    std::vector<double> column(3000);
    std::vector<int32_t> labels(3000);
    for (size_t row = 0; row < 3000; ++row) {
        column[row] = static_cast<double>(row);
        labels[row] = static_cast<int32_t>(row % 2);
    }
    const Table table{{view(column)}, 3000};
    const TreeArrays tree = grown(table, labels, 2, settings_for(table, Criterion::gini));
    CHECK(n_leaves(tree) == 3000);
    CHECK(tree.leaf_rows == std::vector<int64_t>(3000, 1));
}

TEST_CASE("grower: a stop is heard") {
    const std::vector<double> column = {1, 2, 3};
    const Table table{{view(column)}, 3};
    const std::vector<int32_t> labels = {0, 1, 0};
    const Target target = class_target(labels.data(), nullptr, 3, 2);
    StopFlag stop;
    stop.set();
    const Settings settings = settings_for(table, Criterion::gini);
    CHECK_THROWS_AS(grow(table, target, settings, 1, stop), Interrupted);
}
