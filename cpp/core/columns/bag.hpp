// The columns of a tree of a forest, from those of all rows: nothing is sorted or coded again.
#pragma once

#include <vector>

#include "core/base/array.hpp"
#include "core/base/pool.hpp"
#include "core/columns/presort.hpp"
#include "core/columns/table.hpp"
#include "core/columns/target.hpp"
#include "core/tree/settings.hpp"

namespace silva {

// The columns of all rows that trees can draw. Levels of a single row keep their codes: which ones
// these are depends on the bag.
struct Drawable {
    Prepared prepared;
    std::vector<int32_t> listed;  // the columns that have arrays: neither constant nor sparse
};

Drawable prepare_drawable(const Table& table, const Target& drawable, const Settings& settings,
                          Team& team, const StopFlag& stop);

// Everything that the growth of one tree needs, as `prepare` makes it of the rows drawn: those with
// counts above 0 (by id of `drawable`), numbered anew in their order. `target` is that of these
// rows. Columns that are not shown are constant; an empty list shows all.
Prepared prepare_bag(const Drawable& drawable, const Array<uint32_t>& counts,
                     const std::vector<bool>& shown, const Target& target, const Settings& settings,
                     Team& team, const StopFlag& stop);

}  // namespace silva
