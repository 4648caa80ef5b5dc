#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/grow/sparse_split.hpp"
#include "core/grow/splitter.hpp"
#include "tests/sparse_sample.hpp"

using namespace silva;
using namespace silva::test;

namespace {

void require_same(const NodeStats& found, const NodeStats& expected) {
    REQUIRE(found.rows == expected.rows);
    REQUIRE(found.weight == expected.weight);
    REQUIRE(found.classes == expected.classes);
    REQUIRE(found.sum == expected.sum);
    REQUIRE(found.lowest == expected.lowest);
    REQUIRE(found.highest == expected.highest);
}

void fill_targets(Draw& draw, int64_t n_classes, Store<uint32_t>& store) {
    const int64_t n_values = draw.chance(0.5) ? 3 : 1000;
    if (draw.chance(0.5)) store.weight.resize(store.n_rows);
    (n_classes > 0 ? store.label.resize(store.n_rows) : store.q.resize(store.n_rows));
    for (int64_t id = 0; id < store.n_rows; ++id) {
        if (!store.weight.empty()) store.weight[id] = draw.between(1, 5);
        if (n_classes > 0)
            store.label[id] = static_cast<uint32_t>(draw.below(n_classes));
        else
            store.q[id] = draw.below(n_values) - 1;
    }
}

}  // namespace

TEST_CASE("sparse split: rows are separated where they are, statistics are those of a count") {
    Draw draw(95);
    for (int round = 0; round < 500; ++round) {
        const int64_t n_rows = draw.between(2, 60);
        Sample sample = sample_of(draw, n_rows, 1);
        std::vector<bool> has_entry(static_cast<size_t>(n_rows), false);
        std::erase_if(sample.entries, [&](const SparseEntry& entry) {
            const bool is_known = has_entry[entry.id()];
            has_entry[entry.id()] = true;
            return is_known;
        });
        const std::vector<uint32_t> rows = shuffled_ids(draw, n_rows);
        Store<uint32_t> store = store_in_place(sample, rows, 1);
        const int64_t n_classes = draw.pick<int64_t>({0, 2, 4});
        fill_targets(draw, n_classes, store);
        StoreNode node;
        node.begin = draw.between(0, n_rows - 2);
        node.end = draw.between(node.begin + 1, n_rows);
        node.stats = stats_of(store, node.begin, node.end, n_classes);
        EntryScratch scratch;
        const int32_t column = 0;
        SparseSplit split;
        split.entries = scratch.find(store, node.begin, node.end, {&column, 1});
        split.n_known = draw.between(0, std::ssize(split.entries));  // the others are missing
        split.n_left = draw.between(0, split.n_known);
        split.zeros_left = draw.chance(0.5);
        split.missing_side = draw.chance(0.5) ? 1 : 0;
        std::vector<uint8_t> side(static_cast<size_t>(n_rows), split.zeros_left ? 1 : 0);
        for (size_t i = 0; i < split.entries.size(); ++i)
            side[split.entries[i].id()] = split.side_of(i);

        const int64_t middle = node.begin + separate_rows(store, node, split);
        for (int64_t i = 0; i < n_rows; ++i) {
            REQUIRE(store.sparse.in_place.place_of(store.rows[i]) == i);
            if (i < node.begin || i >= node.end)
                REQUIRE(store.rows[i] == rows[static_cast<size_t>(i)]);
            else
                REQUIRE(side[store.rows[i]] == (i < middle ? 1 : 0));
        }
        const auto [left, right] = separated_stats(store, node, middle, split.zeros_left);
        require_same(left, stats_of(store, node.begin, middle, n_classes));
        require_same(right, stats_of(store, middle, node.end, n_classes));
    }
}
