#include "core/columns/sparse_entries.hpp"

#include <cmath>

namespace silva {
namespace {

struct Stored {
    double value;
    uint32_t id;
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

void sort_values(std::vector<Stored>& stored) {
    const auto before = [](const Stored& a, const Stored& b) {
        return a.value < b.value || (std::isnan(b.value) && !std::isnan(a.value));
    };
    if (!std::is_sorted(stored.begin(), stored.end(), before))
        std::sort(stored.begin(), stored.end(), [&](const Stored& a, const Stored& b) {
            return before(a, b) || (!before(b, a) && a.id < b.id);
        });
}

void write_entries(int32_t column, const std::vector<Stored>& stored, SparseEntry* out) {
    for (size_t i = 0; i < stored.size(); ++i) {
        const double value = stored[i].value;
        const bool is_new = i == 0 || (!std::isnan(value) && stored[i - 1].value != value);
        out[i] = SparseEntry::of(column, class_of(value), stored[i].id, is_new);
    }
}

}  // namespace

Entries SparseEntries::run(int32_t column, int64_t begin, int64_t end) const {
    if (stay()) return {entries.data() + starts[column], entries.data() + starts[column + 1]};
    const SparseEntry *first = entries.data() + begin, *last = entries.data() + end;
    const auto below = [](const SparseEntry& entry, int32_t c) { return entry.column() < c; };
    first = std::lower_bound(first, last, column, below);
    const SparseEntry* stop = first;
    for (int64_t step = 1; stop < last && stop->column() == column; step *= 2)
        stop += std::min(step, last - stop);
    return {first, std::lower_bound(first, stop, column + 1, below)};
}

void SparseEntries::index(int64_t n_columns) {
    starts.resize(n_columns + 1);
    int64_t column = 0;  // the first one whose start is not known
    for (int64_t i = 0; i < entries.size(); ++i)
        if (entries[i].column() >= column) {
            std::fill(starts.data() + column, starts.data() + entries[i].column() + 1, i);
            column = entries[i].column() + 1;
        }
    std::fill(starts.data() + column, starts.data() + n_columns + 1, entries.size());
}

void list_entries(const Table& table, std::span<const int32_t> columns, const Target& target,
                  Team& team, const StopFlag& stop, Array<SparseEntry>& out) {
    // Every column has room for all that it stores; what is left is closed up afterwards.
    const auto n_columns = static_cast<int64_t>(columns.size());
    std::vector<int64_t> starts(columns.size() + 1, 0), counts(columns.size(), 0);
    for (int64_t i = 0; i < n_columns; ++i)
        starts[i + 1] = starts[i] + table.columns[columns[i]].n_stored;
    out.resize(starts[n_columns]);
    constexpr int64_t chunk = 64;
    std::vector<std::vector<Stored>> stored(static_cast<size_t>(team.size()));
    team.for_each((n_columns + chunk - 1) / chunk, [&](int64_t item, int worker) {
        stop.check();
        for (int64_t i = item * chunk; i < std::min((item + 1) * chunk, n_columns); ++i) {
            read_column(table.columns[columns[i]], target, stored[worker]);
            sort_values(stored[worker]);
            write_entries(columns[i], stored[worker], out.data() + starts[i]);
            counts[i] = static_cast<int64_t>(stored[worker].size());
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
