// The stored values of sparse columns as one list of entries, which nodes own slices of.
//
// An entry is a row that is not zero in a column. Entries are in ascending order of the column,
// then negative, positive and missing values, each in ascending order. kNew marks an entry whose
// value differs from that of the entry before it in the same column and class. A column without
// entries in a slice is zero in all of its rows; the entries of a column in a slice are its run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/array.hpp"
#include "core/base/pool.hpp"
#include "core/columns/table.hpp"
#include "core/columns/target.hpp"

namespace silva {

constexpr uint32_t kNoRow = UINT32_MAX;

enum class EntryClass : uint8_t { negative, positive, missing };
constexpr EntryClass kEntryClasses[] = {EntryClass::negative, EntryClass::positive,
                                        EntryClass::missing};

struct SparseEntry {
    static constexpr uint32_t kNew = uint32_t{1} << 31;

    uint32_t key = 0;  // the column and the class of the value
    uint32_t low = 0;  // the id of the row, and kNew

    static SparseEntry of(int32_t column, EntryClass of_value, uint32_t id, bool is_new) {
        return {key_of(column, of_value), is_new ? id | kNew : id};
    }
    static uint32_t key_of(int32_t column, EntryClass of_value) {
        return static_cast<uint32_t>(column) << 2 | static_cast<uint32_t>(of_value);
    }
    int32_t column() const { return static_cast<int32_t>(key >> 2); }
    EntryClass of_value() const { return static_cast<EntryClass>(key & 3); }
    uint32_t id() const { return low & ~kNew; }
    bool is_new() const { return (low & kNew) != 0; }
};

using Entries = std::span<const SparseEntry>;

// What is stored of each row, by ascending column. `rank` orders the values of one key (a column
// and a class): equal ranks are equal values.
struct SparseRows {
    Array<int64_t> starts;        // by row, and the number of keys
    Array<uint32_t> keys, ranks;  // apart: few ranks are read

    SparseRows(Entries entries, int64_t n_rows, Team& team, const StopFlag& stop);
    int64_t size() const { return starts.size() - 1; }
    std::span<const uint32_t> keys_of(int64_t row) const {
        return {keys.data() + starts[row], keys.data() + starts[row + 1]};
    }
    uint32_t rank(const uint32_t& key) const { return ranks[&key - keys.data()]; }
};

// Entries by column and by row. The trees of a forest share them.
struct EntryIndex {
    SparseRows rows;
    Array<uint32_t> lows;   // of the entries, in their order
    Array<int64_t> starts;  // by key: its first entry; and their number

    EntryIndex(Entries entries, int64_t n_columns, int64_t n_rows, Team& team,
               const StopFlag& stop);
    std::span<const uint32_t> run(uint32_t key) const {
        return {lows.data() + starts[key], lows.data() + starts[key + 1]};
    }
    std::span<const uint32_t> column(int32_t column) const {
        const int64_t key = SparseEntry::key_of(column, EntryClass::negative);
        return {lows.data() + starts[key], lows.data() + starts[key + 4]};
    }
    int64_t n_columns() const { return starts.size() / 4; }
};

// Entries that stay where they are while nodes are split: where nodes search few columns, moving
// all of their entries would cost more than to look for those of the columns. The store may have
// some of the rows of the index only, numbered anew.
struct EntriesInPlace {
    std::shared_ptr<const EntryIndex> index;
    Array<uint32_t> row_of;  // id in the store -> row of the index; empty: the same
    Array<uint32_t> place;   // by row of the index: where it is among the rows of the store, or
                             // kNoRow

    uint32_t row(uint32_t id) const { return row_of.empty() ? id : row_of[id]; }
    std::span<const uint32_t> keys_of(uint32_t id) const { return index->rows.keys_of(row(id)); }
    // Several threads split nodes of one store: each changes the places of its node's rows, and
    // asks for those of other rows, which are outside of its slice before and after any change.
    uint32_t place_of(uint32_t row) const {
        return __atomic_load_n(place.data() + row, __ATOMIC_RELAXED);
    }
    void set_place(uint32_t id, int64_t at) {
        __atomic_store_n(place.data() + row(id), static_cast<uint32_t>(at), __ATOMIC_RELAXED);
    }
    // The rows of the store are in the order of their ids.
    void start(int64_t n_rows);
};

// The entries of a store: those of a node are a slice of `entries`, or all stay in place.
struct SparseEntries {
    Array<SparseEntry> entries;
    EntriesInPlace in_place;

    bool stay() const { return in_place.index != nullptr; }
    Entries all() const { return {entries.data(), static_cast<size_t>(entries.size())}; }
    // The run of a column in the slice [begin, end).
    Entries run(int32_t column, int64_t begin, int64_t end) const;
};

// The entries of these sparse columns of the table (ascending), for the rows that the target keeps.
void list_entries(const Table& table, std::span<const int32_t> columns, const Target& target,
                  Team& team, const StopFlag& stop, Array<SparseEntry>& out);

// The entries of the rows whose `number` is not kNoRow, with these numbers as ids.
void renumber_entries(Entries from, const uint32_t* number, Array<SparseEntry>& out);

// Puts the entries of child 0 of `list` first, then those of child 1, ..., by `child_of(id)`, which
// is `starts.size() - 1` or more for rows of no child. Sets the starts of the children, and the
// end.
template <class ChildOf>
void partition_entries(std::span<SparseEntry> list, const ChildOf& child_of,
                       std::span<int64_t> starts, Array<SparseEntry>& spare) {
    const size_t n = starts.size() - 1;
    std::fill(starts.begin(), starts.end(), int64_t{0});
    for (const SparseEntry& entry : list) {
        const auto child = static_cast<size_t>(child_of(entry.id()));
        if (child < n) ++starts[child + 1];
    }
    for (size_t c = 1; c <= n; ++c) starts[c] += starts[c - 1];
    // An entry of a child is new if any entry since the child's previous one was new.
    struct Place {
        int64_t at, seen;
    };
    std::vector<Place> places;
    for (size_t c = 0; c < n; ++c) places.push_back({starts[c], -1});
    spare.resize(std::max(spare.size(), starts[n]));
    int64_t seen = 0;
    for (const SparseEntry& entry : list) {
        seen += entry.is_new() ? 1 : 0;
        const auto child = static_cast<size_t>(child_of(entry.id()));
        if (child >= n) continue;
        Place& place = places[child];
        const uint32_t flag = place.seen != seen ? SparseEntry::kNew : 0;
        spare[place.at++] = {entry.key, entry.id() | flag};
        place.seen = seen;
    }
    std::copy_n(spare.data(), starts[n], list.data());
}

// The same for two children, of which those with a `side` of 1 come first; returns their number.
template <class Side>
int64_t partition_entries(std::span<SparseEntry> list, const Side* side,
                          Array<SparseEntry>& spare) {
    spare.resize(std::max(spare.size(), static_cast<int64_t>(list.size()) + 1));
    SparseEntry *left = list.data(), *right = spare.data();
    uint32_t carried_left = 0, carried_right = 0;  // new entries of the other child since
    for (const SparseEntry entry : list) {
        const uint32_t is_left = side[entry.id()];  // 0 or 1
        const uint32_t flag = entry.low & SparseEntry::kNew;
        const uint32_t none = is_left - 1;  // all bits of the other side
        carried_left |= flag;
        carried_right |= flag;
        *left = {entry.key, entry.id() | carried_left};
        *right = {entry.key, entry.id() | carried_right};
        left += is_left;
        right += 1 - is_left;
        carried_left &= none;
        carried_right &= ~none;
    }
    std::copy(spare.data(), right, left);
    return left - list.data();
}

}  // namespace silva
