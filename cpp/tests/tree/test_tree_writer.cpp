#include <doctest/doctest.h>

#include <random>

#include "core/tree/tree_writer.hpp"

using namespace silva;

namespace {

// A random tree of classes, as records and as written in pre-order.
class Both {
  public:
    Both(uint32_t seed, bool many) : random_(seed), many_(many), writer_(notes_) {
        fragments_.emplace_back();
        fragments_[0].nodes.emplace_back();
        grow(0, 0);
    }
    TreeArrays finished() const { return finish(fragments_, true); }
    TreeArrays written(bool shape) { return writer_.take(shape); }

  private:
    void grow(size_t at, int depth) {
        Fragment& fragment = fragments_[0];
        if (depth == 5 || random_() % 3 == 0) return leaf(at);
        const auto kind = static_cast<SplitKind>(1 + random_() % (many_ ? 3 : 2));
        SplitRecord rule;
        rule.kind = kind;
        rule.column = static_cast<int32_t>(random_() % 9);
        rule.missing_child = static_cast<int32_t>(random_() % 3) - 1;
        rule.unseen_child = static_cast<int32_t>(random_() % 3) - 1;
        int64_t n = many_ && random_() % 2 == 0 ? 3 : 2;
        if (kind == SplitKind::threshold) {
            rule.threshold = static_cast<double>(random_() % 100);
        } else {
            SplitDetail detail;
            if (kind == SplitKind::multiway) n = 2 + random_() % 4;
            for (int64_t i = 0; i < n; ++i) detail.codes.push_back(static_cast<int32_t>(3 * i));
            if (kind == SplitKind::subset) detail.rest = {1, 4};
            rule.detail = std::make_shared<const SplitDetail>(std::move(detail));
        }
        const double gain = static_cast<double>(random_() % 1000) / 1000;
        const auto first = fragment.nodes.size();
        fragment.nodes[at].split = rule;
        fragment.nodes[at].gain = gain;
        fragment.nodes[at].first_child = static_cast<int64_t>(first);
        fragment.nodes[at].n_children = n;
        fragment.nodes.resize(first + static_cast<size_t>(n));
        writer_.split(rule, gain, n);
        for (size_t c = 0; c < static_cast<size_t>(n); ++c) grow(first + c, depth + 1);
    }
    void leaf(size_t at) {
        Fragment& fragment = fragments_[0];
        fragment.nodes[at].leaf = std::ssize(fragment.leaves);
        LeafRecord& leaf = fragment.leaves.emplace_back();
        leaf.rows = leaf.weight = 1 + random_() % 50;
        leaf.classes_begin = std::ssize(fragment.class_code);
        fragment.class_code.push_back(1);
        fragment.class_weight.push_back(leaf.weight);
        leaf.classes_end = std::ssize(fragment.class_code);
        writer_.leaf();
        writer_.weight_of_class(0, 0);
        writer_.weight_of_class(1, leaf.weight);
        writer_.end_leaf(leaf.rows);
    }

    std::mt19937 random_;
    bool many_;
    TreeNotes notes_;
    TreeWriter writer_;
    std::deque<Fragment> fragments_;
};

void check_same_splits(const TreeArrays& a, const TreeArrays& b) {
    CHECK(a.split_kind == b.split_kind);
    CHECK(a.threshold_column == b.threshold_column);
    CHECK(a.threshold_value == b.threshold_value);
    CHECK(a.threshold_missing == b.threshold_missing);
    CHECK(a.threshold_unseen == b.threshold_unseen);
    CHECK(a.subset_column == b.subset_column);
    CHECK(a.subset_codes == b.subset_codes);
    CHECK(a.subset_start == b.subset_start);
    CHECK(a.subset_rest == b.subset_rest);
    CHECK(a.subset_rest_start == b.subset_rest_start);
    CHECK(a.subset_missing == b.subset_missing);
    CHECK(a.subset_unseen == b.subset_unseen);
    CHECK(a.multiway_column == b.multiway_column);
    CHECK(a.multiway_codes == b.multiway_codes);
    CHECK(a.multiway_start == b.multiway_start);
    CHECK(a.multiway_missing == b.multiway_missing);
    CHECK(a.multiway_unseen == b.multiway_unseen);
    CHECK(a.leaf_rows == b.leaf_rows);
    CHECK(a.class_start == b.class_start);
    CHECK(a.class_code == b.class_code);
    CHECK(a.class_weight == b.class_weight);
}

}  // namespace

TEST_CASE("a tree that is written in pre-order is the tree of its records") {
    for (const bool many : {false, true}) {
        for (uint32_t seed = 0; seed < 300; ++seed) {
            Both both(seed, many);
            const TreeArrays expected = both.finished(), found = both.written(true);
            check_same_splits(found, expected);
            CHECK(found.child_start == expected.child_start);
            CHECK(found.child == expected.child);
            CHECK(found.split_index == expected.split_index);
            CHECK(found.gain == expected.gain);
            Both again(seed, many);
            const TreeArrays shapeless = again.written(false);
            check_same_splits(shapeless, expected);
            CHECK(shapeless.child.empty());
            CHECK(std::ssize(shapeless.gain) ==
                  std::count_if(expected.split_kind.begin(), expected.split_kind.end(),
                                [](int8_t kind) { return kind != 0; }));
        }
    }
}
