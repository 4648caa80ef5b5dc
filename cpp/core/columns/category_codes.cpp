#include "core/columns/category_codes.hpp"

#include <algorithm>
#include <vector>

namespace silva {
namespace {

constexpr int64_t kBlock = 4096;
constexpr int32_t kMissing = -1;

// Calls f(begin, n, codes) for each block of rows until f returns false.
template <class F>
void for_blocks(const ColumnView& column, const Target& target, const StopFlag& stop, F&& f) {
    double values[kBlock];
    int32_t codes[kBlock];
    for (int64_t begin = 0; begin < target.n_rows; begin += kBlock) {
        if (begin % (kBlock * 64) == 0) stop.check();
        const int64_t n = std::min(kBlock, target.n_rows - begin);
        if (target.kept.empty())
            column.read(begin, begin + n, values);
        else
            for (int64_t i = 0; i < n; ++i) values[i] = column.value(target.row_of(begin + i));
        for (int64_t i = 0; i < n; ++i)
            codes[i] = values[i] >= 0.0 ? static_cast<int32_t>(values[i]) : kMissing;
        if (!f(begin, n, codes)) return;
    }
}

// The first distinct codes of a column, missing included; three stand for all others.
std::vector<int32_t> first_distinct(const ColumnView& column, const Target& target,
                                    const StopFlag& stop) {
    std::vector<int32_t> distinct;
    for_blocks(column, target, stop, [&](int64_t, int64_t n, const int32_t* codes) {
        for (int64_t i = 0; i < n && distinct.size() < 3; ++i)
            if (std::find(distinct.begin(), distinct.end(), codes[i]) == distinct.end())
                distinct.push_back(codes[i]);
        return distinct.size() < 3;
    });
    std::sort(distinct.begin(), distinct.end());
    return distinct;
}

// Writes the codes, and the highest number for missing ones.
template <class Code>
void write_codes(const ColumnView& column, const Target& target, const StopFlag& stop,
                 ColumnForm& form, Array<Code>& out) {
    out.resize(target.n_rows);
    int32_t lowest = 0, highest = 0;
    for_blocks(column, target, stop, [&](int64_t begin, int64_t n, const int32_t* codes) {
        Code* to = out.data() + begin;
        for (int64_t i = 0; i < n; ++i) {
            to[i] = static_cast<Code>(codes[i]);
            lowest = std::min(lowest, codes[i]);
            highest = std::max(highest, codes[i]);
        }
        return true;
    });
    form.n_codes = highest + 1;
    form.has_missing = lowest == kMissing;
}

template <class Code>
void number_missing(const ColumnForm& form, Array<Code>& codes) {
    if (!form.has_missing) return;
    for (int64_t id = 0; id < codes.size(); ++id)
        if (codes[id] == static_cast<Code>(kMissing)) codes[id] = static_cast<Code>(form.n_codes);
}

template <class Code>
void join_lone_levels(const ColumnForm& form, Array<Code>& codes) {
    std::vector<uint8_t> rows(static_cast<size_t>(form.n_codes) + 1, 0);  // up to two
    for (int64_t id = 0; id < codes.size(); ++id)
        rows[codes[id]] = static_cast<uint8_t>(std::min(2, rows[codes[id]] + 1));
    for (int64_t id = 0; id < codes.size(); ++id)
        if (rows[codes[id]] == 1 && codes[id] != static_cast<Code>(form.n_codes))
            codes[id] = static_cast<Code>(form.lone_code());
}

}  // namespace

void prepare_categories(const ColumnView& column, const Target& target, const ColumnSettings& asked,
                        int index, const StopFlag& stop, ColumnForm& form, Store<uint32_t>& store) {
    const std::vector<int32_t> distinct = first_distinct(column, target, stop);
    form.has_missing = !distinct.empty() && distinct.front() == kMissing;
    if (distinct.size() < 2) return;
    if (distinct.size() == 2 && !form.has_missing && asked.form != SplitForm::multiway) {
        form.form = Form::coded;
        form.levels = {static_cast<double>(distinct[0]), static_cast<double>(distinct[1])};
        Array<uint8_t>& bytes = store.codes[index];
        bytes.resize(target.n_rows);
        for_blocks(column, target, stop, [&](int64_t begin, int64_t n, const int32_t* codes) {
            for (int64_t i = 0; i < n; ++i) bytes[begin + i] = codes[i] == distinct[1] ? 1 : 0;
            return true;
        });
        return;
    }
    form.form = Form::category;
    write_codes(column, target, stop, form, store.level16[index]);
    const auto finish = [&](auto& codes) {
        number_missing(form, codes);
        if (asked.fair && distinct.size() > 2) join_lone_levels(form, codes);
    };
    if (form.n_codes <= kShortLevels) return finish(store.level16[index]);
    store.level16[index] = Array<uint16_t>();
    write_codes(column, target, stop, form, store.level32[index]);
    finish(store.level32[index]);
}

}  // namespace silva
