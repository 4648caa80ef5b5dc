#include "core/columns/sparse_entries.hpp"

#include <cmath>
#include <utility>

#include "core/columns/keyed_entries.hpp"

namespace silva {
namespace {

struct Stored {
    double value;
    uint32_t id;
};

// What is stored of a column, and its order. One for each thread.
struct ColumnSpace {
    std::vector<Stored> stored;
    KeyedScratch scratch;
};

// What is not zero of the rows that the target keeps, by ascending id.
void read_column(const ColumnView& column, const Target& target, std::vector<Stored>& out) {
    out.clear();
    const Array<uint32_t>& kept = target.kept;
    const uint32_t* next = kept.data();
    const uint32_t* const end = kept.data() + kept.size();
    for (int64_t i = column.stored_from(0); i < column.n_stored; ++i) {
        const double value = column.stored_value(i);
        if (value == 0.0) continue;
        auto id = static_cast<uint32_t>(column.row_of(i));
        if (!kept.empty()) {
            next = std::lower_bound(next, end, id);
            if (next == end) break;
            if (*next != id) continue;
            id = static_cast<uint32_t>(next - kept.data());
        }
        out.push_back({value, id});
    }
}

EntryClass class_of(double value) {
    return std::isnan(value) ? EntryClass::missing
           : value < 0.0     ? EntryClass::negative
                             : EntryClass::positive;
}

void write_entries(int32_t column, const std::vector<Stored>& stored, const uint64_t* order,
                   SparseEntry* out) {
    double before = 0.0;
    for (size_t i = 0; i < stored.size(); ++i) {
        const auto [value, id] = stored[id_of(order[i])];
        const bool is_new = i == 0 || (!std::isnan(value) && value != before);
        out[i] = SparseEntry::of(column, class_of(value), id, is_new);
        before = value;
    }
}

}  // namespace

Entries SparseEntries::run(int32_t column, int64_t begin, int64_t end) const {
    const SparseEntry *first = entries.data() + begin, *last = entries.data() + end;
    const auto below = [](const SparseEntry& entry, int32_t c) { return entry.column() < c; };
    first = std::lower_bound(first, last, column, below);
    const SparseEntry* stop = first;
    for (int64_t step = 1; stop < last && stop->column() == column; step *= 2)
        stop += std::min(step, last - stop);
    return {first, std::lower_bound(first, stop, column + 1, below)};
}

namespace {

// The starts of the rows, and after them the number of entries.
void count_rows(Entries entries, int64_t n_rows, Array<int64_t>& starts) {
    std::fill_n(starts.data(), starts.size(), int64_t{0});
    for (const SparseEntry& entry : entries) ++starts[entry.id()];
    int64_t total = 0;
    for (int64_t row = 0; row <= n_rows; ++row) total += std::exchange(starts[row], total);
}

// Entries are moved to blocks of rows first, and to their rows block by block, in the cache.
constexpr int64_t kBlockRows = 4096;

// What is known of the entries of a block, by column. One for each thread.
struct BlockSpace {
    Array<uint32_t> keys, ranks;
    Array<int64_t> starts;
};

// Fills keys and ranks block by block; returns the rows.
Array<uint32_t> move_to_blocks(Entries entries, SparseRows& out) {
    std::vector<int64_t> next;
    for (int64_t row = 0; row < out.size(); row += kBlockRows) next.push_back(out.starts[row]);
    Array<uint32_t> rows(std::ssize(entries));
    uint32_t key = UINT32_MAX, rank = 0;
    for (const SparseEntry& entry : entries) {
        rank = entry.key != key ? 0 : rank + (entry.is_new() ? 1 : 0);
        key = entry.key;
        const int64_t at = next[entry.id() / kBlockRows]++;
        rows[at] = entry.id();
        out.keys[at] = key;
        out.ranks[at] = rank;
    }
    return rows;
}

void order_block(const Array<uint32_t>& rows, int64_t block, BlockSpace& space, SparseRows& out) {
    const int64_t first = block * kBlockRows, last = std::min(first + kBlockRows, out.size());
    const int64_t begin = out.starts[first], n = out.starts[last] - begin;
    space.keys.resize(n);
    space.ranks.resize(n);
    space.starts.resize(last - first);
    std::copy_n(out.keys.data() + begin, n, space.keys.data());
    std::copy_n(out.ranks.data() + begin, n, space.ranks.data());
    std::copy_n(out.starts.data() + first, last - first, space.starts.data());
    for (int64_t i = 0; i < n; ++i) {
        const int64_t at = space.starts[rows[begin + i] - first]++;
        out.keys[at] = space.keys[i];
        out.ranks[at] = space.ranks[i];
    }
}

}  // namespace

SparseRows::SparseRows(Entries entries, int64_t n_rows, Team& team, const StopFlag& stop)
    : starts(n_rows + 1), keys(std::ssize(entries)), ranks(std::ssize(entries)) {
    count_rows(entries, n_rows, starts);
    const Array<uint32_t> rows = move_to_blocks(entries, *this);
    std::vector<BlockSpace> spaces(static_cast<size_t>(team.size()));
    team.for_each((n_rows + kBlockRows - 1) / kBlockRows, [&](int64_t block, int worker) {
        stop.check();
        order_block(rows, block, spaces[static_cast<size_t>(worker)], *this);
    });
}

EntryIndex::EntryIndex(Entries entries, int64_t n_columns, int64_t n_rows, Team& team,
                       const StopFlag& stop)
    : rows(entries, n_rows, team, stop), lows(std::ssize(entries)), starts(4 * n_columns + 1) {
    uint32_t key = 0;  // the first one whose start is not known
    const auto start_up_to = [&](uint32_t last, int64_t at) {
        for (; key <= last; ++key) starts[key] = at;
    };
    for (int64_t i = 0; i < lows.size(); ++i) {
        const SparseEntry& entry = entries[static_cast<size_t>(i)];
        start_up_to(entry.key, i);
        lows[i] = entry.low;
    }
    start_up_to(static_cast<uint32_t>(4 * n_columns), lows.size());
}

void EntriesInPlace::start(int64_t n_rows) {
    place.resize(index->rows.size());
    std::fill_n(place.data(), place.size(), kNoRow);
    for (int64_t id = 0; id < n_rows; ++id) set_place(static_cast<uint32_t>(id), id);
}

void list_entries(const Table& table, std::span<const int32_t> columns, const Target& target,
                  Team& team, const StopFlag& stop, Array<SparseEntry>& out) {
    // Every column has room for all that it stores; what is left is closed up afterwards.
    const auto n_columns = static_cast<int64_t>(columns.size());
    std::vector<int64_t> starts(columns.size() + 1, 0), counts(columns.size(), 0);
    for (int64_t i = 0; i < n_columns; ++i)
        starts[i + 1] = starts[i] + table.columns[columns[i]].n_stored;
    out.resize(starts[n_columns]);
    const int64_t chunk = std::clamp<int64_t>(n_columns / (4 * team.size()), 1, 64);
    std::vector<ColumnSpace> spaces(static_cast<size_t>(team.size()));
    team.for_each((n_columns + chunk - 1) / chunk, [&](int64_t item, int worker) {
        stop.check();
        for (int64_t i = item * chunk; i < std::min((item + 1) * chunk, n_columns); ++i) {
            ColumnSpace& space = spaces[static_cast<size_t>(worker)];
            read_column(table.columns[columns[i]], target, space.stored);
            const std::vector<Stored>& stored = space.stored;
            const auto value_of = [&](int64_t place) { return stored[place].value; };
            const uint64_t* order = sort_values(std::ssize(stored), value_of, space.scratch);
            write_entries(columns[i], stored, order, out.data() + starts[i]);
            counts[i] = static_cast<int64_t>(space.stored.size());
        }
    });
    int64_t total = 0;
    for (int64_t i = 0; i < n_columns; ++i) {
        if (total != starts[i]) std::copy_n(out.data() + starts[i], counts[i], out.data() + total);
        total += counts[i];
    }
    out.resize(total);
}

void renumber_entries(Entries from, const uint32_t* number, Array<SparseEntry>& out) {
    int64_t n = 0;
    uint32_t carried = 0;
    out.resize(static_cast<int64_t>(from.size()) + 1);
    SparseEntry* to = out.data();
    for (const SparseEntry entry : from) {
        const uint32_t id = number[entry.id()];
        carried |= entry.low & SparseEntry::kNew;
        to[n] = {entry.key, id | carried};
        const bool kept = id != kNoRow;
        n += kept ? 1 : 0;
        carried = kept ? 0 : carried;
    }
    out.resize(n);
}

}  // namespace silva
