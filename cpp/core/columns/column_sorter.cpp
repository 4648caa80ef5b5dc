#include "core/columns/column_sorter.hpp"

#include <algorithm>
#include <cstring>

namespace silva {
namespace {

constexpr uint32_t kIdMask = Store<uint32_t>::kIdMask;
constexpr int64_t kPartOfRows = 1 << 15;  // at least, or handing parts out takes longer

void mark_missing(const SortedColumn& out, int64_t known) {
    const int64_t n = out.list->size();
    out.form->has_missing = known < n;
    if (known == n) return;
    out.missing->resize(n);
    std::memset(out.missing->data(), 0, static_cast<size_t>(n));
    for (int64_t i = known; i < n; ++i) (*out.missing)[(*out.list)[i] & kIdMask] = 1;
}

}  // namespace

void ColumnSorter::sort_alone(const ColumnView& view, const SortedColumn& out, int worker) {
    const ColumnReader reader(view, target_, stop_);
    ColumnSort& sort = sorts_[static_cast<size_t>(worker)];
    sort.start(target_.n_rows, 1);
    sort.read(reader, 0);
    sort.choose_buckets();
    sort.count(0, stop_);
    sort.make_groups();
    sort.scatter(0, stop_);
    out.list->resize(target_.n_rows);
    for (int64_t group = 0; group < sort.n_groups(); ++group) {
        stop_.check();
        sort.write(reader, group, scratch_[static_cast<size_t>(worker)], out.list->data());
    }
    mark_missing(out, sort.n_known());
}

void ColumnSorter::sort(const std::vector<ColumnView>& views,
                        const std::function<SortedColumn(int64_t)>& begin) {
    const int64_t n_columns = std::ssize(views);
    const int64_t wanted = (team_.size() + n_columns - 1) / n_columns;
    const int64_t n_parts = std::min(wanted, target_.n_rows / kPartOfRows);
    if (n_parts > 1) return sort_together(views, n_parts, begin);
    team_.for_each(n_columns, [&](int64_t i, int worker) {
        const SortedColumn out = begin(i);
        if (out.list != nullptr) sort_alone(views[i], out, worker);
    });
}

void ColumnSorter::sort_together(const std::vector<ColumnView>& views, int64_t n_parts,
                                 const std::function<SortedColumn(int64_t)>& begin) {
    struct Sorted {
        ColumnReader reader;
        SortedColumn out;
        ColumnSort& sort;
    };
    std::vector<SortedColumn> outs(views.size());
    team_.for_each(std::ssize(views), [&](int64_t i, int) { outs[i] = begin(i); });
    std::vector<Sorted> columns;
    for (size_t i = 0; i < views.size(); ++i) {
        if (outs[i].list == nullptr) continue;
        ColumnSort& sort = sorts_[columns.size()];
        sort.start(target_.n_rows, n_parts);
        outs[i].list->resize(target_.n_rows);
        columns.push_back({ColumnReader(views[i], target_, stop_), outs[i], sort});
    }
    const int64_t n_columns = std::ssize(columns);
    const auto for_parts_of_columns = [&](auto&& f) {
        team_.for_each(n_columns * n_parts,
                       [&](int64_t i, int) { f(columns[i / n_parts], i % n_parts); });
    };
    for_parts_of_columns([](Sorted& one, int64_t part) { one.sort.read(one.reader, part); });
    for (Sorted& one : columns) one.sort.choose_buckets();
    for_parts_of_columns([&](Sorted& one, int64_t part) { one.sort.count(part, stop_); });
    for (Sorted& one : columns) one.sort.make_groups();
    for_parts_of_columns([&](Sorted& one, int64_t part) { one.sort.scatter(part, stop_); });
    std::vector<std::pair<Sorted*, int64_t>> groups;
    for (Sorted& one : columns)
        for (int64_t group = 0; group < one.sort.n_groups(); ++group)
            groups.emplace_back(&one, group);
    team_.for_each(std::ssize(groups), [&](int64_t i, int worker) {
        stop_.check();
        const auto& [one, group] = groups[i];
        one->sort.write(one->reader, group, scratch_[static_cast<size_t>(worker)],
                        one->out.list->data());
    });
    team_.for_each(n_columns, [&](int64_t i, int) {
        mark_missing(columns[i].out, columns[i].sort.n_known());
    });
}

}  // namespace silva
