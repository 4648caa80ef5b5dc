#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "core/search/node_entries.hpp"
#include "tests/sparse_sample.hpp"

using namespace silva;
using namespace silva::test;

TEST_CASE("node entries: those of the node's rows in some columns, new where their values differ") {
    constexpr int32_t n_columns = 6;
    Draw draw(94);
    EntryScratch scratch;
    for (int round = 0; round < 400; ++round) {
        const int64_t n_rows = draw.between(1, 60);
        const Sample sample = sample_of(draw, n_rows, n_columns);
        const std::vector<uint32_t> rows = shuffled_ids(draw, n_rows);
        const Store<uint32_t> store = store_in_place(sample, rows, n_columns);
        const int64_t begin = draw.between(0, n_rows - 1), end = draw.between(begin + 1, n_rows);
        std::vector<int32_t> columns;
        for (int32_t c = 0; c < n_columns; ++c)
            if (draw.chance(0.5)) columns.push_back(c);
        const auto is_own = [&](const SparseEntry& entry) {
            return std::find(rows.begin() + begin, rows.begin() + end, entry.id()) !=
                   rows.begin() + end;
        };
        const Entries found = scratch.find(store, begin, end, columns);
        size_t n = 0;
        uint32_t key = UINT32_MAX;
        int value = 0;
        for (size_t i = 0; i < sample.entries.size(); ++i) {
            const SparseEntry& entry = sample.entries[i];
            if (!std::ranges::binary_search(columns, entry.column()) || !is_own(entry)) continue;
            REQUIRE(n < found.size());
            REQUIRE(found[n].key == entry.key);
            // Rows of one value are found in any order; the first of a class may count as new.
            const auto same = [&](size_t j) {
                return sample.entries[j].key == entry.key &&
                       sample.entries[j].id() == found[n].id();
            };
            size_t j = 0;
            while (!same(j)) ++j;
            REQUIRE(sample.values[j] == sample.values[i]);
            if (entry.key == key) REQUIRE(found[n].is_new() == (sample.values[i] != value));
            key = entry.key;
            value = sample.values[i];
            ++n;
        }
        REQUIRE(n == found.size());
        scratch.note_columns(store, begin, end);
        for (const SparseEntry& entry : sample.entries)
            if (is_own(entry)) REQUIRE(scratch.may_have_entries(entry.column()));
    }
}

TEST_CASE("node entries: a store of some rows has their entries under its own numbers") {
    constexpr int32_t n_columns = 5;
    const std::vector<int32_t> columns = {0, 1, 2, 3, 4};
    Draw draw(96);
    EntryScratch scratch;
    for (int round = 0; round < 200; ++round) {
        const int64_t n_rows = draw.between(2, 50);
        const Sample sample = sample_of(draw, n_rows, n_columns);
        Store<uint32_t> store = store_in_place(sample, shuffled_ids(draw, n_rows), n_columns);
        std::vector<uint32_t> kept;
        for (uint32_t row = 0; row < n_rows; ++row)
            if (kept.empty() || draw.chance(0.5)) kept.push_back(row);
        EntriesInPlace& in_place = store.sparse.in_place;
        store.n_rows = std::ssize(kept);
        in_place.row_of.resize(store.n_rows);
        for (uint32_t id = 0; id < kept.size(); ++id) {
            store.rows[id] = id;
            in_place.row_of[id] = kept[id];
        }
        in_place.start(store.n_rows);
        const int64_t end = draw.between(1, store.n_rows);
        const Entries found = scratch.find(store, 0, end, columns);
        int64_t expected = 0;
        for (const SparseEntry& entry : sample.entries) {
            const auto at = std::ranges::find(kept, entry.id()) - kept.begin();
            if (at >= end) continue;
            ++expected;
            REQUIRE(std::ranges::any_of(found, [&](const SparseEntry& one) {
                return one.key == entry.key && one.id() == static_cast<uint32_t>(at);
            }));
        }
        REQUIRE(std::ssize(found) == expected);
    }
}
