// From the caller's columns to a store: each column is read once, coded or sorted.
#pragma once

#include <memory>
#include <vector>

#include "core/base/pool.hpp"
#include "core/columns/store.hpp"
#include "core/columns/table.hpp"
#include "core/columns/target.hpp"
#include "core/tree/settings.hpp"

namespace silva {

// Forms that trees of a forest have in common, and the columns that their roots may split.
struct CommonForms {
    std::vector<ColumnForm> forms;
    std::shared_ptr<const std::vector<int32_t>> alive;
};

struct Prepared {
    std::vector<ColumnForm> own_forms;
    std::shared_ptr<const CommonForms> common;        // instead of own forms
    std::vector<std::vector<int32_t>> block_columns;  // bit columns: by block and bit
    Store<uint32_t> store;

    const std::vector<ColumnForm>& forms() const { return common ? common->forms : own_forms; }
};

// The columns that are not constant; without sparse ones where nodes search all columns: these are
// found by their entries.
std::vector<int32_t> columns_alive(const std::vector<ColumnForm>& forms, const Settings& settings);

// The columns alone: nothing of the target but which rows it keeps. The settings say which columns
// are categories.
Prepared prepare_columns(const Table& table, const Target& target, const Settings& settings,
                         Team& team, const StopFlag& stop);

// Everything that the growth of one tree needs.
Prepared prepare(const Table& table, const Target& target, const Settings& settings, Team& team,
                 const StopFlag& stop);

// What `prepare` takes from the target: classes or values, weights, and the ids in their order.
void copy_target(const Target& target, Store<uint32_t>& store, Team& team);
// The same, and the memory that growth needs besides.
void start_growth(const Target& target, Store<uint32_t>& store, Team& team);

}  // namespace silva
