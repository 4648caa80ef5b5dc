// The stored values of sparse columns as one list of entries, which nodes own slices of.
//
// An entry is a row that is not zero in a column. Entries are in ascending order of the column,
// then negative, positive and missing values, each in ascending order. kNew marks an entry whose
// value differs from that of the entry before it in the same column and class. A column without
// entries in a slice is zero in all of its rows; the entries of a column in a slice are its run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/array.hpp"
#include "core/base/pool.hpp"
#include "core/columns/table.hpp"
#include "core/columns/target.hpp"

namespace silva {

enum class EntryClass : uint8_t { negative, positive, missing };

struct SparseEntry {
    static constexpr uint32_t kNew = uint32_t{1} << 31;

    uint32_t key = 0;  // the column and the class of the value
    uint32_t low = 0;  // the id of the row, and kNew

    static SparseEntry of(int32_t column, EntryClass of_value, uint32_t id, bool is_new) {
        return {static_cast<uint32_t>(column) << 2 | static_cast<uint32_t>(of_value),
                is_new ? id | kNew : id};
    }
    int32_t column() const { return static_cast<int32_t>(key >> 2); }
    EntryClass of_value() const { return static_cast<EntryClass>(key & 3); }
    uint32_t id() const { return low & ~kNew; }
    bool is_new() const { return (low & kNew) != 0; }
};

using Entries = std::span<const SparseEntry>;

// The entries of a store. Where a node searches few of the columns, moving all of its entries would
// cost more than looking for its rows in the entries of those columns: then entries stay in place,
// and `starts` has the first entry of each column (and their number, as the last).
struct SparseEntries {
    Array<SparseEntry> entries;
    Array<int64_t> starts;  // empty: nodes own slices

    bool stay() const { return !starts.empty(); }
    // The run of a column in [begin, end), which is everything where entries stay.
    Entries run(int32_t column, int64_t begin, int64_t end) const;
    // Fills `starts`.
    void index(int64_t n_columns);
};

// The entries of these sparse columns of the table (ascending), for the rows that the target keeps.
void list_entries(const Table& table, std::span<const int32_t> columns, const Target& target,
                  Team& team, const StopFlag& stop, Array<SparseEntry>& out);

constexpr uint32_t kNoRow = UINT32_MAX;

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
