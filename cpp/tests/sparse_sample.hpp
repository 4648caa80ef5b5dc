// Entries of sparse columns that the tests draw.
#pragma once

#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

#include "core/columns/store.hpp"
#include "tests/support.hpp"

namespace silva::test {

// Entries with the values that they stand for.
struct Sample {
    std::vector<SparseEntry> entries;
    std::vector<int> values;
};

inline Sample sample_of(Draw& draw, int64_t n_rows, int32_t n_columns) {
    Sample sample;
    for (int32_t c = 0; c < n_columns; ++c)
        for (const int sign : {-1, 1}) {
            int value = 0;
            std::vector<uint32_t> ids;
            for (int64_t id = 0; id < n_rows; ++id)
                if (draw.chance(0.2)) ids.push_back(static_cast<uint32_t>(id));
            draw.shuffle(ids);
            for (size_t i = 0; i < ids.size(); ++i) {
                const bool is_new = i == 0 || draw.chance(0.5);
                value += is_new ? 1 : 0;
                const auto of_value = sign < 0 ? EntryClass::negative : EntryClass::positive;
                sample.entries.push_back(SparseEntry::of(c, of_value, ids[i], is_new));
                sample.values.push_back(sign < 0 ? value - 1000 : value);
            }
        }
    return sample;
}

inline Array<SparseEntry> listed(const Sample& sample) {
    Array<SparseEntry> entries(std::ssize(sample.entries));
    std::copy(sample.entries.begin(), sample.entries.end(), entries.data());
    return entries;
}

// A store of these entries, which stay in place. The rows are in the order `rows`.
inline Store<uint32_t> store_in_place(const Sample& sample, const std::vector<uint32_t>& rows,
                                      int32_t n_columns) {
    Store<uint32_t> store;
    store.n_rows = std::ssize(rows);
    Team team(1);
    store.sparse.in_place.index = std::make_shared<const EntryIndex>(
        sample.entries, n_columns, store.n_rows, team, StopFlag());
    store.sparse.in_place.start(store.n_rows);
    store.rows.resize(store.n_rows);
    for (int64_t i = 0; i < store.n_rows; ++i) {
        store.rows[i] = rows[static_cast<size_t>(i)];
        store.sparse.in_place.set_place(store.rows[i], i);
    }
    return store;
}

inline std::vector<uint32_t> shuffled_ids(Draw& draw, int64_t n) {
    std::vector<uint32_t> ids;
    for (int64_t id = 0; id < n; ++id) ids.push_back(static_cast<uint32_t>(id));
    draw.shuffle(ids);
    return ids;
}

}  // namespace silva::test
