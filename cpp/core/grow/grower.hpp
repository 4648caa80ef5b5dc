// Exact greedy growth of one tree.
#pragma once

#include "core/base/pool.hpp"
#include "core/columns/presort.hpp"
#include "core/columns/table.hpp"
#include "core/columns/target.hpp"
#include "core/search/candidate.hpp"
#include "core/tree/tree_builder.hpp"

namespace silva {

// The tree is the same for any number of threads.
TreeArrays grow(const Table& table, const Target& target, const Settings& settings, Team& team,
                const StopFlag& stop);
TreeArrays grow(const Table& table, const Target& target, const Settings& settings, int threads,
                const StopFlag& stop);

class BlockSearch;

// The same from columns that were prepared for this table, target and settings. Growth moves the
// rows of the store, and its sorted lists unless the root is the only node that is split. `blocks`,
// if there are any, find the root's split: the same one, sooner.
TreeArrays grow(Prepared& prepared, const Table& table, const Target& target,
                const Settings& settings, Team& team, const StopFlag& stop,
                const BlockSearch* blocks = nullptr);

}  // namespace silva
