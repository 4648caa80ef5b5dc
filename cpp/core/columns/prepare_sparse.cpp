#include "core/columns/prepare_sparse.hpp"

#include <algorithm>
#include <iterator>
#include <memory>

namespace silva {

bool stays_sparse(const ColumnView& column, int32_t index, const Settings& settings) {
    return column.is_sparse() && settings.column(index).form == SplitForm::threshold &&
           !settings.oblique && !settings.distance;
}

namespace {

// Few enough columns of a node are drawn: see EntriesInPlace.
bool draws_few(const Settings& settings, int64_t n_columns) {
    constexpr int64_t share = 8;
    return settings.max_columns <= n_columns / share;
}

std::vector<int32_t> sparse_columns(const Table& table, const Settings& settings) {
    std::vector<int32_t> columns;
    for (int32_t c = 0; c < std::ssize(table.columns); ++c)
        if (stays_sparse(table.columns[c], c, settings)) columns.push_back(c);
    return columns;
}

}  // namespace

void prepare_sparse(const Table& table, const Target& target, const Settings& settings, Team& team,
                    const StopFlag& stop, Prepared& out) {
    const std::vector<int32_t> columns = sparse_columns(table, settings);
    if (columns.empty()) return;
    for (const int32_t c : columns) out.own_forms[c].kind = table.columns[c].kind;
    SparseEntries& sparse = out.store.sparse;
    list_entries(table, columns, target, team, stop, sparse.entries);
    const Array<SparseEntry>& entries = sparse.entries;
    for (int64_t begin = 0, end; begin < entries.size(); begin = end) {
        bool varies = false, has_missing = false;
        for (end = begin; end < entries.size() && entries[end].column() == entries[begin].column();
             ++end) {
            varies |=
                end > begin && (entries[end].is_new() || entries[end].key != entries[begin].key);
            has_missing |= entries[end].of_value() == EntryClass::missing;
        }
        if (end - begin == target.n_rows && !varies) continue;
        ColumnForm& form = out.own_forms[entries[begin].column()];
        form.form = Form::sparse;
        form.has_missing = has_missing;
    }
    const auto n_columns = std::ssize(table.columns);
    if (std::ssize(columns) < n_columns || !draws_few(settings, n_columns)) return;
    sparse.in_place.index =
        std::make_shared<const EntryIndex>(sparse.all(), n_columns, target.n_rows, team, stop);
    sparse.entries = Array<SparseEntry>();
}

}  // namespace silva
