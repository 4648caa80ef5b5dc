// From the caller's columns to a store: each column is read once, coded or sorted.
#pragma once

#include <vector>

#include "core/base/pool.hpp"
#include "core/columns/store.hpp"
#include "core/columns/table.hpp"
#include "core/columns/target.hpp"
#include "core/tree/settings.hpp"

namespace silva {

struct Prepared {
    std::vector<ColumnForm> forms;
    std::vector<std::vector<int32_t>> block_columns;  // bit columns: by block and bit
    Store<uint32_t> store;
};

// The columns alone: nothing of the target but which rows it keeps. The settings say which columns
// are categories. `sorted`: the entries of the sparse columns for all rows of the table.
Prepared prepare_columns(const Table& table, const Target& target, const Settings& settings,
                         Team& team, const StopFlag& stop, const SparseEntries* sorted = nullptr);

// Everything that the growth of one tree needs.
Prepared prepare(const Table& table, const Target& target, const Settings& settings, Team& team,
                 const StopFlag& stop, const SparseEntries* sorted = nullptr);

// The entries of the sparse columns for all rows of the table, with rows as ids: trees that grow
// from different rows take theirs from them.
SparseEntries sort_sparse(const Table& table, const Settings& settings, Team& team,
                          const StopFlag& stop);

// What `prepare` takes from the target: classes or values, weights, and the ids in their order.
void copy_target(const Target& target, Store<uint32_t>& store);

}  // namespace silva
