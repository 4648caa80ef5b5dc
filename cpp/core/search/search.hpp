// The best candidate of a node: what the growth loop asks of the finders.
#pragma once

#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "core/base/pool.hpp"
#include "core/columns/store.hpp"
#include "core/search/candidate.hpp"
#include "core/search/column_draws.hpp"
#include "core/search/node_entries.hpp"
#include "core/search/open_node.hpp"
#include "core/search/stats.hpp"
#include "core/search/sweeps/rows.hpp"
#include "core/tree/tree_builder.hpp"

namespace silva {

struct DistanceSpace;

using Columns = std::shared_ptr<const std::vector<int32_t>>;

// An open node of a store, a slice of its `rows`. `alive` lists the columns that are not constant
// in it, without the sparse columns where every node searches all columns: those have entries.
struct StoreNode : OpenNode {
    int64_t record = 0;  // its number in the tree being built
    NodeStats stats;
    // Class of the whole table by the numbers that the labels of its rows have; nullptr: as in the
    // store.
    std::shared_ptr<const std::vector<int32_t>> class_of;
    Columns alive;
    int64_t entry_begin = 0, entry_end = 0;  // its slice of the entries of sparse columns
    Candidate best;

    StoreSlice slice() const { return {begin, end, entry_begin, entry_end}; }

    double priority() const { return best.gain * static_cast<double>(stats.weight); }
};

// What a search reads and never changes.
struct SearchContext {
    const Table& table;
    const Target& target;
    const std::vector<ColumnForm>& forms;
    const std::vector<std::vector<int32_t>>& block_columns;  // bit columns: by block and bit
    const Settings& settings;
    double min_leaf_weight;
    const StopFlag& stop;
    const DistanceSpace* distances = nullptr;  // when distance splits are asked for
};

constexpr int32_t kMissingLevel = -1, kLoneLevel = -2;

// A category in a node. Its class weights are entries [begin, end); where a sweep keeps groups of
// two or three numbers, its group begins at `begin`.
struct Level {
    int32_t code = kMissingLevel;
    int32_t rows = 0;
    int64_t weight = 0;
    int32_t begin = 0, end = 0;
    Wide squares = 0;  // of the weights of its rows; unused where all are one
};
struct ClassEntry {
    int32_t label;
    int64_t weight;
};

// Orders levels by a share or mean, exactly: numerator / denominator.
struct OrderKey {
    double approximate;
    Wide numerator;
    int64_t denominator;
    int32_t index;
};

struct LevelScratch {
    std::vector<int64_t> groups;    // by code; zero between two columns
    std::vector<int32_t> rows;      // by code; zero between two columns
    std::vector<Wide> squares;      // by code, of the weights of rows; zero between two columns
    std::vector<int32_t> occupied;  // codes, ascending
    std::vector<uint64_t> seen;     // by code: a bit, where codes are listed by bits
    std::vector<Level> levels;
    std::vector<int64_t> level_groups;  // of the levels, one after the other
    std::vector<ClassEntry> entries;
    std::vector<int64_t> numerators;  // by index: weight of the class that the order goes by
    std::vector<OrderKey> keys;
    std::vector<uint64_t> short_keys;  // a share and an index in one
    std::vector<int32_t> order;        // indices into levels
    std::vector<int64_t> sums;         // groups of sets of levels
    std::vector<uint8_t> gathered;     // by index: the level is in the set
};

// Memory that searches reuse, one a worker; `dead`, `constant`, `draws` and `by_column` of the
// worker that searches a node serve the whole team.
struct SearchScratch {
    SweepBuffers sweep, known;                  // of a node, of its rows that have a value
    std::vector<int64_t> groups, group_rows;    // by code; zero between two columns
    std::vector<int64_t> bit_groups, bit_rows;  // by bit
    std::vector<int> occupied;
    std::vector<int64_t> children;  // groups of the children of a candidate
    std::tuple<std::vector<uint16_t>, std::vector<uint32_t>> list;  // a copy of one, by type of id
    std::vector<uint8_t> breakpoint;                                // by code
    std::vector<int64_t> pure_targets;                              // by code
    LevelScratch level;
    EntryScratch entries;
    std::vector<int64_t> run_starts;  // by code of a sparse column: the known rows below it
    std::vector<uint8_t> dead;        // by column: constant in the node; zero between searches
    std::vector<int32_t> constant;    // columns of the node that is searched
    ColumnDraws draws;
    std::vector<Candidate> by_column;  // gain ratio: the best of each column
};

// Fills node.best (which does not exist when nothing can be split) and drops constant columns,
// unless they are few, from node.alive. Columns are shared among the team when it has more than one
// thread.
template <class Id>
void search(const SearchContext& context, const Store<Id>& store, StoreNode& node, Team& team,
            std::vector<SearchScratch>& scratch);

}  // namespace silva
