#include "core/predict/tree_rule.hpp"
#include "tests/random_tree.hpp"

using namespace silva;
using namespace silva::test;

namespace {

// One split of column 0 whose children are leaves 1, 2, ...
TreeArrays stump(SplitKind kind, int64_t n_children) {
    TreeArrays tree;
    tree.split_kind = {static_cast<int8_t>(kind)};
    tree.split_index = {0};
    tree.child_start = {0};
    for (int64_t i = 1; i <= n_children; ++i) {
        tree.child.push_back(i);
        tree.split_kind.push_back(0);
        tree.split_index.push_back(-1);
    }
    tree.child_start.resize(static_cast<size_t>(n_children) + 2, n_children);
    return tree;
}

std::vector<int64_t> ends(const TreeArrays& tree, Kind kind, const std::vector<int32_t>& codes) {
    return routed(Router(tree, {kind}), {{view(codes, kind)}, static_cast<int64_t>(codes.size())});
}

}  // namespace

TEST_CASE("tree_rule: an unseen code of an ordinal column is not a missing one") {
    TreeArrays tree = stump(SplitKind::threshold, 3);
    tree.threshold_column = {0};
    tree.threshold_value = {0.5};
    tree.threshold_missing = {2};
    for (const auto& [unseen, end] : {std::pair{0, 1}, {1, 2}, {2, 3}, {kStop, 0}}) {
        tree.threshold_unseen = {static_cast<int8_t>(unseen)};
        CHECK(ends(tree, Kind::ordinal, {0, 1, -1, -2}) == std::vector<int64_t>{1, 2, 3, end});
        CHECK(ends(tree, Kind::binary, {0, 1, -1, -2}) == std::vector<int64_t>{1, 2, 3, end});
    }
    tree.threshold_missing = {kStop};
    tree.threshold_unseen = {1};
    CHECK(ends(tree, Kind::ordinal, {0, 1, -1, -2}) == std::vector<int64_t>{1, 2, 0, 2});
}

TEST_CASE("tree_rule: a threshold below everything asks for missing values only") {
    TreeArrays tree = stump(SplitKind::threshold, 2);
    tree.threshold_column = {0};
    tree.threshold_value = {-kInf};
    tree.threshold_missing = {0};
    tree.threshold_unseen = {1};
    CHECK(ends(tree, Kind::ordinal, {0, 3, -1, -2}) == std::vector<int64_t>{2, 2, 1, 2});
}

TEST_CASE("tree_rule: subset with and without the rest") {
    TreeArrays tree = stump(SplitKind::subset, 3);
    tree.subset_column = {0};
    tree.subset_codes = {1, 4};
    tree.subset_start = {0, 2};
    tree.subset_rest_start = {0, 0};
    tree.subset_missing = {2};
    tree.subset_unseen = {kStop};
    const std::vector<int32_t> codes = {0, 1, 2, 3, 4, 5, -1, -2, 2147483647};
    CHECK(ends(tree, Kind::categorical, codes) == std::vector<int64_t>{1, 2, 1, 1, 2, 1, 3, 0, 1});
    tree.subset_rest = {0, 3};
    tree.subset_rest_start = {0, 2};
    CHECK(ends(tree, Kind::categorical, codes) == std::vector<int64_t>{1, 2, 0, 1, 2, 0, 3, 0, 0});
    tree.subset_codes.clear();
    tree.subset_start = {0, 0};
    CHECK(ends(tree, Kind::ordinal, codes) == std::vector<int64_t>{1, 0, 0, 1, 0, 0, 3, 0, 0});
}

TEST_CASE("tree_rule: sets of one code, small, dense and scattered") {
    for (const int32_t step : {1, 2, 7, 9, 1000})
        for (const int32_t n : {1, 2, 8, 9, 100}) {
            TreeArrays tree = stump(SplitKind::subset, 2);
            TreeArrays many = stump(SplitKind::multiway, n + 1);
            std::vector<int32_t> codes = {-2, -1, 0, 2147483646};
            std::vector<int64_t> sides = {1, 2, 1, 1}, branches = {0, n + 1, 0, 0};
            for (int32_t i = 0; i < n; ++i) {
                const int32_t code = 3 + i * step;
                tree.subset_codes.push_back(code);
                codes.insert(codes.end(), {code, code + (step == 1 ? n : 1)});
                sides.insert(sides.end(), {2, 1});
                branches.insert(branches.end(), {i + 1, 0});
            }
            tree.subset_column = many.multiway_column = {0};
            tree.subset_start = many.multiway_start = {0, n};
            tree.subset_rest_start = {0, 0};
            tree.subset_missing = {1};
            tree.subset_unseen = {0};
            many.multiway_codes = tree.subset_codes;
            many.multiway_missing = {n};
            many.multiway_unseen = {kStop};
            CHECK(ends(tree, Kind::categorical, codes) == sides);
            CHECK(ends(many, Kind::categorical, codes) == branches);
        }
}

TEST_CASE("tree_rule: projections over numbers, codes and levels") {
    TreeArrays tree = stump(SplitKind::oblique, 3);
    tree.oblique_start = {0, 3};
    tree.oblique_column = {0, 1, 2};
    tree.oblique_code = {-1, -1, 4};
    tree.oblique_weight = {1.0, 2.0, -10.0};
    tree.oblique_threshold = {3.0};
    tree.oblique_missing = {2};
    const std::vector<Kind> kinds = {Kind::continuous, Kind::ordinal, Kind::categorical};
    const std::vector<double> a = {1.0, 0.5, 9.0, kNaN, 1.0, 1.0, kInf, 1.0, 1.0};
    const std::vector<int32_t> b = {1, 1, 1, 1, -1, -2, 1, 1, 1};
    const std::vector<int32_t> c = {0, 0, 4, 0, 0, 0, 0, -1, -2};
    const Table table{{view(a), view(b, kinds[1]), view(c, kinds[2])}, 9};
    CHECK(routed(Router(tree, kinds), table) == std::vector<int64_t>{2, 1, 1, 3, 3, 3, 3, 3, 3});
    tree = stump(SplitKind::distance, 2);
    tree.distance_metric = {1};
    tree.distance_start = {0, 2};
    tree.distance_column = {0, 1};
    tree.distance_center = {1.0, 3.0};
    tree.distance_scale = {1.0, 0.25};
    tree.distance_matrix_start = {0, 0};
    tree.distance_threshold = {1.0};
    tree.distance_missing = {kStop};
    CHECK(routed(Router(tree, kinds), table) == std::vector<int64_t>{1, 2, 2, 0, 0, 0, 0, 1, 1});
}
