// Columns of categories: their codes by id.
#pragma once

#include "core/base/pool.hpp"
#include "core/columns/store.hpp"
#include "core/columns/table.hpp"
#include "core/columns/target.hpp"
#include "core/tree/settings.hpp"

namespace silva {

// Writes the codes of one column into the store and says in `form` what they are: categories, byte
// codes to be packed into bits (two levels, none missing, children left and right), or constant.
// Where the column is fair, levels that only one row has get one code in common.
void prepare_categories(const ColumnView& column, const Target& target, const ColumnSettings& asked,
                        int index, const StopFlag& stop, ColumnForm& form, Store<uint32_t>& store);

// Gives all levels that only one row has one code in common, unless there are fewer than three
// levels (missing is one). No levels, nothing to do.
template <class Code>
void join_lone_levels(const ColumnForm& form, Array<Code>& levels);

// Whether all rows are of two levels; a single tree of them would have a bit instead. Never so
// where levels have children of their own.
template <class Code>
bool have_two_levels(const ColumnForm& form, const ColumnSettings& asked,
                     const Array<Code>& levels);

}  // namespace silva
