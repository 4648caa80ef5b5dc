#include "core/category_codes.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace silva {
namespace {

constexpr uint32_t kMissing = std::numeric_limits<uint32_t>::max();

// Calls f(id, code) for each row, kMissing for missing values, until f returns false.
template <class F>
void for_codes(const ColumnView& column, const Target& target, const StopFlag& stop, F&& f) {
    constexpr int64_t block = 4096;
    double values[block];
    for (int64_t begin = 0; begin < target.n_rows; begin += block) {
        if (begin % (block * 64) == 0) stop.check();
        const int64_t n = std::min(block, target.n_rows - begin);
        if (target.kept.empty())
            column.read(begin, begin + n, values);
        else
            for (int64_t i = 0; i < n; ++i) values[i] = column.value(target.row_of(begin + i));
        for (int64_t i = 0; i < n; ++i) {
            const bool known = values[i] >= 0.0;
            if (!f(begin + i, known ? static_cast<uint32_t>(values[i]) : kMissing)) return;
        }
    }
}

// The first distinct codes of a column, missing included; no more than three.
std::vector<uint32_t> first_distinct(const ColumnView& column, const Target& target,
                                     const StopFlag& stop) {
    std::vector<uint32_t> distinct;
    for_codes(column, target, stop, [&](int64_t, uint32_t code) {
        if (std::find(distinct.begin(), distinct.end(), code) == distinct.end())
            distinct.push_back(code);
        return distinct.size() < 3;
    });
    std::sort(distinct.begin(), distinct.end());
    return distinct;
}

// Writes the codes as they are, the highest number for missing ones.
template <class Code>
void write_codes(const ColumnView& column, const Target& target, const StopFlag& stop,
                 ColumnForm& form, Array<Code>& codes) {
    codes.resize(target.n_rows);
    uint32_t end = 0;
    bool missing = false;
    for_codes(column, target, stop, [&](int64_t id, uint32_t code) {
        codes[id] = static_cast<Code>(code);
        end = std::max(end, code + 1);
        missing |= code == kMissing;
        return true;
    });
    form.n_codes = static_cast<int32_t>(end);
    form.has_missing = missing;
}

template <class Code>
void number_missing(const ColumnForm& form, Array<Code>& codes) {
    if (!form.has_missing) return;
    for (int64_t id = 0; id < codes.size(); ++id)
        if (codes[id] == static_cast<Code>(kMissing)) codes[id] = static_cast<Code>(form.n_codes);
}

}  // namespace

void prepare_categories(const ColumnView& column, const Target& target, SplitForm asked, int index,
                        const StopFlag& stop, ColumnForm& form, Store<uint32_t>& store) {
    const std::vector<uint32_t> distinct = first_distinct(column, target, stop);
    form.has_missing = !distinct.empty() && distinct.back() == kMissing;
    if (distinct.size() < 2) return;
    if (distinct.size() == 2 && !form.has_missing && asked != SplitForm::multiway) {
        form.form = Form::coded;
        form.levels = {static_cast<double>(distinct[0]), static_cast<double>(distinct[1])};
        Array<uint8_t>& bytes = store.codes[index];
        bytes.resize(target.n_rows);
        for_codes(column, target, stop, [&](int64_t id, uint32_t code) {
            bytes[id] = code == distinct[1] ? 1 : 0;
            return true;
        });
        return;
    }
    form.form = Form::category;
    write_codes(column, target, stop, form, store.level16[index]);
    if (form.n_codes <= kShortLevels) return number_missing(form, store.level16[index]);
    store.level16[index] = Array<uint16_t>();
    write_codes(column, target, stop, form, store.level32[index]);
    number_missing(form, store.level32[index]);
}

}  // namespace silva
