// Many walks at once down trees of an engine.
#pragma once

#include <cstdint>

#include "core/predict/engine_rows.hpp"
#include "core/predict/engine_trees.hpp"

namespace silva {

// Which way of walking the processor is quicker with.
enum class Gathers { no, yes, where_fast };

// Trees, rows, and what is known of both.
simd::Walk walk_of(const EngineTrees& trees, const KeyRows& rows);

// Rows 0, 1, ..., n - 1 down one tree that has inner nodes: the leaf of each, counted from the
// tree's first leaf, or kAskRule.
void walk_rows(simd::Walk walk, const EngineTree& tree, int64_t n, int32_t* leaves,
               Gathers gathers = Gathers::where_fast);

// Row `row` down n trees that have inner nodes, from the nodes `first_nodes` on.
void walk_trees(const simd::Walk& walk, const int32_t* first_nodes, int64_t n, int64_t row,
                int32_t* leaves, Gathers gathers = Gathers::where_fast);

}  // namespace silva
