#include "core/columns/column_sorter.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace silva {
namespace {

constexpr uint32_t kIdMask = Store<uint32_t>::kIdMask;
constexpr int64_t kPartOfRows = 1 << 15;  // at least, or handing parts out takes longer
constexpr int64_t kThreadsOfColumn = 4;   // at least, where there are as many

void mark_missing(const SortedColumn& out, int64_t known) {
    const int64_t n = out.list->size();
    out.form->has_missing = known < n;
    if (known == n) return;
    out.missing->resize(n);
    std::memset(out.missing->data(), 0, static_cast<size_t>(n));
    for (int64_t i = known; i < n; ++i) (*out.missing)[(*out.list)[i] & kIdMask] = 1;
}

}  // namespace

// Begins all columns, then sorts those that ask for it, a few at a time: where threads share a
// column, what they write side by side stays in their caches.
void ColumnSorter::sort(const std::vector<ColumnView>& views,
                        const std::function<SortedColumn(int64_t)>& begin) {
    const int64_t n_parts = parts_of_column(std::ssize(views));
    if (n_parts < 2)
        return team_.for_each(std::ssize(views), [&](int64_t i, int worker) {
            const SortedColumn out = begin(i);
            if (out.list != nullptr)
                sort_alone({ColumnReader(views[i], target_, stop_), out}, worker);
        });
    std::vector<SortedColumn> outs(views.size());
    team_.for_each(std::ssize(views), [&](int64_t i, int) { outs[i] = begin(i); });
    std::vector<Column> columns;
    for (size_t i = 0; i < views.size(); ++i)
        if (outs[i].list != nullptr)
            columns.push_back({ColumnReader(views[i], target_, stop_), outs[i]});
    const int64_t together = (team_.size() + n_parts - 1) / n_parts;
    for (int64_t first = 0; first < std::ssize(columns); first += together) {
        const int64_t last = std::min(first + together, std::ssize(columns));
        sort_together({columns.data() + first, columns.data() + last}, n_parts);
    }
}

int64_t ColumnSorter::parts_of_column(int64_t n_columns) const {
    const int64_t wanted = (team_.size() + n_columns - 1) / n_columns;
    const int64_t shared = std::min<int64_t>(team_.size(), kThreadsOfColumn);
    return std::min(std::max(wanted, shared), target_.n_rows / kPartOfRows);
}

void ColumnSorter::sort_alone(const Column& column, int worker) {
    ColumnSort& sort = sorts_[static_cast<size_t>(worker)];
    sort.start(target_.n_rows, 1);
    sort.read(column.reader, 0);
    sort.choose_buckets();
    sort.count(0, stop_);
    sort.make_groups();
    sort.scatter(0, stop_);
    column.out.list->resize(target_.n_rows);
    for (int64_t group = 0; group < sort.n_groups(); ++group) {
        stop_.check();
        sort.write(column.reader, group, scratch_[static_cast<size_t>(worker)],
                   column.out.list->data());
    }
    mark_missing(column.out, sort.n_known());
}

void ColumnSorter::sort_together(std::span<const Column> columns, int64_t n_parts) {
    const auto n_columns = std::ssize(columns);
    const auto for_columns = [&](auto&& f) {
        for (int64_t c = 0; c < n_columns; ++c) f(columns[c], sorts_[c]);
    };
    const auto for_parts_of_columns = [&](auto&& f) {
        team_.for_each(n_columns * n_parts, [&](int64_t i, int) {
            f(columns[i / n_parts], sorts_[i / n_parts], i % n_parts);
        });
    };
    for_columns([&](const Column& column, ColumnSort& sort) {
        sort.start(target_.n_rows, n_parts);
        column.out.list->resize(target_.n_rows);
    });
    for_parts_of_columns([](const Column& column, ColumnSort& sort, int64_t part) {
        sort.read(column.reader, part);
    });
    for_columns([](const Column&, ColumnSort& sort) { sort.choose_buckets(); });
    for_parts_of_columns(
        [&](const Column&, ColumnSort& sort, int64_t part) { sort.count(part, stop_); });
    for_columns([](const Column&, ColumnSort& sort) { sort.make_groups(); });
    for_parts_of_columns(
        [&](const Column&, ColumnSort& sort, int64_t part) { sort.scatter(part, stop_); });
    write_groups(columns);
}

void ColumnSorter::write_groups(std::span<const Column> columns) {
    std::vector<std::pair<size_t, int64_t>> groups;
    for (size_t c = 0; c < columns.size(); ++c)
        for (int64_t group = 0; group < sorts_[c].n_groups(); ++group)
            groups.emplace_back(c, group);
    team_.for_each(std::ssize(groups), [&](int64_t i, int worker) {
        stop_.check();
        const auto [c, group] = groups[i];
        sorts_[c].write(columns[c].reader, group, scratch_[static_cast<size_t>(worker)],
                        columns[c].out.list->data());
    });
    team_.for_each(std::ssize(columns),
                   [&](int64_t c, int) { mark_missing(columns[c].out, sorts_[c].n_known()); });
}

}  // namespace silva
