// Rows down compact trees: one tree for many rows, or many trees for one row.
#pragma once

#include <cstdint>

#include "core/engine_rows.hpp"
#include "core/engine_trees.hpp"

namespace silva {

// What the walks need of the trees and rows.
struct Walk {
    const uint64_t* nodes;
    const uint32_t* sets;
    const Key* keys;
    int64_t width;  // keys of a row
    NodeFormat format;
    bool missing, rounded, has_sets;

    Walk(const EngineTrees& trees, const KeyRows& rows)
        : nodes(trees.nodes()),
          sets(trees.sets()),
          keys(rows.keys.data()),
          width(rows.width),
          format(trees.format()),
          missing(rows.missing),
          rounded(rows.rounded),
          has_sets(trees.has_sets()) {}
};

// Rows 0, 1, ..., n - 1 down one tree that has inner nodes: the leaf of each, counted from the
// tree's first leaf, or kAskRule.
void walk_rows(const Walk& walk, int32_t first_node, int64_t n, int32_t* leaves);

// Row `row` down n trees that have inner nodes, from the nodes `first_nodes` on.
void walk_trees(const Walk& walk, const int32_t* first_nodes, int64_t n, int64_t row,
                int32_t* leaves);

// The same without wide instructions.
void walk_rows_plainly(const Walk& walk, int32_t first_node, int64_t n, int32_t* leaves);
void walk_trees_plainly(const Walk& walk, const int32_t* first_nodes, int64_t n, int64_t row,
                        int32_t* leaves);

}  // namespace silva
