#include <algorithm>
#include <cmath>

#include "core/predict/engine_trees.hpp"
#include "tests/random_tree.hpp"

using namespace silva;
using namespace silva::test;

namespace {

const std::vector<double> kNumbers = {
    -kInf, -kMax,  -1e300, -3.5e38, -1.0, -1e-40, -kTiny, -0.0,
    0.0,   kTiny,  1e-45,  1e-40,   0.1,  0.5,    1.0,    std::nextafter(1.0, 2.0),
    3e38,  3.5e38, 1e300,  kMax,    kInf};

}  // namespace

TEST_CASE("engine_trees: keys keep the order of numbers") {
    for (double x : kNumbers)
        for (double t : kNumbers) {
            const Key value = key_below(x), limit = key_above(t);
            const bool rounded = key_below(t) != limit;
            if (rounded && value == limit - 1) continue;  // asks the rule
            CAPTURE(x);
            CAPTURE(t);
            CHECK((value < limit) == (x < t));
        }
    CHECK(key_below(-kInf) == kLowestKey);
    CHECK(key_below(-0.0) == key_below(0.0));
    CHECK(key_above(-kTiny) == key_below(0.0));
    CHECK(key_below(-kTiny) == key_below(0.0) - 1);
    CHECK(kUnseenKey < kLowestKey);
    CHECK(key_below(kInf) == simd::kHighestKey);
    CHECK(key_above(kMax) < simd::kAskKey - 1);
}

TEST_CASE("engine_trees: a float32 has one key") {
    Draw draw(50);
    for (int i = 0; i < 1000; ++i) {
        const auto x = static_cast<float>((draw.unit() - 0.5) * 100);
        CHECK(key_below(x) == key_above(x));
        CHECK(key_of_float(std::nextafter(x, 1000.0f)) == key_of_float(x) + 1);
    }
}

TEST_CASE("engine_trees: the states of a set") {
    const std::vector<uint32_t> set = {18 << 2 | 2, 0b0100, 0b0010};
    CHECK(set_state(set.data(), 0) == SetState::first);
    CHECK(set_state(set.data(), 1) == SetState::second);
    CHECK(set_state(set.data(), 16) == SetState::asks);
    CHECK(set_state(set.data(), 17) == SetState::first);
    CHECK(set_state(set.data(), 18) == SetState::asks);
}

TEST_CASE("engine_trees: the rule ends where the router does") {
    Draw draw(51);
    const std::vector<Kind> kinds = {Kind::continuous, Kind::categorical, Kind::ordinal};
    int taken = 0;
    for (int round = 0; round < 60; ++round) {
        const TreeArrays tree = TreeDraw(draw, kinds, {-1.0, 0.0, 0.25, 1e300},
                                         round % 2 ? TreeDraw::own_ways : TreeDraw::plain)
                                    .tree(round % 7);
        EngineTrees engine(kinds, all_columns(kinds));
        if (!engine.add(tree, tree.threshold_value.data())) continue;
        ++taken;
        engine.close();
        std::vector<double> x;
        std::vector<int32_t> town, size;
        for (int row = 0; row < 200; ++row) {
            x.push_back(draw.pick<double>({-2.0, -1.0, 0.0, 0.1, 0.25, 1e300, kInf, -kInf, kNaN}));
            town.push_back(static_cast<int32_t>(draw.between(-2, kCodes + 2)));
            size.push_back(static_cast<int32_t>(draw.between(-2, 5)));
        }
        const Table table{{view(x), view(town, kinds[1]), view(size, kinds[2])}, 200};
        const std::vector<int64_t> expected = routed(Router(tree, kinds), table);
        const EngineTree& compact = engine.trees()[0];
        const std::vector<int32_t> nodes = engine.node_of_leaf(compact);
        for (int64_t row = 0; row < 200; ++row) {
            const Ending found = engine.rule(compact, table, row);
            REQUIRE(found.node() == expected[row]);
            REQUIRE(found.at_leaf == (tree.split_kind[expected[row]] == 0));
            if (found.at_leaf) REQUIRE(nodes[found.leaf] == expected[row]);
        }
        REQUIRE(nodes.size() ==
                static_cast<size_t>(std::count(tree.split_kind.begin(), tree.split_kind.end(), 0)));
    }
    CHECK(taken > 20);
}

TEST_CASE("engine_trees: rows have keys of the used columns only") {
    TreeArrays tree;
    tree.split_kind = {1, 1, 0, 0, 0};
    tree.threshold_column = {7, 4};
    tree.threshold_value = {1.0, 2.0};
    tree.threshold_missing = tree.threshold_unseen = {0, 1};
    EngineTrees engine(std::vector<Kind>(9, Kind::continuous), {4, 7});
    REQUIRE(engine.add(tree, tree.threshold_value.data()));
    engine.close();
    const int shift = engine.format().column_shift();
    CHECK((engine.nodes()[0] >> shift) == 1);
    CHECK((engine.nodes()[2] >> shift) == 0);
    const std::vector<double> x = {0.0}, y = {3.0};
    Table table{std::vector<ColumnView>(9), 1};
    table.columns[7] = view(x);
    table.columns[4] = view(y);
    CHECK(engine.rule(engine.trees()[0], table, 0).node() == 3);
}

TEST_CASE("engine_trees: how deep a tree is") {
    TreeArrays tree;
    tree.split_kind = {1, 0, 1, 1, 0, 0, 0};
    tree.threshold_column = {0, 0, 0};
    tree.threshold_value = {1.0, 2.0, 3.0};
    tree.threshold_missing = tree.threshold_unseen = {0, 0, 0};
    EngineTrees engine({Kind::continuous}, {0});
    REQUIRE(engine.add(tree, tree.threshold_value.data()));
    CHECK(engine.trees()[0].depth == 3);
}

TEST_CASE("engine_trees: a third child is for the router") {
    TreeArrays tree;
    tree.split_kind = {1, 0, 0, 0};
    tree.threshold_column = {0};
    tree.threshold_value = {1.0};
    tree.threshold_unseen = {1};
    for (const int8_t missing : {2, kStop}) {
        tree.threshold_missing = {missing};
        EngineTrees engine({Kind::ordinal}, {0});
        CHECK(!engine.add(tree, tree.threshold_value.data()));
        CHECK(engine.trees().empty());
    }
}

TEST_CASE("engine_trees: trees that use more columns than bits are for the router") {
    TreeArrays tree;
    tree.split_kind = {1, 0, 1, 0, 0};
    tree.threshold_column = {0, 1};
    tree.threshold_value = {1.0, 2.0};
    tree.threshold_missing = tree.threshold_unseen = {0, 0};
    const std::vector<Kind> kinds((1 << 26) + 1, Kind::continuous);
    EngineTrees narrow(kinds, {0, 1});
    CHECK(narrow.add(tree, tree.threshold_value.data()));
    EngineTrees broad(kinds, all_columns(kinds));
    CHECK(!broad.add(tree, tree.threshold_value.data()));
    CHECK(broad.trees().empty());
}

TEST_CASE("engine_trees: a tree must keep to the used columns") {
    TreeArrays tree;
    tree.split_kind = {1, 0, 0};
    tree.threshold_column = {1};
    tree.threshold_value = {1.0};
    tree.threshold_missing = tree.threshold_unseen = {0};
    EngineTrees engine(std::vector<Kind>(3, Kind::continuous), {0, 2});
    CHECK_THROWS_AS(engine.add(tree, tree.threshold_value.data()), std::invalid_argument);
}
