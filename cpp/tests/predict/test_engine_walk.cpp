#include "core/predict/engine_walk.hpp"
#include "tests/random_tree.hpp"

using namespace silva;
using namespace silva::test;

namespace {

const std::vector<double> kPoints = {-kInf, -1.0, 0.0, 0.1, 0.25, 1e300, kInf};

struct Forest {
    std::vector<Kind> kinds;
    std::vector<TreeArrays> arrays;
    EngineTrees trees;

    Forest(Draw& draw, std::vector<Kind> column_kinds, TreeDraw::Splits splits)
        : kinds(std::move(column_kinds)), trees(kinds, all_columns(kinds)) {
        while (arrays.size() < 40) {
            TreeArrays tree = TreeDraw(draw, kinds, kPoints, splits).tree(6);
            if (tree.split_kind[0] == 0) continue;
            if (trees.add(tree, nullptr)) arrays.push_back(std::move(tree));
        }
        trees.close();
    }
};

// Every walk ends at the leaf of the rule, or asks it.
void check_walks(const Forest& forest, const Table& table, bool may_ask) {
    KeyRows rows;
    rows.read(table, forest.trees.used_columns(), 0, table.n_rows);
    const simd::Walk walk = walk_of(forest.trees, rows);
    const auto n_trees = static_cast<int64_t>(forest.arrays.size());
    std::vector<std::vector<int32_t>> by_tree;
    for (int64_t i = 0; i < n_trees; ++i) {
        EngineTree tree = forest.trees.trees()[i];
        std::vector<int32_t> plain(table.n_rows + 1, 77), wide = plain;
        walk_rows(walk, tree, table.n_rows, plain.data(), Gathers::no);
        walk_rows(walk, tree, table.n_rows, wide.data(), Gathers::yes);
        REQUIRE(plain == wide);
        REQUIRE(plain.back() == 77);
        const std::vector<int32_t> nodes = forest.trees.node_of_leaf(tree);
        const std::vector<int64_t> expected = routed(Router(forest.arrays[i], forest.kinds), table);
        for (int64_t row = 0; row < table.n_rows; ++row) {
            if (plain[row] == kAskRule)
                REQUIRE(may_ask);
            else
                REQUIRE(nodes[plain[row]] == expected[row]);
        }
        by_tree.push_back(std::move(plain));
    }
    std::vector<int32_t> first_nodes;
    for (const EngineTree& tree : forest.trees.trees()) first_nodes.push_back(tree.first_node);
    for (int64_t n : {int64_t{1}, int64_t{9}, int64_t{12}, int64_t{13}, n_trees})
        for (int64_t row = 0; row < std::min<int64_t>(table.n_rows, 5); ++row) {
            std::vector<int32_t> plain(n + 1, 77), wide = plain;
            walk_trees(walk, first_nodes.data(), n, row, plain.data(), Gathers::no);
            walk_trees(walk, first_nodes.data(), n, row, wide.data(), Gathers::yes);
            REQUIRE(plain == wide);
            REQUIRE(plain.back() == 77);
            for (int64_t i = 0; i < n; ++i) REQUIRE(plain[i] == by_tree[i][row]);
        }
}

}  // namespace

TEST_CASE("engine_walk: numbers, whole, rounded and missing") {
    Draw draw(52);
    const Forest forest(draw, std::vector<Kind>(3, Kind::continuous), TreeDraw::plain);
    const std::vector<std::vector<double>> values = {{-1.0, 0.0, 0.25, 2.0, kInf, -kInf},
                                                     {0.1, 0.3, -1.0, 1e300, 0.0},
                                                     {0.1, kNaN, -2.0, 1e301}};
    for (size_t kind = 0; kind < values.size(); ++kind)
        for (int64_t n_rows : {1, 7, 11, 12, 13, 23, 24, 25, 63, 64, 65, 200}) {
            std::vector<double> x[3];
            for (auto& column : x)
                for (int64_t row = 0; row < n_rows; ++row)
                    column.push_back(draw.pick(values[kind]));
            check_walks(forest, {{view(x[0]), view(x[1]), view(x[2])}, n_rows}, kind > 0);
        }
}

TEST_CASE("engine_walk: sets, and ways of missing and unseen values") {
    Draw draw(53);
    const std::vector<Kind> kinds = {Kind::categorical, Kind::continuous, Kind::ordinal};
    for (const auto splits : {TreeDraw::plain, TreeDraw::own_ways}) {
        const Forest forest(draw, kinds, splits);
        std::vector<int32_t> town, size;
        std::vector<float> x;
        for (int row = 0; row < 150; ++row) {
            town.push_back(static_cast<int32_t>(draw.between(-2, kCodes + 3)));
            size.push_back(static_cast<int32_t>(draw.between(-2, 5)));
            x.push_back(static_cast<float>(draw.pick<double>({0.1, 0.25, -1.0, kNaN, 3.0})));
        }
        check_walks(forest, {{view(town, kinds[0]), view(x), view(size, kinds[2])}, 150}, true);
    }
}

TEST_CASE("engine_walk: no walk at all") {
    TreeArrays leaf;
    leaf.split_kind = {0};
    EngineTrees trees({Kind::continuous}, {});
    REQUIRE(trees.add(leaf, nullptr));
    trees.close();
    const std::vector<double> x = {1.0, 2.0};
    KeyRows rows;
    rows.read({{view(x)}, 2}, trees.used_columns(), 0, 2);
    CHECK(rows.width == 0);
    const simd::Walk walk = walk_of(trees, rows);
    for (const auto gathers : {Gathers::no, Gathers::yes, Gathers::where_fast})
        walk_trees(walk, nullptr, 0, 1, nullptr, gathers);
}
