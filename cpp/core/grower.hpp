// Exact greedy growth: one loop for every policy.
#pragma once

#include "core/candidate.hpp"
#include "core/pool.hpp"
#include "core/table.hpp"
#include "core/target.hpp"
#include "core/tree_builder.hpp"

namespace silva {

// The tree is the same for any number of threads.
TreeArrays grow(const Table& table, const Target& target, const Settings& settings, int threads,
                const StopFlag& stop);

}  // namespace silva
