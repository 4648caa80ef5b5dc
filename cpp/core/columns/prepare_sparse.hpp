// From sparse columns to the entries of a store.
#pragma once

#include "core/base/pool.hpp"
#include "core/columns/presort.hpp"
#include "core/columns/table.hpp"
#include "core/columns/target.hpp"
#include "core/tree/settings.hpp"

namespace silva {

// Whether the store keeps a column as entries. Splits of several columns read every value anyway.
bool stays_sparse(const ColumnView& column, int32_t index, const Settings& settings);

// Fills the entries and the forms of the columns that stay sparse. Entries stay in place if there
// are no other columns and nodes draw few.
void prepare_sparse(const Table& table, const Target& target, const Settings& settings, Team& team,
                    const StopFlag& stop, Prepared& out);

}  // namespace silva
