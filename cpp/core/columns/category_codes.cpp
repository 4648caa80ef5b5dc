#include "core/columns/category_codes.hpp"

#include <algorithm>
#include <vector>

#include "core/columns/column_reader.hpp"

namespace silva {
namespace {

constexpr int32_t kMissing = -1;

Array<int32_t> codes_of(const ColumnReader& reader) {
    Array<int32_t> codes(reader.n_rows());
    reader.for_blocks([&](int64_t begin, int64_t end, const double* values) {
        for (int64_t id = begin; id < end; ++id) {
            const double value = values[id - begin];
            codes[id] = value >= 0.0 ? static_cast<int32_t>(value) : kMissing;
        }
        return true;
    });
    return codes;
}

// The first distinct codes of a column, missing included; three stand for all others.
std::vector<int32_t> first_distinct(const Array<int32_t>& codes) {
    std::vector<int32_t> distinct;
    for (int64_t id = 0; id < codes.size() && distinct.size() < 3; ++id)
        if (std::find(distinct.begin(), distinct.end(), codes[id]) == distinct.end())
            distinct.push_back(codes[id]);
    std::sort(distinct.begin(), distinct.end());
    return distinct;
}

// Writes the codes, and the highest number for missing ones.
template <class Code>
void write_levels(const Array<int32_t>& codes, const ColumnForm& form, Array<Code>& levels) {
    levels.resize(codes.size());
    for (int64_t id = 0; id < codes.size(); ++id)
        levels[id] = static_cast<Code>(codes[id] == kMissing ? form.n_codes : codes[id]);
}

}  // namespace

template <class Code>
void join_lone_levels(const ColumnForm& form, Array<Code>& levels) {
    if (levels.empty()) return;
    std::vector<uint8_t> rows(static_cast<size_t>(form.n_codes) + 1, 0);  // up to two
    for (int64_t id = 0; id < levels.size(); ++id)
        rows[levels[id]] = static_cast<uint8_t>(std::min(2, rows[levels[id]] + 1));
    if (std::ssize(rows) - std::count(rows.begin(), rows.end(), 0) < 3) return;
    for (int64_t id = 0; id < levels.size(); ++id)
        if (rows[levels[id]] == 1 && levels[id] != static_cast<Code>(form.n_codes))
            levels[id] = static_cast<Code>(form.lone_code());
}

template <class Code>
bool have_two_levels(const ColumnForm& form, const ColumnSettings& asked,
                     const Array<Code>& levels) {
    if (levels.empty() || asked.form == SplitForm::multiway) return false;
    const auto missing = static_cast<Code>(form.n_codes);
    const Code *begin = levels.data(), *end = begin + levels.size(), first = *begin;
    const Code* other = std::find_if(begin, end, [&](Code level) { return level != first; });
    if (first == missing || other == end) return false;
    const Code second = *other;
    return std::all_of(other, end, [&](Code level) {
        return level != missing && (level == first || level == second);
    });
}

template void join_lone_levels(const ColumnForm&, Array<uint16_t>&);
template void join_lone_levels(const ColumnForm&, Array<uint32_t>&);
template bool have_two_levels(const ColumnForm&, const ColumnSettings&, const Array<uint16_t>&);
template bool have_two_levels(const ColumnForm&, const ColumnSettings&, const Array<uint32_t>&);

void prepare_categories(const ColumnView& column, const Target& target, const ColumnSettings& asked,
                        int index, const StopFlag& stop, ColumnForm& form, Store<uint32_t>& store) {
    const Array<int32_t> codes = codes_of(ColumnReader(column, target, stop));
    const std::vector<int32_t> distinct = first_distinct(codes);
    form.has_missing = !distinct.empty() && distinct.front() == kMissing;
    if (distinct.size() < 2) return;
    if (distinct.size() == 2 && !form.has_missing && asked.form != SplitForm::multiway) {
        form.form = Form::coded;
        form.levels = {static_cast<double>(distinct[0]), static_cast<double>(distinct[1])};
        Array<uint8_t>& bytes = store.codes[index];
        bytes.resize(codes.size());
        for (int64_t id = 0; id < codes.size(); ++id) bytes[id] = codes[id] == distinct[1] ? 1 : 0;
        return;
    }
    form.form = Form::category;
    int32_t lowest = 0, highest = 0;
    for (int64_t id = 0; id < codes.size(); ++id) {
        lowest = std::min(lowest, codes[id]);
        highest = std::max(highest, codes[id]);
    }
    form.n_codes = highest + 1;
    form.has_missing = lowest == kMissing;
    const auto write = [&](auto& levels) {
        write_levels(codes, form, levels);
        if (asked.fair) join_lone_levels(form, levels);
    };
    if (form.n_codes <= kShortLevels)
        write(store.level16[index]);
    else
        write(store.level32[index]);
}

}  // namespace silva
