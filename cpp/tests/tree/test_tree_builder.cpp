#include "core/tree/tree_builder.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

NodeRecord threshold(int32_t column, double value, int64_t first_child, int32_t missing_child = 0) {
    NodeRecord node;
    node.split.kind = SplitKind::threshold;
    node.split.column = column;
    node.split.threshold = value;
    node.split.missing_child = missing_child;
    node.gain = value / 100;
    node.first_child = first_child;
    node.n_children = 2;
    return node;
}

NodeRecord of_codes(SplitKind kind, int32_t column, SplitDetail detail, int64_t first_child,
                    int64_t n_children) {
    NodeRecord node;
    node.split.kind = kind;
    node.split.column = column;
    node.split.missing_child = 1;
    node.split.detail = std::make_shared<const SplitDetail>(std::move(detail));
    node.first_child = first_child;
    node.n_children = n_children;
    return node;
}

NodeRecord subset(int32_t column, std::vector<int32_t> codes, int64_t first_child) {
    return of_codes(SplitKind::subset, column, {std::move(codes), {}, {}}, first_child, 2);
}

NodeRecord continued(int64_t fragment) {
    NodeRecord node;
    node.continued = fragment;
    return node;
}

// Adds a leaf with one class and gives its record.
NodeRecord leaf(Fragment& fragment, int64_t rows, int32_t code) {
    NodeRecord node;
    node.leaf = static_cast<int64_t>(fragment.leaves.size());
    LeafRecord record;
    record.rows = rows;
    record.classes_begin = static_cast<int64_t>(fragment.class_code.size());
    fragment.class_code.push_back(code);
    fragment.class_weight.push_back(10 * rows);
    record.classes_end = record.classes_begin + 1;
    fragment.leaves.push_back(record);
    return node;
}

}  // namespace

TEST_CASE("tree_builder: a single leaf") {
    std::deque<Fragment> fragments(1);
    fragments[0].nodes = {leaf(fragments[0], 5, 2)};
    const TreeArrays tree = finish(fragments, true);
    CHECK(tree.child_start == std::vector<int64_t>{0, 0});
    CHECK(tree.child.empty());
    CHECK(tree.split_kind == std::vector<int8_t>{0});
    CHECK(tree.split_index == std::vector<int64_t>{-1});
    CHECK(tree.subset_start == std::vector<int64_t>{0});
    CHECK(tree.leaf_rows == std::vector<int64_t>{5});
    CHECK(tree.class_start == std::vector<int64_t>{0, 1});
    CHECK(tree.class_code == std::vector<int32_t>{2});
    CHECK(tree.class_weight == std::vector<int64_t>{50});
}

// Records are written in the order of growth; the tree is 0(1(leaf, 2(leaf, leaf)), leaf).
TEST_CASE("tree_builder: records of any order become pre-order") {
    std::deque<Fragment> fragments(1);
    Fragment& f = fragments[0];
    f.nodes.resize(7);
    f.nodes[0] = threshold(4, 10.0, 1, 1);
    f.nodes[2] = leaf(f, 1, 0);
    f.nodes[1] = threshold(3, 20.0, 3);
    f.nodes[4] = subset(2, {6}, 5);
    f.nodes[6] = leaf(f, 2, 1);
    f.nodes[5] = leaf(f, 3, 2);
    f.nodes[3] = leaf(f, 4, 3);
    const TreeArrays tree = finish(fragments, true);
    CHECK(tree.child_start == std::vector<int64_t>{0, 2, 4, 4, 6, 6, 6, 6});
    CHECK(tree.child == std::vector<int64_t>{1, 6, 2, 3, 4, 5});
    CHECK(tree.split_kind == std::vector<int8_t>{1, 1, 0, 2, 0, 0, 0});
    CHECK(tree.split_index == std::vector<int64_t>{0, 1, -1, 0, -1, -1, -1});
    CHECK(tree.gain == std::vector<double>{0.1, 0.2, 0, 0, 0, 0, 0});
    CHECK(tree.threshold_column == std::vector<int32_t>{4, 3});
    CHECK(tree.threshold_value == std::vector<double>{10.0, 20.0});
    CHECK(tree.threshold_missing == std::vector<int8_t>{1, 0});
    CHECK(tree.subset_column == std::vector<int32_t>{2});
    CHECK(tree.subset_start == std::vector<int64_t>{0, 1});
    CHECK(tree.subset_codes == std::vector<int32_t>{6});
    CHECK(tree.subset_missing == std::vector<int8_t>{1});
    CHECK(tree.subset_unseen == std::vector<int8_t>{0});
    CHECK(tree.leaf_rows == std::vector<int64_t>{4, 3, 2, 1});
    CHECK(tree.class_code == std::vector<int32_t>{3, 2, 1, 0});
}

TEST_CASE("tree_builder: a subset split without codes") {
    std::deque<Fragment> fragments(1);
    Fragment& f = fragments[0];
    f.nodes.resize(3);
    f.nodes[0] = subset(0, {}, 1);
    f.nodes[1] = leaf(f, 1, 0);
    f.nodes[2] = leaf(f, 1, 1);
    const TreeArrays tree = finish(fragments, true);
    CHECK(tree.subset_codes.empty());
    CHECK(tree.subset_start == std::vector<int64_t>{0, 0});
}

TEST_CASE("tree_builder: many children, and the codes of both sides of a set") {
    std::deque<Fragment> fragments(1);
    Fragment& f = fragments[0];
    f.nodes.resize(6);
    f.nodes[0] = of_codes(SplitKind::multiway, 3, {{2, 5, 9}, {}, {}}, 1, 3);
    f.nodes[1] = leaf(f, 1, 0);
    f.nodes[2] = of_codes(SplitKind::subset, 4, {{7}, {1, 8}, {}}, 4, 2);
    for (const size_t i : {3, 4, 5}) f.nodes[i] = leaf(f, static_cast<int64_t>(i), 0);
    const TreeArrays tree = finish(fragments, true);
    CHECK(tree.split_kind == std::vector<int8_t>{3, 0, 2, 0, 0, 0});
    CHECK(tree.child == std::vector<int64_t>{1, 2, 5, 3, 4});
    CHECK(tree.multiway_column == std::vector<int32_t>{3});
    CHECK(tree.multiway_start == std::vector<int64_t>{0, 3});
    CHECK(tree.multiway_codes == std::vector<int32_t>{2, 5, 9});
    CHECK(tree.multiway_missing == std::vector<int32_t>{1});
    CHECK(tree.subset_codes == std::vector<int32_t>{7});
    CHECK(tree.subset_rest == std::vector<int32_t>{1, 8});
    CHECK(tree.subset_rest_start == std::vector<int64_t>{0, 2});
}

TEST_CASE("tree_builder: fragments are joined where nodes continue in them") {
    std::deque<Fragment> fragments(3);
    fragments[0].nodes = {threshold(0, 1.0, 1), continued(2), continued(1)};
    fragments[1].nodes = {leaf(fragments[1], 7, 1)};
    fragments[2].nodes.resize(3);
    fragments[2].nodes[0] = threshold(1, 2.0, 1);
    fragments[2].nodes[2] = leaf(fragments[2], 8, 2);
    fragments[2].nodes[1] = leaf(fragments[2], 9, 3);
    const TreeArrays tree = finish(fragments, true);
    CHECK(tree.split_kind == std::vector<int8_t>{1, 1, 0, 0, 0});
    CHECK(tree.child == std::vector<int64_t>{1, 4, 2, 3});
    CHECK(tree.threshold_value == std::vector<double>{1.0, 2.0});
    CHECK(tree.leaf_rows == std::vector<int64_t>{9, 8, 7});
    CHECK(tree.class_code == std::vector<int32_t>{3, 2, 1});
    CHECK(tree.class_weight == std::vector<int64_t>{90, 80, 70});
}

TEST_CASE("tree_builder: moments are pairs of a high and a low half") {
    std::deque<Fragment> fragments(1);
    LeafRecord record;
    record.rows = 2;
    record.weight = 3;
    record.sum = -1;
    record.squares = (Wide(5) << 64) + 9;
    record.value = 0.25;
    fragments[0].leaves = {record};
    fragments[0].nodes.resize(1);
    fragments[0].nodes[0].leaf = 0;
    const TreeArrays tree = finish(fragments, false);
    CHECK(tree.moment_weight == std::vector<int64_t>{3});
    CHECK(tree.moment_sum == std::vector<int64_t>{-1, -1});
    CHECK(tree.moment_squares == std::vector<int64_t>{5, 9});
    CHECK(tree.moment_value == std::vector<double>{0.25});
    CHECK(tree.class_code.empty());
}

TEST_CASE("tree_builder: a deep chain needs no deep stack") {
    constexpr int64_t depth = 200'000;
    std::deque<Fragment> fragments(1);
    Fragment& f = fragments[0];
    f.nodes.push_back(threshold(0, 1.0, 1));
    for (int64_t i = 1; i <= depth; ++i) {
        f.nodes.push_back(i < depth ? threshold(0, 1.0, 2 * i + 1) : leaf(f, depth + 1, 0));
        f.nodes.push_back(leaf(f, i, 0));
    }
    const TreeArrays tree = finish(fragments, true);
    CHECK(tree.split_kind.size() == 2 * depth + 1);
    CHECK(tree.child[0] == 1);
    CHECK(tree.child[1] == 2 * depth);
    CHECK(tree.leaf_rows.front() == depth + 1);
    CHECK(tree.leaf_rows.back() == 1);
}
